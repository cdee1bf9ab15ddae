// Package ladder is the versions of the matrix product beside a vendor's library:
// how fast each is on a GPU, and what memory alone would allow it. A Ladder is made
// of figures that were measured before (Of), or measured now (Measure).
//
//	rung      GFLOP/s   of the library   asks memory for   which would allow
//	naive        1148           0.0235            275 GB                1694
//	tiled        7339            0.150             34 GB               13548
//	blocked     27009            0.552              9 GB               54193
//	cuBLAS      48956                1
//
// The last column is no upper bound where a cache answers: it says how fast the
// rung would be if every sector that its warps ask for crossed the GPU's memory, at
// the speed at which an addition of two long arrays moves its bytes.
package ladder

import (
	"workbench/engine/device"
	"workbench/kernels/matmul"
)

// Library is the name of the rung that is the vendor's.
const Library = "cuBLAS"

// Precisions are those that every version has.
var Precisions = []device.Precision{device.Float32, device.Float64}

// Ladder is one product of two Size×Size matrices by every rung.
type Ladder struct {
	Precision  string `json:"precision"`
	Size       int    `json:"size"`
	Operations int64  `json:"operations"` // 2·Size³

	// Memory is how many GB a second an addition of two long arrays moves on the same
	// GPU; 0 where that was not measured.
	Memory float64 `json:"memory"`

	Rungs []Rung `json:"rungs"` // the versions, then the library

	// Of a ladder that was measured now.
	Device  string `json:"device,omitempty"`  // what ran it: "NVIDIA H200"
	Runs    int    `json:"runs,omitempty"`    // of which each speed is the median
	Missing string `json:"missing,omitempty"` // why there is no library
}

// Rung is one way to make the product.
type Rung struct {
	Name   string  `json:"name"`
	Speed  float64 `json:"speed"`            // GFLOP/s, the median
	Spread float64 `json:"spread,omitempty"` // between the quartiles
	Ratio  float64 `json:"ratio,omitempty"`  // of the library's speed; 0 where that is not there

	// What its warps ask of memory, in bytes, and the speed that memory would allow
	// for that, in GFLOP/s. 0 where nobody knows, as of a library.
	Bytes   int64   `json:"bytes,omitempty"`
	Allowed float64 `json:"allowed,omitempty"`
}

// Fits reports whether a ladder of this size can be made: the versions' traffic is
// known where their blocks are full.
func Fits(size int) bool { return size >= 64 && size <= Largest && size%64 == 0 }

// Largest is the largest size that is measured: in float64 its three matrices take
// 384 MiB.
const Largest = 4096

// Name returns the name by which a measured figure of a rung is kept.
func Name(p device.Precision, size int, rung string) string {
	return figure(p, size) + rung
}

// Of makes a ladder of figures by their names; a figure is a value, and the
// distance between its quartiles. Rungs that were not measured are left out.
func Of(p device.Precision, size int, find func(name string) (value, spread float64, ok bool)) *Ladder {
	l := begin(p, size)
	l.Memory, _, _ = find(additionFigure)
	for _, v := range matmul.Versions {
		if speed, spread, ok := find(Name(p, size, v.String())); ok {
			l.Rungs = append(l.Rungs, Rung{Name: v.String(), Speed: speed, Spread: spread})
		}
	}
	if speed, spread, ok := find(Name(p, size, Library)); ok {
		l.Rungs = append(l.Rungs, Rung{Name: Library, Speed: speed, Spread: spread})
	}
	l.finish(p)
	return l
}

func begin(p device.Precision, size int) *Ladder {
	n := int64(size)
	return &Ladder{Precision: p.String(), Size: size, Operations: 2 * n * n * n}
}

// finish holds the rungs beside the library and beside memory.
func (l *Ladder) finish(p device.Precision) {
	library := 0.0
	for _, r := range l.Rungs {
		if r.Name == Library {
			library = r.Speed
		}
	}
	for i := range l.Rungs {
		r := &l.Rungs[i]
		if library > 0 {
			r.Ratio = r.Speed / library
		}
		for _, v := range matmul.Versions {
			if v.String() != r.Name || !Fits(l.Size) {
				continue
			}
			r.Bytes = v.Traffic(p, int64(l.Size))
			r.Allowed = float64(l.Operations) / float64(r.Bytes) * l.Memory
		}
	}
}
