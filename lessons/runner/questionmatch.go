package runner

import (
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// A matcher says whether an answer means the same as a right or a known wrong
// one, however it is written.
//
//	1000, 1 000, 1,000, 1_000 and 1e3     are one number
//	3 and 5, 3, 5, [3 5] and (3,5)        are two numbers
//	192 and 192 bytes                     are the same where the form says bytes
//	Yes, yes. and "yes"                   are the same word
type matcher struct {
	form      string // of the question, and its name: their words behind numbers do not count
	unordered bool   // the order of several values does not count
}

// match holds what was given against what is known.
func (m matcher) match(known, given string) bool {
	if want := m.readings(known); len(want) > 0 {
		// What the course writes is read in one way, the one that is thought of first.
		for _, have := range m.readings(given) {
			if m.same(want[0], have) {
				return true
			}
		}
		return false
	}
	want, have := words(known), words(given)
	if m.unordered {
		slices.Sort(want)
		slices.Sort(have)
	}
	return len(want) > 0 && slices.Equal(want, have)
}

// numbers says whether a text is numbers.
func (m matcher) numbers(text string) bool { return len(m.readings(text)) > 0 }

// count says how many numbers a text is, 0 if it is none.
func (m matcher) count(text string) int {
	if r := m.readings(text); len(r) > 0 {
		return len(r[0])
	}
	return 0
}

func (m matcher) same(a, b []float64) bool {
	if m.unordered {
		a, b = slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b))
	}
	return slices.EqualFunc(a, b, func(x, y float64) bool {
		// The last digits of a decimal fraction are nobody's answer.
		return x == y || math.Abs(x-y) <= 1e-9*max(math.Abs(x), math.Abs(y))
	})
}

var (
	// A digit group is three digits behind one to three; what stands between is a
	// comma or a blank, of which Unicode has several.
	grouped = regexp.MustCompile(`(^|[^\d.,])(\d{1,3}(?:[,_'’ \x{a0}\x{2009}\x{202f}]\d{3})+)($|[^\d])`)
	between = regexp.MustCompile(`[,_'’ \x{a0}\x{2009}\x{202f}]`)
	comma   = regexp.MustCompile(`(\d),(\d)`)
	part    = regexp.MustCompile(`^[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?`)
)

// readings returns the lists of numbers that a text may be: 1,000 is a thousand or
// 1 and 0, and 1,5 one and a half or 1 and 5. None is that it is no numbers.
func (m matcher) readings(text string) [][]float64 {
	text = strings.NewReplacer("−", "-", "–", "-", "×10^", "e", "·10^", "e").Replace(text)
	var all [][]float64
	add := func(text string) {
		if list := m.list(text); len(list) > 0 {
			all = append(all, list)
		}
	}
	whole := text
	for { // groups may share what stands between them
		next := grouped.ReplaceAllStringFunc(whole, func(s string) string {
			p := grouped.FindStringSubmatch(s)
			return p[1] + between.ReplaceAllString(p[2], "") + p[3]
		})
		if next == whole {
			break
		}
		whole = next
	}
	add(whole)
	if whole != text {
		add(text)
	} else if fraction := comma.ReplaceAllString(text, "$1.$2"); fraction != text && strings.Count(text, ",") == 1 {
		add(fraction)
	}
	return all
}

// list reads numbers with whatever separates them, and nil if there is anything
// else but words of the form.
func (m matcher) list(text string) []float64 {
	var list []float64
	for _, field := range strings.FieldsFunc(text, func(r rune) bool {
		return unicode.IsSpace(r) || strings.ContainsRune(",;&()[]{}:=\"'`|", r)
	}) {
		number := part.FindString(field)
		value, err := strconv.ParseFloat(number, 64)
		switch rest := strings.TrimSuffix(field[len(number):], "."); {
		case number == "":
			if !m.says(rest) {
				return nil
			}
			continue
		case err != nil:
			return nil
		case strings.HasPrefix(rest, "/"): // a fraction
			below := part.FindString(rest[1:])
			divisor, err := strconv.ParseFloat(below, 64)
			if err != nil || divisor == 0 || rest[1:] != below {
				return nil
			}
			value /= divisor
		case rest != "" && !m.says(rest): // 192bytes
			return nil
		}
		list = append(list, value)
	}
	return list
}

// says holds a word against those of the form, in either number: byte, bytes.
func (m matcher) says(word string) bool {
	singular := func(s string) string { return strings.TrimSuffix(strings.ToLower(s), "s") }
	if word == "and" || word == "" {
		return true
	}
	for _, w := range words(m.form) {
		if singular(w) == singular(word) {
			return true
		}
	}
	return false
}

// words are the words of a text in small letters, without what stands around them.
func words(text string) []string {
	return slices.DeleteFunc(strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("-_+/<>", r)
	}), func(w string) bool { return w == "and" })
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
