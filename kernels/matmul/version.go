package matmul

import (
	_ "embed"
	"fmt"
	"slices"

	"workbench/engine/device"
	"workbench/engine/launch"
	"workbench/kernels/source"
)

// Version is a rung of the ladder: each computes the same cells with the same
// bits, and fetches less from memory than the one before.
type Version uint8

// The versions, from the simplest on.
const (
	Naive   Version = iota // matmul.cu: one thread a cell
	Tiled                  // tiled.cu: 16×16 threads share tiles in shared memory
	Blocked                // blocked.cu: 4×4 cells a thread, in registers
)

// Versions lists them.
var Versions = []Version{Naive, Tiled, Blocked}

//go:embed tiled.cu
var tiledText string

//go:embed blocked.cu
var blockedText string

//go:embed tiled.separate.ptx
var tiledSeparate string

//go:embed tiled.fused.ptx
var tiledFused string

//go:embed blocked.separate.ptx
var blockedSeparate string

//go:embed blocked.fused.ptx
var blockedFused string

// version is what the package has of one.
type version struct {
	name string
	file source.File
	tile int // rows and columns of a block's cells; 0 where any block will do
}

var versions = map[Version]version{
	Naive:   {"naive", sourceOf("naive", File, Source, separatePTX, fusedPTX, device.Precisions...), 0},
	Tiled:   {"tiled", sourceOf("tiled", "tiled.cu", tiledText, tiledSeparate, tiledFused, device.Float64, device.Float32), 16},
	Blocked: {"blocked", sourceOf("blocked", "blocked.cu", blockedText, blockedSeparate, blockedFused, device.Float64, device.Float32), 64},
}

func sourceOf(name, file, text, separate, fused string, precisions ...device.Precision) source.File {
	short := map[device.Precision]string{device.Float64: "f64", device.Float32: "f32", device.Float16: "f16", device.BFloat16: "bf16"}
	out := source.File{Name: file, Text: text, Separate: separate, Fused: fused, Precisions: precisions}
	for _, p := range precisions {
		out.Symbols = append(out.Symbols, "matmul_"+name+"_"+short[p])
	}
	return out
}

func (v Version) of() version {
	of, ok := versions[v]
	if !ok {
		panic(fmt.Sprintf("BUG: the matrix product has no version %d", uint8(v)))
	}
	return of
}

// String returns the word that the version's symbols have.
func (v Version) String() string {
	if of, ok := versions[v]; ok {
		return of.name
	}
	return fmt.Sprintf("Version(%d)", uint8(v))
}

// Source returns the version's CUDA C, whole: no version needs another's.
func (v Version) Source() source.File { return v.of().file }

// Symbol returns the kernel of one of the version's precisions.
func (v Version) Symbol(p device.Precision) string {
	of := v.of().file
	i := slices.Index(of.Precisions, p)
	if i < 0 {
		panic(fmt.Sprintf("BUG: no %s kernel multiplies in %s", v, p))
	}
	return of.Symbols[i]
}

// Geometry returns the grid and the block of a launch with these parameters. The
// naive version takes blocks of 16 × 16 cells of the output, or columns of 256
// where it has one column; the others have the block of their tiles. A grid that
// would be too large is cut to what a device takes, and its blocks go on with the
// cells that are left.
func (v Version) Geometry(p Params) (grid, block launch.Dim3) {
	block = launch.Dim3{X: 16, Y: 16, Z: 1}
	rows, columns := block.Y, block.X // of the output, a block
	switch tile := v.of().tile; {
	case tile != 0:
		rows, columns = tile, tile
	case p.Columns == 1:
		block = launch.Dim3{X: 1, Y: 256, Z: 1}
		rows, columns = block.Y, block.X
	}
	blocks := func(cells int64, each, most int) int {
		return int(min((cells-1)/int64(each)+1, int64(most)))
	}
	return launch.Dim3{
		X: blocks(p.Columns, columns, maxGridX),
		Y: blocks(p.Rows, rows, maxGridYZ),
		Z: blocks(p.Batches, 1, maxGridYZ),
	}, block
}
