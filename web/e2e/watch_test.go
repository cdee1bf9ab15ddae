package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
)

// watch notes what no page of the course may do. The browser calls it for
// every event of a tab.
func (tab *Tab) watch(event any) {
	switch e := event.(type) {
	case *network.EventRequestWillBeSent:
		if !tab.own(e.Request.URL) {
			tab.fault("a request to another host: " + e.Request.URL)
		}
	case *network.EventWebSocketCreated:
		if !tab.own(e.URL) {
			tab.fault("a connection to another host: " + e.URL)
		}
	case *runtime.EventExceptionThrown:
		tab.fault("an exception that nothing caught: " + describe(e.ExceptionDetails))
	case *runtime.EventConsoleAPICalled:
		switch e.Type {
		case runtime.ConsoleAPICalledTypeError, runtime.ConsoleAPICalledTypeWarning, runtime.ConsoleAPICalledTypeAssert:
			words := []string{"console." + string(e.Type) + ":"}
			for _, arg := range e.Args {
				words = append(words, spell(arg))
			}
			tab.fault(strings.Join(words, " "))
		}
	case *log.EventEntryAdded:
		// Among these are what the Content-Security-Policy stopped, and
		// answers that are errors.
		if e.Entry.Level == log.EntryLevelError || e.Entry.Level == log.EntryLevelWarning {
			tab.fault(fmt.Sprintf("the browser logged (%s): %s %s", e.Entry.Source, e.Entry.Text, e.Entry.URL))
		}
	}
}

// own reports whether an address is the site's, or has no host at all.
func (tab *Tab) own(address string) bool {
	u, err := url.Parse(address)
	if err != nil {
		return false
	}
	switch u.Scheme {
	case "data", "about":
		return true
	case "blob":
		return strings.HasPrefix(u.Opaque, "http://"+tab.site.address+"/")
	}
	return u.Host == tab.site.address
}

func describe(e *runtime.ExceptionDetails) string {
	text := fmt.Sprintf("%s at %s:%d:%d", e.Text, e.URL, e.LineNumber+1, e.ColumnNumber+1)
	if e.Exception != nil {
		text += ": " + spell(e.Exception)
	}
	return text
}

func spell(o *runtime.RemoteObject) string {
	if o.Description != "" {
		return o.Description
	}
	var text string
	if json.Unmarshal(o.Value, &text) == nil {
		return text
	}
	return string(o.Value)
}

func (tab *Tab) fault(text string) {
	tab.mu.Lock()
	defer tab.mu.Unlock()
	if tab.excuse == nil || !tab.excuse(text) {
		tab.faults = append(tab.faults, text)
	}
}

// takeFaults returns what the watch saw so far.
func (tab *Tab) takeFaults() []string {
	tab.mu.Lock()
	defer tab.mu.Unlock()
	defer func() { tab.faults = nil }()
	return tab.faults
}

// allow lets pass what a test brings about itself, until it is called again.
func (tab *Tab) allow(excuse func(fault string) bool) {
	tab.mu.Lock()
	defer tab.mu.Unlock()
	tab.excuse = excuse
}

// TestTheWatchSees holds the watch to what it is there for, on pages that do
// what no page of ours may.
func TestTheWatchSees(t *testing.T) {
	t.Parallel()
	theBrowser(t)
	const policy = "default-src 'self'; script-src 'self'; style-src 'self'; img-src * data: blob:; connect-src * data: blob:"
	pages := map[string]string{
		"/scripts/throw.js":   `setTimeout(() => { throw new Error('thrown') })`,
		"/scripts/reject.js":  `Promise.reject(new Error('rejected'))`,
		"/scripts/console.js": `console.error('an', { error: 1 })`,
		"/scripts/warn.js":    `console.warn('careful')`,
		"/scripts/fetch.js":   `fetch('http://other.invalid/data').catch(() => {})`,
		"/scripts/socket.js":  `new WebSocket('ws://other.invalid/live')`,
		"/scripts/clean.js":   `console.log('hello'); fetch('/').then((r) => r.blob()).then((b) => fetch(URL.createObjectURL(b))).catch(() => {})`,
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if body, ok := pages[r.URL.Path]; ok {
			w.Header().Set("Content-Type", "text/javascript")
			fmt.Fprint(w, body)
			return
		}
		if r.URL.Path != "/" {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Security-Policy", policy)
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		body := r.URL.Query().Get("body")
		fmt.Fprintf(w, `<!DOCTYPE html><title>A page</title><link rel="icon" href="data:,">%s`, body)
	}))
	defer server.Close()
	site := &Site{address: strings.TrimPrefix(server.URL, "http://"), log: &logbook{}}

	for _, c := range []struct{ name, body, want string }{
		{"clean", `<p>Nothing.</p><script src="/scripts/clean.js"></script>`, ""},
		{"picture of another host", `<img alt="" src="http://other.invalid/x.png">`, "another host: http://other.invalid/x.png"},
		{"request to another host", `<script src="/scripts/fetch.js"></script>`, "another host: http://other.invalid/data"},
		{"socket to another host", `<script src="/scripts/socket.js"></script>`, "another host: ws://other.invalid/live"},
		{"exception", `<script src="/scripts/throw.js"></script>`, "Error: thrown"},
		{"rejection", `<script src="/scripts/reject.js"></script>`, "Error: rejected"},
		{"console error", `<script src="/scripts/console.js"></script>`, "console.error: an"},
		{"console warning", `<script src="/scripts/warn.js"></script>`, "careful"},
		{"missing file", `<script src="/missing.js"></script>`, "404"},
		{"inline script", `<script>document.title = 'never'</script>`, "Content Security Policy"},
		{"inline style", `<p style="color: red">Red</p>`, "Content Security Policy"},
	} {
		t.Run(c.name, func(t *testing.T) {
			tab := newTab(t, site)
			tab.load("/?body=" + url.QueryEscape(c.body))
			if c.want == "" {
				return // the tab's end fails the test for anything it saw
			}
			seen := func() bool {
				tab.mu.Lock()
				defer tab.mu.Unlock()
				return slices.ContainsFunc(tab.faults, func(f string) bool { return strings.Contains(f, c.want) })
			}
			for range 500 {
				if seen() {
					break
				}
				get[int](tab, "new Promise((done) => setTimeout(() => done(1), 10))")
			}
			if faults := tab.takeFaults(); !slices.ContainsFunc(faults, func(f string) bool { return strings.Contains(f, c.want) }) {
				t.Errorf("the watch saw %q, want %q", faults, c.want)
			}
			tab.allow(func(string) bool { return true }) // one fault may bring another
		})
	}
}
