package conform_test

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"workbench/engine/device"
	"workbench/engine/launch"
	"workbench/kernels"
	"workbench/kernels/prelude"
)

//go:embed testdata/host.h
var hostHeader string

// host launches the catalogue's kernels on this machine, compiled by its C++
// compiler. Threads of a block are fibers that take turns at barriers and shuffles,
// so it shows which elements a kernel computes, from which, in which order, and
// with which roundings. It does not show what happens between barriers: there the
// threads run one after the other.
type host struct {
	dir      string
	running  map[string]*program // by source and contract
	header   map[device.Contract]bool
	compiled int

	// backwards runs the threads of a block, between barriers, from the last to
	// the first.
	backwards bool
}

// flags are as --fmad=false and --fmad=true.
var flags = map[device.Contract]string{
	device.Separate: "-ffp-contract=off",
	device.Fused:    "-ffp-contract=fast",
}

// shared is the host of all tests: what one compiled the next one uses.
var shared *host

func TestMain(m *testing.M) {
	code := m.Run()
	if shared != nil {
		for _, p := range shared.running {
			p.in.Close()
			p.command.Wait()
		}
		os.RemoveAll(shared.dir)
	}
	os.Exit(code)
}

// program is a compiled source that waits for launches.
type program struct {
	command *exec.Cmd
	in      io.WriteCloser
	out     io.Reader
	errors  *bytes.Buffer
}

func onHost(t *testing.T) *host {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("the fibers of testdata/host.h are written for Linux")
	}
	if _, err := exec.LookPath("c++"); err != nil {
		t.Skip("needs a C++ compiler to run the kernels' sources here: there is no c++ in PATH")
	}
	if shared != nil {
		return shared
	}
	header := prelude.Source
	for instruction, instead := range map[string]string{
		`asm("cvt.f32.f16 %0, %1;" : "=f"(x) : "h"(h.bits));`:    "x = from_half(h.bits);",
		`asm("cvt.rn.f16.f32 %0, %1;" : "=h"(h.bits) : "f"(x));`: "h.bits = to_half(x);",
	} {
		if strings.Count(header, instruction) != 1 {
			t.Fatalf("the prelude has no %s", instruction)
		}
		header = strings.Replace(header, instruction, instead, 1)
	}
	dir, err := os.MkdirTemp("", "kernels-*")
	if err != nil {
		t.Fatal(err)
	}
	shared = &host{dir: dir, running: map[string]*program{}, header: map[device.Contract]bool{}}
	if err := shared.write("prelude.h", header); err != nil {
		t.Fatal(err)
	}
	return shared
}

func (h *host) write(name, text string) error {
	return os.WriteFile(filepath.Join(h.dir, name), []byte(text), 0o600)
}

// fused reports whether this machine multiplies and adds in one rounding, as far
// as the compiler may be told.
func (h *host) fused() bool {
	text, err := os.ReadFile("/proc/cpuinfo")
	return runtime.GOARCH == "arm64" || runtime.GOARCH == "amd64" && err == nil && bytes.Contains(text, []byte(" fma "))
}

// compile runs the compiler under a contract, in the folder of one header: it is
// larger than the kernels and compiled once.
func (h *host) compile(c device.Contract, args ...string) error {
	flags := []string{"-std=c++17", "-w", "-U_FORTIFY_SOURCE", "-O1", "-fexpensive-optimizations", flags[c]}
	if c == device.Fused && runtime.GOARCH == "amd64" {
		flags = append(flags, "-mfma")
	}
	folder := "of." + c.String()
	if !h.header[c] {
		h.header[c] = true
		if err := os.Mkdir(filepath.Join(h.dir, folder), 0o700); err != nil {
			return err
		}
		if err := h.write(filepath.Join(folder, "host.h"), hostHeader); err != nil {
			return err
		}
		if err := h.run(append(slices.Clone(flags), "-x", "c++-header", "-o", folder+"/host.h.gch", folder+"/host.h")); err != nil {
			return err
		}
	}
	return h.run(slices.Concat(flags, []string{"-I" + folder}, args))
}

func (h *host) run(args []string) error {
	build := exec.Command("c++", args...)
	build.Dir = h.dir
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("%w\n%s", err, out)
	}
	return nil
}

// start compiles a source under a contract, or finds it compiled.
func (h *host) start(k launch.Kernel) (*program, error) {
	name := fmt.Sprintf("%s.%s", strings.TrimSuffix(k.File, ".cu"), k.Contract)
	key := name + "\x00" + k.Source
	if p := h.running[key]; p != nil {
		return p, nil
	}
	var symbols []string
	for _, t := range kernels.Catalogue() {
		if t.File == k.File {
			symbols = t.Symbols
		}
	}
	if symbols == nil {
		return nil, fmt.Errorf("%s is not in the catalogue", k.File)
	}
	h.compiled++
	name = fmt.Sprintf("%d.%s", h.compiled, name)
	main := "#include \"host.h\"\n#include \"prelude.h\"\n#include \"" + name + ".cu\"\nint main() { return serve({"
	for _, s := range symbols {
		main += fmt.Sprintf("{\"%s\", launcher(%s)}, ", s, s)
	}
	main += "}); }\n"
	if err := errors.Join(h.write(name+".cu", k.Source), h.write(name+".cc", main)); err != nil {
		return nil, err
	}
	if err := h.compile(k.Contract, "-o", name, name+".cc"); err != nil {
		return nil, err
	}
	p := &program{command: exec.Command(filepath.Join(h.dir, name)), errors: new(bytes.Buffer)}
	p.command.Stderr = p.errors
	var err error
	if p.in, err = p.command.StdinPipe(); err != nil {
		return nil, err
	}
	if p.out, err = p.command.StdoutPipe(); err != nil {
		return nil, err
	}
	if err := p.command.Start(); err != nil {
		return nil, err
	}
	h.running[key] = p
	return p, nil
}

// Launch sends the launch to its program: the symbol, the grid, the block, the
// order of threads and the arguments, each with its length and whether it is a
// buffer. What comes back are all buffers.
func (h *host) Launch(_ context.Context, l *launch.Launch) (*launch.Result, error) {
	p, err := h.start(l.Kernel)
	if err != nil {
		return nil, err
	}
	var in bytes.Buffer
	number := func(n int) { in.Write(binary.LittleEndian.AppendUint64(nil, uint64(n))) }
	number(len(l.Kernel.Symbol))
	in.WriteString(l.Kernel.Symbol)
	for _, d := range []launch.Dim3{l.Grid, l.Block} {
		number(d.X)
		number(d.Y)
		number(d.Z)
	}
	number(map[bool]int{true: 1}[h.backwards])
	number(len(l.Args))
	for _, a := range l.Args {
		if a.Buffer != nil {
			number(1)
			number(len(a.Buffer.Data))
			in.Write(a.Buffer.Data)
			continue
		}
		number(0)
		number(len(a.Value))
		in.Write(a.Value)
	}
	// The program reads all of a launch before it writes.
	if _, err := p.in.Write(in.Bytes()); err != nil {
		return nil, h.ended(p, err)
	}
	r := &launch.Result{Device: "a C++ compiler", Buffers: make([][]byte, len(l.Args))}
	for i, a := range l.Args {
		if a.Buffer == nil {
			continue
		}
		data := make([]byte, len(a.Buffer.Data))
		if _, err := io.ReadFull(p.out, data); err != nil {
			return nil, h.ended(p, err)
		}
		if a.Buffer.Out {
			r.Buffers[i] = data
		}
	}
	return r, nil
}

// ended says why a program ended.
func (h *host) ended(p *program, err error) error {
	p.in.Close()
	for key, running := range h.running {
		if running == p {
			delete(h.running, key)
		}
	}
	return errors.Join(err, p.command.Wait(), errors.New(p.errors.String()))
}

// edited launches with one text of the source replaced by another.
type edited struct {
	launch.Launcher
	old, new string
	done     bool // the source had it
}

func (e *edited) Launch(ctx context.Context, l *launch.Launch) (*launch.Result, error) {
	changed := *l
	changed.Kernel.Source = strings.Replace(l.Kernel.Source, e.old, e.new, 1)
	e.done = e.done || changed.Kernel.Source != l.Kernel.Source
	return e.Launcher.Launch(ctx, &changed)
}

var le = binary.LittleEndian

// recorder keeps what was launched, without the buffers.
type recorder struct {
	launch.Launcher
	launches []launch.Launch
}

func (r *recorder) Launch(ctx context.Context, l *launch.Launch) (*launch.Result, error) {
	kept := *l
	kept.Args = nil
	r.launches = append(r.launches, kept)
	return r.Launcher.Launch(ctx, l)
}

// symbols returns the kernels that were launched, each with its contract.
func (r *recorder) symbols() []string {
	var out []string
	for _, l := range r.launches {
		out = append(out, l.Kernel.Symbol+"/"+l.Kernel.Contract.String())
	}
	slices.Sort(out)
	return slices.Compact(out)
}
