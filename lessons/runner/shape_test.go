package runner

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"workbench/lessons/lesson"
)

// planted returns an array of distinct values with an error in it: wrong gets the
// expected values, as they are, and changes them.
func planted(shape []int, tiles [][2]int, wrong func(c *comparison)) *comparison {
	c := &comparison{name: "out", shape: shape, tiles: tiles}
	n := 1
	for _, extent := range shape {
		n *= extent
	}
	for i := range n {
		c.want = append(c.want, float64(7+3*i+i*i%11))
	}
	c.got = slices.Clone(c.want)
	c.unwritten = make([]bool, n)
	wrong(c)
	return c
}

// leave leaves elements unwritten.
func (c *comparison) leave(which func(i int) bool) {
	for i := range c.got {
		if which(i) {
			c.got[i], c.unwritten[i] = math.NaN(), true
		}
	}
}

// set changes elements.
func (c *comparison) set(to func(i int) float64) {
	for i := range c.got {
		c.got[i] = to(i)
	}
}

func TestShapesOfErrors(t *testing.T) {
	row, wide := []int{70}, [][2]int{{1, 32}}
	matrix, square := []int{11, 7}, [][2]int{{4, 4}}
	at := func(r, k int) int { return r*7 + k }
	for name, x := range map[string]struct {
		shape []int
		tiles [][2]int
		plant func(c *comparison)
		kind  lesson.FindingKind
		text  string
	}{
		"nothing": {row, wide, func(c *comparison) { c.leave(func(int) bool { return true }) }, lesson.NothingWritten, "No element of out was written."},
		"the surplus": {row, wide, func(c *comparison) { c.leave(func(i int) bool { return i >= 64 }) },
			lesson.PartUnwritten, "6 elements of the 70 of out were not written: everything from element 64 on."},
		"every second": {row, wide, func(c *comparison) { c.leave(func(i int) bool { return i%2 == 1 }) }, lesson.PartUnwritten, "every second element from element 1 on"},
		"first of each block": {row, wide, func(c *comparison) { c.leave(func(i int) bool { return i%32 != 0 }) },
			lesson.PartUnwritten, "all but every 32nd element"},
		"rows":     {matrix, square, func(c *comparison) { c.leave(func(i int) bool { return i/7 >= 8 }) }, lesson.PartUnwritten, "everything from row 8 on"},
		"a column": {matrix, square, func(c *comparison) { c.leave(func(i int) bool { return i%7 == 2 }) }, lesson.PartUnwritten, "column 2"},
		"both edges": {matrix, square, func(c *comparison) { c.leave(func(i int) bool { return i/7 >= 8 || i%7 >= 4 }) },
			lesson.PartUnwritten, "everything from row 8 on, and everything from column 4 on"},
		"the diagonal alone": {matrix, square, func(c *comparison) { c.leave(func(i int) bool { return i/7 != i%7 }) }, lesson.PartUnwritten, "all but the diagonal"},
		"some, and wrong": {row, wide, func(c *comparison) { c.leave(func(i int) bool { return i >= 64 }); c.got[3] = 1 },
			lesson.PartUnwritten, "Of those that were, 1 element is wrong."},

		"transposed": {matrix, square, func(c *comparison) {
			c.set(func(i int) float64 { return c.want[at(i%11, i/11)] })
		}, lesson.Transposed, "Rows and columns of out are exchanged"},
		"transposed tiles": {[]int{8, 8}, square, func(c *comparison) {
			c.set(func(i int) float64 { r, k := i/8, i%8; return c.want[(r/4*4+k%4)*8+k/4*4+r%4] })
		}, lesson.Transposed, "in each of them rows and columns are exchanged"},
		"tiles in others' places": {[]int{8, 8}, square, func(c *comparison) {
			c.set(func(i int) float64 { r, k := i/8, i%8; return c.want[(k/4*4+r%4)*8+r/4*4+k%4] })
		}, lesson.Transposed, "Each tile of 4×4 of out is right in itself"},

		"one too far": {row, wide, func(c *comparison) {
			c.leave(func(i int) bool { return i == 0 })
			for i := 1; i < 70; i++ {
				c.got[i] = c.want[i-1]
			}
		}, lesson.Shifted, "1 element too far"},
		"one too early, round": {row, wide, func(c *comparison) { c.set(func(i int) float64 { return c.want[(i+1)%70] }) }, lesson.Shifted, "1 element too early"},
		"a row too early":      {matrix, square, func(c *comparison) { c.set(func(i int) float64 { return c.want[(i+7)%77] }) }, lesson.Shifted, "1 row too early"},
		"a column too far": {matrix, square, func(c *comparison) {
			c.set(func(i int) float64 { return c.want[at(i/7, (i%7+6)%7)] })
		}, lesson.Shifted, "1 column too far"},
		"a block too far": {row, wide, func(c *comparison) {
			c.set(func(i int) float64 { return c.want[max(i-32, 0)] })
			c.leave(func(i int) bool { return i < 32 })
		}, lesson.Shifted, "32 elements too far"},

		"reversed":             {row, wide, func(c *comparison) { c.set(func(i int) float64 { return c.want[69-i] }) }, lesson.Misplaced, "The values of out stand in reverse order."},
		"rows' elements":       {matrix, square, func(c *comparison) { c.set(func(i int) float64 { return c.want[at(i/7, 6-i%7)] }) }, lesson.Misplaced, "In each row of out"},
		"rows upside down":     {matrix, square, func(c *comparison) { c.set(func(i int) float64 { return c.want[at(10-i/7, i%7)] }) }, lesson.Misplaced, "The rows of out stand in reverse order."},
		"reversed in blocks":   {[]int{64}, wide, func(c *comparison) { c.set(func(i int) float64 { return c.want[i^31] }) }, lesson.Misplaced, "In each piece of 32"},
		"the first row only":   {matrix, square, func(c *comparison) { c.set(func(i int) float64 { return c.want[i%7] }) }, lesson.Misplaced, "Every row of out is its first row."},
		"the first block only": {row, wide, func(c *comparison) { c.set(func(i int) float64 { return c.want[i%32] }) }, lesson.Misplaced, "what belongs to the first one"},
		"stale in one tile": {[]int{12, 8}, square, func(c *comparison) {
			for i := 32; i < 64; i += 8 {
				copy(c.got[i+4:i+8], c.want[i:])
			}
		}, lesson.Misplaced, "16 elements of out hold what belongs to the tile of 4×4 before"},
		"in no order": {row, wide, func(c *comparison) {
			rand.New(rand.NewPCG(1, 2)).Shuffle(70, func(i, j int) { c.got[i], c.got[j] = c.got[j], c.got[i] })
		}, lesson.Misplaced, "right, but"},
		"the rest of the tiles": {row, wide, func(c *comparison) { c.got[65], c.got[67], c.got[69] = 0, 1, 2 }, lesson.LastTile, "what lies behind the last whole 32, from element 64 on: 3 elements are wrong"},
		"the last row":          {matrix, square, func(c *comparison) { copy(c.got[at(10, 2):], []float64{0, 1, 2, 3}) }, lesson.LastTile, "the last row"},
		"the last columns":      {matrix, square, func(c *comparison) { c.set(func(i int) float64 { return c.want[i] + float64(i*(i%7/4)) }) }, lesson.LastTile, "the columns behind the last whole tile, from column 4 on"},
		"the edges": {matrix, square, func(c *comparison) {
			c.set(func(i int) float64 {
				if i/7 >= 8 || i%7 >= 4 {
					return float64(i)
				}
				return c.want[i]
			})
		}, lesson.LastTile, "from row 8 and from column 4 on"},

		"matrices": {[]int{4, 3, 5}, nil, func(c *comparison) { c.leave(func(i int) bool { return i >= 15 }) }, lesson.PartUnwritten, "everything from matrix 1 on"},
		"each matrix transposed": {[]int{2, 3, 5}, nil, func(c *comparison) {
			c.set(func(i int) float64 { return c.want[i/15*15+i%15%3*5+i%15/3] })
		}, lesson.Transposed, "In each matrix of out rows"},
		"the first matrix only": {[]int{3, 2, 5}, nil, func(c *comparison) { c.set(func(i int) float64 { return c.want[i%10] }) }, lesson.Misplaced, "Every matrix of out is the first one."},

		"zeros":    {row, wide, func(c *comparison) { c.set(func(int) float64 { return 0 }) }, lesson.Constant, "Every element of out is 0."},
		"twice":    {row, wide, func(c *comparison) { c.set(func(i int) float64 { return 2 * c.want[i] }) }, lesson.Scaled, "is twice what"},
		"negative": {row, wide, func(c *comparison) { c.set(func(i int) float64 { return -c.want[i] }) }, lesson.Scaled, "wrong sign"},
		"mean":     {row, wide, func(c *comparison) { c.set(func(i int) float64 { return c.want[i] / 70 }) }, lesson.Scaled, "0.01429 times"},
		"one less": {row, wide, func(c *comparison) { c.set(func(i int) float64 { return c.want[i] - 1 }) }, lesson.Offset, "1 too small"},
		"infinite": {row, wide, func(c *comparison) { c.got[4] = math.Inf(1) }, lesson.NotFinite, "out[4] is infinite, where a number is expected."},
		"NaN":      {matrix, square, func(c *comparison) { c.got[at(4, 0)], c.got[at(4, 1)] = math.NaN(), math.NaN() }, lesson.NotFinite, "2 elements of out are NaN, where numbers are expected: row 4, columns 0 to 1."},
		"one":      {matrix, square, func(c *comparison) { c.got[at(4, 5)] = 1 }, lesson.WrongValues, "out[4][5] is 1, and 106 is expected; the other 76 of out are right."},
		"a number": {nil, nil, func(c *comparison) { c.got[0] = 1 }, lesson.WrongValues, "out is 1, and 7 is expected."},
		"known": {row, wide, func(c *comparison) {
			c.got[0] = 9
			known := slices.Clone(c.got)
			known[1] = math.NaN() // which nobody knows
			c.mistakes = []lesson.Mistake{{Values: slices.Clone(c.want), Text: "not this"}, {Values: known, Text: "this is that"}}
		}, lesson.KnownMistake, "This is that."},
		"a named kind": {row, wide, func(c *comparison) {
			c.got[0] = 9
			c.mistakes = []lesson.Mistake{{Kind: lesson.Unused, Values: slices.Clone(c.got), Text: "x"}}
		}, lesson.Unused, "x."},
	} {
		c := planted(x.shape, x.tiles, x.plant)
		f := c.finding()
		if f == nil || f.Kind != x.kind || !strings.Contains(f.Text, x.text) || f.Next == "" {
			t.Errorf("%s: %+v", name, f)
			continue
		}
		wrong := 0
		for i := range c.want {
			if c.got[i] != c.want[i] {
				wrong++
			}
		}
		if v := f.Values; v.Wrong != wrong || v.Count != len(c.want) || len(v.First) != min(wrong, mostWrong) || v.Within != "equal" {
			t.Errorf("%s: %+v", name, v)
		}
	}
}

// Numbers that have nothing to do with what is expected have no shape.
func TestNoiseHasNoShape(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	shapes := [][]int{{4}, {5}, {33}, {64}, {2, 2}, {3, 5}, {4, 4}, {8, 8}, {33, 17}, {2, 2, 3}, {3, 4, 4}}
	for round := range 600 {
		shape := shapes[round%len(shapes)]
		values := []float64{1e6, 10}[round%2] // all different, or often alike
		c := planted(shape, [][2]int{{1, 32}, {4, 4}, {8, 32}}, func(c *comparison) {
			for i := range c.want {
				c.want[i] = math.Floor(random.Float64() * values)
				c.got[i] = math.Floor(random.Float64() * values)
				if c.got[i] == c.want[i] {
					c.got[i]++
				}
			}
		})
		if f := c.finding(); f.Kind != lesson.WrongValues {
			t.Fatalf("%v of %v for %v: %+v", c.got, shape, c.want, f)
		}
	}
}

// What is right is right: to a tolerance, and where numbers are none.
func TestComparisonAgrees(t *testing.T) {
	within := lesson.Tolerance{Absolute: 1e-3, Relative: 1e-2}
	for _, x := range []struct {
		want, got float64
		loose     []float64
		ok        bool
	}{
		{100, 101, nil, true}, {100, 101.1, nil, false}, {0, 1e-3, nil, true}, {0, math.NaN(), nil, false}, {math.NaN(), math.NaN(), nil, true},
		{math.Inf(1), math.Inf(1), nil, true}, {math.Inf(1), math.Inf(-1), nil, false}, {math.Inf(1), 5, nil, false}, {5, math.Inf(1), nil, false},
		{100, 101, []float64{0.5}, false}, {100, 100.5, []float64{0.5}, true},
	} {
		f := (&comparison{name: "the result", want: []float64{x.want}, got: []float64{x.got}, within: within, loose: x.loose}).finding()
		if (f == nil) != x.ok {
			t.Errorf("%v for %v: %+v", x.got, x.want, f)
		}
		if f != nil && x.loose == nil && f.Values.Within != "|Δ| ≤ 0.001 + 0.01·|expected|" {
			t.Error(f.Values.Within)
		}
	}
	// An error that hides in the tolerance shows nowhere else either.
	c := planted([]int{6}, nil, func(c *comparison) { c.got[2] *= 1.0001; c.got[5]++; c.within = lesson.Tolerance{Relative: 1e-3} })
	if f := c.finding(); f.Values.Wrong != 1 || f.Values.Worst != nil || f.Values.First[0].Actual != number(c.got[5], 64) {
		t.Errorf("%+v", f.Values)
	}
}

// TestGivenNaN: an input with a NaN is there to show what was read by mistake, and
// not to be looked for in the arithmetic.
func TestGivenNaN(t *testing.T) {
	c := comparison{name: "c", shape: []int{2, 1}, want: []float64{3, math.NaN()}, got: []float64{math.NaN(), math.NaN()}, given: "a"}
	f := c.finding()
	if f == nil || f.Kind != lesson.NotFinite || f.Values.Wrong != 1 || !strings.Contains(f.Next, "a was given with such a value, and c[0][0] is made without it") {
		t.Errorf("%+v", f)
	}
}
