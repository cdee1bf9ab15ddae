package run_test

import (
	"fmt"
	"strings"
	"testing"

	"workbench/engine/device"
	"workbench/engine/launch"
	"workbench/web/run"
	"workbench/web/run/runtest"
)

// Every way in which a GPU fails has a code of its own kind, and says what, why
// and what to do, also where it comes wrapped.
func TestDescribeFaults(t *testing.T) {
	codes := map[string]run.Code{
		"no driver": run.CodeDevice, "driver too old for the PTX": run.CodeDevice, "driver too old for the library": run.CodeDevice,
		"library missing": run.CodeDevice, "no such ordinal": run.CodeDevice,
		"out of memory": run.CodeMemory, "kernel does not compile": run.CodeCompile,
		"illegal address": run.CodeFault, "launch failure": run.CodeFault, "time limit": run.CodeTimeout,
		"worker killed": run.CodeFault, "driver failure": run.CodeFault, "launch that does not fit": run.CodeInput,
	}
	faults := runtest.Faults(device.Spec{Kind: device.CUDA, Ordinal: 3})
	if len(faults) != len(codes) {
		t.Errorf("%d faults are tried, want %d", len(faults), len(codes))
	}
	for _, fault := range faults {
		for _, err := range []error{fault.Err, fmt.Errorf("cuda:3: backward through matmul: %w", fault.Err)} {
			f := run.Describe(err)
			if f.Code != codes[fault.Name] {
				t.Errorf("%s has the code %q, want %q", fault.Name, f.Code, codes[fault.Name])
			}
			said := f.Message + "\n" + f.Next
			if f.Detail != nil {
				said += "\n" + f.Detail.Title + "\n" + strings.Join(f.Detail.Lines, "\n")
			}
			for _, want := range fault.Says {
				if !strings.Contains(strings.ToLower(said), strings.ToLower(want)) {
					t.Errorf("%s: %q is missing in\n%s", fault.Name, want, said)
				}
			}
		}
	}
}

func TestDescribeCompilers(t *testing.T) {
	for _, c := range []struct {
		err     launch.CompileError
		message string
		lines   int
	}{
		{launch.CompileError{File: "k.cu", Log: " \n"}, "k.cu does not compile", 0},
		{launch.CompileError{File: "k.cu", Log: "cannot open it\nat all\n"}, "k.cu does not compile", 2},
		{launch.CompileError{File: "k.cu", Diagnostics: []launch.Diagnostic{{Severity: "warning", Line: 1, Message: "unused"}, {Severity: "error", Message: "no kernel"}}}, "k.cu does not compile: no kernel", 2},
		{launch.CompileError{File: "k.cu", Diagnostics: []launch.Diagnostic{{Severity: "error", Line: 3, Message: "expected a ;", Source: "  x = 1"}}}, "k.cu does not compile: line 3: expected a ;", 2},
	} {
		f := run.Describe(&c.err)
		lines := 0
		if f.Detail != nil {
			lines = len(f.Detail.Lines)
		}
		if f.Message != c.message || lines != c.lines {
			t.Errorf("%+v is %q with %d lines (%+v), want %q with %d", c.err, f.Message, lines, f.Detail, c.message, c.lines)
		}
	}
	if f := run.Describe(&device.ClosedError{Spec: device.Spec{Kind: device.CPU}}); f.Code != run.CodeDevice || !strings.Contains(f.Message, "cpu was closed") {
		t.Errorf("a closed device is %+v", f)
	}
}
