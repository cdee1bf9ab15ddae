// Package decoderinnumbers checks the question of that name.
package decoderinnumbers

import (
	"context"
	"fmt"
	"math"
	"strings"

	"workbench/engine/autograd"
	"workbench/engine/bpe"
	"workbench/engine/decoder"
	"workbench/engine/device"
	"workbench/engine/tensor"
	"workbench/lessons/lesson"
)

// A pass is what a forward and a backward pass of the statement's decoder did.
type pass struct {
	document          []int
	logits            int
	masked            int
	parameters        int
	forward, backward int // products
}

// Check runs the decoder and counts.
var Check = &lesson.Questions{Questions: []lesson.Question{
	{
		Name: "inputs", Form: "four token numbers in order",
		Answer: of(func(p pass) any { return list(p.document[:len(p.document)-1]) }),
		Mistakes: map[string]string{
			"102, 99, 100":       "the beginning of the document is a token too",
			"0, 102, 99, 100, 1": "that is the whole document: behind its end there is nothing to say",
			"0, 100, 97, 98":     "those are bytes; a byte b is token b + 2",
			"102, 99, 100, 1":    "those are the targets: what is to be said next",
		},
		Why: "the document without its last token",
	},
	{
		Name: "targets", Form: "four token numbers in order",
		Answer: of(func(p pass) any { return list(p.document[1:]) }),
		Mistakes: map[string]string{
			"0, 102, 99, 100":    "those are the inputs",
			"102, 99, 100":       "that the document ends is to be said too",
			"0, 102, 99, 100, 1": "that is the whole document: nobody has to say that it begins",
		},
		Why: "the document without its first token",
	},
	{
		Name: "logits", Form: "a whole number",
		Answer: of(func(p pass) any { return p.logits }),
		Mistakes: map[string]string{
			"774":  "that is three positions; the beginning is a position too",
			"258":  "that is one position",
			"1290": "that is five positions; nothing is said behind the end",
		},
		Why: "four positions with one number for each of 258 tokens",
	},
	{
		Name: "masked", Form: "a whole number",
		Answer: of(func(p pass) any { return p.masked }),
		Mistakes: map[string]string{
			"10": "a position may look at itself; or those are the scores that stay",
			"3":  "that is three positions",
			"12": "what lies behind may be looked at",
		},
		Why: "of 4 × 4 scores those right of the diagonal: 3 + 2 + 1",
	},
	{
		Name: "parameters", Form: "a whole number",
		Answer: of(func(p pass) any { return p.parameters }),
		Mistakes: map[string]string{
			"1372": "that is two blocks",
			"2572": "the table is one, though it is used twice",
			"2058": "the table does not grow with the blocks",
		},
		Why: "1032 in the table, 168 in each block, and 4 in the last norm",
	},
	{
		Name: "forward", Form: "a whole number",
		Answer: of(func(p pass) any { return p.forward }),
		Mistakes: map[string]string{
			"19": "that is two blocks",
			"27": "the head is a product too",
		},
		Why: "nine in each block, and one for the head",
	},
	{
		Name: "backward", Form: "a whole number",
		Answer: of(func(p pass) any { return p.backward }),
		Mistakes: map[string]string{
			"28": "each of them has two operands, and each of those a gradient",
			"38": "that is two blocks",
			"84": "that is forward and backward together",
		},
		Why: "two for each product forward",
	},
}}

func of(answer func(pass) any) func(context.Context, lesson.On) ([]string, error) {
	return func(ctx context.Context, on lesson.On) ([]string, error) {
		p, err := run(ctx, on)
		if err != nil {
			return nil, err
		}
		return []string{fmt.Sprint(answer(p))}, nil
	}
}

// counted is a device that counts the products that it is asked for.
type counted struct {
	device.Device
	products int
}

func (c *counted) Multiply(ctx context.Context, p device.Product) (*tensor.Tensor, device.Stats, error) {
	c.products++
	return c.Device.Multiply(ctx, p)
}

func run(ctx context.Context, on lesson.On) (p pass, err error) {
	tokens, err := bpe.New(nil)
	if err != nil {
		return p, err
	}
	p.document = tokens.EncodeDocument([]byte("dab"))
	config := decoder.DefaultConfig()
	config.Blocks = 3
	model, err := decoder.New(config)
	if err != nil {
		return p, err
	}
	p.parameters = model.Scalars()
	cpu, err := on.Open(ctx, "cpu")
	if err != nil {
		return p, err
	}
	defer cpu.Close()

	count := &counted{Device: cpu}
	c := autograd.Recording(ctx, device.NewRun(count))
	logits := model.Forward(c, p.document[:len(p.document)-1])
	loss := model.Loss(c, logits, p.document[1:])
	if err := c.Err(); err != nil {
		return p, err
	}
	p.logits, p.forward = logits.Value().Len(), count.products
	if err := loss.Backward(c); err != nil {
		return p, err
	}
	p.backward = count.products - p.forward

	positions := len(p.document) - 1
	scores, err := tensor.New(positions, positions)
	if err != nil {
		return p, err
	}
	for _, x := range c.CausalMask(autograd.Constant(scores)).Value().Data() {
		if math.IsInf(x, -1) {
			p.masked++
		}
	}
	return p, c.Err()
}

func list(tokens []int) string {
	return strings.Trim(strings.ReplaceAll(fmt.Sprint(tokens), " ", ", "), "[]")
}
