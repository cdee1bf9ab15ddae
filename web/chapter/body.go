package chapter

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Bounds of a YAML body. A chapter is written by hand, and these are far above
// what a hand writes; they keep a hostile one from taking the server's memory.
const (
	maxBody  = 1 << 20 // bytes
	maxDepth = 32      // of nested lists and mappings
)

// A body is YAML that stands in a chapter: a mapping, or the list of notes, whose
// values know their lines in the file.
type body struct {
	root  *yaml.Node // nil if the text is empty
	start int        // line of the file that the text's first line is
	last  int        // line of the file that the text's last line is
}

// A bodyError is what cannot be read in a body, at a line of the file.
type bodyError struct {
	line   int
	field  string
	reason string
}

func (e *bodyError) Error() string { return fmt.Sprintf("line %d: %s: %s", e.line, e.field, e.reason) }

// readBody parses text, whose first line is line start of the file.
func readBody(text []byte, start int) (*body, *bodyError) {
	b, err := readYAML(text, start)
	if err != nil || b.root == nil {
		return b, err
	}
	if b.root.Kind != yaml.MappingNode {
		return nil, &bodyError{line: b.line(b.root), reason: "must be a list of keys with values, as in left: [[1, 2]]"}
	}
	if err := b.check(b.root, "", 0); err != nil {
		return nil, err
	}
	return b, nil
}

// readYAML is readBody before anything is asked of what the text is.
func readYAML(text []byte, start int) (*body, *bodyError) {
	if len(text) > maxBody {
		return nil, &bodyError{line: start, reason: fmt.Sprintf("is longer than %d bytes", maxBody)}
	}
	// YAML breaks lines at three more characters than a file does, and reports
	// the end of a text a line below its last one.
	last := start + bytes.Count(bytes.TrimRight(text, "\n"), []byte("\n"))
	var document yaml.Node
	if err := yaml.Unmarshal(text, &document); err != nil {
		line, reason := notYAML(text)
		return nil, &bodyError{line: min(start+line-1, last), reason: "is not YAML: " + reason}
	}
	b := &body{start: start, last: last}
	if document.Kind != 0 {
		b.root = document.Content[0]
	}
	return b, nil
}

// line is where a node stands in the file.
func (b *body) line(n *yaml.Node) int { return min(b.start+n.Line-1, b.last) }

// head is where the body starts in the file, or the line before an empty
// one: the fence's own.
func (b *body) head() int {
	if b.root == nil {
		return b.start - 1
	}
	return b.line(b.root)
}

// check refuses what has no meaning in a chapter: references to other nodes,
// tags of one's own, a key given twice.
func (b *body) check(n *yaml.Node, path string, depth int) *bodyError {
	fail := func(n *yaml.Node, path, reason string) *bodyError {
		return &bodyError{line: b.line(n), field: path, reason: reason}
	}
	if depth > maxDepth {
		return fail(n, path, fmt.Sprintf("is nested more than %d levels deep", maxDepth))
	}
	if n.Anchor != "" || n.Kind == yaml.AliasNode {
		return fail(n, path, "uses a YAML anchor or alias: write the value out")
	}
	switch n.Kind {
	case yaml.SequenceNode:
		for i, child := range n.Content {
			if err := b.check(child, fmt.Sprintf("%s[%d]", path, i), depth+1); err != nil {
				return err
			}
		}
	case yaml.MappingNode:
		seen := map[string]bool{}
		for i := 0; i+1 < len(n.Content); i += 2 {
			key, value := n.Content[i], n.Content[i+1]
			if key.Kind != yaml.ScalarNode {
				return fail(key, path, "has a key that is not a word")
			}
			at := join(path, key.Value)
			if seen[key.Value] {
				return fail(key, at, "is given twice")
			}
			seen[key.Value] = true
			if err := b.check(value, at, depth+1); err != nil {
				return err
			}
		}
	case yaml.ScalarNode:
		switch n.ShortTag() {
		case "!!str", "!!int", "!!float", "!!bool", "!!null", "!!timestamp":
		default:
			return fail(n, path, "has the YAML tag "+n.ShortTag()+", which means nothing here")
		}
	}
	return nil
}

func join(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}

// value returns the node of a key, or nil.
func (b *body) value(key string) *yaml.Node {
	if b.root == nil {
		return nil
	}
	return child(b.root, key)
}

func child(mapping *yaml.Node, key string) *yaml.Node {
	for i := 0; i+1 < len(mapping.Content); i += 2 {
		if mapping.Content[i].Value == key {
			return mapping.Content[i+1]
		}
	}
	return nil
}

// lineOf returns the line of a field by its path, "ops[1].axis", or of the
// deepest part of it that is there; 0 if not even the first is.
func (b *body) lineOf(path string) int {
	if b.root == nil || path == "" {
		return 0
	}
	n, line := b.root, 0
	for _, part := range splitPath(path) {
		switch {
		case n.Kind == yaml.MappingNode:
			n = child(n, part)
		case n.Kind == yaml.SequenceNode:
			i, err := strconv.Atoi(part)
			if err != nil || i < 0 || i >= len(n.Content) {
				return line
			}
			n = n.Content[i]
		default:
			return line
		}
		if n == nil {
			return line
		}
		line = b.line(n)
	}
	return line
}

// splitPath cuts "ops[1].axis" into ops, 1, axis.
func splitPath(path string) []string {
	return strings.FieldsFunc(path, func(r rune) bool { return r == '.' || r == '[' || r == ']' })
}

// json writes the mapping as JSON, keys in their order, without those left out.
func (b *body) json(without ...string) (json.RawMessage, *bodyError) {
	out := []byte{'{'}
	if b.root != nil {
	keys:
		for i := 0; i+1 < len(b.root.Content); i += 2 {
			key := b.root.Content[i].Value
			for _, w := range without {
				if key == w {
					continue keys
				}
			}
			if len(out) > 1 {
				out = append(out, ',')
			}
			var err *bodyError
			if out, err = b.appendPair(out, b.root.Content[i], b.root.Content[i+1], key); err != nil {
				return nil, err
			}
		}
	}
	return append(out, '}'), nil
}

func (b *body) appendPair(out []byte, key, value *yaml.Node, path string) ([]byte, *bodyError) {
	out = appendString(out, key.Value)
	out = append(out, ':')
	return b.appendValue(out, value, path)
}

func (b *body) appendValue(out []byte, n *yaml.Node, path string) ([]byte, *bodyError) {
	var err *bodyError
	switch n.Kind {
	case yaml.SequenceNode:
		out = append(out, '[')
		for i, item := range n.Content {
			if i > 0 {
				out = append(out, ',')
			}
			if out, err = b.appendValue(out, item, fmt.Sprintf("%s[%d]", path, i)); err != nil {
				return nil, err
			}
		}
		return append(out, ']'), nil
	case yaml.MappingNode:
		out = append(out, '{')
		for i := 0; i+1 < len(n.Content); i += 2 {
			if i > 0 {
				out = append(out, ',')
			}
			if out, err = b.appendPair(out, n.Content[i], n.Content[i+1], join(path, n.Content[i].Value)); err != nil {
				return nil, err
			}
		}
		return append(out, '}'), nil
	}
	scalar, bad := appendScalar(out, n)
	if bad != nil {
		return nil, &bodyError{line: b.line(n), field: path, reason: bad.Error()}
	}
	return scalar, nil
}

// appendScalar writes one value as JSON. Numbers that JSON cannot hold are the
// strings that tensor.Number reads.
func appendScalar(out []byte, n *yaml.Node) ([]byte, error) {
	switch n.ShortTag() {
	case "!!null":
		return append(out, "null"...), nil
	case "!!bool":
		var v bool
		if err := n.Decode(&v); err != nil {
			return nil, errors.New("is neither true nor false")
		}
		return strconv.AppendBool(out, v), nil
	case "!!int":
		var signed int64
		if err := n.Decode(&signed); err == nil {
			return strconv.AppendInt(out, signed, 10), nil
		}
		var unsigned uint64
		if err := n.Decode(&unsigned); err == nil {
			return strconv.AppendUint(out, unsigned, 10), nil
		}
		return nil, fmt.Errorf("%q is a whole number of more than 64 bits: write it with a decimal point", n.Value)
	case "!!float":
		var v float64
		if err := n.Decode(&v); err != nil {
			return nil, fmt.Errorf("%q is not a number that a float64 can hold", n.Value)
		}
		switch {
		case math.IsNaN(v):
			return append(out, `"NaN"`...), nil
		case math.IsInf(v, 1):
			return append(out, `"Infinity"`...), nil
		case math.IsInf(v, -1):
			return append(out, `"-Infinity"`...), nil
		}
		return strconv.AppendFloat(out, v, 'g', -1, 64), nil
	}
	return appendString(out, n.Value), nil
}

func appendString(out []byte, s string) []byte {
	quoted, err := json.Marshal(s)
	if err != nil {
		panic("BUG: a string is always JSON: " + err.Error())
	}
	return append(out, quoted...)
}
