package bpe

import "fmt"

// A TokenError is a token that is not in the vocabulary.
type TokenError struct {
	Place      int // in the list that was to be decoded
	ID         int
	Vocabulary int // number of tokens
}

func (e *TokenError) Error() string {
	return fmt.Sprintf("token %d at place %d is unknown: the vocabulary has tokens 0 to %d", e.ID, e.Place, e.Vocabulary-1)
}

// A LengthError is a list of tokens that decodes to more bytes than MaxDecoded.
type LengthError struct {
	Place int // of the first token that does not fit
}

func (e *LengthError) Error() string {
	return fmt.Sprintf("the tokens up to place %d decode to more than %d bytes: decode a part of them", e.Place, MaxDecoded)
}

// Decode returns the bytes that the tokens stand for; Begin and End stand for
// none. Decode of what Encode or EncodeDocument returned is the text itself,
// byte for byte. An unknown token is a TokenError, and more than MaxDecoded
// bytes are a LengthError.
func (t *Tokenizer) Decode(ids []int) ([]byte, error) {
	total := 0
	for place, id := range ids {
		if id < 0 || id >= t.Vocabulary() {
			return nil, &TokenError{Place: place, ID: id, Vocabulary: t.Vocabulary()}
		}
		if total += t.length(id); total > MaxDecoded {
			return nil, &LengthError{Place: place}
		}
	}
	out := make([]byte, 0, total)
	for _, id := range ids {
		out = t.appendBytes(out, id)
	}
	return out, nil
}

// appendBytes appends the bytes of a token of the vocabulary. A merge's operands
// are tokens made before it and shorter than it, so the recursion ends and is
// at most MaxTokenBytes deep.
func (t *Tokenizer) appendBytes(out []byte, id int) []byte {
	if id < FirstByte {
		return out
	}
	for id >= FirstMerge {
		m := t.merges[id-FirstMerge]
		out = t.appendBytes(out, m.Left)
		id = m.Right
	}
	return append(out, byte(id-FirstByte))
}
