package machine

import (
	"fmt"
	"slices"
	"strings"

	"workbench/engine"
	"workbench/engine/device"
)

// withGPU fills in what a report knows of a GPU's finding: its capability and
// memory where it is there, and how little depends on it where it is not.
func withGPU(f Finding, info device.Info, r *engine.CUDA) Finding {
	spec, err := device.ParseSpec(info.Spec)
	if err != nil || spec.Kind != device.CUDA {
		return f
	}
	if !info.Available {
		f.Detail += "; the rest of the course runs without it"
		return f
	}
	if r == nil {
		return f
	}
	for _, g := range r.GPUs {
		if g.Ordinal != spec.Ordinal {
			continue
		}
		f.Detail = fmt.Sprintf("%s, compute capability %d.%d, %s of memory", info.Name, g.Major, g.Minor, gibibytes(g.Memory))
		if g.Free > 0 {
			f.Detail += ", " + gibibytes(g.Free) + " free"
		}
	}
	return f
}

func gibibytes(bytes uint64) string { return fmt.Sprintf("%.1f GiB", float64(bytes)/(1<<30)) }

// libraries says which of NVIDIA's libraries are there. Where no GPU can be used
// the line of cuda:0 says all that most readers want to know, and these are
// asides.
func libraries(r engine.CUDA) []Finding {
	usable := slices.ContainsFunc(r.GPUs, func(g engine.GPU) bool { return g.Problem == nil })
	const folder = "or the CUDA toolkit, or name the folder that it is in with --cuda-library-dir"
	var out []Finding
	for _, l := range []struct {
		name    string
		library *engine.Library
		without string // what is left out
		next    string
		aside   bool
	}{
		{"driver", r.Driver, "no GPU can be used", "install the NVIDIA driver, version 520 or newer; in a container, start it with --gpus all", r.Driver == nil || r.Driver.Path == ""},
		{"NVRTC", r.NVRTC, "kernels that somebody edited cannot be compiled for a GPU, the course's own need no compiler", "install it (pip install " + wheel("nvidia-cuda-nvrtc", r) + "), " + folder, !usable},
		{"cuBLAS", r.CUBLAS, "cuda:0,library cannot be used, cuda:0 and cuda:0,fused need no library", "install it (pip install " + wheel("nvidia-cublas", r) + "), " + folder, !usable},
	} {
		if l.library == nil {
			continue // it was not looked for
		}
		f := Finding{Topic: "gpu", Name: l.name, Status: Present, Detail: version(l.name, r, l.library), aside: l.aside}
		if l.library.Problem != "" {
			f.Status, f.Detail, f.Next = Missing, l.library.Problem+": "+l.without, l.next
			if l.library.Path != "" {
				f.Detail = l.library.Path + ": " + f.Detail
			}
			for _, t := range l.library.Tried {
				f.Tried = append(f.Tried, t.Path+": "+t.Why)
			}
		}
		out = append(out, f)
	}
	return out
}

// version says which version of a library is there, and where.
func version(name string, r engine.CUDA, l *engine.Library) string {
	var words []string
	if name != "driver" {
		words = append(words, l.Version)
	} else {
		words = append(words, r.Release)
		if l.Version != "" {
			words = append(words, "for CUDA up to "+l.Version)
		}
	}
	words = slices.DeleteFunc(words, func(w string) bool { return w == "" })
	if len(words) == 0 {
		return l.Path
	}
	return strings.Join(words, ", ") + " (" + l.Path + ")"
}

// wheel is the Python package of a library for this machine's driver: NVIDIA's
// names have the major version of CUDA up to 12.
func wheel(name string, r engine.CUDA) string {
	if r.Driver != nil {
		if major, _, _ := strings.Cut(r.Driver.Version, "."); major == "11" || major == "12" {
			return name + "-cu" + major
		}
	}
	return name
}
