package bpe

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// letters returns merges by the text of their operands: "t+h" is the merge of
// the tokens t and h, and "th" names its result from then on.
func letters(t testing.TB, pairs ...string) []Merge {
	t.Helper()
	ids := map[string]int{}
	for b := range 256 {
		ids[string([]byte{byte(b)})] = FirstByte + b
	}
	var merges []Merge
	for rank, pair := range pairs {
		left, right, _ := strings.Cut(pair, "+")
		l, ok := ids[left]
		r, ok2 := ids[right]
		if !ok || !ok2 {
			t.Fatalf("pair %q uses a token that does not exist yet", pair)
		}
		merges = append(merges, Merge{l, r})
		if _, taken := ids[left+right]; !taken {
			ids[left+right] = FirstMerge + rank
		}
	}
	return merges
}

func mustNew(t testing.TB, merges []Merge) *Tokenizer {
	t.Helper()
	tok, err := New(merges)
	if err != nil {
		t.Fatal(err)
	}
	return tok
}

// encodeNaive applies the merges rank after rank, as the definition says.
func encodeNaive(merges []Merge, text []byte) []int {
	tokens := []int{}
	for _, b := range text {
		tokens = append(tokens, int(b)+2)
	}
	for rank, m := range merges {
		out := []int{}
		for i := 0; i < len(tokens); {
			if i+1 < len(tokens) && tokens[i] == m.Left && tokens[i+1] == m.Right {
				out = append(out, 258+rank)
				i += 2
			} else {
				out = append(out, tokens[i])
				i++
			}
		}
		tokens = out
	}
	return tokens
}

// trainNaive counts every pair afresh for every merge.
func trainNaive(text []byte, n int) []Merge {
	merges := []Merge{}
	size := map[int]int{}
	tokens := encodeNaive(nil, text)
	for _, id := range tokens {
		size[id] = 1
	}
	for len(merges) < n {
		count, end := map[Merge]int{}, map[Merge]int{}
		for i := 0; i+1 < len(tokens); i++ {
			m := Merge{tokens[i], tokens[i+1]}
			if last, seen := end[m]; seen && last == i {
				continue // overlaps the occurrence counted before it
			}
			count[m]++
			end[m] = i + 1
		}
		best, most := Merge{}, 1
		for m, c := range count {
			if size[m.Left]+size[m.Right] > MaxTokenBytes {
				continue
			}
			lower := m.Left < best.Left || m.Left == best.Left && m.Right < best.Right
			if c > most || c == most && most > 1 && lower {
				best, most = m, c
			}
		}
		if most < 2 {
			break
		}
		size[258+len(merges)] = size[best.Left] + size[best.Right]
		merges = append(merges, best)
		tokens = encodeNaive(merges, text)
	}
	return merges
}

func TestEncodeOrder(t *testing.T) {
	for _, c := range []struct {
		name   string
		merges []string
		text   string
		want   []int
	}{
		{"no merges", nil, "ab", []int{99, 100}},
		{"empty text", []string{"a+b"}, "", []int{}},
		{"one byte", []string{"a+b"}, "a", []int{99}},
		{"overlap goes left first", []string{"a+a"}, "aaa", []int{258, 99}},
		{"pairs of a run", []string{"a+a", "aa+aa"}, "aaaaaaa", []int{259, 258, 99}},
		{"lower rank wins over position", []string{"b+c", "a+b"}, "abc", []int{99, 258}},
		{"lower rank wins at the left too", []string{"a+b", "b+c"}, "abc", []int{258, 101}},
		{"chain", []string{"t+h", "th+e"}, "the then", []int{259, 34, 259, 112}},
		{"a merge can cross a space", []string{"e+ "}, "the x", []int{118, 106, 258, 122}},
		{"a spelt mark is text", nil, "<", []int{62}},
		{"bytes above 127", []string{"\xc3+\xa9"}, "é\xff", []int{258, 257}},
	} {
		t.Run(c.name, func(t *testing.T) {
			tok := mustNew(t, letters(t, c.merges...))
			if got := tok.Encode([]byte(c.text)); !slices.Equal(got, c.want) || got == nil {
				t.Errorf("Encode(%q) = %#v, want %v", c.text, got, c.want)
			}
			want := append(append([]int{Begin}, c.want...), End)
			if got := tok.EncodeDocument([]byte(c.text)); !slices.Equal(got, want) {
				t.Errorf("EncodeDocument(%q) = %v, want %v", c.text, got, want)
			}
		})
	}
}

func TestFixtureDocument(t *testing.T) {
	tok := mustNew(t, nil)
	if got, want := tok.EncodeDocument([]byte("ab")), []int{0, 99, 100, 1}; !slices.Equal(got, want) {
		t.Errorf("document of \"ab\" = %v, want %v", got, want)
	}
	if tok.Vocabulary() != 258 {
		t.Errorf("vocabulary without merges has %d tokens, want 258", tok.Vocabulary())
	}
}

// corpus returns a text with many repeats: few symbols, long runs.
func corpus(random *rand.Rand, length, symbols int) []byte {
	text := make([]byte, 0, length)
	for len(text) < length {
		b := byte('a' + random.IntN(symbols))
		for range 1 + random.IntN(4) {
			text = append(text, b)
		}
	}
	return text[:length]
}

func TestEncodeEqualsNaive(t *testing.T) {
	random := rand.New(rand.NewPCG(39, 1))
	for trial := range 300 {
		symbols := 1 + trial%5
		merges, err := Train(corpus(random, 200, symbols), 40)
		if err != nil {
			t.Fatal(err)
		}
		// Ranks in another order than training found them reach the pairs
		// that training never leaves behind.
		if trial%2 == 1 {
			merges = randomMerges(random, 30, symbols)
		}
		tok := mustNew(t, merges)
		text := corpus(random, random.IntN(120), symbols)
		got, want := tok.Encode(text), encodeNaive(merges, text)
		if !slices.Equal(got, want) {
			t.Fatalf("trial %d: Encode(%q) = %v, want %v with merges %v", trial, text, got, want, merges)
		}
		if back, err := tok.Decode(got); err != nil || !bytes.Equal(back, text) {
			t.Fatalf("trial %d: decoded to %q, %v, want %q", trial, back, err, text)
		}
	}
}

// randomMerges returns valid merges of the first symbols from 'a' on.
func randomMerges(random *rand.Rand, n, symbols int) []Merge {
	var merges []Merge
	seen := map[Merge]bool{}
	for range n {
		operand := func() int {
			if k := random.IntN(symbols + len(merges)); k >= symbols {
				return FirstMerge + k - symbols
			} else {
				return FirstByte + 'a' + k
			}
		}
		m := Merge{operand(), operand()}
		if _, err := New(append(slices.Clone(merges), m)); err != nil || seen[m] {
			continue
		}
		seen[m] = true
		merges = append(merges, m)
	}
	return merges
}

func TestTrain(t *testing.T) {
	for _, c := range []struct {
		name string
		text string
		n    int
		want []string
	}{
		{"nothing to merge", "abcdef", 5, nil},
		{"empty text", "", 5, nil},
		{"none asked for", "aaaa", 0, nil},
		{"a run of three holds its pair once", "aaa", 5, nil},
		{"a run of four holds it twice", "aaaa", 5, []string{"a+a"}},
		{"highest count", "abxabyzyzyz", 1, []string{"y+z"}},
		{"ties go to the lowest left token", "cdcdabab", 1, []string{"a+b"}},
		{"ties go to the lowest right token", "acxacyabzab", 1, []string{"a+b"}},
		{"overlaps are not counted twice", "aaa.aaa.bcbcbc", 1, []string{"b+c"}},
		{"merges of merges", "the then the", 3, []string{"h+e", "t+he", " +the"}},
		{"stops early", "abab", 9, []string{"a+b"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := Train([]byte(c.text), c.n)
			if err != nil {
				t.Fatal(err)
			}
			if want := letters(t, c.want...); !slices.Equal(got, want) {
				t.Errorf("Train(%q, %d) = %v, want %v (%q)", c.text, c.n, got, want, c.want)
			}
		})
	}
}

func TestTrainEqualsNaive(t *testing.T) {
	random := rand.New(rand.NewPCG(39, 2))
	for trial := range 200 {
		text := corpus(random, random.IntN(160), 1+trial%6)
		got, err := Train(text, 60)
		if err != nil {
			t.Fatal(err)
		}
		if want := trainNaive(text, 60); !slices.Equal(got, want) {
			t.Fatalf("trial %d: Train(%q) = %v, want %v", trial, text, got, want)
		}
		if again, _ := Train(text, 60); !slices.Equal(got, again) {
			t.Fatalf("trial %d: a second training of %q differs", trial, text)
		}
	}
}

// The counts that training goes by are the tokens that encoding saves.
func TestTrainingCountsWhatEncodingSaves(t *testing.T) {
	text := []byte(strings.Repeat("she sells sea shells; the shells she sells are sea-shells. ", 5))
	merges, err := Train(text, 30)
	if err != nil || len(merges) < 20 {
		t.Fatalf("got %d merges, %v", len(merges), err)
	}
	before, last := len(text), len(text)
	for n := 1; n <= len(merges); n++ {
		now := len(mustNew(t, merges[:n]).Encode(text))
		saved := before - now
		if saved < 2 || saved > last {
			t.Errorf("merge %d saves %d tokens after one that saved %d: counts must fall and stay above 1", n-1, saved, last)
		}
		before, last = now, saved
	}
}

func TestTrainKeepsTokensBounded(t *testing.T) {
	text := bytes.Repeat([]byte("a"), 16*MaxTokenBytes)
	merges, err := Train(text, 100)
	if err != nil {
		t.Fatal(err)
	}
	if len(merges) < 10 {
		t.Errorf("a long run gave %d merges, want at least the 10 doublings up to %d bytes", len(merges), MaxTokenBytes)
	}
	mustNew(t, merges) // refuses a token that is too long
}

func TestTrainRefusesCounts(t *testing.T) {
	for _, n := range []int{-1, MaxMerges + 1} {
		_, err := Train([]byte("aaaa"), n)
		var want *TrainError
		if !errors.As(err, &want) || want.Merges != n {
			t.Errorf("Train(…, %d): error %v, want a TrainError with the number", n, err)
		}
	}
}

func TestNewRefuses(t *testing.T) {
	double := []Merge{{99, 99}}
	for i := range 10 {
		double = append(double, Merge{258 + i, 258 + i})
	}
	many := make([]Merge, MaxMerges+1)
	for _, c := range []struct {
		name   string
		merges []Merge
		rank   int
		reason string
	}{
		{"begin", []Merge{{99, 100}, {Begin, 99}}, 1, "marks a document"},
		{"end", []Merge{{99, End}}, 0, "marks a document"},
		{"negative", []Merge{{-1, 99}}, 0, "unknown"},
		{"unknown", []Merge{{99, 259}}, 0, "unknown"},
		{"far out", []Merge{{99, int(^uint(0) >> 1)}}, 0, "unknown"},
		{"itself", []Merge{{99, 100}, {259, 99}}, 1, "the token this merge makes"},
		{"cycle", []Merge{{259, 99}, {258, 99}}, 0, "made later, at rank 1"},
		{"duplicate", []Merge{{99, 100}, {100, 99}, {99, 100}}, 2, "repeats the pair of rank 0"},
		{"too long", double, 10, "token of 2048 bytes"},
		{"too many", many, MaxMerges, "one too many"},
	} {
		t.Run(c.name, func(t *testing.T) {
			tok, err := New(c.merges)
			var got *MergeError
			if !errors.As(err, &got) || tok != nil {
				t.Fatalf("New gave %v, %v, want a MergeError", tok, err)
			}
			if got.Rank != c.rank || got.Merge != c.merges[c.rank] || !strings.Contains(got.Error(), c.reason) {
				t.Errorf("error of rank %d: %v; want rank %d and %q", got.Rank, got, c.rank, c.reason)
			}
			if !strings.Contains(got.Error(), fmt.Sprintf("rank %d", c.rank)) {
				t.Errorf("the error does not name the rank: %v", got)
			}
		})
	}
}

func TestNewKeepsItsOwnMerges(t *testing.T) {
	merges := letters(t, "a+b")
	tok := mustNew(t, merges)
	merges[0] = Merge{}
	tok.Merges()[0] = Merge{}
	if got := tok.Encode([]byte("ab")); !slices.Equal(got, []int{258}) {
		t.Errorf("changing a caller's slice changed the tokenizer: Encode gave %v", got)
	}
}

func TestRank(t *testing.T) {
	tok := mustNew(t, letters(t, "t+h", "th+e"))
	if rank, ok := tok.Rank(258, FirstByte+'e'); rank != 1 || !ok {
		t.Errorf("rank of th+e = %d, %v, want 1, true", rank, ok)
	}
	if rank, ok := tok.Rank(FirstByte+'h', FirstByte+'t'); ok {
		t.Errorf("h+t has rank %d, want none: a pair is ordered", rank)
	}
}

func TestDecode(t *testing.T) {
	tok := mustNew(t, letters(t, "t+h", "th+e"))
	got, err := tok.Decode([]int{Begin, 259, End, 34, Begin, 258, End})
	if err != nil || string(got) != "the th" {
		t.Errorf("Decode = %q, %v, want \"the th\": marks stand for nothing", got, err)
	}
	for _, id := range []int{-1, 260, 1 << 40} {
		_, err := tok.Decode([]int{99, id})
		var unknown *TokenError
		if !errors.As(err, &unknown) || unknown.Place != 1 || unknown.ID != id || unknown.Vocabulary != 260 {
			t.Errorf("Decode of %d: error %v, want a TokenError at place 1", id, err)
		}
	}
}

func TestDecodeBoundsItsOutput(t *testing.T) {
	merges := []Merge{{99, 99}}
	for i := range 9 {
		merges = append(merges, Merge{258 + i, 258 + i})
	}
	tok := mustNew(t, merges)
	longest := slices.Repeat([]int{267}, MaxDecoded/MaxTokenBytes+1)
	_, err := tok.Decode(longest)
	var tooLong *LengthError
	if !errors.As(err, &tooLong) || tooLong.Place != len(longest)-1 {
		t.Errorf("Decode of %d bytes: error %v, want a LengthError at the last place", len(longest)*MaxTokenBytes, err)
	}
}

func TestName(t *testing.T) {
	tok := mustNew(t, letters(t, "t+h", " +th", "\xc3+\xa9", "\xa9+\xc3", "a+\n", "\xcc+\x81", "e+\xcc\x81",
		"\xe2+\x90", "\xe2\x90+\xa3"))
	for id, want := range map[int]string{
		Begin: "<begin>", End: "<end>",
		FirstByte + 'a': "a", FirstByte + ' ': "␣", FirstByte + '\n': "0x0a", FirstByte + 0xff: "0xff", FirstByte: "0x00", FirstByte + 0x7f: "0x7f",
		258: "th", 259: "␣th", 260: "é", 261: "0xa9c3", 262: "0x610a",
		263: "0xcc81", 264: "e\u0301", // a combining mark shows on its letter alone
		266: "0xe290a3", // the text is the sign that stands for a space
		267: "<unknown 267>", -1: "<unknown -1>",
	} {
		if got := tok.Name(id); got != want {
			t.Errorf("Name(%d) = %q, want %q", id, got, want)
		}
	}
}

func TestSteps(t *testing.T) {
	tok := mustNew(t, letters(t, "h+e", "t+he"))
	got := tok.Steps([]byte("the hen"))
	want := []MergeStep{
		{Rank: 0, Pair: Merge{106, 103}, Token: 258, Merged: []int{1, 3}, Tokens: []int{118, 258, 34, 258, 112}},
		{Rank: 1, Pair: Merge{118, 258}, Token: 259, Merged: []int{0}, Tokens: []int{259, 34, 258, 112}},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("Steps = %+v, want %+v", got, want)
	}
	if got := tok.Steps([]byte("x")); got == nil || len(got) != 0 {
		t.Errorf("Steps of a text without pairs = %#v, want an empty list", got)
	}
}

func TestStepsEndWhereEncodeDoes(t *testing.T) {
	random := rand.New(rand.NewPCG(39, 3))
	for range 100 {
		tok := mustNew(t, randomMerges(random, 20, 3))
		text := corpus(random, 40, 3)
		steps := tok.Steps(text)
		tokens, rank := bytesToTokens(text), -1
		for _, step := range steps {
			if step.Rank <= rank || step.Pair != tok.merges[step.Rank] || step.Token != FirstMerge+step.Rank {
				t.Fatalf("step %+v after rank %d", step, rank)
			}
			if len(step.Merged) == 0 || len(step.Tokens) != len(tokens)-len(step.Merged) {
				t.Fatalf("step %+v does not follow from %v", step, tokens)
			}
			tokens, rank = step.Tokens, step.Rank
		}
		if want := tok.Encode(text); !slices.Equal(tokens, want) {
			t.Fatalf("the last step has %v, Encode %v", tokens, want)
		}
	}
}

// A quadratic encoder would take hours for this text.
func TestLongTextIsNotQuadratic(t *testing.T) {
	random := rand.New(rand.NewPCG(39, 4))
	merges, err := Train(corpus(random, 20_000, 4), 500)
	if err != nil {
		t.Fatal(err)
	}
	tok := mustNew(t, merges)
	text := append(bytes.Repeat([]byte("a"), 500_000), corpus(random, 500_000, 4)...)
	back, err := tok.Decode(tok.Encode(text))
	if err != nil || !bytes.Equal(back, text) {
		t.Fatalf("a long text does not round-trip: %v", err)
	}
}

func BenchmarkEncode(b *testing.B) {
	random := rand.New(rand.NewPCG(39, 5))
	merges, err := Train(corpus(random, 20_000, 8), 1000)
	if err != nil {
		b.Fatal(err)
	}
	tok := mustNew(b, merges)
	for _, n := range []int{1_000, 10_000, 100_000} {
		text := corpus(random, n, 8)
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			b.SetBytes(int64(n))
			for b.Loop() {
				tok.Encode(text)
			}
		})
	}
}

func BenchmarkTrain(b *testing.B) {
	text := corpus(rand.New(rand.NewPCG(39, 6)), 100_000, 8)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if _, err := Train(text, 1000); err != nil {
			b.Fatal(err)
		}
	}
}
