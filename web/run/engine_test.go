package run_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"workbench/engine"
	"workbench/engine/device"
	"workbench/engine/tensor"
	"workbench/engine/trace"
	"workbench/web/run"
)

const product = `{"left":[[1,2,3],[4,5,6]],"right":[[7,8],[9,10],[11,12]]}`

func TestEngineRunsAndExplains(t *testing.T) {
	e := run.NewEngine(engine.Open, engine.List, engine.Emulator)
	defer e.Close()
	ctx := t.Context()
	made, err := e.Run(ctx, "cpu,separate", trace.ExampleProduct, json.RawMessage(product))
	if err != nil {
		t.Fatal(err)
	}
	if made.Device != "cpu" {
		t.Errorf("device %q", made.Device)
	}
	step := -1
	for i, s := range made.Steps {
		if s.Op == "matmul" {
			step = i
		}
	}
	cell, err := e.Explain(ctx, made, step, [3]int{0, 0, 1})
	if err != nil {
		t.Fatal(err)
	}
	if cell.Value != 64 || !cell.Agrees || cell.Flat != 1 {
		t.Errorf("cell (0, 1) is %+v, want 64 at 1", cell)
	}
	report, err := e.Compare(ctx, "cpu", "cpu,fused", trace.ExampleDecoder, json.RawMessage(`{"text":"ab"}`), func(string, int, int) {})
	if err != nil {
		t.Fatal(err)
	}
	if report.Reference != "cpu" || report.Candidate != "cpu,fused" || !report.Passed || report.Differing == 0 {
		t.Errorf("report of %s and %s: passed %v, %d other bits", report.Reference, report.Candidate, report.Passed, report.Differing)
	}
	report, err = e.Compare(ctx, "cpu", "cpu,fused", trace.ExampleProduct, json.RawMessage(`{"left": [[1, 0.1]], "right": [[-1], [10]]}`), func(string, int, int) {})
	if err != nil {
		t.Fatal(err)
	}
	if report.Count != 1 || report.Differing != 1 || report.Entries[0].Group != "C" {
		t.Errorf("the product's report has %+v", report.Entries)
	}
	if len(e.Devices(t.Context())) == 0 {
		t.Error("no devices are listed")
	}
}

// spy counts how often devices are opened and closed.
type spy struct {
	mu             sync.Mutex
	opened, closed map[string]int
	missing        bool
}

func (s *spy) open(_ context.Context, spec string) (device.Device, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	parsed, err := device.ParseSpec(spec)
	if err != nil {
		return nil, err
	}
	if s.missing {
		return nil, &device.UnavailableError{Spec: parsed, Reason: "it is unplugged", Next: "plug it in"}
	}
	s.opened[spec]++
	return &dumb{parsed, s}, nil
}

// dumb is a device that answers nothing and explains nothing.
type dumb struct {
	spec device.Spec
	spy  *spy
}

func (d *dumb) Spec() device.Spec { return d.spec }
func (d *dumb) Multiply(context.Context, device.Product) (*tensor.Tensor, device.Stats, error) {
	return nil, device.Stats{}, errors.New("dumb")
}
func (d *dumb) Reduce(context.Context, device.Reduction) (*tensor.Tensor, device.Stats, error) {
	return nil, device.Stats{}, errors.New("dumb")
}
func (d *dumb) Close() error {
	d.spy.mu.Lock()
	defer d.spy.mu.Unlock()
	d.spy.closed[d.spec.String()]++
	return nil
}

func TestEngineOpensADeviceOnceAndClosesIt(t *testing.T) {
	s := &spy{opened: map[string]int{}, closed: map[string]int{}}
	e := run.NewEngine(s.open, engine.List, engine.Emulator)
	for _, name := range []string{"cuda:0", "cuda:0,separate", "cuda:0,kernel", "cuda:0"} {
		if _, err := e.Run(t.Context(), name, trace.ExampleProduct, json.RawMessage(product)); err == nil {
			t.Fatal("a device that explains nothing ran")
		}
	}
	if s.opened["cuda:0"] != 1 {
		t.Errorf("one device under four names was opened %d times", s.opened["cuda:0"])
	}
	// It cannot explain, so the CPU of its contract was asked for.
	if s.opened["cpu"] != 1 {
		t.Errorf("the CPU that explains for it was opened %d times", s.opened["cpu"])
	}
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	if s.closed["cuda:0"] != 1 || s.closed["cpu"] != 1 {
		t.Errorf("closed: %v", s.closed)
	}
	if _, err := e.Run(t.Context(), "cpu", trace.ExampleProduct, json.RawMessage(product)); err == nil {
		t.Error("a closed engine ran")
	}
}

// slowly opens the CPU at once, and everything else when it is released or its
// context ends.
type slowly struct {
	spy
	begun   chan struct{} // gets a value for each slow opening
	release chan struct{}
}

func newSlowly() *slowly {
	return &slowly{
		spy:   spy{opened: map[string]int{}, closed: map[string]int{}},
		begun: make(chan struct{}, 8), release: make(chan struct{}),
	}
}

func (s *slowly) open(ctx context.Context, spec string) (device.Device, error) {
	if spec == "cpu" {
		return engine.Open(ctx, spec)
	}
	s.begun <- struct{}{}
	select {
	case <-s.release:
		return s.spy.open(ctx, spec)
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// While one device starts the others are there, those who ask for it wait for
// one opening, and one who leaves takes it from nobody.
func TestEngineOpensSlowlyAside(t *testing.T) {
	s := newSlowly()
	e := run.NewEngine(s.open, engine.List, engine.Emulator)
	left := errors.New("the page was closed")
	leaving, leave := context.WithCancelCause(t.Context())
	gone, stayed := make(chan error, 1), make(chan error, 3)
	go func() {
		_, err := e.Run(leaving, "cuda:0", trace.ExampleProduct, json.RawMessage(product))
		gone <- err
	}()
	<-s.begun
	for range cap(stayed) {
		go func() {
			_, err := e.Run(t.Context(), "cuda:0", trace.ExampleProduct, json.RawMessage(product))
			stayed <- err
		}()
	}
	if _, err := e.Run(t.Context(), "cpu", trace.ExampleProduct, json.RawMessage(product)); err != nil {
		t.Errorf("another device, meanwhile: %v", err)
	}
	leave(left)
	if err := <-gone; !errors.Is(err, left) {
		t.Errorf("who left got %v, want the reason", err)
	}
	close(s.release)
	for range cap(stayed) {
		if err := <-stayed; err == nil || err.Error() != "dumb" {
			t.Errorf("who stayed got %v, want the device's answer", err)
		}
	}
	if err := e.Close(); err != nil {
		t.Error(err)
	}
	if s.opened["cuda:0"] != 1 || s.closed["cuda:0"] != 1 {
		t.Errorf("opened %v, closed %v", s.opened, s.closed)
	}
}

// A run whose time is over before its device is there says that the device is not,
// and not that the run is too long.
func TestEngineOpensForLongerThanARunMayTake(t *testing.T) {
	s := newSlowly()
	e := run.NewEngine(s.open, engine.List, engine.Emulator)
	defer e.Close()
	ctx, cancel := context.WithTimeoutCause(t.Context(), time.Millisecond, run.ErrTimeLimit)
	defer cancel()
	_, err := e.Run(ctx, "cuda:0", trace.ExampleProduct, json.RawMessage(product))
	if f := run.Describe(run.Ended(ctx, err)); f.Code != run.CodeTimeout || !strings.Contains(f.Message, "cuda:0 has not started yet") || f.Next == "" {
		t.Errorf("%v is %+v", err, f)
	}
}

// Close does not wait for a device that will not come.
func TestEngineClosesWhileADeviceOpens(t *testing.T) {
	s := newSlowly()
	e := run.NewEngine(s.open, engine.List, engine.Emulator)
	waiting := make(chan error, 1)
	go func() {
		_, err := e.Run(t.Context(), "cuda:0", trace.ExampleProduct, json.RawMessage(product))
		waiting <- err
	}()
	<-s.begun
	if err := e.Close(); err != nil {
		t.Error(err)
	}
	if err := <-waiting; !errors.Is(err, context.Canceled) {
		t.Errorf("who waited got %v", err)
	}
	if len(s.opened) != 0 {
		t.Errorf("opened %v", s.opened)
	}
	if err := e.Close(); err != nil {
		t.Errorf("closed again: %v", err)
	}
}

// A device that was not there may have come since.
func TestEngineTriesAMissingDeviceAgain(t *testing.T) {
	s := &spy{opened: map[string]int{}, closed: map[string]int{}, missing: true}
	e := run.NewEngine(s.open, engine.List, engine.Emulator)
	defer e.Close()
	_, err := e.Run(t.Context(), "cuda:0", trace.ExampleProduct, json.RawMessage(product))
	if f := run.Describe(err); f.Code != run.CodeDevice || f.Next != "plug it in" {
		t.Errorf("a missing device is %+v", f)
	}
	s.missing = false
	_, err = e.Run(t.Context(), "cuda:0", trace.ExampleProduct, json.RawMessage(product))
	if f := run.Describe(err); f.Code == run.CodeDevice {
		t.Errorf("the device has come and is still %+v", f)
	}
}

// A failure in one line is sentences, or one of two halves.
func TestFailureInOneLine(t *testing.T) {
	for want, f := range map[string]run.Failure{
		"text: is empty":                  {Field: "text", Message: "is empty"},
		"It is gone. Start it again.":     {Message: "It is gone.", Next: "Start it again."},
		"there is no driver; install one": {Message: "there is no driver", Next: "install one"},
	} {
		if got := f.Error(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestDescribe(t *testing.T) {
	spec, _ := device.ParseSpec("cuda:0")
	_, badSpec := device.ParseSpec("gpu")
	for _, c := range []struct {
		err   error
		code  run.Code
		field string
	}{
		{&trace.FieldError{Field: "ops[1].axis", Reason: "is 3"}, run.CodeInput, "ops[1].axis"},
		{&tensor.ShapeError{Op: "matmul"}, run.CodeInput, ""},
		{&tensor.ShapeError{Op: "cell"}, run.CodeInput, "cell"},
		{&tensor.ShapeError{Op: "group"}, run.CodeInput, "cell"},
		{badSpec, run.CodeDevice, "device"},
		{&device.UnavailableError{Spec: spec}, run.CodeDevice, "device"},
		{trace.ErrNothingToExplain, run.CodeInput, "step"},
		{run.ErrTimeLimit, run.CodeTooLarge, ""},
		{context.DeadlineExceeded, run.CodeTooLarge, ""},
		{context.Canceled, run.CodeCancelled, ""},
		{&run.Failure{Code: run.CodeBusy}, run.CodeBusy, ""},
		{errors.New("secret detail"), run.CodeInternal, ""},
	} {
		for _, err := range []error{c.err, errors.Join(c.err)} {
			f := run.Describe(err)
			if f.Code != c.code || f.Field != c.field {
				t.Errorf("Describe(%v) = %s %q, want %s %q", c.err, f.Code, f.Field, c.code, c.field)
			}
			if c.code == run.CodeInternal && (f.Message == "" || f.Error() == "secret detail") {
				t.Errorf("an internal error says %q", f.Error())
			}
		}
	}
}
