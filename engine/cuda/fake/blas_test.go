package fake_test

import (
	"encoding/binary"
	"math"
	"testing"

	"workbench/engine/cuda/fake"
	"workbench/engine/cuda/nvidia"
	"workbench/engine/device"
)

func types() map[nvidia.Type]device.Precision {
	return map[nvidia.Type]device.Precision{
		nvidia.Float64: device.Float64, nvidia.Float32: device.Float32, nvidia.Float16: device.Float16, nvidia.BFloat16: device.BFloat16,
	}
}

// value reads element i.
func value(p device.Precision, b []byte, i int) float64 {
	switch p {
	case device.Float64:
		return math.Float64frombits(binary.LittleEndian.Uint64(b[8*i:]))
	case device.Float32:
		return float64(math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:])))
	}
	bits := uint32(binary.LittleEndian.Uint16(b[2*i:]))
	if p == device.BFloat16 {
		return float64(math.Float32frombits(bits << 16))
	}
	// Small integers: exponent 15 to 25, no subnormals.
	if bits&0x7fff == 0 {
		return 0
	}
	return math.Ldexp(float64(1024+bits&1023), int(bits>>10&31)-25) * (1 - 2*float64(bits>>15))
}

// TestGemm holds C = α·A·B + β·C to its definition, with integers that every
// format holds, gaps between the columns and between the matrices, and what lies
// in the gaps unchanged.
func TestGemm(t *testing.T) {
	const m, n, k, batch = 3, 4, 5, 2
	const lda, ldb, ldc = m + 2, k + 1, m + 3
	const strideA, strideB, strideC = lda*k + 7, ldb*n + 3, ldc*n + 1
	for format, p := range types() {
		for _, scale := range [][2]float64{{1, 0}, {2, 0}, {1, 1}, {0.5, 2}} {
			machine, c := context(t, fake.Config{})
			blas, err := machine.BLAS()
			if err != nil {
				t.Fatal(err)
			}
			upload := func(values []float64) nvidia.Pointer {
				b := p.AppendBytes(nil, values)
				at, err := c.Alloc(uint64(len(b)))
				if err != nil {
					t.Fatal(err)
				}
				if err := c.CopyIn(at, b); err != nil {
					t.Fatal(err)
				}
				return at
			}
			counting := func(length, period int) []float64 {
				out := make([]float64, length)
				for i := range out {
					out[i] = float64(i%period) - 2
				}
				return out
			}
			a, b, before := counting(strideA*batch, 7), counting(strideB*batch, 5), counting(strideC*batch, 3)
			at := upload(before)
			err = blas.Gemm(nvidia.Gemm{
				Type: format, M: m, N: n, K: k, Alpha: scale[0], Beta: scale[1],
				A: upload(a), LDA: lda, StrideA: strideA,
				B: upload(b), LDB: ldb, StrideB: strideB,
				C: at, LDC: ldc, StrideC: strideC, Batch: batch,
			})
			if err != nil {
				t.Fatal(err)
			}
			got := make([]byte, strideC*batch*p.Size())
			if err := c.CopyOut(got, at); err != nil {
				t.Fatal(err)
			}
			want := append([]float64(nil), before...)
			for s := range batch {
				for j := range n {
					for i := range m {
						var sum float64
						for l := range k {
							sum += float64(a[s*strideA+l*lda+i] * b[s*strideB+j*ldb+l])
						}
						q := s*strideC + j*ldc + i
						want[q] = float64(scale[0]*sum) + float64(scale[1]*before[q])
					}
				}
			}
			for q, w := range want {
				if x := value(p, got, q); x != w {
					t.Fatalf("%s, α = %v, β = %v: element %d is %v, want %v", p, scale[0], scale[1], q, x, w)
				}
			}
			if err := blas.Close(); err != nil {
				t.Error(err)
			}
			if err := blas.Gemm(nvidia.Gemm{}); err == nil {
				t.Error("a closed handle multiplied")
			}
		}
	}
}

// With a workspace cuBLAS may cut the contraction, and the bits become others.
func TestWorkspaceChangesBits(t *testing.T) {
	machine, c := context(t, fake.Config{})
	blas, err := machine.BLAS()
	if err != nil {
		t.Fatal(err)
	}
	const k = 64
	operand := make([]float64, k)
	for i := range operand {
		operand[i] = float64(i*7919%101) / 7
	}
	buffer := func(values []float64) nvidia.Pointer {
		p, err := c.Alloc(uint64(8 * len(values)))
		if err != nil {
			t.Fatal(err)
		}
		if err := c.CopyIn(p, device.Float64.AppendBytes(nil, values)); err != nil {
			t.Fatal(err)
		}
		return p
	}
	a, b, out := buffer(operand), buffer(operand), buffer([]float64{0})
	run := func() float64 {
		if err := blas.Gemm(nvidia.Gemm{M: 1, N: 1, K: k, Alpha: 1, A: a, LDA: 1, B: b, LDB: k, C: out, LDC: 1, Batch: 1}); err != nil {
			t.Fatal(err)
		}
		got := make([]byte, 8)
		if err := c.CopyOut(got, out); err != nil {
			t.Fatal(err)
		}
		return value(device.Float64, got, 0)
	}
	chain := 0.0
	for _, x := range operand {
		chain = math.FMA(x, x, chain)
	}
	if got := run(); got != chain {
		t.Errorf("without a workspace the sum is %v, want the chain's %v", got, chain)
	}
	room := buffer(make([]float64, 1000))
	if err := blas.SetWorkspace(room, 8000); err != nil {
		t.Fatal(err)
	}
	if got := run(); got == chain {
		t.Errorf("with a workspace the sum is the chain's too: %v", got)
	}
	if err := blas.SetWorkspace(room, 8001); err == nil {
		t.Error("a workspace beyond its allocation was taken")
	}
	if err := blas.SetWorkspace(0, 0); err != nil {
		t.Fatal(err)
	}
	if got := run(); got != chain {
		t.Errorf("without a workspace again the sum is %v, want %v", got, chain)
	}
}

func TestGemmRefuses(t *testing.T) {
	machine, c := context(t, fake.Config{})
	blas, err := machine.BLAS()
	if err != nil {
		t.Fatal(err)
	}
	p, err := c.Alloc(1000)
	if err != nil {
		t.Fatal(err)
	}
	sound := nvidia.Gemm{M: 2, N: 2, K: 2, Alpha: 1, A: p, LDA: 2, B: p, LDB: 2, C: p + 512, LDC: 2, Batch: 1}
	for name, edit := range map[string]func(g *nvidia.Gemm){
		"lda":    func(g *nvidia.Gemm) { g.LDA = 1 },
		"ldb":    func(g *nvidia.Gemm) { g.LDB = 1 },
		"ldc":    func(g *nvidia.Gemm) { g.LDC = 1 },
		"m":      func(g *nvidia.Gemm) { g.M = -1 },
		"batch":  func(g *nvidia.Gemm) { g.Batch = 1 << 31 },
		"format": func(g *nvidia.Gemm) { g.Type = 4 },
	} {
		g := sound
		edit(&g)
		if err := blas.Gemm(g); code(err) != 7 {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := blas.Gemm(sound); err != nil {
		t.Fatal(err)
	}
	if err := c.Synchronize(); err != nil {
		t.Fatal(err)
	}
	sound.C = p + 992
	if err := blas.Gemm(sound); err != nil {
		t.Fatal(err)
	}
	if err := c.Synchronize(); code(err) != nvidia.IllegalAddress {
		t.Errorf("a result beyond its allocation: %v", err)
	}
	if err := blas.Gemm(sound); code(err) != 13 {
		t.Errorf("after an error that stays: %v", err)
	}
}
