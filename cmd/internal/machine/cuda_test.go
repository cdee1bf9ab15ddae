package machine

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"workbench/engine"
	"workbench/engine/cuda/nvidia"
	"workbench/engine/device"
)

// A machine's report becomes lines that say what is there and what is left out
// without the rest. None of these machines is this one.
func TestExamineCUDA(t *testing.T) {
	cpu := device.Info{Spec: "cpu", Name: "CPU", Available: true}
	h200 := device.Info{Spec: "cuda:0", Name: "NVIDIA H200", Available: true}
	gpu := engine.GPU{Device: nvidia.Device{Name: "NVIDIA H200", Major: 9, Memory: 150_754_820_096}, Free: 149_123_000_000}
	tried := []nvidia.Tried{{Path: "libcublas.so.13", Why: "no such file"}, {Path: "/opt/lib/libcublas.so.13", Why: "no such folder"}}
	gone := &device.UnavailableError{Spec: device.Spec{Kind: device.CUDA}, Reason: "the NVIDIA driver was not found", Next: "install it", Tried: []string{"libcuda.so.1: no such file"}}
	missing := device.Info{Spec: "cuda:0", Name: "CUDA GPU 0", Reason: gone.Reason, Next: gone.Next, Tried: gone.Tried}

	for _, c := range []struct {
		name    string
		devices []device.Info
		report  *engine.CUDA
		lines   []string // of all that is said; + of an aside
	}{
		{"everything", []device.Info{cpu, h200}, &engine.CUDA{
			Release: "580.95.05", GPUs: []engine.GPU{gpu},
			Driver: &engine.Library{Version: "13.0", Path: "libcuda.so.1"},
			NVRTC:  &engine.Library{Version: "13.0", Path: "/usr/local/cuda/lib64/libnvrtc.so.13"},
			CUBLAS: &engine.Library{Version: "13.1.0", Path: "libcublas.so.13"},
		}, []string{
			"cpu ok CPU", "cuda:0 ok NVIDIA H200, compute capability 9.0, 140.4 GiB of memory, 138.9 GiB free",
			"driver ok 580.95.05, for CUDA up to 13.0 (libcuda.so.1)",
			"NVRTC ok 13.0 (/usr/local/cuda/lib64/libnvrtc.so.13)", "cuBLAS ok 13.1.0 (libcublas.so.13)",
		}},
		{"a driver alone", []device.Info{h200, {Spec: "cuda:1", Name: "Old", Reason: "it is too old", Next: "use another"}}, &engine.CUDA{
			GPUs:   []engine.GPU{gpu, {Device: nvidia.Device{Ordinal: 1, Name: "Old"}, Problem: gone}},
			Driver: &engine.Library{Version: "12.4", Path: "libcuda.so.1"},
			NVRTC:  &engine.Library{Problem: "it was not found"},
			CUBLAS: &engine.Library{Problem: "it was not found", Tried: tried},
		}, []string{
			"cuda:0 ok NVIDIA H200, compute capability 9.0, 140.4 GiB of memory, 138.9 GiB free",
			"cuda:1 missing it is too old; the rest of the course runs without it → use another",
			"driver ok for CUDA up to 12.4 (libcuda.so.1)",
			"NVRTC missing it was not found: kernels that somebody edited cannot be compiled for a GPU, the course's own need no compiler → install it (pip install nvidia-cuda-nvrtc-cu12), or the CUDA toolkit, or name the folder that it is in with --cuda-library-dir",
			"cuBLAS missing it was not found: cuda:0,library cannot be used, cuda:0 and cuda:0,fused need no library → install it (pip install nvidia-cublas-cu12), or the CUDA toolkit, or name the folder that it is in with --cuda-library-dir | libcublas.so.13: no such file | /opt/lib/libcublas.so.13: no such folder",
		}},
		{"a library that does not fit", []device.Info{h200}, &engine.CUDA{
			GPUs: []engine.GPU{{Device: gpu.Device}}, Driver: &engine.Library{Version: "13.0", Path: "libcuda.so.1"},
			CUBLAS: &engine.Library{Version: "14.0.0", Path: "/opt/libcublas.so.14", Problem: "the driver is too old for the library"},
		}, []string{
			"cuda:0 ok NVIDIA H200, compute capability 9.0, 140.4 GiB of memory",
			"driver ok for CUDA up to 13.0 (libcuda.so.1)",
			"cuBLAS missing /opt/libcublas.so.14: the driver is too old for the library: cuda:0,library cannot be used, cuda:0 and cuda:0,fused need no library → install it (pip install nvidia-cublas), or the CUDA toolkit, or name the folder that it is in with --cuda-library-dir",
		}},
		{"no GPU and no driver", []device.Info{cpu, missing}, &engine.CUDA{
			Missing: gone,
			Driver:  &engine.Library{Problem: "it was not found", Tried: []nvidia.Tried{{Path: "libcuda.so.1", Why: "no such file"}}},
			NVRTC:   &engine.Library{Version: "12.8", Path: "libnvrtc.so.12"},
			CUBLAS:  &engine.Library{Problem: "it was not found"},
		}, []string{
			"cpu ok CPU",
			"cuda:0 missing the NVIDIA driver was not found; the rest of the course runs without it → install it | libcuda.so.1: no such file",
			"+driver missing it was not found: no GPU can be used → install the NVIDIA driver, version 520 or newer; in a container, start it with --gpus all | libcuda.so.1: no such file",
			"+NVRTC ok 12.8 (libnvrtc.so.12)",
			"+cuBLAS missing it was not found: cuda:0,library cannot be used, cuda:0 and cuda:0,fused need no library → install it (pip install nvidia-cublas), or the CUDA toolkit, or name the folder that it is in with --cuda-library-dir",
		}},
		{"a driver that is too old", []device.Info{missing}, &engine.CUDA{
			Missing: gone, GPUs: []engine.GPU{{Device: gpu.Device, Problem: gone}},
			Driver: &engine.Library{Version: "11.4", Path: "libcuda.so.1", Problem: "it supports CUDA 11.4"},
		}, []string{
			"cuda:0 missing the NVIDIA driver was not found; the rest of the course runs without it → install it | libcuda.so.1: no such file",
			"driver missing libcuda.so.1: it supports CUDA 11.4: no GPU can be used → install the NVIDIA driver, version 520 or newer; in a container, start it with --gpus all",
		}},
		{"nobody looked", []device.Info{h200}, nil, []string{"cuda:0 ok NVIDIA H200"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := fake(nil)
			s.Devices, s.CUDA = c.devices, c.report
			var lines []string
			for _, f := range Examine(t.Context(), s) {
				if f.Topic != "devices" && f.Topic != "gpu" {
					continue
				}
				line := fmt.Sprintf("%s %s %s", f.Name, f.Status, f.Detail)
				if f.Aside() {
					line = "+" + line
				}
				if f.Next != "" {
					line += " → " + f.Next
				}
				lines = append(lines, strings.Join(append([]string{line}, f.Tried...), " | "))
			}
			if !slices.Equal(lines, c.lines) {
				t.Errorf("it says\n%s\nwant\n%s", strings.Join(lines, "\n"), strings.Join(c.lines, "\n"))
			}
		})
	}
}
