package matmul

import "workbench/engine/device"

// Sector is what memory moves at least, in bytes.
const Sector = 32

// Traffic returns the bytes of the sectors that the warps of a launch ask of global
// memory, loads and stores, in the product of two packed n×n matrices; n must be a
// multiple of 64, so that every block is full. How many of them come from a cache is
// a GPU's business: if none did, this is what its memory would have to move.
func (v Version) Traffic(p device.Precision, n int64) int64 {
	row := 16 * int64(p.Size()) / Sector // sectors of 16 neighbours
	stores := n * n / 16 * row
	if v == Naive {
		// A warp is two rows of 16 cells: for each term two single elements of left, and
		// 16 neighbours of right once for both.
		return (n*n/32*n*(2+row) + stores) * Sector
	}
	// A tile is copied in rows of 16 neighbours, or of 64; each operand once for
	// every tile of the other's side.
	return (2*(n/int64(v.of().tile))*(n*n/16*row) + stores) * Sector
}
