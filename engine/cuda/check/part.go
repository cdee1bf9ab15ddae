package check

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"time"

	"workbench/engine/cuda/native"
	"workbench/engine/cuda/nvidia"
	driverconform "workbench/engine/cuda/nvidia/conform"
	"workbench/engine/cuda/session"
	"workbench/engine/device"
	"workbench/engine/launch"
)

// Parts are what needs a process of its own: because the driver must not have
// been started in it, because nothing works in it afterwards, or because a tool
// watches it. The list starts them through Machine.Part.
//
//	start           how long the driver takes to start, as JSON
//	driver          the driver's conformance, as JSON in the last line
//	driver/NAME     a case of the driver's conformance that ends the process
//	workload        products of every kernel, here and in a worker
//	planted/TOOL    a kernel with the fault that a tool of compute-sanitizer finds
//	planted worker  the one of memcheck, in a worker
const (
	partStart      = "start"
	partDriver     = "driver"
	partDriverCase = "driver/"
	partWorkload   = "workload"
	partPlanted    = "planted/"
	partWorker     = "planted worker"
)

// RunPart does one part, and writes what came of it.
func RunPart(ctx context.Context, m *Machine, name string, out io.Writer) error {
	switch {
	case name == partStart:
		s, err := measureStart(m)
		if err != nil {
			return err
		}
		return json.NewEncoder(out).Encode(s)
	case name == partDriver:
		return driverCases(m, out)
	case strings.HasPrefix(name, partDriverCase):
		return driverCase(m, strings.TrimPrefix(name, partDriverCase), out)
	case name == partWorkload:
		return workload(ctx, m, out)
	case strings.HasPrefix(name, partPlanted):
		return planted(m, strings.TrimPrefix(name, partPlanted), out)
	case name == partWorker:
		c, err := m.start(ctx, nil)
		if err != nil {
			return err
		}
		defer c.Close()
		_, err = c.Launch(ctx, pastEnd())
		fmt.Fprintf(out, "planted in a worker, which ended with: %v\n", err)
		return nil
	}
	return fmt.Errorf("there is no part %q", name)
}

// runPart has another process do a part, and returns what it wrote.
func (m *Machine) runPart(ctx context.Context, name string) ([]byte, error) {
	cmd := m.Part(ctx, name)
	var errout strings.Builder
	cmd.Stderr = &errout
	out, err := cmd.Output()
	if err != nil {
		return out, fmt.Errorf("the part %s: %w: %s", name, err, strings.TrimSpace(errout.String()))
	}
	return out, nil
}

// startTimes is how long each step of a driver's start took, in milliseconds.
type startTimes struct {
	Library float64 `json:"library"` // opening the file
	Init    float64 `json:"init"`    // cuInit, and the version
	Context float64 `json:"context"` // retaining the primary context
	First   float64 `json:"first"`   // the first product: loading the kernels, and running one
	Next    float64 `json:"next"`    // the second product
}

func measureStart(m *Machine) (s startTimes, err error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	step := func(into *float64, do func() error) {
		if err != nil {
			return
		}
		start := time.Now()
		err = do()
		*into = float64(time.Since(start).Nanoseconds()) / 1e6
	}
	var l session.Libraries
	step(&s.Library, func() (err error) { l, err = m.Open(); return err })
	step(&s.Init, func() error { _, err := l.Driver.Version(); return err })
	var opened *session.Session
	step(&s.Context, func() (err error) { opened, err = session.Open(l, m.Ordinal); return err })
	step(&s.First, func() error { return multiplyTiny(opened, tinyProduct) })
	step(&s.Next, func() error { return multiplyTiny(opened, tinyProduct) })
	if opened != nil {
		err = errors.Join(err, opened.Close())
	}
	return s, err
}

// driverTally is what came of the driver's conformance.
type driverTally struct {
	Through  string   `json:"through"` // who calls the driver: purego, or gorgonia.org/cu
	Passed   int      `json:"passed"`
	Failures []string `json:"failures"`
}

func driverCases(m *Machine, out io.Writer) error {
	l, err := m.Open()
	if err != nil {
		return err
	}
	t := driverTally{Through: native.Implementation}
	t.Passed = driverconform.Run(l.Driver, m.Ordinal, func(name string, err error) {
		if err != nil {
			t.Failures = append(t.Failures, name+": "+err.Error())
		}
	}).Passed
	return json.NewEncoder(out).Encode(t)
}

func driverCase(m *Machine, name string, out io.Writer) error {
	l, err := m.Open()
	if err != nil {
		return err
	}
	runtime.LockOSThread() // for good: nothing works here afterwards
	for _, c := range driverconform.Sticky() {
		if c.Name == name {
			if err := driverconform.Attempt(c, l.Driver, m.Ordinal); err != nil {
				return err
			}
			fmt.Fprintf(out, "passed %s\n", name)
			return nil
		}
	}
	return fmt.Errorf("the driver's conformance has no case %q", name)
}

// workloadDone begins the line that a workload ends with.
const workloadDone = "workload done: "

// workload makes small products by every kernel under both contracts, in this
// process and in a worker, and holds them to the CPU: a tool that watches may
// slow them down, and must not change them.
func workload(ctx context.Context, m *Machine, out io.Writer) error {
	l, err := m.Open()
	if err != nil {
		return err
	}
	m.Libraries = l
	requests := workloadRequests(m)
	n := 0
	for _, open := range []func(context.Context, device.Spec) (device.Device, error){m.Direct, m.Worker} {
		for _, c := range contracts {
			cpu, err := m.CPU(c)
			if err != nil {
				return err
			}
			gpu, err := open(ctx, m.spec(c))
			if err != nil {
				return err
			}
			for _, p := range device.Precisions {
				d, err := hold(ctx, cpu, gpu, inPrecision(requests, p))
				if err == nil {
					err = d.err()
				}
				if err != nil {
					return err
				}
				n += d.requests
				// Staging buffers are longer than what is in them; those of a launch
				// end where their matrix does.
				for _, r := range requests {
					if r.product == nil || r.product.Left.Rank() != 2 || r.product.Right.Rank() != 2 || r.product.TransposeLeft || r.product.TransposeRight {
						continue
					}
					want, _, err := r.in(p).run(ctx, cpu)
					if err != nil {
						return err
					}
					got, err := asLaunch(ctx, gpu.(launch.Launcher), c, p, r.product.Left, r.product.Right, "")
					if err != nil {
						return err
					}
					if !bytes.Equal(got, p.AppendBytes(nil, want.Data())) {
						return fmt.Errorf("%s in %s has other bytes as a launch than on the CPU", r.name, p)
					}
					n++
				}
			}
			if err := errors.Join(gpu.Close(), cpu.Close()); err != nil {
				return err
			}
		}
	}
	fmt.Fprintf(out, "%s%d requests\n", workloadDone, n)
	return nil
}

func workloadRequests(m *Machine) []request {
	var out []request
	for _, r := range m.fitting(append(products(), reductions()...)) {
		switch {
		case r.reduction != nil && r.reduction.Input.Len() < 1000:
			out = append(out, r)
		case r.product != nil && r.product.Left.Len() < 2000 && r.product.Right.Len() < 2000:
			out = append(out, r)
		}
	}
	return out
}

// planted launches a kernel with a fault, which the GPU itself may not notice.
func planted(m *Machine, tool string, out io.Writer) error {
	l, err := m.Open()
	if err != nil {
		return err
	}
	return onThread(l, m.Ordinal, func(s *session.Session) error {
		var err error
		switch tool {
		case "memcheck":
			_, err = s.Launch(pastEnd())
		case "racecheck":
			_, err = s.Launch(one("check_race", 64, -1, make([]float32, 64)...))
		case "synccheck":
			_, err = s.Launch(one("check_half_barrier", 32, -1, make([]float32, 32)...))
		case "initcheck":
			err = readUnwritten(m, l)
		default:
			return fmt.Errorf("no fault is planted for %q", tool)
		}
		fmt.Fprintf(out, "planted for %s, which ended with: %v\n", tool, err)
		return nil
	})
}

// pastEnd writes one element behind a buffer.
func pastEnd() *launch.Launch { return one("check_past_end", 8, 4, 1, 2, 3, 4) }

// readUnwritten has a kernel read device memory that nothing was copied to: every
// buffer of a launch is filled, so this goes past the session.
func readUnwritten(m *Machine, l session.Libraries) error {
	n, err := openBare(l, m.Ordinal)
	if err != nil {
		return err
	}
	defer n.close()
	f, err := n.compiled(l, m.Ordinal, kernel("check_unwritten"))
	if err != nil {
		return err
	}
	from, err := n.alloc(128)
	if err != nil {
		return err
	}
	to, err := n.alloc(128)
	if err != nil {
		return err
	}
	if err := n.Launch(f, nvidia.Dim3{X: 1, Y: 1, Z: 1}, nvidia.Dim3{X: 32, Y: 1, Z: 1}, 0, [][]byte{address(from), address(to)}); err != nil {
		return err
	}
	return n.Synchronize()
}
