package simt

import (
	"slices"
	"sync"

	"workbench/engine/launch"
	"workbench/engine/simt/front"
	"workbench/engine/simt/run"
)

// maxImages is how many kernels an Emulator keeps ready.
const maxImages = 32

// images are kernels that were read before, the one that was asked for last at the
// end. Reading a kernel takes longer than running a small launch of it, and who
// launches one launches it again: a decoder multiplies hundreds of times.
type images struct {
	mu   sync.Mutex
	list []ready
}

// ready is a kernel that was read. Both contracts run the same code.
type ready struct {
	file, source, symbol string
	image                *run.Image
}

// of returns a kernel, ready to run.
func (i *images) of(k launch.Kernel) (*run.Image, error) {
	if image := i.find(k); image != nil {
		return image, nil
	}
	// Others need not wait for a source that takes long. Two who read the same one
	// at the same time keep it twice, and the older one is forgotten.
	unit, err := front.Read(k.File, k.Source, front.Options{})
	if err != nil {
		return nil, err
	}
	program, err := unit.Program(k.Symbol)
	if err != nil {
		return nil, err
	}
	image, err := run.Compile(program)
	if err != nil {
		return nil, err
	}
	i.keep(ready{k.File, k.Source, k.Symbol, image})
	return image, nil
}

func (i *images) find(k launch.Kernel) *run.Image {
	i.mu.Lock()
	defer i.mu.Unlock()
	at := slices.IndexFunc(i.list, func(r ready) bool { return r.symbol == k.Symbol && r.file == k.File && r.source == k.Source })
	if at < 0 {
		return nil
	}
	r := i.list[at]
	i.list = append(slices.Delete(i.list, at, at+1), r)
	return r.image
}

func (i *images) keep(r ready) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if len(i.list) == maxImages {
		i.list = slices.Delete(i.list, 0, 1)
	}
	i.list = append(i.list, r)
}
