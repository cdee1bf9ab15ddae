package preprocess_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"workbench/engine/simt/preprocess"
	"workbench/engine/simt/source"
)

// headers are what the tests include.
var headers = map[string]string{
	"one.h":  "int one;\n",
	"once.h": "#pragma once\nint once;\n",
	"self.h": "#include \"self.h\"\n",
	"two.h":  "#ifndef TWO\n#define TWO\n#include <one.h>\nint two;\n#endif\n",
}

func include(name string, angled bool) (*source.File, error) {
	if name == "vector" {
		return nil, errors.New("<vector> belongs to the host")
	}
	text, ok := headers[name]
	if !ok {
		return nil, nil
	}
	return source.NewFile(name, text), nil
}

func tokens(text string) ([]preprocess.Token, error) {
	return preprocess.Tokens([]*source.File{source.NewFile("k.cu", text)}, include, preprocess.Default)
}

// spell writes tokens with a space between, and what is not a word in brackets.
func spell(list []preprocess.Token) string {
	var out []string
	for _, t := range list {
		switch t.Kind {
		case preprocess.EOF:
		case preprocess.Pragma:
			out = append(out, "[#pragma "+t.Text)
		case preprocess.PragmaEnd:
			out = append(out, "]")
		default:
			out = append(out, t.Text)
		}
	}
	return strings.Join(out, " ")
}

func TestTokens(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"empty", "", ""},
		{"mark of byte order", "\uFEFF#define A 1\nA", "1"},
		{"operators", "a<<=b->c...d##e::f<=>g", "a <<= b -> c ... d ## e :: f <= > g"},
		{"numbers", "1.5e+3f 0x1p-4 .5 1'000 0xFFull 1.f x.y", "1.5e+3f 0x1p-4 .5 1'000 0xFFull 1.f x . y"},
		{"strings", `"a\"b" 'c' '\''`, `"a\"b" 'c' '\''`},
		{"words that are operators", "a and not b", "a && ! b"},
		{"comments", "a/* b\n c */d // e \\\n f\ng", "a d g"},
		{"joined lines", "in\\\nt a\\\r\nb; +\\\n+", "int ab ; ++"},
		{"object", "#define N 16\nint a[N];", "int a [ 16 ] ;"},
		{"nothing", "#define EMPTY\nEMPTY a EMPTY", "a"},
		{"function", "#define MAX(a, b) ((a) > (b) ? (a) : (b))\nMAX(x+1, f(y, z))", "( ( x+1 ) > ( f(y, z) ) ? ( x+1 ) : ( f(y, z) ) )"},
		{"function not called", "#define F(x) x\nF; F\n(3) F", "F ; 3 F"},
		{"function without arguments", "#define F() 1\nF() F( )", "1 1"},
		{"empty argument", "#define F(x) [x]\nF() F( )", "[ ] [ ]"},
		{"space before the parenthesis", "#define F (x)\nF(1)", "( x ) ( 1 )"},
		{"nested calls", "#define F(x) f(x)\n#define G(x) F(x) + x\nG(F(1))", "f ( f ( 1 ) ) + f ( 1 )"},
		{"itself", "#define foo foo + 1\nfoo", "foo + 1"},
		{"each other", "#define a b\n#define b a\na b", "a b"},
		{"itself in an argument", "#define f(x) x + f(x)\nf(f(1))", "1 + f ( 1 ) + f ( 1 + f ( 1 ) )"},
		{"string", "#define S(x) #x\nS(a  +\n \"b\\n\" ) S()", `"a + \"b\\n\"" ""`},
		{"string of a macro", "#define S(x) #x\n#define T(x) S(x)\n#define N 4\nS(N) T(N)", `"N" "4"`},
		{"paste", "#define P(a, b) a##b\nP(in, t) P(x, 1) P(, y) P(z, ) P(-, >)", "int x1 y z ->"},
		{"paste in a chain", "#define P(a, b, c) a##b##c\nP(x, , y) P(1, 2, 3)", "xy 123"},
		{"paste is expanded again", "#define AB 7\n#define P(a, b) a##b\nP(A, B)", "7"},
		{"paste does not expand its operands", "#define A 1\n#define P(a, b) a##b\nP(A, A)", "AA"},
		{"variadic", "#define F(...) f(__VA_ARGS__)\nF(1, 2) F()", "f ( 1 , 2 ) f ( )"},
		{"variadic after a name", "#define F(a, ...) f(a, ##__VA_ARGS__)\nF(1) F(1, 2, 3)", "f ( 1 ) f ( 1 , 2 , 3 )"},
		{"undefined again", "#define A 1\n#undef A\n#undef B\nA", "A"},
		{"defined twice", "#define A 1\n#define A 2\nA", "2"},
		{"if", "#if 1\na\n#else\nb\n#endif\nc", "a c"},
		{"else", "#if 0\na\n#else\nb\n#endif\nc", "b c"},
		{"elif", "#define V 2\n#if V == 1\na\n#elif V == 2\nb\n#elif V == 2\nc\n#else\nd\n#endif", "b"},
		{"elif after what was taken is not looked at", "#if 1\na\n#elif 1/0\nb\n#endif", "a"},
		{"nested in what is skipped", "#if 0\n#if 1\na\n#else\nb\n#endif\n#elif 1\nc\n#endif", "c"},
		{"what is skipped need not be C", "#if 0\ndon't \"stop @ $\n/* #endif */ // #endif\n'\"' #else\n#bogus\n#\n#endif\na", "a"},
		{"string over a comment in what is skipped", "#if 0\n\"/*\"\n#endif\na", "a"},
		{"ifdef", "#define A\n#ifdef A\na\n#endif\n#ifndef A\nb\n#endif\n#ifdef B\nc\n#elif defined A && !defined(B)\nd\n#endif", "a d"},
		{"arithmetic", "#if (1 + 2 * 3 == 7) && (-1 < 0) && (-1 > 0u) && (7 / 2 % 2 == 1) && (1 << 4 == 0x10) && ~0 == -1\na\n#endif", "a"},
		{"arithmetic, second part", "#if (-8 >> 1 == -4) && ('a' == 97) && '\\n' == 10 && (0 ? 1/0 : 1) && (1 || 1/0) && !(0 && 1/0) && (5 & 6 | 1 ^ 1) == 4 && 010 == 8 && 0b11 == 3\na\n#endif", "a"},
		{"names are 0", "#if unknown\na\n#elif true && !false\nb\n#endif", "b"},
		{"macros in #if", "#define ARCH 700\n#define AT_LEAST(x) (ARCH >= x)\n#if AT_LEAST(700) && !AT_LEAST(800)\na\n#endif", "a"},
		{"include", "#include <one.h>\n#include \"two.h\"\n#include <two.h>\nx", "int one ; int one ; int two ; x"},
		{"include once", "#include \"once.h\"\n#include \"once.h\"\n", "int once ;"},
		{"include a macro", "#define H <one.h>\n#include H\n", "int one ;"},
		{"has include", "#if __has_include(<one.h>) && !__has_include(\"three.h\") && defined __has_include\na\n#endif", "a"},
		{"include is skipped", "#ifdef HOST\n#include <vector>\n#endif\na", "a"},
		{"unroll", "#define N 4\n#pragma unroll\na\n#pragma unroll N + 1\nb\n#pragma GCC ivdep\nc", "[#pragma unroll ] a [#pragma unroll 4 + 1 ] b c"},
		{"unroll by operator", "#define UNROLL _Pragma(\"unroll 2\")\nUNROLL a _Pragma(\"GCC ivdep\") b", "[#pragma unroll 2 ] a b"},
		{"line and file", "__LINE__\n__LINE__ __FILE__ __COUNTER__ __COUNTER__", `1 2 "k.cu" 0 1`},
		{"line of the use", "#define L __LINE__\n\nL", "3"},
		{"directives that ask for nothing", "#\n#warning it's old\n#line 7 \"x\"\na", "a"},
		{"directive over lines", "#define F(x) \\\n  x \\\n  + 1\nF(2) # a", "2 + 1 # a"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := tokens(c.in)
			if err != nil {
				t.Fatal(err)
			}
			// An argument is written without spaces in the table where it had none.
			if s := spell(got); strings.ReplaceAll(s, " ", "") != strings.ReplaceAll(c.want, " ", "") {
				t.Errorf("%q becomes\n%s\nwant\n%s", c.in, s, c.want)
			}
		})
	}
}

// Operators are words of their own: 'x + +y' does not become 'x ++ y'.
func TestSeparateWords(t *testing.T) {
	got, err := tokens("#define P(x) +x\nP(+1) a+P(y)")
	if err != nil {
		t.Fatal(err)
	}
	if s := spell(got); s != "+ + 1 a + + y" {
		t.Errorf("got %s", s)
	}
}

func TestErrors(t *testing.T) {
	for _, c := range []struct{ name, in, at, message string }{
		{"no end of a comment", "a /* b", "1:3", "this comment has no end"},
		{"no end of a string", "\"abc\n", "1:1", `this string has no closing " on its line`},
		{"no end of a character", "  'a", "1:3", "this character has no closing ' on its line"},
		{"curly quotes", "printf(“hi”);", "1:8", "the character “ (U+201C) cannot stand here"},
		{"no UTF-8", "a \xff", "1:3", "the byte 0xff, which is no UTF-8, cannot stand here"},
		{"dollar", "$x", "1:1", "the character $ (U+0024) cannot stand here"},
		{"prefix", `L"wide"`, "1:1", "the prefix L of a character or string is not supported"},
		{"define nothing", "#define\n", "1:1", "#define needs a name"},
		{"define defined", "#define defined 1\n", "1:9", "defined cannot be a macro"},
		{"parameters without end", "#define F(a, b\n", "1:10", "the parameters of macro F have no closing )"},
		{"parameter twice", "#define F(a, a) a\n", "1:14", "two parameters of macro F are called a"},
		{"parameter that is none", "#define F(1) a\n", "1:11", "a parameter of macro F is expected here, not 1"},
		{"named rest", "#define F(a...) a\n", "1:12", "a named rest of arguments, a..., is not supported"},
		{"paste at the end", "#define F(a) a ##\n", "1:16", "## joins two words: it cannot be the first or the last of a macro"},
		{"string of nothing", "#define F(a) #b\n", "1:14", "# makes a string of a parameter of the macro: none follows it"},
		{"too few arguments", "#define F(a, b) a b\nF(1)", "2:1", "macro F takes 2 arguments and is called with 1"},
		{"too many arguments", "#define F(a) a\nF(1, 2)", "2:1", "macro F takes 1 argument and is called with 2"},
		{"call without end", "#define F(a) a\nF(1", "2:1", "the call of macro F has no closing )"},
		{"bad paste", "#define P(a, b) a##b\nP(+, 1)", "2:1", "macro P joins + and 1, which make no word"},
		{"header without a name", "#include vector\n", "1:1", "#include takes <name> or \"name\""},
		{"header in itself", "#include \"self.h\"\n", "1:10", "files include each other more than 200 deep"},
		{"error directive", "#if 1\n#  error needs  sm_90\n#endif", "2:1", "#error needs  sm_90"},
		{"unknown directive", "#import x\n", "1:2", "there is no directive #import"},
		{"if without end", "a\n#ifdef X\nb", "2:1", "this #ifdef has no #endif"},
		{"else without if", "#else\n", "1:1", "this #else has no #if"},
		{"endif without if", "#endif\n", "1:1", "this #endif has no #if"},
		{"else twice", "#if 1\n#else\n#else\n#endif", "3:1", "this #else comes after #else"},
		{"division by zero", "#if 1 / 0\n#endif", "1:7", "#if: division by zero"},
		{"no expression", "#if\n#endif", "1:2", "#if: a number, a name or ( is expected at the end"},
		{"rest of an expression", "#if 1 2\n#endif", "1:7", "#if: 2 is not expected here"},
		{"a float", "#if 1.5\n#endif", "1:5", "#if: 1.5 is no integer of 64 bits"},
		{"no parenthesis", "#if (1\n#endif", "1:2", "#if: a ) is expected here"},
		{"defined nothing", "#if defined\n#endif", "1:5", "defined takes the name of a macro: defined(NAME)"},
		{"pragma operator", "_Pragma(unroll)", "1:1", `_Pragma takes one string: _Pragma("unroll")`},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := tokens(c.in)
			var e *source.Error
			if !errors.As(err, &e) {
				t.Fatalf("%q gives %v", c.in, err)
			}
			at := strings.TrimPrefix(strings.SplitN(e.Error(), ": ", 2)[0], "k.cu:")
			if strings.Contains(c.name, "in itself") {
				at = c.at
			}
			if at != c.at || e.Message != c.message {
				t.Errorf("%q gives %s: %s\nwant %s: %s", c.in, at, e.Message, c.at, c.message)
			}
		})
	}
}

// A header that is not here is passed over, and known to be missing.
func TestMissing(t *testing.T) {
	file := source.NewFile("k.cu", "#include <cub/cub.cuh>\n#include \"own.h\"\nint x;")
	state, got, err := (*preprocess.State)(nil).Read([]*source.File{file}, func(name string, angled bool) (*source.File, error) {
		if angled {
			return nil, errors.New("use shared memory")
		}
		return nil, nil
	}, preprocess.Default)
	if err != nil {
		t.Fatal(err)
	}
	missing := state.Missing()
	if len(got) != 4 || len(missing) != 2 || missing[0].Name != "cub/cub.cuh" || missing[0].Reason != "use shared memory" ||
		missing[1].Name != "own.h" || missing[1].Reason != "" || missing[1].Pos.Line() != 2 {
		t.Errorf("%d words, missing %+v", len(got), missing)
	}
}

// A raw string is one word, whatever is in it.
func TestRawString(t *testing.T) {
	got, err := tokens("a R\"x(one \"two\" \\n )\"\nthree)x\" b")
	if err != nil || len(got) != 4 {
		t.Fatalf("%v, %v", got, err)
	}
	text, err := preprocess.Unquote(got[1])
	if err != nil || text != "one \"two\" \\n )\"\nthree" {
		t.Errorf("%q, %v", text, err)
	}
	if _, err := tokens("R\"(never closed\""); err == nil {
		t.Error("a raw string without an end is read")
	}
}

// A word has the place where it is written, or where its macro is used.
func TestPositions(t *testing.T) {
	got, err := tokens("#define INNER(x) x - q\n#define OUTER(x) INNER(x) + p\n  OUTER(arg)\n")
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		"arg": "k.cu:3:9",
		"p":   "k.cu:3:3 OUTER k.cu:2:29",
		"q":   "k.cu:3:3 INNER k.cu:1:22 OUTER k.cu:2:18",
	}
	for _, tok := range got {
		if w, ok := want[tok.Text]; ok {
			s := tok.Pos.String()
			for x := tok.Pos.Macro; x != nil; x = x.Token.Macro {
				s += fmt.Sprintf(" %s %s", x.Name, x.Token)
			}
			if s != w {
				t.Errorf("%s is at %s, want %s", tok.Text, s, w)
			}
			delete(want, tok.Text)
		}
	}
	if len(want) > 0 {
		t.Errorf("not found: %v in %s", want, spell(got))
	}
}

// What would take for ever, or all memory, is refused.
func TestBombs(t *testing.T) {
	double := &strings.Builder{}
	double.WriteString("#define M0 x x\n")
	for i := 1; i < 60; i++ {
		fmt.Fprintf(double, "#define M%d M%d M%d\n", i, i-1, i-1)
	}
	double.WriteString("M59\n")

	paste := &strings.Builder{}
	paste.WriteString("#define P(x) Q(x, x)\n#define Q(a, b) a##b\n")
	paste.WriteString(strings.Repeat("P(", 100) + "abc" + strings.Repeat(")", 100))

	for name, text := range map[string]string{
		"doubling":             double.String(),
		"doubling arguments":   "#define D(x) x x\n" + strings.Repeat("D(", 100) + "a" + strings.Repeat(")", 100),
		"long words":           paste.String(),
		"nested calls":         "#define I(x) x\n" + strings.Repeat("I(", 5000) + "a" + strings.Repeat(")", 5000),
		"nested parentheses":   "#if " + strings.Repeat("(", 100000) + "1" + strings.Repeat(")", 100000) + "\n#endif",
		"nested minus":         "#if " + strings.Repeat("-", 100000) + "1\n#endif",
		"nested conditions":    strings.Repeat("#if 1\n", 10000) + strings.Repeat("#endif\n", 10000),
		"a large text":         strings.Repeat("#include \"one.h\"\n", 600000),
		"many words":           strings.Repeat("a ", 600000),
		"strings of arguments": "#define S(x) #x\n#define T(x) S(x)\n" + strings.Repeat("T(", 150) + `"\\\\"` + strings.Repeat(")", 150),
	} {
		t.Run(name, func(t *testing.T) {
			_, err := tokens(text)
			var e *source.Error
			if !errors.As(err, &e) {
				t.Fatalf("got %v", err)
			}
			if len(e.Error()) > 4000 {
				t.Errorf("the message has %d bytes", len(e.Error()))
			}
		})
	}
}

// FuzzTokens: any text is tokens or a *source.Error, soon.
func FuzzTokens(f *testing.F) {
	for _, seed := range []string{
		"#define F(a, ...) a##b #a __VA_ARGS__\nF(1, 2)", "#if 1\n#elif 0\n#else\n#endif", "_Pragma(\"unroll\") /* x */ 'a' \"s\" 0x1p-3",
		"#include <one.h>\n#include \"self.h\"", "a \\\n b // c \\\r\n d", "#define A B\n#define B A\nA B", "#if defined(X) || (1 ? 2 : 3) << 4 % 5\n#endif",
		"#define D(x) x x\nD(D(D(D(D(D(D(a)))))))", "#pragma unroll 4\n#pragma once\n", "#ifdef\n", "##", "\uFEFF\x00",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		limits := preprocess.Limits{Bytes: 1 << 16, Tokens: 1 << 13, Expansion: 1 << 14, Word: 1 << 10, Nesting: 50}
		got, err := preprocess.Tokens([]*source.File{source.NewFile("k.cu", text)}, include, limits)
		if err != nil {
			var e *source.Error
			if !errors.As(err, &e) || e.Pos.File == nil || e.Message == "" || e.Construct == "" {
				t.Fatalf("%q gives the error %#v", text, err)
			}
			return
		}
		if n := len(got); n == 0 || got[n-1].Kind != preprocess.EOF {
			t.Fatalf("%q gives %v", text, got)
		}
		for _, tok := range got {
			if tok.Pos.File == nil {
				t.Fatalf("%q: %v has no place", text, tok)
			}
		}
	})
}
