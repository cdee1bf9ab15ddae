package compile

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"workbench/engine/launch"
)

// NVRTC writes its messages for people. From a version to the next the form
// changes in small ways:
//
//	scale.cu(3): error: identifier "m" is undefined               11, 12, 13
//	scale.cu(3): error #20: identifier "m" is undefined           with its number
//	  	if (i < m) {                                              12, 13: the line
//	  	        ^                                                 and where in it
//	scale.cu(8): warning #177-D: variable "x" was declared …
//	scale.cu(1): catastrophic error: could not open source file …
//	            argument types are: (int)                         goes on with the message
//	          detected during instantiation of "T f(T)"           likewise
//	(9): here                                                     11: where that was
//	scale.cu(2): note #3326-D: function "f(double *)" does not …  12, 13: adds to the message
//	At end of source: error: expected a "}"
//	nvrtc: error: invalid value for --gpu-architecture (-arch)
//	ptxas error   : Entry function 'k' uses too much shared data …
//	ptxas application ptx input, line 28; error   : Not a name …  a line of the PTX, not of the source
var (
	located  = regexp.MustCompile(`^(.+?)\((\d+)\): (catastrophic error|internal error|error|warning|remark|note)(?: #\d+(?:-D)?)?: (.+)$`)
	here     = regexp.MustCompile(`^(.*)\((\d+)\): here$`)
	atEnd    = regexp.MustCompile(`^At end of source: (error|warning)(?: #\d+(?:-D)?)?: (.+)$`)
	tool     = regexp.MustCompile(`^(nvrtc|ptxas)(?: [^:;]*, line \d+;)?:? *(error|fatal|warning) *: (.+)$`)
	caret    = regexp.MustCompile(`^[ \t]*\^[ \t]*$`)
	indented = regexp.MustCompile(`^[ \t]+\S`)
)

// margin is what NVRTC puts before a line of the source.
const margin = 2

// maxContinuations bounds the lines that one message goes on for. A template
// that instantiates itself writes hundreds.
const maxContinuations = 8

// diagnostics reads the messages of a log about a source. Lines that say nothing
// of it ("2 errors detected …") are left out; the log has them.
func diagnostics(file, source, log string) []launch.Diagnostic {
	r := reader{file: file, source: strings.Split(strings.TrimSuffix(source, "\n"), "\n")}
	lines := strings.Split(log, "\n")
	for i := 0; i < len(lines); i++ {
		line := strings.TrimRight(lines[i], " \r")
		if i+1 < len(lines) && caret.MatchString(lines[i+1]) && strings.HasPrefix(line, "  ") {
			r.point(lines[i+1])
			i++
			continue
		}
		r.read(line)
	}
	return r.out
}

type reader struct {
	file   string
	source []string
	out    []launch.Diagnostic

	open  bool // the last message may go on
	noted bool // what is pointed at is a note's line
	more  int  // lines it has gone on for
}

func (r *reader) read(line string) {
	if m := located.FindStringSubmatch(line); m != nil {
		at := number(m[2])
		switch {
		case m[3] == "internal error":
			r.add(m[1], at, m[3], "internal error: "+m[4])
		case m[3] != "note":
			r.add(m[1], at, m[3], m[4])
		case len(r.out) > 0:
			r.open, r.noted = true, true
			r.goOn(r.place(m[1], at)+": "+m[4], "; ")
		}
		return
	}
	if m := here.FindStringSubmatch(line); m != nil {
		r.goOn("at "+r.place(m[1], number(m[2])), " ")
		return
	}
	if m := atEnd.FindStringSubmatch(line); m != nil {
		r.add(r.file, len(r.source), m[1], "at the end of the source: "+m[2])
		return
	}
	if m := tool.FindStringSubmatch(line); m != nil {
		if m[2] == "fatal" && len(r.out) > 0 {
			r.open = false // it says that there were errors
			return
		}
		r.add("", 0, m[2], m[1]+": "+m[3])
		return
	}
	if caret.MatchString(line) {
		return // under nothing
	}
	if indented.MatchString(line) {
		r.goOn(strings.TrimSpace(line), "; ")
		return
	}
	r.open = false
}

// add begins a diagnostic. One of another file, a header's, keeps its place in
// the message, since the line is none of the source's.
func (r *reader) add(file string, line int, severity, message string) {
	d := launch.Diagnostic{Severity: "error", Message: message}
	if severity == "warning" || severity == "remark" {
		d.Severity = "warning"
	}
	switch {
	case file == r.file:
		d.Line = line
		if 1 <= line && line <= len(r.source) {
			d.Source = strings.TrimRight(r.source[line-1], "\r")
		}
	case file != "":
		d.Message = r.place(file, line) + ": " + message
	}
	r.out = append(r.out, d)
	r.open, r.noted, r.more = true, false, 0
}

// goOn adds to the message that is open.
func (r *reader) goOn(text, separator string) {
	if !r.open {
		return
	}
	r.more++
	if r.more > maxContinuations {
		if r.more == maxContinuations+1 {
			r.out[len(r.out)-1].Message += " …"
		}
		return
	}
	d := &r.out[len(r.out)-1]
	if strings.HasSuffix(d.Message, ":") {
		separator = " "
	}
	d.Message += separator + text
}

// point takes the column from the caret under the line that a message quotes.
func (r *reader) point(line string) {
	if !r.open || r.noted {
		return
	}
	d := &r.out[len(r.out)-1]
	column := utf8.RuneCountInString(line[:strings.IndexByte(line, '^')]) - margin + 1
	if d.Line > 0 && d.Column == 0 && column > 0 {
		d.Column = column
	}
}

// number reads a line's number; 0 is none that can be.
func number(digits string) int {
	n, err := strconv.Atoi(digits)
	if err != nil {
		return 0
	}
	return n
}

func (r *reader) place(file string, line int) string {
	if file == r.file || file == "" {
		return fmt.Sprintf("line %d", line)
	}
	return fmt.Sprintf("line %d of %s", line, file)
}
