// Package compile turns a kernel into what a GPU loads: it chooses the
// architecture, hands NVRTC the prelude and the options of the contract, reads
// NVRTC's messages, and keeps what it compiled on disk.
package compile

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"workbench/engine/cuda/nvidia"
	"workbench/engine/device"
	"workbench/engine/launch"
	"workbench/kernels/prelude"
)

// Options are NVRTC's options for a contract, but for the architecture. No option
// that trades accuracy for speed is among them: subnormal numbers, divisions and
// square roots are IEEE's, as on the CPU.
func Options(c device.Contract) []string {
	return []string{
		"--std=c++17",
		// Whether left*right + sum may be rounded once.
		fmt.Sprintf("--fmad=%t", c == device.Fused),
		"--pre-include=" + prelude.Name,
	}
}

// lineInfo has the image name the source line of each instruction, for tools
// that show where a kernel went wrong. It changes no instruction.
const lineInfo = "--generate-line-info"

// Compile returns the image of a kernel for a device, a cubin or PTX with a
// final zero byte, and the compiler's log, which holds its warnings. What it
// compiles it keeps in cacheDir, and what it finds there it does not compile
// again; with "" it keeps nothing.
//
// A source that does not compile is a *launch.CompileError, a GPU that this
// NVRTC cannot compile for an *ArchitectureError, and anything else that NVRTC
// refuses a *nvidia.Error.
func Compile(c nvidia.Compiler, cacheDir string, k launch.Kernel, d nvidia.Device) (image []byte, log string, err error) {
	image, _, log, err = Named(c, cacheDir, k, nil, d)
	return image, log, err
}

// Named is Compile for kernels that C++ gives names of its own: an expression
// names each, and lowered is what it is called in the image. With expressions an
// error of the source may be one of theirs.
func Named(c nvidia.Compiler, cacheDir string, k launch.Kernel, expressions []string, d nvidia.Device) (image []byte, lowered []string, log string, err error) {
	if k.Contract != device.Separate && k.Contract != device.Fused {
		return nil, nil, "", &launch.ArgumentError{Symbol: k.Symbol, Field: "contract", Reason: fmt.Sprintf("%s is none: use separate or fused", k.Contract)}
	}
	if k.File == "" {
		k.File = "kernel.cu"
	}
	major, minor, err := c.Version()
	if err != nil {
		return nil, nil, "", err
	}
	known, err := c.Architectures()
	if err != nil {
		return nil, nil, "", err
	}
	architecture, err := choose(known, d)
	if err != nil {
		var unknown *ArchitectureError
		if errors.As(err, &unknown) {
			unknown.Major, unknown.Minor = major, minor
		}
		return nil, nil, "", err
	}

	in := input{
		major: major, minor: minor,
		file: k.File, source: k.Source,
		headers:     prelude.Headers(),
		options:     append(Options(k.Contract), "--gpu-architecture="+architecture, lineInfo),
		expressions: expressions,
	}
	kept := cache{dir: cacheDir, limit: cacheLimit}
	key := in.key()
	if image, log, ok := kept.load(key); ok {
		if len(expressions) == 0 {
			return image, nil, log, nil
		}
		names, _, ok := kept.load(in.namesKey())
		if ok && json.Unmarshal(names, &lowered) == nil && len(lowered) == len(expressions) {
			return image, lowered, log, nil
		}
		lowered = nil
	}

	image, lowered, log, err = c.CompileNamed(in.file, in.source, in.headers, in.options, expressions)
	if err != nil {
		var refused *nvidia.CompileError
		if errors.As(err, &refused) {
			return nil, nil, "", &launch.CompileError{File: k.File, Diagnostics: diagnostics(k.File, k.Source, refused.Log), Log: refused.Log}
		}
		return nil, nil, "", err
	}
	if len(image) == 0 {
		return nil, nil, "", &nvidia.Error{Library: "NVRTC", Call: "nvrtcCompileProgram", Name: "no image", Text: "NVRTC compiled " + k.File + " and returned nothing for " + architecture, Log: log}
	}
	if strings.HasPrefix(architecture, "compute_") && image[len(image)-1] != 0 {
		image = append(image, 0)
	}
	if len(expressions) > 0 {
		names, err := json.Marshal(lowered)
		if err != nil {
			return nil, nil, "", err
		}
		kept.store(in.namesKey(), names, "")
	}
	kept.store(key, image, log)
	return image, lowered, log, nil
}
