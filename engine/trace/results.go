package trace

import (
	"context"
	"fmt"

	"workbench/engine/autograd"
	"workbench/engine/compare"
	"workbench/engine/decoder"
	"workbench/engine/device"
	"workbench/engine/tensor"
)

// Result is the complete result of the fixture on one device: the three tiny
// operations, and the decoder's logits, loss and gradients.
type Result struct {
	Device           string                  `json:"device"`
	DeviceName       string                  `json:"device_name,omitempty"` // of the hardware, "NVIDIA H200"
	Precision        device.Precision        `json:"precision"`             // of products, sums and means
	Matrix           ShapedValues            `json:"matrix"`                // A·B of the chapter's 2×3 and 3×2
	Sums             ShapedValues            `json:"sums"`                  // of A along axis 1
	Means            ShapedValues            `json:"means"`
	Document         []int                   `json:"document"` // token IDs
	Logits           ShapedValues            `json:"logits"`   // [1, T, V]
	Loss             tensor.Number           `json:"loss"`     // nats
	LossBits         string                  `json:"loss_bits"`
	Gradients        map[string]ShapedValues `json:"gradients"` // by parameter
	ParameterTensors int                     `json:"parameter_tensors"`
	ParameterScalars int                     `json:"parameter_scalars"`
	Tied             bool                    `json:"tied"` // lookup and head are one node
	Stats            device.Stats            `json:"stats"`

	// Names are the parameters in the order of the model.
	Names []string `json:"-"`
}

// ShapedValues is a tensor as the result shows it, row-major.
type ShapedValues struct {
	Shape  []int         `json:"shape"`
	Values tensor.Values `json:"values"`
}

func shaped(t *tensor.Tensor) ShapedValues { return ShapedValues{Shape: t.Shape(), Values: t.Data()} }

// Results computes the complete result on d.
func Results(ctx context.Context, d device.Device, in DecoderInput) (*Result, error) {
	model, ids, err := in.model()
	if err != nil {
		return nil, err
	}
	return snapshot(ctx, d, in.precision(), model, ids)
}

// tiny are the three operations of chapters 1 and 2 on their numbers.
func tiny(p device.Precision) (matrix device.Product, sums, means device.Reduction) {
	a := tensor.Must(tensor.FromSlice([]float64{1, 2, 3, 4, 5, 6}, 2, 3)).View()
	w := tensor.Must(tensor.FromSlice([]float64{7, 8, 9, 10, 11, 12}, 3, 2)).View()
	return device.Product{Left: a, Right: w, Precision: p},
		device.Reduction{Input: a, Axis: 1, Op: device.Sum, Precision: p},
		device.Reduction{Input: a, Axis: 1, Op: device.Mean, Precision: p}
}

// snapshot runs the fixture with a model that may have run before: gradients
// start from nothing, and no parameter changes.
func snapshot(ctx context.Context, d device.Device, p device.Precision, model *decoder.Model, ids []int) (*Result, error) {
	run := device.NewRun(d)
	r := &Result{Device: d.Spec().String(), DeviceName: device.NameOf(d), Precision: p, Document: ids, Gradients: map[string]ShapedValues{}}
	product, sum, mean := tiny(p)
	matrix, err := run.Multiply(ctx, product)
	if err != nil {
		return nil, err
	}
	sums, err := run.Reduce(ctx, sum)
	if err != nil {
		return nil, err
	}
	means, err := run.Reduce(ctx, mean)
	if err != nil {
		return nil, err
	}
	r.Matrix, r.Sums, r.Means = shaped(matrix), shaped(sums), shaped(means)

	model.ZeroGradients()
	c := autograd.Recording(ctx, run).WithPrecision(p)
	logits := model.Forward(c, ids[:len(ids)-1])
	loss := model.Loss(c, logits, ids[1:])
	if err := c.Err(); err != nil {
		return nil, err
	}
	if err := loss.Backward(c); err != nil {
		return nil, err
	}
	r.Logits = shaped(logits.Value())
	r.Loss = tensor.Number(loss.Value().Data()[0])
	r.LossBits = tensor.Bits(float64(r.Loss))
	for _, parameter := range model.Parameters() {
		g := parameter.Gradient()
		if g == nil {
			return nil, fmt.Errorf("no gradient reached %s", parameter.Name())
		}
		r.Names = append(r.Names, parameter.Name())
		r.Gradients[parameter.Name()] = shaped(g)
	}
	r.ParameterTensors, r.ParameterScalars = len(model.Parameters()), model.Scalars()
	r.Tied = model.Head() == model.Embedding()
	r.Stats = run.Stats()
	return r, nil
}

// CompareDevices computes the complete result of one model on both devices and
// holds every value of candidate against reference. Progress, if not nil, is
// told what is done of what; gradients are cleared between the two.
func CompareDevices(ctx context.Context, reference, candidate device.Device, in DecoderInput, progress func(note string, done, total int)) (*compare.Report, error) {
	model, ids, err := in.model()
	if err != nil {
		return nil, err
	}
	tolerance := toleranceOf(reference.Spec(), candidate.Spec(), in.precision())
	matrix, sums, means := tinyBounds(reference.Spec(), candidate.Spec(), in.precision())
	if progress == nil {
		progress = func(string, int, int) {}
	}
	progress("running on "+reference.Spec().String(), 0, 3)
	want, err := snapshot(ctx, reference, in.precision(), model, ids)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", reference.Spec(), err)
	}
	progress("running on "+candidate.Spec().String(), 1, 3)
	got, err := snapshot(ctx, candidate, in.precision(), model, ids)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", candidate.Spec(), err)
	}
	progress("comparing every value", 2, 3)
	report := compare.Compare(want.Device, got.Device, tolerance, groups(want, got, matrix, sums, means))
	report.Made = made(reference, candidate, in.precision())
	progress("done", 3, 3)
	return report, nil
}

// groups pairs the values of two results. Bounds are those of the tiny
// operations, or nil.
func groups(want, got *Result, matrix, sums, means []float64) []compare.Group {
	bounded := func(name string, w, g ShapedValues, bound []float64) compare.Group {
		return compare.Group{Name: name, Shape: w.Shape, CandidateShape: g.Shape, Reference: w.Values, Candidate: g.Values, Bound: bound}
	}
	group := func(name string, w, g ShapedValues) compare.Group { return bounded(name, w, g, nil) }
	scalar := func(x tensor.Number) ShapedValues {
		return ShapedValues{Shape: []int{}, Values: tensor.Values{float64(x)}}
	}
	out := []compare.Group{
		bounded("matrix", want.Matrix, got.Matrix, matrix),
		bounded("sums", want.Sums, got.Sums, sums),
		bounded("means", want.Means, got.Means, means),
		group("logits", want.Logits, got.Logits),
		group("loss", scalar(want.Loss), scalar(got.Loss)),
	}
	for _, name := range want.Names {
		out = append(out, group(name, want.Gradients[name], got.Gradients[name]))
	}
	return out
}
