package conform

import (
	"errors"
	"fmt"
	"slices"

	"workbench/engine/cuda/nvidia"
)

func moduleCases() []Case {
	return []Case{
		{Name: "module/load", Run: inContext(load)},
		{Name: "module/no such kernel", Run: inContext(noSuchKernel)},
		{Name: "module/broken PTX", Run: inContext(brokenPTX)},
		{Name: "module/PTX of a later version", Run: inContext(laterPTX)},
		{Name: "module/no image", Run: inContext(noImage)},
		{Name: "module/variables", Run: inContext(variables)},
	}
}

// symbols are the kernels of PTX.
var symbols = []string{
	"conform_index", "conform_add", "conform_parameters", "conform_reverse",
	"conform_wait", "conform_print", "conform_store", "conform_trap",
}

// loaded calls f with the kernels, and unloads them after.
func loaded(c nvidia.Context, f func(m nvidia.Module) error) (err error) {
	m, err := c.Load(PTX())
	if err != nil {
		return fmt.Errorf("load: %w", err)
	}
	defer func() { err = errors.Join(err, c.Unload(m)) }()
	return f(m)
}

func load(c nvidia.Context) error {
	return loaded(c, func(m nvidia.Module) error {
		seen := map[nvidia.Function]string{}
		for _, symbol := range symbols {
			f, err := c.Function(m, symbol)
			if err != nil {
				return fmt.Errorf("%s: %w", symbol, err)
			}
			if other, twice := seen[f]; twice || f == 0 {
				return fmt.Errorf("%s has the handle %#x, as %q", symbol, uintptr(f), other)
			}
			seen[f] = symbol
		}
		// A second module of the same image has kernels of its own, and outlives
		// the first one.
		return loaded(c, func(nvidia.Module) error { return nil })
	})
}

// variables are found by name, hold their first values in each module that is
// loaded, and can be written.
func variables(c nvidia.Context) error {
	for range 2 {
		m, err := c.Load(Variables())
		if err != nil {
			return fmt.Errorf("load: %w", err)
		}
		err = errors.Join(inModule(c, m), c.Unload(m))
		if err != nil {
			return err
		}
	}
	return nil
}

func inModule(c nvidia.Context, m nvidia.Module) error {
	for symbol, first := range map[string][]byte{"conform_count": {1, 2, 3, 4, 5, 6, 7, 8}, "conform_weights": make([]byte, 16)} {
		p, bytes, err := c.Global(m, symbol)
		if err != nil || p == 0 || bytes != uint64(len(first)) {
			return fmt.Errorf("%s is at %#x with %d bytes: %w", symbol, uint64(p), bytes, err)
		}
		got := make([]byte, len(first))
		if err := c.CopyOut(got, p); err != nil || !slices.Equal(got, first) {
			return fmt.Errorf("%s holds %v at first: %w", symbol, got, err)
		}
		want := pattern(len(first), 3)
		if err := errors.Join(c.CopyIn(p, want), c.CopyOut(got, p)); err != nil || !slices.Equal(got, want) {
			return fmt.Errorf("%s holds %v after %v was written: %w", symbol, got, want, err)
		}
	}
	_, _, err := c.Global(m, "conform_nothing")
	if err := refused(err, nvidia.NotFound); err != nil {
		return fmt.Errorf("a variable that is not there: %w", err)
	}
	return nil
}

func noSuchKernel(c nvidia.Context) error {
	return loaded(c, func(m nvidia.Module) error {
		for _, symbol := range []string{"conform_nothing", "conform_inde", "conform_index2", ""} {
			_, err := c.Function(m, symbol)
			// The driver calls an empty name an invalid value.
			codes := []int{nvidia.NotFound}
			if symbol == "" {
				codes = append(codes, nvidia.InvalidValue)
			}
			if err := refused(err, codes...); err != nil {
				return fmt.Errorf("%q: %w", symbol, err)
			}
		}
		return nil
	})
}

// unloadable holds an image to being refused.
func unloadable(c nvidia.Context, image []byte, codes ...int) (*nvidia.Error, error) {
	m, err := c.Load(image)
	if err == nil {
		return nil, errors.Join(errors.New("it was loaded"), c.Unload(m))
	}
	if err := refused(err, codes...); err != nil {
		return nil, err
	}
	var e *nvidia.Error
	errors.As(err, &e)
	return e, usable(c)
}

func brokenPTX(c nvidia.Context) error {
	e, err := unloadable(c, Broken(), nvidia.InvalidPTX)
	if err == nil && e.Log == "" {
		err = errors.New("the error has no log of the driver's compiler")
	}
	return err
}

func laterPTX(c nvidia.Context) error {
	_, err := unloadable(c, Later(), nvidia.UnsupportedPTXVersion)
	return err
}

func noImage(c nvidia.Context) error {
	for _, x := range []struct {
		name  string
		image []byte
	}{
		{"nothing", nil},
		{"an empty text", []byte{0}},
		{"a text", []byte("this is no image\x00")},
		{"a text without a final zero byte", []byte("this is no image")},
		{"binary", pattern(512, 5)},
	} {
		if _, err := unloadable(c, x.image, nvidia.InvalidImage, nvidia.InvalidPTX, nvidia.InvalidValue, nvidia.NoBinaryForGPU); err != nil {
			return fmt.Errorf("%s: %w", x.name, err)
		}
	}
	return nil
}
