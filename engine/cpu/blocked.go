package cpu

import (
	"context"
	"sync"
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
func blocked[T float32 | float64](ctx context.Context, p product, t tile[T], kept *buffers[T], a arithmetic, sums []T, workers int) error {
	tall := tallBlock
	if workers > 1 {
		// Many blocks for each worker, down to the rows of one tile: a core that
		// is late to start, or is taken away for a while, leaves its share to
		// the others. The right side is read once a block, from a near cache.
		tall = min(tall, roundUp((p.m+16*workers-1)/(16*workers), t.rows))
	}
	rowBlocks := (p.m + tall - 1) / tall
	var round func(float64) float64 // before the conversion to T
	if a.half() {
		round = a.precision.Rounding()
	}

	for j0 := 0; j0 < p.n; j0 += wideBlock {
		width := min(wideBlock, p.n-j0)
		panels := (width + t.columns - 1) / t.columns
		// Where there are few rows the workers share the columns.
		shares := 1
		if workers > 1 {
			shares = min(panels, max(1, 4*workers/rowBlocks))
		}
		for k0 := 0; k0 < p.k; k0 += depthBlock {
			depth := min(depthBlock, p.k-k0)
			right := panelsOf(p, t, k0, depth, j0, width)
			unpacked := panels - right.direct
			right.packed = take[T](&kept.right, unpacked*depth*t.columns)
			// Whoever computes a stripe packs its rows; where several shares of
			// the columns would each round them again, that is done once, before.
			early := 0
			var lefts []T
			if round != nil && shares > 1 {
				early = rowBlocks
				lefts = take[T](&kept.left, early*tall*depth)
			}
			rows := func(block int) int { return min(tall, p.m-block*tall) }
			// The first tasks pack the right side, the others compute stripes,
			// and wait until it is packed. Tasks are begun in order and each
			// one begun completes, so what they wait for is under way.
			var packed sync.WaitGroup
			packed.Add(unpacked + early)
			err := parallel(ctx, workers, unpacked+early+rowBlocks*shares, func(task int) {
				switch {
				case task < unpacked:
					right.pack(p.right, right.direct+task, round)
					packed.Done()
					return
				case task < unpacked+early:
					block := task - unpacked
					packLeft(lefts[block*tall*depth:], p.left, round, block*tall, rows(block), k0, depth, t.rows)
					packed.Done()
					return
				}
				task -= unpacked + early
				block, share := task/shares, task%shares
				s := stripe[T]{
					tile: t, kernel: t.kernel(a.contract), depth: depth,
					sums: sums, stride: p.n,
					i0: block * tall, rows: rows(block),
				}
				first, last := panels*share/shares, panels*(share+1)/shares
				if early > 0 {
					packed.Wait()
					s.run(lefts[block*tall*depth:], right, first, last, &kept.edge)
					return
				}
				left := take[T](&kept.left, roundUp(s.rows, t.rows)*depth)
				packLeft(left, p.left, round, s.i0, s.rows, k0, depth, t.rows)
				packed.Wait()
				s.run(left, right, first, last, &kept.edge)
				give(&kept.left, left)
			})
			if early > 0 {
				give(&kept.left, lefts)
			}
			give(&kept.right, right.packed)
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
	kernel kernel[T]
	depth  int

	sums     []T // of the whole output
	stride   int // from one row of it to the next
	i0, rows int // of the stripe
}

// run continues the chains of the panels from first up to last.
func (s stripe[T]) run(left []T, right panels[T], first, last int, edges *sync.Pool) {
	var edge []T
	tall, wide := s.tile.rows, s.tile.columns
	for panel := first; panel < last; panel++ {
		b, step := right.panel(panel)
		columns := min(wide, right.width-panel*wide)
		for i := 0; i < s.rows; i += tall {
			a := left[i*s.depth:][:tall*s.depth]
			rows := min(tall, s.rows-i)
			at := (s.i0+i)*s.stride + right.j0 + panel*wide
			if rows == tall && columns == wide {
				s.kernel(s.depth, a, b, step, s.sums[at:][:(tall-1)*s.stride+wide], s.stride)
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
			s.kernel(s.depth, a, b, step, edge, wide)
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
