package embedding_test

import (
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"workbench/engine/device"
	"workbench/engine/launch"
	"workbench/kernels/embedding"
)

func TestSort(t *testing.T) {
	r, err := embedding.Sort([]int32{7, 3, 7, 9, 3, 7}, 10)
	if err != nil {
		t.Fatal(err)
	}
	if want := []int32{0, 0, 0, 0, 2, 2, 2, 2, 5, 5, 6}; !slices.Equal(r.Starts, want) {
		t.Errorf("starts %v, want %v", r.Starts, want)
	}
	if want := []int32{1, 4, 0, 2, 5, 3}; !slices.Equal(r.Positions, want) {
		t.Errorf("positions %v, want %v", r.Positions, want)
	}

	empty, err := embedding.Sort(nil, 3)
	if err != nil || !slices.Equal(empty.Starts, []int32{0, 0, 0, 0}) || len(empty.Positions) != 0 {
		t.Errorf("the rows of no text are %+v, %v", empty, err)
	}
}

// Against a stable sort of the positions by token.
func TestSortAgainstStableSort(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	for range 200 {
		tokens := 1 + random.IntN(20)
		text := make([]int32, random.IntN(100))
		want := make([]int32, len(text))
		for i := range text {
			text[i], want[i] = random.Int32N(int32(tokens)), int32(i)
		}
		slices.SortStableFunc(want, func(a, b int32) int { return int(text[a] - text[b]) })
		r, err := embedding.Sort(text, tokens)
		if err != nil || !slices.Equal(r.Positions, want) {
			t.Fatalf("%v: positions %v, %v, want %v", text, r.Positions, err, want)
		}
		for token := range tokens {
			for _, p := range r.Positions[r.Starts[token]:r.Starts[token+1]] {
				if text[p] != int32(token) {
					t.Fatalf("%v: position %d is listed for token %d", text, p, token)
				}
			}
		}
	}
}

func TestSortRefuses(t *testing.T) {
	if r, err := embedding.Sort(nil, -5); err != nil || len(r.Starts) != 1 {
		t.Errorf("no text and no table: %+v, %v", r, err)
	}
	for _, text := range [][]int32{{0, 3}, {2, -1}} {
		_, err := embedding.Sort(text, 3)
		var bad *embedding.TokenError
		if !errors.As(err, &bad) || bad.Position != 1 || bad.Token != text[1] || !strings.Contains(err.Error(), "0 to 2") {
			t.Errorf("%v: %v", text, err)
		}
	}
}

func floats(n int) launch.Buffer { return launch.Buffer{Type: "float", Data: make([]byte, 4*n)} }

type prepare func(c device.Contract, p device.Precision, text []int32, tokens, columns int, upstream, gradient launch.Buffer) (*launch.Launch, error)

var versions = map[string]prepare{"atomic": embedding.Atomic, "sorted": embedding.Sorted}

func TestPrepare(t *testing.T) {
	text := make([]int32, 100)
	for name, v := range versions {
		l, err := v(device.Fused, device.Float32, text, 7, 33, floats(3300), floats(231))
		if err != nil {
			t.Fatal(err)
		}
		blocks := map[string]int{"atomic": 13, "sorted": 1}[name] // of 256 for 3300 and for 231 elements
		if l.Grid != (launch.Dim3{X: blocks, Y: 1, Z: 1}) || l.Kernel.Symbol != "embedding_"+name+"_f32" {
			t.Errorf("%s: %s on %s", name, l.Kernel.Symbol, l.Grid)
		}
		for _, a := range l.Args {
			if a.Buffer != nil && a.Buffer.Out != (a.Name == "gradient") {
				t.Errorf("%s: %s is copied back: %t", name, a.Name, a.Buffer.Out)
			}
		}
	}
	if _, err := embedding.Sorted(device.Fused, device.Float32, nil, 7, 33, floats(0), floats(231)); err != nil {
		t.Errorf("no text: %v", err)
	}
}

func TestPrepareRefuses(t *testing.T) {
	for _, c := range []struct {
		field, says        string
		precision          device.Precision
		text               []int32
		tokens, columns    int
		upstream, gradient launch.Buffer
	}{
		{"precision", "float16", device.Float16, []int32{0, 1}, 3, 4, floats(8), floats(12)},
		{"tokens", "from 1 to", device.Float32, []int32{0, 1}, 0, 4, floats(8), floats(12)},
		{"tokens", "from 1 to", device.Float32, []int32{0, 1}, 1 << 31, 4, floats(8), floats(12)},
		{"columns", "from 1 to", device.Float32, []int32{0, 1}, 3, 0, floats(8), floats(12)},
		{"columns", "from 1 to", device.Float32, []int32{0, 1}, 1 << 30, 1 << 10, floats(8), floats(12)},
		{"upstream", "holds 7 elements", device.Float32, []int32{0, 1}, 3, 4, floats(7), floats(12)},
		{"gradient", "holds 11 elements", device.Float32, []int32{0, 1}, 3, 4, floats(8), floats(11)},
		{"token", "in the table", device.Float32, []int32{0, 3}, 3, 4, floats(8), floats(12)},
		{"token", "in the table", device.Float32, []int32{0, -1}, 3, 4, floats(8), floats(12)},
	} {
		for name, v := range versions {
			_, err := v(device.Separate, c.precision, c.text, c.tokens, c.columns, c.upstream, c.gradient)
			var bad *launch.ArgumentError
			var token *embedding.TokenError
			switch {
			case errors.As(err, &token) && c.field == "token":
			case errors.As(err, &bad) && bad.Field == c.field && strings.Contains(bad.Reason, c.says):
			default:
				t.Errorf("%s: error %v, want one of %s with %q", name, err, c.field, c.says)
			}
		}
	}
}
