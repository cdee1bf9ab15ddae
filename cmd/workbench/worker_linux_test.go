package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"workbench/engine"
	"workbench/engine/cuda"
	"workbench/engine/cuda/fake"
	"workbench/engine/cuda/session"
)

func init() {
	pretendGPU = func() bool {
		m, ok, err := fake.FromEnvironment()
		if !ok || len(os.Args) < 2 || os.Args[1] != workerCommand {
			return false
		}
		if err == nil {
			err = cuda.ServeWith(os.Args[2:], func() (session.Libraries, error) {
				l := session.Libraries{Compiler: m.Compiler, BLAS: m.BLAS}
				var err error
				l.Driver, err = m.Driver()
				return l, err
			})
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return true
	}
}

// itself runs the whole program as a process, as a shell would.
func itself(t *testing.T, env []string, args ...string) outcome {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0], args...)
	cmd.Env = append(append(os.Environ(), "WORKBENCH_ITSELF=1", "COURSE_COMMAND=", "GORACE=atexit_sleep_ms=0"), env...) // no second of waiting under the race detector
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return outcome{cmd.ProcessState.ExitCode(), stdout.String(), stderr.String()}
}

// Without a driver, every command that is asked for a GPU says what is missing,
// where it was looked for and what to do, and computes nothing.
func TestNoDriver(t *testing.T) {
	nowhere := filepath.Join(t.TempDir(), "libcuda.so.1")
	env := []string{"COURSE_CUDA_DRIVER=" + nowhere}
	for _, c := range []struct {
		args []string
		want []string
	}{
		{[]string{"demo", "--device", "cuda:0"}, []string{"workbench demo: --device: device cuda:0 is not available", "the device cpu, which gives the same bits"}},
		{[]string{"demo", "--device", "cuda:0,fused", "--json"}, []string{"device cuda:0,fused is not available", "the device cpu,fused, which gives the same bits"}},
		{[]string{"trace", "product", "--device", "cuda:1"}, []string{"workbench trace: --device: device cuda:1 is not available"}},
		{[]string{"compare", "cpu", "cuda:0,library"}, []string{"workbench compare: CANDIDATE: device cuda:0,library is not available", "the device cpu,fused, which fuses too"}},
	} {
		begin := time.Now()
		o := itself(t, env, c.args...)
		if o.status != statusFailed || o.stdout != "" {
			t.Errorf("%v: status %d, printed %q", c.args, o.status, o.stdout)
		}
		for _, want := range append(c.want, "the NVIDIA driver was not found", "tried:", nowhere) {
			if !strings.Contains(o.stderr, want) {
				t.Errorf("%v says %q, want %q in it", c.args, o.stderr, want)
			}
		}
		if took := time.Since(begin); took > 5*time.Second {
			t.Errorf("%v took %v to find that there is no driver", c.args, took)
		}
	}
}

// The whole program over a GPU that is played: the device's values are those of
// the CPU in every bit, and what it cost is said.
func TestGPUProcess(t *testing.T) {
	env := []string{fake.Variable + "=names=NVIDIA_H200"}
	for _, args := range [][]string{
		{"compare", "cpu", "cuda:0"}, {"compare", "cpu,fused", "cuda:0,fused", "--precision", "float32"},
		{"compare", "cpu", "cuda:0,library"}, {"compare", "cuda:0", "cuda:0,fused"}, {"trace", "product", "--device", "cuda:0"},
	} {
		if o := itself(t, env, args...); o.status != statusOK || !strings.Contains(o.stdout, "NVIDIA H200") || o.stderr != "" {
			t.Errorf("%v: status %d, %s%.400s", args, o.status, o.stderr, o.stdout)
		}
	}
	values := func(spec string) (values map[string]any, about map[string]any) {
		t.Helper()
		o := itself(t, env, "demo", "--json", "--device", spec)
		if err := json.Unmarshal([]byte(o.stdout), &values); err != nil || o.status != statusOK {
			t.Fatalf("%s: status %d, %v, %s", spec, o.status, err, o.stderr)
		}
		about = map[string]any{}
		for _, field := range []string{"device", "device_name", "stats"} {
			about[field] = values[field]
			delete(values, field)
		}
		return values, about
	}
	host, _ := values("cpu")
	gpu, about := values("cuda:0")
	if !reflect.DeepEqual(host, gpu) {
		t.Error("demo on cuda:0 has other values than on cpu")
	}
	// Three tiny operations, 28 requests of forward and loss, 50 of backward.
	if stats, _ := about["stats"].(map[string]any); about["device"] != "cuda:0" || stats["requests"] != 81. || stats["launches"] != 81. {
		t.Errorf("demo on cuda:0: %v", about)
	}
}

func TestWorkerByHand(t *testing.T) {
	for _, args := range [][]string{{"worker"}, {"worker", "cuda:0"}, {"worker", "--help"}, {"worker", "--probe"}, {"worker", "cpu"}} {
		if o := itself(t, nil, args...); o.status != statusFailed || o.stdout != "" || !strings.HasPrefix(o.stderr, "workbench worker: ") {
			t.Errorf("%v: status %d, %q, %q", args, o.status, o.stdout, o.stderr)
		}
	}
}

func TestLibraryFolder(t *testing.T) {
	t.Setenv(engine.CUDALibraryDir, "unchanged")
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{"", file, file + "/nowhere"} {
		if o := call(t, "", "demo", "--cuda-library-dir", dir); o.status != statusUsage || !strings.Contains(o.stderr, "--cuda-library-dir") {
			t.Errorf("%q: status %d, %s", dir, o.status, o.stderr)
		}
	}
	if got := os.Getenv(engine.CUDALibraryDir); got != "unchanged" {
		t.Errorf("the folder is %q", got)
	}
	t.Chdir(t.TempDir())
	if err := os.Mkdir("libraries", 0o700); err != nil {
		t.Fatal(err)
	}
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"demo"}, {"compare", "cpu", "cpu"}, {"trace", "product"}, {"doctor", "--json"}} {
		t.Setenv(engine.CUDALibraryDir, "")
		if o := call(t, "", append(args, "--cuda-library-dir", "libraries")...); o.status != statusOK {
			t.Errorf("%v: status %d, %s", args, o.status, o.stderr)
		}
		if got := os.Getenv(engine.CUDALibraryDir); got != filepath.Join(here, "libraries") {
			t.Errorf("%v: the folder is %q", args, got)
		}
	}
}
