package conform

import (
	"context"
	"fmt"
	"math"
	"slices"

	"workbench/engine/device"
	"workbench/engine/launch"
	"workbench/kernels/add"
	"workbench/kernels/embedding"
	"workbench/kernels/sumsq"
)

func addCases() []Case {
	var out []Case
	for i, p := range add.Source.Precisions {
		for _, c := range contracts {
			prefix := add.Source.Symbols[i] + "/" + c.String()
			hold := func(ctx context.Context, on launch.Launcher, what string, x, y []float64) error {
				want := seeded(what).fenced(p, len(x))
				l, err := add.Prepare(c, p, int64(len(x)), buffer(p, x), buffer(p, y), buffer(p, want))
				if err != nil {
					return err
				}
				got, err := run(ctx, on, what, l, 2)
				if err != nil {
					return err
				}
				for i := range x {
					// In float32 the sum of two float32 in float64 is rounded once
					// more, which changes nothing: 53 ≥ 2·24 + 2 (Figueroa, 1995).
					want[i] = p.Round(x[i] + y[i])
				}
				return holdBits(what, p, got, want)
			}
			for _, n := range []int{1, 255, 256, 257, 17 * 33 * 9, 5 * 129 * 31} {
				name := fmt.Sprintf("%s/%d", prefix, n)
				out = append(out, Case{Name: name, Run: func(ctx context.Context, l launch.Launcher) error {
					s := seeded(name)
					return hold(ctx, l, fmt.Sprintf("%d elements", n), s.spread(p, n, 20), s.spread(p, n, 20))
				}})
			}
			out = append(out, Case{Name: prefix + "/edges", Run: func(ctx context.Context, l launch.Launcher) error {
				inf, nan, large := math.Inf(1), math.NaN(), p.Round(math.MaxFloat32)
				negative := math.Copysign(0, -1)
				x := []float64{negative, 0, inf, inf, nan, large, -large, smallest(p), smallest(p), 1}
				y := []float64{negative, negative, -inf, 1, 1, large, -large, smallest(p), -smallest(p), unit(p)}
				return hold(ctx, l, "edges", x, y)
			}})
			out = append(out, Case{Name: prefix + "/empty", Run: func(context.Context, launch.Launcher) error {
				l, err := add.Prepare(c, p, 0, buffer(p, nil), buffer(p, nil), buffer(p, nil))
				return refused(l, err, "n")
			}})
		}
	}
	return out
}

func sumsqCases() []Case {
	const sweep = sumsq.Blocks * sumsq.Threads
	var out []Case
	for i, p := range sumsq.Source.Precisions {
		for _, c := range contracts {
			for _, n := range []int{0, 1, 17 * 33 * 9, 5 * 129 * 31, sweep + 7} {
				name := fmt.Sprintf("%s/%s/%d", sumsq.Source.Symbols[i], c, n)
				out = append(out, Case{Name: name, Run: func(ctx context.Context, on launch.Launcher) error {
					s := seeded(name)
					x := s.spread(p, n, 6)
					before := s.fenced(p, sumsq.Blocks)
					l, err := sumsq.Prepare(c, p, int64(n), buffer(p, x), buffer(p, before))
					if err != nil {
						return err
					}
					got, err := twice(ctx, on, name, l, 1)
					if err != nil {
						return err
					}
					want, bound := sumOfSquares(p, x, sumsq.Blocks, sumsq.Threads)
					total, err := sumsq.Total(p, got)
					if err != nil {
						return err
					}
					if err := hold("the sum of all", []float64{total}, []float64{want}, []float64{bound}); err != nil {
						return err
					}
					// Each block's elements are its own: the total would not show
					// two that have exchanged theirs.
					wants, bounds := before, make([]float64, len(before))
					for b := range sumsq.Blocks {
						var own []float64
						for at := b * sumsq.Threads; at < n; at += sweep {
							own = append(own, x[at:min(at+sumsq.Threads, n)]...)
						}
						wants[b], bounds[b] = sumOfSquares(p, own, 1, sumsq.Threads)
					}
					return holdWithin("the partial sums", p, got, wants, bounds)
				}})
			}
		}
	}
	return out
}

// text is a table's shape and what stands at the positions.
type text struct {
	name            string
	tokens, columns int
	positions       int
	pick            func(s numbers, position int) int32
}

func texts() []text {
	anywhere := func(tokens int) func(numbers, int) int32 {
		return func(s numbers, _ int) int32 { return s.Int32N(int32(tokens)) }
	}
	return []text{
		{"one position", 1, 1, 1, anywhere(1)},
		{"17 positions of 7 tokens", 7, 3, 17, anywhere(7)},
		{"33 positions of 258 tokens", 258, 4, 33, anywhere(258)},
		{"129 positions of 5 tokens", 5, 31, 129, anywhere(5)},
		{"the last token alone", 13, 5, 301, func(numbers, int) int32 { return 12 }},
		{"each token once, backwards", 67, 2, 67, func(_ numbers, p int) int32 { return int32(66 - p) }},
	}
}

func embeddingCases() []Case {
	var out []Case
	for i, p := range embedding.SortedSource.Precisions {
		for _, c := range contracts {
			for _, t := range texts() {
				out = append(out, sortedCase(embedding.SortedSource.Symbols[i], p, c, t), atomicCase(embedding.AtomicSource.Symbols[i], p, c, t))
			}
			out = append(out, sortedCase(embedding.SortedSource.Symbols[i], p, c, text{name: "empty", tokens: 9, columns: 4}))
			name := embedding.AtomicSource.Symbols[i] + "/" + c.String() + "/empty"
			out = append(out, Case{Name: name, Run: func(context.Context, launch.Launcher) error {
				l, err := embedding.Atomic(c, p, nil, 9, 4, buffer(p, nil), buffer(p, make([]float64, 36)))
				return refused(l, err, "text")
			}})
		}
	}
	return out
}

// gradient is one text with its numbers, and what each element of the table has to
// add, in the text's order: what it held comes first.
type gradient struct {
	text             []int32
	upstream, before []float64
	terms            [][]float64
}

func (t text) gradient(s numbers, p device.Precision) gradient {
	g := gradient{upstream: s.ordinary(p, t.positions*t.columns), before: s.ordinary(p, t.tokens*t.columns+fence)}
	for i := range t.positions {
		g.text = append(g.text, t.pick(s, i))
	}
	for _, x := range g.before[:t.tokens*t.columns] {
		g.terms = append(g.terms, []float64{x})
	}
	for i, token := range g.text {
		for column := range t.columns {
			at := int(token)*t.columns + column
			g.terms[at] = append(g.terms[at], g.upstream[i*t.columns+column])
		}
	}
	return g
}

func sortedCase(symbol string, p device.Precision, c device.Contract, t text) Case {
	name := symbol + "/" + c.String() + "/" + t.name
	return Case{Name: name, Run: func(ctx context.Context, on launch.Launcher) error {
		g := t.gradient(seeded(name), p)
		l, err := embedding.Sorted(c, p, g.text, t.tokens, t.columns, buffer(p, g.upstream), buffer(p, g.before))
		if err != nil {
			return err
		}
		got, err := twice(ctx, on, name, l, 3)
		if err != nil {
			return err
		}
		want := slices.Clone(g.before)
		for i, terms := range g.terms {
			sum := terms[0]
			for _, x := range terms[1:] {
				sum = p.Round(sum + x)
			}
			want[i] = sum
		}
		return holdBits(name, p, got, want)
	}}
}

func atomicCase(symbol string, p device.Precision, c device.Contract, t text) Case {
	name := symbol + "/" + c.String() + "/" + t.name
	return Case{Name: name, Run: func(ctx context.Context, on launch.Launcher) error {
		g := t.gradient(seeded(name), p)
		l, err := embedding.Atomic(c, p, g.text, t.tokens, t.columns, buffer(p, g.upstream), buffer(p, g.before))
		if err != nil {
			return err
		}
		got, err := run(ctx, on, name, l, 2)
		if err != nil {
			return err
		}
		want, bound := slices.Clone(g.before), make([]float64, len(g.before))
		for i, terms := range g.terms {
			if len(terms) == 1 {
				continue // nobody adds anything: to the bit
			}
			want[i], bound[i] = exactSum(terms), inAnyOrder(p, terms)
		}
		return holdWithin(name, p, got, want, bound)
	}}
}
