package cpu

import (
	"context"
	"sync"

	"workbench/engine/device"
)

// A large product is cut so that what a kernel reads stays near it (K. Goto and
// R. van de Geijn, "Anatomy of high-performance matrix multiplication", ACM
// TOMS 34(3), 2008):
//
//	wideBlock   columns of the right side, packed with depth rows: in the last cache
//	depthBlock  terms of the contraction
//	tallBlock   rows of the left side, packed with depth columns: in the second cache
//
// The contraction is cut too, and its parts follow each other in ascending
// order with the running sums kept in the output between them: the chain of a
// cell is that of the reference, term by term.
const (
	depthBlock = 256
	tallBlock  = 144 // a multiple of the rows of every tile
	wideBlock  = 2016
)

// blocked computes p with tiles, its running sums in sums, [m, n] row-major and
// zero at first.
func blocked[T float32 | float64](ctx context.Context, p product, t tile[T], kept *buffers[T], contract device.Contract, sums []T, workers int) error {
	kernel := t.kernel(contract)
	tall := tallBlock
	if workers > 1 {
		// Several blocks for each worker, so that none waits long for another.
		tall = min(tall, roundUp((p.m+4*workers-1)/(4*workers), t.rows))
	}
	rowBlocks := (p.m + tall - 1) / tall

	for j0 := 0; j0 < p.n; j0 += wideBlock {
		width := min(wideBlock, p.n-j0)
		panels := (width + t.columns - 1) / t.columns
		// Where there are few rows the workers share the columns.
		shares := min(panels, max(1, 4*workers/rowBlocks))
		if workers == 1 {
			shares = 1
		}
		for k0 := 0; k0 < p.k; k0 += depthBlock {
			depth := min(depthBlock, p.k-k0)
			panel := depth * t.columns
			right := take[T](&kept.right, panels*panel)
			err := parallel(ctx, workers, panels, func(s int) {
				packRight(right[s*panel:(s+1)*panel], p.right, k0, depth, j0+s*t.columns, min(t.columns, width-s*t.columns), t.columns)
			})
			if err != nil {
				return err
			}
			err = parallel(ctx, workers, rowBlocks*shares, func(task int) {
				block, share := task/shares, task%shares
				i0 := block * tall
				b := stripe[T]{
					tile: t, kernel: kernel, depth: depth,
					sums: sums, stride: p.n,
					i0: i0, rows: min(tall, p.m-i0),
					j0: j0, width: width,
				}
				left := take[T](&kept.left, roundUp(b.rows, t.rows)*depth)
				packLeft(left, p.left, i0, b.rows, k0, depth, t.rows)
				b.run(left, right, panels*share/shares, panels*(share+1)/shares, &kept.edge)
				give(&kept.left, left)
			})
			give(&kept.right, right)
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// stripe is a block of rows of the output under construction.
type stripe[T float32 | float64] struct {
	tile   tile[T]
	kernel func(k int, a, b, c []T, stride int)
	depth  int

	sums     []T // of the whole output
	stride   int // from one row of it to the next
	i0, rows int // of the stripe
	j0       int // first column of panel 0
	width    int // columns of all panels
}

// run continues the chains of the panels from first up to last.
func (s stripe[T]) run(left, right []T, first, last int, edges *sync.Pool) {
	var edge []T
	tall, wide := s.tile.rows, s.tile.columns
	for panel := first; panel < last; panel++ {
		b := right[panel*wide*s.depth:][:wide*s.depth]
		columns := min(wide, s.width-panel*wide)
		for i := 0; i < s.rows; i += tall {
			a := left[i*s.depth:][:tall*s.depth]
			rows := min(tall, s.rows-i)
			at := (s.i0+i)*s.stride + s.j0 + panel*wide
			if rows == tall && columns == wide {
				s.kernel(s.depth, a, b, s.sums[at:][:(tall-1)*s.stride+wide], s.stride)
				continue
			}
			// A tile that reaches past the output is computed beside it. What
			// the padding of the packed sides gives there stays there.
			if edge == nil {
				edge = take[T](edges, tall*wide)
				clear(edge)
			}
			for r := range rows {
				copy(edge[r*wide:][:columns], s.sums[at+r*s.stride:])
			}
			s.kernel(s.depth, a, b, edge, wide)
			for r := range rows {
				copy(s.sums[at+r*s.stride:][:columns], edge[r*wide:])
			}
		}
	}
	if edge != nil {
		give(edges, edge)
	}
}

func roundUp(n, multiple int) int { return (n + multiple - 1) / multiple * multiple }
