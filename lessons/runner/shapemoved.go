package runner

import (
	"fmt"
	"slices"

	"workbench/lessons/lesson"
)

// A move is a rule by which values came to the wrong places: at place i stands what
// belongs to from(i). Below 0 it says nothing.
type move struct {
	kind       lesson.FindingKind
	from       func(i int) int
	wrongAlone bool // of the wrong elements; the others are right
	text, next string
}

// moved is that the right values stand in wrong places.
func (c *comparison) moved() *lesson.Finding {
	for _, m := range c.moves() {
		if c.fits(&m) {
			return &lesson.Finding{Kind: m.kind, Text: m.text, Next: m.next}
		}
	}
	return c.permuted()
}

// fits holds a rule against every element, and wants so many that it explains that
// chance is no explanation.
func (c *comparison) fits(m *move) bool {
	explained, open := 0, 0
	seen := map[float64]bool{}
	k := 0
	for i := range c.want {
		wrong := k < len(c.wrong) && c.wrong[k] == i
		if wrong {
			k++
		}
		if !c.written(i) || m.wrongAlone && !wrong {
			continue
		}
		from := m.from(i)
		if from < 0 {
			if wrong {
				open++
			}
			continue
		}
		if !c.agrees(c.got[i], from) {
			return false
		}
		if wrong {
			explained++
			seen[c.want[from]] = true
		}
	}
	return explained >= enough && len(seen) >= enough && open <= explained
}

// moves are the known rules for arrays of this shape.
func (c *comparison) moves() []move {
	rows, columns := c.plane()
	var out []move
	place := func(r, k int) int {
		if r < 0 || r >= rows || k < 0 || k >= columns {
			return -1
		}
		return r*columns + k
	}
	add := func(kind lesson.FindingKind, text, next string, from func(r, k int) int) {
		out = append(out, move{kind: kind, text: text, next: next, from: func(i int) int { return from(i/columns, i%columns) }})
	}
	matrix := len(c.shape) == 2 && rows > 1 && columns > 1

	if matrix {
		out = append(out, move{
			kind: lesson.Transposed,
			text: fmt.Sprintf("Rows and columns of %s are exchanged: what belongs to [r][c] stands where [c][r] would.", c.name),
			next: "a row-major element lies at row·columns + column: which of the two indices is multiplied, and by what?",
			from: func(i int) int { return i%rows*columns + i/rows },
		})
		for _, t := range c.edges() {
			edge := t[1]
			if t[0] != edge || edge >= max(rows, columns) {
				continue
			}
			add(lesson.Transposed, fmt.Sprintf("The tiles of %d×%d of %s are where they belong, but in each of them rows and columns are exchanged.", edge, edge, c.name),
				"which index of the tile do neighbouring threads run along when they write it, and which when they read it?",
				func(r, k int) int { return place(r/edge*edge+k%edge, k/edge*edge+r%edge) })
			add(lesson.Transposed, fmt.Sprintf("Each tile of %d×%d of %s is right in itself, but tiles of rows and columns are exchanged.", edge, edge, c.name),
				"where a tile goes depends on blockIdx.x and blockIdx.y: which of them counts rows where it is written?",
				func(r, k int) int { return place(k/edge*edge+r%edge, r/edge*edge+k%edge) })
		}
	}

	if len(c.shape) == 3 { // a batch of matrices
		height, size := c.shape[1], c.shape[1]*c.shape[2]
		if height > 1 && columns > 1 {
			out = append(out, move{
				kind: lesson.Transposed,
				text: fmt.Sprintf("In each matrix of %s rows and columns are exchanged.", c.name),
				next: "a row-major element lies at row·columns + column: which of the two indices is multiplied, and by what?",
				from: func(i int) int { return i/size*size + i%size%height*columns + i%size/height },
			})
		}
		if c.shape[0] > 1 {
			out = append(out, move{
				kind: lesson.Misplaced,
				text: fmt.Sprintf("Every matrix of %s is the first one.", c.name),
				next: "look for the number of the matrix in the index that is read",
				from: func(i int) int { return i % size },
			})
		}
	}

	for _, by := range c.shifts() {
		away := by
		if matrix {
			text, next := c.shift("column", by)
			add(lesson.Shifted, text, next, func(r, k int) int { return place(r, k-away) })
			text, next = c.shift("row", by)
			add(lesson.Shifted, text, next, func(r, k int) int { return place(r-away, k) })
		}
		text, next := c.shift("element", by)
		out = append(out, move{kind: lesson.Shifted, text: text, next: next, from: func(i int) int {
			if from := i - away; from >= 0 && from < len(c.want) {
				return from
			}
			return -1
		}})
	}

	const backwards = "which element is the first thread's, and which the last one's?"
	add(lesson.Misplaced, fmt.Sprintf("The values of %s stand in reverse order.", c.name), backwards, func(r, k int) int { return place(rows-1-r, columns-1-k) })
	if matrix {
		add(lesson.Misplaced, fmt.Sprintf("In each row of %s the values stand in reverse order.", c.name), backwards, func(r, k int) int { return place(r, columns-1-k) })
		add(lesson.Misplaced, fmt.Sprintf("The rows of %s stand in reverse order.", c.name), backwards, func(r, k int) int { return place(rows-1-r, k) })
		add(lesson.Misplaced, fmt.Sprintf("Every row of %s is its first row.", c.name), "look for the row in the index that is read", func(_, k int) int { return place(0, k) })
		add(lesson.Misplaced, fmt.Sprintf("Every column of %s is its first column.", c.name), "look for the column in the index that is read", func(r, _ int) int { return place(r, 0) })
	}
	for _, t := range c.edges() {
		height, width := t[0], t[1]
		if len(c.shape) == 1 {
			height = 1
		}
		if rows <= height && columns <= width {
			continue
		}
		piece := fmt.Sprintf("piece of %d", width)
		if height > 1 {
			piece = fmt.Sprintf("tile of %d×%d", height, width)
		}
		if height == 1 {
			add(lesson.Misplaced, fmt.Sprintf("In each %s of %s the values stand in reverse order.", piece, c.name), backwards, func(r, k int) int { return place(r, k/width*width+width-1-k%width) })
		}
		add(lesson.Misplaced, fmt.Sprintf("Every %s of %s holds what belongs to the first one.", piece, c.name), "look for the block in the index that is read: blockIdx", func(r, k int) int { return place(r%height, k%width) })
		for _, d := range [][2]int{{0, -1}, {0, 1}, {-1, 0}, {1, 0}} {
			dr, dk := d[0]*height, d[1]*width
			if dr != 0 && rows <= height || dk != 0 && columns <= width {
				continue
			}
			which := "before"
			if d[0]+d[1] > 0 {
				which = "behind"
			}
			out = append(out, move{
				kind: lesson.Misplaced, wrongAlone: true,
				text: fmt.Sprintf("%s of %s hold what belongs to the %s %s: values of another tile.", capital(counted(len(c.wrong))), c.name, piece, which),
				next: "is shared memory filled again before all threads have read what was in it? And does every thread wait until it is filled?",
				from: func(i int) int { return place(i/columns+dr, i%columns+dk) },
			})
		}
	}
	return out
}

// shifts are how far values may have gone: a little, or as far as a block is wide.
func (c *comparison) shifts() []int {
	var out []int
	for _, by := range []int{1, 2, 3} {
		out = append(out, by, -by)
	}
	for _, t := range c.edges() {
		if by := t[1]; by > 3 && by < len(c.want) && !slices.Contains(out, by) {
			out = append(out, by, -by)
		}
	}
	return out
}

// shift says that everything stands some rows, columns or elements too far.
func (c *comparison) shift(what string, by int) (text, next string) {
	way, n := "far", by
	if by < 0 {
		way, n = "early", -by
	}
	text = fmt.Sprintf("The values of %s stand %s too %s.", c.name, count(n, what), way)
	next = fmt.Sprintf("is it the index that is written, or the one that is read, that is off by %d?", n)
	return text, next
}

// permuted is that the right values are there, each as often as it should be, in
// another order.
func (c *comparison) permuted() *lesson.Finding {
	var want, got []float64
	for _, i := range c.wrong {
		if !c.written(i) {
			return nil
		}
		want, got = append(want, c.want[i]), append(got, c.got[i])
	}
	slices.Sort(want)
	slices.Sort(got)
	if len(want) <= enough || distinct(want) <= enough || !slices.Equal(want, got) {
		return nil
	}
	return &lesson.Finding{
		Kind: lesson.Misplaced,
		Text: fmt.Sprintf("The values of %s are right, but %s in the wrong places.", c.name, stand(len(want), len(c.want))),
		Next: "look at the index that is written, beside the one that is read",
	}
}

func stand(n, all int) string {
	if n == all {
		return "all stand"
	}
	return fmt.Sprintf("%d of %d stand", n, all)
}
