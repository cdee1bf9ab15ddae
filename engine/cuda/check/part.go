package check

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"time"

	"workbench/engine/cuda/native"
	"workbench/engine/cuda/nvidia"
	driverconform "workbench/engine/cuda/nvidia/conform"
	"workbench/engine/cuda/session"
	"workbench/engine/cuda/worker"
	"workbench/engine/device"
	"workbench/engine/launch"
)

// Parts are what needs a process of its own: because the driver must not have
// been started in it, because nothing works in it afterwards, or because a tool
// watches it. The list starts them through Machine.Part.
//
//	start             how long the driver takes to start, as JSON
//	driver            the driver's conformance, as JSON in the last line
//	driver/NAME       a case of the driver's conformance that ends the process
//	workload          products of every kernel
//	planted/TOOL      a kernel with the fault that a tool of compute-sanitizer finds
//	unwritten worker  a worker each of whose launches is the one for initcheck
const (
	partStart      = "start"
	partDriver     = "driver"
	partDriverCase = "driver/"
	partWorkload   = "workload"
	partPlanted    = "planted/"
	partUnwritten  = "unwritten worker"
)

// RunPart does one part, and writes what came of it.
func RunPart(ctx context.Context, m *Machine, name string, out io.Writer) (err error) {
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
		if m.Libraries, err = m.Open(); err != nil {
			return err
		}
		n, err := workload(ctx, m, m.Direct)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintln(out, workloadLine(n))
		return err
	case strings.HasPrefix(name, partPlanted):
		return planted(m, strings.TrimPrefix(name, partPlanted), out)
	case name == partUnwritten:
		return serveUnwritten(m)
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

// workloadDone begins the line that says what a workload was.
const workloadDone = "workload done: "

func workloadLine(requests int) string { return fmt.Sprintf("%s%d requests", workloadDone, requests) }

// workload makes small products by every kernel under both contracts, on GPUs
// that open opens, and holds them to the CPU: a tool that watches may slow them
// down, and must not change them. It returns the number of requests.
func workload(ctx context.Context, m *Machine, open func(context.Context, device.Spec) (device.Device, error)) (requests int, err error) {
	for _, c := range contracts {
		n, err := workloadOf(ctx, m, c, open)
		if err != nil {
			return 0, err
		}
		requests += n
	}
	return requests, nil
}

func workloadOf(ctx context.Context, m *Machine, c device.Contract, open func(context.Context, device.Spec) (device.Device, error)) (n int, err error) {
	cpu, err := m.CPU(c)
	if err != nil {
		return 0, err
	}
	defer cpu.Close()
	gpu, err := open(ctx, m.spec(c))
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, gpu.Close()) }()
	requests := workloadRequests(m)
	for _, p := range device.Precisions {
		d, err := hold(ctx, cpu, gpu, inPrecision(requests, p))
		if err == nil {
			err = d.err()
		}
		if err != nil {
			return 0, err
		}
		n += d.requests
		// Staging buffers are longer than what is in them; those of a launch end
		// where their matrix does.
		for _, r := range requests {
			if r.product == nil || r.product.Left.Rank() != 2 || r.product.Right.Rank() != 2 || r.product.TransposeLeft || r.product.TransposeRight {
				continue
			}
			want, _, err := r.in(p).run(ctx, cpu)
			if err != nil {
				return 0, err
			}
			got, err := asLaunch(ctx, gpu.(launch.Launcher), c, p, r.product.Left, r.product.Right, "")
			if err != nil {
				return 0, err
			}
			if !bytes.Equal(got, p.AppendBytes(nil, want.Data())) {
				return 0, fmt.Errorf("%s in %s has other bytes as a launch than on the CPU", r.name, p)
			}
			n++
		}
	}
	return n, nil
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

// A plant is a fault for a tool of compute-sanitizer to find.
type plant struct {
	tool   string
	symbol string                // of the kernel that has it
	launch func() *launch.Launch // nil for one that no launch of a session has
}

var plants = []plant{
	{"memcheck", "check_past_end", func() *launch.Launch { return one("check_past_end", 8, 4, 1, 2, 3, 4) }},
	{"racecheck", "check_race", func() *launch.Launch { return one("check_race", 64, -1, make([]float32, 64)...) }},
	{"initcheck", "check_unwritten", nil},
	{"synccheck", "check_half_barrier", func() *launch.Launch { return one("check_half_barrier", 32, -1, make([]float32, 32)...) }},
}

// planted launches a kernel with a fault, which the GPU itself may not notice.
func planted(m *Machine, tool string, out io.Writer) error {
	at := slices.IndexFunc(plants, func(p plant) bool { return p.tool == tool })
	if at < 0 {
		return fmt.Errorf("no fault is planted for %q", tool)
	}
	l, err := m.Open()
	if err != nil {
		return err
	}
	return onThread(l, m.Ordinal, func(s *session.Session) (err error) {
		if plants[at].launch == nil {
			err = readUnwritten(l, m.Ordinal)
		} else {
			_, err = s.Launch(plants[at].launch())
		}
		fmt.Fprintf(out, "planted for %s, which ended with: %v\n", tool, err)
		return nil
	})
}

// serveUnwritten is a worker whose launches read what nobody wrote, whatever they
// are asked to launch.
func serveUnwritten(m *Machine) error {
	files, err := worker.Inherited()
	if err != nil {
		return err
	}
	return worker.Serve(files, func() (worker.Opened, error) {
		l, err := m.Open()
		if err != nil {
			return worker.Opened{}, session.Explain(m.Ordinal, err)
		}
		s, err := session.Open(l, m.Ordinal)
		if err != nil {
			return worker.Opened{}, err
		}
		return worker.Opened{GPU: unwritten{s, l, m.Ordinal}, Driver: s.DriverVersion()}, nil
	})
}

type unwritten struct {
	*session.Session
	libraries session.Libraries
	ordinal   int
}

func (u unwritten) Sequence(launches []*launch.Launch) ([]*launch.Result, error) {
	results := make([]*launch.Result, len(launches))
	for i := range results {
		results[i] = &launch.Result{}
	}
	launch.Collect(launches, results, nil)
	return results, readUnwritten(u.libraries, u.ordinal)
}

// readUnwritten has a kernel read device memory that nothing was copied to: every
// buffer of a launch is filled, so this goes past the session.
func readUnwritten(l session.Libraries, ordinal int) error {
	n, err := openBare(l, ordinal)
	if err != nil {
		return err
	}
	defer n.close()
	f, err := n.compiled(l, ordinal, kernel("check_unwritten"))
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
