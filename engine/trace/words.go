package trace

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
)

// shapeWords writes a shape in a sentence: "a 2×3 matrix", "3 values".
func shapeWords(shape []int) string {
	switch len(shape) {
	case 0:
		return "a single number"
	case 1:
		return plural(shape[0], "value")
	case 2:
		return fmt.Sprintf("a %d×%d matrix", shape[0], shape[1])
	}
	rank := len(shape)
	batches := ""
	for i, d := range shape[:rank-2] {
		if i > 0 {
			batches += "×"
		}
		batches += strconv.Itoa(d)
	}
	if batches == "1" {
		return fmt.Sprintf("1 matrix of %d×%d", shape[rank-2], shape[rank-1])
	}
	return fmt.Sprintf("%s matrices of %d×%d", batches, shape[rank-2], shape[rank-1])
}

// plural writes a number of things: "1 cell", "4 cells".
func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

func joinInts(values []int) string {
	words := make([]string, len(values))
	for i, v := range values {
		words[i] = fmt.Sprint(v)
	}
	return strings.Join(words, ", ")
}

// printable writes what a terminal would obey, or a reader not see, as an escape:
// text from outside must not move the cursor of who reads about it.
func printable(text string) string {
	var out strings.Builder
	for _, r := range text {
		if unicode.IsPrint(r) {
			out.WriteRune(r)
		} else {
			out.WriteString(strings.Trim(strconv.QuoteRune(r), "'"))
		}
	}
	return out.String()
}

// quoted writes a text in a sentence. A backslash of the text is doubled, so that
// it cannot be taken for the start of an escape.
func quoted(text string) string {
	return "“" + printable(strings.ReplaceAll(text, `\`, `\\`)) + "”"
}
