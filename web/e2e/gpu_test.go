package e2e

import (
	"context"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/fstest"

	"workbench/engine"
	"workbench/engine/device"
	"workbench/engine/tensor"
	"workbench/web/run/runtest"
)

// The words of runtest.GPU for one request, and for three.
const gpuWork = "1 product, 1 launch, 96 bytes in, 32 bytes out; copy in 4.1 µs, kernel 6.2 µs, copy out 5.0 µs"

// TestGPUInTheMenu serves a course whose look at the machine takes a while: the
// menu has the CPU and the emulator at once, and the GPU by its name when it is found, without a
// reload.
func TestGPUInTheMenu(t *testing.T) {
	t.Parallel()
	o := withGPU(options(false), nil, nil)
	found := make(chan struct{})
	list := o.List
	o.List = func(ctx context.Context) []device.Info {
		select {
		case <-found:
		case <-ctx.Done():
		}
		return list(ctx)
	}
	tab, id := openProduct(t, serve(t, o))
	menu := func() []string {
		return get[[]string](tab, "[...e2e.find(%s, '.device-select').options].map((one) => one.text + (one.disabled ? ' (disabled)' : ''))", id)
	}
	want := []string{
		"CPU, product and sum rounded separately (cpu)", "CPU, fused multiply-add (cpu,fused)", "CUDA emulator (emulator)", "CUDA emulator, fused multiply-add (emulator,fused)",
		"NVIDIA T39 (cuda:0)", "NVIDIA T39, fused multiply-add (cuda:0,fused)", "NVIDIA T39, cuBLAS (cuda:0,library)",
	}
	if got := menu(); !slices.Equal(got, want[:4]) {
		t.Errorf("before the look is over the menu has %q", got)
	}
	get[bool](tab, "globalThis.same = true")
	close(found)
	tab.until("the GPU", "e2e.find(%s, '.device-select').options.length > 4", id)
	if got := menu(); !slices.Equal(got, want) {
		t.Errorf("the menu has\n%q, want\n%q", got, want)
	}
	if !get[bool](tab, "globalThis.same === true") {
		t.Error("the page was loaded again")
	}
	if s := tab.state(id); s.Device != "cpu" || s.Stale || s.Notice != "" {
		t.Errorf("the choice is another: %+v", s)
	}
}

// TestRunOnAGPU runs the first product in each of the three ways: the result has
// the GPU's name, its step what the request cost, and its cells the CPU's bits.
func TestRunOnAGPU(t *testing.T) {
	t.Parallel()
	tab, id := openProduct(t, serve(t, withGPU(options(false), nil, nil)))
	for _, c := range []struct{ device, made string }{
		{"cuda:0", "Made by cuda:0, NVIDIA T39 (separate, float64)"},
		{"cuda:0,fused", "Made by cuda:0,fused, NVIDIA T39 (fused, float64)"},
		{"cuda:0,library", "Made by cuda:0,library, NVIDIA T39 (fused, float64)"},
	} {
		tab.choose(id, c.device)
		tab.click(script("e2e.find(%s, '.run')", id))
		tab.until("the run", "!e2e.state(%s).stale && e2e.state(%s).made.startsWith(%s)", id, id, c.made)
		if made := tab.state(id).Made; !strings.HasSuffix(made, " · "+gpuWork+".") {
			t.Errorf("%s: the result says %q", c.device, made)
		}
		tab.focusOn(id)
		tab.press("Home", "ArrowRight", "ArrowRight")
		cost := get[string](tab, "e2e.shown(e2e.find(%s, '.step-cost')) ? e2e.words(e2e.find(%s, '.step-cost')) : ''", id, id)
		if s := tab.state(id); s.Step != 3 || cost != "It cost "+gpuWork+"." {
			t.Errorf("%s: step %d, %q, cost %q", c.device, s.Step, s.Title, cost)
		}
		tab.press("ArrowRight")
		if s := tab.state(id); !strings.HasPrefix(s.Sentence, "58 = ") || s.Verdict != "yes" || get[bool](tab, "e2e.shown(e2e.find(%s, '.step-cost'))", id) {
			t.Errorf("%s: the first cell is %+v", c.device, s)
		}
	}
	// The last step says who it was.
	tab.press("End")
	if s := tab.state(id); !strings.Contains(s.Title, "made by cuda:0,library, NVIDIA T39") {
		t.Errorf("the last step is %q", s.Title)
	}
}

// TestFaultsInPlace lets a GPU fail in each way there is: the example says what,
// why and what next, unfolds what was tried, keeps the result before, and works
// when the GPU does.
func TestFaultsInPlace(t *testing.T) {
	t.Parallel()
	var fail atomic.Pointer[error]
	tab, id := openProduct(t, serve(t, withGPU(options(false), &fail, nil)))
	tab.choose(id, "cuda:0")
	run := script("e2e.find(%s, '.run')", id)
	tab.click(run)
	tab.until("the run", "e2e.state(%s).made.startsWith('Made by cuda:0, ')", id)
	before := tab.grids(id)
	for _, fault := range runtest.Faults(device.Spec{Kind: device.CUDA}) {
		fail.Store(&fault.Err)
		tab.click(run)
		tab.until("what went wrong: "+fault.Name, "!e2e.state(%s).running && e2e.find(%s, '.notice').classList.contains('notice-error')", id, id)
		folded := get[int](tab, "e2e.find(%s, '.notice').querySelectorAll('details').length", id)
		if folded > 0 {
			if get[bool](tab, "e2e.shown(e2e.find(%s, '.notice li'))", id) {
				t.Errorf("%s: what was tried is not folded", fault.Name)
			}
			tab.click(script("e2e.find(%s, '.notice summary')", id))
			tab.until("what was tried", "e2e.shown(e2e.find(%s, '.notice li'))", id)
		}
		said := tab.state(id).Notice
		for _, want := range fault.Says {
			if !strings.Contains(strings.ToLower(said), strings.ToLower(want)) {
				t.Errorf("%s: %q is missing in %q", fault.Name, want, said)
			}
		}
		if _, of := map[string]bool{"launch that does not fit": true}[fault.Name]; !of && !strings.Contains(said, "The result below is the one before.") {
			t.Errorf("%s: nothing says which result is shown: %q", fault.Name, said)
		}
		if s := tab.state(id); !strings.HasPrefix(s.Made, "Made by cuda:0, ") || !slices.EqualFunc(tab.grids(id), before, func(a, b Grid) bool { return slices.EqualFunc(a.Cells, b.Cells, slices.Equal) }) {
			t.Errorf("%s: the result before is gone: %+v", fault.Name, s)
		}
		fail.Store(nil)
		tab.click(run)
		tab.until("the next run", "!e2e.state(%s).running && e2e.state(%s).notice === ''", id, id)
	}
}

// TestCompareWithAGPU compares the CPU with a GPU: in every bit where they share
// the contract, by a tolerance where they do not, each with its reason; and one
// flipped bit is named.
func TestCompareWithAGPU(t *testing.T) {
	t.Parallel()
	var at atomic.Int64
	at.Store(-1)
	flip := func(inner device.Device) device.Device {
		return flipper{inner, func(plan *tensor.MatmulPlan) int {
			if plan.M == 3 && plan.N == 258 {
				return int(at.Load())
			}
			return -1
		}}
	}
	tab, id := openComparison(t, serve(t, withGPU(options(false), nil, flip)))
	compare := func(candidate string) {
		t.Helper()
		get[bool](tab, `(() => {
			const menu = e2e.widget(%s).querySelectorAll('.device-select')[1];
			menu.value = %s;
			menu.dispatchEvent(new Event('change', { bubbles: true }));
			return true;
		})()`, id, candidate)
		get[bool](tab, "(e2e.find(%s, '.made-by').textContent = '', true)", id)
		tab.click(script("e2e.find(%s, '.run')", id))
		tab.until("the comparison", "!e2e.state(%s).stale && e2e.state(%s).made.includes('run in')", id, id)
	}
	said := func(class string) string { return get[string](tab, "e2e.words(e2e.find(%s, %s))", id, class) }
	for _, c := range []struct{ candidate, title, made, tolerance, bits string }{
		{"cuda:0", "Passed: 2155 values of cuda:0 against cpu, 0 failures, 0 with other bits.", "u by cuda:0, NVIDIA T39 (separate), both in float64", "equal in every bit", "No bit may differ: "},
		{"cuda:0,library", "Passed: 2155 values of cuda:0,library against cpu, 0 failures, ", "u by cuda:0,library, NVIDIA T39 (fused, by a library), both in float64", "|u − c| ≤ 1e-10", "Last bits may differ: cpu rounds each product before it adds it (separate), cuda:0,library rounds once"},
	} {
		compare(c.candidate)
		s := tab.state(id)
		if !strings.HasPrefix(s.Title, c.title) || !strings.Contains(s.Made, c.made) || !strings.Contains(said(".tolerance"), c.tolerance) || !strings.HasPrefix(said(".bits-reason"), c.bits) {
			t.Errorf("%s: %q; %q; %q; %q", c.candidate, s.Title, s.Made, said(".tolerance"), said(".bits-reason"))
		}
	}
	at.Store(258 + 40)
	compare("cuda:0")
	first := get[string](tab, "e2e.words(e2e.find(%s, 'table.groups tr.fails .jump'))", id)
	if s := tab.state(id); !strings.HasPrefix(s.Title, "Failed: ") || !strings.HasPrefix(first, "[0, 1, 40]") {
		t.Errorf("a flipped bit: %q, the first failure is %q", s.Title, first)
	}
}

// TestLeavingEndsARunOnAGPU closes the page while a request is on the GPU.
func TestLeavingEndsARunOnAGPU(t *testing.T) {
	t.Parallel()
	sleeper := newSleeper()
	tab, id := openProduct(t, serve(t, withGPU(options(false), nil, sleeper.around)))
	sleeper.asleep.Store(true)
	tab.choose(id, "cuda:0")
	tab.click(script("e2e.find(%s, '.run')", id))
	<-sleeper.started
	tab.load("/")
	<-sleeper.stopped
}

// TestExampleOfAMissingGPU opens an example whose author chose a GPU, where none
// is: it says so with the places that were tried, and runs on the CPU.
func TestExampleOfAMissingGPU(t *testing.T) {
	t.Parallel()
	o := options(false)
	o.Chapters = fstest.MapFS{"01-one/chapter.md": {Data: []byte("---\ntitle: t\nsummary: s\noutcomes: [o]\n---\n" +
		"```product mine\ndevice: cuda:0\nleft: [[1, 2]]\nright: [[3], [4]]\n```\n")}}
	o.Open = func(ctx context.Context, name string) (device.Device, error) {
		if spec, err := device.ParseSpec(name); err == nil && spec.Kind == device.CUDA {
			return nil, runtest.Unavailable(spec)
		}
		return engine.Open(ctx, name)
	}
	o.List = func(context.Context) []device.Info {
		missing := runtest.Unavailable(device.Spec{Kind: device.CUDA})
		return append(engine.Host(), device.Info{Spec: "cuda:0", Name: "CUDA GPU 0", Reason: missing.Reason, Next: missing.Next, Tried: missing.Tried})
	}
	tab := newTab(t, serve(t, o))
	tab.open("/chapters/01-one")
	const id = "mine"
	tab.until("the reason", "e2e.state(%s).notice.startsWith('cuda:0 is not available here. No driver was found.') && e2e.words(e2e.find(%s, '.notice-next')) === 'Install one.'", id, id)
	tab.click(script("e2e.find(%s, '.notice summary')", id))
	tab.until("what was tried", "e2e.words(e2e.find(%s, '.notice li')) === 'libcuda.so.1: no such file'", id)
	tab.choose(id, "cpu")
	tab.click(script("e2e.find(%s, '.run')", id))
	tab.until("the run", "e2e.state(%s).made.startsWith('Made by cpu (') && e2e.state(%s).notice === ''", id, id)
	tab.focusOn(id)
	tab.press("End")
	if grids := tab.grids(id); len(grids) == 0 || grids[len(grids)-1].Cells[0][0] != "11" {
		t.Errorf("the result is %+v", grids)
	}
}

// TestLinksToGPUsThatAreNotThere opens links that somebody with other GPUs made:
// each says in place what is missing, of the device that was asked for.
func TestLinksToGPUsThatAreNotThere(t *testing.T) {
	t.Parallel()
	tab := newTab(t, serve(t, withGPU(options(false), nil, nil)))
	const id = "first-product"
	for _, spec := range []string{"cuda:7", "cuda:1,library"} {
		tab.open("/chapters/01-one-product?widget=" + id + "&step=4&device=" + spec + "#" + id)
		tab.until("the reason", "e2e.state(%s).notice.startsWith(%s) && e2e.state(%s).notice.includes('The result below is the one before.')", id, spec+" is not available: ", id)
		if s := tab.state(id); s.Device != spec || !s.Stale || s.Sentence != "64 = 1·8 + 2·10 + 3·12" || !strings.HasPrefix(s.Made, "Made by cpu (") {
			t.Errorf("the link to %s opened %+v", spec, s)
		}
	}
	tab.open("/chapters/01-one-product?widget=" + id + "&step=4&device=cuda:0,library#" + id)
	tab.until("the run", "e2e.state(%s).made.startsWith('Made by cuda:0,library, NVIDIA T39 (') && !e2e.state(%s).stale", id, id)
}
