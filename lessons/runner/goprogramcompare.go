package runner

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"workbench/lessons/lesson"
	"workbench/lessons/runner/harness/value"
)

// difference is how a value is not another.
type difference struct {
	name  string // of the value
	text  string // of values that are not built alike: a sentence
	lines string // and both of them
	leaf  []lesson.Wrong
	paths []string // to them: "[1]", ".Shape[0]"
	count int
	shape []int
}

// values writes a difference of values that are built alike.
func (d *difference) values(name, within string) *lesson.Values {
	if d.text != "" || len(d.leaf) == 0 {
		return nil
	}
	return &lesson.Values{Array: name, Shape: d.shape, Count: d.count, Wrong: len(d.leaf), First: d.leaf[:min(mostWrong, len(d.leaf))], Within: within}
}

// field goes into structs, to the first field that differs, and names it:
// "result.Shape".
func field(name string, want, got value.Value, within lesson.Tolerance) (string, value.Value, value.Value) {
	for want.Kind == value.Struct && got.Kind == value.Struct {
		next := -1
		for i, of := range want.Names {
			if k := slices.Index(got.Names, of); k >= 0 && differ("", want.Items[i], got.Items[k], within) != nil {
				next = i
				name = strings.TrimPrefix(name, "the ") + "." + of
				want, got = want.Items[i], got.Items[k]
				break
			}
		}
		if next < 0 {
			break
		}
	}
	return name, want, got
}

// differ compares two values, element by element if they are built alike; nil is
// that there is no difference.
func differ(name string, want, got value.Value, within lesson.Tolerance) *difference {
	d := &difference{name: name, shape: shapeOf(want)}
	d.walk(want, got, nil, "", within)
	if d.text == "" && len(d.leaf) == 0 {
		return nil
	}
	return d
}

func (d *difference) walk(want, got value.Value, at []int, path string, within lesson.Tolerance) {
	if d.text != "" {
		return
	}
	if isList(want) && isList(got) {
		if len(want.Items) != len(got.Items) {
			d.text = fmt.Sprintf("%s has %s, and %d %s expected", d.name+path, count(len(got.Items), "element"), len(want.Items), is(len(want.Items)))
			d.lines = fmt.Sprintf("expected  %s\nyours     %s", want, got)
			return
		}
		for i := range want.Items {
			d.walk(want.Items[i], got.Items[i], append(slices.Clone(at), i), fmt.Sprintf("%s[%d]", path, i), within)
		}
		return
	}
	if want.Kind == value.Struct && got.Kind == value.Struct {
		for i, name := range want.Names {
			k := slices.Index(got.Names, name)
			if k < 0 {
				d.text = d.name + path + " has no field " + name
				return
			}
			d.walk(want.Items[i], got.Items[k], append(slices.Clone(at), i), path+"."+name, within)
		}
		return
	}
	d.count++
	if !same(want, got, within) {
		d.leaf = append(d.leaf, lesson.Wrong{At: slices.Clone(at), Expected: want.String(), Actual: got.String()})
		d.paths = append(d.paths, path)
	}
}

// isList says whether a value is a slice; nil is one without elements.
func isList(v value.Value) bool { return v.Kind == value.List || v.Kind == value.Nil }

// same compares two values that have no parts.
func same(want, got value.Value, within lesson.Tolerance) bool {
	switch {
	case want.Kind == value.Int && got.Kind == value.Int:
		return want.Int == got.Int
	case isNumber(want) && isNumber(got):
		return agree(numberOf(got), numberOf(want), within)
	case want.Kind != got.Kind:
		return false
	case want.Kind == value.Bool:
		return want.Bool == got.Bool
	case want.Kind == value.String:
		return want.Text == got.Text
	}
	return want.Kind == value.Nil
}

func isNumber(v value.Value) bool {
	return v.Kind == value.Int || v.Kind == value.Uint || v.Kind == value.Float
}

func numberOf(v value.Value) float64 {
	switch v.Kind {
	case value.Int:
		return float64(v.Int)
	case value.Uint:
		return float64(v.Uint)
	}
	return v.Float
}

// shapeOf returns the extents of lists in lists, if they are alike at each level.
func shapeOf(v value.Value) []int {
	if !isList(v) {
		return []int{}
	}
	shape := []int{len(v.Items)}
	for i, item := range v.Items {
		inner := shapeOf(item)
		if i == 0 {
			shape = append(shape, inner...)
		} else if !slices.Equal(shape[1:], inner) {
			return []int{len(v.Items)}
		}
	}
	return shape
}

func elements(shape []int) int {
	n := 1
	for _, extent := range shape {
		n *= extent
	}
	return n
}

// numbersOf returns the numbers of a number, or of lists of numbers, in order.
func numbersOf(v value.Value) (numbers []float64, ok bool) {
	if isNumber(v) {
		return []float64{numberOf(v)}, true
	}
	if !isList(v) {
		return nil, false
	}
	for _, item := range v.Items {
		inner, ok := numbersOf(item)
		if !ok {
			return nil, false
		}
		numbers = append(numbers, inner...)
	}
	return numbers, true
}

// agree holds a number against the one that is expected, as every comparison does.
func agree(got, want float64, within lesson.Tolerance) bool {
	return (&comparison{want: []float64{want}, within: within}).agrees(got, 0)
}

// isMistake says whether a result is that of a known mistake.
func isMistake(values, got []float64, within lesson.Tolerance) bool {
	if len(values) != len(got) {
		return false
	}
	for i, v := range values {
		if !math.IsNaN(v) && !agree(got[i], v, within) {
			return false
		}
	}
	return true
}

// compareValue says how a result, or an argument after the call, is wrong.
func (g *goCheck) compareValue(call *lesson.Call, name string, want, got value.Value, of result) *lesson.Finding {
	name, want, got = field(name, want, got, g.lesson.Within)
	d := differ(name, want, got, g.lesson.Within)
	if d == nil {
		return nil
	}
	var mistakes []lesson.Mistake
	if of.place >= 0 {
		mistakes = g.mistakes(call, of.place)
	}
	actual, numbers := numbersOf(got)
	expected, ok := numbersOf(want)
	if numbers && ok && d.text == "" {
		c := &comparison{name: name, shape: d.shape, want: expected, got: actual, within: g.lesson.Within}
		switch n := elements(c.shape); {
		case of.shape != nil:
			c.shape = of.shape
		case n != len(expected): // rows of different lengths
			c.shape = []int{len(expected)}
		}
		if of.float32 {
			c.number = func(x float64) string { return number(x, 32) }
		}
		for _, m := range mistakes {
			if len(m.Values) == len(expected) {
				c.mistakes = append(c.mistakes, m)
			}
		}
		if f := c.finding(); f != nil {
			return f
		}
	}
	f := &lesson.Finding{Kind: lesson.WrongValues, Next: "work it out by hand, step by step as the code does it"}
	switch {
	case d.text != "":
		f.Text, f.Detail = capital(d.text)+".", d.lines
		f.Next = "look at what decides how many there are"
	case len(d.leaf) == 1 && d.count == 1:
		f.Text = fmt.Sprintf("%s is %s, and %s is expected.", capital(name), d.leaf[0].Actual, d.leaf[0].Expected)
		f.Values = d.values(name, "equal")
	default:
		f.Text = fmt.Sprintf("%s of the %d of %s %s wrong: %s is %s, and %s is expected.", capital(counted(len(d.leaf))), d.count, name, is(len(d.leaf)),
			name+d.paths[0], d.leaf[0].Actual, d.leaf[0].Expected)
		f.Values = d.values(name, "equal")
	}
	if numbers {
		blame(f, mistakes, actual, g.lesson.Within)
	}
	return f
}

// blame holds a wrong result against the mistakes that are known.
func blame(f *lesson.Finding, mistakes []lesson.Mistake, got []float64, within lesson.Tolerance) *lesson.Finding {
	for _, m := range mistakes {
		if isMistake(m.Values, got, within) {
			f.Kind, f.Text = lesson.KnownMistake, sentence(capital(m.Text))
			if m.Kind != "" {
				f.Kind = m.Kind
			}
			break
		}
	}
	return f
}
