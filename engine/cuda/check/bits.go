package check

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"

	"workbench/engine/compare"
	"workbench/engine/device"
	"workbench/engine/tensor"
	"workbench/engine/trace"
)

// contracts in the order of the list.
var contracts = []device.Contract{device.Separate, device.Fused}

// bitsEntries hold the GPU against the CPU, whose bits are the course's, behind
// the worker as the course runs it.
func bitsEntries() []Entry {
	var out []Entry
	add := func(e Entry) {
		e.Group = "bits"
		out = append(out, e)
	}
	for _, p := range device.Precisions {
		for _, c := range contracts {
			for _, kind := range []struct {
				name string
				make func() []request
			}{{"products", products}, {"reductions", reductions}} {
				add(Entry{
					Name:  fmt.Sprintf("bits/%s/%s/%s", kind.name, p, c),
					Quick: p == device.Float64 || p == device.Float32,
					run: func(ctx context.Context, m *Machine, f *Findings) error {
						cpu, gpu, close, err := m.pair(ctx, m.spec(c))
						if err != nil {
							return err
						}
						defer close()
						d, err := hold(ctx, cpu, gpu, inPrecision(m.fitting(kind.make()), p))
						if err != nil {
							return err
						}
						f.saw("%s", d)
						return d.err()
					},
				})
			}
		}
	}
	for _, model := range decoders() {
		for _, p := range []device.Precision{device.Float64, device.Float32} {
			for _, c := range contracts {
				add(Entry{
					Name:  fmt.Sprintf("bits/decoder/%s/%s/%s", model.name, p, c),
					Quick: model.name == "fixture",
					run: func(ctx context.Context, m *Machine, f *Findings) error {
						return holdDecoder(ctx, m, f, model, p, m.spec(c))
					},
				})
			}
		}
	}
	add(Entry{Name: "bits/loss of the fixture", Quick: true, run: holdLoss})
	add(Entry{Name: "bits/a hundred repeats", Quick: true, run: holdRepeats})
	add(Entry{Name: "bits/any order", run: holdOrders})
	add(Entry{Name: "bits/eight clients", Quick: true, run: holdClients})
	return out
}

// decoderModel is a decoder of the bit checks.
type decoderModel struct {
	name  string
	input trace.DecoderInput

	// What is known of its size, so that a check which compared less fails:
	// 0 is not known.
	logits, gradients int
}

// decoders are the course's fixture and two larger ones: several heads, more
// blocks, longer texts with a token that comes twice.
func decoders() []decoderModel {
	model := func(name, text string, width, heads, feedForward, blocks, positions int) decoderModel {
		seed := trace.Seed(39 + width)
		return decoderModel{name: name, input: trace.DecoderInput{
			Text: &text, Seed: &seed, Width: &width, Heads: &heads, FeedForward: &feedForward, Blocks: &blocks, Positions: &positions,
		}}
	}
	return []decoderModel{
		{name: "fixture", logits: 774, gradients: 1372},
		model("three heads", "Across the memory boundary", 12, 3, 20, 5, 29),
		model("wide", "a warp has 32 lanes", 48, 6, 96, 2, 32),
	}
}

// holdDecoder computes every logit, the loss and every gradient on both, and
// holds each to its criterion: every bit, where both share contract and order.
func holdDecoder(ctx context.Context, m *Machine, f *Findings, model decoderModel, p device.Precision, spec device.Spec) error {
	cpu, gpu, close, err := m.pair(ctx, spec)
	if err != nil {
		return err
	}
	defer close()
	return compareDecoder(ctx, f, model, p, cpu, gpu, "the CPU's")
}

// compareDecoder does it for two devices that are open; whose says in words what
// the reference's bits are.
func compareDecoder(ctx context.Context, f *Findings, model decoderModel, p device.Precision, reference, gpu device.Device, whose string) error {
	in := model.input
	in.Precision = p.String()
	r, err := trace.CompareDevices(ctx, reference, gpu, in, nil)
	if err != nil {
		return err
	}
	logits, gradients := 0, 0
	for _, g := range r.Groups {
		switch g.Name {
		case "matrix", "sums", "means", "loss":
		case "logits":
			logits = g.Count
		default:
			gradients += g.Count
		}
	}
	f.saw("%d logits, the loss and %d gradient values: %d of %d values with the tiny operations have %s bits", logits, gradients, r.Count-r.Differing, r.Count, whose)
	if model.logits != 0 && (logits != model.logits || gradients != model.gradients) {
		return fmt.Errorf("%d logits and %d gradient values were compared, expected %d and %d", logits, gradients, model.logits, model.gradients)
	}
	if !r.Passed {
		return reportError(r)
	}
	if !gpu.Spec().Library && (!r.Tolerance.Bits || r.Differing != 0) {
		return fmt.Errorf("%d of %d values differ under the criterion: %s", r.Differing, r.Count, r.Tolerance.Source)
	}
	return nil
}

// reportError says what fails in a report, the first value of it first.
func reportError(r *compare.Report) error {
	for _, g := range r.Groups {
		switch {
		case g.Reason != "":
			return fmt.Errorf("%s: %s", g.Name, g.Reason)
		case g.First != nil:
			return fmt.Errorf("%s; %d of %d values fail", g.First, r.Failures, r.Count)
		}
	}
	return errors.New("nothing was compared")
}

// fixtureLoss is the bits of the fixture's loss in float64, separate.
const fixtureLoss = "4016ac70bf03b620"

func holdLoss(ctx context.Context, m *Machine, f *Findings) error {
	gpu, err := m.Worker(ctx, m.spec(device.Separate))
	if err != nil {
		return err
	}
	defer gpu.Close()
	r, err := trace.Results(ctx, gpu, trace.DecoderInput{})
	if err != nil {
		return err
	}
	f.saw("loss %v, bits %s", r.Loss, r.LossBits)
	if r.LossBits != fixtureLoss {
		return fmt.Errorf("the loss has the bits %s, expected %s", r.LossBits, fixtureLoss)
	}
	return nil
}

// mixture is a list of requests that differ in everything: size, kind and
// precision.
func mixture() []request {
	var out []request
	for i, r := range append(products(), reductions()...) {
		if r.product != nil && r.product.Left.Len() > 20000 {
			continue // a client that copies long says nothing of the others
		}
		out = append(out, r.in(device.Precisions[i%len(device.Precisions)]))
	}
	return out
}

// answers returns what the CPU says to each request.
func answers(ctx context.Context, m *Machine, requests []request, contract device.Contract) ([]*tensor.Tensor, error) {
	cpu, err := m.CPU(contract)
	if err != nil {
		return nil, err
	}
	defer cpu.Close()
	out := make([]*tensor.Tensor, len(requests))
	for i, r := range requests {
		if out[i], _, err = r.run(ctx, cpu); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// rounds makes the requests of d in an order each, and compares with the
// answers.
func rounds(ctx context.Context, d device.Device, requests []request, want []*tensor.Tensor, orders [][]int, into *differences) error {
	for _, order := range orders {
		for _, i := range order {
			got, _, err := requests[i].run(ctx, d)
			if err != nil {
				return err
			}
			into.compare(requests[i].name, device.Float64, want[i], got)
		}
	}
	return nil
}

// repeated are the requests that are made a hundred times, in every precision.
func repeated() []request {
	var out []request
	for _, r := range products() {
		switch r.name {
		case "the product 17×33×9", "the product 5×129×31", "the product 1×258×4", "the product 127×131×113":
			for _, p := range device.Precisions {
				out = append(out, r.in(p))
			}
		}
	}
	return out
}

// holdRepeats makes the same requests a hundred times each.
func holdRepeats(ctx context.Context, m *Machine, f *Findings) error {
	requests := m.fitting(repeated())
	var d differences
	for _, c := range contracts {
		want, err := answers(ctx, m, requests, c)
		if err != nil {
			return err
		}
		gpu, err := m.Worker(ctx, m.spec(c))
		if err != nil {
			return err
		}
		var orders [][]int
		for i := range requests {
			order := make([]int, 100)
			for j := range order {
				order[j] = i
			}
			orders = append(orders, order)
		}
		err = rounds(ctx, gpu, requests, want, orders, &d)
		gpu.Close()
		if err != nil {
			return err
		}
	}
	f.saw("%s, each request made a hundred times", &d)
	return d.err()
}

// holdOrders makes many different requests in ten orders: what one leaves behind
// in the staging buffers must not show in the next.
func holdOrders(ctx context.Context, m *Machine, f *Findings) error {
	requests := m.fitting(mixture())
	var d differences
	for _, c := range contracts {
		want, err := answers(ctx, m, requests, c)
		if err != nil {
			return err
		}
		gpu, err := m.Worker(ctx, m.spec(c))
		if err != nil {
			return err
		}
		var orders [][]int
		for i := range 10 {
			orders = append(orders, rand.New(rand.NewPCG(uint64(i), uint64(c))).Perm(len(requests)))
		}
		err = rounds(ctx, gpu, requests, want, orders, &d)
		gpu.Close()
		if err != nil {
			return err
		}
	}
	f.saw("%s, in ten orders under both contracts", &d)
	return d.err()
}

// holdClients has eight clients with a device and an order each make the
// requests at once, half of them under each contract.
func holdClients(ctx context.Context, m *Machine, f *Findings) error {
	const clients = 8
	requests := m.fitting(mixture())
	var want [2][]*tensor.Tensor
	for i, c := range contracts {
		var err error
		if want[i], err = answers(ctx, m, requests, c); err != nil {
			return err
		}
	}
	var gpus [clients]device.Device
	for n := range gpus {
		gpu, err := m.Worker(ctx, m.spec(contracts[n%2]))
		if err != nil {
			return err
		}
		defer gpu.Close()
		gpus[n] = gpu
	}
	var (
		group    sync.WaitGroup
		found    [clients]differences
		failures [clients]error
	)
	for n, gpu := range gpus {
		group.Go(func() {
			orders := [][]int{rand.New(rand.NewPCG(uint64(n), 8)).Perm(len(requests)), rand.New(rand.NewPCG(uint64(n), 9)).Perm(len(requests))}
			failures[n] = rounds(ctx, gpu, requests, want[n%2], orders, &found[n])
		})
	}
	group.Wait()
	if err := errors.Join(failures[:]...); err != nil {
		return err
	}
	var all differences
	for _, d := range found {
		all.requests, all.values, all.wrong, all.in = all.requests+d.requests, all.values+d.values, all.wrong+d.wrong, all.in+d.in
		all.worst = max(all.worst, d.worst)
		if all.first == "" {
			all.first = d.first
		}
	}
	f.saw("%s, from %d clients at once", &all, clients)
	return all.err()
}
