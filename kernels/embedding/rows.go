package embedding

import "fmt"

// Rows lists, for each token of a table, the positions of a text at which it
// stands, in ascending order and one list behind the other: compressed sparse
// rows. The positions of token t are Positions[Starts[t]:Starts[t+1]].
//
//	text       7 3 7 9 3 7
//	Positions  1 4 | 0 2 5 | 3      of token 3, of 7, of 9
type Rows struct {
	Starts    []int32 // one for each token, and the end of the last
	Positions []int32 // of the whole text
}

// A TokenError is a token that the table does not have.
type TokenError struct {
	Position int
	Token    int32
	Tokens   int // that the table has
}

func (e *TokenError) Error() string {
	if e.Tokens < 1 {
		return fmt.Sprintf("token %d at position %d is not in the table: it has no tokens", e.Token, e.Position)
	}
	return fmt.Sprintf("token %d at position %d is not in the table: it has the tokens 0 to %d", e.Token, e.Position, e.Tokens-1)
}

// Sort makes the rows of a text by a counting sort: it counts each token, adds the
// counts up to where each list starts, and puts each position behind the ones
// before it. A text has fewer than 2^31 positions, and a table of fewer than no
// tokens has none. The error is a *TokenError.
func Sort(text []int32, tokens int) (Rows, error) {
	tokens = max(tokens, 0)
	starts := make([]int32, tokens+1)
	for p, t := range text {
		if t < 0 || int(t) >= tokens {
			return Rows{}, &TokenError{Position: p, Token: t, Tokens: tokens}
		}
		starts[t+1]++
	}
	for t := range tokens {
		starts[t+1] += starts[t]
	}
	next := append([]int32(nil), starts...)
	positions := make([]int32, len(text))
	for p, t := range text {
		positions[next[t]] = int32(p)
		next[t]++
	}
	return Rows{Starts: starts, Positions: positions}, nil
}
