package cpu

// Packed operands are what kernels read from end to end:
//
//	left, tiles of R rows         right, panels of C columns
//	a00 a10 .. aR0                b00 b01 .. b0C
//	a01 a11 .. aR1                b10 b11 .. b1C
//	..                            ..
//
// They are rounded on the way: to the kernel's type by its conversion, and first
// to a half format where that is the request's, in a block beside it. Rows and columns that the
// last tile or panel lacks are zeros; what is computed with them is not part of
// the output.

// panels is a block of the right side, cut into panels as wide as a tile.
type panels[T float32 | float64] struct {
	wide, depth int // of a panel
	k0, j0      int // first row and column of the block
	width       int // columns of the block

	// The first panels are read where they are, the others packed.
	direct int
	source []T // from the block's first element on
	step   int // from one of its rows to the next
	packed []T
}

// panelsOf plans the block of p's right side. Packing a panel pays when several
// tiles read it. Where the left side has the rows of one tile alone, panels are
// read in place if their elements lie side by side and need no rounding.
func panelsOf[T float32 | float64](p product, t tile[T], k0, depth, j0, width int) panels[T] {
	b := panels[T]{wide: t.columns, depth: depth, k0: k0, j0: j0, width: width}
	source, ok := any(p.right.data).([]T)
	if ok && p.m <= t.rows && p.right.column == 1 && p.right.row >= 0 {
		b.direct = width / t.columns
		b.source = source[p.right.offset+k0*p.right.row+j0:]
		b.step = p.right.row
	}
	return b
}

// panel returns panel number s, and how far apart its rows are.
func (b panels[T]) panel(s int) (elements []T, step int) {
	if s < b.direct {
		return b.source[s*b.wide:][:(b.depth-1)*b.step+b.wide], b.step
	}
	size := b.depth * b.wide
	return b.packed[(s-b.direct)*size:][:size], b.wide
}

// pack copies panel number s of m.
func (b panels[T]) pack(m matrix, s int, round func(float64) float64) {
	panel, _ := b.panel(s)
	columns := min(b.wide, b.width-s*b.wide)
	if columns < b.wide {
		clear(panel)
	}
	m = m.block(b.k0, b.j0+s*b.wide)
	if round != nil {
		block := take[float64](&buffers64.operand, b.depth*columns)
		defer give(&buffers64.operand, block)
		m = m.rounded(b.depth, columns, round, block)
	}
	at := m.offset
	if m.column == 1 {
		for k := range b.depth {
			to := panel[k*b.wide:][:columns]
			for j, x := range m.data[at+k*m.row:][:columns] {
				to[j] = T(x)
			}
		}
		return
	}
	packTile(panel, m.transposed(), at, columns, b.depth, b.wide)
}

// packLeft copies rows from i0 and depth columns from k0 of m into tiles that
// are tall rows high.
func packLeft[T float32 | float64](tiles []T, m matrix, round func(float64) float64, i0, rows, k0, depth, tall int) {
	m = m.block(i0, k0)
	if round != nil {
		block := take[float64](&buffers64.operand, rows*depth)
		defer give(&buffers64.operand, block)
		m = m.rounded(rows, depth, round, block)
	}
	for i := 0; i < rows; i += tall {
		tile := tiles[i*depth:][:tall*depth]
		if rows-i < tall {
			clear(tile)
		}
		packTile(tile, m, m.offset+i*m.row, min(tall, rows-i), depth, tall)
	}
}

// packTile copies rows of m, from the element at index at on, into one tile. A
// panel of the right side is one of the transposed matrix.
func packTile[T float32 | float64](tile []T, m matrix, at, rows, depth, tall int) {
	r := 0
	if m.column == 1 {
		// Several rows at a time: what this costs is a pass over the tile for
		// each of them.
		for ; r+4 <= rows; r += 4 {
			r0, r1 := m.data[at+r*m.row:][:depth], m.data[at+(r+1)*m.row:][:depth]
			r2, r3 := m.data[at+(r+2)*m.row:][:depth], m.data[at+(r+3)*m.row:][:depth]
			for k, x := range r0 {
				to := tile[k*tall+r:][:4]
				to[0], to[1], to[2], to[3] = T(x), T(r1[k]), T(r2[k]), T(r3[k])
			}
		}
		for ; r+2 <= rows; r += 2 {
			r0, r1 := m.data[at+r*m.row:][:depth], m.data[at+(r+1)*m.row:][:depth]
			for k, x := range r0 {
				to := tile[k*tall+r:][:2]
				to[0], to[1] = T(x), T(r1[k])
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
