package chapter

import (
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

var yamlLine = regexp.MustCompile(`^(?:yaml: )?(?:line (\d+): )?`)

// complaint returns what package yaml says of a text, and the line that it
// names; 0 if it names none.
func complaint(text string) (message string, line int) {
	var document yaml.Node
	err := yaml.Unmarshal([]byte(text), &document)
	if err == nil {
		return "", 0
	}
	message = err.Error()
	m := yamlLine.FindStringSubmatch(message)
	line, _ = strconv.Atoi(m[1]) // "" is 0
	return message[len(m[0]):], line
}

// ofParser are the complaints of the yaml package's parser, which counts lines
// from 0. Those of its scanner count from 1.
var ofParser = regexp.MustCompile(`^(did not find expected (key|'-' indicator|',' or|node content|<)|found undefined tag handle|found duplicate|found incompatible)`)

// notYAML says why a text is not YAML, at one of its lines from 1.
//
// The package tells where the thing it was reading starts, but takes a place in
// the first line for none, and then tells where it gave up. So it is asked
// again with a line before the text, and no place is in the first.
func notYAML(text []byte) (line int, reason string) {
	message, line := complaint("#\n" + string(text))
	parser := ofParser.MatchString(message)
	switch {
	case message == "":
		message, line = complaint(string(text)) // the first line matters: a byte-order mark
	case strings.HasPrefix(message, "did not find expected key"), strings.HasPrefix(message, "did not find expected '-'"):
		// The mapping or the list is whole up to where it gave up.
		_, line = complaint(string(text))
		line++
	case !parser:
		line--
	}
	line = max(line, 1)
	lines := strings.Split(string(text), "\n")
	line = min(line, len(lines))
	if strings.HasPrefix(message, "mapping values") && line > 1 && continues(lines[line-2], lines[line-1]) {
		line, message = line-1, "could not find expected ':'"
	}
	return line, explain(message, lines[line-1])
}

// continues reports whether a line without a key stands above one with: to YAML
// the two are one value with a colon in it, but the mistake is in the first.
func continues(above, line string) bool {
	indent := func(s string) int { return len(s) - len(strings.TrimLeft(s, " ")) }
	return strings.TrimSpace(above) != "" && !strings.Contains(above+" ", ": ") && indent(above) == indent(line)
}

// explain puts the commonest complaints into words that say what to do. Line is
// the text's line that the complaint names.
func explain(message, line string) string {
	switch {
	case strings.Contains(message, "cannot start any token") && strings.Contains(line, "\t"),
		strings.Contains(message, "found a tab character"):
		return "tabs are not allowed: indent with spaces"
	case strings.Contains(message, "cannot start any token"):
		return "a value cannot start with @, ` or %: put it in quotes"
	case strings.Contains(message, "mapping values are not allowed"):
		return "a colon stands where none can: put a value that has one in quotes, and check how far the line is indented"
	case strings.Contains(message, "could not find expected ':'"):
		return "this is no key with a value: write a colon and a space between them, as in left: [[1, 2]]"
	case strings.Contains(message, "did not find expected ',' or"):
		return "a bracket or a brace is not closed, or a comma is missing"
	case strings.Contains(message, "did not find expected key"):
		return "a key must come next: check the indent, and put a value that goes on after its quote or bracket in quotes as a whole"
	case strings.Contains(message, "unexpected end of stream"):
		return "a quote is not closed"
	}
	return message
}
