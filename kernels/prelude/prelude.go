// Package prelude is the header that every kernel begins with: what CUDA C takes
// from the headers of a CUDA toolkit, which a run-time compiler does not have.
package prelude

import _ "embed"

// Name is what messages call the header.
const Name = "prelude.h"

// Source is its text.
//
//go:embed prelude.h
var Source string

// known are the headers of a toolkit and of C that kernels include and that the
// prelude stands for, as far as it goes.
var known = []string{
	"cuda_fp16.h", "cuda_bf16.h",
	"cuda_runtime.h", "device_launch_parameters.h", "math_constants.h",
	"stdint.h", "stddef.h", "limits.h", "float.h", "math.h", "stdio.h", "assert.h",
	"cstdint", "cstddef", "climits", "cfloat", "cmath", "cstdio", "cassert",
}

// Headers returns what an #include of a kernel finds, by name: the prelude, and
// an empty text for each header that it stands for.
func Headers() map[string]string {
	out := map[string]string{Name: Source}
	for _, name := range known {
		out[name] = "// " + Name + " has what kernels use of it.\n"
	}
	return out
}
