package e2e

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/input"
)

const (
	tiledPage  = "/chapters/07-product-in-three-versions?widget=tiled&step=6#tiled"
	barrier    = 15 // the line of the first barrier in the tiles' loop
	readsTiles = 17 // the line that reads what it waits for
)

// A kernelState is what a reader sees of a kernel's recorded block.
type kernelState struct {
	Step          string
	Title         string
	Warps         []string
	Lanes, Shared [][]string
	Owners        []string
	Now           []int // marked lines, by what marks them
	Faults        []int
	Reports       []string
	Verdict       string
	Source        string
}

func (tab *Tab) kernel(id string) kernelState {
	tab.t.Helper()
	return get[kernelState](tab, "e2e.kernel(%s)", id)
}

// differences names the parts in which two differ, with both.
func differences(a, b kernelState) string {
	var out []string
	x, y := reflect.ValueOf(a), reflect.ValueOf(b)
	for i := range x.NumField() {
		if !reflect.DeepEqual(x.Field(i).Interface(), y.Field(i).Interface()) {
			out = append(out, fmt.Sprintf("%s: %.300v and was %.300v", x.Type().Field(i).Name, x.Field(i), y.Field(i)))
		}
	}
	return strings.Join(out, "; ")
}

// atRest waits until a kernel shows the step that it is at, and runs no more.
func (tab *Tab) atRest(id string) kernelState {
	tab.t.Helper()
	tab.until("the step of "+id, "e2e.atRest(%s)", id)
	return tab.kernel(id)
}

// writeLine replaces a line of a kernel's source by keys alone.
func (tab *Tab) writeLine(id string, line int, text string) {
	tab.t.Helper()
	get[bool](tab, "(e2e.widget(%s).source.go(%s), true)", id, line)
	if get[bool](tab, "e2e.widget(%s).source.text.split('\\n')[%s - 1] !== ''", id, line) {
		tab.press("End", "Shift+Home", "Shift+Home", "Delete") // an editor's first Home may stop at the indent
	}
	if text != "" {
		call(tab, input.InsertText, input.InsertTextParams{Text: text})
	}
}

// rewrite replaces the whole of a kernel's source.
func (tab *Tab) rewrite(id, text string) {
	tab.t.Helper()
	get[bool](tab, "(e2e.widget(%s).source.focus(), true)", id)
	tab.press("Ctrl+a", "Delete")
	call(tab, input.InsertText, input.InsertTextParams{Text: text})
}

// TestRaceIsReadOnItsLine does what chapter 7 asks for: it deletes the barrier of the
// tile loop, reads on the line which two threads raced for which element, puts it
// back, and sees the tiles arrive.
func TestRaceIsReadOnItsLine(t *testing.T) {
	t.Parallel()
	for _, b := range bundles {
		t.Run(b.name, func(t *testing.T) {
			tab := newTab(t, course(t, b.present))
			const id = "tiled"
			tab.open(tiledPage)
			if b.present {
				tab.until("the editor", "e2e.widget(%s).source.view", id)
			}
			before := tab.atRest(id)
			if len(before.Reports) > 0 || !strings.Contains(before.Verdict, "equal in every bit") {
				t.Fatalf("the chapter's kernel: %+v", before)
			}
			tab.writeLine(id, barrier, "")
			if s := tab.state(id); !s.Stale || !strings.Contains(s.Notice, "The source changed since this result was made") {
				t.Errorf("after an edit: %+v", s)
			}
			tab.press("Ctrl+Enter")
			tab.until("the reports", "e2e.kernel(%s).reports.length > 0", id)
			k := tab.atRest(id)
			race := ""
			for _, r := range k.Reports {
				if strings.Contains(r, "race line 17:") && strings.Contains(r, "reads left[") {
					race = r
				}
			}
			for _, want := range []string{"left[0][0]", "thread (1,0,0) reads", "thread (0,0,0) writes at line 13", "__syncthreads"} {
				if !strings.Contains(race, want) {
					t.Errorf("the report %q does not say %q", race, want)
				}
			}
			if !reflect.DeepEqual(k.Faults, []int{readsTiles}) || !strings.Contains(k.Verdict, "are not what cpu computes") {
				t.Errorf("marked: %v; %s", k.Faults, k.Verdict)
			}
			// A report leads to its line.
			tab.click(script("e2e.find(%s, '.findings .report .jump')", id))
			if line := get[int](tab, "e2e.widget(%s).source.line", id); line != readsTiles {
				t.Errorf("the report leads to line %d", line)
			}
			tab.writeLine(id, barrier, "\t\t__syncthreads();")
			if k := tab.kernel(id); k.Source != before.Source {
				t.Errorf("put back, the source is\n%s", k.Source)
			}
			if tab.state(id).Stale != true {
				t.Error("the result with the race is not stale beside the chapter's source")
			}
			tab.press("Ctrl+Enter")
			tab.until("no reports", "e2e.kernel(%s).reports.length === 0 && !e2e.state(%s).stale", id, id)
			if k := tab.atRest(id); len(k.Faults) > 0 || k.Verdict != before.Verdict {
				t.Errorf("put back: %+v", k)
			}
			// In the second round sixteen by sixteen values arrive in each tile, and each is
			// read by sixteen threads.
			tab.focusOn(id)
			for _, key := range []string{"Home", "b", "b", "b"} {
				tab.press(key)
				tab.atRest(id)
			}
			if k := tab.kernel(id); k.Title != "Every warp has come to the barrier, and all go on." || k.Owners[17] != "t17" {
				t.Errorf("the second round begins with %q, element 17 is of %s", k.Title, k.Owners[17])
			}
			counts := script("[...e2e.widget(%s).querySelectorAll('.shared-counts')].map(e2e.words).join(' ')", id)
			says := func(phase int, want string) {
				t.Helper()
				want = fmt.Sprintf("In all of phase %d: %s.", phase, want)
				tab.until("how often", script(counts+" === %s", want+" "+want))
			}
			says(3, "loaded 256 elements, each 16 times")
			tab.press("k")
			tab.atRest(id)
			says(2, "stored 256 elements, each once")
		})
	}
}

// TestStepOverABarrierAndBack steps a block by statement, by barrier and by access,
// with keys alone, and finds each step as it was.
func TestStepOverABarrierAndBack(t *testing.T) {
	t.Parallel()
	tab := newTab(t, course(t, false))
	const id = "tiled"
	tab.open(tiledPage)
	tab.until("the focus", "e2e.focus().class === 'stage'")
	first := tab.atRest(id)
	stored := func(want string) {
		t.Helper()
		captions := get[[]string](tab, "[...e2e.widget(%s).querySelectorAll('.shared-grid caption')].map(e2e.words)", id)
		for i, name := range []string{"left", "right"} {
			if got := fmt.Sprintf("float %s[16][16]: %s of 256 elements stored", name, want); captions[i] != got {
				t.Errorf("the grid is called %q, want %q", captions[i], got)
			}
		}
	}
	stored("0")
	if !strings.HasPrefix(first.Title, "Warp 0 begins line 12") || !reflect.DeepEqual(first.Now, []int{12}) {
		t.Errorf("it opens at %q, marked %v", first.Title, first.Now)
	}
	var there []kernelState
	for _, key := range []string{"j", "j", "b", "j", "b", "b"} {
		tab.press(key)
		there = append(there, tab.atRest(id))
	}
	if s := there[2]; s.Title != "Every warp has come to the barrier, and all go on." {
		t.Errorf("at the barrier: %q", s.Title)
	}
	stored("256")
	if second := there[5]; reflect.DeepEqual(second.Shared, there[2].Shared) || second.Owners[17] != "t17" {
		t.Errorf("in the second phase the tiles are those of the first, or element 17 is of %s", second.Owners[17])
	}
	// An element of the tile is stored once in a phase, and read by the threads of its row.
	tab.press("Home")
	tab.write(script("e2e.find(%s, '.goal-element')", id), "left[3][4]")
	tab.press("Enter")
	if s := tab.atRest(id); !strings.HasPrefix(s.Title, "Warp 1 begins line 13,") || s.Owners[3*16+4] != "" {
		t.Errorf("the first access of left[3][4]: %q, stored by %q before", s.Title, s.Owners[3*16+4])
	}
	tab.press("Enter")
	if s := tab.atRest(id); !strings.HasPrefix(s.Title, "Warp 1 begins line 17,") || s.Owners[3*16+4] != "t52" {
		t.Errorf("the second: %q, stored by %q", s.Title, s.Owners[3*16+4])
	}
	// Back the way it came, from what the page has kept and from the recording.
	tab.focusOn(id)
	for _, back := range []bool{false, true} {
		if back {
			get[bool](tab, "(e2e.widget(%s).moments.kept.clear(), true)", id)
		}
		tab.press("Home", "j", "j", "j", "j", "j", "j")
		if s := tab.atRest(id); !reflect.DeepEqual(s, first) {
			t.Errorf("there again (anew: %v) it differs in %s", back, differences(s, first))
		}
		for _, key := range []string{"b", "j", "k"} {
			tab.press(key)
			tab.atRest(id)
		}
		if s := tab.atRest(id); !reflect.DeepEqual(s, there[2]) {
			t.Errorf("back at the barrier (anew: %v) it differs in %s", back, differences(s, there[2]))
		}
	}
}

// TestKernelMistakes holds a source that does not compile to be marked where it does
// not, and an endless loop to be stopped.
func TestKernelMistakes(t *testing.T) {
	t.Parallel()
	tab := newTab(t, course(t, false))
	const id = "add"
	tab.open("/chapters/06-how-kernels-divide-work?widget=add#add")
	own := tab.atRest(id).Source
	tab.rewrite(id, "__global__ void add(const float* x, const float* y, float* out, int n) {\n\tout[0] = z;\n}\n")
	tab.press("Ctrl+Enter")
	tab.until("the mistake", "e2e.words(e2e.find(%s, '.compile')).includes('line 2, column ')", id)
	if k := tab.kernel(id); !reflect.DeepEqual(k.Faults, []int{2}) || !strings.Contains(tab.state(id).Notice, "z") {
		t.Errorf("marked: %v; %s", k.Faults, tab.state(id).Notice)
	}
	tab.rewrite(id, "__global__ void add(const float* x, const float* y, float* out, int n) {\n\twhile (n) { out[0] += x[0]; }\n}\n")
	tab.press("Ctrl+Enter")
	tab.until("the run", "e2e.state(%s).running", id)
	tab.click(script("e2e.find(%s, '.stop')", id))
	tab.until("its end", "!e2e.state(%s).running && e2e.state(%s).notice.includes('Stopped')", id, id)
	// It is kept over a reload, and asked about before it is thrown away.
	tab.reload()
	if k := tab.kernel(id); !strings.Contains(k.Source, "while (n)") || !tab.state(id).Stale {
		t.Errorf("after the reload: %q, stale: %v", k.Source, tab.state(id).Stale)
	}
	button := func(text string) string {
		return script("[...e2e.widget(%s).querySelectorAll('button')].find((one) => one.textContent === %s)", id, text)
	}
	tab.click(button("Chapter’s kernel"))
	tab.click(button("Keep my edits"))
	if k := tab.kernel(id); k.Source == own {
		t.Error("it was thrown away")
	}
	tab.click(button("Chapter’s kernel"))
	tab.click(button("Replace them"))
	tab.until("the chapter's kernel", "e2e.widget(%s).source.text === %s", id, own) // a dialog's end is an event of its own
	if k := tab.kernel(id); k.Source != own || tab.state(id).Stale {
		t.Errorf("the chapter's kernel is %q, stale: %v", k.Source, tab.state(id).Stale)
	}
}

// TestAnotherBlock records another block, which a link then leads to.
func TestAnotherBlock(t *testing.T) {
	t.Parallel()
	tab := newTab(t, course(t, false))
	const id = "add"
	tab.open("/chapters/06-how-kernels-divide-work?widget=add#add")
	tab.write(script("e2e.find(%s, '.block-field')", id), "4")
	tab.press("Enter")
	if get[bool](tab, "e2e.find(%s, '.block-field').validity.valid", id) || tab.state(id).Running {
		t.Error("block 4 of a grid of 4 is recorded")
	}
	tab.write(script("e2e.find(%s, '.block-field')", id), "1")
	tab.press("Enter")
	tab.until("the other block", "e2e.words(e2e.find(%s, '.step-maker')).startsWith('Block (1,0,0)')", id)
	tab.focusOn(id)
	tab.press("End", "k", "k", "k")
	there := tab.atRest(id)
	if where := tab.state(id).URL; !strings.Contains(where, "block=1,0,0") {
		t.Errorf("the address is %s", where)
	}
	tab.open(tab.state(id).URL)
	tab.until("the other block again", "e2e.words(e2e.find(%s, '.step-maker')).startsWith('Block (1,0,0)')", id)
	if again := tab.atRest(id); !reflect.DeepEqual(again, there) {
		t.Errorf("the link leads to another place: %s", differences(again, there))
	}
}

// TestKernelInTheAddress copies the address of an edited kernel and opens it where
// the reader has an edit of their own.
func TestKernelInTheAddress(t *testing.T) {
	t.Parallel()
	tab := newTab(t, course(t, false))
	const id = "add"
	const page = "/chapters/06-how-kernels-divide-work?widget=add#add"
	const theirs = "// theirs: “é” ✗\n"
	const mine = "// mine\n"
	tab.open(page)
	own := tab.atRest(id).Source
	button := func(text string) string {
		return script("[...e2e.widget(%s).querySelectorAll('button')].find((one) => one.textContent === %s)", id, text)
	}
	source := func(want string) {
		t.Helper()
		tab.until("the source "+want, "e2e.kernel(%s).source === %s", id, want)
	}
	tab.rewrite(id, theirs+own)
	get[bool](tab, "(navigator.clipboard.writeText = async (text) => { globalThis.clip = text; }, true)")
	tab.click(button("Copy link"))
	tab.until("the copy", "globalThis.clip")
	link := strings.TrimPrefix(get[string](tab, "globalThis.clip"), "http://"+tab.site.address)
	if !strings.Contains(link, "#kernel=") {
		t.Fatalf("the address is %s", link)
	}
	tab.rewrite(id, mine+own)
	tab.open(link)
	source(theirs + own)
	if s := tab.state(id); !s.Stale || s.Running {
		t.Errorf("what came with the address: %+v", s)
	}
	tab.open(page)
	source(mine + own)
	tab.open(link)
	source(theirs + own)
	tab.click(button("Back to mine"))
	source(mine + own)
	tab.open(link)
	tab.click(button("Keep it as my edit"))
	tab.open(page)
	source(theirs + own)
	// What is no kernel changes nothing.
	tab.open(strings.Replace(link, "#kernel=", "#kernel=xx", 1))
	tab.until("the mistake", "e2e.state(%s).notice.includes('cannot be read')", id)
	source(theirs + own)
}

// TestLaunchIsEdited makes the matrices of chapter 7 other ones, as its text asks,
// and holds mistakes to stand at their fields.
func TestLaunchIsEdited(t *testing.T) {
	t.Parallel()
	tab := newTab(t, course(t, false))
	const id = "tiled"
	tab.open(tiledPage)
	get[bool](tab, "(e2e.find(%s, '.launch').open = true)", id)
	tab.until("the form", "e2e.widget(%s).editor.form", id)
	field := func(path string) string {
		return script("e2e.widget(%s).editor.form.places.get(%s).input", id, path)
	}
	says := func(path string) string {
		return get[string](tab, "((place) => e2e.shown(place.error) ? e2e.words(place.error) : '')(e2e.widget(%s).editor.form.places.get(%s))", id, path)
	}
	tab.write(field("args[5].value"), "9 columns")
	if got := says("args[5].value"); !strings.HasPrefix(got, "A number") {
		t.Errorf("a number that is none: %q", got)
	}
	tab.press("Ctrl+Enter")
	if s := tab.state(id); s.Running || !strings.Contains(s.Notice, "The inputs have a mistake, marked below.") {
		t.Errorf("with a mistake: %+v", s)
	}
	for path, text := range map[string]string{
		"grid": "1, 3", "args[0].shape": "33 × 17", "args[1].shape": "17x9", "args[2].shape": "33 9",
		"args[3].value": "33", "args[4].value": "17", "args[5].value": "9",
	} {
		tab.write(field(path), text)
	}
	tab.press("Ctrl+Enter")
	tab.until("the other product", "e2e.kernel(%s).verdict.startsWith('All 297 values are equal in every bit') && !e2e.state(%s).stale", id, id)
	if k := tab.atRest(id); len(k.Reports) > 0 {
		t.Errorf("its tiles stick out, and it reports %q", k.Reports)
	}
	// What only the workbench knows stands at its field too.
	tab.write(field("args[0].shape"), "33 × 170000000")
	tab.press("Ctrl+Enter")
	tab.until("the mistake", "e2e.shown(e2e.widget(%s).editor.form.places.get('args[0].shape').error)", id)
	tab.reload()
	if got := get[string](tab, "JSON.parse(e2e.widget(%s).edit.texts.launch).grid.join()", id); got != "1,3" {
		t.Errorf("after the reload the grid is %s", got)
	}
}

// TestStepToAnExchange goes from shuffle to shuffle of a warp that combines what its
// lanes have, and reads which lane gave what to which.
func TestStepToAnExchange(t *testing.T) {
	t.Parallel()
	tab := newTab(t, course(t, false))
	const id = "softmax"
	tab.open("/chapters/06-how-kernels-divide-work?widget=softmax&step=1#softmax")
	tab.until("the focus", "e2e.focus().class === 'stage'")
	tab.atRest(id)
	for _, away := range []int{16, 8} {
		tab.press("x")
		s := tab.atRest(id)
		if !strings.HasPrefix(s.Title, "Warp 0 begins line 17,") {
			t.Fatalf("an exchange is at %q", s.Title)
		}
		sentence := get[string](tab, "e2e.words(e2e.find(%s, '.lanes-exchanged'))", id)
		if !strings.HasPrefix(sentence, "shuffle xor on line 17: lane 0 gives ") || !strings.HasSuffix(sentence, fmt.Sprintf(" of lane %d.", away)) {
			t.Errorf("the exchange by %d is said to be %q", away, sentence)
		}
		column := -1
		heads := get[[]string](tab, "[...e2e.widget(%s).querySelectorAll('.lanes-scroll thead th')].map(e2e.words)", id)
		for i, head := range heads {
			if strings.HasPrefix(head, "shuffle xor") {
				column = i
			}
		}
		if column < 0 {
			t.Fatalf("no column is a shuffle: %q", heads)
		}
		for lane := range 32 {
			mine, other := s.Lanes[lane][column], s.Lanes[lane^away][column]
			_, gets, _ := strings.Cut(mine, " → ")
			gives, _, _ := strings.Cut(other, " → ")
			if want := fmt.Sprintf("%s (lane %d)", gives, lane^away); gets != want {
				t.Errorf("lane %d of a shuffle by %d says %q, and the other gives %s", lane, away, mine, gives)
			}
		}
	}
	tab.press("X")
	if s := tab.atRest(id); !strings.HasPrefix(s.Title, "Warp 0 begins line 17,") {
		t.Errorf("the exchange before is at %q", s.Title)
	}
	tab.press("X")
	tab.until("the end of the way", "e2e.words(e2e.find(%s, '.goal-said')) === 'There is none before this step.'", id)
}
