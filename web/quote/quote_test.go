package quote

import (
	"strings"
	"testing"
)

func TestCut(t *testing.T) {
	const source = `package a

func f() {
	// region:loop
	for i := range 3 {
		g(i)

		h(i)
	}
	// endregion:loop
}

/* region:whole */
x
/* endregion:whole */
	# region:empty
	# endregion:empty
// region:open
// region:outer
// region:inner
// endregion:outer
// endregion:early
// region:twice
a
// endregion:twice
// region:twice
b
// endregion:twice
`
	for _, c := range []struct {
		region, code, err string
		line, last        int
	}{
		{region: "loop", code: "for i := range 3 {\n\tg(i)\n\n\th(i)\n}\n", line: 5, last: 9},
		{region: "whole", code: "x\n", line: 14, last: 14},
		{region: "empty", err: "a.go:16: region empty is empty"},
		{region: "outer", err: "a.go:20: region outer has a marker of inner in it"},
		{region: "early", err: "a.go:22: region early ends before it starts"},
		{region: "twice", err: "a.go:26: region twice starts a second time"},
		{region: "none", err: "a.go has no region none"},
	} {
		e, err := Cut("a.go", []byte(source), c.region)
		if c.err != "" {
			if err == nil || !strings.Contains(err.Error(), c.err) {
				t.Errorf("region %s: error %v, want %q", c.region, err, c.err)
			}
			continue
		}
		if err != nil {
			t.Errorf("region %s: %v", c.region, err)
			continue
		}
		if e.Code != c.code || e.Line != c.line || e.Last() != c.last {
			t.Errorf("region %s: line %d to %d, %q; want %d to %d, %q", c.region, e.Line, e.Last(), e.Code, c.line, c.last, c.code)
		}
		back, err := Parse(e.Format())
		if err != nil || back != e {
			t.Errorf("region %s: Parse(Format) = %+v, %v", c.region, back, err)
		}
	}
	if _, err := Cut("a.go", []byte("// region:open\nx\n"), "open"); err == nil || !strings.Contains(err.Error(), "a.go:1: region open has no end") {
		t.Errorf("an open region: %v", err)
	}
}

func TestParseRefuses(t *testing.T) {
	for _, text := range []string{"", "source: a\n\nx", "source: a\nregion: b\nline: 0\n\nx", "source: a\nregion: b\nline: 1\nmore: c\n\nx"} {
		if e, err := Parse([]byte(text)); err == nil {
			t.Errorf("Parse(%q) = %+v, want an error", text, e)
		}
	}
}

func TestValid(t *testing.T) {
	for file, want := range map[string]bool{
		"engine/cpu/cpu.go": true, "a.go": true,
		"": false, "/etc/passwd": false, "../a.go": false, "..": false, "a/../../b": false, "a//b": false, `a\b`: false, "c:/a": false,
	} {
		if Valid(file) != want {
			t.Errorf("Valid(%q) = %v, want %v", file, !want, want)
		}
	}
}

// FuzzCut cuts any region out of any text: what comes out is a part of the text
// at its line, and survives its file.
func FuzzCut(f *testing.F) {
	f.Add("// region:r\n\tx\n\n\t\ty\n// endregion:r\n", "r")
	f.Add("# region:a\nx\n/* endregion:a */", "a")
	f.Add("", "")
	f.Fuzz(func(t *testing.T, text, region string) {
		e, err := Cut("a.go", []byte(text), region)
		if err != nil {
			return
		}
		source := strings.Split(text, "\n")
		code := strings.Split(strings.TrimSuffix(e.Code, "\n"), "\n")
		for i, line := range code {
			if !strings.Contains(source[e.Line-1+i], line) {
				t.Errorf("line %d of the extract is %q, and of the source %q", e.Line+i, line, source[e.Line-1+i])
			}
		}
		if e.Last() != e.Line+len(code)-1 {
			t.Errorf("%d lines from %d end at %d", len(code), e.Line, e.Last())
		}
		if strings.ContainsAny(region, "\r\n") || region == "" {
			return // no marker has such a name in a file of lines
		}
		if back, err := Parse(e.Format()); err != nil || back != e {
			t.Errorf("Parse(Format) of %+v is %+v, %v", e, back, err)
		}
	})
}
