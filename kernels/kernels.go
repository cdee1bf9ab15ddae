// Package kernels is the catalogue of the course's CUDA C: one topic a folder,
// each with its sources, the PTX that comes with the workbench, and the checked
// launches of its kernels.
package kernels

import (
	"slices"
	"strings"

	"workbench/engine/device"
	"workbench/engine/launch"
	"workbench/kernels/add"
	"workbench/kernels/embedding"
	"workbench/kernels/matmul"
	"workbench/kernels/rmsnorm"
	"workbench/kernels/softmax"
	"workbench/kernels/source"
	"workbench/kernels/sumsq"
)

//go:generate go run workbench/engine/cuda/compile/ptx

// Topic is one source and its kernels.
type Topic struct {
	Name    string   // of its folder
	File    string   // of its source, "matmul.cu"
	Source  string   // CUDA C
	Symbols []string // of its kernels, in the source's order
	Card    Card     // what is to be known of each of them

	// PTX returns the source compiled under a contract, with a final zero byte.
	PTX func(c device.Contract) []byte
}

// Card is what the header of a source says of its kernels, in short. Work and
// Traffic are formulas, exact where the sizes fill the tiles of a block. What indexes
// need is in neither: 64-bit arithmetic, and lists of positions.
type Card struct {
	Idea    string      // how the work is divided: "a warp per row"
	Work    string      // of a launch: "2·n operations"; comparisons are none
	Traffic string      // elements that the threads ask of memory, together: "3·n elements"
	Limit   string      // what is expected to end first: "Memory"
	Block   launch.Dim3 // threads of a block, where they must be these; otherwise zero
	Shared  int         // elements of static shared memory, for each block
}

// PTXFile returns the name of a contract's PTX.
func (t Topic) PTXFile(c device.Contract) string {
	return strings.TrimSuffix(t.File, ".cu") + "." + c.String() + ".ptx"
}

// Catalogue lists the sources, a ladder's from its first rung on.
func Catalogue() []Topic {
	topic := func(name string, of source.File, card Card) Topic {
		return Topic{Name: name, File: of.Name, Source: of.Text, Symbols: of.Symbols, Card: card, PTX: of.PTX}
	}
	return []Topic{
		topic("add", add.Source, Card{
			Idea: "an element per thread",
			Work: "n additions", Traffic: "3·n elements", Limit: "Memory",
		}),
		topic("softmax", softmax.Source, Card{
			Idea: "a warp per row",
			Work: "4·R·C + 160·R operations, 2·R·C exponentials", Traffic: "4·R·C elements", Limit: "Memory",
			Block: launch.Dim3{X: 32, Y: 8, Z: 1},
		}),
		topic("rmsnorm", rmsnorm.Source, Card{
			Idea: "a warp per row",
			Work: "4·R·C + 256·R operations, 32·R square roots", Traffic: "4·R·C elements", Limit: "Memory",
			Block: launch.Dim3{X: 32, Y: 8, Z: 1},
		}),
		topic("sumsq", sumsq.Source, Card{
			Idea: "a fixed number of blocks that sweep",
			Work: "2·n + 255·1024 operations", Traffic: "n + 1024 elements", Limit: "Memory",
			Block: launch.Dim3{X: 256, Y: 1, Z: 1}, Shared: 256,
		}),
		topic("matmul", matmul.Naive.Source(), Card{
			Idea: "one thread a cell",
			Work: "2·B·M·N·K + B·M·N operations", Traffic: "2·B·M·N·K + B·M·N elements", Limit: "Memory",
		}),
		topic("matmul", matmul.Tiled.Source(), Card{
			Idea: "a block shares tiles",
			Work: "2·B·M·N·K + B·M·N operations", Traffic: "2·B·M·N·K/16 + B·M·N elements", Limit: "Shared memory",
			Block: launch.Dim3{X: 16, Y: 16, Z: 1}, Shared: 2 * 16 * 16,
		}),
		topic("matmul", matmul.Blocked.Source(), Card{
			Idea: "a thread computes 4×4 cells in registers",
			Work: "2·B·M·N·K + B·M·N operations", Traffic: "2·B·M·N·K/64 + B·M·N elements", Limit: "Arithmetic",
			Block: launch.Dim3{X: 16, Y: 16, Z: 1}, Shared: 2 * 16 * 68,
		}),
		topic("embedding", embedding.AtomicSource, Card{
			Idea: "atomic additions",
			Work: "P·C additions", Traffic: "3·P·C elements", Limit: "Memory",
		}),
		topic("embedding", embedding.SortedSource, Card{
			Idea: "the same bits on every run",
			Work: "P·C additions", Traffic: "P·C + 2·D·C elements", Limit: "Memory",
		}),
	}
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
