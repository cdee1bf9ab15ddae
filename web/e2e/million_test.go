package e2e

import (
	"testing"
	"testing/fstest"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/network"
)

// aMillion is a chapter with an addition of 2²⁰ elements, as a kernel and as tiles.
const aMillion = `---
title: A million
summary: As many threads as elements.
outcomes:
  - see that a page does not draw what nobody sees
---

## An addition

` + "```kernel million" + `
source: add.cu
launch:
  kernel: add
  grid: [4096]
  block: [256]
  args:
    - {name: x, type: f32, shape: [1048576], fill: iota}
    - {name: y, type: f32, shape: [1048576], fill: ones}
    - {name: out, type: f32, shape: [1048576], out: true}
    - {name: n, type: i32, value: 1048576}
block: [4095, 0, 0]
step: 2
` + "```" + `

## Who loads what

` + "```tiles all-of-them" + `
kernels:
  - title: add
    source: add.cu
    launch:
      kernel: add
      grid: [4096]
      block: [256]
      args:
        - {name: x, type: f32, shape: [1048576], fill: iota}
        - {name: y, type: f32, shape: [1048576], fill: ones}
        - {name: out, type: f32, shape: [1048576], out: true}
        - {name: n, type: i32, value: 1048576}
    block: [4095, 0, 0]
` + "```" + `
`

const addSource = `__global__ void add(const float* x, const float* y, float* out, int n) {
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n) {
		out[i] = x[i] + y[i];
	}
}
`

// BenchmarkMillion steps and walks through a launch of a million elements.
func BenchmarkMillion(b *testing.B) {
	o := options(true)
	o.Chapters = fstest.MapFS{
		"01-million/chapter.md": {Data: []byte(aMillion)},
		"01-million/add.cu":     {Data: []byte(addSource)},
	}
	site := serve(b, o)
	for _, c := range []struct{ id, selector, there, back string }{
		{"million", ".stage", "j", "k"},
		// By the map of an array, a window of which is drawn: 64 rows of 32 elements.
		{"all-of-them", ".tiles-maps .map-cell", "PageUp", "PageDown"},
	} {
		b.Run(c.id, func(b *testing.B) {
			tab := newTab(b, site)
			call(tab, network.Disable, cdp.Empty{})
			var all stepping
			longest := 0.0
			for b.Loop() {
				tab.open("/chapters/01-million?widget=" + c.id + "#" + c.id)
				tab.until("the place", "e2e.focus().widget === %s && !e2e.find(%s, '[aria-busy]')", c.id, c.id)
				tab.settle()
				longest = max(longest, get[float64](tab, `new Promise((done) => new PerformanceObserver((list, watch) => {
					watch.disconnect();
					done(Math.max(0, ...list.getEntries().map(({ duration }) => duration)));
				}).observe({ type: 'longtask', buffered: true }))`))
				one := get[stepping](tab, steps, []any{c.id, c.selector, c.there, c.back, 20, 100})
				all.Steps = append(all.Steps, one.Steps...)
				all.Frames = append(all.Frames, one.Frames...)
				all.Tasks = append(all.Tasks, one.Tasks...)
			}
			all.report(b)
			b.ReportMetric(longest, "ms/longest-opening-task")
		})
	}
}
