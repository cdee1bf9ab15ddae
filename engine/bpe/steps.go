package bpe

// MergeStep is one merge of an encoding: all occurrences of a pair become one
// token each.
type MergeStep struct {
	Rank   int   `json:"rank"`
	Pair   Merge `json:"pair"`
	Token  int   `json:"token"`  // that the pair becomes
	Merged []int `json:"merged"` // places of the new tokens in Tokens
	Tokens []int `json:"tokens"` // of the whole text afterwards
}

// Steps returns the merges that encode a text, in the order they are applied:
// the bytes are the state before the first step, and the last step's tokens
// are Encode's. It takes the steps one by one, a pass over the text for each,
// and keeps the text as it is after every one: it is for texts that a person
// reads.
func (t *Tokenizer) Steps(text []byte) []MergeStep {
	tokens := bytesToTokens(text)
	steps := []MergeStep{}
	for {
		lowest, found := 0, false
		for i := 0; i+1 < len(tokens); i++ {
			if rank, ok := t.Rank(tokens[i], tokens[i+1]); ok && (!found || rank < lowest) {
				lowest, found = rank, true
			}
		}
		if !found {
			return steps
		}
		step := MergeStep{Rank: lowest, Pair: t.merges[lowest], Token: FirstMerge + lowest}
		step.Tokens, step.Merged = replace(tokens, step.Pair, step.Token)
		steps = append(steps, step)
		tokens = step.Tokens
	}
}

// replace returns tokens with every occurrence of the pair, from left to right,
// become one token, and the places of those tokens.
func replace(tokens []int, pair Merge, token int) (out, merged []int) {
	out = make([]int, 0, len(tokens))
	for i := 0; i < len(tokens); i++ {
		if i+1 < len(tokens) && tokens[i] == pair.Left && tokens[i+1] == pair.Right {
			merged = append(merged, len(out))
			out = append(out, token)
			i++
			continue
		}
		out = append(out, tokens[i])
	}
	return out, merged
}

func bytesToTokens(text []byte) []int {
	tokens := make([]int, len(text))
	for i, b := range text {
		tokens[i] = FirstByte + int(b)
	}
	return tokens
}
