package trace

import (
	"context"
	"encoding/json"
	"fmt"

	"workbench/engine/device"
)

// Run reads an example's input and runs it. Explainer writes out cells; it is
// the device itself where that can, and the CPU under the same contract
// otherwise.
func Run(ctx context.Context, d device.Device, explainer device.Explainer, example string, input json.RawMessage) (*Trace, error) {
	in, err := DecodeInput(example, input)
	if err != nil {
		return nil, err
	}
	switch in := in.(type) {
	case *ProductInput:
		return RunProduct(ctx, d, explainer, *in)
	case *ReductionInput:
		return RunReduction(ctx, d, explainer, *in)
	case *ViewInput:
		return RunView(ctx, d, *in)
	case *DecoderInput:
		return RunDecoder(ctx, d, *in)
	case *BoundaryInput:
		return RunBoundary(ctx, d, *in)
	}
	panic(fmt.Sprintf("BUG: example %q has an input and no run", example))
}
