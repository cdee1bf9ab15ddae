package e2e

import (
	"strings"
	"testing"
	"time"
)

// refused lets pass what the browser logs of a server that is not there.
func refused(fault string) bool {
	return strings.Contains(fault, "WebSocket connection to 'ws://") || strings.Contains(fault, "ERR_CONNECTION_REFUSED")
}

func (tab *Tab) untilLive(state string) {
	tab.t.Helper()
	tab.until("the connection to be "+state, "document.querySelector('.live-state').dataset.state === %s", state)
}

// TestServerRestart stops the server under a page and starts it again: the page
// says so, goes on stepping, and runs again once it is back.
func TestServerRestart(t *testing.T) {
	t.Parallel()
	site := serve(t, options(false))
	tab := newTab(t, site)
	const id = "tiny-decoder"
	tab.open("/chapters/04-tiny-decoder?widget=tiny-decoder&step=0&device=cpu,fused#tiny-decoder")
	tab.until("the fused run", "e2e.state(%s).made.startsWith('Made by cpu,fused (')", id)
	tab.until("the focus", "e2e.focus().class === 'stage'")
	product := get[int](tab, "e2e.data(%s).trace.steps.findIndex((step) => step.product)", id)

	tab.allow(refused)
	if err := site.stop(); err != nil {
		t.Fatal(err)
	}
	// It tries again every now and then, and says that meanwhile.
	tab.until("the page to say that it is not connected", "e2e.words(document.querySelector('.live-state')).includes('Not connected: stepping works, running does not.')")
	tab.press("End")
	if s := tab.state(id); s.Step != s.Steps || s.Steps < 100 {
		t.Errorf("without a server End leads to step %d of %d", s.Step, s.Steps)
	}
	// What only the server knows is said to be missing.
	tab.press("Home")
	for range product {
		tab.press("j")
	}
	cell := script(`[...e2e.widget(%s).querySelectorAll('.widget-live table.grid')].filter(e2e.shown).find((one) => one.hasAttribute('data-choosable')).querySelector('[role=gridcell]')`, id)
	tab.click(cell)
	tab.until("why there are no terms", "e2e.words(e2e.find(%s, '.cell-panel')).includes('not connected')", id)
	tab.click(script("e2e.find(%s, '.run')", id))
	tab.until("why there is no run", "e2e.state(%s).notice.toLowerCase().includes('not connected')", id)

	if err := site.begin(); err != nil {
		t.Fatal(err)
	}
	// The page comes back by itself; a reader who sees the server start need
	// not wait for it.
	get[bool](tab, "([...document.querySelectorAll('.live-state button')].forEach((one) => one.click()), true)")
	tab.untilLive("open")
	tab.allow(nil)
	tab.until("the notice to go", "e2e.state(%s).notice === ''", id)
	tab.click(script("e2e.find(%s, '.run')", id))
	tab.until("a run on the new server", "e2e.state(%s).made.startsWith('Made by cpu,fused (') && e2e.state(%s).notice === ''", id, id)
	tab.click(cell)
	tab.until("the terms", "e2e.terms(%s).length > 0 && e2e.state(%s).verdict === 'yes'", id, id)
}

// TestComesBackByItself leaves the page alone while the server is away. A run
// that the old server knew is made again for a cell that is asked of it.
func TestComesBackByItself(t *testing.T) {
	t.Parallel()
	site := serve(t, options(false))
	tab := newTab(t, site)
	const id = "tiny-decoder"
	tab.open("/chapters/04-tiny-decoder?widget=tiny-decoder&step=0&device=cpu,fused#tiny-decoder")
	tab.until("the fused run", "e2e.state(%s).made.startsWith('Made by cpu,fused (')", id)
	tab.until("the focus", "e2e.focus().class === 'stage'")
	tab.allow(refused)
	if err := site.stop(); err != nil {
		t.Fatal(err)
	}
	tab.untilLive("waiting")
	if err := site.begin(); err != nil {
		t.Fatal(err)
	}
	tab.untilLive("open")
	tab.allow(nil)
	for range get[int](tab, "e2e.data(%s).trace.steps.findIndex((step) => step.product)", id) {
		tab.press("j")
	}
	tab.tabToChoosable()
	tab.press("Enter")
	tab.until("the terms", "e2e.terms(%s).length > 0 && e2e.state(%s).verdict === 'yes'", id, id)
	if s := tab.state(id); s.Stale || s.Device != "cpu,fused" {
		t.Errorf("the run that was made again is %+v", s)
	}
}

// tabToChoosable presses Tab until a cell has the focus that can be chosen.
func (tab *Tab) tabToChoosable() {
	tab.t.Helper()
	for range mostStops {
		tab.press("Tab")
		if get[bool](tab, "Boolean(document.activeElement.closest('table[data-choosable]'))") {
			return
		}
	}
	tab.t.Fatal("Tab does not lead to a table whose cells can be chosen")
}

// TestConnectionCutInMidRun cuts the wire while a device works: the device is
// let go, the page says what became of the run, and can run again.
func TestConnectionCutInMidRun(t *testing.T) {
	t.Parallel()
	slow := newSleeper()
	o := withDevice(options(false), slow.around)
	o.Limits.RunTime = time.Hour // nothing but the cut ends the run
	site := serve(t, o)
	tab, id := openProduct(t, site)
	slow.asleep.Store(true)
	tab.choose(id, "emulator")
	tab.click(script("e2e.find(%s, '.run')", id))
	await(t, slow.started, "the device to be asked")

	site.cut()
	await(t, slow.stopped, "the device to be let go")
	tab.until("what became of the run", "!e2e.state(%s).running && e2e.state(%s).notice.includes('broke before the answer came')", id, id)
	if s := tab.state(id); !strings.HasPrefix(s.Made, "Made by cpu (") {
		t.Errorf("the result before it is gone: %+v", s)
	}
	slow.asleep.Store(false)
	tab.untilLive("open")
	// What the address asks for is run once the connection stands.
	tab.until("the run", "e2e.state(%s).made.startsWith('Made by emulator (')", id)
}
