// Package launchfile reads launches of a kernel that are written down as JSON.
//
// One launch:
//
//	{"source": "saxpy.cu", "kernel": "saxpy", "grid": [4], "block": [256],
//	 "args": [{"name": "y", "type": "f32", "shape": [1000], "fill": "random", "seed": 7, "out": true},
//	          {"name": "x", "type": "f32", "shape": [1000], "fill": "iota"},
//	          {"name": "a", "type": "f32", "value": 2.5},
//	          {"name": "n", "type": "i32", "value": 1000}]}
//
// Several launches, one after the other, on the same buffers:
//
//	{"source": "sum.cu",
//	 "buffers":  [{"name": "x", "type": "f64", "shape": [4096], "fill": "ones"},
//	              {"name": "partial", "type": "f64", "shape": [16]},
//	              {"name": "sum", "type": "f64", "shape": [1], "out": true}],
//	 "launches": [{"kernel": "reduce<256>", "grid": [16], "block": [256], "args": ["x", "partial"]},
//	              {"kernel": "reduce<16>", "grid": [1], "block": [16], "args": ["partial", "sum"]}]}
//
// The fields:
//
//	source        the file with the CUDA C, from where the launch file is
//	kernel        a __global__ function, or an instance of a template: "copy<float, 4>"
//	grid, block   extents: [x], [x, y] or [x, y, z]
//	shared_bytes  of dynamic shared memory for each block; 0 if it is not there
//	args          what the kernel is given, in the order of its parameters
//	constants     what __constant__ variables hold: {"weights": {"type": "f32", "values": [1, 2, 1]}}
//	checks        true (which it is if it is not there), false, a list of those that are on, or {"race": false}
//	measures      true (which it is if it is not there), or false: nothing is counted
//	limits        {"instructions": 1000000, "seconds": 10}: of each launch, and of all together
//
// Where nothing is checked and nothing is counted, a launch runs many times faster,
// and a fault of the kernel is an error. Without a limit of instructions a launch is
// ended when it has executed 33554432 of them, each for a warp, and none of its
// blocks has come to its end.
//
// An argument is one of
//
//	a buffer      {"name", "type", "shape", "fill", "seed", "values", "out"}: a pointer to its first element
//	a buffer that was described before: its name, or {"buffer": its name}
//	a scalar      {"name", "type", "value"}
//	a struct      {"name", "struct": [members]}, each member one of the above, laid out as C lays them out
//
// A type is f16, bf16, f32, f64, i8, u8, i16, u16, i32, u32, i64 or u64. What a
// buffer holds before the first launch:
//
//	values        a list of numbers, nested or not, in row-major order; the shape may be left out
//	fill: zeros   which it is if neither is there, unless the buffer is out: then nobody has written it
//	fill: ones
//	fill: iota    0, 1, 2, …
//	fill: random  SplitMix64 from the seed: 2·unit − 1 for floating point, z mod 100 for integers
//	fill: nan     the largest value of an integer type
//
// Every number is rounded once, from its decimal digits, to the nearest value of
// the type, ties to even. What JSON has no number for is a string: "NaN",
// "Infinity", "-Infinity"; any number may be written as one: "18446744073709551615".
package launchfile
