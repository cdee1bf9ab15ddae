package dtype

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// The layout, by hand: what a kernel finds in which byte.
func TestQ4Layout(t *testing.T) {
	m := &Q4{Rows: 2, Columns: 64, Codes: make([]byte, 64), Scales: []uint16{Float16Bits(0.5), Float16Bits(2), Float16Bits(-1), 0}}
	for i := range 16 {
		m.Codes[i] = byte(i | (15-i)<<4)                               // 0 to 15 below, 15 to 0 above
		m.Codes[16+i], m.Codes[32+i], m.Codes[48+i] = 0x80, 0x1f, 0x0f // 0 and 8; 15 and 1; 15 and 0
	}
	var want []float32
	for i := range 16 {
		want = append(want, float32(i-8)*0.5)
	}
	for i := range 16 {
		want = append(want, float32(7-i)*0.5)
	}
	for _, x := range []float32{-16, 0, -7, 7, 0, 0} {
		want = append(want, slices.Repeat([]float32{x}, 16)...)
	}
	got := m.Decode()
	for i := range want {
		if got[i] != want[i] || m.At(i/64, i%64) != want[i] {
			t.Errorf("value %d is %v, and At gives %v, want %v", i, got[i], m.At(i/64, i%64), want[i])
		}
	}
	if c := m.Code(0, 3); c != 3 {
		t.Errorf("code %d, want 3", c)
	}
	if c := m.Code(1, 20); c != 1 {
		t.Errorf("code %d, want 1", c)
	}

	// Two groups of one block in the first row, and two in the second.
	m.Group, m.Offsets = 1, []uint16{BFloat16Bits(10), BFloat16Bits(20), BFloat16Bits(30), BFloat16Bits(40)}
	// And one group of two blocks a row.
	wide := *m
	wide.Group, wide.Offsets = 2, []uint16{BFloat16Bits(100), BFloat16Bits(-100)}
	for i := range want {
		if x := float32(10 * (1 + i/32)); m.Decode()[i] != want[i]+x {
			t.Errorf("value %d is %v with an offset of %v", i, m.Decode()[i], x)
		}
		if x := []float32{100, -100}[i/64]; wide.At(i/64, i%64) != want[i]+x {
			t.Errorf("value %d is %v with an offset of %v", i, wide.At(i/64, i%64), x)
		}
	}
}

func TestQ8Layout(t *testing.T) {
	m := &Q8{Rows: 2, Columns: 32, Codes: make([]int8, 64), Scales: []float32{0.25, -3}}
	m.Codes[0], m.Codes[31], m.Codes[32], m.Codes[63] = -128, 127, 1, -2
	want := make([]float32, 64)
	want[0], want[31], want[32], want[63] = -32, 31.75, -3, 6
	for i, x := range m.Decode() {
		if x != want[i] || m.At(i/32, i%32) != want[i] {
			t.Errorf("value %d is %v, want %v", i, x, want[i])
		}
	}
}

// rounded returns the float32 nearest to an exact number.
func rounded(x *big.Float) float32 {
	out, _ := x.Float32()
	return out
}

func exactly(x float64) *big.Float { return new(big.Float).SetPrec(400).SetFloat64(x) }

// Every code with every finite scale has the exact product as its value, and with
// an offset the exact sum, rounded once.
func TestQ4Values(t *testing.T) {
	offsets := []uint16{0, BFloat16Bits(1), BFloat16Bits(-0x1p-20), BFloat16Bits(3e38), BFloat16Bits(0x1p-133), BFloat16Bits(0.0999)}
	for scale := range 1 << 16 {
		s := Float16FromBits(uint16(scale))
		if math.IsInf(s, 0) || math.IsNaN(s) {
			continue
		}
		plain := &Q4{Scales: []uint16{uint16(scale)}}
		affine := &Q4{Scales: plain.Scales, Group: 1, Offsets: []uint16{offsets[scale%len(offsets)]}}
		offset := BFloat16FromBits(affine.Offsets[0])
		for code := range 16 {
			product := new(big.Float).Mul(exactly(float64(code-8)), exactly(s))
			if got, exact := plain.value(0, code), rounded(product); got != exact || exactly(float64(got)).Cmp(product) != 0 {
				t.Fatalf("code %d times %v is %v, want %v", code, s, got, exact)
			}
			if got, want := affine.value(0, code), rounded(new(big.Float).SetPrec(400).Add(product, exactly(offset))); got != want {
				t.Fatalf("code %d times %v and %v is %v, want %v", code, s, offset, got, want)
			}
		}
	}
}

func TestQ8Values(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 8))
	for range 2000 {
		m := &Q8{Rows: 1, Columns: 32, Codes: make([]int8, 32), Scales: []float32{math.Float32frombits(random.Uint32() &^ (1 << 30))}} // at most 2
		for i := range m.Codes {
			m.Codes[i] = int8(random.Uint32())
		}
		for i, got := range m.Decode() {
			if want := rounded(new(big.Float).Mul(exactly(float64(m.Codes[i])), exactly(float64(m.Scales[0])))); got != want {
				t.Fatalf("code %d times %v is %v, want %v", m.Codes[i], m.Scales[0], got, want)
			}
		}
	}
}

// matrices are rows of blocks of several kinds.
func matrices(random *rand.Rand) map[string][]float32 {
	const n = 6 * BlockValues
	fill := func(f func(i int) float64) []float32 {
		out := make([]float32, n)
		for i := range out {
			out[i] = float32(f(i))
		}
		return out
	}
	return map[string][]float32{
		"normal":          fill(func(int) float64 { return random.NormFloat64() }),
		"small":           fill(func(int) float64 { return random.NormFloat64() * 0x1p-14 }),
		"large":           fill(func(int) float64 { return (random.Float64() - 0.5) * 1e6 }),
		"far from zero":   fill(func(int) float64 { return 1000 + random.NormFloat64() }),
		"one sign":        fill(func(int) float64 { return -random.ExpFloat64() }),
		"many magnitudes": fill(func(int) float64 { return math.Ldexp(random.Float64()-0.5, random.IntN(30)-15) }),
		"one value":       fill(func(int) float64 { return 0.3 }),
		"zeros":           fill(func(int) float64 { return 0 }),
		"zeros and one":   fill(func(i int) float64 { return map[bool]float64{true: -7}[i == 40] }),
		"subnormal":       fill(func(int) float64 { return random.Float64() * 0x1p-140 }),
		"integers":        fill(func(i int) float64 { return float64(i%16 - 8) }),
		"halves":          fill(func(i int) float64 { return float64(i%31-16) / 2 }),
	}
}

// best reports whether no code of a format is nearer to x than got.
func best(t *testing.T, name string, x, got float32, codes int, value func(code int) float32) {
	t.Helper()
	distance := func(v float32) float64 { return math.Abs(float64(v) - float64(x)) }
	for code := range codes {
		if v := value(code); distance(v) < distance(got) {
			t.Errorf("%s: %v became %v, and the code of %v is nearer", name, x, got, v)
			return
		}
	}
}

func TestEncode(t *testing.T) {
	random := rand.New(rand.NewPCG(4, 4))
	for name, values := range matrices(random) {
		plain, err := EncodeQ4(2, 96, values)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		affine, err := EncodeAffineQ4(2, 96, 3, values)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		wide, err := EncodeQ8(2, 96, values)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if len(plain.Codes) != 96 || len(plain.Scales) != 6 || len(plain.Offsets) != 0 || len(affine.Offsets) != 2 || len(wide.Codes) != 192 || len(wide.Scales) != 6 {
			t.Fatalf("%s: %d bytes, %d scales, %d and %d offsets, %d codes, %d scales", name, len(plain.Codes), len(plain.Scales), len(plain.Offsets), len(affine.Offsets), len(wide.Codes), len(wide.Scales))
		}
		for i, x := range values {
			block := i / BlockValues
			for kind, m := range map[string]*Q4{"Q4": plain, "affine Q4": affine} {
				best(t, name+" in "+kind, x, m.At(i/96, i%96), 16, func(code int) float32 { return m.value(block, code) })
			}
			best(t, name+" in Q8", x, wide.At(i/96, i%96), 255, func(code int) float32 { return float32(code-127) * wide.Scales[block] })
		}
	}
}

// Ties go to the even code, as seen from either side of zero.
func TestEncodeTies(t *testing.T) {
	values := make([]float32, BlockValues)
	copy(values, []float32{-8, 0.5, 1.5, 2.5, -0.5, -1.5, -2.5, 6.5, 7.5, 8})
	m, err := EncodeQ4(1, BlockValues, values)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := m.Decode()[:10], []float32{-8, 0, 2, 2, 0, -2, -2, 6, 7, 7}; !slices.Equal(got, want) || m.Scales[0] != Float16Bits(1) {
		t.Errorf("%v with the scale %v, want %v", got, Float16FromBits(m.Scales[0]), want)
	}
	// The value farthest from zero gets the code −8, whatever its sign.
	for i := range values {
		values[i] = -values[i]
	}
	if m, err = EncodeQ4(1, BlockValues, values); err != nil {
		t.Fatal(err)
	}
	if got, want := m.Decode()[:10], []float32{8, 0, -2, -2, 0, 2, 2, -6, -7, -7}; !slices.Equal(got, want) || m.Scales[0] != Float16Bits(-1) {
		t.Errorf("%v with the scale %v, want %v", got, Float16FromBits(m.Scales[0]), want)
	}

	copy(values, []float32{127, 0.5, 1.5, 2.5, -0.5, -1.5, -126.5, 126.5, -127, 125.5})
	w, err := EncodeQ8(1, BlockValues, values)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := w.Codes[:10], []int8{127, 0, 2, 2, 0, -2, -126, 126, -127, 126}; !slices.Equal(got, want) || w.Scales[0] != 1 {
		t.Errorf("%v with the scale %v, want %v", got, w.Scales[0], want)
	}
}

// What has been quantised is quantised to itself, where a block has its farthest
// code: the scale is found again.
func TestEncodeAgain(t *testing.T) {
	random := rand.New(rand.NewPCG(2, 2))
	for range 300 {
		m := &Q4{Rows: 1, Columns: 64, Codes: make([]byte, 32), Scales: []uint16{Float16Bits(random.NormFloat64()), Float16Bits(random.NormFloat64())}}
		w := &Q8{Rows: 1, Columns: 32, Codes: make([]int8, 32), Scales: []float32{float32(math.Abs(random.NormFloat64()))}}
		for i := range m.Codes {
			m.Codes[i] = byte(random.Uint32())
			w.Codes[i] = int8(random.IntN(255) - 127)
		}
		m.Codes[3], m.Codes[20], w.Codes[9] = 0, 0, 127
		again, err := EncodeQ4(1, 64, m.Decode())
		if err != nil || !slices.Equal(again.Codes, m.Codes) || !slices.Equal(again.Scales, m.Scales) {
			t.Fatalf("%+v became %+v, %v", m, again, err)
		}
		// 127·scale is rounded, so a 127th of it may be a neighbour of the scale,
		// and the codes are the same for both.
		wide, err := EncodeQ8(1, 32, w.Decode())
		if err != nil || !slices.Equal(wide.Codes, w.Codes) || math.Abs(float64(wide.Scales[0]-w.Scales[0])) > 0x1p-23*float64(w.Scales[0]) {
			t.Fatalf("%+v became %+v, %v", w, wide, err)
		}
	}
}

// A scale of zero leaves the codes of zero, and no zero has a sign.
func TestEncodeZero(t *testing.T) {
	for _, x := range []float32{0, float32(math.Copysign(0, -1)), 0x1p-30, -0x1p-30} {
		m, err := EncodeQ4(1, 32, slices.Repeat([]float32{x}, 32))
		if err != nil || m.Scales[0] != 0 || !slices.Equal(m.Codes, slices.Repeat([]byte{0x88}, 16)) || math.Float32bits(m.At(0, 5)) != 0 {
			t.Errorf("%v: %+v, %v", x, m, err)
		}
	}
	w, err := EncodeQ8(1, 32, slices.Repeat([]float32{-0x1p-149}, 32))
	if err != nil || w.Scales[0] != 0 || !slices.Equal(w.Codes, make([]int8, 32)) {
		t.Errorf("%+v, %v", w, err)
	}
	// An offset alone, when all are the same.
	a, err := EncodeAffineQ4(1, 64, 2, slices.Repeat([]float32{0.75}, 64))
	if err != nil || a.Offsets[0] != BFloat16Bits(0.75) || a.Scales[1] != 0 || a.At(0, 40) != 0.75 {
		t.Errorf("%+v, %v", a, err)
	}
}

func TestEncodeEdges(t *testing.T) {
	block := func(x float32) []float32 {
		out := make([]float32, 64)
		out[40] = x
		return out
	}
	// The largest that float16 scales reach, and the largest float32.
	if m, err := EncodeQ4(1, 64, block(524159)); err != nil || m.At(0, 40) != 524032 {
		t.Errorf("%+v, %v", m, err)
	}
	if w, err := EncodeQ8(1, 64, block(-math.MaxFloat32)); err != nil || !(w.At(0, 40) < -0.99999*math.MaxFloat32) || w.Codes[40] != -127 {
		t.Errorf("%v, %v", w.At(0, 40), err)
	}
	// An offset brings what is large into reach.
	large := slices.Repeat([]float32{1 << 20}, 32)
	if _, err := EncodeQ4(1, 32, large); err == nil {
		t.Error("a scale of 2^17 passes for a float16")
	}
	if a, err := EncodeAffineQ4(1, 32, 1, large); err != nil || a.At(0, 0) != 1<<20 {
		t.Errorf("%+v, %v", a, err)
	}
	if m, err := EncodeQ4(0, 64, nil); err != nil || len(m.Decode()) != 0 {
		t.Errorf("no rows: %+v, %v", m, err)
	}
	if m, err := EncodeAffineQ4(3, 0, 1, nil); err != nil || len(m.Decode()) != 0 {
		t.Errorf("no columns: %+v, %v", m, err)
	}

	for _, c := range []struct {
		name        string
		encode      func() error
		row, column int
		says        string
	}{
		{"not a block", func() error { _, err := EncodeQ4(1, 33, make([]float32, 33)); return err }, -1, -1, "blocks of 32"},
		{"too few", func() error { _, err := EncodeQ8(2, 32, make([]float32, 63)); return err }, -1, -1, "63 values"},
		{"negative", func() error { _, err := EncodeQ8(-1, 32, nil); return err }, -1, -1, "-1 rows"},
		{"too many to count", func() error { _, err := EncodeQ8(math.MaxInt, 64, nil); return err }, -1, -1, "no matrix"},
		{"no group", func() error { _, err := EncodeAffineQ4(1, 64, 0, make([]float32, 64)); return err }, -1, -1, "groups of 0"},
		{"a group over the row's end", func() error { _, err := EncodeAffineQ4(2, 64, 4, make([]float32, 128)); return err }, -1, -1, "groups of 4"},
		{"NaN", func() error { _, err := EncodeQ4(1, 64, block(float32(math.NaN()))); return err }, 0, 40, "not finite"},
		{"infinite", func() error { _, err := EncodeQ8(2, 32, block(float32(math.Inf(-1)))); return err }, 1, 8, "not finite"},
		{"too large", func() error { _, err := EncodeQ4(1, 64, block(524160)); return err }, 0, 40, "524160"},
		{"too far from the offset", func() error { _, err := EncodeAffineQ4(1, 64, 2, block(4e6)); return err }, 0, 0, "float16"},
	} {
		err := c.encode()
		var bad *BlockError
		if !errors.As(err, &bad) || bad.Row != c.row || bad.Column != c.column || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

func FuzzBlocks(f *testing.F) {
	f.Add([]byte("\x00\x00\x80\x3f\xff\xff\x7f\x7f"))
	f.Add([]byte("\x01\x00\x00\x80\x00\x00\xc0\xff"))
	f.Fuzz(func(t *testing.T, data []byte) {
		values := make([]float32, BlockValues)
		for i := range min(len(data)/4, len(values)) {
			values[i] = math.Float32frombits(uint32(data[4*i]) | uint32(data[4*i+1])<<8 | uint32(data[4*i+2])<<16 | uint32(data[4*i+3])<<24)
		}
		if m, err := EncodeQ4(1, BlockValues, values); err == nil {
			for i, x := range values {
				best(t, "Q4", x, m.At(0, i), 16, func(code int) float32 { return m.value(0, code) })
			}
		}
		if m, err := EncodeAffineQ4(1, BlockValues, 1, values); err == nil {
			for i, x := range values {
				best(t, "affine Q4", x, m.At(0, i), 16, func(code int) float32 { return m.value(0, code) })
			}
		}
		if m, err := EncodeQ8(1, BlockValues, values); err == nil {
			for i, x := range values {
				best(t, "Q8", x, m.At(0, i), 255, func(code int) float32 { return float32(code-127) * m.Scales[0] })
			}
		}
	})
}

func ExampleEncodeQ4() {
	values := make([]float32, BlockValues)
	for i := range values {
		values[i] = float32(i)/4 - 4
	}
	m, err := EncodeQ4(1, BlockValues, values)
	fmt.Println(err, Float16FromBits(m.Scales[0]))
	fmt.Println(m.Decode()[:8])
	// Output:
	// <nil> 0.5
	// [-4 -4 -3.5 -3 -3 -3 -2.5 -2]
}
