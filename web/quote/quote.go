// Package quote cuts regions out of source files, so that a chapter shows live
// code and never a copy that has gone stale.
//
// A region stands between two lines of comment:
//
//	// region:flat
//	func (p *MatmulPlan) Flat(b, i, j int) int { return (b*p.M+i)*p.N + j }
//	// endregion:flat
//
// An embed cannot reach outside its folder. So the regions that chapters quote
// are generated into files beside them (see Generate), and a test holds each
// of them to its source.
package quote

import (
	"bytes"
	"fmt"
	"path"
	"strconv"
	"strings"
)

// Folder is where the extracts of a folder of chapters lie.
const Folder = "quotes"

// An Extract is a region of a file.
type Extract struct {
	File   string // path from the root of the repository, with slashes
	Region string
	Line   int    // of its first line in the file, from 1
	Code   string // without the indentation that all its lines share
}

// Last returns the number of the extract's last line in its file.
func (e Extract) Last() int { return e.Line + strings.Count(strings.TrimSuffix(e.Code, "\n"), "\n") }

// Name returns the name of the extract's file in Folder.
func Name(file, region string) string {
	return strings.ReplaceAll(file, "/", "-") + "-" + region + ".txt"
}

// comments start a line of comment in the languages that chapters quote.
var comments = []string{"//", "#", "/*", "--"}

// marker returns the region that a line of comment starts or ends.
func marker(line string) (region string, start, end bool) {
	line = strings.TrimSpace(line)
	for _, c := range comments {
		rest, ok := strings.CutPrefix(line, c)
		if !ok {
			continue
		}
		rest = strings.TrimSpace(strings.TrimSuffix(rest, "*/"))
		if name, ok := strings.CutPrefix(rest, "region:"); ok {
			return name, true, false
		}
		if name, ok := strings.CutPrefix(rest, "endregion:"); ok {
			return name, false, true
		}
	}
	return "", false, false
}

// Cut returns a region of a file's source.
func Cut(file string, source []byte, region string) (Extract, error) {
	e := Extract{File: file, Region: region}
	fail := func(line int, format string, args ...any) (Extract, error) {
		return Extract{}, fmt.Errorf("%s:%d: region %s "+format, append([]any{file, line, region}, args...)...)
	}
	var lines []string
	inside, done, first := false, false, 0
	for i, line := range strings.Split(string(source), "\n") {
		name, start, end := marker(line)
		switch {
		case start && name == region:
			if inside || done {
				return fail(i+1, "starts a second time")
			}
			inside, first, e.Line = true, i+1, i+2
		case end && name == region:
			if !inside {
				return fail(i+1, "ends before it starts")
			}
			inside, done = false, true
		case inside && (start || end):
			return fail(i+1, "has a marker of %s in it: regions do not nest", name)
		case inside:
			lines = append(lines, strings.TrimRight(line, " \t\r"))
		}
	}
	switch {
	case inside:
		return fail(first, "has no end")
	case !done:
		return Extract{}, fmt.Errorf("%s has no region %s", file, region)
	}
	for len(lines) > 0 && lines[0] == "" {
		lines, e.Line = lines[1:], e.Line+1
	}
	for len(lines) > 0 && lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	if len(lines) == 0 {
		return fail(first, "is empty")
	}
	e.Code = strings.Join(dedent(lines), "\n") + "\n"
	return e, nil
}

// dedent takes off the white space that every line starts with.
func dedent(lines []string) []string {
	shared, first := "", true
	for _, line := range lines {
		if line == "" {
			continue
		}
		indent := line[:len(line)-len(strings.TrimLeft(line, " \t"))]
		if first {
			shared, first = indent, false
		}
		for !strings.HasPrefix(indent, shared) {
			shared = shared[:len(shared)-1]
		}
	}
	out := make([]string, len(lines))
	for i, line := range lines {
		out[i] = strings.TrimPrefix(line, shared)
	}
	return out
}

// Format writes the extract as a file of Folder.
func (e Extract) Format() []byte {
	return fmt.Appendf(nil, "source: %s\nregion: %s\nline: %d\n\n%s", e.File, e.Region, e.Line, e.Code)
}

// Parse reads what Format writes.
func Parse(text []byte) (Extract, error) {
	head, code, ok := bytes.Cut(text, []byte("\n\n"))
	if !ok {
		return Extract{}, fmt.Errorf("an extract has a header, an empty line and code")
	}
	e := Extract{Code: string(code)}
	for line := range strings.Lines(string(head)) {
		key, value, _ := strings.Cut(strings.TrimRight(line, "\n"), ": ")
		switch key {
		case "source":
			e.File = value
		case "region":
			e.Region = value
		case "line":
			n, err := strconv.Atoi(value)
			if err != nil || n < 1 {
				return Extract{}, fmt.Errorf("line %q is no line", value)
			}
			e.Line = n
		default:
			return Extract{}, fmt.Errorf("%q is not part of an extract's header", key)
		}
	}
	if e.File == "" || e.Region == "" || e.Line == 0 {
		return Extract{}, fmt.Errorf("an extract's header has source, region and line")
	}
	return e, nil
}

// Valid reports whether file is a path that a quote may name: relative, clean
// and inside the repository.
func Valid(file string) bool {
	return file != "" && path.Clean(file) == file && !path.IsAbs(file) && file != ".." && !strings.HasPrefix(file, "../") && !strings.ContainsAny(file, "\\:")
}
