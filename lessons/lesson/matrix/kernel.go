package matrix

import (
	"fmt"
	"math"
	"slices"

	"workbench/engine/launch"
	"workbench/lessons/lesson"
)

// Kernel is a kernel that computes c = a·b, of which a is m × k and b k × n. Its
// parameters are a, b, c, m, k and n. x runs across c, and y down.
type Kernel struct {
	Name    string
	Threads [2]int // of a block, across and down
	Cells   [2]int // of c that a block computes, across and down
	Round   int    // terms for which tiles are loaded at a time; 0 of a kernel without tiles

	ByColumns bool // b is stored transposed, n × k
}

// Cases are products of some m, k and n, with the results that are known to be
// wrong.
func (k Kernel) Cases(sizes ...[3]int) []lesson.Case {
	var cases []lesson.Case
	for _, s := range sizes {
		a, b := Array("a", s[0], s[1], 1), Array("b", s[1], s[2], 2)
		c := k.one(a, b, Product(a.Values, b.Values, s[0], s[1], s[2]))
		round := k.Round
		if round == 0 {
			round = s[1]
		}
		c.Mistakes = rounds("c", a.Values, b.Values, s[0], s[1], s[2], round)
		cases = append(cases, c)
	}
	return cases
}

// NaN is a product in which the second row of a is not a number. What a tile holds
// of another row shows in it: where a zero would hide it, 0 times NaN is NaN.
func (k Kernel) NaN() lesson.Case {
	a, b := Array("a", 2, 1, 1), Array("b", 1, 1, 2)
	a.Values[1] = math.NaN()
	c := k.one(a, b, Product(a.Values, b.Values, 2, 1, 1))
	c.Name += ", and the second row of a is NaN"
	return c
}

// Ordered is a product whose bits say in which order its terms are added.
func (k Kernel) Ordered() lesson.Case {
	a, b, want, backwards := ordered()
	c := k.one(a, b, want)
	c.Name += ", numbers whose order counts"
	c.Mistakes = []lesson.Mistake{{
		Array: "c", Values: backwards,
		Text: "this is what comes out if the terms are added from the last to the first, or in double; in ascending order 16777216 + 3 comes first, and a float rounds it to 16777220",
	}}
	return c
}

// one is the case of two matrices.
func (k Kernel) one(a, b *lesson.Array, want []float64) lesson.Case {
	m, terms, n := a.Shape[0], a.Shape[1], b.Shape[1]
	if k.ByColumns {
		b = &lesson.Array{Name: b.Name, Type: b.Type, Shape: []int{n, terms}, Values: Transposed(b.Values, terms, n)}
	}
	return lesson.Case{
		Name: fmt.Sprintf("m = %d, k = %d, n = %d", m, terms, n),
		Launches: []lesson.Launch{{
			Kernel: k.Name, Block: lesson.Extent(k.Threads[0], k.Threads[1]),
			Grid: lesson.Extent(Blocks(n, k.Cells[0]), Blocks(m, k.Cells[1])),
			Args: []any{a, b, Result("c", m, n, want), int32(m), int32(terms), int32(n)},
		}},
	}
}

// Measured wants of a kernel with tiles that each element is loaded once for each
// block that needs it, by all threads together, and that there are two barriers in
// each round.
func (k Kernel) Measured(c *lesson.Case, measurements []*launch.Measurement) *lesson.Finding {
	m, grid := measurements[0], c.Launches[0].Grid
	rounds := Blocks(int(c.Launches[0].Args[4].(int32)), k.Round)
	threads := k.Threads[0] * k.Threads[1]
	each := Blocks(k.Cells[1]*k.Round, threads) + Blocks(k.Round*k.Cells[0], threads) // elements of both tiles for a thread
	for _, f := range []*lesson.Finding{
		TooOften(m, "a", grid.X), TooOften(m, "b", grid.Y),
		tooManyRequests(m, m.Warps*int64(rounds*each)), TooManyBarriers(m, rounds),
	} {
		if f != nil {
			return f
		}
	}
	return nil
}

// rounds are the known wrong results of a kernel that goes through the k terms in
// rounds of so many, and leaves some of them out.
func rounds(c string, a, b []float64, m, k, n, round int) []lesson.Mistake {
	right, last := Product(a, b, m, k, n), (k-1)/round*round
	var known []lesson.Mistake
	add := func(values []float64, text string, args ...any) {
		same := func(m lesson.Mistake) bool { return slices.Equal(m.Values, values) }
		if !slices.Equal(values, right) && !slices.ContainsFunc(known, same) {
			known = append(known, lesson.Mistake{Array: c, Values: values, Text: fmt.Sprintf(text, args...)})
		}
	}
	part := func(first, end int) []float64 { return terms(a, b, m, k, n, first, end, k) }
	if k > round {
		add(part(0, round), "these are the sums of the first %d terms: what comes behind the first round is missing", round)
		add(part(last, k), "these are the sums of the last round alone: the sum begins anew in each round")
		add(terms(a, b, m, k, n, 0, k, round), "every round has used the elements of the first one: `first` is missing in an index")
	}
	if k%round != 0 {
		add(part(0, k-k%round), "the terms of the last round are not in these sums: it is not full, and was left out")
	}
	add(part(0, k-1), "the last term is not in these sums")
	return known
}

// ordered returns a 2×3 and a 3×2 matrix whose product depends on the order of
// the additions in float32: from the first term to the last, and from the last to
// the first, which here is the exact one too.
func ordered() (a, b *lesson.Array, want, backwards []float64) {
	const large = 1 << 24 // from there float32 has every second whole number
	a = &lesson.Array{Name: "a", Type: "float", Shape: []int{2, 3}, Values: []float64{large, 3, -large + 4, large, -large + 6, 3}}
	b = &lesson.Array{Name: "b", Type: "float", Shape: []int{3, 2}, Values: []float64{1, 2, 1, 2, 1, 2}}
	return a, b, []float64{8, 16, 9, 18}, []float64{7, 14, 9, 18} // 16777219 is rounded to 16777220
}
