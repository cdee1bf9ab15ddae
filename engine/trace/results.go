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
	Matrix           ShapedValues            `json:"matrix"` // A·B of the chapter's 2×3 and 3×2
	Sums             ShapedValues            `json:"sums"`   // of A along axis 1
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
	return snapshot(ctx, d, model, ids)
}

// snapshot runs the fixture with a model that may have run before: gradients
// start from nothing, and no parameter changes.
func snapshot(ctx context.Context, d device.Device, model *decoder.Model, ids []int) (*Result, error) {
	run := device.NewRun(d)
	r := &Result{Device: d.Spec().String(), Document: ids, Gradients: map[string]ShapedValues{}}
	a := tensor.Must(tensor.FromSlice([]float64{1, 2, 3, 4, 5, 6}, 2, 3))
	w := tensor.Must(tensor.FromSlice([]float64{7, 8, 9, 10, 11, 12}, 3, 2))
	matrix, err := run.Matmul(ctx, a.View(), w.View())
	if err != nil {
		return nil, err
	}
	sums, err := run.SumAxis(ctx, a.View(), 1, false)
	if err != nil {
		return nil, err
	}
	means, err := run.MeanAxis(ctx, a.View(), 1, false)
	if err != nil {
		return nil, err
	}
	r.Matrix, r.Sums, r.Means = shaped(matrix), shaped(sums), shaped(means)

	model.ZeroGradients()
	c := autograd.Recording(ctx, run)
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
	for _, p := range model.Parameters() {
		g := p.Gradient()
		if g == nil {
			return nil, fmt.Errorf("no gradient reached %s", p.Name())
		}
		r.Names = append(r.Names, p.Name())
		r.Gradients[p.Name()] = shaped(g)
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
	if progress == nil {
		progress = func(string, int, int) {}
	}
	progress("running on "+reference.Spec().String(), 0, 3)
	want, err := snapshot(ctx, reference, model, ids)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", reference.Spec(), err)
	}
	progress("running on "+candidate.Spec().String(), 1, 3)
	got, err := snapshot(ctx, candidate, model, ids)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", candidate.Spec(), err)
	}
	progress("comparing every value", 2, 3)
	report := compare.Compare(want.Device, got.Device, toleranceOf(reference.Spec(), candidate.Spec()), groups(want, got))
	progress("done", 3, 3)
	return report, nil
}

// toleranceOf fixes the criterion before anything is run.
func toleranceOf(a, b device.Spec) compare.Tolerance {
	if a.Contract == b.Contract && !a.Library && !b.Library {
		return compare.Exact("both devices add in the same order under the contract " + a.Contract.String() + ", so every bit agrees")
	}
	return compare.Float64()
}

func groups(want, got *Result) []compare.Group {
	group := func(name string, w, g ShapedValues) compare.Group {
		return compare.Group{Name: name, Shape: w.Shape, CandidateShape: g.Shape, Reference: w.Values, Candidate: g.Values}
	}
	scalar := func(x tensor.Number) ShapedValues {
		return ShapedValues{Shape: []int{}, Values: tensor.Values{float64(x)}}
	}
	out := []compare.Group{
		group("matrix", want.Matrix, got.Matrix),
		group("sums", want.Sums, got.Sums),
		group("means", want.Means, got.Means),
		group("logits", want.Logits, got.Logits),
		group("loss", scalar(want.Loss), scalar(got.Loss)),
	}
	for _, name := range want.Names {
		out = append(out, group(name, want.Gradients[name], got.Gradients[name]))
	}
	return out
}
