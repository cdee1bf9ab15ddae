package web

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"workbench/chapters"
	"workbench/engine"
	"workbench/engine/compare"
	"workbench/engine/cuda"
	"workbench/engine/cuda/fake"
	"workbench/engine/cuda/session"
	"workbench/engine/cuda/worker"
	"workbench/engine/device"
	"workbench/engine/trace"
	"workbench/web/socket"
)

// The worker of these tests is the test binary itself, over NVIDIA's libraries as
// package fake plays them: what a page asks goes all the way to a driver's calls.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "worker" {
		if err := cuda.ServeWith(os.Args[2:], pretended); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// pretended opens the libraries of the machine that the environment describes.
func pretended() (session.Libraries, error) {
	m, ok, err := fake.FromEnvironment()
	if err != nil || !ok {
		return session.Libraries{}, errors.Join(err, errors.New(fake.Variable+" does not describe a machine"))
	}
	d, err := m.Driver()
	return session.Libraries{Driver: d, Compiler: m.Compiler, BLAS: m.BLAS}, err
}

// onMachine returns the options of a course on the machine that text describes.
func onMachine(text string) Options {
	cuda.SetProgram(worker.Command{Args: []string{"worker"}, Env: []string{fake.Variable + "=" + text}})
	return Options{
		Chapters: chapters.FS, Assets: testAssets, Build: "test", Host: engine.Host(),
		Limits: socket.Limits{RunTime: time.Minute},
		Open: func(ctx context.Context, name string) (device.Device, error) {
			spec, err := device.ParseSpec(name)
			if err != nil || spec.Kind != device.CUDA {
				return engine.Open(ctx, name)
			}
			d, err := cuda.Open(ctx, spec)
			if err != nil {
				return nil, err
			}
			return d, nil
		},
		Emulator: engine.Emulator,
		List: func(context.Context) []device.Info {
			return append(engine.Host(), device.Info{Spec: "cuda:0", Name: "NVIDIA T39", Available: true})
		},
	}
}

// Every value of the decoder is the CPU's in every bit, in each precision and
// under both contracts, and the library's within its tolerance; the page's run
// has the GPU's name and what each request cost.
func TestGPUThroughItsWorker(t *testing.T) {
	s, h := start(t, onMachine("names=NVIDIA_T39"))
	for _, c := range []struct {
		query string
		exact bool
	}{
		{"a=cpu&b=cuda:0", true}, {"a=cpu,fused&b=cuda:0,fused", true}, {"a=cpu&b=cuda:0&precision=float32", true},
		{"a=cuda:0,fused&b=cpu,fused&precision=bfloat16&text=hi", true}, {"a=cpu,fused&b=cuda:0,library", false}, {"a=cpu&b=cuda:0,fused", false},
	} {
		r, body := get(t, h.URL+"/api/compare.json?"+c.query)
		var report compare.Report
		if err := json.Unmarshal([]byte(body), &report); err != nil || r.StatusCode != 200 {
			t.Fatalf("%s: status %d, %s", c.query, r.StatusCode, body)
		}
		if !report.Passed || report.Count < 2000 || report.Tolerance.Bits != c.exact || c.exact && report.Differing != 0 {
			t.Errorf("%s: passed %t, %d of %d values with other bits, within %+v", c.query, report.Passed, report.Differing, report.Count, report.Tolerance)
		}
		if names := report.Made.Reference.Name + report.Made.Candidate.Name; names != "NVIDIA T39" {
			t.Errorf("%s: made by %+v", c.query, report.Made)
		}
	}
	made, err := s.runner.Run(t.Context(), "cuda:0", trace.ExampleDecoder, json.RawMessage(`{}`))
	if err != nil {
		t.Fatal(err)
	}
	var sum device.Stats
	for _, step := range made.Steps {
		if step.Stats != nil {
			if step.Stats.Requests != 1 || step.Stats.KernelNS <= 0 || step.Stats.CopyInNS <= 0 || step.Stats.CopyOutNS <= 0 {
				t.Errorf("%q cost %+v", step.Title, *step.Stats)
			}
			sum = sum.Add(*step.Stats)
		}
	}
	if made.DeviceName != "NVIDIA T39" || sum != made.Stats || sum.Requests != 57+21 {
		t.Errorf("made by %q; its steps cost %+v, the run %+v", made.DeviceName, sum, made.Stats)
	}
}

// What goes wrong in the driver is told in the words of the course, with the
// status of its kind, and no value comes of it.
func TestFaultsThroughTheWorker(t *testing.T) {
	for _, c := range []struct {
		name, machine, device string
		status                int
		says                  []string
	}{
		{"no driver", "driver=missing", "cuda:0", 404, []string{"cuda:0 is not available", "driver was not found", "Where it was looked for:\n  libcuda.so.1"}},
		{"driver too old for the PTX", "driver=11.4", "cuda:0,fused", 404, []string{"cuda:0,fused is not available", "CUDA 11.4", "520 or newer"}},
		{"driver too old for the library", "driver=12.8 cublas=130100", "cuda:0,library", 404, []string{"cuda:0,library is not available", "cuBLAS 13.1", "580 or newer"}},
		{"library missing", "cublas=missing", "cuda:0,library", 404, []string{"cuBLAS was not found", "libcublas.so.12: "}},
		{"no such ordinal", "devices=2", "cuda:7", 404, []string{"cuda:7 is not available", "Fake GPU 1"}},
		{"out of memory", "memory=512MiB", "cuda:0", 507, []string{"cuda:0 is out of memory", "make the shapes smaller"}},
		{"illegal address", "later=cuLaunchKernel:9:700", "cuda:0", 502, []string{"cuda:0 failed in this request: illegal address"}},
		{"launch failure", "later=cuLaunchKernel:9:719", "cuda:0", 502, []string{"cuda:0 failed in this request: launch failure"}},
		{"worker killed", "exit=cuLaunchKernel:9:3", "cuda:0", 502, []string{"cuda:0 failed in this request: worker ended"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, h := start(t, onMachine(c.machine))
			r, body := get(t, h.URL+"/api/compare.csv?a=cpu&b="+url.QueryEscape(c.device))
			if r.StatusCode != c.status || r.Header.Get("Content-Disposition") != "" {
				t.Errorf("status %d, want %d: %s", r.StatusCode, c.status, body)
			}
			for _, want := range c.says {
				if !strings.Contains(body, want) {
					t.Errorf("%q is missing in\n%s", want, body)
				}
			}
			if r, body := get(t, h.URL+"/api/compare.csv?a=cpu&b=cpu,fused"); r.StatusCode != 200 {
				t.Errorf("the CPU after it: status %d, %s", r.StatusCode, body)
			}
		})
	}
}

// A fault costs one request: the next one finds a new worker, and every bit.
func TestNextRequestFindsANewWorker(t *testing.T) {
	_, h := start(t, onMachine("later=cuLaunchKernel:9:700 once="+t.TempDir()+"/struck"))
	const query = "/api/compare.json?a=cpu&b=cuda:0"
	if r, body := get(t, h.URL+query); r.StatusCode != 502 {
		t.Errorf("status %d, want 502: %s", r.StatusCode, body)
	}
	r, body := get(t, h.URL+query)
	var report compare.Report
	if err := json.Unmarshal([]byte(body), &report); err != nil || r.StatusCode != 200 || !report.Passed || report.Differing != 0 {
		t.Errorf("the next comparison: status %d, %.300s", r.StatusCode, body)
	}
}

// A request that leaves while its kernel never ends frees the GPU for the next.
func TestLeavingFreesTheGPU(t *testing.T) {
	struck := filepath.Join(t.TempDir(), "struck")
	s, h := start(t, onMachine("hang=cuCtxSynchronize:1 once="+struck))
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		for _, err := os.Stat(struck); err != nil && ctx.Err() == nil; _, err = os.Stat(struck) {
			time.Sleep(time.Millisecond)
		}
		time.Sleep(500 * time.Millisecond) // the worker has begun, and comes to where it hangs
		cancel()
	}()
	defer cancel()
	if made, err := s.runner.Run(ctx, "cuda:0", trace.ExampleProduct, json.RawMessage(`{"left":[[1,2]],"right":[[3],[4]]}`)); err == nil {
		t.Errorf("a kernel that never ends came to %+v", made)
	}
	if r, body := get(t, h.URL+"/api/compare.json?a=cpu&b=cuda:0"); r.StatusCode != 200 {
		t.Errorf("after it: status %d, %s", r.StatusCode, body)
	}
}
