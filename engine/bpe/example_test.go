package bpe_test

import (
	"fmt"

	"workbench/engine/bpe"
)

// Without merges every byte is a token.
func ExampleTokenizer_EncodeDocument() {
	t, err := bpe.New(nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, id := range t.EncodeDocument([]byte("ab\n")) {
		fmt.Println(id, t.Name(id))
	}
	// Output:
	// 0 <begin>
	// 99 a
	// 100 b
	// 12 0x0a
	// 1 <end>
}

// Training finds the pair that saves the most tokens, makes it a token, and
// looks again.
func ExampleTrain() {
	text := []byte("the then the")
	merges, err := bpe.Train(text, 10)
	if err != nil {
		fmt.Println(err)
		return
	}
	t, err := bpe.New(merges)
	if err != nil {
		fmt.Println(err)
		return
	}
	for rank, m := range merges {
		fmt.Printf("rank %d: %s + %s\n", rank, t.Name(m.Left), t.Name(m.Right))
	}
	fmt.Println(len(text), "bytes,", len(t.Encode(text)), "tokens")
	// Output:
	// rank 0: h + e
	// rank 1: t + he
	// rank 2: ␣ + the
	// 12 bytes, 4 tokens
}

// Each step applies one merge to the whole text.
func ExampleTokenizer_Steps() {
	t, err := bpe.New([]bpe.Merge{{Left: 118, Right: 106}, {Left: 258, Right: 103}}) // t+h, th+e
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, step := range t.Steps([]byte("the then")) {
		fmt.Printf("rank %d:", step.Rank)
		for _, id := range step.Tokens {
			fmt.Print(" ", t.Name(id))
		}
		fmt.Println()
	}
	// Output:
	// rank 0: th e ␣ th e n
	// rank 1: the ␣ the n
}

// A merge may use bytes and merges before it, and nothing else.
func ExampleNew_error() {
	_, err := bpe.New([]bpe.Merge{{Left: 99, Right: 259}, {Left: 258, Right: 100}})
	fmt.Println(err)
	// Output:
	// merge of rank 0 (99 + 259): the right token 259 is made later, at rank 1: a merge uses bytes and merges before it
}
