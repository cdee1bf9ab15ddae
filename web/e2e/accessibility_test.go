package e2e

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/accessibility"
)

// named are the roles that a screen reader announces by name: one that has none
// is "button" and nothing else.
var namedRoles = []string{
	"button", "slider", "combobox", "listbox", "textbox", "searchbox", "spinbutton", "checkbox", "radio", "switch",
	"link", "grid", "dialog", "region", "navigation", "progressbar", "image", "img", "columnheader", "rowheader", "DisclosureTriangle", "summary",
}

// wanted roles are those that every page with a stepped example has, so that
// the test cannot pass on a tree that is empty.
var wantedRoles = []string{"button", "slider", "combobox", "grid", "link", "columnheader", "rowheader"}

// checkTree holds everything on a page that a screen reader stops at to have a name.
// checkNames holds what a screen reader stops at to have a name, and returns how much
// there is of each role.
func checkNames(t *testing.T, tab *Tab, where string) map[string]int {
	t.Helper()
	tree := call(tab, accessibility.GetFullAXTree, accessibility.GetFullAXTreeParams{})
	count := map[string]int{}
	nameless := map[string]int{}
	for _, n := range tree.Nodes {
		if n.Ignored || n.Role == nil {
			continue
		}
		role := textOf(n.Role)
		count[role]++
		if slices.Contains(namedRoles, role) && strings.TrimSpace(textOf(n.Name)) == "" {
			nameless[role]++
			html, err := evaluateNode(tab, int64(n.BackendDOMNodeID))
			if err != nil {
				html = err.Error()
			}
			if nameless[role] <= 3 {
				t.Errorf("%s: a %s has no name: %s", where, role, html)
			}
		}
	}
	for role, n := range nameless {
		t.Errorf("%s: %d of %d of the role %s have no name", where, n, count[role], role)
	}
	for _, fault := range get[[]string](tab, structure) {
		t.Errorf("%s: %s", where, fault)
	}
	return count
}

func checkTree(t *testing.T, tab *Tab, where string) {
	t.Helper()
	count := checkNames(t, tab, where)
	if strings.HasPrefix(where, "/chapters/") {
		for _, role := range wantedRoles {
			if count[role] == 0 {
				t.Errorf("%s has nothing of the role %s: %v", where, role, count)
			}
		}
	}
	for role, want := range map[string]int{"banner": 1, "main": 1, "contentinfo": 1} {
		if count[role] != want {
			t.Errorf("%s has %d of the landmark %s, want %d", where, count[role], role, want)
		}
	}
	// Who comes from elsewhere is led to rooms alone.
	if door := strings.HasPrefix(where, "/join") || strings.HasPrefix(where, "/present"); count["navigation"] == 0 && !door {
		t.Errorf("%s has no navigation", where)
	}
}

// structure lists what is wrong with a page's identifiers, headings and rows of
// tab stops.
const structure = `(() => {
	const faults = [];
	const seen = new Map();
	for (const { id } of document.querySelectorAll('[id]')) seen.set(id, (seen.get(id) ?? 0) + 1);
	for (const [id, n] of seen) if (n > 1) faults.push(n + ' elements have the id ' + id);
	for (const name of ['for', 'aria-labelledby', 'aria-describedby', 'aria-controls', 'popovertarget']) {
		for (const element of document.querySelectorAll('[' + name + ']')) {
			for (const id of element.getAttribute(name).split(' ')) {
				if (!seen.has(id)) faults.push(name + ' of ' + element.outerHTML.slice(0, 80) + ' names ' + id + ', which is not there');
			}
		}
	}
	const levels = [...document.querySelectorAll('h1, h2, h3, h4, h5, h6')].filter(e2e.shown).map((h) => Number(h.tagName[1]));
	if (levels.filter((level) => level === 1).length !== 1) faults.push('the headings are of the levels ' + levels);
	levels.forEach((level, i) => {
		if (i > 0 && level > levels[i - 1] + 1) faults.push('a heading of level ' + level + ' follows one of level ' + levels[i - 1]);
	});
	for (const table of document.querySelectorAll('table.grid')) {
		if (!e2e.shown(table) || !table.querySelector('[role=gridcell]')) continue;
		const stops = table.querySelectorAll('[tabindex="0"]').length;
		if (stops !== 1) faults.push('the table ' + e2e.words(table.caption) + ' has ' + stops + ' tab stops');
	}
	for (const element of document.querySelectorAll('[tabindex]')) {
		if (element.tabIndex > 0) faults.push('a tab stop out of order: ' + element.outerHTML.slice(0, 80));
	}
	if (!document.documentElement.lang) faults.push('the page has no language');
	return faults;
})()`

func textOf(v *accessibility.Value) string {
	if v == nil {
		return ""
	}
	var text string
	if json.Unmarshal(v.Value, &text) != nil {
		return string(v.Value)
	}
	return text
}

// checkContrast holds every text of a page to the contrast that WCAG 2.2 asks for
// (1.4.3, level AA), in light and dark.
func checkContrast(t *testing.T, tab *Tab, where string) {
	t.Helper()
	for _, scheme := range schemes {
		tab.scheme(scheme)
		tab.settle()
		tab.settle() // a chart takes the colours of its theme a frame later
		for _, fault := range get[[]string](tab, "e2e.contrast()") {
			t.Errorf("%s in %s: %s", where, scheme, fault)
		}
	}
}

// TestTheContrastIsMeasured holds the measure to known pairs of colours.
func TestTheContrastIsMeasured(t *testing.T) {
	t.Parallel()
	tab := newTab(t, course(t, false))
	tab.open("/")
	for _, c := range []struct {
		text, back string
		want       string
	}{
		{"rgb(0, 0, 0)", "rgb(255, 255, 255)", "21.00"},
		{"rgb(118, 118, 118)", "rgb(255, 255, 255)", "4.54"},
		{"rgb(255, 255, 255)", "rgb(255, 0, 0)", "4.00"},
		{"rgba(0, 0, 0, 0.5)", "rgb(255, 255, 255)", "4.00"},
	} {
		if got := get[string](tab, "e2e.ratio(%s, [%s]).toFixed(2)", c.text, c.back); got != c.want {
			t.Errorf("%s on %s has the contrast %s, want %s", c.text, c.back, got, c.want)
		}
	}
	get[bool](tab, `(() => {
		const p = document.createElement('p');
		p.textContent = 'Hardly to be seen';
		p.style.color = 'rgb(200, 200, 200)';
		p.style.background = 'rgb(255, 255, 255)';
		document.querySelector('main').append(p);
		return true;
	})()`)
	if faults := get[[]string](tab, "e2e.contrast()"); len(faults) != 1 || !strings.Contains(faults[0], "Hardly to be seen") {
		t.Errorf("of a pale text the measure says %q", faults)
	}
	get[bool](tab, "(Object.assign(document.querySelector('main').lastChild.style, { color: 'rgb(0, 0, 0)', opacity: 0.4 }), true)")
	if faults := get[[]string](tab, "e2e.contrast()"); len(faults) != 1 || !strings.Contains(faults[0], "Hardly to be seen") {
		t.Errorf("of a text that shines through the measure says %q", faults)
	}
}
