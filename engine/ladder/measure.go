package ladder

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"workbench/engine/device"
	"workbench/engine/launch"
	"workbench/engine/tensor"
	"workbench/kernels/add"
	"workbench/kernels/matmul"
)

// The names of the figures that Of looks for; the GPU's check writes them.
const additionFigure = "ladder/bandwidth/add"

func figure(p device.Precision, size int) string { return fmt.Sprintf("ladder/%d³/%s/", size, p) }

// runs are those that are counted of each rung, behind one that wakes everything
// up. An odd number has a middle.
const runs = 5

// On is what a ladder is measured on.
type On struct {
	Kernels launch.Launcher
	Library device.Device // nil where there is none
	Missing string        // why there is none
	Device  string        // the GPU's name

	// Added is how many floats are added to find the speed of memory: more than
	// caches hold; 0 is 2^24 of them, which with both operands are 192 MiB.
	Added int
}

// A WrongError is a result that cannot be: its speed would be that of another
// computation.
type WrongError struct {
	Device string
	Detail string
}

func (e *WrongError) Error() string {
	return fmt.Sprintf("%s computed something else: %s: nothing was measured", e.Device, e.Detail)
}

// Measure runs every version, and the library, on one product, each several times,
// by the events of the GPU. All versions must have the same bits and the library the
// same numbers within the bound of a sum in any order: else the error is a
// *WrongError. The versions run under the fused contract, as the library does.
// Progress is told what runs, and how many of how many parts are done.
func Measure(ctx context.Context, on On, p device.Precision, size int, progress func(note string, done, total int)) (*Ladder, error) {
	if !Fits(size) || !slices.Contains(Precisions, p) {
		return nil, fmt.Errorf("ladder: no product of size %d in %s: it is 64 to %d and a multiple of 64, in one of %v", size, p, Largest, Precisions)
	}
	l := begin(p, size)
	l.Device, l.Runs, l.Missing = on.Device, runs, on.Missing
	total := len(matmul.Versions) + 1
	if on.Library != nil {
		total++
	}
	done := 0
	step := func(note string) {
		progress(note, done, total)
		done++
	}

	step("an addition, for the speed of memory")
	var err error
	if l.Memory, err = memory(ctx, on); err != nil {
		return nil, err
	}
	left, right := packed(p, size, 1), packed(p, size, 2)
	var result []byte // of the first version
	for _, v := range matmul.Versions {
		step("the " + v.String() + " version")
		buffer := func(data []byte) launch.Buffer { return launch.Buffer{Type: launch.Element(p), Data: data} }
		one, err := v.Prepare(device.Fused, p, matmul.Packed(1, size, size, size), buffer(left), buffer(right), buffer(make([]byte, len(left))))
		if err != nil {
			return nil, err
		}
		out, times, err := timed(ctx, on, one)
		if err != nil {
			return nil, err
		}
		if result == nil {
			result = out
		} else if !bytes.Equal(result, out) {
			return nil, &WrongError{on.Device, fmt.Sprintf("the %s version has other bits than the %s one", v, matmul.Versions[0])}
		}
		l.Rungs = append(l.Rungs, l.rung(v.String(), times))
	}
	left, right = nil, nil
	if on.Library != nil {
		step(Library)
		times, err := library(ctx, on, p, size, result)
		if err != nil {
			return nil, err
		}
		l.Rungs = append(l.Rungs, l.rung(Library, times))
	}
	progress("done", total, total)
	l.finish(p)
	return l, nil
}

// timed runs a launch several times in one memory, and returns what its output has in
// the end and the nanoseconds of every run but the first.
func timed(ctx context.Context, on On, l *launch.Launch) ([]byte, []int64, error) {
	results, err := on.Kernels.Sequence(ctx, slices.Repeat([]*launch.Launch{l}, runs+1))
	if err != nil {
		return nil, nil, device.CauseOf(ctx, err)
	}
	var times []int64
	for _, r := range results[1:] {
		times = append(times, r.Cost.KernelNS)
	}
	buffers := results[len(results)-1].Buffers
	at := slices.IndexFunc(buffers, func(b []byte) bool { return b != nil })
	return buffers[at], times, nil
}

// memory returns how many GB a second an addition moves.
func memory(ctx context.Context, on On) (float64, error) {
	n := on.Added
	if n == 0 {
		n = 1 << 24
	}
	floats := func() launch.Buffer {
		return launch.Buffer{Type: launch.Element(device.Float32), Data: make([]byte, 4*n)}
	}
	l, err := add.Prepare(device.Fused, device.Float32, int64(n), floats(), floats(), floats())
	if err != nil {
		return 0, err
	}
	_, times, err := timed(ctx, on, l)
	if err != nil {
		return 0, err
	}
	return 12 * float64(n) / float64(median(times)), nil
}

// library runs the product through a vendor's library, and holds it to the result
// of the versions.
func library(ctx context.Context, on On, p device.Precision, size int, result []byte) ([]int64, error) {
	left, err := tensor.FromSlice(numbers(size, 1), size, size)
	if err != nil {
		return nil, err
	}
	right, err := tensor.FromSlice(numbers(size, 2), size, size)
	if err != nil {
		return nil, err
	}
	var times []int64
	for i := range runs + 1 {
		out, stats, err := on.Library.Multiply(ctx, device.Product{Left: left.View(), Right: right.View(), Precision: p})
		if err != nil {
			return nil, device.CauseOf(ctx, err)
		}
		if i == 0 {
			if err := near(p, size, left.Data(), right.Data(), out.Data(), result); err != nil {
				return nil, &WrongError{on.Device, err.Error()}
			}
			continue
		}
		times = append(times, stats.KernelNS)
	}
	return times, nil
}

// near holds cells that lie all over two results to each other, within the bound of
// a sum in any order.
func near(p device.Precision, n int, left, right, one []float64, other []byte) error {
	unit := map[device.Precision]float64{device.Float64: 0x1p-53, device.Float32: 0x1p-24}[p]
	for i := range 97 {
		row, column := i*31%n, i*57%n
		bound := 0.0
		for k := range n {
			bound += math.Abs(float64(left[row*n+k] * right[k*n+column]))
		}
		bound *= 2 * float64(n) * unit
		if x, y := one[row*n+column], at(p, other, row*n+column); !(math.Abs(x-y) <= bound) {
			return fmt.Errorf("cell [%d, %d] is %v by %s and %v by the kernels, which is more than %v apart", row, column, x, Library, y, bound)
		}
	}
	return nil
}

// rung is the median of times, as a speed, and the distance between the quartiles.
func (l *Ladder) rung(name string, times []int64) Rung {
	speeds := make([]float64, len(times))
	for i, ns := range times {
		speeds[i] = float64(l.Operations) / float64(max(ns, 1))
	}
	slices.Sort(speeds)
	n := len(speeds)
	return Rung{Name: name, Speed: speeds[n/2], Spread: speeds[n-1-n/4] - speeds[n/4]}
}

func median(times []int64) int64 {
	sorted := slices.Sorted(slices.Values(times))
	return max(sorted[len(sorted)/2], 1)
}

// number is element i of an operand: from −1 to 1, in steps of 2^−12, so that every
// format has it as it is.
func number(i, seed int) float64 {
	x := uint64(i+1) * 0x9e3779b97f4a7c15 * uint64(2*seed+1)
	x ^= x >> 29
	x *= 0xbf58476d1ce4e5b9
	return float64(int64(x>>51)-4096) / 4096
}

func numbers(size, seed int) []float64 {
	out := make([]float64, size*size)
	for i := range out {
		out[i] = number(i, seed)
	}
	return out
}

// packed is numbers as a kernel takes them.
func packed(p device.Precision, size, seed int) []byte {
	out := make([]byte, size*size*p.Size())
	for i := range size * size {
		if p == device.Float64 {
			binary.LittleEndian.PutUint64(out[8*i:], math.Float64bits(number(i, seed)))
		} else {
			binary.LittleEndian.PutUint32(out[4*i:], math.Float32bits(float32(number(i, seed))))
		}
	}
	return out
}

func at(p device.Precision, data []byte, i int) float64 {
	if p == device.Float64 {
		return math.Float64frombits(binary.LittleEndian.Uint64(data[8*i:]))
	}
	return float64(math.Float32frombits(binary.LittleEndian.Uint32(data[4*i:])))
}
