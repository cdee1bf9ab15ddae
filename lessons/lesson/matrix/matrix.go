// Package matrix makes the operands of exercises about the matrix product, and
// says what comes out. Every number is a small whole one, so that a product is
// exact in float32 whatever the order of its additions.
package matrix

import (
	"fmt"
	"slices"

	"workbench/engine/launch"
	"workbench/lessons/lesson"
)

// Values returns rows × columns whole numbers between −63 and 63, row by row. Two
// that are neighbours, in a row or a column, are different, and so are two
// matrices of different seeds.
func Values(rows, columns, seed int) []float64 {
	values := make([]float64, rows*columns)
	for i := range rows {
		for j := range columns {
			values[i*columns+j] = float64((i*29+j*53+seed*17+i*j*5)%127 - 63)
		}
	}
	return values
}

// Array returns a matrix of floats.
func Array(name string, rows, columns, seed int) *lesson.Array {
	return &lesson.Array{Name: name, Type: "float", Shape: []int{rows, columns}, Values: Values(rows, columns, seed)}
}

// Result returns a matrix of floats that nobody has written, and what it is to
// hold.
func Result(name string, rows, columns int, want []float64) *lesson.Array {
	return &lesson.Array{Name: name, Type: "float", Shape: []int{rows, columns}, Want: want}
}

// Product returns a·b, of which a is m × k and b k × n. It adds up k products of a
// column and a row, each a whole matrix, and not cell by cell as a kernel does.
func Product(a, b []float64, m, k, n int) []float64 {
	return terms(a, b, m, k, n, 0, k, k)
}

// terms adds up the terms from first to end−1. Each is read as the term that it is
// in its round, if the rounds are so long.
func terms(a, b []float64, m, k, n, first, end, round int) []float64 {
	c := make([]float64, m*n)
	for t := first; t < end; t++ {
		read := t % round
		for i := range m {
			for j := range n {
				c[i*n+j] += a[i*k+read] * b[read*n+j]
			}
		}
	}
	return c
}

// Rounds are the known wrong results of a kernel that goes through the k terms in
// rounds of so many, and leaves some of them out.
func Rounds(c string, a, b []float64, m, k, n, round int) []lesson.Mistake {
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

// Transposed returns a matrix of columns × rows from one of rows × columns.
func Transposed(a []float64, rows, columns int) []float64 {
	out := make([]float64, len(a))
	for place, value := range a {
		out[place%columns*rows+place/columns] = value
	}
	return out
}

// Blocks returns how many blocks of a size cover n.
func Blocks(n, size int) int { return (n + size - 1) / size }

// Reads returns an array's counts in a measurement; none if nobody touched it.
func Reads(m *launch.Measurement, name string) launch.ArrayCounts {
	for _, a := range slices.Concat(m.Buffers, m.Shared) {
		if a.Name == name {
			return a
		}
	}
	return launch.ArrayCounts{Name: name}
}

// TooOften is the finding that the elements of an array are loaded more often
// than by a kernel that does so once for each block of a row or a column of
// blocks, of which there are so many. It is nil if they are not.
func TooOften(m *launch.Measurement, name string, blocks int) *lesson.Finding {
	r := Reads(m, name)
	if r.LoadsPerElement <= float64(blocks) {
		return nil
	}
	return &lesson.Finding{
		Kind: lesson.TooSlow,
		Text: fmt.Sprintf("The result is right, but each element of %s is loaded %s from memory; by tiles it is %s, once for each block that needs it.",
			name, times(r.LoadsPerElement), times(float64(blocks))),
		Next: "let each thread load one element of a tile, and let all threads of the block use it from shared memory",
	}
}

// TooManyRequests is the finding that the tiles of two operands are loaded by
// more requests than by a kernel in which every thread loads one element of each
// in a round. It is nil if they are not.
func TooManyRequests(m *launch.Measurement, rounds int) *lesson.Finding {
	most := 2 * m.Warps * int64(rounds)
	if m.Loads.Requests <= most {
		return nil
	}
	return &lesson.Finding{
		Kind: lesson.TooSlow,
		Text: fmt.Sprintf("The result is right, but it takes %d requests to memory to load the tiles, one after the other; %d are enough if every thread loads one element of each.",
			m.Loads.Requests, most),
		Next: "let all threads load at the same time: thread (x, y) one element of the left tile and one of the right",
	}
}

// TooManyBarriers is the finding that the warps of a kernel come to more barriers
// than two in each round, and one more in front or behind. It is nil if they do
// not.
func TooManyBarriers(m *launch.Measurement, rounds int) *lesson.Finding {
	most := 2*int64(rounds) + 1
	each := m.Barriers / m.Warps
	if each <= most {
		return nil
	}
	return &lesson.Finding{
		Kind: lesson.TooSlow,
		Text: fmt.Sprintf("The result is right, but each warp comes to %d barriers; for k terms it takes %s, and two in each are enough.", each, plural(rounds, "round")),
		Next: "look for a barrier that keeps nothing apart, and for a round too many, in which nothing is added",
	}
}

// Ordered returns a 2×3 and a 3×2 matrix whose product depends on the order of
// the additions in float32: from the first term to the last, and from the last to
// the first, which here is the exact one too.
func Ordered() (a, b *lesson.Array, want, backwards []float64) {
	const large = 1 << 24 // from there float32 has every second whole number
	a = &lesson.Array{Name: "a", Type: "float", Shape: []int{2, 3}, Values: []float64{large, 3, -large + 4, large, -large + 6, 3}}
	b = &lesson.Array{Name: "b", Type: "float", Shape: []int{3, 2}, Values: []float64{1, 2, 1, 2, 1, 2}}
	return a, b, []float64{8, 16, 9, 18}, []float64{7, 14, 9, 18} // 16777219 is rounded to 16777220
}

func times(x float64) string {
	if x == 1 {
		return "once"
	}
	return fmt.Sprintf("%.4g times", x)
}

func plural(n int, one string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %ss", n, one)
}
