package e2e

import (
	"slices"
	"strings"
	"testing"
)

// TestCompareWithTheEmulator follows chapter 4's link to the comparison of the CPU
// with the emulator: all 2155 values have the same bits, and under the other
// contract they have not.
func TestCompareWithTheEmulator(t *testing.T) {
	t.Parallel()
	tab := newTab(t, course(t, false))
	const id = "cpu-and-fused"
	tab.open("/chapters/04-tiny-decoder")
	tab.click(`[...document.querySelectorAll('a')].find((a) => a.textContent === 'Compare these two')`)
	passed := func(candidate string) string {
		return script("!e2e.state(%s).stale && e2e.state(%s).title.startsWith(%s)", id, id, "Passed: 2155 values of "+candidate+" against cpu, 0 failures, ")
	}
	tab.until("the comparison", passed("emulator"))
	s := tab.state(id)
	if !strings.HasSuffix(s.Title, ", 0 with other bits.") || !strings.Contains(s.Made, "u by emulator (separate), both in float64") {
		t.Errorf("%q; %q", s.Title, s.Made)
	}
	if said := get[string](tab, "e2e.words(e2e.find(%s, '.tolerance'))", id); !strings.Contains(said, "equal in every bit") {
		t.Errorf("the criterion is %q", said)
	}
	get[bool](tab, `(() => {
		const menu = e2e.widget(%s).querySelectorAll('.device-select')[1];
		menu.value = 'emulator,fused';
		menu.dispatchEvent(new Event('change', { bubbles: true }));
		return true;
	})()`, id)
	tab.click(script("e2e.find(%s, '.run')", id))
	tab.until("the other comparison", passed("emulator,fused"))
	if s := tab.state(id); !strings.HasSuffix(s.Title, ", 1747 with other bits.") {
		t.Errorf("%q", s.Title)
	}
}

// TestRequestsOnTheEmulator follows the three requests into the emulator's memory
// and back: the counters are a GPU's, and nothing is called one.
func TestRequestsOnTheEmulator(t *testing.T) {
	t.Parallel()
	tab := newTab(t, course(t, false))
	const id = "tiny-requests"
	tab.open(boundaryPage + "?widget=tiny-requests&step=0&device=emulator#tiny-requests")
	tab.until("the run", "e2e.state(%s).made.startsWith('Made by emulator (separate, float64)')", id)
	tab.focusOn(id)
	tab.press("Home", "ArrowRight", "ArrowRight", "ArrowRight", "ArrowRight", "ArrowRight")
	c := tab.crossing(id)
	if c.Stage != "complete" || !slices.Equal(c.Device, []string{"C", "packed A", "packed B"}) || c.Title != "Device memory of emulator" {
		t.Errorf("%+v", c)
	}
	if row := c.Counters[0]; !slices.Equal(row[:4], []string{"0", "1", "96", "0"}) || !strings.HasSuffix(row[5], "s") || row[6] != "–" {
		t.Errorf("the request has counted %q", row)
	}
	if colours := get[[]string](tab, "[...e2e.widget(%s).querySelectorAll('.times rect')].map((part) => getComputedStyle(part).fill)", id); len(colours) < 2 || slices.Contains(colours, "rgb(0, 0, 0)") {
		t.Errorf("the bar's parts have the colours %q", colours)
	}
	if s := tab.state(id); s.Title != "The emulator has finished: C is in its memory." {
		t.Errorf("the step says %q", s.Title)
	}
	if note := get[string](tab, "e2e.words(e2e.find(%s, '.step-note'))", id); !strings.Contains(note, "Nothing follows from that for a GPU.") {
		t.Errorf("the note is %q", note)
	}
	tab.press("End")
	if got := tab.crossing(id).Counters[3]; !slices.Equal(got[:4], []string{"3", "3", "240", "64"}) {
		t.Errorf("the run has counted %q", got)
	}
}
