package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/pflag"

	"workbench/engine"
)

// workerCommand is the word that makes the program the process of a GPU, or one
// that looks for GPUs. The program starts it by itself, so no help lists it.
const workerCommand = "worker"

// asWorker runs the program as such a process if its arguments say so. It comes
// before everything else: a worker ends by signals as any process does, and has
// nothing to do with flags and help.
func asWorker(args []string, stderr io.Writer) (status int, ok bool) {
	if len(args) == 0 || args[0] != workerCommand {
		return 0, false
	}
	if err := engine.ServeWorker(args[1:]); err != nil {
		fmt.Fprintf(stderr, "workbench worker: %v\n", err)
		return statusFailed, true
	}
	return statusOK, true
}

// libraryFlag declares --cuda-library-dir, of every command that may use a GPU.
// It holds for the process and for those that it starts.
func libraryFlag(flags *pflag.FlagSet) {
	flags.Var(libraryDir{}, "cuda-library-dir", "where NVRTC and cuBLAS are looked for first; by default $"+engine.CUDALibraryDir)
}

// libraryDir is the flag's value: the environment variable.
type libraryDir struct{}

func (libraryDir) String() string { return "" }
func (libraryDir) Type() string   { return "folder" }

func (libraryDir) Set(dir string) error {
	const give = ": give the folder that holds libnvrtc and libcublas"
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return errors.New("there is no such folder" + give)
	case err != nil:
		return err
	case !info.IsDir():
		return errors.New("it is not a folder" + give)
	}
	if dir, err = filepath.Abs(dir); err != nil {
		return err
	}
	return os.Setenv(engine.CUDALibraryDir, dir)
}
