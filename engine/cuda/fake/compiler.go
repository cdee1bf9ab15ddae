package fake

import (
	"encoding/binary"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"workbench/engine/cuda/nvidia"
)

// Compiler opens NVRTC, as nvrtc.New does.
func (m *Machine) Compiler() (nvidia.Compiler, error) {
	if m.config.Compiler.Missing {
		return nil, missing("NVRTC", "libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2", "libnvrtc.so")
	}
	return &compiler{m}, nil
}

// compiler reads of CUDA C what the fake goes by, and no more:
//
//   - the extern "C" __global__ functions with their parameters, and those that
//     expressions name, which become the entries of the image;
//   - variables of __device__ and __constant__ memory that stand on a line of their
//     own, with a whole number as their first value or none;
//   - whether the options fuse, which becomes an fma.rn or a mul and an add in
//     each entry;
//   - mistakes, reported with the line as NVRTC does: #error and #warning, a line
//     that says "syntax error here", an #include of something that was not handed
//     over, and braces that do not match.
type compiler struct{ machine *Machine }

func (c *compiler) call(name string) error {
	c.machine.log(Call{Name: name})
	if refused, _ := c.machine.strike(name); refused != nil {
		return refused
	}
	return nil
}

func (c *compiler) Version() (major, minor int, err error) {
	if err := c.call("nvrtcVersion"); err != nil {
		return 0, 0, err
	}
	v := c.machine.config.Compiler.Version
	return v / 1000, v % 1000 / 10, nil
}

// Architectures lists what NVRTC 11.8, 12.8 and 13.0 compile for.
func (c *compiler) Architectures() ([]int, error) {
	if err := c.call("nvrtcGetSupportedArchs"); err != nil {
		return nil, err
	}
	switch v := c.machine.config.Compiler.Version; {
	case v < 12000:
		return []int{35, 37, 50, 52, 53, 60, 61, 62, 70, 72, 75, 80, 86, 87, 89, 90}, nil
	case v < 13000:
		return []int{50, 52, 53, 60, 61, 62, 70, 72, 75, 80, 86, 87, 89, 90, 100, 101, 120}, nil
	}
	return []int{75, 80, 86, 87, 88, 89, 90, 100, 103, 110, 120, 121}, nil
}

// target is what the options ask for.
type target struct {
	architecture int
	cubin        bool
	fused        bool
}

func (c *compiler) options(list []string) (target, error) {
	out := target{architecture: 75, fused: true}
	for _, option := range list {
		name, value, _ := strings.Cut(strings.TrimLeft(option, "-"), "=")
		switch {
		case !strings.HasPrefix(option, "-"):
			return out, c.refuse(fmt.Sprintf("nvrtc: error: unrecognized option %s found", option))
		case name == "gpu-architecture" || name == "arch":
			kind, number, _ := strings.Cut(value, "_")
			known, err := c.Architectures()
			if err != nil {
				return out, err
			}
			i := slices.IndexFunc(known, func(a int) bool { return fmt.Sprint(a) == number })
			if kind != "sm" && kind != "compute" || i < 0 {
				return out, c.refuse("nvrtc: error: invalid value for --gpu-architecture (-arch)")
			}
			out.architecture, out.cubin = known[i], kind == "sm"
		case name == "fmad":
			if value != "true" && value != "false" {
				return out, c.refuse("nvrtc: error: invalid value for --fmad (-fmad)")
			}
			out.fused = value == "true"
		}
	}
	return out, nil
}

func (c *compiler) refuse(log string) error {
	e := refuse("nvrtcCompileProgram", invalidOption)
	e.Log = log + "\n"
	return e
}

func (c *compiler) Compile(file, source string, headers map[string]string, options []string) (image []byte, log string, err error) {
	image, _, log, err = c.CompileNamed(file, source, headers, options, nil)
	return image, log, err
}

func (c *compiler) CompileNamed(file, source string, headers map[string]string, options, expressions []string) (image []byte, lowered []string, log string, err error) {
	if err := c.call("nvrtcCompileProgram"); err != nil {
		return nil, nil, "", err
	}
	to, err := c.options(options)
	if err != nil {
		return nil, nil, "", err
	}
	u := &unit{kernels: c.machine.kernels, headers: headers, caret: c.machine.config.Compiler.Version >= 12000}
	u.read(file, source)
	for _, expression := range expressions {
		lowered = append(lowered, u.instance(expression))
	}
	if u.errors > 0 {
		noun := "errors"
		if u.errors == 1 {
			noun = "error"
		}
		kind := ""
		if u.stopped {
			kind = "catastrophic "
		}
		fmt.Fprintf(&u.log, "%d %s%s detected in the compilation of %q.\n", u.errors, kind, noun, file)
		if u.stopped {
			u.log.WriteString("Compilation terminated.\n")
		}
		return nil, nil, "", &nvidia.CompileError{File: file, Log: u.log.String()}
	}
	for i, name := range lowered {
		c.machine.lower(name, expressions[i])
	}
	return c.write(to, u), lowered, u.log.String(), nil
}

// write makes the image. PTX that came with CUDA 11.8 is 7.8, and 9.0 that of
// 13.0.
func (c *compiler) write(to target, u *unit) []byte {
	v := c.machine.config.Compiler.Version
	var b strings.Builder
	fmt.Fprintf(&b, ".version %d.%d\n.target sm_%d\n.address_size 64\n", v/1000-4, v%1000/10, to.architecture)
	for _, v := range u.variables {
		fmt.Fprintf(&b, "\n.visible .%s .align 8 .b8 %s[%d] = {%s};\n", v.space, v.symbol, len(v.first), written(v.first))
	}
	for _, e := range u.entries {
		parameters := make([]string, len(e.parameters))
		for i, size := range e.parameters {
			parameters[i] = fmt.Sprintf("\n\t.param .align 8 .b8 %s_param_%d[%d]", e.symbol, i, size)
		}
		fmt.Fprintf(&b, "\n.visible .entry %s(%s\n)\n{\n", e.symbol, strings.Join(parameters, ","))
		if to.fused {
			b.WriteString("\tfma.rn.f64 %fd4, %fd1, %fd2, %fd3;\n")
		} else {
			b.WriteString("\tmul.rn.f64 %fd4, %fd1, %fd2;\n\tadd.rn.f64 %fd4, %fd4, %fd3;\n")
		}
		b.WriteString("\tret;\n}\n")
	}
	if to.cubin {
		return writeCubin(b.String(), u)
	}
	return append([]byte(b.String()), 0)
}

// unit is a source while it is read, with what it includes.
type unit struct {
	kernels map[string]Kernel
	headers map[string]string
	caret   bool // messages show the line, as from NVRTC 12 on

	entries   []entry
	variables []variable
	text      string // of the source, without comments and texts

	seen    []string // headers
	log     strings.Builder
	errors  int
	stopped bool
}

var (
	literal     = regexp.MustCompile(`"(?:\\.|[^"\\\n])*"`)
	include     = regexp.MustCompile(`^\s*#\s*include\s*["<]([^">]*)[">]`)
	directive   = regexp.MustCompile(`^\s*#\s*(error|warning)\b\s*(.*)$`)
	global      = regexp.MustCompile(`(?m)^\s*__(device|constant)__\s+([\w ]+?)\s+(\w+)(?:\[(\d+)\])?(?:\s*=\s*(\d+))?;`)
	declaration = regexp.MustCompile(`extern\s+"C"\s+__global__\s+(?:__launch_bounds__\s*\([^)]*\)\s*)?void\s+(?:__launch_bounds__\s*\([^)]*\)\s*)?(\w+)\s*\(([^)]*)\)\s*\{`)
)

func (u *unit) message(file string, line int, text, kind, message string) {
	fmt.Fprintf(&u.log, "%s(%d): %s: %s\n", file, line, kind, message)
	if u.caret {
		trimmed := strings.TrimLeft(text, " \t")
		fmt.Fprintf(&u.log, "  %s\n  %s^\n", text, text[:len(text)-len(trimmed)])
	}
	u.log.WriteString("\n")
}

// read goes through a file line by line, and then for its kernels.
func (u *unit) read(file, source string) {
	lines := strings.Split(uncomment(source), "\n")
	for i, line := range lines {
		if found := include.FindStringSubmatch(line); found != nil {
			text, ok := u.headers[found[1]]
			if !ok {
				u.message(file, i+1, line, "catastrophic error", fmt.Sprintf("cannot open source file %q", found[1]))
				u.errors, u.stopped = u.errors+1, true
				return
			}
			if !slices.Contains(u.seen, found[1]) {
				u.seen = append(u.seen, found[1])
				if u.read(found[1], text); u.stopped {
					return
				}
			}
			continue
		}
		if found := directive.FindStringSubmatch(line); found != nil {
			if found[1] == "warning" {
				u.message(file, i+1, line, "warning #1105-D", "#warning directive: "+found[2])
				continue
			}
			u.message(file, i+1, line, "catastrophic error", "#error directive: "+found[2])
			u.errors, u.stopped = u.errors+1, true
			return
		}
		if strings.Contains(line, "syntax error here") {
			u.message(file, i+1, line, "error", `identifier "syntax" is undefined`)
			u.message(file, i+1, line, "error", `expected a ";"`)
			u.errors += 2
		}
	}
	text := literal.ReplaceAllStringFunc(strings.Join(lines, "\n"), func(s string) string {
		if s == `"C"` {
			return s
		}
		return `""`
	})
	if open, closed := strings.Count(text, "{"), strings.Count(text, "}"); open > closed {
		u.log.WriteString("At end of source: error: expected a \"}\"\n\n")
		u.errors++
	} else if closed > open {
		last := strings.LastIndex(text, "}")
		u.message(file, 1+strings.Count(text[:last], "\n"), "}", "error", "expected a declaration")
		u.errors++
	}
	u.text += text
	for _, found := range global.FindAllStringSubmatch(text, -1) {
		v := variable{space: map[string]string{"device": "global", "constant": "const"}[found[1]], symbol: found[3]}
		count := 1
		if found[4] != "" {
			count = number(found[4])
		}
		v.first = make([]byte, count*sizeOf(found[2]))
		if found[5] != "" {
			copy(v.first, binary.LittleEndian.AppendUint32(nil, uint32(number(found[5]))))
		}
		if len(v.first) > 0 {
			u.variables = append(u.variables, v)
		}
	}
	for _, found := range declaration.FindAllStringSubmatchIndex(text, -1) {
		line := 1 + strings.Count(text[:found[0]], "\n")
		u.kernel(file, line, lines[line-1], text[found[2]:found[3]], text[found[4]:found[5]])
	}
}

// instance adds the entry of a function that an expression names, template or not.
// Its parameters are those of the fake's own function of that name.
func (u *unit) instance(expression string) (lowered string) {
	base, _, _ := strings.Cut(expression, "<")
	base = base[strings.LastIndex(base, ":")+1:]
	if slices.ContainsFunc(u.entries, func(e entry) bool { return e.symbol == expression }) {
		return expression // extern "C"
	}
	if !regexp.MustCompile(`__global__\s+void\s+` + regexp.QuoteMeta(base) + `\s*\(`).MatchString(u.text) {
		fmt.Fprintf(&u.log, "error: identifier %q is undefined\n\n", base)
		u.errors++
		return ""
	}
	lowered = fmt.Sprintf("_Z%d%s%x", len(base), base, expression)
	u.entries = append(u.entries, entry{symbol: lowered, parameters: u.kernels[expression].Parameters})
	return lowered
}

// written writes bytes as PTX does.
func written(bytes []byte) string {
	out := make([]string, len(bytes))
	for i, b := range bytes {
		out[i] = fmt.Sprint(b)
	}
	return strings.Join(out, ", ")
}

// kernel adds an entry with the sizes of its parameters. Those of structs are
// what the fake's own function of that name takes.
func (u *unit) kernel(file string, line int, text, symbol, parameters string) {
	e := entry{symbol: symbol}
	known := u.kernels[symbol].Parameters
	if strings.TrimSpace(parameters) != "" && strings.TrimSpace(parameters) != "void" {
		for i, p := range strings.Split(parameters, ",") {
			size := sizeOf(p)
			if size == 0 && i < len(known) {
				size = known[i]
			}
			if size == 0 {
				u.message(file, line, text, "error", fmt.Sprintf("the fake compiler does not know the size of the parameter %q", strings.TrimSpace(p)))
				u.errors++
				return
			}
			e.parameters = append(e.parameters, size)
		}
	}
	u.entries = append(u.entries, e)
}

// sizeOf returns the bytes of a declared parameter, or 0 for a type that is not
// C's own.
func sizeOf(parameter string) int {
	if strings.ContainsAny(parameter, "*&") {
		return 8
	}
	words := strings.Fields(parameter)
	has := func(word string) bool { return slices.Contains(words, word) }
	switch {
	case has("double") || has("long") || has("size_t") || has("int64_t") || has("uint64_t"):
		return 8
	case has("short") || has("__half") || has("__nv_bfloat16") || has("half"):
		return 2
	case has("char") || has("bool"):
		return 1
	case has("float") || has("int") || has("unsigned") || has("int32_t") || has("uint32_t"):
		return 4
	}
	return 0
}

// uncomment replaces comments by blanks and keeps the lines as they are.
func uncomment(source string) string {
	out := []byte(source)
	for i := 0; i < len(out); i++ {
		end := -1
		switch {
		case out[i] == '"':
			// Strings hold no comments, and end on their line.
			for i++; i < len(out) && out[i] != '"' && out[i] != '\n'; i++ {
				if out[i] == '\\' {
					i++
				}
			}
			continue
		case strings.HasPrefix(string(out[i:min(i+2, len(out))]), "//"):
			if end = strings.IndexByte(source[i:], '\n'); end < 0 {
				end = len(source) - i
			}
		case strings.HasPrefix(string(out[i:min(i+2, len(out))]), "/*"):
			if end = strings.Index(source[i+2:], "*/"); end < 0 {
				end = len(source) - i
			} else {
				end += 4
			}
		default:
			continue
		}
		for j := i; j < i+end; j++ {
			if out[j] != '\n' {
				out[j] = ' '
			}
		}
		i += end - 1
	}
	return string(out)
}
