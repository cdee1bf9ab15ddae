package decoder

import (
	"fmt"
	"math"

	"workbench/engine/autograd"
	"workbench/engine/scalar"
	"workbench/engine/tensor"
)

// dense is causal attention (Vaswani et al. 2017, equation 1) with every
// intermediate a node: softmax(mask(Q·Kᵀ/√D))·V.
func (m *Model) dense(c autograd.Context, query, key, value *autograd.Node) *autograd.Node {
	scores := c.As("scores").MatmulTransposed(query, key, false, true)
	scores = c.As("scores/√d").Scale(scores, inverseRoot(m.config))
	scores = c.As("causal scores").CausalMask(scores)
	largest := c.As("row max").MaxAxis(scores, 3)
	weight := c.As("exp").Exp(c.As("scores − max").Sub(scores, largest))
	sum := c.As("Σ exp").SumAxis(weight, 3, true)
	weight = c.As("weights").Div(weight, sum)
	return c.As("contexts of each head").Matmul(weight, value)
}

func inverseRoot(config Config) float64 {
	return 1 / math.Sqrt(float64(config.Width/config.Heads))
}

// Tiles is the size of the tiles of tiled attention, in positions.
type Tiles struct {
	Query int // rows of scores computed together
	Key   int // columns of scores alive at a time
}

// Validate checks that both sizes are positive.
func (t Tiles) Validate() error {
	if t.Query < 1 || t.Key < 1 {
		return fmt.Errorf("decoder: tiles of %d queries and %d keys: both must be at least 1", t.Query, t.Key)
	}
	return nil
}

// tiledAttention computes causal attention without ever holding a whole row of
// scores. It keeps for each query the largest score seen, the sum of
// exponentials relative to it and the weighted values; when a later tile has a
// larger score, what was gathered is scaled down by exp(old − new). This is the
// online softmax of Milakov and Gimelshein 2018, with the tiles of Dao et al.
// 2022 (FlashAttention, algorithm 1). Products and sums run on c's device.
//
// query, key and value are [1, H, T, D]; so is the result.
func tiledAttention(c autograd.Context, query, key, value *autograd.Node, tiles Tiles) *autograd.Node {
	if c.Err() != nil {
		return nil
	}
	q, k, v := query.Value(), key.Value(), value.Value()
	positions, width := q.Dim(2), q.Dim(3)
	out := tensor.Must(tensor.New(q.Shape()...))
	factor := 1 / math.Sqrt(float64(width))
	for first := 0; first < positions; first += tiles.Query {
		last := min(first+tiles.Query, positions)
		state := newSoftmaxState(q.Dim(1), last-first, width)
		rows := rowTile(q, first, last)
		// Keys after the tile's last query are masked for all of its rows.
		for from := 0; from < last; from += tiles.Key {
			to := min(from+tiles.Key, last)
			scores := c.As("score tile").Scale(c.As("score tile").MatmulTransposed(rows, rowTile(k, from, to), false, true), factor)
			if scores == nil {
				return nil
			}
			weights, correction := state.rebase(scores.Value(), first, from)
			node := autograd.Constant(weights)
			sums := c.As("tile sums").SumAxis(node, 3, true)
			values := c.As("tile values").Matmul(node, rowTile(v, from, to))
			if c.Err() != nil {
				return nil
			}
			state.add(correction, sums.Value(), values.Value())
		}
		state.write(out, first)
	}
	return autograd.Constant(out)
}

// rowTile copies positions from..to of [1, H, T, D].
func rowTile(t *tensor.Tensor, from, to int) *autograd.Node {
	view, err := t.View().Slice(2, from, to, 1)
	if err != nil {
		panic("BUG: " + err.Error())
	}
	return autograd.Constant(view.Pack())
}

// softmaxState is what the online softmax keeps for a tile of queries: one
// maximum and one sum per row, and width weighted values.
type softmaxState struct {
	rows, width  int // rows are heads · queries of the tile
	queries      int
	largest, sum []float64 // [rows]
	values       []float64 // [rows, width]
}

func newSoftmaxState(heads, queries, width int) *softmaxState {
	rows := heads * queries
	s := &softmaxState{rows: rows, width: width, queries: queries,
		largest: make([]float64, rows), sum: make([]float64, rows), values: make([]float64, rows*width)}
	for i := range s.largest {
		s.largest[i] = math.Inf(-1)
	}
	return s
}

// rebase moves each row's maximum to include a tile of scores [1, H, queries,
// keys]. It returns exp(score − new maximum), zero where the key is later than
// the query, and for each row the factor exp(old − new) for what came before.
func (s *softmaxState) rebase(scores *tensor.Tensor, firstQuery, firstKey int) (weights *tensor.Tensor, correction []float64) {
	weights = tensor.Must(tensor.New(scores.Shape()...))
	correction = make([]float64, s.rows)
	keys := scores.Dim(3)
	for row := range s.rows {
		visible := min(firstQuery+row%s.queries-firstKey+1, keys)
		old := s.largest[row]
		for j := range max(visible, 0) {
			s.largest[row] = max(s.largest[row], scores.Data()[row*keys+j])
		}
		if visible <= 0 {
			correction[row] = 1 // nothing of this tile is visible to the row
			continue
		}
		// Key 0 is visible to every row and lies in the first tile, so the
		// maximum is no longer −Inf here.
		correction[row] = scalar.Exp(old - s.largest[row])
		for j := range visible {
			weights.Data()[row*keys+j] = scalar.Exp(scores.Data()[row*keys+j] - s.largest[row])
		}
	}
	return weights, correction
}

// add gathers a tile: sums [1, H, queries, 1], values [1, H, queries, D].
func (s *softmaxState) add(correction []float64, sums, values *tensor.Tensor) {
	for row := range s.rows {
		s.sum[row] = float64(s.sum[row]*correction[row]) + sums.Data()[row]
		for d := range s.width {
			i := row*s.width + d
			s.values[i] = float64(s.values[i]*correction[row]) + values.Data()[i]
		}
	}
}

// write divides by the sums and stores the tile's rows of out [1, H, T, D].
func (s *softmaxState) write(out *tensor.Tensor, firstQuery int) {
	positions := out.Dim(2)
	for row := range s.rows {
		head, t := row/s.queries, firstQuery+row%s.queries
		for d := range s.width {
			out.Data()[(head*positions+t)*s.width+d] = s.values[row*s.width+d] / s.sum[row]
		}
	}
}
