package runner

import (
	"bytes"
	"fmt"
	"go/build"
	"io"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"workbench/lessons/lesson"
)

// compileFindings reads what the go command said. What is about nothing of the
// learner's is left out.
func (g *goCheck) compileFindings(said string) []lesson.Finding {
	var findings, signatures []lesson.Finding
	for _, m := range readCompiler(said) {
		i := m.line - firstFunction
		switch {
		case m.file == g.file:
			findings = append(findings, g.compileFinding(m))
		case m.file == "main.go" && i >= 0 && i < len(g.check.Functions):
			signatures = append(signatures, g.signatureFinding(&g.check.Functions[i], m.text))
		}
	}
	if len(findings) > 0 {
		return findings
	}
	if strings.Contains(said, packageName+".") && strings.Contains(said, "symbol too large") {
		return []lesson.Finding{{
			Kind: lesson.Compile, Detail: strings.TrimSpace(said),
			Text: "A variable outside of the functions is larger than a program may be.",
			Next: "make a slice of the length that is needed, where it is needed",
		}}
	}
	if len(signatures) > 0 && g.passedOver() {
		return []lesson.Finding{{
			Kind: lesson.Compile, Detail: strings.TrimSpace(said),
			Text: "The go command passes the file over.",
			Next: "take out the //go:build line, and import \"C\" if it is there",
		}}
	}
	return signatures // the learner's package compiles, and has not what the exercise calls
}

// passedOver says whether the file is none of this computer's.
func (g *goCheck) passedOver() bool {
	if slices.Contains(g.imports(), "C") {
		return true
	}
	context := build.Default
	context.CgoEnabled = false
	context.OpenFile = func(string) (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(g.source)), nil }
	match, err := context.MatchFile("", g.file)
	return err == nil && !match
}

// message is one of a compiler's.
type message struct {
	file         string // its last element
	line, column int
	text         string // with lines that belong to it
}

var messageLine = regexp.MustCompile(`^(?:.*[/\\])?([^/\\:]+\.go):(\d+)(?::(\d+))?: (.*)$`)

// readCompiler takes messages apart.
func readCompiler(said string) []message {
	var all []message
	for line := range strings.Lines(said) {
		line = strings.TrimRight(line, "\r\n")
		if m := messageLine.FindStringSubmatch(line); m != nil && !strings.HasPrefix(line, "\t") {
			at, _ := strconv.Atoi(m[2])
			column, _ := strconv.Atoi(m[3])
			all = append(all, message{filepath.Base(m[1]), at, column, m[4]})
		} else if strings.HasPrefix(line, "\t") && len(all) > 0 {
			all[len(all)-1].text += "\n" + line
		}
	}
	return all
}

func (g *goCheck) compileFinding(m message) lesson.Finding {
	f := lesson.Finding{Kind: lesson.Compile, Detail: m.text}
	first, _, _ := strings.Cut(m.text, "\n")
	f.Text, f.Next = plainCompile(m.text)
	if strings.Contains(first, "imported and not used") && !g.learners(m.line) {
		f.Next = "the exercise imports it for your part: use it there, or take the import out"
	}
	if f.Text == "" {
		f.Text, f.Detail = first+".", strings.TrimPrefix(m.text, first)
		f.Detail = strings.Trim(f.Detail, "\n")
		f.Next = "look at this line, and at what its names are declared to be"
	}
	return g.at(f, m.line, m.column)
}

// plain is a message of the compiler in other words. $1, $2 … are what the
// pattern's groups hold.
type plain struct {
	pattern    *regexp.Regexp
	text, next string
}

// The commonest messages of Go 1.26's compiler, the particular before the general.
var plainMessages = []plain{
	says(`^declared and not used: (\S+)`,
		"$1 is given a value that nothing reads. Go does not compile that.",
		"use $1, or remove it"),
	says(`^("[^"]+") imported(?: as \w+)? and not used`,
		"$1 is imported, and nothing of it is used. Go does not compile that.",
		"remove the import, or use the package"),
	says(`^name (\S+) not exported by package (\w+)`,
		"$1 is package $2's own: it begins with a small letter.",
		"what a package has for others begins with a capital letter, as in math.Sqrt"),
	says(`^undefined: (math|fmt|errors|slices|sort|strings|strconv|bits)\.(\w+)`,
		"Package $1 has nothing that is called $2.",
		"look it up with `go doc $1`"),
	says(`^undefined: (math|fmt|errors|slices|sort|strings|strconv|os|cmp|maps)$`,
		"$1 is not imported.",
		"write import \"$1\" below the package line"),
	says(`^undefined: (\S+)`,
		"Nothing here is called $1.",
		"look at the spelling, capitals too; a variable exists from its := to the end of its block"),
	says(`^missing return`,
		"The function can come to its end without returning anything.",
		"end it with a return; one inside of an if or a loop does not count"),
	says(`^cannot use (.+?) \(untyped float constant\) as (\S+) value in (.+?) \(truncated\)`,
		"$1 is no whole number, and this $3 needs type $2.",
		"use a float64 there, or a whole number"),
	says(`^cannot use nil as (\S+) value in (.+)`,
		"This $2 needs a value of type $1, and nil is none.",
		"nil is for slices, maps, pointers, errors and functions"),
	says(`^cannot use (.+?) \((.+?)\) as (\S+) value in (.+?)(?:: (.+))?$`,
		"This $4 needs a value of type $3, and $1 is none ($2).",
		"convert a number, as in $3($1), if that is what is meant; otherwise use another value"),
	says(`^invalid operation: (.+) \((slice|map|func) can only be compared to nil\)`,
		"$1 compares a $2, which only nil can be compared with.",
		"compare element by element, or with slices.Equal"),
	says(`^invalid operation: operator (\S+) not defined on (.+)`,
		"$2 has no operator $1.",
		"look at its type: a number has + - * /, a bool has && || !"),
	says(`^invalid operation: (.+) \(mismatched types (.+) and (.+)\)`,
		"$1 mixes $2 and $3, and Go converts neither by itself.",
		"convert one of them, as in float64(i) or int(x)"),
	says(`^no new variables on left side of :=`,
		"All names on the left of := exist already.",
		"write = to give them new values"),
	says(`^assignment mismatch: (\d+ variables?) but (\S+) returns? (\d+) values?`,
		"There is room for $1 on the left, and $2 returns $3.",
		"give each value a name, or _ if nobody needs it"),
	says(`^assignment mismatch: (.+) but (.+)`,
		"There is room for $1 on the left, but $2 on the right.",
		"give each value a name, or _ if nobody needs it"),
	says(`^not enough arguments in call to (\S+)`,
		"The call of $1 has too few arguments.",
		"compare it with what $1 declares"),
	says(`^too many arguments in call to (\S+)`,
		"The call of $1 has too many arguments.",
		"compare it with what $1 declares"),
	says(`^not enough return values`,
		"This return gives back fewer values than the function declares.",
		"return one value for each result"),
	says(`^too many return values`,
		"This return gives back more values than the function declares.",
		"return one value for each result"),
	says(`^(\S+) redeclared in this block`,
		"$1 is declared a second time.",
		"use another name, or = in place of :="),
	says(`^(.+) undefined \(type (.+) has no field or method ([^\s)]+)`,
		"There is no $3 in a value of type $2.",
		"look at what the type declares; capitals count"),
	says(`^non-boolean condition in (.+)`,
		"The condition of this $1 is no bool.",
		"compare it with something, as in n != 0"),
	says(`^(.+?) \((.+)\) is not used$`,
		"$1 stands there, and nothing is done with it.",
		"assign it with =, or return it"),
	says(`^invalid argument: index (.+) out of bounds \[0:(\d+)\]`,
		"Index $1 is behind the end: there are $2 elements.",
		"the last index is one less than the length"),
	says(`^(?:package )?(\S+) is not in std`,
		"There is no package $1 in Go's standard library.",
		"look at the spelling; exercises need nothing but the standard library"),
	says(`^(?:no required module provides package|cannot find module providing package) (\S+?)[:;]`,
		"$1 is not part of Go's standard library, and exercises need nothing else.",
		"remove the import"),
	says(`^syntax error: cannot use (?:assignment )?(.+?) as value`,
		"$1 is an assignment, and a value is needed here.",
		"one = assigns; == compares"),
	says(`^syntax error: unexpected keyword else`,
		"This else belongs to no if.",
		"it stands on the line of the brace that ends the if: } else {"),
	says(`^syntax error: unexpected (?:keyword |name |literal )?(.+?) after top level declaration`,
		"Here is $1 behind what had already ended.",
		"look for a } too many above"),
	says(`^syntax error: non-declaration statement outside function body`,
		"This statement is in no function.",
		"look for a } too many above; a function begins with func"),
	says(`^syntax error: unexpected EOF`,
		"The file ends inside of something that was opened.",
		"look for a { or ( without its counterpart"),
	says(`^syntax error: unexpected newline in (.+?); possibly missing (.+)`,
		"The line ends within this $1: $2 is missing.",
		"a list over several lines has a comma at the end of each"),
	says(`^syntax error: unexpected newline, (?:expecting|expected) (.+)`,
		"The line ends too early: $1 is expected.",
		"the { of an if, a for and a func stands on the same line"),
	says(`^syntax error: unexpected (?:keyword |name |literal )?(.+?) in (.+?); possibly missing (.+)`,
		"Here is $1 within this $2: $3 is missing.",
		"look at what was opened and not closed"),
	says(`^syntax error: unexpected (?:keyword |name |literal )?(.+?) at end of statement`,
		"The statement is complete in front of $1.",
		"a new one begins on a new line; Go writes while as for, and a variable's type behind its name"),
	says(`^syntax error: unexpected (?:keyword |name |literal )?(.+?), (?:expecting|expected) (.+)`,
		"Here is $1 where Go expects $2.",
		"look at this line and the end of the one before"),
	says(`^syntax error: unexpected (.+)`,
		"Go does not expect $1 here.",
		"look at this line and the end of the one before"),
	says(`^(?:syntax error: )?expected (.+), found (.+)`,
		"Here is $2 where Go expects $1.",
		"look at this line and the end of the one before"),
	says(`^newline in string`, "The text is not closed on its line.", "write the closing quotation mark"),
	says(`^string not terminated`, "The text is not closed.", "write the closing quotation mark"),
	says(`^comment not terminated`, "The comment is not closed.", "write the closing */"),
	says(`^more than one character in rune literal`, "A text stands in double quotation marks.", "single ones are for one character"),
	says(`^invalid character (?:\S+) ('.+')`,
		"Go has no $1.",
		"there is no ?: either; write an if"),
	says(`^too many errors`, "There are more mistakes than these.", "mend the first ones, and check again"),
}

func says(pattern, text, next string) plain {
	return plain{regexp.MustCompile(pattern), text, next}
}

// plainCompile says a message of the compiler in other words, and what to do; ""
// if nobody wrote them down.
func plainCompile(message string) (text, next string) {
	first, _, _ := strings.Cut(message, "\n")
	for _, p := range plainMessages {
		if m := p.pattern.FindStringSubmatchIndex(first); m != nil {
			return string(p.pattern.ExpandString(nil, braced(p.text), first, m)), string(p.pattern.ExpandString(nil, braced(p.next), first, m))
		}
	}
	return "", ""
}

var group = regexp.MustCompile(`\$(\d)`)

// braced makes $1 ${1}: what follows it may be a letter.
func braced(template string) string { return group.ReplaceAllString(template, "$${$1}") }

// signatureFinding says that a function is missing or takes something else.
func (g *goCheck) signatureFinding(f *lesson.Function, said string) lesson.Finding {
	found := lesson.Finding{Kind: lesson.Signature, Detail: said}
	short := strings.ReplaceAll(f.Signature, packageName+".", "")
	typeName, method, isMethod := strings.Cut(f.Name, ".")
	want := "func " + f.Name + strings.TrimPrefix(short, "func")
	if isMethod {
		want = "func " + methodText(typeName, method, short)
	}
	found.Next = "the exercise calls " + want
	for _, have := range g.declarations() {
		switch {
		case have.name == f.Name && have.pointer && isMethod && !strings.HasPrefix(short, "func(*") && strings.Contains(said, "pointer receiver"):
			found.Text = fmt.Sprintf("The receiver of %s is a pointer, *%s.", f.Name, typeName)
			return g.at(found, have.line, have.column)
		case have.name == f.Name:
			found.Text = fmt.Sprintf("%s is a %s.", f.Name, have.signature)
			return g.at(found, have.line, have.column)
		case strings.EqualFold(have.name, f.Name):
			found.Text = fmt.Sprintf("There is no %s; there is %s, and capitals count.", f.Name, have.name)
			return g.at(found, have.line, have.column)
		}
	}
	if isMethod && strings.Contains(said, "undefined: "+packageName+"."+typeName) {
		found.Text = "There is no type " + typeName + "."
		return found
	}
	found.Text = "There is no function " + f.Name + "."
	if isMethod {
		found.Text = fmt.Sprintf("%s has no method %s.", typeName, method)
	}
	return found
}

// methodText writes "(v View) At(index []int) float64" of a method expression's
// signature "func(v View, index []int) float64".
func methodText(typeName, method, signature string) string {
	rest := strings.TrimPrefix(signature, "func(")
	receiver, rest, ok := strings.Cut(rest, ",")
	if end := strings.IndexByte(receiver, ')'); end >= 0 || !ok {
		receiver, rest, _ = strings.Cut(strings.TrimPrefix(signature, "func("), ")")
		return "(" + receiver + ") " + method + "()" + rest
	}
	return "(" + receiver + ") " + method + "(" + strings.TrimSpace(rest)
}
