//go:build amd64 || arm64

package library

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/ebitengine/purego"

	"workbench/engine/cuda/nvidia"
)

// noLoad is RTLD_NOLOAD of Linux's dlfcn.h.
const noLoad = 0x4

// here is the environment of this process.
func here() environment {
	return environment{
		goarch: runtime.GOARCH,
		getenv: os.Getenv,
		isDir: func(path string) bool {
			info, err := os.Stat(path)
			return err == nil && info.IsDir()
		},
		isFile: func(path string) bool {
			info, err := os.Stat(path)
			return err == nil && !info.IsDir()
		},
		absolute: func(path string) string {
			if whole, err := filepath.Abs(path); err == nil {
				return whole
			}
			return path
		},
		glob: func(pattern string) []string {
			found, _ := filepath.Glob(pattern) // in order; fails for bad patterns alone
			return found
		},
		lookPath: func(program string) string {
			path, err := exec.LookPath(program)
			if err != nil {
				return ""
			}
			return path
		},
		realPath: filepath.EvalSymlinks,
	}
}

func open(k Kind) (*Library, error) {
	missing := &nvidia.MissingError{Library: k.String()}
	for _, c := range candidates(k, here()) {
		if c.absent != "" {
			missing.Tried = append(missing.Tried, nvidia.Tried{Path: c.path, Why: c.absent})
			continue
		}
		handle, why := load(c)
		if why == "" {
			return &Library{kind: k, path: c.path, handle: handle}, nil
		}
		missing.Tried = append(missing.Tried, nvidia.Tried{Path: c.path, Why: why})
	}
	if len(missing.Tried) == 0 {
		missing.Reason = OnlyVariable + "=1 leaves the folder of " + DirVariable + " alone, and that is not set"
	}
	return nil, missing
}

// load opens one candidate and returns "" or why it cannot be opened.
func load(c candidate) (handle uintptr, why string) {
	if c.loaded {
		handle, err := dlopen(c.path, purego.RTLD_NOW|purego.RTLD_LOCAL|noLoad)
		if err != nil {
			return 0, "not loaded by this process yet"
		}
		return handle, ""
	}
	for _, companion := range c.companions {
		// Where one does not open, the library's own message says what it needs.
		_, _ = dlopen(companion, purego.RTLD_NOW|purego.RTLD_GLOBAL)
	}
	// RTLD_NOW: a library whose needs are not met must be refused here, and not
	// end the process at its first call.
	handle, err := dlopen(c.path, purego.RTLD_NOW|purego.RTLD_LOCAL)
	if err != nil {
		return 0, strings.TrimPrefix(err.Error(), c.path+": ")
	}
	return handle, ""
}

// dlopen keeps the call and the question for its error, which belongs to a
// thread, on one thread.
func dlopen(path string, mode int) (uintptr, error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	return purego.Dlopen(path, mode)
}

func symbol(handle uintptr, name string) (uintptr, error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	return purego.Dlsym(handle, name)
}
