// Package kernels is the catalogue of the course's CUDA C: one topic a folder,
// each with its source, the PTX that comes with the workbench, and the checked
// launch of its kernels.
package kernels

import (
	"slices"
	"strings"

	"workbench/engine/device"
	"workbench/engine/launch"
	"workbench/kernels/matmul"
)

//go:generate go run workbench/engine/cuda/compile/ptx

// Topic is one source and its kernels.
type Topic struct {
	Name    string   // of its folder
	File    string   // of its source, "matmul.cu"
	Source  string   // CUDA C
	Symbols []string // of its kernels, in the source's order

	// PTX returns the source compiled under a contract, with a final zero byte.
	PTX func(c device.Contract) []byte
}

// PTXFile returns the name of a contract's PTX.
func (t Topic) PTXFile(c device.Contract) string {
	return strings.TrimSuffix(t.File, ".cu") + "." + c.String() + ".ptx"
}

// Catalogue lists the sources.
func Catalogue() []Topic {
	var out []Topic
	for _, v := range matmul.Versions {
		out = append(out, Topic{Name: "matmul", File: v.File(), Source: v.Source(), Symbols: v.Symbols(), PTX: v.PTX})
	}
	return out
}

// Embedded returns the PTX of a kernel that the catalogue has, with a final zero
// byte: one that no one has edited needs no compiler.
func Embedded(k launch.Kernel) (ptx []byte, ok bool) {
	for _, t := range Catalogue() {
		if t.Source == k.Source && slices.Contains(t.Symbols, k.Symbol) {
			return t.PTX(k.Contract), true
		}
	}
	return nil, false
}
