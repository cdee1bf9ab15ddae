// Package syntax is the tree of a CUDA C source, and the parser that makes it.
//
// The parser keeps track of which names are types, templates and namespaces,
// because C++ cannot be read without: (a)*b is a product or a cast, a<b>(c) a
// comparison or a call. What it does not decide is what names refer to: that is
// package check's.
//
// Functions of the host, which have neither __device__ nor __global__ in front, are
// passed over: a file may hold the program that launches its kernels.
package syntax
