package cpu

// Packed operands are what kernels read from end to end:
//
//	left, tiles of R rows         right, panels of C columns
//	a00 a10 .. aR0                b00 b01 .. b0C
//	a01 a11 .. aR1                b10 b11 .. b1C
//	..                            ..
//
// They are rounded to the kernel's type on the way. Rows and columns that the
// last tile or panel lacks are zeros; what is computed with them is not part of
// the output.

// packRight copies depth rows from k0 and columns from j0 of m into one panel
// that is wide columns wide.
func packRight[T float32 | float64](panel []T, m matrix, k0, depth, j0, columns, wide int) {
	if columns < wide {
		clear(panel)
	}
	at := m.offset + k0*m.row + j0*m.column
	if m.column == 1 {
		for k := range depth {
			to := panel[k*wide:][:columns]
			for j, x := range m.data[at+k*m.row:][:columns] {
				to[j] = T(x)
			}
		}
		return
	}
	for j := range columns {
		from := at + j*m.column
		for k := range depth {
			panel[k*wide+j] = T(m.data[from])
			from += m.row
		}
	}
}

// packLeft copies rows from i0 and depth columns from k0 of m into tiles that
// are tall rows high.
func packLeft[T float32 | float64](tiles []T, m matrix, i0, rows, k0, depth, tall int) {
	for i := 0; i < rows; i += tall {
		tile := tiles[i*depth:][:tall*depth]
		if rows-i < tall {
			clear(tile)
		}
		at := m.offset + (i0+i)*m.row + k0*m.column
		packTile(tile, m, at, min(tall, rows-i), depth, tall)
	}
}

// packTile copies rows of m, from the element at index at on, into one tile.
func packTile[T float32 | float64](tile []T, m matrix, at, rows, depth, tall int) {
	r := 0
	if m.column == 1 {
		// Two rows at a time: a store for each element is what this costs, and
		// pairs of them meet in a cache line.
		for ; r+1 < rows; r += 2 {
			upper := m.data[at+r*m.row:][:depth]
			lower := m.data[at+(r+1)*m.row:][:depth]
			to := tile[r:]
			for k, x := range upper {
				pair := to[k*tall:][:2]
				pair[0], pair[1] = T(x), T(lower[k])
			}
		}
	}
	for ; r < rows; r++ {
		from := at + r*m.row
		for k := range depth {
			tile[k*tall+r] = T(m.data[from])
			from += m.column
		}
	}
}
