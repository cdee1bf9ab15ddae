package session_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"workbench/engine/cuda/fake"
	"workbench/engine/cuda/nvidia"
	"workbench/engine/cuda/session"
	"workbench/engine/device"
	"workbench/engine/launch"
)

// TestFaults provokes what can go wrong with a GPU. The names are those of the
// checks that provoke the same on a real one.
func TestFaults(t *testing.T) {
	t.Run("no driver", func(t *testing.T) {
		_, err := fake.New(fake.Config{Driver: fake.Library{Missing: true}}).Driver()
		e := unavailable(t, session.Explain(3, err), "driver was not found", "version 520 or newer")
		if e.Spec.Ordinal != 3 || len(e.Tried) != 2 || !strings.Contains(e.Tried[0], "libcuda.so.1: ") {
			t.Errorf("the error is %+v", e)
		}
		// Where CUDA is not, nothing is tried.
		elsewhere := &nvidia.MissingError{Library: "driver", Reason: "CUDA works on Linux, and this is plan9"}
		unavailable(t, session.Explain(0, elsewhere), "CUDA works on Linux, and this is plan9", "use the device cpu")
		// A driver that is there lacks what newer ones have.
		ancient := &nvidia.MissingError{Library: "driver", Found: "libcuda.so.1", Reason: "libcuda.so.1 has no function cuFarAhead"}
		unavailable(t, session.Explain(0, ancient), "has no function cuFarAhead", "update the NVIDIA driver to version 520")
		// Somebody named the file.
		t.Setenv("COURSE_CUDA_DRIVER", "/opt/libcuda.so")
		unavailable(t, session.Explain(0, err), "driver was not found", "COURSE_CUDA_DRIVER names the only file")
	})

	t.Run("no driver that starts", func(t *testing.T) {
		for code, says := range map[int]string{
			nvidia.NoDevice:             "finds no NVIDIA GPU",
			nvidia.SystemDriverMismatch: "different versions",
			nvidia.Unknown:              "could not start",
			34:                          "stub",
			802:                         "not ready",
			804:                         "compatibility package",
			3:                           "refused to start",
		} {
			err := refusedOpen(t, fake.Config{Faults: fake.Faults{"cuInit": {{Code: code}}}}, 0)
			unavailable(t, err, says, "")
			if !strings.Contains(err.Error(), fmt.Sprintf("(%d)", code)) {
				t.Errorf("result %d is not in %q", code, err)
			}
		}
		unavailable(t, refusedOpen(t, fake.Config{Devices: []nvidia.Device{}}, 0), "finds no NVIDIA GPU", "nvidia-smi")
		unavailable(t, refusedOpen(t, fake.Config{Faults: fake.Faults{"cuDevicePrimaryCtxRetain": {{Code: 46}}}}, 0), "to itself", "compute mode")
		unavailable(t, refusedOpen(t, fake.Config{Faults: fake.Faults{"cuDevicePrimaryCtxRetain": {{Code: nvidia.OutOfMemory}}}}, 0), "no room", "end other programs")
		old := fake.GPUs(1)
		old[0].Name, old[0].Major, old[0].Minor = "GeForce GTX 1080", 6, 1
		unavailable(t, refusedOpen(t, fake.Config{Devices: old}, 0), "GeForce GTX 1080 has compute capability 6.1", "Volta")
	})

	t.Run("driver too old for the PTX", func(t *testing.T) {
		err := refusedOpen(t, fake.Config{Driver: fake.Library{Version: 11040}}, 0)
		unavailable(t, err, "it supports CUDA 11.4, and the PTX of the workbench's kernels needs 11.8", "520 or newer")
		open(t, fake.Config{Driver: fake.Library{Version: 11080}})

		// The driver's own word counts, whatever version it says.
		s, m := open(t, fake.Config{Faults: fake.Faults{"cuModuleLoadDataEx": {{At: 1, Code: nvidia.UnsupportedPTXVersion}}}})
		r := filled(t, session.Product{B: 1, M: 2, K: 3, N: 2})
		_, err = r.run(s)
		unavailable(t, err, "PTX of the workbench's kernels", "520 or newer")
		leavesNothing(t, s, m, r)
	})

	t.Run("driver too old for the library", func(t *testing.T) {
		for _, c := range []struct {
			driver, blas int
			says, next   string
		}{
			{12080, 130100, "it supports CUDA 12.8, and cuBLAS 13.1 is of CUDA 13", "580 or newer, or install the library for CUDA 12"},
			{11080, 120805, "it supports CUDA 11.8, and cuBLAS 12.8 is of CUDA 12", "525 or newer"},
		} {
			s, m := open(t, fake.Config{Driver: fake.Library{Version: c.driver}, BLAS: fake.Library{Version: c.blas}})
			_, err := filled(t, byLibrary).run(s)
			unavailable(t, err, c.says, c.next)
			leavesNothing(t, s, m, filled(t, session.Product{B: 1, M: 2, K: 3, N: 2}))
		}
		for _, c := range []struct{ driver, blas int }{{13000, 130100}, {12080, 120805}, {13000, 120805}, {11080, 111103}} {
			s, _ := open(t, fake.Config{Driver: fake.Library{Version: c.driver}, BLAS: fake.Library{Version: c.blas}})
			if _, err := filled(t, byLibrary).run(s); err != nil {
				t.Errorf("driver %d, cuBLAS %d: %v", c.driver, c.blas, err)
			}
		}

		s, m := open(t, fake.Config{Driver: fake.Library{Version: 12020}, Compiler: fake.Library{Version: 13000}})
		_, err := s.Launch(addOne(5))
		unavailable(t, err, "NVRTC 13.0 makes kernels for CUDA 13", "install the library for CUDA 12")
		leavesNothing(t, s, m, filled(t, session.Product{B: 1, M: 2, K: 3, N: 2}))

		// A GPU that this NVRTC does not know yet gets PTX, which a driver of
		// the same CUDA need not read.
		newer := fake.GPUs(1)
		newer[0].Major, newer[0].Minor = 12, 1
		s, m = open(t, fake.Config{Devices: newer, Driver: fake.Library{Version: 12020}, Compiler: fake.Library{Version: 12080}})
		_, err = s.Launch(addOne(5))
		unavailable(t, err, "does not read the PTX of NVRTC 12.8", "580 or newer")
		leavesNothing(t, s, m, filled(t, session.Product{B: 1, M: 2, K: 3, N: 2}))
	})

	t.Run("library missing", func(t *testing.T) {
		s, m := open(t, fake.Config{BLAS: fake.Library{Missing: true}, Compiler: fake.Library{Missing: true}})
		_, err := filled(t, byLibrary).run(s)
		e := unavailable(t, err, "cuBLAS was not found", "pip install nvidia-cublas)")
		if len(e.Tried) != 4 || !strings.Contains(e.Tried[1], "libcublas.so.12: ") || !strings.Contains(e.Next, "COURSE_CUDA_LIBRARY_DIR") || !strings.Contains(e.Next, "cuda:0,fused") {
			t.Errorf("the error is %+v", e)
		}
		_, err = s.Launch(addOne(5))
		e = unavailable(t, err, "NVRTC was not found", "pip install nvidia-cuda-nvrtc)")
		if len(e.Tried) != 4 || !strings.Contains(e.Next, "COURSE_CUDA_LIBRARY_DIR") {
			t.Errorf("the error is %+v", e)
		}
		// What the driver alone can do goes on.
		leavesNothing(t, s, m, filled(t, session.Product{B: 1, M: 2, K: 3, N: 2}))

		s, _ = open(t, fake.Config{Driver: fake.Library{Version: 12040}, BLAS: fake.Library{Missing: true}, Compiler: fake.Library{Missing: true}})
		_, err = filled(t, byLibrary).run(s)
		unavailable(t, err, "", "pip install nvidia-cublas-cu12)")
		_, err = s.Launch(addOne(5))
		unavailable(t, err, "", "pip install nvidia-cuda-nvrtc-cu12)")

		// A library that does not find its own second half.
		s, m = open(t, fake.Config{Faults: fake.Faults{"cublasCreate_v2": {{At: 1, Code: 1}}}})
		_, err = filled(t, byLibrary).run(s)
		unavailable(t, err, "CUBLAS_STATUS_NOT_INITIALIZED", "CUDA 13.0")
		leavesNothing(t, s, m, filled(t, byLibrary))
	})

	t.Run("no such ordinal", func(t *testing.T) {
		devices := fake.GPUs(2)
		devices[0].Name, devices[1].Name = "NVIDIA H200", "Quadro T1000"
		for _, ordinal := range []int{2, 7, -1} {
			e := unavailable(t, refusedOpen(t, fake.Config{Devices: devices}, ordinal), "cuda:0 (NVIDIA H200), cuda:1 (Quadro T1000)", "one of these")
			if e.Spec.Ordinal != ordinal {
				t.Errorf("the error is about %s", e.Spec)
			}
		}
		t.Setenv("CUDA_VISIBLE_DEVICES", "0,1")
		unavailable(t, refusedOpen(t, fake.Config{Devices: devices}, 2), "", `CUDA_VISIBLE_DEVICES is "0,1"`)
	})

	t.Run("out of memory", func(t *testing.T) {
		s, m := open(t, fake.Config{Memory: session.Reserve + 1*mebi})
		_, err := filled(t, session.Product{B: 1, M: 1 << 17, K: 1, N: 1}).run(s)
		var e *device.MemoryError
		if !errors.As(err, &e) {
			t.Fatalf("the error is %v", err)
		}
		if e.Asked != 2*mebi+8 || e.Free != session.Reserve+1*mebi || e.Reserve != session.Reserve || e.Spec.String() != "cuda:0" {
			t.Errorf("the error is %+v", e)
		}
		if got := named(m.Calls(), "cuMemAlloc_v2"); len(got) > 0 {
			t.Errorf("%d allocations were tried", len(got))
		}
		leavesNothing(t, s, m, filled(t, session.Product{B: 1, M: 2, K: 3, N: 2}))

		// The driver has the last word, and is asked for what is needed and no
		// more before it is believed.
		s, m = open(t, fake.Config{Faults: fake.Faults{"cuMemAlloc_v2": {
			{At: 2, Code: nvidia.OutOfMemory}, {At: 5, Code: nvidia.OutOfMemory}, {At: 7, Code: nvidia.OutOfMemory},
		}}})
		r := filled(t, session.Product{B: 1, M: 2, K: 3, N: 2})
		_, err = r.run(s) // 1 and 2 with rounding, 3, 4 and 5 without, 6 and 7 with everything freed
		if !errors.As(err, &e) || e.Asked != 48+48+32 || session.Sticky(err) {
			t.Errorf("the error is %v", err)
		}
		if got := m.Holds(0).Allocations; got != 0 {
			t.Errorf("%d allocations are left of a request that had no room", got)
		}
		leavesNothing(t, s, m, r)

		// Memory that the driver wants for itself.
		s, m = open(t, fake.Config{Faults: fake.Faults{"cuModuleLoadDataEx": {{At: 1, Code: nvidia.OutOfMemory}}}})
		if _, err = r.run(s); !errors.As(err, &e) || e.Asked != 0 || !strings.Contains(err.Error(), "the driver needs") {
			t.Errorf("the error is %v", err)
		}
		leavesNothing(t, s, m, r)

		s, m = open(t, fake.Config{Memory: session.Reserve + 1*mebi})
		if _, err = s.Launch(addOne(1 << 19)); !errors.As(err, &e) || e.Asked != 2*mebi {
			t.Errorf("the error is %v", err)
		}
		leavesNothing(t, s, m, r)
		for at := range 2 {
			s, m = open(t, fake.Config{Faults: fake.Faults{"cuMemAlloc_v2": {{At: at + 1, Code: nvidia.OutOfMemory}}}})
			l := addOne(100)
			l.Kernel.Source = `extern "C" __global__ void add_one(float* x, float* y) {}`
			l.Args[1] = addOne(100).Args[0]
			if _, err = s.Launch(l); !errors.As(err, &e) || e.Asked != 800 {
				t.Errorf("the error is %v", err)
			}
			if got := m.Holds(0).Allocations; got != 0 {
				t.Errorf("%d allocations are left of a launch that had no room", got)
			}
			leavesNothing(t, s, m, r)
		}
	})

	t.Run("kernel does not compile", func(t *testing.T) {
		s, m := open(t, fake.Config{})
		l := addOne(5)
		l.Kernel.Source = "// edited\n" + strings.Replace(fake.Source, "x[i] += 1;", "syntax error here", 1)
		_, err := s.Launch(l)
		var e *launch.CompileError
		if !errors.As(err, &e) {
			t.Fatalf("the error is %v", err)
		}
		if e.File != "sample.cu" || len(e.Diagnostics) != 2 || e.Diagnostics[0].Line != 4 || !strings.Contains(e.Diagnostics[0].Source, "syntax error here") || !strings.Contains(e.Log, "2 errors detected") {
			t.Errorf("the error is %+v", e)
		}
		leavesNothing(t, s, m, filled(t, session.Product{B: 1, M: 2, K: 3, N: 2}))

		// Assembly inside of a source is first read by the driver, where it gets PTX.
		s, m = open(t, fake.Config{Faults: fake.Faults{"cuModuleLoadDataEx": {{At: 1, Code: nvidia.InvalidPTX}}}})
		if _, err := s.Launch(addOne(5)); !errors.As(err, &e) || e.File != "sample.cu" {
			t.Errorf("the error is %v", err)
		}
		leavesNothing(t, s, m, filled(t, session.Product{B: 1, M: 2, K: 3, N: 2}))

		// What NVRTC refuses by itself is no mistake of the source.
		s, m = open(t, fake.Config{Faults: fake.Faults{"nvrtcCompileProgram": {{At: 1, Code: 7}}}})
		_, err = s.Launch(addOne(5))
		fault(t, err, device.DriverFailure, "NVRTC_ERROR_BUILTIN_OPERATION_FAILURE", "NVRTC")
		leavesNothing(t, s, m, filled(t, session.Product{B: 1, M: 2, K: 3, N: 2}))

		tooNew := fake.GPUs(1)
		tooNew[0].Major, tooNew[0].Minor = 7, 0
		s, _ = open(t, fake.Config{Devices: tooNew})
		_, err = s.Launch(addOne(5))
		unavailable(t, err, "NVRTC 13.0 compiles for 7.5 and newer", "NVRTC 12")
	})

	t.Run("illegal address", func(t *testing.T) {
		for _, symbol := range []string{"write_outside", "read_null"} {
			s, _ := open(t, fake.Config{})
			l := addOne(5)
			l.Kernel.Symbol = symbol
			if symbol == "read_null" {
				l.Args = l.Args[:1]
			}
			_, err := s.Launch(l)
			fault(t, err, device.IllegalAddress, "CUDA_ERROR_ILLEGAL_ADDRESS", "index")
			if !strings.Contains(err.Error(), symbol) {
				t.Errorf("the kernel is not named: %v", err)
			}
			staysBroken(t, s, err)
		}
		for _, code := range []int{nvidia.MisalignedAddress, nvidia.InvalidAddressSpace} {
			s, _ := open(t, fake.Config{Faults: fake.Faults{"cuLaunchKernel": {{At: 1, Code: code, Later: true}}}})
			_, err := filled(t, session.Product{B: 1, M: 2, K: 3, N: 2}).run(s)
			fault(t, err, device.IllegalAddress, fmt.Sprintf("(%d)", code), "")
			staysBroken(t, s, err)
		}
	})

	t.Run("launch failure", func(t *testing.T) {
		// At the launch: the device goes on.
		for _, code := range []int{nvidia.LaunchOutOfResources, nvidia.InvalidValue} {
			s, m := open(t, fake.Config{Faults: fake.Faults{"cuLaunchKernel": {{At: 1, Code: code}}}})
			r := filled(t, session.Product{B: 1, M: 2, K: 3, N: 2})
			_, err := r.run(s)
			fault(t, err, device.LaunchFailure, fmt.Sprintf("(%d)", code), "block")
			leavesNothing(t, s, m, r)
		}
		// In the kernel: it does not.
		s, _ := open(t, fake.Config{})
		_, err := s.Launch(sample("traps"))
		fault(t, err, device.LaunchFailure, "CUDA_ERROR_LAUNCH_FAILED", "trap")
		staysBroken(t, s, err)
		for _, code := range []int{nvidia.Assert, nvidia.HardwareStackError, nvidia.IllegalInstruction, nvidia.InvalidPC} {
			s, _ := open(t, fake.Config{Faults: fake.Faults{"cuLaunchKernel": {{At: 1, Code: code, Later: true}}}})
			_, err := filled(t, session.Product{B: 1, M: 2, K: 3, N: 2}).run(s)
			fault(t, err, device.LaunchFailure, fmt.Sprintf("(%d)", code), "")
			staysBroken(t, s, err)
		}
		// cuBLAS says that it failed, and the driver how.
		for _, refused := range []int{0, 13} {
			s, _ = open(t, fake.Config{Faults: fake.Faults{"cublasGemmStridedBatchedEx": {
				{At: 1, Code: nvidia.IllegalInstruction, Later: true}, {At: 1, Code: refused},
			}}})
			_, err = filled(t, byLibrary).run(s)
			fault(t, err, device.LaunchFailure, "(715)", "")
			staysBroken(t, s, err)
		}
	})

	// The driver's own limit, of a GPU that draws the screen.
	t.Run("time limit", func(t *testing.T) {
		s, _ := open(t, fake.Config{Faults: fake.Faults{"cuLaunchKernel": {{At: 1, Code: nvidia.LaunchTimeout, Later: true}}}})
		_, err := filled(t, session.Product{B: 1, M: 2, K: 3, N: 2}).run(s)
		fault(t, err, device.TimeLimit, "CUDA_ERROR_LAUNCH_TIMEOUT", "screen")
		staysBroken(t, s, err)
	})

	// Any call may fail, with any result: the request fails, and says so.
	t.Run("driver failure", func(t *testing.T) {
		for _, call := range []string{
			"cuModuleLoadDataEx", "cuModuleGetFunction", "cuMemGetInfo_v2", "cuMemAlloc_v2", "cuMemcpyHtoD_v2",
			"cuEventRecord", "cuLaunchKernel", "cuCtxSynchronize", "cuEventElapsedTime", "cuMemcpyDtoH_v2",
		} {
			// These are called once for two requests of the same kernel.
			once := call == "cuModuleLoadDataEx" || call == "cuModuleGetFunction"
			for _, at := range []int{1, 2} {
				if once && at == 2 {
					continue
				}
				config := func() fake.Config {
					return fake.Config{Faults: fake.Faults{call: {{At: at, Code: 801}}}}
				}
				s, m := open(t, config())
				r := filled(t, session.Product{B: 1, M: 2, K: 3, N: 2})
				failures := 0
				for range 2 {
					if _, err := r.run(s); err != nil {
						failures++
						fault(t, err, device.DriverFailure, call+": result 801", "nvidia-smi")
					}
				}
				// Room is made for the first request alone.
				if failures != 1 && !(call == "cuMemGetInfo_v2" && at == 2) {
					t.Errorf("%s, call %d: %d of 2 requests failed", call, at, failures)
				}
				leavesNothing(t, s, m, r)

				s, m = open(t, config())
				failures = 0
				for range 2 {
					if _, err := s.Launch(addOne(5)); err != nil {
						failures++
						fault(t, err, device.DriverFailure, "801", "")
					}
				}
				if failures != 1 {
					t.Errorf("%s, call %d: %d of 2 launches failed", call, at, failures)
				}
				if got := m.Holds(0).Allocations; got != 0 {
					t.Errorf("%s, call %d: %d allocations are left of a launch", call, at, got)
				}
				leavesNothing(t, s, m, r)
			}
		}
		s, m := open(t, fake.Config{Faults: fake.Faults{"cuMemFree_v2": {{At: 1, Code: 801}}}})
		_, err := s.Launch(addOne(5))
		fault(t, err, device.DriverFailure, "cuMemFree_v2", "")
		if _, err := filled(t, session.Product{B: 1, M: 2, K: 3, N: 2}).run(s); err != nil {
			t.Error(err)
		}
		// What the driver did not take back stays until the context ends.
		if got := m.Holds(0).Allocations; got != 4 {
			t.Errorf("%d allocations", got)
		}
		s, m = open(t, fake.Config{Faults: fake.Faults{"cublasGemmStridedBatchedEx": {{At: 1, Code: 15}}}})
		_, err = filled(t, byLibrary).run(s)
		fault(t, err, device.DriverFailure, "CUBLAS_STATUS_NOT_SUPPORTED", "cuda:0,fused")
		leavesNothing(t, s, m, filled(t, byLibrary))
		s, _ = open(t, fake.Config{Faults: fake.Faults{"cuCtxSynchronize": {{At: 1, Code: nvidia.ECCUncorrectable}}}})
		_, err = filled(t, byLibrary).run(s)
		fault(t, err, device.DriverFailure, "ECC", "reset the GPU")
		staysBroken(t, s, err)
	})
}

// byLibrary is a small product of cuBLAS.
var byLibrary = session.Product{B: 1, M: 2, K: 3, N: 2, Contract: device.Fused, Library: true}

// refusedOpen returns the error of opening a device.
func refusedOpen(t *testing.T, c fake.Config, ordinal int) error {
	t.Helper()
	locked(t)
	m := fake.New(c)
	s, err := session.Open(libraries(t, m), ordinal)
	if err == nil {
		s.Close()
		t.Fatal("the device was opened")
	}
	return err
}

// unavailable holds err to being a device that is not there, with these words.
func unavailable(t *testing.T, err error, reason, next string) *device.UnavailableError {
	t.Helper()
	var e *device.UnavailableError
	if !errors.As(err, &e) {
		t.Fatalf("the error is %v (%T)", err, err)
	}
	if !strings.Contains(e.Reason, reason) || !strings.Contains(e.Next, next) || e.Reason == "" || e.Next == "" || e.Spec.Kind != device.CUDA {
		t.Errorf("the error is %+v,\nwant %q and %q", e, reason, next)
	}
	return e
}

// fault holds err to being a fault, with these words.
func fault(t *testing.T, err error, f device.Fault, detail, next string) {
	t.Helper()
	var e *device.FaultError
	if !errors.As(err, &e) {
		t.Fatalf("the error is %v (%T), want %s", err, err, f)
	}
	if e.Fault != f || !strings.Contains(e.Detail, detail) || !strings.Contains(e.Next, next) || e.Next == "" || e.Spec.String() != "cuda:0" {
		t.Errorf("the error is %+v,\nwant %s, %q and %q", e, f, detail, next)
	}
	var own *nvidia.Error
	if !errors.As(err, &own) {
		t.Errorf("the library's own error is not behind %v", err)
	}
}

// leavesNothing holds a session to being in order after a failed request: it
// holds no more than staging buffers, and does the next request.
func leavesNothing(t *testing.T, s *session.Session, m *fake.Machine, next request) {
	t.Helper()
	if got := m.Holds(0).Allocations; got > 3 {
		t.Errorf("%d allocations are left", got)
	}
	if err := s.Healthy(); err != nil {
		t.Errorf("the session is not healthy: %v", err)
	}
	if _, err := next.run(s); err != nil {
		t.Errorf("the next request fails: %v", err)
	}
}

// staysBroken holds a session to saying so from then on.
func staysBroken(t *testing.T, s *session.Session, first error) {
	t.Helper()
	if !session.Sticky(first) {
		t.Errorf("the process need not end after %v", first)
	}
	for name, call := range map[string]func() error{
		"a product": func() error { _, err := filled(t, session.Product{B: 1, M: 2, K: 3, N: 2}).run(s); return err },
		"a launch":  func() error { _, err := s.Launch(addOne(5)); return err },
		"a check":   s.Healthy,
	} {
		if err := call(); err == nil || err.Error() != first.Error() || !session.Sticky(err) {
			t.Errorf("after %v\n%s gives %v", first, name, err)
		}
	}
}
