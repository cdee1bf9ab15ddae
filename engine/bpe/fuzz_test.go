package bpe

import (
	"bytes"
	"errors"
	"slices"
	"testing"
)

// mergesFrom reads two bytes for each merge: small numbers, so that many of
// them name tokens that exist. What New refuses is left out.
func mergesFrom(recipe []byte) []Merge {
	merges := []Merge{}
	for len(recipe) >= 2 && len(merges) < 64 {
		operand := func(b byte) int {
			if b >= 192 {
				return FirstMerge + int(b-192)
			}
			return FirstByte + int(b)
		}
		m := Merge{operand(recipe[0]), operand(recipe[1])}
		recipe = recipe[2:]
		if _, err := New(append(slices.Clone(merges), m)); err == nil {
			merges = append(merges, m)
		}
	}
	return merges
}

func FuzzRoundTrip(f *testing.F) {
	f.Add([]byte("ab"), []byte("the then"))
	f.Add([]byte{'t', 'h', 192, 'e'}, []byte("the then \xff\xfe\x00"))
	f.Add([]byte{'a', 'a', 192, 192, 193, 193}, bytes.Repeat([]byte("a"), 31))
	f.Fuzz(func(t *testing.T, recipe, text []byte) {
		tok := mustNew(t, mergesFrom(recipe))
		for _, ids := range [][]int{tok.Encode(text), tok.EncodeDocument(text)} {
			got, err := tok.Decode(ids)
			if err != nil || !bytes.Equal(got, text) {
				t.Fatalf("%v decodes to %q, %v, want %q", ids, got, err, text)
			}
			for _, id := range ids {
				if tok.Name(id) == "" {
					t.Fatalf("token %d has no name", id)
				}
			}
		}
	})
}

func FuzzEncodeEqualsNaive(f *testing.F) {
	f.Add([]byte{'t', 'h', 192, 'e'}, []byte("the then"))
	f.Add([]byte{'a', 'a', 192, 'a', 192, 192}, []byte("aaaaaaaab"))
	f.Add([]byte{'b', 'c', 'a', 'b', 193, 'c'}, []byte("abcabcab"))
	f.Fuzz(func(t *testing.T, recipe, text []byte) {
		merges := mergesFrom(recipe)
		tok := mustNew(t, merges)
		got, want := tok.Encode(text), encodeNaive(merges, text)
		if !slices.Equal(got, want) {
			t.Fatalf("Encode(%q) = %v, want %v with merges %v", text, got, want, merges)
		}
		if len(text) <= 200 {
			if steps := tok.Steps(text); len(steps) > 0 && !slices.Equal(steps[len(steps)-1].Tokens, want) {
				t.Fatalf("the last step has %v, want %v", steps[len(steps)-1].Tokens, want)
			}
		}
	})
}

func FuzzTrainEqualsNaive(f *testing.F) {
	f.Add([]byte("aaaabaaabaa"), 5)
	f.Add([]byte("xyxyxxyyxyxyx"), 9)
	f.Add([]byte("the then them"), 20)
	f.Fuzz(func(t *testing.T, text []byte, n int) {
		if len(text) > 400 || n > 40 {
			return // the oracle is quadratic
		}
		got, err := Train(text, n)
		if n < 0 {
			if !errors.As(err, new(*TrainError)) {
				t.Fatalf("Train(…, %d) gave %v, want a TrainError", n, err)
			}
			return
		}
		if want := trainNaive(text, n); err != nil || !slices.Equal(got, want) {
			t.Fatalf("Train(%q, %d) = %v, %v, want %v", text, n, got, err, want)
		}
		mustNew(t, got)
	})
}

// FuzzNew gives New operands of any size, four bytes each.
func FuzzNew(f *testing.F) {
	f.Add([]byte{0, 0, 0, 99, 0, 0, 0, 100, 0, 0, 1, 2, 0, 0, 0, 99}, []byte("abab"))
	f.Add([]byte{0, 0, 1, 2, 0, 0, 1, 2}, []byte("a"))
	f.Add([]byte{255, 255, 255, 255, 0, 0, 0, 0}, []byte{})
	f.Fuzz(func(t *testing.T, raw, text []byte) {
		var merges []Merge
		for len(raw) >= 8 {
			read := func(b []byte) int {
				return int(int32(uint32(b[0])<<24 | uint32(b[1])<<16 | uint32(b[2])<<8 | uint32(b[3])))
			}
			merges = append(merges, Merge{read(raw), read(raw[4:])})
			raw = raw[8:]
		}
		tok, err := New(merges)
		if err != nil {
			var bad *MergeError
			if !errors.As(err, &bad) || bad.Rank < 0 || bad.Rank >= len(merges) || bad.Merge != merges[bad.Rank] {
				t.Fatalf("New(%v) gave %v, want a MergeError that names its merge", merges, err)
			}
			return
		}
		for id := range tok.Vocabulary() {
			bytes, err := tok.Decode([]int{id})
			if err != nil || len(bytes) > MaxTokenBytes || id >= FirstByte && len(bytes) == 0 {
				t.Fatalf("token %d decodes to %q, %v", id, bytes, err)
			}
		}
		if got, want := tok.Encode(text), encodeNaive(merges, text); !slices.Equal(got, want) {
			t.Fatalf("Encode(%q) = %v, want %v with merges %v", text, got, want, merges)
		}
	})
}
