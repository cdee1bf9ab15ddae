package check

import (
	"context"
	"fmt"
	"math"

	"workbench/engine/compare"
	"workbench/engine/device"
	"workbench/engine/tensor"
)

// libraryEntries hold cuBLAS against the fused chain. In float64 and without a
// workspace its cells are that chain in every bit, wherever the result has two
// rows and two columns at least. Elsewhere, and in the other precisions, it adds
// in orders of its own: these values are held to the bound of any order, and how
// they differ is written down.
func libraryEntries() []Entry {
	entries := []Entry{
		{Name: "library/float64, two rows and columns", Quick: true, run: func(ctx context.Context, m *Machine, f *Findings) error {
			return holdLibrary(ctx, m, f, inShape(m.fitting(products()), func(m, n int) bool { return m >= 2 && n >= 2 }), true)
		}},
		{Name: "library/float64, padded to two", Quick: true, run: holdPadded},
		{Name: "library/float64, one row or column", run: func(ctx context.Context, m *Machine, f *Findings) error {
			f.saw("where M or N is 1 cuBLAS computes dot products or a matrix times a vector, and adds K terms in parallel parts")
			return holdLibrary(ctx, m, f, inShape(m.fitting(products()), oneLine), false)
		}},
		{Name: "library/sums and means", run: func(ctx context.Context, m *Machine, f *Findings) error {
			f.saw("a sum is a product with one column, and a mean is scaled by a rounded 1/K where the CPU divides")
			return holdLibrary(ctx, m, f, m.fitting(reductions()), false)
		}},
	}
	entries = append(entries, Entry{Name: "library/a hundred repeats", run: repeatLibrary})
	for _, p := range device.Precisions[1:] {
		entries = append(entries, Entry{Name: "library/" + p.String(), run: func(ctx context.Context, m *Machine, f *Findings) error {
			f.saw("in %s cuBLAS chooses its kernels, and with them the order of the sum, by shape", p)
			return holdLibrary(ctx, m, f, inPrecision(m.fitting(products()), p), false)
		}})
	}
	for _, model := range decoders() {
		entries = append(entries, Entry{Name: "library/decoder/" + model.name, Quick: model.name == "fixture", run: func(ctx context.Context, m *Machine, f *Findings) error {
			return holdDecoder(ctx, m, f, model, device.Float64, m.library())
		}})
	}
	for i, e := range entries {
		entries[i].Group = "library"
		entries[i].run = func(ctx context.Context, m *Machine, f *Findings) error {
			if err := m.blas(ctx); err != nil {
				return err
			}
			return e.run(ctx, m, f)
		}
	}
	return entries
}

// inShape returns the products whose results have rows and columns that fit.
func inShape(requests []request, fits func(m, n int) bool) []request {
	var out []request
	for _, r := range requests {
		if r.product == nil {
			continue
		}
		plan, err := r.product.Plan()
		if err != nil {
			panic("BUG: " + err.Error())
		}
		if fits(plan.M, plan.N) {
			out = append(out, r)
		}
	}
	return out
}

func oneLine(m, n int) bool { return m == 1 || n == 1 }

// bounds returns how far a cell of r may lie from the fused chain's, in any
// order.
func (r request) bounds() []float64 {
	if r.product != nil {
		plan, err := r.product.Plan()
		if err != nil {
			panic("BUG: " + err.Error())
		}
		return compare.ProductBounds(plan, r.product.Precision, 2)
	}
	plan, err := r.reduction.Plan()
	if err != nil {
		panic("BUG: " + err.Error())
	}
	return compare.ReductionBounds(plan, r.reduction.Op, r.reduction.Precision, 2)
}

// holdLibrary compares the library with the fused chain, in every bit if equal
// is set and otherwise within the bound of any order.
func holdLibrary(ctx context.Context, m *Machine, f *Findings, requests []request, equal bool) error {
	cpu, gpu, close, err := m.pair(ctx, m.library())
	if err != nil {
		return err
	}
	defer close()
	var (
		d     differences
		worst float64 // difference, as a share of its bound
		where string
	)
	for _, r := range requests {
		p := r.precision()
		want, _, err := r.run(ctx, cpu)
		if err != nil {
			return err
		}
		got, _, err := r.run(ctx, gpu)
		if err != nil {
			return err
		}
		d.compare(r.name, p, want, got)
		if equal || !want.SameShape(got) {
			continue
		}
		bounds := r.bounds()
		for i, x := range want.Data() {
			y := got.Data()[i]
			off := math.Abs(y - x)
			if off == 0 {
				continue
			}
			if !(off <= bounds[i]) {
				return fmt.Errorf("%s in %s: value %s is %v, expected %v within %v, the bound of any order of the sum",
					r.name, p, tensor.FormatShape(tensor.Coordinate(want.Shape(), i)), y, x, bounds[i])
			}
			if share := off / bounds[i]; share > worst {
				worst, where = share, r.name
			}
		}
	}
	if equal {
		f.saw("%s", &d)
		return d.err()
	}
	if d.values == 0 {
		return d.err()
	}
	f.saw("%s", &d)
	if d.wrong > 0 {
		f.saw("the first is %s; the largest is %.3f of its bound γ(K)·Σ|a||b|, in %s", d.first, worst, where)
	}
	return nil
}

// repeatLibrary makes the same requests a hundred times: whatever the order of a
// sum, it must be the same each time.
func repeatLibrary(ctx context.Context, m *Machine, f *Findings) error {
	gpu, err := m.Worker(ctx, m.library())
	if err != nil {
		return err
	}
	defer gpu.Close()
	var d differences
	for _, r := range m.fitting(repeated()) {
		first, _, err := r.run(ctx, gpu)
		if err != nil {
			return err
		}
		for range 99 {
			again, _, err := r.run(ctx, gpu)
			if err != nil {
				return err
			}
			d.compare(r.name, r.precision(), first, again)
		}
	}
	f.saw("%s to those of the first time", &d)
	return d.err()
}

// holdPadded multiplies the products that have one row or one column with that
// row or column twice, and holds the first against the chain of the one.
func holdPadded(ctx context.Context, m *Machine, f *Findings) error {
	cpu, gpu, close, err := m.pair(ctx, m.library())
	if err != nil {
		return err
	}
	defer close()
	var d differences
	for _, r := range inShape(m.fitting(products()), oneLine) {
		want, _, err := r.run(ctx, cpu)
		if err != nil {
			return err
		}
		plan, err := r.product.Plan()
		if err != nil {
			return err
		}
		wide := r
		wide.product = &device.Product{Left: twice(plan.Left, plan.Left.Rank()-2), Right: twice(plan.Right, plan.Right.Rank()-1)}
		got, _, err := wide.run(ctx, gpu)
		if err != nil {
			return err
		}
		first, err := got.View().Slice(got.Rank()-2, 0, plan.M, 1)
		if err == nil {
			first, err = first.Slice(got.Rank()-1, 0, plan.N, 1)
		}
		if err != nil {
			return err
		}
		d.compare(r.name+", padded", device.Float64, want, first.Pack())
	}
	f.saw("%s, where one row or column was multiplied as two", &d)
	return d.err()
}

// twice returns a view with its one row or column repeated, and any other view
// as it is.
func twice(v tensor.View, axis int) tensor.View {
	if v.Dim(axis) != 1 {
		return v
	}
	shape := v.Shape()
	shape[axis] = 2
	return must(v.Broadcast(shape...))
}
