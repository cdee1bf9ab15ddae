package chapter

import (
	"encoding/json"
	"errors"
	"html"
	"strings"
	"testing"

	"workbench/engine/device"
	"workbench/engine/launch"
	"workbench/engine/tensor"
	"workbench/engine/trace"
	"workbench/web/run"
	"workbench/web/run/runtest"
)

// rendered returns the HTML of a chapter's text without the last line's end.
func rendered(t *testing.T, source string) string {
	t.Helper()
	c := read(t, front+source)
	if len(c.Problems) > 0 {
		t.Errorf("%q: %v", source, c.Problems)
	}
	return strings.TrimSuffix(string(c.HTML()), "\n")
}

func TestMath(t *testing.T) {
	const inline, display = `<code class="tex" data-display="0">`, `<code class="tex" data-display="1">`
	for source, want := range map[string]string{
		"$a$":                              "<p>" + inline + "a</code></p>",
		"so $q = (b·M + i)·N + j$.":        "<p>so " + inline + "q = (b·M + i)·N + j</code>.</p>",
		"$a_1$ and $b_2$":                  "<p>" + inline + "a_1</code> and " + inline + "b_2</code></p>",
		"$a<b&c$":                          "<p>" + inline + "a&lt;b&amp;c</code></p>",
		"$*x*$ `$y$`":                      "<p>" + inline + "*x*</code> <code>$y$</code></p>",
		`$\$5$ and \$6`:                    "<p>" + inline + `\$5</code> and $6</p>`,
		"$a\nb$":                           "<p>" + inline + "a b</code></p>",
		"-$x$-":                            "<p>-" + inline + "x</code>-</p>",
		"between $$a = b$$ here":           "<p>between " + display + "a = b</code> here</p>",
		"$$a = b$$":                        `<p class="math">` + display + "a = b</code></p>",
		"$$\na\n= b\n- c\n$$":              `<p class="math">` + display + "a\n= b\n- c</code></p>",
		"$$a\n= b$$\ntext":                 `<p class="math">` + display + "a\n= b</code></p>\n<p>text</p>",
		"text\n$$\na\n$$\nmore":            "<p>text</p>\n" + `<p class="math">` + display + "a</code></p>\n<p>more</p>",
		"$$a$$ goes on":                    "<p>" + display + "a</code> goes on</p>",
		"```math\na\n```":                  `<p class="math">` + display + "a</code></p>",
		"```math sum\na\n```\n\n[x](#sum)": `<p class="math" id="sum">` + display + "a</code></p>\n<p><a href=\"#sum\">x</a></p>",
		"> $$\n> a\n> $$":                  "<blockquote>\n" + `<p class="math">` + display + "a</code></p>\n</blockquote>",
		"## Of $n$ cells":                  `<h2 id="of-n-cells">Of ` + inline + "n</code> cells</h2>",
		// Money.
		"$5 and $6":             "<p>$5 and $6</p>",
		"$5, $6":                "<p>$5, $6</p>",
		"it costs 5$ or 6$ now": "<p>it costs 5$ or 6$ now</p>",
		"US$5 and A$6":          "<p>US$5 and A$6</p>",
		"$ 5 $":                 "<p>$ 5 $</p>",
		"a lone $x":             "<p>a lone $x</p>",
		"$$ $$ x":               "<p>$$ $$ x</p>",
		"$5–$10":                "<p>$5–$10</p>",
	} {
		if got := rendered(t, source); got != want {
			t.Errorf("%q is\n\t%s\nwant\n\t%s", source, got, want)
		}
	}
}

func TestNames(t *testing.T) {
	for source, want := range map[string]string{
		"## One, and two!":                   `<h2 id="one-and-two">One, and two!</h2>`,
		"## One {#first}":                    `<h2 id="first">One</h2>`,
		"## One\n\n## One":                   "<h2 id=\"one\">One</h2>\n<h2 id=\"one-2\">One</h2>",
		"## One\n\n## Two {#one}":            "<h2 id=\"one-2\">One</h2>\n<h2 id=\"one\">Two</h2>",
		"## Questions":                       `<h2 id="questions-2">Questions</h2>`,
		"## Größe":                           `<h2 id="gr-e">Größe</h2>`,
		"## ∑":                               `<h2 id="section">∑</h2>`,
		"Text. {#here}":                      `<p id="here">Text.</p>`,
		"Text.\n{#here}":                     `<p id="here">Text.</p>`,
		"Text {#here} goes on":               `<p>Text {#here} goes on</p>`,
		"`{#code}`":                          `<p><code>{#code}</code></p>`,
		"## A {onclick=alert(1)}":            `<h2 id="a-onclick-alert-1">A {onclick=alert(1)}</h2>`,
		"[to it](#a)\n\n## A":                "<p><a href=\"#a\">to it</a></p>\n<h2 id=\"a\">A</h2>",
		"a <!-- not this --> b":              `<p>a  b</p>`,
		"<!-- not this\n\nnor this -->":      ``,
		"![a grid](grid.svg)":                `<p><img src="/chapters/01-test/grid.svg" alt="a grid"></p>`,
		"[web](https://example.org/a?b=c&d)": `<p><a href="https://example.org/a?b=c&amp;d">web</a></p>`,
		"|a|b|\n|:-|-:|\n|1|2|": "<div class=\"table-scroll\" role=\"region\" aria-label=\"table\" tabindex=\"0\">\n<table>\n<thead>\n<tr>\n" +
			"<th align=\"left\">a</th>\n<th align=\"right\">b</th>\n</tr>\n</thead>\n<tbody>\n<tr>\n<td align=\"left\">1</td>\n<td align=\"right\">2</td>\n</tr>\n</tbody>\n</table>\n</div>",
	} {
		if got := rendered(t, source); got != want {
			t.Errorf("%q is\n\t%s\nwant\n\t%s", source, got, want)
		}
	}
}

func TestQuote(t *testing.T) {
	const want = `<figure class="quote" id="mine">
<figcaption>How. <span class="quote-source"><code>a/b.go</code>, region <code>r</code>, lines 7 to 9</span></figcaption>
<pre tabindex="0"><code class="language-go" data-start="7">func f() {
	return &quot;&lt;b&gt;&quot;
}
</code></pre>
</figure>`
	if got := rendered(t, "```quote mine\nfile: a/b.go\nregion: r\ncaption: How.\n```"); got != want {
		t.Errorf("quote is\n%s\nwant\n%s", got, want)
	}
}

func TestHeadings(t *testing.T) {
	c := read(t, front+"## One\n\n### Within\n\n## Two $x$ {#second}\n")
	want := []Heading{{"one", "One"}, {"second", "Two x"}}
	if len(c.Headings) != 2 || c.Headings[0] != want[0] || c.Headings[1] != want[1] {
		t.Errorf("headings are %v, want %v", c.Headings, want)
	}
}

// What a widget holds cannot end the script element that carries it, nor an
// attribute or an element of its figure.
func TestDataCannotEscape(t *testing.T) {
	const nasty = `</script><script>alert(1)</script> <!-- & " ' ` + "\u2028\u2029."
	quoted, err := json.Marshal(nasty)
	if err != nil {
		t.Fatal(err)
	}
	c := read(t, front+"```product x\nleft: [[1]]\nright: [[1]]\ncaption: "+string(quoted)+"\n```\n")
	if len(c.Problems) > 0 {
		t.Fatal(c.Problems)
	}
	w := c.Widget("x")
	if w == nil || w.Caption != nasty {
		t.Fatalf("widget is %+v", w)
	}
	w.Trace.Tensors[0].Name, w.Trace.Steps[0].Title, w.Trace.Steps[2].Formula = nasty, nasty, nasty
	page := string(c.HTML())
	if strings.Contains(page, "<script>alert") || strings.Count(page, "</script>") != 1 {
		t.Errorf("the data got out:\n%s", page)
	}
	_, rest, _ := strings.Cut(page, `class="widget-data">`)
	data, _, _ := strings.Cut(rest, "</script>")
	if strings.ContainsAny(data, "<>&\u2028\u2029") {
		t.Errorf("the data is not escaped: %s", data)
	}
	var back Data
	if err := json.Unmarshal([]byte(data), &back); err != nil || back.Caption != nasty || back.Trace.Tensors[0].Name != nasty {
		t.Errorf("the data reads back as %+v, %v", back, err)
	}
}

// Numbers that JSON does not have reach the page as words.
func TestNumbersReachThePage(t *testing.T) {
	c := read(t, front+"```product x\nleft: [[.inf, -.inf], [.nan, 1e-9]]\nright: [[1, 2], [0x10, 1_000]]\n```\n")
	w := c.Widget("x")
	if w == nil {
		t.Fatal(c.Problems)
	}
	const want = `{"left":[["Infinity","-Infinity"],["NaN",1e-09]],"right":[[1,2],[16,1000]]}`
	if string(w.Input) != want {
		t.Errorf("input is %s, want %s", w.Input, want)
	}
	in, err := trace.DecodeInput(trace.ExampleProduct, w.Input)
	if err != nil {
		t.Fatal(err)
	}
	if got := tensor.Number(in.(*trace.ProductInput).Right.Data()[2]); got != 16 {
		t.Errorf("0x10 is %v", got)
	}
}

// A device that is not there is said in the widget's place, and nothing else
// of the chapter is lost.
func TestMissingDevice(t *testing.T) {
	page := rendered(t, "before\n\n```product x\ndevice: cuda:0\nleft: [[1]]\nright: [[1]]\n```\n\nafter")
	for _, want := range []string{
		"before", "after",
		"<p>cuda:0 is not available: no driver was found</p>\n<p>What to do: install one.</p>",
		"<summary>Where it was looked for</summary>\n<ul>\n<li><code>libcuda.so.1: no such file</code></li>",
		`<wb-product id="x" class="widget"`, `"input":{"left":[[1]],"right":[[1]]}`, // to be run on another device
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q:\n%s", want, page)
		}
	}
	if strings.Contains(page, `"trace":`) {
		t.Errorf("the page has a result that nothing made: %s", page)
	}
}

// A device that fails while a chapter is read is no mistake of its author.
func TestDeviceFaultIsNoProblem(t *testing.T) {
	for _, fault := range runtest.Faults(device.Spec{Kind: device.CUDA}) {
		c := read(t, front+"```product x\ndevice: cuda:0\nleft: [[1]]\nright: [[1]]\n```\n\n```comparison y\ndevices: [cpu, cuda:0]\n```\n")
		c.Run(t.Context(), &runtest.Runner{GPU: true, Fault: fault.Err})
		if _, input := errors.AsType[*launch.ArgumentError](fault.Err); input {
			continue // of a launch, which no widget of today makes
		}
		page := html.UnescapeString(string(c.HTML()))
		if len(c.Problems) > 0 || strings.Count(page, run.Describe(fault.Err).Message) != 2 {
			t.Errorf("%s: problems %v, page %s", fault.Name, c.Problems, page)
		}
	}
}

// A link that leads nowhere is a mistake that is told, and no link: nobody can follow it.
func TestBadLinksAreNone(t *testing.T) {
	c := read(t, front+"<javascript:alert('&amp;')> and [b](javascript:alert(1))\n")
	want := `<p>javascript:alert('&amp;amp;') and <a href="#main">b</a></p>`
	if got := strings.TrimSpace(string(c.HTML())); got != want || len(c.Problems) != 2 {
		t.Errorf("%v, and on the page %s", c.Problems, got)
	}
}
