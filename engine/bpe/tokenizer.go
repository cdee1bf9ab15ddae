package bpe

import (
	"fmt"
	"slices"
)

// The fixed part of the vocabulary.
const (
	Begin      = 0   // begins a document
	End        = 1   // ends one
	FirstByte  = 2   // byte b is FirstByte + b
	FirstMerge = 258 // the merge of rank r makes FirstMerge + r
)

const (
	// MaxMerges bounds the merges of a tokenizer. The largest vocabularies in
	// use have about 200 000.
	MaxMerges = 1 << 18
	// MaxTokenBytes bounds the bytes that one token stands for. Without it
	// sixty merges, each of the last token with itself, would make a token of
	// 2^60 bytes.
	MaxTokenBytes = 1 << 10
	// MaxDecoded bounds the bytes that Decode returns.
	MaxDecoded = 1 << 30
)

// Merge is a pair of tokens that becomes one. Its rank is its index in a list
// of merges.
type Merge struct {
	Left  int `json:"left"`
	Right int `json:"right"`
}

// A MergeError is a merge that cannot be part of a tokenizer.
type MergeError struct {
	Rank   int // of the offending merge
	Merge  Merge
	Reason string
}

func (e *MergeError) Error() string {
	return fmt.Sprintf("merge of rank %d (%d + %d): %s", e.Rank, e.Merge.Left, e.Merge.Right, e.Reason)
}

// Tokenizer encodes and decodes with a fixed list of merges. It never changes
// and may be used by several goroutines.
type Tokenizer struct {
	merges  []Merge
	ranks   map[Merge]int
	lengths []int // bytes of each merge's token
}

// New returns the tokenizer of the merges, in order of rank. A merge may use
// the tokens of bytes and of merges before it. One that uses a mark, an
// unknown token, itself or a later merge, that repeats an earlier pair, or
// whose token would be longer than MaxTokenBytes is a MergeError; so is the
// first merge after MaxMerges.
func New(merges []Merge) (*Tokenizer, error) {
	if len(merges) > MaxMerges {
		return nil, &MergeError{Rank: MaxMerges, Merge: merges[MaxMerges], Reason: fmt.Sprintf("is one too many: a tokenizer has at most %d merges, and %d were given", MaxMerges, len(merges))}
	}
	t := &Tokenizer{
		merges:  slices.Clone(merges),
		ranks:   make(map[Merge]int, len(merges)),
		lengths: make([]int, 0, len(merges)),
	}
	for rank, m := range merges {
		for _, side := range [2]struct {
			name string
			id   int
		}{{"left", m.Left}, {"right", m.Right}} {
			if reason := operandFault(side.id, rank, len(merges)); reason != "" {
				return nil, &MergeError{Rank: rank, Merge: m, Reason: "the " + side.name + " token " + reason}
			}
		}
		if earlier, ok := t.ranks[m]; ok {
			return nil, &MergeError{Rank: rank, Merge: m, Reason: fmt.Sprintf("repeats the pair of rank %d: a pair has one rank", earlier)}
		}
		length := t.length(m.Left) + t.length(m.Right)
		if length > MaxTokenBytes {
			return nil, &MergeError{Rank: rank, Merge: m, Reason: fmt.Sprintf("makes a token of %d bytes: a token has at most %d", length, MaxTokenBytes)}
		}
		t.ranks[m] = rank
		t.lengths = append(t.lengths, length)
	}
	return t, nil
}

// operandFault says why a token cannot be an operand of the merge of a rank,
// or is empty.
func operandFault(id, rank, merges int) string {
	switch own := FirstMerge + rank; {
	case id == Begin || id == End:
		return fmt.Sprintf("%d marks a document: marks are never merged", id)
	case id < 0 || id >= FirstMerge+merges:
		return fmt.Sprintf("%d is unknown: %d merges make tokens up to %d", id, merges, FirstMerge+merges-1)
	case id == own:
		return fmt.Sprintf("%d is the token this merge makes", id)
	case id > own:
		return fmt.Sprintf("%d is made later, at rank %d: a merge uses bytes and merges before it", id, id-FirstMerge)
	}
	return ""
}

// Vocabulary returns the number of tokens: 258 and one for each merge.
func (t *Tokenizer) Vocabulary() int { return FirstMerge + len(t.merges) }

// Merges returns a copy of the merges in order of rank.
func (t *Tokenizer) Merges() []Merge { return slices.Clone(t.merges) }

// Rank returns the rank of a pair and whether the pair merges at all. Encoding
// applies lower ranks first.
func (t *Tokenizer) Rank(left, right int) (rank int, ok bool) {
	rank, ok = t.ranks[Merge{left, right}]
	return rank, ok
}

// length returns the bytes a token of the vocabulary stands for.
func (t *Tokenizer) length(id int) int {
	switch {
	case id >= FirstMerge:
		return t.lengths[id-FirstMerge]
	case id >= FirstByte:
		return 1
	}
	return 0
}
