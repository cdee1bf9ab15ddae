package trace

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"workbench/engine/device"
	"workbench/engine/tensor"
)

// RunView carries out operations on views of one storage. Nothing is computed:
// the device is the one that was asked for, and no step runs on it.
func RunView(ctx context.Context, d device.Device, in ViewInput) (*Trace, error) {
	if err := in.Check(); err != nil {
		return nil, err
	}
	b := newBuilder(ExampleView, d, device.Float64)
	storage := b.storage("storage", in.Input.Data())
	view := in.Input.View()
	current := b.view("A", storage, view)
	b.step(Step{
		Phase: PhaseInputs, Op: "given", Device: Host,
		Title:   fmt.Sprintf("A is %s over a storage of %s.", shapeWords(in.Input.Shape()), shapeWords([]int{in.Input.Len()})),
		Note:    "Row-major: the last axis has stride 1, and each axis before it steps over all that is inside.",
		Formula: offsetFormula(view),
		Inputs:  []int{storage}, Outputs: []int{current},
	})
	name := "A"
	for _, op := range in.Ops {
		if err := ctx.Err(); err != nil {
			return nil, context.Cause(ctx)
		}
		before := current
		next, err := op.apply(view)
		if err != nil {
			return nil, err
		}
		name = op.name(name)
		outputs := []int{}
		if op.Op == "pack" {
			storage = b.storage("packed storage", next.Storage())
			outputs = append(outputs, storage)
		}
		view = next
		current = b.view(name, storage, view)
		title, note := op.words(view)
		b.step(Step{
			Phase: PhaseForward, Op: op.Op, Device: Host, Title: title, Note: note, Formula: offsetFormula(view),
			Inputs: []int{before}, Outputs: append([]int{current}, outputs...),
		})
	}
	b.trace.Result = append(b.trace.Result, current)
	b.step(Step{
		Phase: PhaseResult, Op: "result", Device: Host,
		Title:   fmt.Sprintf("The result is %s, read by the host.", shapeWords(view.Shape())),
		Outputs: []int{current},
	})
	return b.trace, nil
}

// storage adds a one-axis tensor that views read.
func (b *builder) storage(name string, values []float64) int {
	b.trace.Tensors = append(b.trace.Tensors, Tensor{Name: name, Shape: []int{len(values)}, Values: values})
	return len(b.trace.Tensors) - 1
}

// view adds a tensor as a view reads it, with its layout over a storage.
func (b *builder) view(name string, storage int, v tensor.View) int {
	b.trace.Tensors = append(b.trace.Tensors, Tensor{
		Name: name, Shape: v.Shape(), Values: v.Pack().Data(),
		Layout: &Layout{Storage: storage, Offset: v.Offset(), Strides: v.Strides(), Indices: v.Indices(), Contiguous: v.Contiguous()},
	})
	return len(b.trace.Tensors) - 1
}

// viewOps are the operations, each with the fields that belong to it.
var viewOps = []struct {
	name   string
	fields []string
}{
	{"transpose", []string{"axes"}},
	{"slice", []string{"axis", "start", "stop", "step"}},
	{"broadcast", []string{"shape"}},
	{"reshape", []string{"shape"}},
	{"pack", nil},
	{"column-major", []string{"shape"}},
}

const viewOpNames = "transpose, slice, broadcast, reshape, pack or column-major"

// check holds the fields that are given against those of the operation.
func (op ViewOp) check() error {
	if op.Op == "" {
		return &FieldError{"op", "is missing: write " + viewOpNames}
	}
	for _, known := range viewOps {
		if known.name != op.Op {
			continue
		}
		for _, field := range []struct {
			name  string
			given bool
		}{
			{"axes", op.Axes != nil}, {"axis", op.Axis != nil}, {"start", op.Start != nil},
			{"stop", op.Stop != nil}, {"step", op.Step != nil}, {"shape", op.Shape != nil},
		} {
			if field.given && !slices.Contains(known.fields, field.name) {
				takes := "nothing else"
				if len(known.fields) > 0 {
					takes = strings.Join(known.fields, ", ")
				}
				return &FieldError{field.name, fmt.Sprintf("does not belong to %s, which takes %s: leave it out", op.Op, takes)}
			}
		}
		if op.Shape == nil && slices.Contains(known.fields, "shape") {
			return &FieldError{"shape", "is missing: write the dimensions, such as [2, 3]"}
		}
		return nil
	}
	return &FieldError{"op", fmt.Sprintf("%q is unknown: write %s", shorten(op.Op), viewOpNames)}
}

// apply carries out one operation on a view.
func (op ViewOp) apply(v tensor.View) (tensor.View, error) {
	if err := op.check(); err != nil {
		return v, err
	}
	switch op.Op {
	case "transpose":
		switch {
		case len(op.Axes) == 2:
			return v.Transpose(op.Axes[0], op.Axes[1])
		case op.Axes != nil:
			return v, &FieldError{"axes", fmt.Sprintf("has %s: name the two to exchange, or leave them out for the last two", plural(len(op.Axes), "number"))}
		case v.Rank() < 2:
			return v, &FieldError{"axes", fmt.Sprintf("a tensor of shape %s has no two axes to exchange", tensor.FormatShape(v.Shape()))}
		}
		return v.Transpose(v.Rank()-2, v.Rank()-1)
	case "slice":
		axis, start, step := or(op.Axis, 0), or(op.Start, 0), or(op.Step, 1)
		if axis < 0 || axis >= v.Rank() {
			return v, &FieldError{"axis", fmt.Sprintf("%d is not an axis of shape %s", axis, tensor.FormatShape(v.Shape()))}
		}
		if step < 1 {
			return v, &FieldError{"step", fmt.Sprintf("%d is not positive: write 1 to keep every element, 2 to keep every other", step)}
		}
		return v.Slice(axis, start, or(op.Stop, v.Dim(axis)), step)
	case "broadcast":
		return v.Broadcast(op.Shape...)
	case "reshape":
		return v.Reshape(op.Shape...)
	case "pack":
		if n := v.Len(); n > MaxOutputElements {
			return v, fmt.Errorf("pack makes %d elements, and an example shows at most %d", n, MaxOutputElements)
		}
		return v.Pack().View(), nil
	case "column-major":
		return columnMajor(v, op.Shape)
	}
	panic(fmt.Sprintf("BUG: the operation %q is known and cannot be carried out", op.Op))
}

// or is a field's value, or what it is where it is absent.
func or(field *int, absent int) int {
	if field == nil {
		return absent
	}
	return *field
}

// columnMajor reads the same consecutive elements with the first axis fastest,
// as a library with Fortran's conventions does.
func columnMajor(v tensor.View, shape []int) (tensor.View, error) {
	n, err := tensor.Elements(shape)
	if err != nil {
		return v, err
	}
	if n != v.Len() {
		return v, &tensor.ShapeError{Op: "column-major", Left: v.Shape(), Right: shape, Reason: fmt.Sprintf("has %d elements and %d are asked for", v.Len(), n)}
	}
	if !v.Contiguous() {
		return v, errors.New("column-major reads consecutive elements, and this view does not: pack it first")
	}
	strides := make([]int, len(shape))
	stride := 1
	for axis, d := range shape {
		strides[axis] = stride
		stride *= max(d, 1)
	}
	return tensor.NewView(v.Storage(), v.Offset(), shape, strides)
}

// name writes the result of the operation after the name of its operand.
func (op ViewOp) name(of string) string {
	switch op.Op {
	case "transpose":
		return of + "ᵀ"
	case "slice":
		stop, step := "", ""
		if op.Stop != nil {
			stop = fmt.Sprint(*op.Stop)
		}
		if n := or(op.Step, 1); n > 1 {
			step = fmt.Sprintf(":%d", n)
		}
		return fmt.Sprintf("%s[%s%d:%s%s]", of, strings.Repeat(":, ", or(op.Axis, 0)), or(op.Start, 0), stop, step)
	}
	return op.Op + "(" + of + ")"
}

// words says what the operation did to make v.
func (op ViewOp) words(v tensor.View) (title, note string) {
	shape, strides := tensor.FormatShape(v.Shape()), tensor.FormatShape(v.Strides())
	switch op.Op {
	case "transpose":
		return fmt.Sprintf("Transpose: shape %s, strides %s.", shape, strides),
			"Two dimensions and their strides changed places. No element moved."
	case "slice":
		return fmt.Sprintf("Slice axis %d: shape %s, strides %s, offset %d.", or(op.Axis, 0), shape, strides, v.Offset()),
			"The first element kept sets the offset, and a step multiplies the stride. No element moved."
	case "broadcast":
		return fmt.Sprintf("Broadcast to shape %s: strides %s.", shape, strides),
			"A repeated axis has stride 0: every coordinate along it reads the same element."
	case "reshape":
		return fmt.Sprintf("Reshape to %s: strides %s.", shape, strides),
			"The same consecutive elements, counted in other rows."
	case "pack":
		return fmt.Sprintf("Pack: %d elements copied into consecutive places.", v.Len()),
			"Now the storage itself is in row-major order of what was seen. Repeats are copied as often as they are read."
	case "column-major":
		return fmt.Sprintf("Read column-major as %s: strides %s.", shape, strides),
			"The first axis has stride 1. No element moved: the same bytes mean another matrix."
	}
	return op.Op + ".", ""
}
