//go:build amd64 || arm64

package nvrtc

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"unsafe"

	"github.com/ebitengine/purego"

	"workbench/engine/cuda/library"
	"workbench/engine/cuda/nvidia"
)

// Results of NVRTC that mean something of their own (enum nvrtcResult).
const (
	success     = 0
	compilation = 6 // the source has errors: the program's log names them
)

// compiler is NVRTC. It holds nothing but addresses, and NVRTC compiles programs
// independently of each other, so it may be used by several goroutines.
type compiler struct {
	version, errorString                       uintptr
	archCount, archs                           uintptr
	create, compile, destroy                   uintptr
	addName, loweredName                       uintptr
	logSize, log, ptxSize, ptx, cubinSize, bin uintptr
}

// New opens NVRTC. Where it is not to be had, or is older than 11.2, the error
// is a *nvidia.MissingError.
func New() (nvidia.Compiler, error) {
	lib, err := library.Open(library.NVRTC)
	if err != nil {
		return nil, err
	}
	c := new(compiler)
	for _, f := range []struct {
		name string
		at   *uintptr
	}{
		{"nvrtcVersion", &c.version},
		{"nvrtcGetErrorString", &c.errorString},
		{"nvrtcCreateProgram", &c.create},
		{"nvrtcCompileProgram", &c.compile},
		{"nvrtcDestroyProgram", &c.destroy},
		{"nvrtcAddNameExpression", &c.addName},
		{"nvrtcGetLoweredName", &c.loweredName},
		{"nvrtcGetProgramLogSize", &c.logSize},
		{"nvrtcGetProgramLog", &c.log},
		{"nvrtcGetPTXSize", &c.ptxSize},
		{"nvrtcGetPTX", &c.ptx},
	} {
		if *f.at, err = lib.Symbol(f.name); err != nil {
			return nil, err
		}
	}
	// What only 11.2 and newer have. Without it there is no cubin for the GPU
	// that is there and no list of the GPUs that can be compiled for, so older
	// versions are refused with a sentence of their own.
	for _, f := range []struct {
		name string
		at   *uintptr
	}{
		{"nvrtcGetNumSupportedArchs", &c.archCount},
		{"nvrtcGetSupportedArchs", &c.archs},
		{"nvrtcGetCUBINSize", &c.cubinSize},
		{"nvrtcGetCUBIN", &c.bin},
	} {
		if *f.at, err = lib.Symbol(f.name); err != nil {
			return nil, c.tooOld(lib.Path(), f.name)
		}
	}
	return c, nil
}

func (c *compiler) tooOld(path, lacks string) error {
	which := "a version that it does not tell"
	if major, minor, err := c.Version(); err == nil {
		which = fmt.Sprintf("NVRTC %d.%d", major, minor)
	}
	return &nvidia.MissingError{
		Library: "NVRTC",
		Reason:  fmt.Sprintf("%s is %s, which lacks %s: install NVRTC 11.2 or newer", path, which, lacks),
	}
}

func (c *compiler) Version() (major, minor int, err error) {
	var v struct{ major, minor int32 }
	p := pinned{}
	defer p.Unpin()
	p.Pin(&v)
	if err := c.call("nvrtcVersion", c.version, address(&v.major), address(&v.minor)); err != nil {
		return 0, 0, err
	}
	return int(v.major), int(v.minor), nil
}

func (c *compiler) Architectures() ([]int, error) {
	p := pinned{}
	defer p.Unpin()
	n := new(int32)
	p.Pin(n)
	if err := c.call("nvrtcGetNumSupportedArchs", c.archCount, address(n)); err != nil {
		return nil, err
	}
	if *n < 1 {
		return nil, &nvidia.Error{Library: "NVRTC", Call: "nvrtcGetNumSupportedArchs", Name: "no architectures", Text: "this NVRTC says that it compiles for no GPU"}
	}
	list := make([]int32, *n)
	p.Pin(&list[0])
	if err := c.call("nvrtcGetSupportedArchs", c.archs, address(&list[0])); err != nil {
		return nil, err
	}
	out := make([]int, len(list)) // NVRTC documents that they ascend
	for i, a := range list {
		out[i] = int(a)
	}
	return out, nil
}

func (c *compiler) Compile(file, source string, headers map[string]string, options []string) (image []byte, log string, err error) {
	image, _, log, err = c.CompileNamed(file, source, headers, options, nil)
	return image, log, err
}

func (c *compiler) CompileNamed(file, source string, headers map[string]string, options, expressions []string) (image []byte, lowered []string, log string, err error) {
	names, texts := make([]string, 0, len(headers)), make([]string, 0, len(headers))
	for name, text := range headers {
		names, texts = append(names, name), append(texts, text)
	}
	for _, s := range slices.Concat([]string{file, source}, options, names, texts, expressions) {
		if strings.IndexByte(s, 0) >= 0 { // C would read what is before it
			return nil, nil, "", &nvidia.CompileError{File: strings.ReplaceAll(file, "\x00", "?"), Log: "the source, its name, a header or an option contains a zero byte"}
		}
	}
	cubin := slices.ContainsFunc(options, func(option string) bool {
		return strings.HasPrefix(option, "--gpu-architecture=sm_")
	})

	p := pinned{}
	defer p.Unpin()
	program := new(uintptr)
	p.Pin(program)
	if err := c.call("nvrtcCreateProgram", c.create,
		address(program), p.text(source), p.text(file),
		uintptr(len(headers)), p.texts(texts), p.texts(names),
	); err != nil {
		return nil, nil, "", err
	}
	defer func() {
		destroyed := c.call("nvrtcDestroyProgram", c.destroy, address(program))
		if err == nil && destroyed != nil {
			image, lowered, err = nil, nil, destroyed
		}
	}()

	for _, name := range expressions {
		if err := c.call("nvrtcAddNameExpression", c.addName, *program, p.text(name)); err != nil {
			return nil, nil, "", err
		}
	}
	compiled := c.call("nvrtcCompileProgram", c.compile, *program, uintptr(len(options)), p.texts(options))
	logged, err := c.read(*program, "nvrtcGetProgramLog", c.logSize, c.log)
	if compiled != nil {
		return nil, nil, "", refused(compiled, file, text(logged))
	}
	if err != nil {
		return nil, nil, "", err
	}
	log = text(logged)

	if cubin {
		image, err = c.read(*program, "nvrtcGetCUBIN", c.cubinSize, c.bin)
	} else {
		image, err = c.read(*program, "nvrtcGetPTX", c.ptxSize, c.ptx)
	}
	if err != nil {
		return nil, nil, log, err
	}
	for _, name := range expressions {
		at := new(uintptr)
		p.Pin(at)
		if err := c.call("nvrtcGetLoweredName", c.loweredName, *program, p.text(name), address(at)); err != nil {
			return nil, nil, log, err
		}
		lowered = append(lowered, strings.Clone(constant(*at))) // it goes with the program
	}
	return image, lowered, log, nil
}

// refused is the error of a program that did not compile: its source's, if
// NVRTC says so, or the call's with what the log adds to it.
func refused(err error, file, log string) error {
	call, ok := err.(*nvidia.Error)
	if !ok {
		return err
	}
	if call.Code == compilation {
		return &nvidia.CompileError{File: file, Log: log}
	}
	call.Log = log
	return call
}

// read returns what a program holds: its size is one call, its bytes another.
func (c *compiler) read(program uintptr, call string, size, bytes uintptr) ([]byte, error) {
	p := pinned{}
	defer p.Unpin()
	n := new(uintptr) // size_t
	p.Pin(n)
	if err := c.call(call+"Size", size, program, address(n)); err != nil {
		return nil, err
	}
	if *n == 0 {
		return nil, nil
	}
	out := make([]byte, *n)
	p.Pin(&out[0])
	if err := c.call(call, bytes, program, address(&out[0])); err != nil {
		return nil, err
	}
	return out, nil
}

// call makes one call of NVRTC and returns its error with NVRTC's own name.
// Every address among the arguments must be pinned by the caller.
func (c *compiler) call(name string, function uintptr, args ...uintptr) error {
	result, _, _ := purego.SyscallN(function, args...)
	code := int(int32(result)) // enum nvrtcResult; the upper half of the register is anyone's
	if code == success {
		return nil
	}
	named, _, _ := purego.SyscallN(c.errorString, uintptr(uint32(code)))
	return &nvidia.Error{Library: "NVRTC", Call: name, Code: code, Name: constant(named)}
}

// pinned keeps Go memory in its place for as long as C has its address.
type pinned struct{ runtime.Pinner }

// text returns the address of s as C reads it, with a final zero byte.
func (p *pinned) text(s string) uintptr {
	b := make([]byte, len(s)+1)
	copy(b, s)
	p.Pin(&b[0])
	return address(&b[0])
}

// texts returns the address of an array of addresses, or zero for none.
func (p *pinned) texts(list []string) uintptr {
	if len(list) == 0 {
		return 0
	}
	array := make([]uintptr, len(list))
	for i, s := range list {
		array[i] = p.text(s)
	}
	p.Pin(&array[0])
	return address(&array[0])
}

func address[T any](p *T) uintptr { return uintptr(unsafe.Pointer(p)) }

// text returns a string of C without its final zero byte.
func text(b []byte) string { return strings.TrimRight(string(b), "\x00") }

// constant returns the C string at p, which lives in the library. p is read as
// the pointer that it is: converting an integer is what go vet warns of.
func constant(p uintptr) string {
	start := *(**byte)(unsafe.Pointer(&p))
	if start == nil {
		return ""
	}
	n := 0
	for *(*byte)(unsafe.Add(unsafe.Pointer(start), n)) != 0 {
		n++
	}
	return string(unsafe.Slice(start, n))
}
