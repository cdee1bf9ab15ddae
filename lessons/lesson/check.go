package lesson

import "workbench/engine/launch"

// Array is a tensor that goes into a case, or comes out of it.
type Array struct {
	Name   string
	Type   string // of its elements, in C: "float", "double", "int", "unsigned char"
	Shape  []int  // row-major; [n] of a vector
	Values []float64

	// Want is what it holds in the end; nil if it must stay as it is, or, without
	// Values, if nobody asks. Its elements hold NaN, or what stands out in an integer,
	// before the kernel runs, unless Values says otherwise.
	Want []float64

	// Loose, where not nil, is the allowed absolute difference of each element and
	// stands for the exercise's tolerance.
	Loose []float64
}

// Mistake is a wrong result that is known: what comes out if one makes it. Of a Go
// exercise it is told only if every call that has a mistake of this text came out
// so: a single number fits by chance.
type Mistake struct {
	Kind   FindingKind
	Array  string    // the name of the array; of a Go exercise the place of the result, as "0"
	Values []float64 // what it then holds, 1 of an error and 0 of none; NaN is not compared
	Text   string    // what was done, as a person says it: "this is the mean, not the sum"
}

// CUDA checks a kernel. Every case runs on the emulator with all its checks on,
// or on a GPU.
type CUDA struct {
	Cases func() []Case

	// Measured, if any, looks at what a case's launches did, where somebody counted
	// it, and returns what is not good enough, or nil.
	Measured func(c *Case, m []*launch.Measurement) *Finding
}

// Case is what a kernel is tried with: launches that follow each other in one
// memory.
type Case struct {
	Name     string // "n = 5, one block of 32"
	Launches []Launch
	Mistakes []Mistake
}

// Launch is one of them.
type Launch struct {
	Kernel      string // a function of the learner's file
	Grid, Block launch.Dim3
	SharedBytes int
	Args        []any // *Array, the same for the same memory; int32, int64, uint32, float32, float64
}

// Go checks functions of the learner's package, which is named exercise. The calls
// are made one after the other in one process. What is handed over has to be as it
// was, unless the call says otherwise, and nothing may be written behind the end of
// a slice, where there is room for it.
type Go struct {
	Functions []Function
	Calls     func() []Call
}

// Function is one that the learner's package must have.
type Function struct {
	Name      string // "FlatIndex", or of a method "View.At", whose receiver is its first argument
	Signature string // "func(shape, index []int) int", as an expression of Go; of a method with exercise.View first
}

// Call is one call of a function.
type Call struct {
	Name     string // "row 2 of a 3×4 matrix"
	Function string
	Args     []any     // what JSON can hold of the parameters: numbers, strings, slices, structs as maps
	Want     []any     // the results, likewise; of an error: true if one is wanted, false if none
	Shapes   [][]int   // of results that are tensors written as one row of numbers; nil where they are not
	Mistakes []Mistake // Array is the place of the result: "0"

	// After, if not nil, is what the arguments hold when the call is over; nil
	// elements stay as they were.
	After []any
}
