package e2e

import (
	"errors"
	"strings"
	"testing"

	"workbench/engine"
	"workbench/engine/device"
)

// TestMissingDevicesSayWhy holds the menu to list what is not there, and the
// example to say why and what to do.
func TestMissingDevicesSayWhy(t *testing.T) {
	t.Parallel()
	tab, id := openProduct(t, course(t, false))
	missing := 0
	for _, info := range engine.List(t.Context()) {
		option := get[map[string]any](tab, `(() => {
			const option = [...e2e.find(%s, '.device-select').options].find((one) => one.value === %s);
			return option ? { text: option.text, disabled: option.disabled } : {};
		})()`, id, info.Spec)
		if option["disabled"] != !info.Available {
			t.Errorf("the menu's entry for %s is %v", info.Spec, option)
		}
		if info.Available {
			continue
		}
		missing++
		if text, _ := option["text"].(string); !strings.Contains(text, "not available") {
			t.Errorf("the menu calls %s %q", info.Spec, text)
		}
	}
	if missing == 0 {
		t.Skip("every device is there")
	}
	tab.click(script("e2e.find(%s, '.missing-devices summary')", id))
	said := strings.ToLower(get[string](tab, "e2e.words(e2e.find(%s, '.missing-devices'))", id))
	for _, info := range engine.List(t.Context()) {
		for _, want := range []string{info.Spec, info.Reason, info.Next} {
			if !info.Available && !strings.Contains(said, strings.ToLower(want)) {
				t.Errorf("of %s the example says %q, and not %q", info.Spec, said, want)
			}
		}
	}
}

// TestLinkToAMissingDevice opens a link that somebody with another machine
// made: the page's own result stays, and a run says why there is none.
func TestLinkToAMissingDevice(t *testing.T) {
	t.Parallel()
	var missing *device.UnavailableError
	if d, err := engine.Open(t.Context(), "cuda:0"); !errors.As(err, &missing) {
		if err == nil {
			d.Close()
		}
		t.Skipf("cuda:0 opens here, or fails in another way: %v", err)
	}
	tab := newTab(t, course(t, false))
	const id = "first-product"
	tab.open("/chapters/01-one-product?widget=first-product&step=4&device=cuda:0#first-product")
	if s := tab.state(id); s.Device != "cuda:0" || !s.Stale || s.Sentence != "64 = 1·8 + 2·10 + 3·12" || !strings.HasPrefix(s.Made, "Made by cpu (") {
		t.Errorf("the link opened %+v", s)
	}
	tab.click(script("e2e.find(%s, '.run')", id))
	tab.until("the reason", "e2e.state(%s).notice.toLowerCase().includes(%s) && e2e.state(%s).notice.toLowerCase().includes(%s)", id, strings.ToLower(missing.Reason), id, strings.ToLower(missing.Next))
	if s := tab.state(id); s.Sentence != "64 = 1·8 + 2·10 + 3·12" {
		t.Errorf("the result before it is gone: %+v", s)
	}
	tab.choose(id, "cpu")
	tab.until("the way back", "!e2e.state(%s).stale && e2e.state(%s).notice === ''", id, id)
}

// TestChoiceOfContract runs chapter 1's example of a fused multiply-add under
// both contracts, chosen by keyboard: the bits are others, and the right ones.
func TestChoiceOfContract(t *testing.T) {
	t.Parallel()
	tab := newTab(t, course(t, false))
	tab.open("/chapters/01-one-product")
	for _, c := range []struct{ id, key, device, value, bits string }{
		{"separate", "ArrowDown", "cpu,fused", "5.551115123125783e-17", "3c90000000000000"},
		{"fused", "ArrowUp", "cpu", "0", "0000000000000000"},
	} {
		t.Run(c.id, func(t *testing.T) {
			get[bool](tab, "(e2e.find(%s, '.device-select').focus(), true)", c.id)
			tab.press(c.key)
			tab.until("the choice", "e2e.state(%s).device === %s && e2e.state(%s).stale", c.id, c.device, c.id)
			tab.press("Tab")
			if text := get[string](tab, "e2e.focus().text"); text != "Run" {
				t.Fatalf("after the menu Tab leads to %q, not to Run", text)
			}
			tab.press("Enter")
			tab.until("the run", "!e2e.state(%s).stale && e2e.state(%s).made.startsWith('Made by ' + %s + ' (')", c.id, c.id, c.device)
			s := tab.state(c.id)
			if !strings.HasPrefix(s.Sentence, c.value+" = 1·(−1) + 0.1·10") {
				t.Errorf("the cell says %q, want %s", s.Sentence, c.value)
			}
			if grids := tab.grids(c.id); grids[2].Cells[0][0] != c.value || grids[2].Cells[1][1] != "0" {
				t.Errorf("the result is %v", grids[2].Cells)
			}
			if said := get[string](tab, "e2e.words(e2e.find(%s, '.cell-verdict'))", c.id); strings.Count(said, c.bits) != 2 {
				t.Errorf("the cell says %q, want the bits %s of both", said, c.bits)
			}
		})
	}
}
