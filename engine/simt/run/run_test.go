package run_test

import (
	"context"
	"encoding/binary"
	"math"
	"os"
	"path/filepath"
	"testing"

	"workbench/engine/device"
	"workbench/engine/launch"
	"workbench/engine/scalar"
	"workbench/engine/simt/code"
	"workbench/engine/simt/run"
)

// bench is a machine for a test.
type bench struct {
	*run.Machine
	t testing.TB
}

// program returns a machine that runs a program's text.
func program(t testing.TB, name, text string) *bench {
	t.Helper()
	p, err := code.Read(name, text)
	if err != nil {
		t.Fatal(err)
	}
	image, err := run.Compile(p)
	if err != nil {
		t.Fatal(err)
	}
	m, err := run.New(image, 0)
	if err != nil {
		t.Fatal(err)
	}
	return &bench{m, t}
}

func programFile(t testing.TB, name string) *bench {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return program(t, name, string(text))
}

// buffer returns memory that holds values, a slice of numbers.
func (b *bench) buffer(label, elem string, values any) *run.Memory {
	b.t.Helper()
	n := binary.Size(values)
	count := 1
	switch v := values.(type) {
	case []float32:
		count = len(v)
	case []float64:
		count = len(v)
	case []int32:
		count = len(v)
	case []uint32:
		count = len(v)
	case []uint64:
		count = len(v)
	case []byte:
		count = len(v)
	}
	m, err := b.Allocate(label, int64(n), elem, n/max(count, 1))
	if err != nil {
		b.t.Fatal(err)
	}
	if _, err := binary.Encode(m.Data, binary.LittleEndian, values); err != nil {
		b.t.Fatal(err)
	}
	return m
}

// get reads memory back.
func get[T any](t testing.TB, m *run.Memory) []T {
	t.Helper()
	var one T
	out := make([]T, len(m.Data)/binary.Size(one))
	if _, err := binary.Decode(m.Data, binary.LittleEndian, out); err != nil {
		t.Fatal(err)
	}
	return out
}

// args returns the bytes of arguments: memory as its pointer, numbers as they
// are.
func args(values ...any) [][]byte {
	var out [][]byte
	for _, v := range values {
		switch x := v.(type) {
		case *run.Memory:
			v = uint64(x.Pointer())
		case int:
			v = int32(x)
		}
		b := make([]byte, binary.Size(v))
		if _, err := binary.Encode(b, binary.LittleEndian, v); err != nil {
			panic(err)
		}
		out = append(out, b)
	}
	return out
}

// launch runs a kernel that must not fail.
func (b *bench) launch(l *run.Launch) *run.Result {
	b.t.Helper()
	r, err := b.Launch(context.Background(), l)
	if err != nil {
		b.t.Fatal(err)
	}
	return r
}

func dim(x, y, z int) launch.Dim3 { return launch.Dim3{X: x, Y: y, Z: z} }

// numbers returns n distinct float32 that products of are not exact.
func numbers(n int, seed uint64) []float32 {
	out := make([]float32, n)
	for i := range out {
		seed += 0x9e3779b97f4a7c15
		z := seed
		z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
		z = (z ^ z>>27) * 0x94d049bb133111eb
		z ^= z >> 31
		out[i] = float32(float64(z>>11)/(1<<53)*2 - 1)
	}
	return out
}

func matmul(left, right []float32, rows, terms, columns int, fused bool) []float32 {
	out := make([]float32, rows*columns)
	for i := range rows {
		for j := range columns {
			sum := float32(0)
			for k := range terms {
				a, b := left[i*terms+k], right[k*columns+j]
				if fused {
					sum = scalar.FMA32(a, b, sum)
				} else {
					sum = float32(a*b) + sum
				}
			}
			out[i*columns+j] = sum
		}
	}
	return out
}

func TestMatmul(t *testing.T) {
	for _, size := range [][3]int{{1, 1, 1}, {17, 33, 9}, {5, 129, 31}, {16, 16, 16}, {31, 7, 37}, {3, 0, 4}} {
		rows, terms, columns := size[0], size[1], size[2]
		left, right := numbers(rows*terms, 1), numbers(terms*columns, 2)
		for _, contract := range []device.Contract{device.Separate, device.Fused} {
			want := matmul(left, right, rows, terms, columns, contract == device.Fused)
			for _, c := range []struct {
				kernel string
				block  launch.Dim3
			}{{"naive", dim(16, 16, 1)}, {"naive", dim(7, 3, 1)}, {"naive", dim(1, 1, 1)}, {"naive", dim(33, 2, 1)}, {"tiled", dim(16, 16, 1)}} {
				for _, seed := range []uint64{0, 7} {
					b := programFile(t, "matmul.code")
					out := make([]float32, rows*columns)
					for i := range out {
						out[i] = float32(math.NaN())
					}
					cells := b.buffer("out", "float", out)
					b.launch(&run.Launch{
						Kernel: c.kernel, Grid: dim((columns+c.block.X-1)/c.block.X, (rows+c.block.Y-1)/c.block.Y, 1), Block: c.block,
						Args:     args(b.buffer("left", "float", left), b.buffer("right", "float", right), cells, rows, terms, columns),
						Contract: contract, Seed: seed, Workers: 2,
					})
					for i, v := range get[float32](t, cells) {
						if math.Float32bits(v) != math.Float32bits(want[i]) {
							t.Fatalf("%s %v, blocks of %v, %v: cell %d,%d is %v, not %v", c.kernel, size, c.block, contract, i/columns, i%columns, v, want[i])
						}
					}
				}
			}
		}
	}
}

func benchmark(b *testing.B, kernel string, n, workers int, contract device.Contract, o run.Observer) {
	left, right := numbers(n*n, 1), numbers(n*n, 2)
	m := programFile(b, "matmul.code")
	cells := m.buffer("out", "float", make([]float32, n*n))
	l := &run.Launch{
		Kernel: kernel, Grid: dim((n+15)/16, (n+15)/16, 1), Block: dim(16, 16, 1), Workers: workers,
		Args: args(m.buffer("left", "float", left), m.buffer("right", "float", right), cells, n, n, n), Contract: contract, Observer: o,
	}
	for b.Loop() {
		m.launch(l)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n*n*n), "ns/iteration")
}

// idle wants to be told, and does nothing.
type idle struct {
	wants run.Events
	silent
}

func (i *idle) Wants() run.Events { return i.wants }

func BenchmarkMatmul(b *testing.B) {
	for _, kernel := range []string{"naive", "tiled"} {
		for _, contract := range []device.Contract{device.Separate, device.Fused} {
			b.Run(kernel+"/"+contract.String(), func(b *testing.B) { benchmark(b, kernel, 128, 1, contract, nil) })
		}
		// What it costs to be watched, without what a watcher does.
		o := &idle{wants: run.Accesses | run.Syncs | run.Values}
		b.Run(kernel+"/watched", func(b *testing.B) { benchmark(b, kernel, 128, 1, device.Separate, o) })
	}
}
