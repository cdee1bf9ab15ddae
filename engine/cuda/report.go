package cuda

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"time"

	"workbench/engine/cuda/library"
	"workbench/engine/cuda/nvidia"
	"workbench/engine/cuda/session"
	"workbench/engine/cuda/worker"
	"workbench/engine/device"
)

// Report is what a machine has for CUDA.
type Report struct {
	System  string `json:"system"`            // "linux/amd64"
	Release string `json:"release,omitempty"` // of the driver: "580.95.05"
	Driver  *Found `json:"driver"`            // its version is the newest CUDA it supports: "13.0"
	NVRTC   *Found `json:"nvrtc,omitempty"`   // nil if it was not asked for
	CUBLAS  *Found `json:"cublas,omitempty"`  // likewise
	GPUs    []GPU  `json:"gpus"`

	// Missing is why cuda:0 cannot be opened, as opening it says; nil if it can.
	Missing *device.UnavailableError `json:"missing,omitempty"`
}

// Found is one of NVIDIA's libraries.
type Found struct {
	Version string         `json:"version,omitempty"` // "13.1.0"; empty if it cannot be used, or there is no GPU to ask it on
	Path    string         `json:"path,omitempty"`    // the file, or the name by which the loader finds it
	Problem string         `json:"problem,omitempty"` // why it cannot be used; empty if it can
	Tried   []nvidia.Tried `json:"tried,omitempty"`   // where it was looked for, if it was not found
}

// GPU is one of the devices that the driver shows.
type GPU struct {
	nvidia.Device
	Free    uint64                   `json:"free"`              // bytes of its memory, 0 where that was not asked
	Problem *device.UnavailableError `json:"problem,omitempty"` // why the workbench cannot use it
}

// What a process that looks for them is asked.
const (
	askAll  = "--probe" // everything of a Report
	askGPUs = "--list"  // GPUs, Missing and the driver, which takes a moment less and no device memory
)

// How long looking may take. A driver that starts reads the GPUs' state, for
// seconds where there are many of them.
const (
	allLimit  = 30 * time.Second
	gpusLimit = 15 * time.Second
)

// Probe says what driver, libraries and GPUs there are. It finds that out in a
// process of its own: a driver may crash or hang, and takes memory for good.
func Probe(ctx context.Context) (Report, error) { return ask(ctx, askAll, allLimit) }

func ask(ctx context.Context, what string, limit time.Duration) (Report, error) {
	none := device.Spec{Kind: device.CUDA}
	r := Report{System: runtime.GOOS + "/" + runtime.GOARCH}
	if err := refused(ctx, none); err != nil {
		errors.As(err, &r.Missing)
		return r, err
	}
	c, err := command(none, what)
	if err != nil {
		errors.As(err, &r.Missing)
		return r, err
	}
	answer, err := worker.Ask(ctx, c, limit)
	if err == nil {
		err = json.Unmarshal(answer, &r)
	}
	if ctx.Err() != nil {
		return r, ctx.Err()
	}
	if err != nil {
		r = Report{System: r.System, Missing: &device.UnavailableError{
			Spec: none, Reason: "the process that looks for GPUs failed: " + err.Error(),
			Next: "look whether `nvidia-smi` answers; where the driver hangs, restart the machine",
		}}
		return r, r.Missing
	}
	return r, nil
}

// answer is the other side of ask: it looks, in this process, and writes what it
// saw.
func answer(what string, limit time.Duration, libraries func() (session.Libraries, error), path func(library.Kind) (string, error)) error {
	to, err := worker.Answer()
	if err != nil {
		return err
	}
	// Whoever asked may be gone, and a driver hang.
	time.AfterFunc(2*limit, func() { os.Exit(1) })
	runtime.LockOSThread()
	return json.NewEncoder(to).Encode(look(what == askAll, libraries, path))
}

// look finds out what a Report says. Contexts belong to the thread that opens
// them, so the caller has locked its own.
func look(all bool, libraries func() (session.Libraries, error), path func(library.Kind) (string, error)) (r Report) {
	r = Report{System: runtime.GOOS + "/" + runtime.GOARCH, Release: release()}
	l, err := libraries()
	if all {
		r.NVRTC = found(library.NVRTC, path, func() (string, error) {
			c, err := l.Compiler()
			if err != nil {
				return "", err
			}
			major, minor, err := c.Version()
			return fmt.Sprintf("%d.%d", major, minor), err
		})
		defer func() {
			if r.CUBLAS == nil { // nothing to open it on
				r.CUBLAS = found(library.CUBLAS, path, func() (string, error) { return "", nil })
			}
		}()
	}
	if err != nil {
		r.Driver = notFound(err)
		r.missing(session.Explain(0, err))
		return r
	}
	_, version, err := session.Find(l.Driver, 0)
	r.missing(err)
	r.Driver = found(library.Driver, path, func() (string, error) {
		if version == 0 {
			return "", err
		}
		return fmt.Sprintf("%d.%d", version/1000, version%1000/10), nil
	})
	devices, err := l.Driver.Devices()
	if err != nil {
		return r // which Find has said
	}
	for i, d := range devices {
		g := GPU{Device: d}
		if _, _, err := session.Find(l.Driver, i); err != nil {
			errors.As(err, &g.Problem)
		} else if all {
			r.open(&g, l, path)
		}
		r.GPUs = append(r.GPUs, g)
	}
	return r
}

// missing notes why cuda:0 cannot be opened.
func (r *Report) missing(err error) {
	if err != nil && !errors.As(err, &r.Missing) {
		r.Missing = &device.UnavailableError{Spec: device.Spec{Kind: device.CUDA}, Reason: err.Error(), Next: "look whether `nvidia-smi` answers"}
	}
}

// open looks at what a GPU alone can tell: its free memory, and once whether
// cuBLAS multiplies on it.
func (r *Report) open(g *GPU, l session.Libraries, path func(library.Kind) (string, error)) {
	c, err := l.Driver.Open(g.Ordinal)
	if err != nil {
		errors.As(session.Explain(g.Ordinal, err), &g.Problem)
		return
	}
	defer c.Close()
	if free, _, err := c.Memory(); err == nil {
		g.Free = free
	}
	if r.CUBLAS != nil {
		return
	}
	r.CUBLAS = found(library.CUBLAS, path, func() (string, error) {
		b, err := l.BLAS()
		if err != nil {
			return "", err
		}
		defer b.Close()
		version, err := b.Version()
		if err != nil {
			return "", err
		}
		// The session knows which driver is too old for which library.
		s, err := session.Open(l, g.Ordinal)
		if err != nil {
			return "", err
		}
		defer s.Close()
		bytes := [3][8]byte{}
		_, err = s.Multiply(session.Product{B: 1, M: 1, K: 1, N: 1, Contract: device.Fused, Library: true}, bytes[0][:], bytes[1][:], bytes[2][:])
		return fmt.Sprintf("%d.%d.%d", version/10000, version/100%100, version%100), err
	})
}

// found is a library whose version use returns, or what use says against it.
func found(k library.Kind, path func(library.Kind) (string, error), use func() (version string, err error)) *Found {
	f := &Found{}
	var err error
	if f.Path, err = path(k); err != nil {
		return notFound(err)
	}
	if f.Version, err = use(); err != nil {
		f.fail(err)
	}
	return f
}

func notFound(err error) *Found {
	f := &Found{}
	f.fail(err)
	return f
}

func (f *Found) fail(err error) {
	var missing *nvidia.MissingError
	var unavailable *device.UnavailableError
	switch {
	case errors.As(err, &missing):
		f.Tried = missing.Tried
		f.Problem = missing.Reason
		if len(missing.Tried) > 0 {
			f.Problem = "it was not found"
		}
	case errors.As(err, &unavailable):
		f.Problem = unavailable.Reason
	default:
		f.Problem = err.Error()
	}
}

// release returns the release of NVIDIA's kernel module, "580.95.05", or nothing.
func release() string {
	text, err := os.ReadFile("/proc/driver/nvidia/version")
	if err != nil {
		return ""
	}
	return releaseIn(string(text))
}

// releaseIn finds the release in what the module says of itself:
//
//	NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.104.05  Sat Aug 19 01:15:15 UTC 2023
//	NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.95.05  Release Build  (…)
func releaseIn(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	for _, word := range strings.Fields(line) {
		if strings.Count(word, ".") >= 1 && strings.Trim(word, "0123456789.") == "" {
			return word
		}
	}
	return ""
}
