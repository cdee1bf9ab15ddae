package race

import "testing"

// BenchmarkTile is what a block of 16×16 threads does with one pair of tiles of
// a matrix product, per access of a warp.
func BenchmarkTile(b *testing.B) {
	w := newWorld(1, 8)
	read, write := w.site(Site{Kind: Read}), w.site(Site{Kind: Write})
	var own, row, column [8][16][32]int64
	for warp := range 8 {
		for k := range 16 {
			for lane := range 32 {
				x, y := int64(lane%16), int64(2*warp+lane/16)
				own[warp][k][lane] = 4 * (16*y + x)
				row[warp][k][lane] = 4 * (16*y + int64(k))
				column[warp][k][lane] = 1024 + 4*(16*int64(k)+x)
			}
		}
	}
	accesses := 0
	for b.Loop() {
		for warp := range 8 {
			v := w.blocks[0].Warp(warp)
			v.Access(read, w.global, all, &own[warp][0], 4, 4)
			v.Access(write, w.shared[0], all, &own[warp][0], 4, 4)
		}
		w.barrier(0)
		for warp := range 8 {
			v := w.blocks[0].Warp(warp)
			for k := range 16 {
				v.Access(read, w.shared[0], all, &row[warp][k], 4, 4)
				v.Access(read, w.shared[0], all, &column[warp][k], 4, 4)
			}
		}
		w.barrier(0)
		accesses += 8 * 34
	}
	if len(w.races) > 0 {
		b.Fatal(w.races[0])
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(accesses), "ns/access")
}
