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
				stage.getBoundingClientRect().top < innerHeight && stage.getBoundingClientRect().bottom > 0;
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

// BenchmarkDeepLink opens links to a place in an example: with nothing in the
// browser's cache, and once more with all of it there. A link is open when its place
// is drawn and the keys step it.
func BenchmarkDeepLink(b *testing.B) {
	site := course(b, true)
	for _, link := range timedLinks {
		for _, warm := range []bool{false, true} {
			name := link.name + "/cold"
			if warm {
				name = link.name + "/warm"
			}
			b.Run(name, func(b *testing.B) {
				tab := newTab(b, site)
				// To be told of each request costs time.
				call(tab, network.Disable, cdp.Empty{})
				call(tab, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: script(whenDrawn, []string{link.id, link.shows})})
				open(tab, link.path)
				var all []opening
				for b.Loop() {
					if !warm {
						call(tab, network.ClearBrowserCache, cdp.Empty{})
					}
					all = append(all, open(tab, link.path))
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

// open goes to an address and waits until its place is drawn.
func open(tab *Tab, path string) opening {
	call(tab, page.Navigate, page.NavigateParams{URL: "about:blank"})
	time.Sleep(300 * time.Millisecond) // what the page before left to do is done
	call(tab, page.Navigate, page.NavigateParams{URL: tab.site.url(path)})
	tab.until("the page", "globalThis.opened")
	return get[opening](tab, "globalThis.opened")
}
