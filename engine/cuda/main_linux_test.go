package cuda

import (
	"context"
	"fmt"
	"os"
	"testing"

	"workbench/engine/cuda/fake"
	"workbench/engine/cuda/session"
	"workbench/engine/cuda/worker"
	"workbench/engine/device"
)

// The worker of these tests is the test binary itself, over NVIDIA's libraries as
// package fake plays them where the environment says which machine, and over the
// real ones otherwise.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "worker" {
		serve := func(args []string) error { return ServeWith(args, pretended) }
		if _, ok := os.LookupEnv(fake.Variable); !ok {
			serve = Serve
		}
		if err := serve(os.Args[2:]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// pretended opens the libraries of the machine that the environment describes.
func pretended() (session.Libraries, error) {
	m, _, err := fake.FromEnvironment()
	if err != nil {
		return session.Libraries{}, err
	}
	return played(m)
}

func played(m *fake.Machine) (session.Libraries, error) {
	l := session.Libraries{Compiler: m.Compiler, BLAS: m.BLAS}
	var err error
	l.Driver, err = m.Driver()
	return l, err
}

// newMachine is a pool of workers on the machine that text describes.
func newMachine(text string, change ...func(o *worker.Options)) *pool {
	return &pool{options: func(ordinal int) (worker.Options, error) {
		spec := device.Spec{Kind: device.CUDA, Ordinal: ordinal}
		o := worker.Options{Spec: spec, Command: worker.Command{Args: []string{"worker", spec.String()}, Env: []string{fake.Variable + "=" + text, quickExit}}}
		for _, c := range change {
			c(&o)
		}
		return o, nil
	}}
}

// quickExit spares the race detector's second of waiting at the end of a process.
const quickExit = "GORACE=atexit_sleep_ms=0"

func parse(t testing.TB, spec string) device.Spec {
	t.Helper()
	s, err := device.ParseSpec(spec)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// opened opens a device that the test closes.
func (p *pool) opened(t testing.TB, spec string) *Device {
	t.Helper()
	d, err := p.open(t.Context(), parse(t, spec))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return d
}

// inProcess opens a device of m in the test's own process.
func inProcess(t testing.TB, m *fake.Machine, spec string) *Device {
	t.Helper()
	l, err := played(m)
	if err != nil {
		t.Fatal(err)
	}
	d, err := OpenInProcess(context.Background(), parse(t, spec), l)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return d
}
