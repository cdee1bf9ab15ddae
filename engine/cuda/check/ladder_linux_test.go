package check

import (
	"math"
	"strings"
	"testing"

	"workbench/engine/cuda/fake"
	"workbench/engine/cuda/nvidia"
	"workbench/engine/device"
	"workbench/engine/scalar"
	"workbench/kernels/add"
	"workbench/kernels/embedding"
	"workbench/kernels/rmsnorm"
	"workbench/kernels/softmax"
	"workbench/kernels/sumsq"
)

// playedLadder are the kernels of the ladder but the products, as a machine plays
// them that calls one thread after the other: what lanes or threads do together, the
// first one does alone. They are float32 or float64.
func playedLadder(into map[string]fake.Kernel, is func(word string) bool) {
	for i, p := range add.Source.Precisions {
		v := vector{p}
		into[add.Source.Symbols[i]] = fake.Kernel{Parameters: []int{8, 8, 8, 8}, Thread: func(t *fake.Thread) {
			if i := linear(t); i < v.int64(t, 3, 0) {
				v.store(t, 2, i, v.load(t, 0, i)+v.load(t, 1, i))
			}
		}}
		into[softmax.Source.Symbols[i]] = fake.Kernel{Parameters: []int{8, 8, 8, 8}, Thread: func(t *fake.Thread) {
			rows, columns := v.int64(t, 2, 0), v.int64(t, 3, 0)
			v.rows(t, rows, func(r int64) {
				largest, sum := math.Inf(-1), 0.0
				for c := range columns {
					if x := v.load(t, 0, r*columns+c); x > largest {
						largest = x
					}
				}
				e := func(c int64) float64 {
					return p.Round(scalar.Exp(p.Round(v.load(t, 0, r*columns+c) - largest)))
				}
				for c := range columns {
					sum = p.Round(sum + e(c))
				}
				for c := range columns {
					v.store(t, 1, r*columns+c, e(c)/sum)
				}
			})
		}}
		into[rmsnorm.Source.Symbols[i]] = fake.Kernel{Parameters: []int{8, 8, 8, 24}, Thread: func(t *fake.Thread) {
			rows, columns := v.int64(t, 3, 0), v.int64(t, 3, 8)
			epsilon := math.Float64frombits(uint64(v.int64(t, 3, 16)))
			v.rows(t, rows, func(r int64) {
				sum := 0.0
				for c := range columns {
					x := v.load(t, 0, r*columns+c)
					sum = p.Round(p.Round(x*x) + sum)
				}
				scale := p.Round(1 / p.Round(math.Sqrt(p.Round(p.Round(sum/float64(columns))+p.Round(epsilon)))))
				for c := range columns {
					v.store(t, 2, r*columns+c, p.Round(v.load(t, 0, r*columns+c)*scale)*v.load(t, 1, c))
				}
			})
		}}
		into[sumsq.Source.Symbols[i]] = fake.Kernel{Parameters: []int{8, 8, 8}, Thread: func(t *fake.Thread) {
			if t.ThreadIdx.X != 0 {
				return
			}
			n := v.int64(t, 2, 0)
			sums := make([]float64, sumsq.Threads)
			for i := range sums {
				for at := int64(t.BlockIdx.X)*sumsq.Threads + int64(i); at < n; at += sumsq.Blocks * sumsq.Threads {
					x := v.load(t, 0, at)
					sums[i] = p.Round(p.Round(x*x) + sums[i])
				}
			}
			for ; len(sums) > 1; sums = sums[:len(sums)/2] {
				for i, x := range sums[len(sums)/2:] {
					sums[i] = p.Round(sums[i] + x)
				}
			}
			sum := sums[0]
			if is("sumsq") {
				sum *= 1.01
			}
			v.store(t, 1, int64(t.BlockIdx.X), sum)
		}}
		into[embedding.AtomicSource.Symbols[i]] = fake.Kernel{Parameters: []int{8, 8, 8, 24}, Thread: func(t *fake.Thread) {
			positions, columns := v.int64(t, 3, 0), v.int64(t, 3, 16)
			if i := linear(t); i < positions*columns {
				at := int64(int32(t.Load(t.Pointer(0)+nvidia.Pointer(4*(i/columns)), 4)))*columns + i%columns
				v.store(t, 2, at, v.load(t, 2, at)+v.load(t, 1, i))
			}
		}}
		into[embedding.SortedSource.Symbols[i]] = fake.Kernel{Parameters: []int{8, 8, 8, 8, 24}, Thread: func(t *fake.Thread) {
			tokens, columns := v.int64(t, 4, 8), v.int64(t, 4, 16)
			i := linear(t)
			if i >= tokens*columns {
				return
			}
			number := func(argument int, at int64) int64 {
				return int64(int32(t.Load(t.Pointer(argument)+nvidia.Pointer(4*at), 4)))
			}
			sum := v.load(t, 3, i)
			for n := number(0, i/columns); n < number(0, i/columns+1); n++ {
				sum = p.Round(sum + v.load(t, 2, number(1, n)*columns+i%columns))
			}
			v.store(t, 3, i, sum)
		}}
	}
}

// vector reads and writes a precision's elements in device memory.
type vector struct{ device.Precision }

func (v vector) load(t *fake.Thread, argument int, at int64) float64 {
	bits := t.Load(t.Pointer(argument)+nvidia.Pointer(at*int64(v.Size())), v.Size())
	if v.Precision == device.Float64 {
		return math.Float64frombits(bits)
	}
	return float64(math.Float32frombits(uint32(bits)))
}

func (v vector) store(t *fake.Thread, argument int, at int64, x float64) {
	bits := math.Float64bits(x)
	if v.Precision != device.Float64 {
		bits = uint64(math.Float32bits(float32(x)))
	}
	t.Store(t.Pointer(argument)+nvidia.Pointer(at*int64(v.Size())), v.Size(), bits)
}

// int64 reads a member of an argument.
func (vector) int64(t *fake.Thread, argument, offset int) int64 {
	return int64(leUint64(t.Argument(argument)[offset:]))
}

// rows calls do for each row that a warp has, in its first lane.
func (vector) rows(t *fake.Thread, rows int64, do func(r int64)) {
	if t.ThreadIdx.X != 0 {
		return
	}
	warps := int64(t.GridDim.X) * int64(t.BlockDim.Y)
	for r := int64(t.BlockIdx.X)*int64(t.BlockDim.Y) + int64(t.ThreadIdx.Y); r < rows; r += warps {
		do(r)
	}
}

func linear(t *fake.Thread) int64 {
	return int64(t.BlockIdx.X)*int64(t.BlockDim.X) + int64(t.ThreadIdx.X)
}

// A kernel that is wrong fails its rung, and nothing is measured of it.
func TestLadderFails(t *testing.T) {
	m := played(t, memory, "sumsq")
	found := outcomes(t, m, false, "ladder/sumsq/sumsq", "ladder/bandwidth", "ladder/add/add")
	for name, says := range map[string]string{
		"ladder/sumsq/sumsq":                "cases failed:",
		"ladder/sumsq/sumsq, compiled here": "cases failed:",
		"ladder/bandwidth":                  "sumsq_sweep_f32: a value is",
		"ladder/add/add":                    "",
		"ladder/add/add, compiled here":     "",
	} {
		o, ok := found[name]
		if !ok || o.Passed != (says == "") || !strings.Contains(o.Detail, says) {
			t.Errorf("%s: passed %v, %q, want %q", name, o.Passed, o.Detail, says)
		}
	}

	m = played(t, memory, "product")
	if o := outcomes(t, m, false, "ladder/matmul/matmul")["ladder/matmul/matmul"]; o.Passed || !strings.Contains(o.Detail, "matmul_naive_f64/separate/17×33×9") {
		t.Errorf("a product that is wrong: %+v", o)
	}
}
