package session

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"workbench/engine/cuda/compile"
	"workbench/engine/cuda/nvidia"
	"workbench/engine/launch"
	"workbench/kernels"
)

// mostModules bounds how many compiled sources stay loaded: someone who edits a
// kernel makes a new one with every run, and each takes device memory.
const mostModules = 16

// modules are the sources that launches loaded, the one used last at the end.
type modules []*loaded

// loaded is a source on the device.
type loaded struct {
	key      [sha256.Size]byte
	module   nvidia.Module
	image    []byte
	log      string // warnings of the compiler
	compiled string // by which NVRTC; empty for PTX that comes with the workbench
	kernels  map[string]*kernel
	lowered  map[string]string // what kernels that C++ names are called in the image

	variables bool // it may have some, and what they hold is that of the last sequence
}

// kernel is a function that can be launched.
type kernel struct {
	function   nvidia.Function
	parameters []int // bytes of each; nil if the image does not tell
	log        string
}

// key names a source as it was compiled, with the kernels that C++ names. Others are
// not part of it: a source holds several.
func key(k launch.Kernel, expressions []string) [sha256.Size]byte {
	h := sha256.New()
	for _, part := range append([]string{k.Contract.String(), k.File, k.Source}, expressions...) {
		h.Write(binary.LittleEndian.AppendUint64(nil, uint64(len(part))))
		h.Write([]byte(part))
	}
	return [sha256.Size]byte(h.Sum(nil))
}

// kernel returns a kernel of a source that is loaded.
func (s *Session) kernel(of *loaded, k launch.Kernel) (*kernel, error) {
	if found := of.kernels[k.Symbol]; found != nil {
		return found, nil
	}
	symbol := k.Symbol
	if lowered, ok := of.lowered[symbol]; ok {
		symbol = lowered
	}
	f, err := s.context.Function(of.module, symbol)
	if err != nil {
		var refused *nvidia.Error
		if errors.As(err, &refused) && refused.Code == nvidia.NotFound {
			return nil, &launch.ArgumentError{Symbol: k.Symbol, Field: "symbol", Reason: noSuchKernel(k)}
		}
		return nil, s.failed(err, "looking up "+k.Symbol)
	}
	found := &kernel{function: f, parameters: parametersOf(of.image, symbol), log: of.log}
	of.kernels[k.Symbol] = found
	return found, nil
}

// identifier is a name that a function which is extern "C" can have. Others are
// expressions of C++.
var identifier = regexp.MustCompile(`^[A-Za-z_]\w*$`)

// named loads the source of a sequence with all its kernels: those that are
// extern "C", by their names, and those that C++ gives other names in the image,
// which NVRTC has to be told of.
func (s *Session) named(launches []*launch.Launch) (*loaded, error) {
	k := launches[0].Kernel
	var expressions []string
	for _, l := range launches {
		if !identifier.MatchString(l.Kernel.Symbol) {
			expressions = append(expressions, l.Kernel.Symbol)
		}
	}
	of, err := s.module(launches, expressions)
	if err != nil {
		return nil, err
	}
	mangled := 0
	for _, l := range launches {
		symbol := l.Kernel.Symbol
		if !identifier.MatchString(symbol) || !slices.Contains(globals(k), symbol) {
			continue
		}
		switch _, err := s.kernel(of, l.Kernel); {
		case missing(err):
			expressions = append(expressions, symbol)
			mangled++
		case err != nil:
			return nil, err
		}
	}
	if mangled == 0 {
		return of, nil
	}
	return s.module(launches, expressions)
}

// missing reports whether err is that of a kernel which is not there.
func missing(err error) bool {
	var refused *launch.ArgumentError
	return errors.As(err, &refused)
}

// constants returns where the variables are that a launch sets.
func (s *Session) constants(of *loaded, l *launch.Launch) ([]nvidia.Pointer, error) {
	var out []nvidia.Pointer
	for _, c := range l.Constants {
		refuse := func(format string, args ...any) error {
			return &launch.ArgumentError{Symbol: l.Kernel.Symbol, Field: "constants", Reason: fmt.Sprintf(format, args...)}
		}
		p, bytes, err := s.context.Global(of.module, c.Name)
		var refused *nvidia.Error
		switch {
		case errors.As(err, &refused) && refused.Code == nvidia.NotFound:
			return nil, refuse("%s has no variable %s that the kernel uses", l.Kernel.File, c.Name)
		case err != nil:
			return nil, s.failed(err, "looking up "+c.Name)
		case uint64(len(c.Value)) > bytes:
			return nil, refuse("%s has %d bytes and was given %d", c.Name, bytes, len(c.Value))
		}
		out = append(out, p)
	}
	return out, nil
}

// module loads a source for a sequence, compiling it if that was not done before.
// One that has variables is loaded afresh each time: they have their first values
// then, whatever ran before.
func (s *Session) module(launches []*launch.Launch, expressions []string) (*loaded, error) {
	k := launches[0].Kernel
	slices.Sort(expressions)
	expressions = slices.Compact(expressions)
	name := key(k, expressions)
	if i := slices.IndexFunc(s.modules, func(l *loaded) bool { return l.key == name }); i >= 0 {
		found := s.modules[i]
		s.modules = slices.Delete(s.modules, i, i+1)
		if found.variables {
			if err := s.context.Unload(found.module); err != nil {
				return nil, s.failed(err, "unloading a kernel to load it afresh")
			}
			if err := s.load(k, found); err != nil {
				return nil, err
			}
		}
		s.modules = append(s.modules, found)
		return found, nil
	}
	made := &loaded{key: name}
	if ptx, ok := kernels.Embedded(k); ok && len(expressions) == 0 {
		made.image = ptx
	} else if err := s.compile(k, expressions, made); err != nil {
		return nil, s.unnamed(launches, expressions, err)
	}
	if err := s.load(k, made); err != nil {
		return nil, err
	}
	made.variables = hasVariables(made.image)
	s.modules = append(s.modules, made)
	for len(s.modules) > mostModules {
		oldest := s.modules[0]
		s.modules = slices.Delete(s.modules, 0, 1)
		if err := s.context.Unload(oldest.module); err != nil {
			return nil, s.failed(err, "unloading a kernel that was not used for long")
		}
	}
	return made, nil
}

// load loads what was compiled.
func (s *Session) load(k launch.Kernel, of *loaded) error {
	of.kernels = map[string]*kernel{}
	var err error
	if of.module, err = s.context.Load(of.image); err != nil {
		return s.notLoaded(err, k, of.compiled)
	}
	return nil
}

// compile fills in the image of a source.
func (s *Session) compile(k launch.Kernel, expressions []string, made *loaded) error {
	if s.compiler == nil {
		if s.libraries.Compiler == nil {
			return errors.New("BUG: this session was given no NVRTC to open")
		}
		c, err := s.libraries.Compiler()
		if err != nil {
			var missing *nvidia.MissingError
			if errors.As(err, &missing) {
				return unavailable(s.spec.Ordinal, s.version, missing)
			}
			return s.failed(err, "opening NVRTC")
		}
		s.compiler = c
	}
	major, minor, err := s.compiler.Version()
	if err != nil {
		return s.failed(err, "opening NVRTC")
	}
	made.compiled = fmt.Sprintf("%d.%d", major, minor)
	if major > s.version/1000 {
		return s.tooOldForLibrary(fmt.Sprintf("NVRTC %s makes kernels for CUDA %d", made.compiled, major), nil)
	}
	var lowered []string
	made.image, lowered, made.log, err = compile.Named(s.compiler, s.libraries.CacheDir, k, expressions, s.device)
	if err != nil {
		return s.notCompiled(err, k)
	}
	made.lowered = map[string]string{}
	for i, name := range expressions {
		made.lowered[name] = lowered[i]
	}
	return nil
}

// unnamed says which kernel is not there, where a source compiles but for an
// expression that is to name one.
func (s *Session) unnamed(launches []*launch.Launch, expressions []string, err error) error {
	var refused *launch.CompileError
	if len(expressions) == 0 || !errors.As(err, &refused) || s.compile(launches[0].Kernel, nil, &loaded{}) != nil {
		return err
	}
	for i, l := range launches {
		k := l.Kernel
		if !slices.Contains(expressions, k.Symbol) || s.compile(k, []string{k.Symbol}, &loaded{}) == nil {
			continue
		}
		reason := noSuchKernel(k)
		if len(refused.Diagnostics) > 0 {
			reason += "; the compiler says: " + refused.Diagnostics[0].Message
		}
		return launch.At(launches, i, &launch.ArgumentError{Symbol: k.Symbol, Field: "symbol", Reason: reason})
	}
	return err
}

func (ms *modules) unload(c nvidia.Context) error {
	var errs []error
	for _, l := range *ms {
		errs = append(errs, c.Unload(l.module))
	}
	*ms = nil
	return errors.Join(errs...)
}

var global = regexp.MustCompile(`__global__(?:[^;{(]*?__launch_bounds__\s*\([^)]*\))?[^;{(]*?\b(\w+)\s*\(`)

// globals names the kernels that a source seems to have.
func globals(k launch.Kernel) []string {
	var names []string
	for _, found := range global.FindAllStringSubmatch(k.Source, -1) {
		if !slices.Contains(names, found[1]) {
			names = append(names, found[1])
		}
	}
	return names
}

func noSuchKernel(k launch.Kernel) string {
	reason := fmt.Sprintf("%s has no __global__ function of this name", k.File)
	if names := globals(k); len(names) > 0 {
		reason += ": it has " + strings.Join(names, ", ")
	}
	return reason
}
