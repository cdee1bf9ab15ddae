package cpu

import (
	"context"

	"workbench/engine/device"
	"workbench/engine/tensor"
)

// tiledTerms is from how many multiplications on tiles are faster than the plain
// loop: below, packing costs more than it saves.
const tiledTerms = 512

// products computes every matrix of a plan into out, which is zero.
func (d *Device) products(ctx context.Context, plan *tensor.MatmulPlan, a arithmetic, out []float64) error {
	if p, ok := flattened(plan, out); ok {
		return d.contract(ctx, p, a, workersFor(p.terms()))
	}
	if each := plan.M * plan.K * plan.N; each < 2*workerTerms {
		// Matrices too small to be shared are dealt out, several at a time.
		chunk := max(1, min(plan.B, workerTerms/4/each))
		chunks := (plan.B + chunk - 1) / chunk
		return parallel(ctx, workersFor(each*plan.B), chunks, func(c int) {
			for b := c * chunk; b < min(plan.B, (c+1)*chunk); b++ {
				if d.contract(ctx, batch(plan, b, out), a, 1) != nil {
					return // the context is done, which parallel reports
				}
			}
		})
	}
	for b := range plan.B {
		p := batch(plan, b, out)
		if err := d.contract(ctx, p, a, workersFor(p.terms())); err != nil {
			return err
		}
	}
	return nil
}

// gatherBlock is how many elements of scattered groups are copied at a time: 2 MiB.
const gatherBlock = 1 << 18

// groups computes the sum or mean of every group of a plan into out: a product
// with a column of ones. Of scattered groups it copies as many at a time as have
// block elements together.
func (d *Device) groups(ctx context.Context, plan *tensor.AxisPlan, a arithmetic, out []float64, block int) error {
	if left, ok := rowsOf(plan.Groups); ok {
		p := product{m: plan.G, k: plan.K, n: 1, left: left, right: ones, out: out}
		return d.contract(ctx, p, a, workersFor(p.terms()))
	}
	// Some rows at a time are copied side by side, so that the lanes of a
	// vector have one each. A row too long for that is read where it is.
	tall := max(1, block/plan.K)
	chunks := (plan.G + tall - 1) / tall
	return parallel(ctx, workersFor(plan.G*plan.K), chunks, func(c int) {
		g := c * tall
		p := product{m: min(tall, plan.G-g), k: plan.K, n: 1, right: ones, out: out[g:]}
		p.out = p.out[:p.m]
		if tall == 1 {
			p.left = rowAt(plan.Groups, g)
			_ = d.contract(ctx, p, a, 1) // the context is done, which parallel reports
			return
		}
		gathered := take[float64](&buffers64.operand, p.m*p.k)
		p.left = gather(plan.Groups, g, p.m, gathered)
		_ = d.contract(ctx, p, a, 1)
		give(&buffers64.operand, gathered)
	})
}

// contract computes one product on the device's tier, and divides where it is a
// mean. Its one error is the context's.
func (d *Device) contract(ctx context.Context, p product, a arithmetic, workers int) error {
	var err error
	if d.tier == plain || p.terms() < tiledTerms {
		err = reference(ctx, p, a)
	} else {
		err = d.tiled(ctx, p, a, workers)
	}
	if err == nil && a.precision == device.Float64 && a.divisor != 0 {
		for q, sum := range p.out {
			p.out[q] = quotient(a, sum)
		}
	}
	return err
}

// tiled computes one product with the tiles of the device's tier.
func (d *Device) tiled(ctx context.Context, p product, a arithmetic, workers int) error {
	if p.n == 1 {
		// A column would fill one lane of every vector. Exchanged, (AB)ᵀ = BᵀAᵀ
		// has the same terms in the same order, in a row of the same memory;
		// that a·b = b·a in every bit is what IEEE 754 says.
		p.m, p.n = 1, p.m
		p.left, p.right = p.right.transposed(), p.left.transposed()
	}
	if a.precision == device.Float64 {
		return blocked(ctx, p, d.tier.float64, &buffers64, a, p.out, workers)
	}
	sums := take[float32](&buffers32.sums, len(p.out))
	defer give(&buffers32.sums, sums)
	clear(sums)
	if err := blocked(ctx, p, d.tier.float32, &buffers32, a, sums, workers); err != nil {
		return err
	}
	result, exact := a.result(), a.precision == device.Float32 && a.divisor == 0
	return parallelSpans(ctx, workers, len(sums), func(first, last int) {
		if exact { // as most are: without a call for each
			for q := first; q < last; q++ {
				p.out[q] = float64(sums[q])
			}
			return
		}
		for q := first; q < last; q++ {
			p.out[q] = result(sums[q])
		}
	})
}
