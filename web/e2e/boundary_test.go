package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/fstest"
	"time"

	"workbench/assets"
	"workbench/engine/device"
	"workbench/engine/tensor"
	"workbench/web"
	"workbench/web/chapter"
	"workbench/web/run/runtest"
)

const boundaryPage = "/chapters/05-memory-boundary"

// weighing is a GPU that counts the bytes of its packed operands and results.
type weighing struct{ device.Device }

func (d weighing) Name() string { return runtest.GPUName }

func (d weighing) weigh(stats device.Stats, p device.Precision, in, out int) device.Stats {
	if stats != (device.Stats{}) {
		stats.BytesIn, stats.BytesOut = int64(in*p.Size()), int64(out*p.Size())
	}
	return stats
}

func (d weighing) Multiply(ctx context.Context, p device.Product) (*tensor.Tensor, device.Stats, error) {
	out, stats, err := d.Device.Multiply(ctx, p)
	if err != nil {
		return nil, stats, err
	}
	plan, err := p.Plan()
	return out, d.weigh(stats, p.Precision, plan.Left.Len()+plan.Right.Len(), out.Len()), err
}

func (d weighing) Reduce(ctx context.Context, r device.Reduction) (*tensor.Tensor, device.Stats, error) {
	out, stats, err := d.Device.Reduce(ctx, r)
	if err != nil {
		return nil, stats, err
	}
	plan, err := r.Plan()
	return out, d.weigh(stats, r.Precision, plan.G*plan.K+plan.K, out.Len()), err
}

// withWeighing is a course on a machine with a GPU that counts.
func withWeighing(bundle bool, fail *atomic.Pointer[error]) web.Options {
	o := withGPU(options(bundle), fail, nil)
	inner := o.Open
	o.Open = func(ctx context.Context, name string) (device.Device, error) {
		d, err := inner(ctx, name)
		if spec, bad := device.ParseSpec(name); err != nil || bad != nil || spec.Kind != device.CUDA {
			return d, err
		}
		return weighing{d}, nil
	}
	return o
}

// crossing is what the widget of a request's way shows at a step.
type crossing struct {
	Stage        string     // the stage that is marked
	Host, Device []string   // tensors in each memory
	Title        string     // of the device's memory
	Counters     [][]string // by request, and of the run
	Caption      string
	Times        string
}

func (tab *Tab) crossing(id string) crossing {
	tab.t.Helper()
	return get[crossing](tab, `(() => {
		const [host, device] = e2e.widget(%s).querySelectorAll('.memory');
		const named = (memory) => [...memory.querySelectorAll('table.grid caption, .packed > summary')].filter(e2e.shown).map((one) => e2e.words(one).split(',')[0]);
		return {
			stage: e2e.words(e2e.find(%s, '.stages [aria-current]')),
			host: named(host), device: named(device), title: e2e.words(device.querySelector('.memory-title')),
			counters: e2e.cells(e2e.find(%s, '.counters table')), caption: e2e.words(e2e.find(%s, '.counters caption')),
			times: e2e.shown(e2e.find(%s, '.times')) ? e2e.words(e2e.find(%s, '.times')) : '',
		};
	})()`, id, id, id, id, id, id)
}

var (
	nothingYet = []string{"·", "·", "·", "·", "·", "·", "·"}
	zeros      = []string{"0", "0", "0", "0", "–", "–", "–"}
)

// TestRequestsOnTheCPU steps through the three requests where nothing crosses:
// every counter stays at zero, and the bytes that a GPU would be sent are there.
func TestRequestsOnTheCPU(t *testing.T) {
	t.Parallel()
	tab := newTab(t, course(t, false))
	const id = "tiny-requests"
	tab.open(boundaryPage + "?widget=tiny-requests&step=0&device=cpu#tiny-requests")
	tab.until("the focus", "e2e.focus().class === 'stage'")
	packed := map[string]bool{}
	for step := 0; ; step++ {
		c := tab.crossing(id)
		if len(c.Device) > 0 || c.Times != "" {
			t.Errorf("step %d: the CPU has %q in another memory, and the times %q", step, c.Device, c.Times)
		}
		for _, row := range c.Counters {
			if !slices.Equal(row, zeros) && !slices.Equal(row, nothingYet) {
				t.Errorf("step %d: the CPU has counted %q", step, row)
			}
		}
		if step >= 2 && !strings.Contains(c.Caption, "nothing crosses, and every counter stays at zero") {
			t.Errorf("step %d: the counters say %q", step, c.Caption)
		}
		for _, table := range get[[][][]string](tab, "[...e2e.widget(%s).querySelectorAll('.bytes-table')].filter(e2e.shown).map(e2e.cells)", id) {
			packed[strings.Join(table[0], " ")] = true
		}
		s := tab.state(id)
		if s.Step == s.Steps {
			break
		}
		tab.press("ArrowRight")
	}
	for _, first := range []string{"1 00 00 00 00 00 00 f0 3f", "7 00 00 00 00 00 00 1c 40"} {
		if !packed[first] {
			t.Errorf("nothing was packed that begins with %s: %v", first, packed)
		}
	}
	if c := tab.crossing(id); !slices.Equal(c.Host, []string{"C", "sums", "means"}) {
		t.Errorf("at the end host memory has %q", c.Host)
	}
}

// TestRequestsOnAGPU follows the bytes of the three requests on a GPU: what is in
// which memory, and the counters at each stage up to 3, 240 and 64.
func TestRequestsOnAGPU(t *testing.T) {
	t.Parallel()
	tab := newTab(t, serve(t, withWeighing(false, nil)))
	const id = "tiny-requests"
	tab.open(boundaryPage + "?widget=tiny-requests&step=0&device=cuda:0#tiny-requests")
	tab.until("the run", "e2e.state(%s).made.startsWith('Made by cuda:0, NVIDIA T39')", id)
	tab.focusOn(id)
	tab.press("Home", "ArrowRight")
	operands := []string{"packed A", "packed B"}
	for _, want := range []struct {
		stage        string
		host, device []string
		row          []string
		times        string
	}{
		{"packed", []string{"A", "B", "packed A", "packed B"}, nil, zeros, ""},
		{"copied in", []string{"A", "B", "packed A", "packed B"}, operands, []string{"0", "0", "96", "0", "4.1 µs", "–", "–"}, "copy in 4.1 µs"},
		{"launched", []string{"A", "B", "packed A", "packed B"}, operands, []string{"0", "1", "96", "0", "4.1 µs", "–", "–"}, "copy in 4.1 µs"},
		{"complete", []string{"A", "B", "packed A", "packed B"}, []string{"C", "packed A", "packed B"}, []string{"0", "1", "96", "0", "4.1 µs", "6.2 µs", "–"}, "copy in 4.1 µskernel 6.2 µs"},
		{"copied out", []string{"A", "B", "C", "packed A", "packed B"}, []string{"C", "packed A", "packed B"}, []string{"1", "1", "96", "32", "4.1 µs", "6.2 µs", "5.0 µs"}, "copy in 4.1 µskernel 6.2 µscopy out 5.0 µs"},
	} {
		tab.press("ArrowRight")
		c := tab.crossing(id)
		if c.Stage != want.stage || !slices.Equal(c.Host, want.host) || !slices.Equal(c.Device, want.device) || c.Title != "Device memory of cuda:0" {
			t.Errorf("%s: stage %q, host %q, %s %q; want %q and %q", want.stage, c.Stage, c.Host, c.Title, c.Device, want.host, want.device)
		}
		if len(c.Counters) != 4 || !slices.Equal(c.Counters[0], want.row) || !slices.Equal(c.Counters[3], want.row) || !slices.Equal(c.Counters[1], nothingYet) {
			t.Errorf("%s: the counters are %q, want %q", want.stage, c.Counters, want.row)
		}
		if c.Times != want.times {
			t.Errorf("%s: the bar says %q, want %q", want.stage, c.Times, want.times)
		}
	}
	tab.press("End")
	c := tab.crossing(id)
	if got := c.Counters[3]; !slices.Equal(got, []string{"3", "3", "240", "64", "12.3 µs", "18.6 µs", "15.0 µs"}) {
		t.Errorf("the run has counted %q", got)
	}
	if got := c.Counters[1][2:4]; !slices.Equal(got, []string{"72", "16"}) {
		t.Errorf("the sums have counted %q", got)
	}
	if len(c.Device) != 0 || !slices.Equal(c.Host, []string{"C", "sums", "means"}) {
		t.Errorf("at the end host memory has %q, the device's %q", c.Host, c.Device)
	}
	// A stage leads to its step, and the packed bytes are the same on the device.
	tab.press("Home", "ArrowRight", "ArrowRight")
	tab.click(script("[...e2e.widget(%s).querySelectorAll('.stage-button')].find((one) => one.textContent === 'complete')", id))
	if s := tab.state(id); s.Step != 6 {
		t.Errorf("the stage leads to step %d, want 6", s.Step)
	}
	tab.click(script("e2e.widget(%s).querySelectorAll('.memory')[1].querySelector('.packed > summary')", id))
	if first := get[[]string](tab, "e2e.cells(e2e.widget(%s).querySelectorAll('.memory')[1].querySelector('.bytes-table'))[0]", id); !slices.Equal(first, []string{"1", "00 00 00 00 00 00 f0 3f"}) {
		t.Errorf("on the device the first element is %q", first)
	}
}

// TestEditedRequests changes the operands: other bytes are packed and counted.
func TestEditedRequests(t *testing.T) {
	t.Parallel()
	tab := newTab(t, serve(t, withWeighing(false, nil)))
	const id = "packed-transposed"
	tab.open(boundaryPage + "?widget=packed-transposed&step=2&device=cuda:0#packed-transposed")
	tab.until("the run", "e2e.state(%s).made.startsWith('Made by cuda:0, NVIDIA T39 (separate, float32)')", id)
	tab.edit(id, "Right matrix B", "7\n9\n11")
	if !tab.state(id).Stale {
		t.Error("after an edit the requests are not stale")
	}
	tab.press("Ctrl+Enter")
	tab.until("the new run", "!e2e.state(%s).stale && e2e.state(%s).title.includes('24 + 12 = 36 bytes')", id, id)
	tab.focusOn(id)
	tab.press("End")
	if got := tab.crossing(id).Counters[3]; !slices.Equal(got[:4], []string{"3", "3", "108", "24"}) {
		t.Errorf("the run has counted %q", got)
	}
	tab.edit(id, "Left matrix A", "1 4\n2 5")
	tab.press("Ctrl+Enter")
	tab.until("the mistake", "e2e.mistake(%s, 'Right matrix B').includes('2 columns')", id)
}

// TestAskingForAGPU follows the chapter's own link to cuda:0: without a GPU the
// widget says what is missing and keeps the CPU's run under the CPU's name, and a
// GPU that fails gives no result at all.
func TestAskingForAGPU(t *testing.T) {
	t.Parallel()
	const id = "tiny-requests"
	link := `[...document.querySelectorAll('a')].find((a) => a.textContent === 'run the three requests on cuda:0')`
	o := options(false)
	o.Open = func(ctx context.Context, name string) (device.Device, error) {
		if spec, err := device.ParseSpec(name); err == nil && spec.Kind == device.CUDA {
			return nil, runtest.Unavailable(spec)
		}
		return options(false).Open(ctx, name)
	}
	o.List = func(ctx context.Context) []device.Info {
		return []device.Info{
			{Spec: "cpu", Name: "CPU", Available: true},
			{Spec: "cuda:0", Name: "GPU", Reason: "no driver was found", Next: "install one"},
		}
	}
	tab := newTab(t, serve(t, o))
	tab.open(boundaryPage)
	tab.click(link)
	tab.until("what is missing", "/cuda:0 is not available here\\. No driver was found\\. *Install one\\./.test(e2e.state(%s).notice)", id)
	if s := tab.state(id); !strings.HasPrefix(s.Made, "Made by cpu (") || !s.Stale {
		t.Errorf("without a GPU: %+v", s)
	}

	var fail atomic.Pointer[error]
	broken := error(&device.FaultError{Spec: device.Spec{Kind: device.CUDA}, Fault: device.IllegalAddress, Detail: "a kernel read what is not its own", Next: "run it again"})
	fail.Store(&broken)
	tab = newTab(t, serve(t, withWeighing(false, &fail)))
	tab.open(boundaryPage)
	tab.click(link)
	tab.until("the fault", "e2e.state(%s).notice.includes('illegal address')", id)
	if s := tab.state(id); !strings.HasPrefix(s.Made, "Made by cpu (") || !s.Stale {
		t.Errorf("after a fault: %+v", s)
	}
	fail.Store(nil)
	tab.click(script("e2e.find(%s, '.run')", id))
	tab.until("the next request", "e2e.state(%s).made.startsWith('Made by cuda:0, ')", id)
}

// side reads a widget of several devices: its sentence, the heads of its columns
// and each row's cells.
type side struct {
	Title  string
	Heads  []string
	Rows   [][]string
	Marked []string // digits that are marked
	Others string
}

func (tab *Tab) side(id string) side {
	tab.t.Helper()
	return get[side](tab, `({
		title: e2e.words(e2e.find(%s, '.step-title')),
		heads: [...e2e.find(%s, 'table.contracts').tHead.rows[0].cells].map(e2e.words),
		rows: [...e2e.find(%s, 'table.contracts').tBodies[0].rows].map((row) => [...row.cells].map((cell) => [...(cell.children.length ? cell.children : [cell])].map(e2e.words).join(' '))),
		marked: [...e2e.widget(%s).querySelectorAll('.widget-live mark')].map(e2e.words),
		others: e2e.shown(e2e.find(%s, '.contracts-others')) ? e2e.words(e2e.find(%s, '.contracts-others')) : '',
	})`, id, id, id, id, id, id)
}

// TestContractsSideBySide reads the product of tenths: two cells differ in their
// last bit, and the devices that are not there say why, once.
func TestContractsSideBySide(t *testing.T) {
	t.Parallel()
	tab := newTab(t, course(t, false))
	const id = "tenths"
	tab.open(boundaryPage + "?widget=tenths#tenths")
	s := tab.side(id)
	if s.Title != "cpu,fused has other bits than cpu in 2 of 4 values; emulator,fused has other bits than cpu in 2 of 4 values." || len(s.Rows) != 4 || len(s.Heads) != 8 {
		t.Fatalf("the widget says %+v", s)
	}
	// The emulator has the bits of the CPU under its contract.
	if got := s.Rows[0][:3]; !slices.Equal(got, []string{"C[0, 0]", "0.5800000000000001 3fe28f5c28f5c290", "0.58 3fe28f5c28f5c28f 1 ulp"}) || !slices.Equal(s.Rows[0][3:5], got[1:]) {
		t.Errorf("cell (0, 0) is %q", s.Rows[0])
	}
	if got := s.Rows[1][:3]; !slices.Equal(got, []string{"C[0, 1]", "0.64 3fe47ae147ae147b", "0.64 3fe47ae147ae147b"}) || !slices.Equal(s.Rows[1][3:5], got[1:]) {
		t.Errorf("cell (0, 1) is %q", s.Rows[1])
	}
	if !slices.Equal(s.Marked, []string{"8f", "8f", "d", "d"}) {
		t.Errorf("the digits %q are marked", s.Marked)
	}
	// An edit is run on the CPUs, and reset by undo.
	tab.edit(id, "Left matrix A", "1 2 3\n4 5 6")
	tab.press("Ctrl+Enter")
	tab.until("the run", "!e2e.state(%s).stale && e2e.state(%s).title === 'cpu,fused, emulator, emulator,fused and cpu have the same bits in every value.'", id, id)
	tab.edit(id, "Left matrix A", "1 2")
	tab.press("Ctrl+Enter")
	tab.until("the mistake", "e2e.mistake(%s, 'Right matrix B').includes('2 columns')", id)
}

// TestContractsOnAGPU runs it where a GPU is: each way of using it stands in its
// column, one flipped bit is marked, and a device that fails leaves the others.
func TestContractsOnAGPU(t *testing.T) {
	t.Parallel()
	const id = "tenths"
	var at atomic.Int64
	at.Store(-1)
	flip := func(inner device.Device) device.Device {
		return flipper{inner, func(*tensor.MatmulPlan) int { return int(at.Load()) }}
	}
	var fail atomic.Pointer[error]
	tab := newTab(t, serve(t, withGPU(options(false), &fail, flip)))
	tab.open(boundaryPage + "?widget=tenths#tenths")
	tab.until("the GPU to be known", "e2e.words(e2e.find(%s, 'table.contracts')).includes('not asked')", id)
	if s := tab.side(id); !strings.Contains(s.Others, "cuda:0, cuda:0,fused, cuda:0,libraryNot asked yet: Run asks every device that is here.") {
		t.Errorf("before the run the page says %q", s.Others)
	}
	run := script("e2e.find(%s, '.run')", id)
	tab.click(run)
	tab.until("the run", "e2e.state(%s).made.includes('run in ')", id)
	s := tab.side(id)
	if want := "cpu,fused has other bits than cpu in 2 of 4 values; emulator,fused has other bits than cpu in 2 of 4 values; cuda:0,fused has other bits than cpu in 2 of 4 values; cuda:0,library has other bits than cpu in 2 of 4 values."; s.Title != want || s.Others != "" {
		t.Errorf("the widget says %q and %q", s.Title, s.Others)
	}
	if r := s.Rows[0]; r[5] != r[1] || r[6] != r[2] || r[7] != r[2] {
		t.Errorf("cell (0, 0) is %q", r)
	}
	at.Store(3)
	tab.click(run)
	tab.until("the flipped bit", "e2e.state(%s).title.includes('cuda:0 has other bits than cpu in 1 of 4 values')", id)
	if r := tab.side(id).Rows[3]; !strings.HasSuffix(r[5], " 1 ulp") {
		t.Errorf("the flipped cell is %q", r)
	}
	broken := error(&device.FaultError{Spec: device.Spec{Kind: device.CUDA}, Fault: device.TimeLimit, Detail: "it took too long", Next: "run it again"})
	fail.Store(&broken)
	tab.click(run)
	tab.until("the failure", "e2e.words(e2e.find(%s, '.contracts-others')).includes('time limit')", id)
	s = tab.side(id)
	if s.Title != "cpu,fused has other bits than cpu in 2 of 4 values; emulator,fused has other bits than cpu in 2 of 4 values." || s.Rows[0][5] != "failed" || s.Rows[0][2] == "failed" {
		t.Errorf("after the failure: %+v", s)
	}
}

// withMeasurement adds a measurement of a GPU that does not exist, with every
// figure that the chapter asks for.
func withMeasurement(t *testing.T, o web.Options) web.Options {
	t.Helper()
	m := assets.Measurement{
		GPU: "NVIDIA T39", Driver: "580.1", CUDA: "13.0", Date: time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC), Commit: "0123abc", Command: "workbench gpu-check",
		Checks: []assets.Check{{Name: "bits", Passed: true, Detail: "all"}},
	}
	for _, wanted := range measuredFigures(t) {
		m.Figures = append(m.Figures, assets.Figure{Name: wanted, Value: float64(len(wanted)), Unit: "µs", Spread: 0.5})
	}
	text, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	overlay := fstest.MapFS{"measurements/" + assets.MeasurementFile(m.GPU): {Data: text}}
	o.Assets = layered{overlay, without{o.Assets, "measurements/"}}
	return o
}

// measuredFigures are the figures that chapter 5 asks for, as it spells them.
func measuredFigures(t *testing.T) []string {
	t.Helper()
	text, err := fs.ReadFile(options(false).Chapters, "05-memory-boundary/chapter.md")
	if err != nil {
		t.Fatal(err)
	}
	var wanted []string
	for _, m := range chapter.Parse(chapter.Text{File: "chapter.md", Folder: "05-memory-boundary", Body: text}).Measured {
		for _, name := range m.Wanted {
			if !slices.Contains(wanted, name) {
				wanted = append(wanted, name)
			}
		}
	}
	if len(wanted) == 0 {
		t.Fatal("the chapter asks for no figures")
	}
	return wanted
}

// TestMeasuredElsewhere reads figures of a GPU: they say where and when they were
// measured and that it was not here, with a chart where there is a bundle.
func TestMeasuredElsewhere(t *testing.T) {
	t.Parallel()
	for _, b := range bundles {
		t.Run(b.name, func(t *testing.T) {
			if b.present && !assets.HasBundle() {
				t.Skip("the bundle was not made")
			}
			tab := newTab(t, serve(t, withMeasurement(t, options(b.present))))
			tab.open(boundaryPage)
			said := get[string](tab, "e2e.words(document.getElementById('tiny-times'))")
			for _, want := range []string{"an NVIDIA T39 on 31 January 2026, not on this machine.", "by workbench gpu-check", "GPU, by its events"} {
				if !strings.Contains(said, want) {
					t.Errorf("%q is missing in %q", want, said)
				}
			}
			if b.present {
				get[bool](tab, "(document.getElementById('tiny-times').scrollIntoView({ behavior: 'instant' }), true)") // it is drawn when it is near
				tab.until("the chart", "document.querySelector('#tiny-times .chart svg')?.querySelectorAll('path').length > 0")
				if label := get[string](tab, "document.querySelector('#tiny-times .chart-canvas').getAttribute('aria-label')"); !strings.Contains(label, "NVIDIA T39") {
					t.Errorf("the chart is called %q", label)
				}
			} else if get[bool](tab, "Boolean(document.querySelector('.measurements svg'))") {
				t.Error("there is a chart without the bundle")
			}
			checkFits(t, tab, "the page with measurements")
			for _, fault := range get[[]string](tab, "e2e.contrast()") {
				t.Error(fault)
			}
		})
	}
}

// TestNothingMeasured holds the page of a build without measurements to say so,
// and to invent nothing.
func TestNothingMeasured(t *testing.T) {
	t.Parallel()
	o := options(false)
	o.Assets = without{o.Assets, "measurements/"}
	tab := bare(t, serve(t, o), boundaryPage)
	all := get[[]string](tab, "[...document.querySelectorAll('.measurements')].map((one) => one.textContent.replace(/\\s+/g, ' '))")
	if len(all) < 2 {
		t.Fatalf("the chapter shows %d measurements", len(all))
	}
	for _, said := range all {
		if !strings.Contains(said, "No figures of a GPU come with this build") || !strings.Contains(said, "./course gpu-check") {
			t.Errorf("without a measurement the page says %q", said)
		}
	}
	if n := get[int](tab, "document.querySelectorAll('.measurements table').length"); n > 0 {
		t.Errorf("there are %d tables of figures from nowhere", n)
	}
}

// TestPagesLeadOn walks from the first chapter to the last by the links at
// their ends.
func TestPagesLeadOn(t *testing.T) {
	t.Parallel()
	site := course(t, false)
	tab := newTab(t, site)
	slugs := site.server.Chapters()
	tab.open("/chapters/" + slugs[0])
	for i, slug := range slugs {
		if at := get[string](tab, "location.pathname"); at != "/chapters/"+slug {
			t.Fatalf("link %d leads to %s, want %s", i, at, slug)
		}
		if number := get[string](tab, "e2e.words(document.querySelector('.chapter-number'))"); number != fmt.Sprintf("Chapter %d", i+1) {
			t.Errorf("%s is %q", slug, number)
		}
		if i == len(slugs)-1 {
			break
		}
		get[bool](tab, "(globalThis.before = true, document.querySelector('.chapter-pager [rel=next]').click(), true)")
		tab.until("the next chapter", "!globalThis.before && e2e.ready() && document.querySelector('.live-state')?.dataset.state === 'open'")
	}
}

// layered are files of two folders, the first before the second.
type layered struct{ upper, lower fs.FS }

func (l layered) Open(name string) (fs.File, error) {
	if f, err := l.upper.Open(name); err == nil {
		if info, err := f.Stat(); err == nil && !info.IsDir() {
			return f, nil
		}
		_ = f.Close()
	}
	return l.lower.Open(name)
}

func (l layered) ReadDir(name string) ([]fs.DirEntry, error) {
	var all []fs.DirEntry
	seen := map[string]bool{}
	found := false
	for _, files := range []fs.FS{l.upper, l.lower} {
		entries, err := fs.ReadDir(files, name)
		if err != nil {
			continue
		}
		found = true
		for _, e := range entries {
			if !seen[e.Name()] {
				seen[e.Name()] = true
				all = append(all, e)
			}
		}
	}
	if !found {
		return nil, &fs.PathError{Op: "readdir", Path: name, Err: fs.ErrNotExist}
	}
	slices.SortFunc(all, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return all, nil
}

// without are the files of a folder but those below a path.
type without struct {
	fs.FS
	path string
}

func (w without) Open(name string) (fs.File, error) {
	if strings.HasPrefix(name, w.path) {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	return w.FS.Open(name)
}

func (w without) ReadDir(name string) ([]fs.DirEntry, error) {
	entries, err := fs.ReadDir(w.FS, name)
	return slices.DeleteFunc(entries, func(e fs.DirEntry) bool {
		return strings.HasPrefix(strings.TrimPrefix(name+"/"+e.Name(), "./"), w.path)
	}), err
}
