package e2e

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"workbench/engine"
	"workbench/engine/device"
	"workbench/engine/experiment"
	"workbench/engine/launch"
)

const (
	tilesPage = "/chapters/07-product-in-three-versions"
	tilesID   = "naive-and-tiled"
)

// recordedTiles runs a kernel of the widget on the emulator and returns what a
// block of it touched.
func recordedTiles(t *testing.T, tab *Tab, which int, block launch.Index) (launch.Tape, *launch.Touched, *launch.Measurement) {
	t.Helper()
	input := get[experiment.Input](tab, "e2e.data(%s).kernels[%s].input", tilesID, which)
	e, err := experiment.Read(input)
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	host, err := engine.Open(ctx, "cpu,fused")
	if err != nil {
		t.Fatal(err)
	}
	spec := device.Spec{Kind: device.Emulator}
	o, err := e.Run(ctx, experiment.On{Spec: spec, Launcher: engine.Emulator(e.Watch()), Host: host}, experiment.Options{Record: []launch.Index{block}})
	if err != nil {
		t.Fatal(err)
	}
	tape := o.Recording(0).Tape()
	touched, err := o.Recording(0).Touched(ctx, 0, tape.Steps)
	if err != nil {
		t.Fatal(err)
	}
	return tape, touched, o.Measurements[0]
}

// A panel is what the widget shows of one kernel.
type panel struct {
	Place     string
	Maps      map[string]map[string][]string // by title and kind of mark: "row,column"
	Accesses  map[string][]string            // the table's rows
	Variables map[string]string
}

// tiles reads both kernels: a mark's places are read off its path.
func (tab *Tab) tiles() []panel {
	tab.t.Helper()
	return get[[]panel](tab, `[...e2e.widget(%s).querySelectorAll('.tiles-panel')].map((panel) => ({
		place: e2e.words(panel.querySelector('.tiles-place')),
		maps: Object.fromEntries([...panel.querySelectorAll('.map')].map((map) => [e2e.words(map.querySelector('.map-title')),
			Object.fromEntries([...map.querySelectorAll('path:not(.mark-lines)')].map((path) => [path.getAttribute('class').replace('mark-', ''),
				[...(path.getAttribute('d') ?? '').matchAll(/M([\d.]+) ([\d.]+)/g)].map(([, x, y]) => Math.floor(y) + ',' + Math.floor(x))]))])),
		accesses: Object.fromEntries([...panel.querySelectorAll('.tiles-accesses tbody tr')].map((row) => [e2e.words(row.cells[0]), [...row.cells].slice(1).map(e2e.words)])),
		variables: Object.fromEntries([...panel.querySelectorAll('.tiles-variables tbody tr')].map((row) => [e2e.words(row.cells[0]), e2e.words(row.cells[2])])),
	}))`, tilesID)
}

// TestTiles chooses a block and a thread of both products: the marks are the
// accesses that the emulator recorded, each value is loaded sixteen times less, and
// both kernels go through their phases in step, by keyboard and by link.
func TestTiles(t *testing.T) {
	t.Parallel()
	site := course(t, false)
	tab := newTab(t, site)
	tab.open(tilesPage + "?widget=" + tilesID + "&block=0,1,0&phase=2#" + tilesID)
	settled := func(what, place string) {
		t.Helper()
		tab.until(what, "[...e2e.widget(%s).querySelectorAll('.tiles-place')].at(-1).textContent === %s && !e2e.find(%s, '[aria-busy]')", tilesID, place, tilesID)
	}
	settled("a block that is recorded for the link", "block (0, 1), phase 2 of 0–4")

	// Block (1, 0) by its map, thread (3, 2) by numbers.
	tab.click(script("e2e.find(%s, '.index-picker .map-cell')", tilesID))
	tab.press("ArrowUp", "ArrowRight", "Enter")
	tab.until("the page's own block", "!e2e.find(%s, '').dataset.stale", tilesID)
	for axis, n := range []string{"3", "2"} {
		tab.write(script("e2e.widget(%s).querySelectorAll('.index-picker')[1].querySelectorAll('.index-field')[%s]", tilesID, axis), n)
		tab.press("Enter")
	}
	settled("the block", "block (1, 0), phase 2 of 0–4")
	if url := tab.state(tilesID).URL; !strings.Contains(url, "block=1,0,0&thread=3,2,0&phase=2&view=who") {
		t.Errorf("the address is %s", url)
	}

	block := launch.Index{1, 0, 0}
	const thread = 3 + 16*2
	tape, touched, measured := recordedTiles(t, tab, 1, block)
	shown := tab.tiles()
	for _, phase := range touched.Phases {
		if phase.Phase != 2 {
			continue
		}
		for _, a := range phase.Arrays {
			of := tape.Arrays[a.Array]
			columns := int64(of.Shape[1])
			places := func(threads []int, elements []int64, only int) []string {
				list := []string{}
				for i, e := range elements {
					if only < 0 || threads[i] == only {
						list = append(list, fmt.Sprintf("%d,%d", e/columns, e%columns))
					}
				}
				slices.Sort(list)
				return slices.Compact(list)
			}
			marks := shown[1].Maps[fmt.Sprintf("%s[%d][%d]", of.Name, of.Shape[0], of.Shape[1])]
			for kind, want := range map[string][]string{
				"load": places(a.LoadThreads, a.LoadElements, -1), "own-load": places(a.LoadThreads, a.LoadElements, thread),
				"store": places(a.StoreThreads, a.StoreElements, -1), "own-store": places(a.StoreThreads, a.StoreElements, thread),
			} {
				got := marks[kind]
				slices.Sort(got)
				if !slices.Equal(got, want) {
					t.Errorf("%s of %s: the page marks %v; recorded were %v", kind, of.Name, got, want)
				}
			}
		}
	}
	if got := shown[1].Maps["a[32][32]"]; len(got["load"]) != 256 || !slices.Equal(got["own-load"], []string{"2,19"}) {
		t.Errorf("of a %d elements are marked, and the thread's %v", len(got["load"]), got["own-load"])
	}
	if got := shown[1].Accesses["a"]; !slices.Equal(got, []string{"global", "[2, 19]", "–", "256 elements, each once", "–"}) {
		t.Errorf("the table says %q", got)
	}
	if got := shown[1].Variables; got["i"] != "2" || got["j"] != "19" || got["first"] != "16" {
		t.Errorf("the thread has the variables %v", got)
	}
	if got := shown[0].Place; got != "block (1, 0), phase 0 of 0–0, its last" {
		t.Errorf("naive is in %q", got)
	}

	// Each count of naive is sixteen times the tiled one's.
	_, naive, all := recordedTiles(t, tab, 0, block)
	for i, a := range naive.Uses[:2] {
		for k, n := range a.Loads {
			if b := touched.Uses[i]; a.Elements[k] != b.Elements[k] || n != 16*b.Loads[k] {
				t.Fatalf("element %d is loaded %d and %d times", a.Elements[k], n, b.Loads[k])
			}
		}
	}
	rows := get[[][]string](tab, "e2e.cells(e2e.find(%s, '.tiles-compared'))", tilesID)
	want := []string{"512 elements, each 16 times", "512 elements, each once", "16 times less", "1024 elements, each 32 times", "1024 elements, each twice"}
	if len(rows) != 2 || !slices.Equal(rows[0], want) || !slices.Equal(rows[1], want) || all.Buffers[0].LoadsPerElement != 16*measured.Buffers[0].LoadsPerElement {
		t.Errorf("the comparison says %q", rows)
	}

	// The next phase: sixteen by sixteen values, each read by sixteen threads.
	tab.focusOn(tilesID)
	tab.press("ArrowRight")
	settled("the next phase", "block (1, 0), phase 3 of 0–4")
	shown = tab.tiles()
	if got := shown[1].Accesses["left"]; !slices.Equal(got, []string{"shared", "[2, 0–15]", "–", "256 elements, each 16 times", "–"}) {
		t.Errorf("of the tile the table says %q", got)
	}
	// An element of the tile, by keys: who stored it, who reads it.
	get[bool](tab, "(e2e.widget(%s).querySelectorAll('.level-shared')[1].querySelector('.map-cell').focus(), true)", tilesID)
	tab.press("Home", "ArrowDown", "ArrowRight", "Enter")
	if got := get[string](tab, "e2e.words(e2e.find(%s, '.tiles-users'))", tilesID); !strings.Contains(got, "stored last by thread (1, 1)") || !strings.Contains(got, "loaded 16 times, by 16 threads: (0, 1) to (15, 1)") {
		t.Errorf("of left[1, 1] it says %q", got)
	}
	if users := get[int](tab, "e2e.widget(%s).querySelectorAll('.index-picker')[1].querySelector('.mark-user').getAttribute('d').split('M').length - 1", tilesID); users != 16 {
		t.Errorf("%d threads are marked", users)
	}
	tab.click(script("e2e.find(%s, '.tiles-requests button')", tilesID))
	tab.until("the banks", "e2e.words([...e2e.widget(%s).querySelectorAll('.tiles-banks')].at(-1)).includes('32 lanes load left in 1 turn, without a conflict')", tilesID)
	tab.focusOn(tilesID)
	tab.press("End")
	settled("the last phase", "block (1, 0), phase 4 of 0–4")
	if got := tab.tiles()[1].Accesses["c"]; got[2] != "[2, 19]" || got[4] != "256 elements, each once" {
		t.Errorf("of the result the table says %q", got)
	}
	tab.press("Home")
	settled("all phases", "block (1, 0), all phases, 0–4")
	tab.click(script("e2e.widget(%s).querySelectorAll('.choice')[1]", tilesID))
	shown = tab.tiles()
	if got := [2]int{len(shown[0].Maps["a[32][32]"]["level-1"]), len(shown[1].Maps["a[32][32]"]["level-0"])}; got != [2]int{512, 512} {
		t.Errorf("how often: %v", got)
	}
	// By the whole launch: every block is recorded, and every value loaded 32 times and twice.
	tab.click(script("e2e.widget(%s).querySelectorAll('.choice')[2]", tilesID))
	tab.until("every block", "e2e.words(e2e.find(%s, '.tiles-legend')).includes('loaded twice') && !e2e.state(%s).notice", tilesID, tilesID)
	shown = tab.tiles()
	if got := [3]int{len(shown[0].Maps["b[32][32]"]["level-1"]), len(shown[1].Maps["b[32][32]"]["level-0"]), len(shown[1].Maps["left[16][16]"]["level-1"])}; got != [3]int{1024, 1024, 256} {
		t.Errorf("how often in the launch: %v", got)
	}
	tab.click(script("e2e.widget(%s).querySelectorAll('.choice')[0]", tilesID))
	// A frame has two outlines.
	if got := tab.tiles()[1].Maps["c[32][32]"]; len(got["store"]) != 256 || len(got["other"]) != 2*2*256 || len(got["other-too"]) != 256 {
		t.Errorf("of the result %d, %d and %d elements are marked", len(got["store"]), len(got["other"]), len(got["other-too"]))
	}
	// Both kernels in one row where there is room, one below the other on a telephone.
	for width, want := range map[int64]bool{1000: true, 360: false} {
		tab.size(width, 900)
		tab.settle()
		if beside := get[bool](tab, "(([a, b]) => a.top === b.top && b.left > a.left)([...e2e.widget(%s).querySelectorAll('.tiles-panel')].map((one) => one.getBoundingClientRect()))", tilesID); beside != want {
			t.Errorf("at %d px the kernels stand side by side: %v", width, beside)
		}
	}
	tab.size(1280, 900)
	checkContrast(t, tab, tilesPage)
	tab.reload()
	settled("the place after a reload", "block (1, 0), all phases, 0–4")
	if tab.state(tilesID).Notice != "" {
		t.Errorf("the widget says %q", tab.state(tilesID).Notice)
	}

	// A connection that broke takes the recordings with it: they are made again.
	tab.write(script("e2e.find(%s, '.index-field')", tilesID), "0")
	tab.press("Enter")
	settled("another block", "block (0, 0), all phases, 0–4")
	site.cut()
	tab.until("the connection to be lost", "document.querySelector('.live-state').dataset.state !== 'open'")
	tab.until("the connection to be back", "document.querySelector('.live-state').dataset.state === 'open'")
	tab.focusOn(tilesID)
	tab.press("ArrowRight", "ArrowRight")
	settled("a phase of the block", "block (0, 0), phase 1 of 0–4")
	tab.until("the block to be recorded again", "e2e.words([...e2e.widget(%s).querySelectorAll('.tiles-variables caption')].at(-1)).endsWith('thread (3, 2) at the end of phase 1')", tilesID)
	if got := tab.tiles()[1].Variables; got["j"] != "3" || got["first"] != "0" {
		t.Errorf("the thread has the variables %v", got)
	}
}
