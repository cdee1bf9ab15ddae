package fake_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"workbench/engine/cuda/fake"
	"workbench/engine/cuda/nvidia"
)

func TestParse(t *testing.T) {
	devices := func(n int, edit func(d []nvidia.Device)) []nvidia.Device {
		d := fake.GPUs(n)
		if edit != nil {
			edit(d)
		}
		return d
	}
	for text, want := range map[string]fake.Config{
		"":                       {Devices: devices(1, nil)},
		"devices=3":              {Devices: devices(3, nil)},
		"devices=0":              {Devices: []nvidia.Device{}},
		"names=NVIDIA_H200,Mine": {Devices: devices(2, func(d []nvidia.Device) { d[0].Name, d[1].Name = "NVIDIA H200", "Mine" })},
		"capability=7.5 devices=2": {Devices: devices(2, func(d []nvidia.Device) {
			d[0].Major, d[0].Minor, d[1].Major, d[1].Minor = 7, 5, 7, 5
		})},
		"memory=3MiB":   {Devices: devices(1, nil), Memory: 3 << 20},
		"memory=80GiB":  {Devices: devices(1, nil), Memory: 80 << 30},
		"driver=11.4":   {Devices: devices(1, nil), Driver: fake.Library{Version: 11040}},
		"nvrtc=12.8":    {Devices: devices(1, nil), Compiler: fake.Library{Version: 12080}},
		"cublas=120805": {Devices: devices(1, nil), BLAS: fake.Library{Version: 120805}},
		"driver=missing nvrtc=missing cublas=missing": {
			Devices: devices(1, nil), Driver: fake.Library{Missing: true}, Compiler: fake.Library{Missing: true}, BLAS: fake.Library{Missing: true},
		},
		"slow=5ms": {Devices: devices(1, nil), Slow: 5 * time.Millisecond},
		"fail=cuMemAlloc_v2:3:2 later=cuLaunchKernel:1:700  hang=cuCtxSynchronize:3\nsleep=cuInit:1:2s exit=cuLaunchKernel:2:3 fail=cuMemAlloc_v2:0:1": {
			Devices: devices(1, nil),
			Faults: fake.Faults{
				"cuMemAlloc_v2":    {{At: 3, Code: 2}, {Code: 1}},
				"cuLaunchKernel":   {{At: 1, Code: 700, Later: true}, {At: 2, Exit: 3}},
				"cuCtxSynchronize": {{At: 3, Hang: true}},
				"cuInit":           {{At: 1, Sleep: 2 * time.Second}},
			},
		},
	} {
		if want.Faults == nil {
			want.Faults = fake.Faults{}
		}
		got, err := fake.Parse(text)
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%q is %+v, %v,\nwant %+v", text, got, err, want)
		}
	}
	for _, text := range []string{
		"devices", "devices=", "devices=-1", "devices=many", "names=a,b devices=1", "capability=9", "capability=x.y",
		"memory=5", "memory=5GB", "driver=11", "driver=old", "nvrtc=new", "cublas=12.8", "slow=5", "color=red",
		"fail=cuMemAlloc_v2:3", "fail=cuMemAlloc:3:2", "fail=cuInit:x:2", "fail=cuInit:1:x", "hang=cuInit:1:1", "sleep=cuInit:1:long", "exit=cuInit:1:now",
		"once=/no/such/folder/here/once",
	} {
		if got, err := fake.Parse(text); err == nil {
			t.Errorf("%q is %+v", text, got)
		}
	}
}

// With once, the faults are those of the first process, and of no other.
func TestOnce(t *testing.T) {
	text := "devices=2 fail=cuInit:1:999 once=" + filepath.Join(t.TempDir(), "struck")
	for i, want := range []int{1, 0, 0} {
		c, err := fake.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if len(c.Faults) != want || len(c.Devices) != 2 {
			t.Errorf("process %d: %+v", i, c)
		}
	}
}

func TestFromEnvironment(t *testing.T) {
	if m, ok, err := fake.FromEnvironment(); m != nil || ok || err != nil {
		t.Errorf("without the variable: %v, %v, %v", m, ok, err)
	}
	t.Setenv(fake.Variable, "devices=x")
	if _, ok, err := fake.FromEnvironment(); !ok || err == nil {
		t.Errorf("with a mistake in it: %v, %v", ok, err)
	}
	t.Setenv(fake.Variable, "devices=2")
	m, ok, err := fake.FromEnvironment()
	if !ok || err != nil {
		t.Fatal(ok, err)
	}
	d, err := m.Driver()
	if err != nil {
		t.Fatal(err)
	}
	if devices, err := d.Devices(); err != nil || len(devices) != 2 {
		t.Errorf("the devices are %v, %v", devices, err)
	}
}

func TestFaults(t *testing.T) {
	m, c := context(t, fake.Config{Faults: fake.Faults{
		"cuMemAlloc_v2":    {{At: 2, Code: nvidia.OutOfMemory}},
		"cuCtxSynchronize": {{At: 1, Code: nvidia.InvalidValue}, {At: 2, Code: nvidia.LaunchFailed}},
		"cublasCreate_v2":  {{Code: 3}},
	}})
	for i, want := range []int{0, nvidia.OutOfMemory, 0} {
		if _, err := c.Alloc(1); code(err) != want {
			t.Errorf("allocation %d: %v", i+1, err)
		}
	}
	for range 2 {
		_, err := m.BLAS()
		var e *nvidia.Error
		if !errors.As(err, &e) || e.Library != "cuBLAS" || e.Name != "CUBLAS_STATUS_ALLOC_FAILED" {
			t.Errorf("cuBLAS: %v", err)
		}
	}
	// The first does no harm, the second stays.
	for i, want := range []int{nvidia.InvalidValue, nvidia.LaunchFailed, nvidia.LaunchFailed} {
		if err := c.Synchronize(); code(err) != want {
			t.Errorf("Synchronize %d: %v", i+1, err)
		}
	}
	if _, _, err := c.Memory(); code(err) != nvidia.LaunchFailed {
		t.Errorf("the free memory, after that: %v", err)
	}
}

func TestHang(t *testing.T) {
	m, c := context(t, fake.Config{Faults: fake.Faults{"cuMemGetInfo_v2": {{At: 1, Hang: true}}}})
	begun := time.Now()
	go func() {
		time.Sleep(20 * time.Millisecond)
		m.Release()
	}()
	if _, _, err := c.Memory(); err != nil {
		t.Error(err)
	}
	if took := time.Since(begun); took < 20*time.Millisecond {
		t.Errorf("the call took %v", took)
	}
}

// A fault may end the process: a test of this binary does, in a process of its
// own.
func TestExit(t *testing.T) {
	if os.Getenv(fake.Variable) != "" {
		m, _, err := fake.FromEnvironment()
		if err != nil {
			t.Fatal(err)
		}
		d, err := m.Driver()
		if err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if _, err := d.Version(); err != nil {
				t.Fatal(err)
			}
		}
		t.Fatal("the process lives")
	}
	self, err := os.Executable()
	if err != nil {
		t.Skip(err)
	}
	child := exec.Command(self, "-test.run=^TestExit$")
	child.Env = append(os.Environ(), fake.Variable+"=exit=cuInit:2:7")
	out, err := child.CombinedOutput()
	var ended *exec.ExitError
	if !errors.As(err, &ended) || ended.ExitCode() != 7 {
		t.Errorf("the child ended with %v\n%s", err, out)
	}
}

func TestUnknownFault(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("a fault of a function that is not there was taken")
		}
	}()
	fake.New(fake.Config{Faults: fake.Faults{"cuMemAlloc": {{}}}})
}
