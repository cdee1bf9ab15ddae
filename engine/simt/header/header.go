package header

import (
	"fmt"
	"sync"

	"workbench/engine/simt/source"
)

// builtIn returns the file of a header of this package.
func builtIn(name, text string) *source.File {
	f := source.NewFile(name, text)
	f.BuiltIn = true
	return f
}

// Prelude is the file that comes before every kernel.
var Prelude = sync.OnceValue(func() *source.File { return builtIn("cuda_runtime.h", prelude+vectors+device+mathematics+halves) })

// texts are the headers that add something to the prelude.
var texts = map[string]string{
	"cooperative_groups.h":        cooperativeGroups,
	"cooperative_groups/reduce.h": "#include <cooperative_groups.h>\n",
	"cooperative_groups/scan.h":   "#include <cooperative_groups.h>\n",
	"cuda_fp16.h":                 "", // the prelude has it
	"cuda_bf16.h":                 "",
	"assert.h":                    asserts,
	"cassert":                     asserts,
	"type_traits":                 typeTraits,
	"limits":                      numericLimits,
}

// asserts switches the prelude's assert off where C does.
const asserts = `
#ifdef NDEBUG
#undef assert
#define assert(...) ((void)0)
#endif
`

// empty are the headers of a toolkit, of C and of C++ that add nothing here.
var empty = []string{
	"prelude.h",
	"cuda.h", "cuda_runtime.h", "cuda_runtime_api.h", "device_launch_parameters.h", "device_functions.h", "device_atomic_functions.h", "math_constants.h", "math_functions.h",
	"vector_types.h", "vector_functions.h", "sm_20_atomic_functions.h", "sm_30_intrinsics.h", "cuda_fp16.hpp", "cuda_bf16.hpp", "builtin_types.h", "host_defines.h", "driver_types.h",
	"stdint.h", "stddef.h", "limits.h", "float.h", "math.h", "stdio.h", "stdbool.h", "inttypes.h", "sys/types.h",
	"cstdint", "cstddef", "climits", "cfloat", "cmath", "cstdio", "cinttypes",
}

// hosts are headers of programs of the host: a kernel's file may include them
// for what is passed over.
var hosts = []string{
	"stdlib.h", "string.h", "time.h", "errno.h", "ctype.h", "unistd.h", "sys/time.h", "getopt.h", "signal.h",
	"cstdlib", "cstring", "ctime", "cuda_profiler_api.h", "cublas_v2.h", "curand.h", "omp.h", "helper_cuda.h", "helper_functions.h", "nvrtc.h",
}

// library are headers of C++ that come with type traits and limits, as they do where
// programs are compiled.
var library = []string{
	"algorithm", "utility", "iostream", "fstream", "sstream", "iomanip", "vector", "string", "array", "chrono", "random", "memory", "numeric", "functional", "map", "set",
	"unordered_map", "unordered_set", "deque", "queue", "list", "stack", "bitset", "iterator", "initializer_list", "stdexcept", "exception", "tuple", "optional", "variant", "thread", "mutex", "atomic",
	"bits/stdc++.h",
}

// refused says of headers that kernels do include what there is instead.
var refused = map[string]string{
	"mma.h":                             "matrix fragments (wmma) are not supported: write the product with shared memory, or with fmaf",
	"cuda_pipeline.h":                   "asynchronous copies are not supported: copy with an assignment and wait with __syncthreads()",
	"cuda_pipeline_primitives.h":        "asynchronous copies are not supported: copy with an assignment and wait with __syncthreads()",
	"cuda/pipeline":                     "asynchronous copies are not supported: copy with an assignment and wait with __syncthreads()",
	"cuda/barrier":                      "use __syncthreads()",
	"cuda/atomic":                       "use atomicAdd and its like, and __threadfence()",
	"cooperative_groups/memcpy_async.h": "asynchronous copies are not supported: copy with an assignment and wait with sync()",
	"curand_kernel.h":                   "random numbers are not supported: compute them from the thread's number, or hand the kernel a buffer of them",
	"cuda_fp8.h":                        "8-bit floating point is not supported: use __half or __nv_bfloat16",
	"cub/cub.cuh":                       "write the reduction or scan with shared memory and __shfl_down_sync",
	"cub/block/block_reduce.cuh":        "write the reduction with shared memory and __shfl_down_sync",
	"cub/block/block_scan.cuh":          "write the scan with shared memory and __shfl_up_sync",
	"cuComplex.h":                       "use float2 and write the product of two complex numbers out",
	"thrust/complex.h":                  "use float2 and write the product of two complex numbers out",
	"texture_fetch_functions.h":         "textures are not supported: read a buffer",
	"cuda_texture_types.h":              "textures are not supported: read a buffer",
	"surface_functions.h":               "surfaces are not supported: write to a buffer",
}

// Include returns the header of that name: a file, or nil if nothing here knows
// it, or an error that says what there is instead.
func Include(name string) (*source.File, error) {
	if text, ok := texts[name]; ok {
		return builtIn(name, "#pragma once\n"+text), nil
	}
	for _, list := range [][]string{empty, hosts} {
		for _, n := range list {
			if n == name {
				return builtIn(name, ""), nil
			}
		}
	}
	for _, n := range library {
		if n == name {
			return builtIn(name, "#pragma once\n#include <type_traits>\n#include <limits>\n"), nil
		}
	}
	if instead, ok := refused[name]; ok {
		return nil, fmt.Errorf("%s: %s", name, instead)
	}
	return nil, nil
}
