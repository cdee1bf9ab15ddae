package fake

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"workbench/engine/cuda/nvidia"
	"workbench/engine/device"
)

// entry is a kernel as an image declares it.
type entry struct {
	symbol     string
	parameters []int // bytes of each
	contract   device.Contract
}

// image is what the fake reads of PTX.
type image struct {
	isa       int // of PTX: 78 is 7.8
	target    int // 10 major + minor of a compute capability
	entries   []entry
	variables []variable
}

// variable is one of __device__ or __constant__ memory.
type variable struct {
	space  string // global or const
	symbol string
	first  []byte // what it holds when its module is loaded
	at     nvidia.Pointer
}

var (
	ptxVariable  = regexp.MustCompile(`(?m)^\s*\.visible\s+\.(global|const)\s+\.align\s+\d+\s+\.b8\s+([\w$]+)\[(\d+)\](?:\s*=\s*\{([^}]*)\})?;`)
	ptxVersion   = regexp.MustCompile(`(?m)^\s*\.version\s+(\d+)\.(\d+)\s*$`)
	ptxTarget    = regexp.MustCompile(`(?m)^\s*\.target\s+sm_(\d+)`)
	ptxEntry     = regexp.MustCompile(`\.entry\s+([\w$]+)\s*(?:\(([^)]*)\))?`)
	ptxParameter = regexp.MustCompile(`\.[usbf](8|16|32|64)\b[^\[]*(?:\[(\d+)\])?`)
	ptxComment   = regexp.MustCompile(`//.*`)

	// ptxFused is a multiply-add that rounds once. Under --fmad=false NVRTC
	// writes none unless the source asks for it.
	ptxFused = regexp.MustCompile(`\bfma\.rn(\.\w+)*\.(f|bf)\d+`)
)

// readPTX reads the lines of PTX that the fake goes by.
func readPTX(text string) (*image, error) {
	text = ptxComment.ReplaceAllString(text, "")
	head := ptxVersion.FindStringSubmatch(text)
	target := ptxTarget.FindStringSubmatch(text)
	switch {
	case head == nil || target == nil:
		return nil, errors.New("ptxas application ptx input, line 1; fatal   : Missing .version or .target directive")
	case strings.Count(text, "{") != strings.Count(text, "}") || strings.Count(text, "(") != strings.Count(text, ")"):
		return nil, fmt.Errorf("ptxas application ptx input, line %d; fatal   : Parsing error near '<EOF>': syntax error", 1+strings.Count(text, "\n"))
	}
	out := &image{isa: 10*number(head[1]) + number(head[2]), target: number(target[1])}
	for _, v := range ptxVariable.FindAllStringSubmatch(text, -1) {
		first := make([]byte, number(v[3]))
		for i, b := range strings.Split(v[4], ",") {
			if i < len(first) {
				first[i] = byte(number(strings.TrimSpace(b)))
			}
		}
		out.variables = append(out.variables, variable{space: v[1], symbol: v[2], first: first})
	}
	found := ptxEntry.FindAllStringSubmatchIndex(text, -1)
	for i, at := range found {
		end := len(text)
		if i+1 < len(found) {
			end = found[i+1][0]
		}
		e := entry{symbol: text[at[2]:at[3]]}
		if ptxFused.MatchString(text[at[1]:end]) {
			e.contract = device.Fused
		}
		if at[4] >= 0 && strings.TrimSpace(text[at[4]:at[5]]) != "" {
			for _, p := range strings.Split(text[at[4]:at[5]], ",") {
				size := ptxParameter.FindStringSubmatch(p)
				if size == nil {
					return nil, fmt.Errorf("ptxas application ptx input; fatal   : Parsing error near '%s'", strings.TrimSpace(p))
				}
				bytes := number(size[1]) / 8
				if size[2] != "" {
					bytes *= number(size[2])
				}
				e.parameters = append(e.parameters, bytes)
			}
		}
		out.entries = append(out.entries, e)
	}
	return out, nil
}

// number reads digits that a pattern matched.
func number(digits string) int {
	n, _ := strconv.Atoi(digits)
	return n
}

// cuda returns the first CUDA version whose drivers read this PTX: PTX 7.8 came
// with 11.8, 8.0 with 12.0 and 9.0 with 13.0 (PTX ISA, release notes).
func (i *image) cuda() int { return (i.isa/10+4)*1000 + i.isa%10*10 }

// module is a loaded image.
type module struct {
	entries   []entry
	variables []variable
}

// function is an entry of a module.
type function struct {
	of *module
	entry
}

// Load reads PTX as the driver's compiler would: its version against the
// driver's, its target against the device.
func (c *Context) Load(data []byte) (nvidia.Module, error) {
	call := Call{Name: "cuModuleLoadDataEx", Bytes: uint64(len(data))}
	if err := c.call(call); err != nil {
		return 0, err
	}
	fail := func(code int, log string) (nvidia.Module, error) {
		e := refuse(call.Name, code)
		e.Log = log
		return 0, e
	}
	capability := 10*c.device.Major + c.device.Minor
	if bytes.HasPrefix(data, []byte("\x7fELF")) {
		ptx, ok := readCubin(data)
		if !ok {
			return fail(nvidia.InvalidImage, "")
		}
		img, err := readPTX(ptx)
		switch {
		case err != nil:
			return fail(nvidia.InvalidImage, "")
		case img.target/10 != c.device.Major || img.target > capability:
			return fail(nvidia.NoBinaryForGPU, "")
		}
		return c.loaded(call.Name, img)
	}
	text, terminated := bytes.CutSuffix(data, []byte{0})
	if !terminated || bytes.IndexByte(text, 0) >= 0 {
		return fail(nvidia.InvalidImage, "")
	}
	img, err := readPTX(string(text))
	switch {
	case err != nil:
		return fail(nvidia.InvalidPTX, err.Error())
	case img.cuda() > c.machine.config.Driver.Version:
		return fail(nvidia.UnsupportedPTXVersion, fmt.Sprintf("ptxas application ptx input, line 9; fatal   : Unsupported .version %d.%d", img.isa/10, img.isa%10))
	case img.target > capability:
		return fail(nvidia.NoBinaryForGPU, "")
	}
	return c.loaded(call.Name, img)
}

// loaded is the module of an image, with memory of its own for its variables.
func (c *Context) loaded(call string, img *image) (nvidia.Module, error) {
	m := &module{entries: img.entries, variables: slices.Clone(img.variables)}
	for i := range m.variables {
		v := &m.variables[i]
		c.machine.mu.Lock()
		v.at = c.primary.memory.alloc(uint64(len(v.first)))
		c.machine.mu.Unlock()
		if v.at == 0 {
			return 0, refuse(call, nvidia.OutOfMemory)
		}
		a, at := c.primary.memory.find(v.at, uint64(len(v.first)))
		a.write(at, v.first)
	}
	return nvidia.Module(c.keep(m)), nil
}

func (c *Context) Global(m nvidia.Module, symbol string) (nvidia.Pointer, uint64, error) {
	call := Call{Name: "cuModuleGetGlobal_v2", What: symbol}
	if err := c.call(call); err != nil {
		return 0, 0, err
	}
	of, ok := c.primary.alive[uintptr(m)].(*module)
	if !ok {
		return 0, 0, refuse(call.Name, invalidHandle)
	}
	for _, v := range of.variables {
		if v.symbol == symbol {
			return v.at, uint64(len(v.first)), nil
		}
	}
	return 0, 0, refuse(call.Name, nvidia.NotFound)
}

func (c *Context) Unload(m nvidia.Module) error {
	call := Call{Name: "cuModuleUnload"}
	if err := c.begin(call); err != nil {
		return err
	}
	of, ok := c.primary.alive[uintptr(m)].(*module)
	if !ok {
		return refuse(call.Name, invalidHandle)
	}
	for _, v := range of.variables {
		c.machine.mu.Lock()
		c.primary.memory.release(v.at)
		c.machine.mu.Unlock()
	}
	for handle, object := range c.primary.alive {
		if f, ok := object.(*function); ok && f.of == of {
			c.drop(handle)
		}
	}
	c.drop(uintptr(m))
	return nil
}

func (c *Context) Function(m nvidia.Module, symbol string) (nvidia.Function, error) {
	call := Call{Name: "cuModuleGetFunction", What: symbol}
	if err := c.call(call); err != nil {
		return 0, err
	}
	of, ok := c.primary.alive[uintptr(m)].(*module)
	if !ok {
		return 0, refuse(call.Name, invalidHandle)
	}
	for _, e := range of.entries {
		if e.symbol == symbol {
			return nvidia.Function(c.keep(&function{of: of, entry: e})), nil
		}
	}
	return 0, refuse(call.Name, nvidia.NotFound)
}
