package source

import (
	"slices"
	"sort"
	"strings"
	"sync"
	"unicode/utf8"
)

// A File is a text that positions point into.
type File struct {
	Name    string // as messages call it: "matmul.cu"
	Text    string
	BuiltIn bool // a header of this program: a message about it points to where it is used

	once  sync.Once
	lines []int   // the offset of each line's first byte
	later []int32 // the offsets of the bytes of characters that are not their first
	plain bool    // the text is UTF-8, so that later says where characters begin
}

// NewFile returns the file of a text.
func NewFile(name, text string) *File { return &File{Name: name, Text: text} }

func (f *File) index() []int {
	f.once.Do(func() {
		f.lines = append(f.lines, 0)
		f.plain = utf8.ValidString(f.Text)
		for i := 0; i < len(f.Text); i++ {
			if f.Text[i] == '\n' {
				f.lines = append(f.lines, i+1)
			}
			if f.plain && !utf8.RuneStart(f.Text[i]) {
				f.later = append(f.later, int32(i))
			}
		}
	})
	return f.lines
}

// Line returns the text of a line, from 1, without its end; "" if there is none.
func (f *File) Line(n int) string {
	lines := f.index()
	if n < 1 || n > len(lines) {
		return ""
	}
	text := f.Text[lines[n-1]:]
	if i := strings.IndexByte(text, '\n'); i >= 0 {
		text = text[:i]
	}
	return strings.TrimSuffix(text, "\r")
}

// Place returns the line and the column of a byte offset, both from 1; a column
// counts characters.
func (f *File) Place(offset int) (line, column int) {
	offset = min(max(offset, 0), len(f.Text))
	lines := f.index()
	line = sort.SearchInts(lines, offset+1)
	start := lines[line-1]
	if !f.plain {
		return line, 1 + utf8.RuneCountInString(f.Text[start:offset])
	}
	// A program may be one long line: its characters are not counted each time.
	from, _ := slices.BinarySearch(f.later, int32(start))
	to, _ := slices.BinarySearch(f.later, int32(offset))
	return line, 1 + offset - start - (to - from)
}
