package launchfile

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// An Error is a launch file that cannot be read: where in it, what is wrong, and
// what would be right.
type Error struct {
	Path   string // of the field: "args[2].shape"; "" for the whole file
	Reason string
}

func (e *Error) Error() string {
	if e.Path == "" {
		return e.Reason
	}
	return e.Path + ": " + e.Reason
}

// reader reads one file. What goes wrong first is its error, and from then on
// it reads nothing more.
type reader struct {
	err  *Error
	room int64 // bytes that buffers may still have

	buffers []Buffer
	named   map[string]int // of buffers
}

func (r *reader) fail(path, format string, args ...any) {
	if r.err == nil {
		r.err = &Error{path, fmt.Sprintf(format, args...)}
	}
}

// value is a JSON value and where it stands.
type value struct {
	path string
	raw  json.RawMessage
}

// is reports whether v begins with one of these: { [ " t f n 0.
func (v value) is(kind byte) bool {
	if len(v.raw) == 0 {
		return false
	}
	c := v.raw[0]
	if kind == '0' {
		return c == '-' || '0' <= c && c <= '9'
	}
	return c == kind
}

// what says what v is, for a message.
func (v value) what() string {
	switch {
	case v.is('{'):
		return "an object"
	case v.is('['):
		return "a list"
	case v.is('n'):
		return "null"
	}
	return clip(string(v.raw))
}

// field is a member of an object.
type field struct {
	name string
	value
}

// members reads an object.
func (r *reader) members(v value, what string) []field {
	if !v.is('{') {
		r.fail(v.path, "is %s: write %s", v.what(), what)
		return nil
	}
	d := json.NewDecoder(bytes.NewReader(v.raw))
	_, _ = d.Token() // {
	var out []field
	seen := map[string]bool{}
	for d.More() && r.err == nil {
		t, err := d.Token()
		name, ok := t.(string)
		if err != nil || !ok {
			r.fail(v.path, "cannot be read: %v", err)
			return nil
		}
		f := field{name: name}
		f.path = join(v.path, name)
		if err := d.Decode(&f.raw); err != nil {
			r.fail(f.path, "cannot be read: %v", err)
			return nil
		}
		if seen[name] {
			r.fail(f.path, "is there twice: keep one")
		}
		seen[name] = true
		out = append(out, f)
	}
	return out
}

func join(path, name string) string {
	if !plainName(name) {
		return path + "[" + clip(strconv.Quote(name)) + "]"
	}
	if path == "" {
		return name
	}
	return path + "." + name
}

func plainName(name string) bool {
	for i, c := range []byte(name) {
		if c != '_' && (c|0x20 < 'a' || c|0x20 > 'z') && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return name != "" && len(name) <= 64
}

// object is an object whose fields are known.
type object struct {
	path   string
	fields map[string]value
}

// object reads an object that has no other fields than these.
func (r *reader) object(v value, what string, known ...string) object {
	o := object{v.path, map[string]value{}}
	for _, f := range r.members(v, what) {
		if !slices.Contains(known, f.name) {
			r.fail(f.path, "is not a field of %s: it has %s", what, strings.Join(known, ", "))
		}
		o.fields[f.name] = f.value
	}
	return o
}

func (o object) has(name string) bool { _, ok := o.fields[name]; return ok }

// need returns a field that has to be there.
func (r *reader) need(o object, name, what string) value {
	v, ok := o.fields[name]
	if !ok {
		r.fail(join(o.path, name), "is not there: write %s", what)
	}
	return v
}

// items reads a list of at most so many values.
func (r *reader) items(v value, most int, what string) []value {
	if r.err != nil {
		return nil
	}
	if !v.is('[') {
		r.fail(v.path, "is %s: write %s", v.what(), what)
		return nil
	}
	d := json.NewDecoder(bytes.NewReader(v.raw))
	_, _ = d.Token() // [
	var out []value
	for d.More() {
		item := value{path: fmt.Sprintf("%s[%d]", v.path, len(out))}
		if len(out) == most {
			r.fail(v.path, "has more than %d entries, which is the most", most)
			return nil
		}
		if err := d.Decode(&item.raw); err != nil {
			r.fail(item.path, "cannot be read: %v", err)
			return nil
		}
		out = append(out, item)
	}
	return out
}

// text reads a string of 1 to most bytes.
func (r *reader) text(v value, most int, what string) string {
	var s string
	switch {
	case r.err != nil:
	case !v.is('"'):
		r.fail(v.path, "is %s: write %s", v.what(), what)
	case json.Unmarshal(v.raw, &s) != nil || s == "":
		r.fail(v.path, "is empty: write %s", what)
	case len(s) > most:
		r.fail(v.path, "has %d bytes, and %d is the most", len(s), most)
	case strings.ContainsRune(s, 0):
		r.fail(v.path, "contains a zero byte")
	}
	return s
}

// truth reads true or false.
func (r *reader) truth(v value) bool {
	if r.err == nil && !v.is('t') && !v.is('f') {
		r.fail(v.path, "is %s: write true or false", v.what())
	}
	return v.is('t')
}

// written returns the text of a number, which may be that of a string.
func (r *reader) written(v value) string {
	if v.is('"') {
		return r.text(v, 1<<16, "a number")
	}
	if r.err == nil && !v.is('0') {
		r.fail(v.path, "is %s: write a number", v.what())
	}
	return string(v.raw)
}

// integer reads a whole number from low to high.
func (r *reader) integer(v value, low, high int64, what string) int64 {
	text := r.written(v)
	if r.err != nil {
		return 0
	}
	if d, ok := parseDecimal(text); ok {
		if whole, ok := d.whole(); ok {
			if n, err := strconv.ParseInt(whole, 10, 64); err == nil && low <= n && n <= high {
				return n
			}
		}
	}
	r.fail(v.path, "is %s: write %s, a whole number from %d to %d", clip(text), what, low, high)
	return 0
}

// checkSyntax says where a text stops being JSON.
func checkSyntax(data []byte) *Error {
	var raw json.RawMessage
	err := json.Unmarshal(data, &raw)
	if err == nil {
		return nil
	}
	var syntax *json.SyntaxError
	if !errors.As(err, &syntax) {
		return &Error{"", err.Error()}
	}
	at := min(int(syntax.Offset), len(data))
	before := data[:max(at-1, 0)]
	line := 1 + bytes.Count(before, []byte("\n"))
	column := 1 + len(before) - (bytes.LastIndexByte(before, '\n') + 1)
	return &Error{"", fmt.Sprintf("line %d, column %d: %v", line, column, syntax)}
}

// clip shortens what a message repeats.
func clip(s string) string {
	const most = 60
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}
