// Package nvidia declares what the workbench calls of NVIDIA's libraries: the
// driver, NVRTC and cuBLAS. The interfaces are narrow on purpose, so that three
// implementations stand behind them: the libraries themselves opened at run time
// (packages driver, nvrtc and cublas), gorgonia.org/cu for the driver (package
// gorgonia, a build tag), and one without a GPU for tests (package fake).
//
// Sizes are bytes. Every error of a call is an *Error, with the library's own
// name of it; a library that cannot be opened is a *MissingError.
package nvidia

// Driver is the CUDA driver of a machine.
type Driver interface {
	// Version returns the newest CUDA version the driver supports, as 1000
	// major + 10 minor: 13000 is CUDA 13.0. It starts the driver.
	Version() (int, error)

	// Devices describes the GPUs that the driver shows, in the order of their
	// ordinals. CUDA_VISIBLE_DEVICES chooses among them.
	Devices() ([]Device, error)

	// Open retains the primary context of a device and makes it current on the
	// calling thread. The thread must stay the caller's own
	// (runtime.LockOSThread): the context's methods are called on it alone,
	// until Bind moves the context to another one.
	Open(ordinal int) (Context, error)
}

// Device is what a driver says of one GPU.
type Device struct {
	Ordinal              int    `json:"ordinal"`
	Name                 string `json:"name"`  // "NVIDIA H200"
	UUID                 string `json:"uuid"`  // "GPU-…", of 36 characters after the dash
	Major                int    `json:"major"` // compute capability
	Minor                int    `json:"minor"`
	Memory               uint64 `json:"memory"` // in all
	Multiprocessors      int    `json:"multiprocessors"`
	MaxThreadsPerBlock   int    `json:"max_threads_per_block"`
	MaxSharedPerBlock    int    `json:"max_shared_per_block"` // without opting in to more
	ClockKHz             int    `json:"clock_khz"`
	MemoryClockKHz       int    `json:"memory_clock_khz"`
	MemoryBusWidth       int    `json:"memory_bus_width"` // bits
	L2Bytes              int    `json:"l2_bytes"`
	MaxRegistersPerBlock int    `json:"max_registers_per_block"`
}

// Handles of the driver. Zero is none.
type (
	Pointer  uint64 // an address in device memory
	Module   uintptr
	Function uintptr
	Event    uintptr
)

// Dim3 is the extent of a grid or of a block.
type Dim3 struct{ X, Y, Z uint32 }

// Context is one GPU as one thread uses it. Work goes to the default stream, in
// order. After an error for which Sticky is true nothing works any more in the
// process: it must end.
type Context interface {
	// Bind makes the context, and a BLAS that was opened on it, the calling
	// thread's. It costs less than a microsecond, where handing each call to a
	// thread that waits for it costs 15 and more.
	Bind() error

	Memory() (free, total uint64, err error)
	Alloc(bytes uint64) (Pointer, error)
	Free(p Pointer) error
	CopyIn(to Pointer, from []byte) error // complete when it returns
	CopyOut(to []byte, from Pointer) error
	Fill(p Pointer, value byte, bytes uint64) error

	// Load takes PTX, as text with a final zero byte, or a cubin.
	Load(image []byte) (Module, error)
	Unload(m Module) error
	Function(m Module, symbol string) (Function, error)

	// Global returns where a __device__ or __constant__ variable of a module is,
	// and its bytes. It is there as long as the module.
	Global(m Module, symbol string) (Pointer, uint64, error)

	// Launch begins a kernel. Each parameter is the bytes of one argument, as C
	// lays it out.
	Launch(f Function, grid, block Dim3, sharedBytes uint32, parameters [][]byte) error

	NewEvent() (Event, error)
	Record(e Event) error
	// Elapsed returns the milliseconds between two recorded events that have
	// completed.
	Elapsed(start, end Event) (float64, error)
	DestroyEvent(e Event) error

	// Synchronize waits for everything begun, and returns the error of a kernel
	// that failed. What kernels printed has reached the process's standard
	// output when it returns.
	Synchronize() error

	// Close releases the primary context.
	Close() error
}

// Compiler is NVRTC.
type Compiler interface {
	// Version returns NVRTC's version: 11, 8.
	Version() (major, minor int, err error)

	// Architectures lists the compute capabilities it compiles for, ascending,
	// as 10 major + minor: 70 is 7.0.
	Architectures() ([]int, error)

	// Compile compiles CUDA C. File names it in messages, options are NVRTC's
	// own ("--gpu-architecture=sm_90" gives a cubin, compute_90 gives PTX), and
	// headers are what an #include finds, by name. A source that does not
	// compile is a *CompileError; the log of one that does holds its warnings.
	Compile(file, source string, headers map[string]string, options []string) (image []byte, log string, err error)

	// CompileNamed is Compile for functions that C++ gives names of its own. An
	// expression names one, as "reduce<256>" or "ns::add", and makes the instance
	// of a template; lowered is what each is called in the image.
	CompileNamed(file, source string, headers map[string]string, options, expressions []string) (image []byte, lowered []string, log string, err error)
}

// BLAS is cuBLAS, with its handle bound to the context that was current on the
// thread that opened it, and its workspace set to zero bytes.
type BLAS interface {
	// Version is cuBLAS's own number: 130100 is 13.1.0.
	Version() (int, error)

	// Gemm begins a strided batch of column-major products,
	// C = alpha·A·B + beta·C with A [M, K], B [K, N] and C [M, N].
	Gemm(g Gemm) error

	// SetWorkspace gives cuBLAS device memory to work in: none, with 0 bytes.
	SetWorkspace(p Pointer, bytes uint64) error

	Close() error
}

// Type is the format of a matrix's elements.
type Type uint8

const (
	Float64 Type = iota
	Float32
	Float16  // accumulated in float32
	BFloat16 // accumulated in float32
)

// Size returns the bytes of one element.
func (t Type) Size() int {
	switch t {
	case Float64:
		return 8
	case Float32:
		return 4
	}
	return 2
}

// Gemm is one request of BLAS. Leading dimensions and strides are in elements.
type Gemm struct {
	Type                      Type
	M, N, K                   int
	Alpha, Beta               float64
	A, B, C                   Pointer
	LDA, LDB, LDC             int
	StrideA, StrideB, StrideC int64
	Batch                     int
}
