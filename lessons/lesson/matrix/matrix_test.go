package matrix

import (
	"slices"
	"testing"
)

func TestValues(t *testing.T) {
	const rows, columns = 33, 37
	v := Values(rows, columns, 1)
	for p, x := range v {
		if x < -63 || x > 63 || p%columns > 0 && x == v[p-1] || p >= columns && x == v[p-columns] {
			t.Fatalf("%v at %d is beyond its bounds or the same as its neighbour", x, p)
		}
	}
	if slices.Equal(v, Values(rows, columns, 2)) {
		t.Error("two seeds give the same matrix")
	}
}

func TestProduct(t *testing.T) {
	a, b := []float64{1, 2, 3, 4, 5, 6}, []float64{7, 8, 9, 10, 11, 12}
	if got := Product(a, b, 2, 3, 2); !slices.Equal(got, []float64{58, 64, 139, 154}) {
		t.Errorf("%v", got)
	}
	// (a·b)ᵀ = bᵀ·aᵀ
	const m, k, n = 3, 5, 2
	a, b = Values(m, k, 1), Values(k, n, 2)
	if got, want := Transposed(Product(a, b, m, k, n), m, n), Product(Transposed(b, k, n), Transposed(a, m, k), n, k, m); !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

func TestOrdered(t *testing.T) {
	a, b, want, backwards := ordered()
	const m, k, n = 2, 3, 2
	for i := range m {
		for j := range n {
			var up, down float32
			for t := range k {
				up += float32(a.Values[i*k+t] * b.Values[t*n+j])
				down += float32(a.Values[i*k+k-1-t] * b.Values[(k-1-t)*n+j])
			}
			if float64(up) != want[i*n+j] || float64(down) != backwards[i*n+j] {
				t.Errorf("[%d][%d]: %v and %v, want %v and %v", i, j, up, down, want[i*n+j], backwards[i*n+j])
			}
		}
	}
}

func TestRounds(t *testing.T) {
	// One row of five terms that are told apart in their sum, in rounds of two.
	a, b := []float64{1, 10, 100, 1000, 10000}, []float64{1, 2, 3, 4, 5}
	want := []float64{21, 50000, 21 + 21 + 1, 4321}
	known := rounds("c", a, b, 1, 5, 1, 2)
	for i, m := range known {
		if i >= len(want) || m.Array != "c" || m.Values[0] != want[i] {
			t.Errorf("mistake %d is %+v", i, m)
		}
	}
	if len(known) != len(want) {
		t.Errorf("%d mistakes, want %d", len(known), len(want))
	}
	if known := rounds("c", a, b, 1, 5, 1, 8); len(known) != 2 || known[0].Values[0] != 0 || known[1].Values[0] != 4321 {
		t.Errorf("of one round: %+v", known)
	}
}
