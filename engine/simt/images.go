package simt

import (
	"errors"
	"slices"
	"sync"

	"workbench/engine/launch"
	"workbench/engine/simt/front"
	"workbench/engine/simt/run"
)

// maxImages is how many sources an Emulator keeps ready.
const maxImages = 32

// images are kernels that were read before, those that were asked for last at the
// end. Reading a kernel takes longer than running a small launch of it, and who
// launches one launches it again: a decoder multiplies hundreds of times.
type images struct {
	mu   sync.Mutex
	list []ready
}

// ready is the kernels of a sequence, which have one set of variables. Both
// contracts run the same code.
type ready struct {
	file, source string
	symbols      []string // ascending
	named        bool     // it says what the source's variables hold
	image        *run.Image
}

// of returns the kernels of a sequence, ready to run.
func (i *images) of(launches []*launch.Launch, named bool) (*run.Image, error) {
	k := launches[0].Kernel
	r := ready{file: k.File, source: k.Source, named: named}
	for _, l := range launches {
		r.symbols = append(r.symbols, l.Kernel.Symbol)
	}
	slices.Sort(r.symbols)
	r.symbols = slices.Compact(r.symbols)
	if image := i.find(r); image != nil {
		return image, nil
	}
	// Others need not wait for a source that takes long. Two who read the same one
	// at the same time keep it twice, and the older one is forgotten.
	unit, err := front.Read(k.File, k.Source, front.Options{})
	if err != nil {
		return nil, uncompiled(k, nil, err)
	}
	lowered := unit.Program
	if named {
		lowered = unit.Named
	}
	program, err := lowered(r.symbols...)
	if err != nil {
		return nil, unnamed(launches, unit, err)
	}
	if r.image, err = run.Compile(program); err != nil {
		return nil, err
	}
	i.keep(r)
	return r.image, nil
}

// unnamed says which launch's kernel is not there, if that is what is wrong.
func unnamed(launches []*launch.Launch, unit *front.Unit, err error) error {
	for i, l := range launches {
		var refused *launch.ArgumentError
		if named := uncompiled(l.Kernel, unit, err); errors.As(named, &refused) {
			return launch.At(launches, i, named)
		}
	}
	return uncompiled(launches[0].Kernel, unit, err)
}

func (i *images) find(r ready) *run.Image {
	i.mu.Lock()
	defer i.mu.Unlock()
	at := slices.IndexFunc(i.list, func(have ready) bool {
		return have.named == r.named && have.file == r.file && slices.Equal(have.symbols, r.symbols) && have.source == r.source
	})
	if at < 0 {
		return nil
	}
	found := i.list[at]
	i.list = append(slices.Delete(i.list, at, at+1), found)
	return found.image
}

func (i *images) keep(r ready) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if len(i.list) == maxImages {
		i.list = slices.Delete(i.list, 0, 1)
	}
	i.list = append(i.list, r)
}
