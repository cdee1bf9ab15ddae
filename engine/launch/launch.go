// Package launch is a kernel launch as data: what is run, on which grid, with
// which arguments, and what came of it. A launch means the same to every
// Launcher: a GPU runs it, and whoever else can read its CUDA C.
package launch

import (
	"fmt"

	"workbench/engine/device"
)

// Dim3 is the extent of a grid, in blocks, or of a block, in threads.
type Dim3 struct {
	X int `json:"x"`
	Y int `json:"y"`
	Z int `json:"z"`
}

// Count returns X·Y·Z, or -1 if an extent is below one or the product is beyond
// 2^62.
func (d Dim3) Count() int {
	n := 1
	for _, x := range [...]int{d.X, d.Y, d.Z} {
		if x < 1 || n > (1<<62)/x {
			return -1
		}
		n *= x
	}
	return n
}

// String writes 16×16, or 4×4×2 where there is a third extent.
func (d Dim3) String() string {
	if d.Z == 1 {
		return fmt.Sprintf("%d×%d", d.X, d.Y)
	}
	return fmt.Sprintf("%d×%d×%d", d.X, d.Y, d.Z)
}

// Kernel is a function of a CUDA C source.
type Kernel struct {
	File     string          `json:"file"`     // names the source in messages: "matmul.cu"
	Source   string          `json:"source"`   // CUDA C; it includes no headers
	Symbol   string          `json:"symbol"`   // of an extern "C" __global__ function
	Contract device.Contract `json:"contract"` // whether x*y + z is one rounding or two
}

// Launch is one kernel on one grid.
type Launch struct {
	Kernel      Kernel `json:"kernel"`
	Grid        Dim3   `json:"grid"`         // blocks
	Block       Dim3   `json:"block"`        // threads
	SharedBytes int    `json:"shared_bytes"` // of dynamic shared memory for each block
	Args        []Arg  `json:"args"`

	Constants []Constant `json:"constants,omitempty"` // variables of the source that are set before
}

// Constant is what a __constant__ variable of the source holds for a launch.
type Constant struct {
	Name  string `json:"name"`
	Value []byte `json:"value"` // as C lays it out, little-endian
}

// Arg is one argument of a kernel: a buffer in device memory, or a value.
type Arg struct {
	Name   string  `json:"name"`
	Buffer *Buffer `json:"buffer,omitempty"` // the argument is a pointer to it
	Offset int     `json:"offset,omitempty"` // into the buffer, in bytes: a whole number of its elements
	Value  []byte  `json:"value,omitempty"`  // a scalar or a struct, as C lays it out, little-endian

	Pointers []Pointer `json:"pointers,omitempty"` // members of a struct that point to buffers
}

// Pointer is a place in an argument's value that holds the address of a buffer.
type Pointer struct {
	Offset int     `json:"offset"` // of its eight bytes in the value, which are zero there
	Buffer *Buffer `json:"buffer"`
}

// Buffer is device memory that exists for one sequence of launches. Arguments
// that have one same *Buffer point to one memory, in one launch and from launch to
// launch.
type Buffer struct {
	Type string `json:"type"` // of its elements, in C: "float", "unsigned short"
	Data []byte `json:"data"` // what it holds before the first launch
	Out  bool   `json:"out"`  // it is copied back behind the last launch

	Shape         []int `json:"shape,omitempty"`         // how a message counts its elements; none is one row
	Uninitialised bool  `json:"uninitialised,omitempty"` // nobody has written what Data holds; it says how much it is
}

// Cost is what a launch took, in nanoseconds. The copies of a sequence are by the
// host's clock: in before its first launch, and counted there, out behind its
// last. KernelNS is the kernel alone, by the events of a GPU, and on the emulator
// by the host's clock.
type Cost struct {
	CopyInNS  int64 `json:"copy_in_ns"`
	KernelNS  int64 `json:"kernel_ns"`
	CopyOutNS int64 `json:"copy_out_ns"`
}

// Result is what came of a launch.
type Result struct {
	Device  string   `json:"device"`  // what ran it: "NVIDIA H200"
	Buffers [][]byte `json:"buffers"` // one per buffer of Launch.Buffers: the contents behind the sequence, nil where it is not an Out buffer
	Output  string   `json:"output"`  // what the kernel printed
	Log     string   `json:"log"`     // warnings of the compiler
	Cost    Cost     `json:"cost"`

	// What a launcher found out that watches the launch; a GPU does not.
	Reports     []Report     `json:"reports,omitempty"`
	Measurement *Measurement `json:"measurement,omitempty"`
	Ended       bool         `json:"ended,omitempty"` // before its time, by what the last report is about
}
