package cpu

import "golang.org/x/sys/cpu"

// The kernels of tile_avx2_amd64.s and tile_avx512_amd64.s, as type tile
// describes them. They check no bounds: the caller cuts the slices to what they
// read and write.

//go:noescape
func separate64AVX2(k int, a, b []float64, step int, c []float64, stride int)

//go:noescape
func fused64AVX2(k int, a, b []float64, step int, c []float64, stride int)

//go:noescape
func separate32AVX2(k int, a, b []float32, step int, c []float32, stride int)

//go:noescape
func fused32AVX2(k int, a, b []float32, step int, c []float32, stride int)

//go:noescape
func separate64AVX512(k int, a, b []float64, step int, c []float64, stride int)

//go:noescape
func fused64AVX512(k int, a, b []float64, step int, c []float64, stride int)

//go:noescape
func separate32AVX512(k int, a, b []float32, step int, c []float32, stride int)

//go:noescape
func fused32AVX512(k int, a, b []float32, step int, c []float32, stride int)

// vectorTiers returns the tiers of vector code that this processor runs,
// slowest first.
func vectorTiers() []*tier {
	var tiers []*tier
	if cpu.X86.HasAVX2 && cpu.X86.HasFMA {
		tiers = append(tiers, &tier{
			name:    "avx2",
			float64: tile[float64]{rows: 6, columns: 8, separate: separate64AVX2, fused: fused64AVX2},
			float32: tile[float32]{rows: 6, columns: 16, separate: separate32AVX2, fused: fused32AVX2},
		})
	}
	if cpu.X86.HasAVX512F {
		tiers = append(tiers, &tier{
			name:    "avx512",
			float64: tile[float64]{rows: 8, columns: 24, separate: separate64AVX512, fused: fused64AVX512},
			float32: tile[float32]{rows: 8, columns: 48, separate: separate32AVX512, fused: fused32AVX512},
		})
	}
	return tiers
}
