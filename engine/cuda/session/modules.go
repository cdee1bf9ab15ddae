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

	variables bool // it may have some, and what they hold is that of the last sequence
}

// kernel is a function that can be launched.
type kernel struct {
	function   nvidia.Function
	parameters []int // bytes of each; nil if the image does not tell
	log        string
}

// key names a source as it was compiled. The symbol is not part of it: a source
// holds several kernels.
func key(k launch.Kernel) [sha256.Size]byte {
	h := sha256.New()
	for _, part := range []string{k.Contract.String(), k.File, k.Source} {
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
	f, err := s.context.Function(of.module, k.Symbol)
	if err != nil {
		var refused *nvidia.Error
		if errors.As(err, &refused) && refused.Code == nvidia.NotFound {
			return nil, &launch.ArgumentError{Symbol: k.Symbol, Field: "symbol", Reason: noSuchKernel(k)}
		}
		return nil, s.failed(err, "looking up "+k.Symbol)
	}
	found := &kernel{function: f, parameters: parametersOf(of.image, k.Symbol), log: of.log}
	of.kernels[k.Symbol] = found
	return found, nil
}

// module loads a source for a sequence, compiling it if that was not done before.
// One that has variables is loaded afresh each time: they have their first values
// then, whatever ran before.
func (s *Session) module(k launch.Kernel) (*loaded, error) {
	name := key(k)
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
	if ptx, ok := kernels.Embedded(k); ok {
		made.image = ptx
	} else if err := s.compile(k, made); err != nil {
		return nil, err
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
func (s *Session) compile(k launch.Kernel, made *loaded) error {
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
	made.image, made.log, err = compile.Compile(s.compiler, s.libraries.CacheDir, k, s.device)
	if err != nil {
		return s.notCompiled(err, k)
	}
	return nil
}

func (ms *modules) unload(c nvidia.Context) error {
	var errs []error
	for _, l := range *ms {
		errs = append(errs, c.Unload(l.module))
	}
	*ms = nil
	return errors.Join(errs...)
}

var global = regexp.MustCompile(`__global__[^;{(]*?\b(\w+)\s*\(`)

// noSuchKernel names the kernels that a source seems to have.
func noSuchKernel(k launch.Kernel) string {
	var names []string
	for _, found := range global.FindAllStringSubmatch(k.Source, -1) {
		if !slices.Contains(names, found[1]) {
			names = append(names, found[1])
		}
	}
	reason := fmt.Sprintf(`%s has no extern "C" __global__ function of this name`, k.File)
	switch {
	case slices.Contains(names, k.Symbol):
		return reason + `: write extern "C" before its __global__, or C++ gives it another name`
	case len(names) > 0:
		return reason + ": it has " + strings.Join(names, ", ")
	}
	return reason
}
