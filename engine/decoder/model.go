package decoder

import (
	"fmt"

	"workbench/engine/autograd"
	"workbench/engine/scalar"
	"workbench/engine/tensor"
)

// Model is a decoder and its parameters. Forward passes may share a model; a
// backward pass changes its gradients and has it to itself.
type Model struct {
	config     Config
	embedding  *autograd.Node // [V, W], also the head's
	blocks     []block
	finalNorm  *autograd.Node // [W]
	parameters []*autograd.Node
	drawn      int            // values of the parameters that came from the seed
	cos, sin   *tensor.Tensor // [Positions, D/2], of the rotary angles
}

// block is the parameters of one block.
type block struct {
	name                      string
	attentionNorm             *autograd.Node // [W]
	query, key, value, output *autograd.Node // [W, W]
	ffnNorm                   *autograd.Node // [W]
	gate, up                  *autograd.Node // [W, F]
	down                      *autograd.Node // [F, W]
}

// New draws a model's parameters from its seed. The order of the draws is the
// order of Parameters; gains are ones and draw nothing.
func New(config Config) (*Model, error) {
	if err := config.Validate(); err != nil {
		return nil, err
	}
	m := &Model{config: config}
	random := &stream{state: config.Seed}
	matrix := func(name string, fanIn, fanOut int) *autograd.Node {
		m.drawn += fanIn * fanOut
		return m.add(autograd.Parameter(name, random.xavier(fanIn, fanOut)))
	}
	gain := func(name string) *autograd.Node {
		return m.add(autograd.Parameter(name, ones(config.Width)))
	}
	w, f := config.Width, config.FeedForward
	m.embedding = matrix("token_embedding.weight", config.Vocabulary, w)
	for i := range config.Blocks {
		name := fmt.Sprintf("blocks.%d", i)
		m.blocks = append(m.blocks, block{
			name:          name,
			attentionNorm: gain(name + ".attention_norm.gain"),
			query:         matrix(name+".attention.query.weight", w, w),
			key:           matrix(name+".attention.key.weight", w, w),
			value:         matrix(name+".attention.value.weight", w, w),
			output:        matrix(name+".attention.output.weight", w, w),
			ffnNorm:       gain(name + ".ffn_norm.gain"),
			gate:          matrix(name+".ffn.gate.weight", w, f),
			up:            matrix(name+".ffn.up.weight", w, f),
			down:          matrix(name+".ffn.down.weight", f, w),
		})
	}
	m.finalNorm = gain("final_norm.gain")
	m.cos, m.sin = rotaryTables(config)
	return m, nil
}

func (m *Model) add(parameter *autograd.Node) *autograd.Node {
	m.parameters = append(m.parameters, parameter)
	return parameter
}

// rotaryTables returns the cosine and sine of position · base^(−2i/D) for each
// position and pair i of a head of width D.
func rotaryTables(config Config) (cos, sin *tensor.Tensor) {
	width := config.Width / config.Heads
	cos = tensor.Must(tensor.New(config.Positions, width/2))
	sin = tensor.Must(tensor.New(config.Positions, width/2))
	for i := range width / 2 {
		frequency := scalar.Pow(config.RopeBase, -float64(2*i)/float64(width))
		for t := range config.Positions {
			angle := float64(float64(t) * frequency)
			cos.Data()[t*(width/2)+i] = scalar.Cos(angle)
			sin.Data()[t*(width/2)+i] = scalar.Sin(angle)
		}
	}
	return cos, sin
}

// Config returns what the model was made from.
func (m *Model) Config() Config { return m.config }

// Parameters returns the named parameters in the order they were drawn. The
// embedding, which is also the head's table, is listed once.
func (m *Model) Parameters() []*autograd.Node { return m.parameters }

// Scalars returns the number of learned values.
func (m *Model) Scalars() int {
	n := 0
	for _, p := range m.parameters {
		n += p.Value().Len()
	}
	return n
}

// Drawn returns how many of them came from the seed. The others, the gains of the
// norms, start as ones.
func (m *Model) Drawn() int { return m.drawn }

// Embedding returns the table that tokens are looked up in.
func (m *Model) Embedding() *autograd.Node { return m.embedding }

// Head returns the table whose rows score the next token. It is the same node
// as Embedding: its gradient is the sum of both uses.
func (m *Model) Head() *autograd.Node { return m.embedding }

// RotaryTables returns the cosines and sines, each [Positions, D/2], that turn
// queries and keys. They are not to be changed.
func (m *Model) RotaryTables() (cos, sin *tensor.Tensor) { return m.cos, m.sin }

// ZeroGradients forgets every parameter's gradient. Two comparable passes over
// one model each start with it.
func (m *Model) ZeroGradients() {
	for _, p := range m.parameters {
		p.ZeroGradient()
	}
}
