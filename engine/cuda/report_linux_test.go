package cuda

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"workbench/engine/cuda/fake"
	"workbench/engine/cuda/worker"
	"workbench/engine/device"
)

// become makes this process's program the test binary on the machine that text
// describes.
func become(t *testing.T, text string) {
	t.Helper()
	SetProgram(worker.Command{Args: []string{"worker"}, Env: []string{fake.Variable + "=" + text, quickExit}})
	t.Cleanup(func() { program.Store(nil) })
}

func TestProbe(t *testing.T) {
	for _, test := range []struct {
		machine string
		missing string // part of why cuda:0 cannot be opened
		check   func(r Report) string
	}{
		{"devices=2 names=NVIDIA_H200,Other memory=2GiB", "", func(r Report) string {
			switch {
			case len(r.GPUs) != 2 || r.GPUs[0].Name != "NVIDIA H200" || r.GPUs[1].Ordinal != 1 || r.GPUs[0].Major != 9:
				return "GPUs"
			case r.GPUs[1].Free != 2<<30 || r.GPUs[0].Free == 0:
				return "free memory"
			case r.Driver.Version != "13.0" || r.NVRTC.Version != "13.0" || r.CUBLAS.Version != "13.1.0":
				return "versions"
			case r.Driver.Problem+r.NVRTC.Problem+r.CUBLAS.Problem != "":
				return "problems"
			}
			return ""
		}},
		{"driver=missing nvrtc=12.8 cublas=missing", "the NVIDIA driver was not found", func(r Report) string {
			switch {
			case len(r.GPUs) != 0:
				return "GPUs"
			case r.Driver.Problem == "" || len(r.Driver.Tried) == 0 || r.Driver.Tried[0].Path != "libcuda.so.1" || len(r.Missing.Tried) == 0:
				return "where the driver was looked for"
			case r.NVRTC.Version != "12.8" || r.NVRTC.Problem != "":
				return "NVRTC"
			case r.CUBLAS == nil: // looked for, although there is nothing to open it on
				return "cuBLAS"
			}
			return ""
		}},
		{"cublas=missing nvrtc=missing", "", func(r Report) string {
			if r.CUBLAS.Problem == "" || len(r.CUBLAS.Tried) == 0 || r.NVRTC.Problem == "" || len(r.NVRTC.Tried) == 0 || r.GPUs[0].Free == 0 {
				return "libraries"
			}
			return ""
		}},
		{"driver=12.4 cublas=130100", "", func(r Report) string {
			if !strings.Contains(r.CUBLAS.Problem, "too old for the library") {
				return "cuBLAS: " + r.CUBLAS.Problem
			}
			return ""
		}},
		{"driver=11.4", "the driver is too old", func(r Report) string {
			if r.Driver.Version != "11.4" || len(r.GPUs) != 1 || r.GPUs[0].Problem == nil {
				return "driver"
			}
			return ""
		}},
		{"devices=2 capability=6.1", "compute capability 6.1", func(r Report) string {
			if r.GPUs[1].Problem == nil || r.GPUs[1].Problem.Spec.String() != "cuda:1" {
				return "GPUs"
			}
			return ""
		}},
		{"devices=0", "no NVIDIA GPU", func(r Report) string { return "" }},
		{"exit=cuInit:1:9", "exit status 9", func(r Report) string { return "" }},
	} {
		t.Run(test.machine, func(t *testing.T) {
			become(t, test.machine)
			r, err := Probe(t.Context())
			switch {
			case test.missing == "" && (err != nil || r.Missing != nil):
				t.Fatalf("%v, %v", err, r.Missing)
			case test.missing != "" && (r.Missing == nil || !strings.Contains(r.Missing.Error(), test.missing)):
				t.Fatalf("missing is %v, want it to say %q", r.Missing, test.missing)
			}
			if wrong := test.check(r); wrong != "" {
				text, _ := json.MarshalIndent(r, "", "  ")
				t.Errorf("%s: %s", wrong, text)
			}
			// What the list says, opening says.
			var missing *device.UnavailableError
			for _, info := range (&list{ask: menu.ask}).list(t.Context()) {
				d, err := Open(t.Context(), parse(t, info.Spec))
				if err == nil {
					d.Close()
				}
				switch {
				case info.Available:
					if err != nil || info.Name != d.Name() || info.Reason != "" {
						t.Errorf("the list has %+v, and opening it: %v", info, err)
					}
				case !errors.As(err, &missing):
					t.Errorf("the list has %+v, and opening it: %v", info, err)
				case strings.HasPrefix(test.machine, "exit"): // two processes that crashed in two places
				case missing.Reason != info.Reason || missing.Next != info.Next || !slices.Equal(missing.Tried, info.Tried):
					t.Errorf("the list has %+v, and opening it: %v", info, err)
				}
			}
		})
	}
}

func TestProbeIsBounded(t *testing.T) {
	become(t, "hang=cuInit:1")
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	begin := time.Now()
	if _, err := Probe(ctx); !errors.Is(err, context.DeadlineExceeded) || time.Since(begin) > 2*time.Second {
		t.Errorf("%v after %v", err, time.Since(begin))
	}
	begin = time.Now()
	r, err := ask(t.Context(), askGPUs, 100*time.Millisecond)
	if err == nil || !strings.Contains(err.Error(), "did not answer within 100ms") || r.Missing == nil || time.Since(begin) > 2*time.Second {
		t.Errorf("%v after %v", err, time.Since(begin))
	}
}

// A program that does not say how it is started as a worker starts none: it
// would not know what it is asked.
func TestProgramsThatServeNothing(t *testing.T) {
	var missing *device.UnavailableError
	if _, err := Open(t.Context(), parse(t, "cuda:3,fused")); !errors.As(err, &missing) || missing.Spec.String() != "cuda:3,fused" {
		t.Error(err)
	}
	if r, err := Probe(t.Context()); !errors.As(err, &missing) || r.Missing == nil {
		t.Error(err)
	}
}

// One look serves all who ask while it is under way, who leaves takes it from
// nobody, and the next call looks again.
func TestList(t *testing.T) {
	var looks atomic.Int64
	answer := make(chan string)
	l := &list{ask: func(context.Context) (Report, error) {
		looks.Add(1)
		r := Report{GPUs: make([]GPU, 1)}
		r.GPUs[0].Name = <-answer
		return r, nil
	}}
	left, cancel := context.WithCancel(t.Context())
	cancel()
	if infos := l.list(left); len(infos) != 1 || infos[0].Available || infos[0].Reason == "" {
		t.Errorf("%+v", infos)
	}
	for n, name := range []string{"first", "second"} {
		got := make(chan string, 5)
		for range cap(got) {
			go func() {
				infos := l.list(t.Context())
				got <- infos[len(infos)-1].Name
			}()
		}
		if n > 0 { // the first look is under way since the call that left
			for looks.Load() == int64(n) {
				time.Sleep(time.Millisecond)
			}
		}
		time.Sleep(20 * time.Millisecond) // all have asked, or the count shows it
		answer <- name
		for range cap(got) {
			if name := <-got; name != []string{"first", "second"}[n] {
				t.Errorf("look %d saw %q", n+1, name)
			}
		}
		if looks.Load() != int64(n+1) {
			t.Errorf("%d looks, want %d", looks.Load(), n+1)
		}
	}
}

func TestRelease(t *testing.T) {
	for text, want := range map[string]string{
		"NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.104.05  Sat Aug 19 01:15:15 UTC 2023\nGCC version:  gcc version 12.2.0 (Debian)": "535.104.05",
		"NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.95.05  Release Build  (dvs-builder@U22)\n":                              "580.95.05",
		"":                "",
		"something else.": "",
	} {
		if got := releaseIn(text); got != want {
			t.Errorf("%q has the release %q, want %q", text, got, want)
		}
	}
}
