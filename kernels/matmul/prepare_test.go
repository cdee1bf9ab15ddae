package matmul_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"workbench/engine/device"
	"workbench/engine/launch"
	"workbench/kernels/matmul"
)

// buffer returns a buffer of n elements.
func buffer(p device.Precision, n int) launch.Buffer {
	return launch.Buffer{Type: matmul.Element(p), Data: make([]byte, n*p.Size())}
}

// Odd shapes, packed: buffers of exactly their size pass, and one element less of
// any does not.
func TestPreparePacked(t *testing.T) {
	for _, s := range [][4]int{{1, 1, 1, 1}, {1, 2, 3, 2}, {1, 17, 33, 9}, {1, 5, 129, 31}, {3, 7, 11, 13}, {2, 1, 258, 1}, {5, 1, 1, 300}, {1, 300, 2, 1}} {
		b, m, k, n := s[0], s[1], s[2], s[3]
		for _, p := range device.Precisions {
			for _, c := range []device.Contract{device.Separate, device.Fused} {
				sizes := [3]int{b * m * k, b * k * n, b * m * n}
				params := matmul.Packed(b, m, k, n)
				params.Divisor = float64(k)
				l, err := matmul.Prepare(c, p, params, buffer(p, sizes[0]), buffer(p, sizes[1]), buffer(p, sizes[2]))
				if err != nil {
					t.Fatalf("%v %s: %v", s, p, err)
				}
				if l.Kernel != matmul.Kernel(c, p) || l.SharedBytes != 0 || len(l.Args) != 4 || !bytes.Equal(l.Args[3].Value, params.Bytes()) {
					t.Errorf("%v %s: %+v", s, p, l)
				}
				for i, a := range l.Args[:3] {
					if a.Buffer.Out != (i == 2) || a.Value != nil || len(a.Buffer.Data) != sizes[i]*p.Size() {
						t.Errorf("%v %s: argument %s: %+v", s, p, a.Name, a.Buffer)
					}
				}
				for i, name := range []string{"left", "right", "out"} {
					short := sizes
					short[i]--
					_, err := matmul.Prepare(c, p, params, buffer(p, short[0]), buffer(p, short[1]), buffer(p, short[2]))
					refusedFor(t, err, name, "and it holds")
				}
			}
		}
	}
}

// refusedFor expects an argument error of a field that says why.
func refusedFor(t *testing.T, err error, field, why string) {
	t.Helper()
	var bad *launch.ArgumentError
	if !errors.As(err, &bad) || bad.Field != field || !strings.Contains(bad.Reason, why) {
		t.Errorf("error %v, want one of %s with %q", err, field, why)
	}
}

func TestPrepareRefuses(t *testing.T) {
	good := func() (device.Contract, device.Precision, matmul.Params, [3]launch.Buffer) {
		p := device.Float32
		return device.Separate, p, matmul.Packed(2, 3, 4, 5), [3]launch.Buffer{buffer(p, 24), buffer(p, 40), buffer(p, 30)}
	}
	type request struct {
		contract  device.Contract
		precision device.Precision
		params    matmul.Params
		buffers   [3]launch.Buffer
	}
	for _, c := range []struct {
		field, why string
		change     func(r *request)
	}{
		{"contract", "separate or fused", func(r *request) { r.contract = 9 }},
		{"precision", "is none", func(r *request) { r.precision = 9 }},
		{"batches", "at least 1", func(r *request) { r.params.Batches = 0 }},
		{"rows", "at least 1", func(r *request) { r.params.Rows = -1 }},
		{"terms", "at least 0", func(r *request) { r.params.Terms = -1 }},
		{"columns", "at least 1", func(r *request) { r.params.Columns = math.MinInt64 }},
		{"divisor", "finite", func(r *request) { r.params.Divisor = math.NaN() }},
		{"alpha", "finite", func(r *request) { r.params.Alpha = math.NaN() }},
		{"alpha", "finite", func(r *request) { r.params.Alpha = -1e300 }}, // not in float32
		{"alpha", "zero in float32", func(r *request) { r.params.Alpha = 1e-300 }},
		{"divisor", "finite", func(r *request) { r.params.Divisor = math.Inf(-1) }},
		{"divisor", "finite", func(r *request) { r.params.Divisor = 1e300 }}, // not in float32
		{"divisor", "zero in float32", func(r *request) { r.params.Divisor = 1e-300 }},
		{"left", `"float"`, func(r *request) { r.buffers[0].Type = "double" }},
		{"right", `"float"`, func(r *request) { r.buffers[1].Type = "" }},
		{"out", "no whole number", func(r *request) { r.buffers[2].Data = make([]byte, 121) }},
		{"left", "negative", func(r *request) { r.params.Left.Row = -1 }},
		{"right", "negative", func(r *request) { r.params.Right.Batch = math.MinInt64 }},
		{"out", "negative", func(r *request) { r.params.Out.Column = -1 }},
		{"left", "2^59", func(r *request) { r.params.Left.Batch = math.MaxInt64 }},
		{"right", "2^59", func(r *request) { r.params.Right.Row, r.params.Terms = 1<<40, 1<<40; r.params.Left.Column = 0 }},
		{"out", "2^59", func(r *request) { r.params.Out.Batch = 1 << 59 }},
		{"left", "reach element 24,", func(r *request) { r.params.Left.Column = 2; r.params.Left.Batch = 10 }},
		{"out", "share an element", func(r *request) { r.params.Out.Batch = 0 }},
		{"out", "share an element", func(r *request) { r.params.Out.Row = 1 }},
		{"out", "share an element", func(r *request) { r.params.Out.Row = 4 }},
		{"out", "share an element", func(r *request) { r.params.Out.Column = 0 }},
	} {
		var r request
		r.contract, r.precision, r.params, r.buffers = good()
		if _, err := matmul.Prepare(r.contract, r.precision, r.params, r.buffers[0], r.buffers[1], r.buffers[2]); err != nil {
			t.Fatal(err)
		}
		c.change(&r)
		_, err := matmul.Prepare(r.contract, r.precision, r.params, r.buffers[0], r.buffers[1], r.buffers[2])
		refusedFor(t, err, c.field, c.why)
	}
}

// An axis of one takes no step, whatever its stride says.
func TestPrepareUnusedStrides(t *testing.T) {
	p := device.Float64
	m := matmul.Packed(1, 1, 4, 1)
	m.Left.Batch, m.Left.Row = -7, math.MinInt64
	m.Right.Batch, m.Right.Column = math.MaxInt64, -1
	m.Out = matmul.Strides{Batch: -1, Row: 0, Column: math.MaxInt64}
	if _, err := matmul.Prepare(device.Separate, p, m, buffer(p, 4), buffer(p, 4), buffer(p, 1)); err != nil {
		t.Error(err)
	}
}

// reach lists the elements that three loops over an operand touch.
func reach(extents, strides [3]int64) (list []int64) {
	for b := range extents[0] {
		for i := range extents[1] {
			for j := range extents[2] {
				list = append(list, b*strides[0]+i*strides[1]+j*strides[2])
			}
		}
	}
	return list
}

// What Prepare lets pass never leaves its buffers nor writes an element twice; and
// what stays inside and apart it lets pass, but for outputs whose rows and columns
// interleave.
func TestPrepareAgainstLoops(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 8))
	stride := func() int64 {
		return []int64{0, 1, 1, 2, 3, 4, 5, 7, 12, 24, -1, -3}[random.IntN(12)]
	}
	extent := func() int64 { return 1 + random.Int64N(4) }
	p := device.Float16
	var passed, refused, cautious int
	for range 200_000 {
		m := matmul.Params{
			Batches: extent(), Rows: extent(), Terms: extent(), Columns: extent(),
			Left:  matmul.Strides{Batch: stride(), Row: stride(), Column: stride()},
			Right: matmul.Strides{Batch: stride(), Row: stride(), Column: stride()},
			Out:   matmul.Strides{Batch: stride(), Row: stride(), Column: stride()},
		}
		lists := [3][]int64{
			reach([3]int64{m.Batches, m.Rows, m.Terms}, [3]int64{m.Left.Batch, m.Left.Row, m.Left.Column}),
			reach([3]int64{m.Batches, m.Terms, m.Columns}, [3]int64{m.Right.Batch, m.Right.Row, m.Right.Column}),
			reach([3]int64{m.Batches, m.Rows, m.Columns}, [3]int64{m.Out.Batch, m.Out.Row, m.Out.Column}),
		}
		inside := true
		var buffers [3]launch.Buffer
		for i, list := range lists {
			n := max(slices.Max(list)+1+int64(random.IntN(3)-1), 0)
			buffers[i] = buffer(p, int(n))
			inside = inside && slices.Min(list) >= 0 && slices.Max(list) < n
		}
		slices.Sort(lists[2])
		apart := len(slices.Compact(slices.Clone(lists[2]))) == len(lists[2])

		_, err := matmul.Prepare(device.Fused, p, m, buffers[0], buffers[1], buffers[2])
		switch {
		case err == nil && inside && apart:
			passed++
		case err != nil && !(inside && apart):
			refused++
		case err != nil && strings.Contains(err.Error(), "share an element"):
			cautious++
		default:
			t.Fatalf("%+v with buffers of %d, %d, %d bytes: inside %t, apart %t, error %v",
				m, len(buffers[0].Data), len(buffers[1].Data), len(buffers[2].Data), inside, apart, err)
		}
	}
	if passed < 1000 || refused < 1000 || cautious > passed {
		t.Errorf("%d passed, %d were refused, %d out of caution: the cases say little", passed, refused, cautious)
	}
}

// Every cell has a thread, or a thread that comes to it: the grid covers what a
// grid can, and no block is idle from the start.
func TestGeometry(t *testing.T) {
	for _, s := range [][3]int{{1, 1, 1}, {1, 2, 2}, {3, 17, 9}, {1, 256, 1}, {1, 257, 1}, {2, 1, 258}, {70_000, 1, 1}, {1, 3_000_000, 17}, {1, 20_000_000, 1}, {1, 1, 1 << 40}} {
		b, m, n := s[0], s[1], s[2]
		grid, block := matmul.Packed(b, m, 1, n).Geometry()
		if block.Count() != 256 {
			t.Errorf("%v: blocks of %s, want 256 threads", s, block)
		}
		for _, axis := range []struct{ cells, threads, blocks, most int }{
			{n, block.X, grid.X, 1<<31 - 1}, {m, block.Y, grid.Y, 65_535}, {b, block.Z, grid.Z, 65_535},
		} {
			needed := (axis.cells + axis.threads - 1) / axis.threads
			if axis.blocks != min(needed, axis.most) {
				t.Errorf("%v: %d blocks of %d for %d cells, want %d", s, axis.blocks, axis.threads, axis.cells, min(needed, axis.most))
			}
		}
	}
}

func TestBytes(t *testing.T) {
	p := matmul.Params{
		Batches: 1, Rows: 2, Terms: 3, Columns: 4,
		Left: matmul.Strides{Batch: 5, Row: -6, Column: 7}, Right: matmul.Strides{Batch: 8, Row: 9, Column: 10}, Out: matmul.Strides{Batch: 11, Row: 12, Column: 1 << 40},
		Divisor: 0.1, Alpha: 0.2, Accumulate: true,
	}
	b := p.Bytes()
	if len(b) != 128 {
		t.Fatalf("%d bytes, want 128", len(b))
	}
	for i, want := range []int64{1, 2, 3, 4, 5, -6, 7, 8, 9, 10, 11, 12, 1 << 40} {
		if got := int64(binary.LittleEndian.Uint64(b[8*i:])); got != want {
			t.Errorf("field %d is %d, want %d", i, got, want)
		}
	}
	if got := math.Float64frombits(binary.LittleEndian.Uint64(b[104:])); got != 0.1 {
		t.Errorf("divisor %v", got)
	}
	if got := math.Float64frombits(binary.LittleEndian.Uint64(b[112:])); got != 0.2 {
		t.Errorf("alpha %v", got)
	}
	if got := binary.LittleEndian.Uint64(b[120:]); got != 1 {
		t.Errorf("accumulate is %d, want 1", got)
	}
	p.Accumulate = false
	if got := binary.LittleEndian.Uint64(p.Bytes()[120:]); got != 0 {
		t.Errorf("accumulate is %d, want 0", got)
	}
}

func TestSymbols(t *testing.T) {
	for _, v := range matmul.Versions {
		var got []string
		for _, p := range v.Source().Precisions {
			got = append(got, v.Symbol(p))
		}
		if !slices.Equal(got, v.Source().Symbols) {
			t.Errorf("the %s version's precisions are multiplied by %v, and its kernels are %v", v, got, v.Source().Symbols)
		}
		// Each kernel's operands are of the type that its buffers must say.
		for _, p := range v.Source().Precisions {
			e := matmul.Element(p)
			signature := " " + v.Symbol(p) + "(const " + e + "* left, const " + e + "* right, " + e + "* out, Matmul m)"
			if !strings.Contains(v.Source().Text, signature) {
				t.Errorf("%s does not declare %s", v.Source().Name, signature)
			}
		}
	}
}

// Each source is whole, so each declares the arguments; all declare the same.
func TestOneStruct(t *testing.T) {
	declaration := func(source string) string {
		begin, end := strings.Index(source, "// Strides are"), strings.Index(source, "long long accumulate;")
		if begin < 0 || end < begin {
			t.Fatalf("no declaration of struct Matmul:\n%s", source)
		}
		return source[begin:end]
	}
	for _, v := range matmul.Versions {
		if declaration(v.Source().Text) != declaration(matmul.Source) {
			t.Errorf("%s declares other arguments than %s", v.Source().Name, matmul.File)
		}
	}
}

// A tile's side in Go is the one in the source, and so are its threads.
func TestTiles(t *testing.T) {
	for v, want := range map[matmul.Version]struct {
		grid   launch.Dim3
		source []string
	}{
		matmul.Tiled:   {launch.Dim3{X: 9, Y: 8, Z: 3}, []string{"const int TILE = 16;", "__launch_bounds__(TILE * TILE)"}},
		matmul.Blocked: {launch.Dim3{X: 3, Y: 2, Z: 3}, []string{"const int THREADS = 16;", "const int CELLS = 4;", "const int TILE = THREADS * CELLS;", "__launch_bounds__(THREADS * THREADS, "}},
	} {
		grid, block := v.Geometry(matmul.Packed(3, 128, 7, 129))
		if want16 := (launch.Dim3{X: 16, Y: 16, Z: 1}); grid != want.grid || block != want16 {
			t.Errorf("%s: %s blocks of %s, want %s of %s", v, grid, block, want.grid, want16)
		}
		// One column does not change the block, as it does in the naive version.
		if _, block := v.Geometry(matmul.Packed(1, 500, 7, 1)); block.X != 16 || block.Y != 16 {
			t.Errorf("%s: a block of %s for one column", v, block)
		}
		if grid, _ := v.Geometry(matmul.Packed(70_000, 20_000_000, 1, 1)); grid.Y != 65_535 || grid.Z != 65_535 {
			t.Errorf("%s: a grid of %s", v, grid)
		}
		for _, text := range want.source {
			if !strings.Contains(v.Source().Text, text) {
				t.Errorf("%s does not say %q", v.Source().Name, text)
			}
		}
	}
}

// A product of no terms is launched on operands of no elements, and its cells are
// checked like any other's.
func TestPrepareNoTerms(t *testing.T) {
	p := device.Float32
	for _, v := range matmul.Versions {
		m := matmul.Packed(2, 3, 0, 5)
		if _, err := v.Prepare(device.Fused, p, m, buffer(p, 0), buffer(p, 0), buffer(p, 30)); err != nil {
			t.Errorf("%s: %v", v, err)
		}
		_, err := v.Prepare(device.Fused, p, m, buffer(p, 0), buffer(p, 0), buffer(p, 29))
		refusedFor(t, err, "out", "and it holds 29")
	}
}

func TestVersionPrecisions(t *testing.T) {
	for _, v := range []matmul.Version{matmul.Tiled, matmul.Blocked} {
		p := device.Float16
		_, err := v.Prepare(device.Fused, p, matmul.Packed(1, 1, 1, 1), buffer(p, 1), buffer(p, 1), buffer(p, 1))
		refusedFor(t, err, "precision", "[float64 float32]")
	}
}
