package e2e

import (
	"slices"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
)

// Deep links that are timed: an example, the place in it, and what it has to show
// before the place counts as drawn.
var timedLinks = []struct{ name, id, path, shows string }{
	{"kernel", "tiled", "/chapters/07-product-in-three-versions?widget=tiled&step=100#tiled", "table.lanes tbody td"},
	{"tiles", tilesID, tilesPage + "?widget=" + tilesID + "&phase=2#" + tilesID, ".tiles-panel + .tiles-panel .tiles-variables"},
	{"decoder", "tiny-decoder", "/chapters/04-tiny-decoder?widget=tiny-decoder&step=100#tiny-decoder", "table.grid td"},
}

// opening is what a page that was just opened says of its way to a place, in
// milliseconds since the navigation began.
type opening struct {
	Parsed float64 // the document has been read
	Drawn  float64 // the place is drawn and has the focus, and the frame is out
	Files  int     // that were asked for
	Bytes  int     // that came over the wire
}

// whenDrawn is a script that a page runs before its own. A frame that has been
// drawn is over when the next task begins.
const whenDrawn = `(([id, shows]) => {
	globalThis.opened = new Promise((done) => {
		const look = () => {
			const stage = e2e.find(id, '.stage');
			const there = stage && stage === document.activeElement && !stage.hasAttribute('aria-busy') &&
				/^(step 100|phase 2) of/.test(e2e.words(e2e.find(id, '.step-count'))) && e2e.words(e2e.find(id, '.step-title')) && e2e.find(id, shows) &&
				stage.getBoundingClientRect().top >= 0 && stage.getBoundingClientRect().top < innerHeight;
			if (!there) return requestAnimationFrame(look);
			const { port1, port2 } = new MessageChannel();
			port1.onmessage = () => {
				const [visit] = performance.getEntriesByType('navigation');
				const files = performance.getEntriesByType('resource');
				done({ parsed: visit.domContentLoadedEventStart, drawn: performance.now(), files: files.length + 1, bytes: [visit, ...files].reduce((sum, one) => sum + one.transferSize, 0) });
			};
			port2.postMessage(0);
		};
		requestAnimationFrame(look);
	});
})(%s)`

// BenchmarkDeepLink opens links to a place in an example: in an empty window, for which
// the browser begins a process, with nothing in its cache, and with all of it there; and
// from another page of the course. A link is open when its place is drawn and the keys
// step it.
func BenchmarkDeepLink(b *testing.B) {
	site := course(b, true)
	for _, link := range timedLinks {
		for _, way := range []string{"cold", "warm", "within"} {
			b.Run(link.name+"/"+way, func(b *testing.B) {
				tab := newTab(b, site)
				// To be told of each request costs time.
				call(tab, network.Disable, cdp.Empty{})
				call(tab, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: script(whenDrawn, []string{link.id, link.shows})})
				before := "about:blank"
				if way == "within" {
					before = tab.site.url("/")
				}
				open(tab, before, link.path)
				var all []opening
				for b.Loop() {
					if way == "cold" {
						call(tab, network.ClearBrowserCache, cdp.Empty{})
					}
					all = append(all, open(tab, before, link.path))
				}
				report := func(unit string, of func(opening) float64) {
					var list []float64
					for _, o := range all {
						list = append(list, of(o))
					}
					slices.Sort(list)
					b.ReportMetric(list[len(list)/2], unit)
				}
				report("ms-parsed", func(o opening) float64 { return o.Parsed })
				report("ms-drawn", func(o opening) float64 { return o.Drawn })
				report("files", func(o opening) float64 { return float64(o.Files) })
				report("kB", func(o opening) float64 { return float64(o.Bytes) / 1000 })
				b.ReportMetric(0, "ns/op") // with the time that a tab takes
			})
		}
	}
}

// open goes to an address, from another one, and waits until its place is drawn.
func open(tab *Tab, before, path string) opening {
	call(tab, page.Navigate, page.NavigateParams{URL: before})
	time.Sleep(300 * time.Millisecond) // what the page before left to do is done
	call(tab, page.Navigate, page.NavigateParams{URL: tab.site.url(path)})
	tab.until("the page", "globalThis.opened")
	return get[opening](tab, "globalThis.opened")
}

// stepping is how long the steps of an example took.
type stepping struct {
	Steps  []float64 // milliseconds of each: from the key until it is drawn and laid out
	Frames []float64 // and of each frame while the key was held
	Tasks  []float64 // that held the page up for more than 50 ms
}

// steps presses a key again and again, each time when the step before is drawn, which
// leaves nothing that could have been fetched ahead; then it holds the key for two
// seconds, as a keyboard repeats it.
const steps = `(async ([id, css, there, back, turn, times]) => {
	const stage = e2e.find(id, css);
	const rest = () => (e2e.widget(id).localName === 'wb-tiles' ? !e2e.find(id, '[aria-busy]') : e2e.atRest(id));
	const press = (key) => stage.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true, repeat: true }));
	const task = () => new Promise((done) => {
		const { port1, port2 } = new MessageChannel();
		port1.onmessage = () => { port1.close(); done(); };
		port2.postMessage(0);
	});
	const frame = () => new Promise(requestAnimationFrame);
	stage.focus();
	const out = { steps: [], frames: [], tasks: [] };
	let key = there;
	for (let i = 0, left = turn; i < times; i++, left--) {
		if (left === 0) [key, left] = [key === there ? back : there, turn];
		const began = performance.now();
		press(key);
		do await task(); while (!rest());
		stage.getBoundingClientRect();
		out.steps.push(performance.now() - began);
	}
	const watch = new PerformanceObserver((list) => out.tasks.push(...list.getEntries().map(({ duration }) => duration)));
	watch.observe({ type: 'longtask' });
	const end = performance.now() + 2000;
	let pressed = 0;
	let last = await frame();
	for (let now = last; now < end; last = now) {
		if (now > pressed + 1000 / 30) {
			pressed = now;
			press(key);
		}
		now = await frame();
		out.frames.push(now - last);
	}
	watch.disconnect();
	return out;
})(%s)`

// BenchmarkStepping steps through a recorded block, forwards and backwards, and holds
// the key down.
func BenchmarkStepping(b *testing.B) {
	site := course(b, true)
	for _, c := range []struct {
		name, path, id string
		there, back    string
		turn           int // steps until it goes back
	}{
		{"kernel/forwards", "/chapters/07-product-in-three-versions?widget=tiled&step=100#tiled", "tiled", "j", "j", 100},
		{"kernel/backwards", "/chapters/07-product-in-three-versions?widget=tiled&step=400#tiled", "tiled", "k", "k", 100},
		{"blocked/forwards", "/chapters/07-product-in-three-versions?widget=blocked&step=100#blocked", "blocked", "j", "j", 100},
		{"tiles", tilesPage + "?widget=" + tilesID + "&phase=0#" + tilesID, tilesID, "j", "k", 4},
	} {
		b.Run(c.name, func(b *testing.B) {
			tab := newTab(b, site)
			call(tab, network.Disable, cdp.Empty{})
			var all stepping
			for b.Loop() {
				tab.open(c.path)
				tab.until("the place", "e2e.focus().widget === %s && !e2e.find(%s, '[aria-busy]')", c.id, c.id)
				tab.settle()
				one := get[stepping](tab, steps, []any{c.id, ".stage", c.there, c.back, c.turn, 100})
				all.Steps = append(all.Steps, one.Steps...)
				all.Frames = append(all.Frames, one.Frames...)
				all.Tasks = append(all.Tasks, one.Tasks...)
			}
			all.report(b)
		})
	}
}

func (s stepping) report(b *testing.B) {
	at := func(list []float64, part float64) float64 {
		if len(list) == 0 {
			return 0
		}
		slices.Sort(list)
		return list[int(part*float64(len(list)-1))]
	}
	b.ReportMetric(at(s.Steps, 0.5), "ms/step")
	b.ReportMetric(at(s.Steps, 0.95), "ms/step-p95")
	b.ReportMetric(at(s.Frames, 0.5), "ms/frame")
	b.ReportMetric(at(s.Frames, 0.95), "ms/frame-p95")
	b.ReportMetric(at(s.Tasks, 1), "ms/longest-task")
	b.ReportMetric(0, "ns/op")
}
