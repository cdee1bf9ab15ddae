package e2e

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/css"
	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// A Tab is one page of the shared browser. Tabs of different tests share
// nothing; a twin shares what a browser's windows do.
type Tab struct {
	t    testing.TB
	site *Site
	ctx  context.Context

	mu     sync.Mutex
	faults []string          // guarded by mu
	excuse func(string) bool // guarded by mu: faults that the test is about
}

//go:embed page.js
var pageScript string

// newTab opens an empty tab that may talk to a site and to nothing else.
func newTab(t testing.TB, site *Site) *Tab {
	t.Helper()
	return openTab(t, site, theBrowser(t), chromedp.WithNewBrowserContext())
}

// twin opens another tab beside one.
func (tab *Tab) twin() *Tab {
	tab.t.Helper()
	return openTab(tab.t, tab.site, tab.ctx)
}

func openTab(t testing.TB, site *Site, parent context.Context, options ...chromedp.ContextOption) *Tab {
	t.Helper()
	tab := &Tab{t: t, site: site}
	ctx, cancel := chromedp.NewContext(parent, append(options, chromedp.WithListener(tab.watch))...)
	tab.ctx = ctx
	// The first call makes the tab live as long as its context: its limit has
	// to be somebody else's.
	late := time.AfterFunc(patience, cancel)
	err := chromedp.Do(ctx)
	if !late.Stop() || err != nil {
		cancel()
		t.Fatalf("a tab could not be opened: %v", err)
	}
	t.Cleanup(func() { tab.close(cancel) })

	// chromedp would keep a copy of every element of the page.
	call(tab, css.Disable, cdp.Empty{})
	call(tab, dom.Disable, cdp.Empty{})
	// Only one window of a browser has the focus; each of ours acts as if it had.
	call(tab, emulation.SetFocusEmulationEnabled, emulation.SetFocusEmulationEnabledParams{Enabled: true})
	call(tab, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: pageScript})
	tab.size(1280, 900)
	return tab
}

// close ends the tab, and fails the test for what the watch saw.
func (tab *Tab) close(cancel context.CancelFunc) {
	if folder := os.Getenv(pictures); folder != "" && tab.t.Failed() {
		tab.picture(filepath.Join(folder, "failed "+strings.ReplaceAll(tab.t.Name(), "/", " ")+".png"))
	}
	if tab.ctx.Err() == nil {
		// What the page still has to say comes before the answer to this.
		ctx, done := context.WithTimeout(tab.ctx, stopTime)
		_, _ = chromedp.Run(ctx, chromedp.Evaluate[int]("1"))
		done()
	}
	cancel()
	for _, fault := range tab.takeFaults() {
		tab.t.Errorf("the page did what no page may: %s", fault)
	}
	if text := tab.site.log.take(); text != "" {
		tab.t.Errorf("the server logged: %s", text)
	}
}

// call sends one command of the browser's protocol.
func call[P, R any](tab *Tab, command cdp.Command[P, R], params P) R {
	tab.t.Helper()
	ctx, cancel := context.WithTimeout(tab.ctx, patience)
	defer cancel()
	result, err := chromedp.Call(ctx, command, params)
	if err != nil {
		tab.t.Fatalf("%s: %v", command.Method, err)
	}
	return result
}

// evaluate computes an expression in the page, whose value is JSON.
func evaluate[T any](tab *Tab, expression string) (T, error) {
	var out T
	ctx, cancel := context.WithTimeout(tab.ctx, patience)
	defer cancel()
	yes := true
	result, err := chromedp.Call(ctx, runtime.Evaluate, runtime.EvaluateParams{
		Expression: expression, ReturnByValue: &yes, AwaitPromise: &yes,
	})
	switch {
	case err != nil:
		return out, err
	case result.ExceptionDetails != nil:
		return out, fmt.Errorf("%s threw %s", expression, describe(result.ExceptionDetails))
	case len(result.Result.Value) == 0:
		return out, fmt.Errorf("%s is undefined", expression)
	}
	if err := json.Unmarshal(result.Result.Value, &out); err != nil {
		return out, fmt.Errorf("%s: %w", expression, err)
	}
	return out, nil
}

// get is evaluate for what cannot go wrong.
func get[T any](tab *Tab, expression string, args ...any) T {
	tab.t.Helper()
	out, err := evaluate[T](tab, script(expression, args...))
	if err != nil {
		tab.t.Fatal(err)
	}
	return out
}

// evaluateNode returns how an element of the accessibility tree is written.
func evaluateNode(tab *Tab, id int64) (string, error) {
	ctx, cancel := context.WithTimeout(tab.ctx, patience)
	defer cancel()
	node, err := chromedp.Call(ctx, dom.ResolveNode, dom.ResolveNodeParams{BackendNodeID: cdp.BackendNodeID(id)})
	if err != nil {
		return "", err
	}
	yes := true
	result, err := chromedp.Call(ctx, runtime.CallFunctionOn, runtime.CallFunctionOnParams{
		FunctionDeclaration: "function () { return (this.outerHTML ?? this.textContent).slice(0, 200); }",
		ObjectID:            node.Object.ObjectID, ReturnByValue: &yes,
	})
	if err != nil {
		return "", err
	}
	return string(result.Result.Value), nil
}

// script writes values into an expression, each as a literal where it has %s.
func script(expression string, args ...any) string {
	if len(args) == 0 {
		return expression
	}
	literals := make([]any, len(args))
	for i, arg := range args {
		text, err := json.Marshal(arg)
		if err != nil {
			panic("BUG: an argument of a script is not JSON: " + err.Error())
		}
		literals[i] = string(text)
	}
	return fmt.Sprintf(expression, literals...)
}

// until waits for an expression to become true. A page that is being replaced
// has no value for it, and is asked again.
func (tab *Tab) until(what, expression string, args ...any) {
	tab.t.Helper()
	expression = script(expression, args...)
	var err error
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		var yes bool
		if yes, err = evaluate[bool](tab, "Boolean("+expression+")"); yes {
			return
		}
		if tab.ctx.Err() != nil {
			break
		}
	}
	tab.t.Fatalf("waited in vain for %s: %s\nat %s\nlast error: %v", what, expression, tab.location(), err)
}

func (tab *Tab) location() string {
	at, err := evaluate[string](tab, "location.href")
	if err != nil {
		return err.Error()
	}
	return at
}

// open goes to an address of the site and waits until its examples live and
// the connection stands.
func (tab *Tab) open(path string) {
	tab.t.Helper()
	tab.load(path)
	tab.until("the page to live", "e2e.ready()")
	tab.until("the connection", "!document.querySelector(e2e.selector) || document.querySelector('.live-state')?.dataset.state === 'open'")
}

// load goes to an address of the site and waits for its text alone.
func (tab *Tab) load(path string) {
	tab.t.Helper()
	// Leaving by way of an empty page makes an address that differs in its
	// fragment alone a new page too.
	call(tab, page.Navigate, page.NavigateParams{URL: "about:blank"})
	result := call(tab, page.Navigate, page.NavigateParams{URL: tab.site.url(path)})
	if result.ErrorText != "" {
		tab.t.Fatalf("%s: %s", path, result.ErrorText)
	}
	tab.until("the page to load", "document.readyState === 'complete'")
}

// present makes the tab a presenter's: the page of the link sends a form, which leads to the desk.
func (tab *Tab) present(secret string) {
	tab.t.Helper()
	tab.load("/present/" + secret)
	tab.until("the desk", "location.pathname.endsWith('/desk')")
}

// reload loads the page again, as its reader does.
func (tab *Tab) reload() {
	tab.t.Helper()
	get[bool](tab, "globalThis.before = true")
	call(tab, page.Reload, page.ReloadParams{})
	tab.until("the page to come back", "!globalThis.before && e2e.ready()")
	tab.until("the connection", "document.querySelector('.live-state')?.dataset.state === 'open'")
}

// size sets the size of the page in CSS pixels.
func (tab *Tab) size(width, height int64) {
	tab.t.Helper()
	call(tab, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{Width: width, Height: height, DeviceScaleFactor: 1})
}

// scheme makes the system of the reader light or dark.
func (tab *Tab) scheme(name string) {
	tab.t.Helper()
	call(tab, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{
		{Name: "prefers-color-scheme", Value: name},
		// Pictures of what moves differ from run to run.
		{Name: "prefers-reduced-motion", Value: "reduce"},
	}})
}

// keys are those that are no character.
var keys = map[string]string{
	"Tab": kb.Tab, "Enter": kb.Enter, "Escape": kb.Escape, "Home": kb.Home, "End": kb.End,
	"ArrowLeft": kb.ArrowLeft, "ArrowRight": kb.ArrowRight, "ArrowUp": kb.ArrowUp, "ArrowDown": kb.ArrowDown,
	"Delete": kb.Delete, "Backspace": kb.Backspace, "Space": " ",
}

// press presses keys one after the other: a name of keys, or one character,
// after "Ctrl+" or "Shift+".
func (tab *Tab) press(names ...string) {
	tab.t.Helper()
	for _, name := range names {
		var modifiers []chromedp.Modifier
		down := kb.KeyDown
		key := name
		if rest, ok := strings.CutPrefix(key, "Ctrl+"); ok {
			key, modifiers = rest, append(modifiers, chromedp.ModifierCtrl)
		}
		if rest, ok := strings.CutPrefix(key, "Shift+"); ok {
			key, modifiers = rest, append(modifiers, chromedp.ModifierShift)
		}
		if named, ok := keys[key]; ok {
			key = named
		} else {
			// As a keyboard's: what a page takes as a key is no letter in the field that
			// gets the focus for it.
			down = input.DispatchKeyEventTypeRawKeyDown
		}
		raw := func(event *input.DispatchKeyEventParams) {
			if event.Type == kb.KeyDown {
				event.Type = down
			}
		}
		ctx, cancel := context.WithTimeout(tab.ctx, patience)
		err := chromedp.Do(ctx, chromedp.KeyEvent(key, chromedp.KeyModifiers(modifiers...), raw))
		cancel()
		if err != nil {
			tab.t.Fatalf("the key %s: %v", name, err)
		}
	}
}

// write replaces the text of the field that an expression finds.
func (tab *Tab) write(field, text string) {
	tab.t.Helper()
	get[bool](tab, "(() => { const field = "+field+"; field.focus(); field.select(); return true; })()")
	if text == "" {
		tab.press("Delete")
		return
	}
	call(tab, input.InsertText, input.InsertTextParams{Text: text})
}

// click clicks the middle of the element that an expression finds, as a mouse
// does: once it stands still, and never through something that covers it.
func (tab *Tab) click(element string) {
	tab.t.Helper()
	// A page that has just opened may still be on its way to where its address
	// leads, and a scroll that is under way wins over this one: once more then.
	at := get[[2]float64](tab, `(async () => {
		const element = `+element+`;
		const middle = () => {
			const { x, y, width, height } = element.getBoundingClientRect();
			return [x + width / 2, y + height / 2];
		};
		let there = null;
		for (let tries = 0; tries < 20; tries++) {
			element.scrollIntoView({ block: 'center', behavior: 'instant' });
			let at = middle();
			for (let still = 0; still < 5;) {
				await new Promise(requestAnimationFrame);
				const now = middle();
				still = now[0] === at[0] && now[1] === at[1] ? still + 1 : 0;
				at = now;
			}
			there = document.elementFromPoint(...at);
			if (element.contains(there)) return at;
		}
		throw new Error('it is covered by ' + (there?.outerHTML ?? 'nothing'));
	})()`)
	ctx, cancel := context.WithTimeout(tab.ctx, patience)
	defer cancel()
	if err := chromedp.Do(ctx, chromedp.MouseClickXY(at[0], at[1])); err != nil {
		tab.t.Fatalf("a click on %s: %v", element, err)
	}
}

// settle waits until the page is drawn as it is now: fonts, formulas, charts.
func (tab *Tab) settle() {
	tab.t.Helper()
	get[bool](tab, `new Promise((done) => document.fonts.ready.then(() =>
		requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(() => done(true), 50)))))`)
}

// picture saves what the page shows, the whole of it.
func (tab *Tab) picture(file string) {
	tab.t.Helper()
	tab.whole()
	tab.save(file, nil)
}

// whole has also that laid out and painted which is far from what is seen.
func (tab *Tab) whole() {
	tab.t.Helper()
	get[bool](tab, `(() => {
		const sheet = new CSSStyleSheet();
		sheet.replaceSync('.widget, wb-ladder { content-visibility: visible !important; }');
		document.adoptedStyleSheets = [sheet];
		return true;
	})()`)
	tab.settle()
}

// pictureOf saves what one example shows.
func (tab *Tab) pictureOf(id, file string) {
	tab.t.Helper()
	tab.whole()
	box := get[[4]float64](tab, `(() => {
		const { x, y, width, height } = e2e.widget(%s).getBoundingClientRect();
		return [x + scrollX - 8, y + scrollY - 8, width + 16, height + 16];
	})()`, id)
	tab.save(file, &page.Viewport{X: max(0, box[0]), Y: max(0, box[1]), Width: box[2], Height: box[3], Scale: 1})
}

// window saves what the window shows.
func (tab *Tab) window(file string) {
	tab.t.Helper()
	tab.shoot(file, page.CaptureScreenshotParams{})
}

func (tab *Tab) save(file string, clip *page.Viewport) {
	tab.t.Helper()
	if clip == nil {
		size := call(tab, page.GetLayoutMetrics, cdp.Empty{}).CSSContentSize
		clip = &page.Viewport{Width: size.Width, Height: size.Height, Scale: 1}
	}
	yes := true
	tab.shoot(file, page.CaptureScreenshotParams{Clip: clip, CaptureBeyondViewport: &yes})
}

func (tab *Tab) shoot(file string, params page.CaptureScreenshotParams) {
	tab.t.Helper()
	shot := call(tab, page.CaptureScreenshot, params)
	err := os.MkdirAll(filepath.Dir(file), 0o755)
	if err == nil {
		err = os.WriteFile(file, shot.Data, 0o644)
	}
	if err != nil {
		tab.t.Errorf("a picture of the page: %v", err)
	}
}

// edit opens an example's form and writes a text into the field of that label.
func (tab *Tab) edit(id, label, text string) {
	tab.t.Helper()
	get[bool](tab, "(e2e.find(%s, '.edit').open = true)", id)
	tab.write(script("e2e.field(%s, %s)", id, label), text)
}

// A State is where an example stands, as its reader sees it.
type State struct {
	Step, Steps                     int // from 1
	Title, Sentence, Flat, Verdict  string
	Notice, Made, Device, Loss, URL string
	Stale, Running                  bool
}

func (tab *Tab) state(id string) State {
	tab.t.Helper()
	return get[State](tab, "e2e.state(%s)", id)
}

// A Grid is one tensor on an example's stage.
type Grid struct {
	Name               string
	Cells              [][]string
	Selected, Operands []string // "row,column"
}

func (tab *Tab) grids(id string) []Grid {
	tab.t.Helper()
	return get[[]Grid](tab, "e2e.grids(%s)", id)
}

// widgets lists the examples of the page, by name.
func (tab *Tab) widgets() []string {
	tab.t.Helper()
	return get[[]string](tab, "[...document.querySelectorAll(e2e.selector)].map((one) => one.id)")
}

// focusOn puts the focus where the keys of an example step.
func (tab *Tab) focusOn(id string) {
	tab.t.Helper()
	get[bool](tab, "(e2e.widget(%s).focusStep(), true)", id)
}
