package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"workbench/web"
)

// widths of the pages that pictures are taken of: a telephone, a laptop and a
// projector.
var widths = []int64{360, 1280, 1920}

var schemes = []string{"light", "dark"}

// views are the pages worth a look, and what to do there first.
var views = []struct {
	name, path string
	prepare    func(tab *Tab)
}{
	{"contents", "/", nil},
	{"chapter 1", "/chapters/01-one-product", nil},
	{"chapter 2", "/chapters/02-rows-sums-means", nil},
	{"chapter 3", "/chapters/03-views-and-packing", nil},
	{"chapter 4", "/chapters/04-tiny-decoder", nil},
	{"chapter 5", "/chapters/05-memory-boundary", nil},
	{"chapter 6", "/chapters/06-how-kernels-divide-work", nil},
	{"chapter 7", "/chapters/07-product-in-three-versions", nil},
	{"not found", "/chapters/none", nil},
}

// states are examples worth a look, each by itself.
var states = []struct {
	name, link string
	prepare    func(tab *Tab, id string)
}{
	{"product cell", "01-one-product?widget=first-product&step=4&device=cpu", nil},
	{"product given", "01-one-product?widget=first-product&step=0&device=cpu", nil},
	{"product batch", "01-one-product?widget=two-batches&step=12&device=cpu", nil},
	{"product fused", "01-one-product?widget=fused&step=3&device=cpu,fused", nil},
	{"product edited", "01-one-product?widget=first-product&step=4&device=cpu", func(tab *Tab, id string) {
		tab.edit(id, "Left matrix A", "1 2\n3 4 5")
	}},
	{"product devices", "01-one-product?widget=first-product&step=4&device=cpu", func(tab *Tab, id string) {
		get[bool](tab, "(e2e.find(%s, '.missing-devices').open = true)", id)
	}},
	{"product keys", "01-one-product?widget=first-product&step=4&device=cpu", func(tab *Tab, id string) {
		tab.focusOn(id)
		tab.press("?")
	}},
	{"reduction", "02-rows-sums-means?widget=row-sums&step=2&device=cpu", nil},
	{"view", "03-views-and-packing?widget=transpose&step=1&cell=0,1,0&device=cpu", nil},
	{"view packed", "03-views-and-packing?widget=pack-then-reshape&step=2&cell=0,1,0&device=cpu", nil},
	{"view edited", "03-views-and-packing?widget=slice&step=1&device=cpu", func(tab *Tab, id string) {
		get[bool](tab, "(e2e.find(%s, '.edit').open = true)", id)
	}},
	{"decoder tokens", "04-tiny-decoder?widget=tiny-decoder&step=0&device=cpu", nil},
	{"decoder product", "04-tiny-decoder?widget=tiny-decoder&step=9&cell=0,1,2&device=cpu", nil},
	{"decoder gradients", "04-tiny-decoder?widget=tiny-decoder&step=318&device=cpu", nil},
	{"boundary packed", "05-memory-boundary?widget=tiny-requests&step=2&device=cpu", nil},
	{"boundary complete", "05-memory-boundary?widget=tiny-requests&step=5&device=cpu", nil},
	{"kernel", "07-product-in-three-versions?widget=tiled&step=123&cell=left[3][4]", nil},
	{"kernel exchange", "06-how-kernels-divide-work?widget=softmax&step=20", nil},
	{"kernel other run", "06-how-kernels-divide-work?widget=add", func(tab *Tab, id string) {
		tab.rewrite(id, "__global__ void add(const float* x, const float* y, float* out, int n) {\nunsigned* sum = (unsigned*)out;\nfor (int k = 0; k < 20000; k++) {\nfloat idle = k * 3.0f;\n*sum = *sum * 1664525u + threadIdx.x;\n}\n}\n")
		tab.press("Ctrl+Enter")
		tab.until("the sentence", "e2e.words(e2e.find(%s, '.stage')).includes('another run of the kernel')", id)
	}},
	{"kernel raced", "07-product-in-three-versions?widget=tiled&step=40", func(tab *Tab, id string) {
		tab.writeLine(id, barrier, "")
		tab.press("Ctrl+Enter")
		tab.until("the reports", "e2e.kernel(%s).reports.length > 0", id)
		tab.atRest(id)
	}},
	{"kernel stale", "06-how-kernels-divide-work?widget=softmax&step=60", func(tab *Tab, id string) {
		tab.atRest(id)
		tab.writeLine(id, 1, "// another kernel")
		get[bool](tab, "(e2e.find(%s, '.launch').open = true)", id)
	}},
	{"kernel mistaken", "06-how-kernels-divide-work?widget=add", func(tab *Tab, id string) {
		tab.rewrite(id, "__global__ void add(const float* x, const float* y, float* out, int n) {\n\tout[0] = z;\n}\n")
		tab.press("Ctrl+Enter")
		tab.until("the mistake", "e2e.shown(e2e.find(%s, '.compile'))", id)
	}},
	{"kernel plain", "06-how-kernels-divide-work?widget=softmax&step=60", nil},
	{"kernel lanes", "07-product-in-three-versions?widget=blocked&step=400&thread=5,3,0&view=lanes", nil},
	{"kernel line by line", "07-product-in-three-versions?widget=tiled&step=100&view=lines", nil},
	{"kernel carried", "07-product-in-three-versions?widget=naive&step=8", func(tab *Tab, id string) {
		get[bool](tab, "(e2e.widget(%s).edit.borrow({ source: '// carried' + String.fromCharCode(10) + e2e.widget(%s).edit.texts.source }), e2e.widget(%s).replaced(), true)", id, id, id)
		get[bool](tab, "(e2e.find(%s, '.source-tools button').click(), true)", id)
	}},
	{"kernel running", "06-how-kernels-divide-work?widget=add", func(tab *Tab, id string) {
		tab.rewrite(id, "__global__ void add(const float* x, const float* y, float* out, int n) {\n\twhile (n) { out[0] += x[0]; }\n}\n")
		tab.press("Ctrl+Enter")
		tab.until("the run", "e2e.state(%s).running", id)
	}},
	{"kernel block", "06-how-kernels-divide-work?widget=add&block=1,0,0", func(tab *Tab, id string) { tab.atRest(id) }},
	{"ladder", "07-product-in-three-versions?widget=ladder", nil},
	{"contracts", "05-memory-boundary?widget=tenths", nil},
	{"tiles", "07-product-in-three-versions?widget=naive-and-tiled&phase=2&thread=3,2,0", tilesDrawn},
	{"tiles element", "07-product-in-three-versions?widget=naive-and-tiled&phase=1&thread=3,2,0", func(tab *Tab, id string) {
		tilesDrawn(tab, id)
		get[bool](tab, "(e2e.widget(%s).querySelectorAll('.level-shared')[1].querySelector('.map-cell').focus(), true)", id)
		tab.press("ArrowDown", "ArrowRight", "Enter")
		tab.click(script("e2e.find(%s, '.tiles-requests button')", id))
		tab.until("the banks", "e2e.find(%s, '.bank-scroll')", id)
	}},
	{"tiles often", "07-product-in-three-versions?widget=naive-and-tiled&phase=all&view=often", tilesDrawn},
	{"tiles launch", "07-product-in-three-versions?widget=naive-and-tiled&phase=all&view=launch", func(tab *Tab, id string) {
		tab.until("every block", "e2e.words(e2e.find(%s, '.tiles-legend')).includes('loaded twice')", id)
		tilesDrawn(tab, id)
	}},
	{"comparison", "04-tiny-decoder?widget=cpu-and-fused&device=cpu+cpu,fused", nil},
	{"comparison found", "04-tiny-decoder?widget=cpu-and-fused&cell=logits[0,1,40]&device=cpu+cpu,fused", nil},
}

// TestScreenshots writes pictures for people to look at. It asserts nothing
// beyond what every test does, and runs only where it is asked for.
func TestScreenshots(t *testing.T) {
	t.Parallel()
	folder := os.Getenv(pictures)
	if folder == "" {
		t.Skip("set " + pictures + " to a folder to have pictures written there")
	}
	site := course(t, true)
	// What an example draws when it is near is near in a window as high as it is.
	const tall = 5000
	each := func(tab *Tab, height int64, shot func(ending string)) {
		for _, width := range widths {
			for _, scheme := range schemes {
				tab.size(width, height)
				tab.scheme(scheme)
				time.Sleep(300 * time.Millisecond) // an editor measures its lines a while after they have another size
				tab.settle()
				shot(fmt.Sprintf("%d %s.png", width, scheme))
			}
		}
	}
	for _, v := range views {
		t.Run(v.name, func(t *testing.T) {
			tab := newTab(t, site)
			tab.allow(func(fault string) bool { return v.name == "not found" && strings.Contains(fault, "404") })
			tab.open(v.path)
			each(tab, 900, func(ending string) { tab.picture(filepath.Join(folder, v.name+" "+ending)) })
		})
	}
	for _, s := range states {
		t.Run(s.name, func(t *testing.T) {
			_, id, _ := strings.Cut(s.link, "widget=")
			id, _, _ = strings.Cut(id, "&")
			tab := newTab(t, site)
			tab.open("/chapters/" + s.link + "#" + id)
			if s.prepare != nil {
				s.prepare(tab, id)
			}
			each(tab, tall, func(ending string) { tab.pictureOf(id, filepath.Join(folder, s.name+" "+ending)) })
		})
	}
	// States of other courses than ours.
	for _, s := range []struct {
		name, path, id string
		site           web.Options
	}{
		{"kernel never run", neverRun, "sum", aDevice("cuda:0")},
		{"ladder with a GPU", ladderPage + "?widget=ladder#ladder", "ladder", withGPU(options(true), nil, nil)},
	} {
		t.Run(s.name, func(t *testing.T) {
			tab := newTab(t, serve(t, s.site))
			tab.open(s.path)
			each(tab, tall, func(ending string) { tab.pictureOf(s.id, filepath.Join(folder, s.name+" "+ending)) })
		})
	}
}

// tilesDrawn waits until both kernels are drawn.
func tilesDrawn(tab *Tab, id string) {
	tab.until("both kernels", "e2e.widget(%s).querySelectorAll('.tiles-variables').length === 2", id)
}
