package runner

import (
	"fmt"
	"math"
	"slices"

	"workbench/lessons/lesson"
)

// mostWrong is how many wrong elements a finding names.
const mostWrong = 5

// comparison is an array as it came out, beside what should have. Finding says
// what is wrong with it, by the shape of the error where that is known: a row too
// far, rows and columns exchanged, the last tile missing.
//
//	f := (&comparison{name: "out", shape: []int{2, 3}, want: want, got: got, within: l.Within}).finding()
type comparison struct {
	name      string // as a sentence has it: "out", "the result"
	shape     []int  // none is one number
	want, got []float64

	// Elements that hold what was there before anything ran; nil if nobody knows.
	// Kept says that it is a value of the array's own, and not what stands for none.
	unwritten []bool
	kept      bool

	within lesson.Tolerance
	loose  []float64 // stands for it, for each element; nil
	tiles  [][2]int  // rows and columns of the pieces in which the work was divided

	// An input that was given with NaN or infinite elements; "" if none was.
	given string

	mistakes []lesson.Mistake     // known ones of this array
	number   func(float64) string // writes an element; nil is as a float64

	wrong []int // places of the wrong elements
}

// finding returns what is wrong, or nil.
func (c *comparison) finding() *lesson.Finding {
	if c.number == nil {
		c.number = func(x float64) string { return number(x, 64) }
	}
	n := 1
	for _, extent := range c.shape {
		n *= extent
	}
	if len(c.want) != n || len(c.got) != n {
		panic(fmt.Sprintf("BUG: %s has the shape %v, %d elements and %d wanted", c.name, c.shape, len(c.got), len(c.want)))
	}
	c.wrong = c.wrong[:0]
	for i := range c.want {
		if !c.agrees(c.got[i], i) {
			c.wrong = append(c.wrong, i)
		}
	}
	if len(c.wrong) == 0 {
		return nil
	}
	var f *lesson.Finding
	for _, recognise := range []func() *lesson.Finding{
		c.knownMistake, c.nothingWritten, c.notFinite, c.constant, c.scaled, c.moved, c.added, c.partUnwritten, c.lastTile,
	} {
		if f = recognise(); f != nil {
			break
		}
	}
	if f == nil {
		f = c.otherwise()
	}
	f.Values = c.values()
	return f
}

// agrees holds a value against what is expected at a place.
func (c *comparison) agrees(x float64, i int) bool {
	want := c.want[i]
	if x == want || math.IsNaN(x) && math.IsNaN(want) {
		return true
	}
	if math.IsInf(x, 0) || math.IsInf(want, 0) {
		return false
	}
	allowed := c.within.Absolute + c.within.Relative*math.Abs(want)
	if c.loose != nil {
		allowed = c.loose[i]
	}
	return math.Abs(x-want) <= allowed // false for NaN
}

// written says whether somebody wrote to an element, as far as one can know.
func (c *comparison) written(i int) bool { return c.unwritten == nil || !c.unwritten[i] }

// values says where it is wrong.
func (c *comparison) values() *lesson.Values {
	v := &lesson.Values{Array: c.name, Shape: append([]int{}, c.shape...), Count: len(c.want), Wrong: len(c.wrong), Within: c.criterion()}
	worst := -1
	for _, i := range c.wrong {
		if len(v.First) < mostWrong {
			v.First = append(v.First, c.at(i))
		}
		if d := math.Abs(c.got[i] - c.want[i]); d < math.Inf(1) && (worst < 0 || d > math.Abs(c.got[worst]-c.want[worst])) {
			worst = i
		}
	}
	if worst >= 0 && len(c.wrong) > 1 {
		w := c.at(worst)
		v.Worst = &w
	}
	return v
}

func (c *comparison) at(i int) lesson.Wrong {
	w := lesson.Wrong{At: coordinates(c.shape, i), Expected: c.number(c.want[i]), Actual: c.number(c.got[i])}
	if !c.written(i) && !c.kept {
		w.Actual = "not written"
	}
	return w
}

func (c *comparison) criterion() string {
	switch t := c.within; {
	case c.loose != nil:
		return "|Δ| within a bound of each element"
	case t.Absolute == 0 && t.Relative == 0:
		return "equal"
	case t.Relative == 0:
		return fmt.Sprintf("|Δ| ≤ %g", t.Absolute)
	case t.Absolute == 0:
		return fmt.Sprintf("|Δ| ≤ %g·|expected|", t.Relative)
	default:
		return fmt.Sprintf("|Δ| ≤ %g + %g·|expected|", t.Absolute, t.Relative)
	}
}

// coordinates are the indices of an element of a row-major array.
func coordinates(shape []int, i int) []int {
	at := make([]int, len(shape))
	for axis := len(shape) - 1; axis >= 0; axis-- {
		at[axis] = i % shape[axis]
		i /= shape[axis]
	}
	return at
}

// element writes a place as C's arrays have it: out[3], out[1][2], or the name
// alone of one number.
func (c *comparison) element(i int) string {
	s := c.name
	for _, k := range coordinates(c.shape, i) {
		s += fmt.Sprintf("[%d]", k)
	}
	return s
}

// knownMistake is that somebody knows what makes exactly what came out.
func (c *comparison) knownMistake() *lesson.Finding {
	for _, m := range c.mistakes {
		if len(m.Values) != len(c.want) {
			panic(fmt.Sprintf("BUG: a known mistake of %s has %d values of %d", c.name, len(m.Values), len(c.want)))
		}
		of := *c
		of.want = m.Values
		fits, differs := true, false
		for i, x := range m.Values {
			if math.IsNaN(x) {
				continue
			}
			fits = fits && of.agrees(c.got[i], i)
			differs = differs || !c.agrees(c.got[i], i)
		}
		if !fits || !differs {
			continue
		}
		f := &lesson.Finding{Kind: m.Kind, Text: sentence(capital(m.Text)), Next: "find the line that does this"}
		if f.Kind == "" {
			f.Kind = lesson.KnownMistake
		}
		return f
	}
	return nil
}

func (c *comparison) nothingWritten() *lesson.Finding {
	for i := range c.want {
		if c.written(i) {
			return nil
		}
	}
	f := &lesson.Finding{Kind: lesson.NothingWritten, Text: fmt.Sprintf("No element of %s was written.", c.name)}
	switch {
	case c.kept:
		f.Text = fmt.Sprintf("No element of %s was changed.", c.name)
	case len(c.want) == 1:
		f.Text = fmt.Sprintf("%s was not written.", capital(c.element(0)))
	}
	f.Next = fmt.Sprintf("does any thread come to the line that writes %s? A printf in front of it tells", c.name)
	return f
}

func (c *comparison) notFinite() *lesson.Finding {
	var bad []int
	nan := 0
	for _, i := range c.wrong {
		if x := c.got[i]; c.written(i) && (math.IsNaN(x) || math.IsInf(x, 0)) && !math.IsInf(c.want[i], 0) {
			bad = append(bad, i)
			if math.IsNaN(x) {
				nan++
			}
		}
	}
	if len(bad) == 0 {
		return nil
	}
	what, next := "NaN", "NaN comes from 0/0, ∞ − ∞, the root of a negative number, or from a value that nobody had written"
	if c.given != "" {
		next = fmt.Sprintf("%s was given with such a value, and %s is made without it: an element was read that belongs to another row or column, and 0 times NaN is NaN", c.given, c.element(bad[0]))
	}
	if nan == 0 {
		what, next = "infinite", "look for a division by 0, an exponential of a large number, or a start value that was never replaced"
	} else if nan < len(bad) {
		what = "NaN or infinite"
	}
	f := &lesson.Finding{
		Kind: lesson.NotFinite, Next: next,
		Text: fmt.Sprintf("%s is %s, where a number is expected.", capital(c.element(bad[0])), what),
	}
	if len(bad) > 1 {
		f.Text = fmt.Sprintf("%s of %s are %s, where numbers are expected: %s.", capital(counted(len(bad))), c.name, what, c.where(bad))
	}
	return f
}

// constant is one value everywhere.
func (c *comparison) constant() *lesson.Finding {
	if len(c.want) < 3 || distinct(c.want) < 2 {
		return nil
	}
	for i, x := range c.got {
		if !c.written(i) || x != c.got[0] {
			return nil
		}
	}
	return &lesson.Finding{
		Kind: lesson.Constant,
		Text: fmt.Sprintf("Every element of %s is %s.", c.name, c.number(c.got[0])),
		Next: "what is written should depend on the element: look for an index or a variable that is the same for all",
	}
}

// enough is how many elements have to fit what is recognised: fewer could do so by
// chance.
const enough = 3

// scaled is every value times one factor.
func (c *comparison) scaled() *lesson.Finding {
	factor, fits := 0.0, map[float64]bool{}
	for i, want := range c.want {
		got := c.got[i]
		switch {
		case !c.written(i):
			continue
		case want == 0 && got == 0:
			continue
		case want == 0 || got == 0 || math.IsInf(want, 0) || math.IsNaN(want):
			return nil
		case factor == 0:
			factor = got / want
		}
		if !alike(got, factor*want) {
			return nil
		}
		fits[want] = true
	}
	if len(fits) < enough || alike(factor, 1) {
		return nil
	}
	f := &lesson.Finding{Kind: lesson.Scaled}
	what := fmt.Sprintf("%.4g times", factor)
	switch {
	case alike(factor, 2):
		what, f.Next = "twice", "look for something that is added once more than it should be"
	case alike(factor, 0.5):
		what, f.Next = "half of", "look for a part that is left out, or a division that is one too many"
	case alike(factor, -1):
		f.Text, f.Next = fmt.Sprintf("Every element of %s has the wrong sign.", c.name), "look for a difference that is taken the other way round"
	case factor > 1 && alike(factor, math.Round(factor)):
		f.Next = fmt.Sprintf("what is there %.0f times, and is added, or multiplied, each time?", factor)
	default:
		f.Next = "look for a factor that is missing, or one too many"
	}
	if f.Text == "" {
		f.Text = fmt.Sprintf("Every element of %s is %s what is expected.", c.name, what)
	}
	return f
}

// added is every value too large by the same.
func (c *comparison) added() *lesson.Finding {
	var differences []float64
	for i, want := range c.want {
		if !c.written(i) {
			continue
		}
		d := c.got[i] - want
		if len(differences) > 0 && !alike(d, differences[0]) || math.IsNaN(d) || math.IsInf(d, 0) {
			return nil
		}
		differences = append(differences, d)
	}
	if len(differences) < enough || distinct(c.want) < enough || differences[0] == 0 {
		return nil
	}
	d, way := differences[0], "large"
	if d < 0 {
		d, way = -d, "small"
	}
	return &lesson.Finding{
		Kind: lesson.Offset,
		Text: fmt.Sprintf("Every element of %s is %s too %s.", c.name, c.number(d), way),
		Next: "look for a term that is missing, or one too many",
	}
}

// alike compares what was computed in two ways.
func alike(a, b float64) bool { return math.Abs(a-b) <= 1e-5*math.Max(math.Abs(a), math.Abs(b)) }

func distinct(values []float64) int {
	seen := map[float64]bool{}
	for _, x := range values {
		seen[x] = true
	}
	return len(seen)
}

// ofThose is how it goes on where the others are not right either.
const ofThose = " Of those that were,"

// partUnwritten is that elements were left out.
func (c *comparison) partUnwritten() *lesson.Finding {
	var left, bad []int
	for _, i := range c.wrong {
		if c.written(i) {
			bad = append(bad, i)
		} else {
			left = append(left, i)
		}
	}
	if len(left) == 0 {
		return nil
	}
	verb := "written"
	if c.kept {
		verb = "changed"
	}
	f := &lesson.Finding{
		Kind: lesson.PartUnwritten,
		Text: fmt.Sprintf("%s of the %d of %s %s not %s: %s.", capital(counted(len(left))), len(c.want), c.name, was(len(left)), verb, c.where(left)),
		Next: fmt.Sprintf("which thread is to write %s, and does it come to that line?", c.element(left[0])),
	}
	if len(bad) > 0 {
		f.Text += fmt.Sprintf("%s %s %s wrong.", ofThose, counted(len(bad)), is(len(bad)))
	}
	return f
}

func counted(n int) string { return count(n, "element") }

func was(n int) string {
	if n == 1 {
		return "was"
	}
	return "were"
}

func is(n int) string {
	if n == 1 {
		return "is"
	}
	return "are"
}

// lastTile is that all is right up to the last tile, row or column.
func (c *comparison) lastTile() *lesson.Finding {
	what := c.edge()
	if what == "" {
		return nil
	}
	f := &lesson.Finding{
		Kind: lesson.LastTile,
		Text: fmt.Sprintf("%s is right but for %s: %s %s wrong.", capital(c.name), what, counted(len(c.wrong)), is(len(c.wrong))),
		Next: "what is different there? Look at where the loop ends, and at what it needs of the element behind",
	}
	if len(c.tiles) > 0 {
		f.Next = "what is different there? Look at the guards, and at how many of the tile's threads have an element"
	}
	return f
}

// otherwise is a wrong result that looks like nothing known.
func (c *comparison) otherwise() *lesson.Finding {
	first := c.wrong[0]
	f := &lesson.Finding{
		Kind: lesson.WrongValues,
		Next: fmt.Sprintf("work out %s by hand, step by step as the code does it", c.element(first)),
	}
	expected := fmt.Sprintf("%s is %s, and %s is expected", c.element(first), c.number(c.got[first]), c.number(c.want[first]))
	switch n := len(c.wrong); {
	case len(c.want) == 1:
		f.Text = capital(expected) + "."
	case n == 1:
		f.Text = capital(expected) + fmt.Sprintf("; the other %d of %s are right.", len(c.want)-1, c.name)
	case n == len(c.want):
		f.Text = fmt.Sprintf("All %d elements of %s are wrong: %s.", n, c.name, expected)
	default:
		f.Text = fmt.Sprintf("%s of the %d of %s %s wrong, %s: %s.", capital(counted(n)), len(c.want), c.name, is(n), c.where(c.wrong), expected)
	}
	return f
}

// telling says whether a finding is of more than a wrong number.
func telling(f lesson.Finding) bool {
	return f.Values == nil || f.Kind != lesson.WrongValues && f.Values.Count > 1
}

// capital begins a sentence. A name of the code stays as it is written.
func capital(s string) string {
	for _, word := range []string{"the ", "this ", "these ", "that ", "there ", "it ", "every ", "each ", "all ", "a ", "an ", "only ", "no ", "some ", "thread ", "lane "} {
		if len(s) > len(word) && s[:len(word)] == word {
			return string(s[0]-'a'+'A') + s[1:]
		}
	}
	return s
}

// suffix says whether ascending places are the last ones below n.
func suffix(places []int, n int) bool {
	return len(places) > 0 && places[len(places)-1] == n-1 && n-places[0] == len(places) && slices.IsSorted(places)
}
