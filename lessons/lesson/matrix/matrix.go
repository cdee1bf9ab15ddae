// Package matrix makes the operands of exercises about the matrix product, and
// says what comes out. Every number is a small whole one, so that a product is
// exact in float32 whatever the order of its additions.
//
// A Kernel is one that multiplies, and how it divides the work. It has the cases
// that every such kernel is tried with, and knows what it may cost.
package matrix

import "workbench/lessons/lesson"

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
