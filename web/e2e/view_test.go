package e2e

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// viewScript is what the tests of views need of a page: what a person does in each kind of
// example, when it is at rest, and what is seen of it.
const viewScript = `globalThis.views = (() => {
	const find = (one, css) => one.querySelector('.widget-live ' + css);
	const all = (one, css) => [...one.querySelectorAll('.widget-live ' + css)].filter((each) => each.checkVisibility());
	const until = async (what, holds) => {
		for (let n = 0; n < 2000; n++) {
			if (holds()) return;
			await new Promise((later) => { setTimeout(later, 10); });
		}
		throw new Error('waited in vain for ' + what());
	};
	const rest = (one) => until(() => one.id + ' to be at rest: ' + JSON.stringify({
		running: Boolean(one.running), coming: one.coming, moment: one.moment?.step, step: one.stepper?.index,
		notice: e2e.words(find(one, '.notice')), busy: find(one, '[aria-busy="true"]')?.className,
	}), () => !one.running && !one.seeking && !one.task && !one.coming &&
		(!one.tape || one.moment?.step === one.stepper.index && (!find(one, '.shared:not([hidden])') || one.shared.tape === one.tape && one.shared.block)) && !find(one, '[aria-busy="true"]'));
	const click = (one, css, at = 0) => all(one, css).at(at).click();
	const next = async (one, times) => {
		for (let n = 0; n < times; n++) click(one, '.step-button[aria-label^="Next"]');
		await rest(one);
	};
	const write = (field, text) => {
		field.value = text;
		for (const type of ['input', 'change']) field.dispatchEvent(new Event(type, { bubbles: true }));
	};
	const run = async (one) => {
		click(one, '.run');
		await rest(one);
	};
	/** Another number in the first tensor, or another letter in the text. */
	const edit = (one) => {
		const field = find(one, '.edit-matrix, .edit-text');
		const text = field.value.replace(/\d|[a-z]/, (first) => (/\d/.test(first) ? String((Number(first) + 1) % 10) : 'x'));
		if (text === field.value) return;
		find(one, '.edit').open = true;
		write(field, text);
	};
	const type = (one, text) => {
		one.source.area.value = text;
		one.source.area.dispatchEvent(new Event('input'));
	};
	/** A device that is here and is not chosen. */
	const device = (one) => {
		const picker = find(one, '.device-select');
		const other = [...picker.options].find((each) => !each.disabled && each.value !== picker.value && !/cuda/.test(each.value));
		if (other) write(picker, other.value);
	};
	const traced = async (one) => {
		edit(one);
		await run(one);
		await next(one, 2);
		if (one.choose && one.target) one.choose(0);
		await rest(one);
	};
	/** What a person does, by what the example is; each step of it is a view. */
	const acts = {
		'WB-PRODUCT': [traced, async (one) => { device(one); edit(one); }],
		'WB-REDUCTION': [traced],
		'WB-VIEW': [async (one) => { await next(one, 1); one.choose(1); }],
		'WB-DECODER': [traced],
		'WB-BOUNDARY': [traced],
		'WB-CONTRACTS': [async (one) => { edit(one); await run(one); }],
		'WB-COMPARISON': [async (one) => { edit(one); await run(one); one.find(find(one, '.entries tbody th').textContent, true); }],
		'WB-KERNEL': [
			async (one) => {
				type(one, '// the same\n' + one.edit.texts.source);
				await run(one);
				await next(one, 3);
				one.chooseThread(0);
				await rest(one);
				const { grid } = one.tape;
				if (grid.some((n) => n > 1)) one.chooseBlock(grid.map((n) => n - 1));
			},
			// What cannot be compiled leaves the results before.
			async (one) => { type(one, 'not CUDA C'); await run(one); },
		],
		'WB-TILES': [async (one) => { await next(one, 2); one.chooseBlock([1, 0, 0]); await rest(one); one.chooseThread([1, 1, 0]); await rest(one); }],
		'WB-LADDER': [async (one) => { write(one.precision, one.precision.options[1].value); }],
	};
	const told = new Map();
	document.addEventListener('wb-change', ({ target }) => told.set(target.id, (told.get(target.id) ?? 0) + 1));
	return {
		/** Some of each kind of example on the page. */
		some: (most) => Object.keys(acts).flatMap((tag) => [...document.querySelectorAll(tag)].slice(0, most).map((one) => one.id)),
		acts: (id) => acts[e2e.widget(id).tagName]?.length ?? 0,
		act: async (id, n) => {
			const one = e2e.widget(id);
			await rest(one);
			const before = told.get(id) ?? 0;
			await acts[one.tagName][n](one);
			await rest(one);
			return { view: one.view, told: (told.get(id) ?? 0) - before };
		},
		show: async (id, view) => {
			const one = e2e.widget(id);
			const before = told.get(id) ?? 0;
			await one.show(view);
			await rest(one);
			return { view: one.view, told: (told.get(id) ?? 0) - before };
		},
		/** Whether an example has a view, in whatever order that is written. */
		has: (id, view) => {
			const sorted = (_, one) => (one && typeof one === 'object' && !Array.isArray(one) ? Object.fromEntries(Object.entries(one).sort()) : one);
			return JSON.stringify(e2e.widget(id).view, sorted) === JSON.stringify(view, sorted);
		},
		/** What is read of an example, without how long something took. */
		text: (id, css = '.widget-live') => {
			const parts = [];
			const part = e2e.widget(id).querySelector(css);
			if (!part) return '';
			const walker = document.createTreeWalker(part, NodeFilter.SHOW_ALL);
			for (let node = walker.nextNode(); node; node = walker.nextNode()) {
				if (node.nodeType === Node.TEXT_NODE && node.parentElement.checkVisibility()) parts.push(node.data);
				else if (node.matches?.('input, select, textarea') && node.checkVisibility()) parts.push('[' + (node.type === 'checkbox' ? node.checked : node.value) + ']');
			}
			return parts.join(' ').replace(/\s+/g, ' ').replace(/run in [\d.]+ ms/g, 'run').replace(/(Go to|Undo|Chapter’s example|Chapter’s kernel) /g, '');
		},
	};
})(), true`

// A shown is a view of an example, and how often a change was told meanwhile.
type shown struct {
	View json.RawMessage
	Told int
}

// TestShowView does in one page what a person does in every kind of example, and shows
// each view of it in another page, which then reads the same: the results come by
// running what the view says. Back at the chapter's and again it reads the same, too,
// and it neither tells of a change nor touches its address or what is stored.
func TestShowView(t *testing.T) {
	t.Parallel()
	long(t)
	site := course(t, false)
	for _, path := range pages(t, site) {
		if !strings.HasPrefix(path, "/chapters/") {
			continue
		}
		t.Run(strings.Trim(path, "/"), func(t *testing.T) {
			t.Parallel()
			one := newTab(t, site)
			other := newTab(t, site)
			for _, tab := range []*Tab{one, other} {
				tab.load(path)
				tab.until("the examples", "e2e.ready()")
				get[bool](tab, viewScript)
			}
			address := other.location()
			for _, id := range get[[]string](one, "views.some(2)") {
				n := get[int](one, "views.acts(%s)", id)
				pristine := get[string](other, "views.text(%s)", id)
				for act := range n {
					did := get[shown](one, "views.act(%s, %s)", id, act)
					if did.Told == 0 {
						t.Errorf("%s: act %d was told to nobody", id, act)
					}
					text := get[string](one, "views.text(%s)", id)
					rounds := []json.RawMessage{did.View}
					if act == n-1 {
						rounds = []json.RawMessage{did.View, json.RawMessage("null"), did.View}
					}
					for round, view := range rounds {
						got := get[shown](other, "views.show(%s, %s)", id, view)
						if string(view) == "null" {
							sees(t, other, id, "as the chapter has it", pristine)
						} else {
							sees(t, other, id, fmt.Sprintf("act %d, round %d", act, round), text)
							if string(got.View) != string(view) {
								t.Errorf("%s: act %d, round %d: the view is\n%s, want\n%s", id, act, round, got.View, view)
							}
						}
						if got.Told > 0 {
							t.Errorf("%s: what is shown was told %d times", id, got.Told)
						}
					}
				}
			}
			if at := other.location(); at != address {
				t.Errorf("the address became %s", at)
			}
			if n := get[int](other, "Object.keys(localStorage).filter((key) => key.startsWith('wb:edit')).length"); n > 0 {
				t.Errorf("%d edits were stored", n)
			}
		})
	}
}

// sees waits until an example reads as it should.
func sees(t *testing.T, tab *Tab, id, what, text string) {
	t.Helper()
	const equal = "(async () => { for (let n = 0; n < 300; n++) { if (views.text(%s) === %s) return true; await new Promise((later) => { setTimeout(later, 10); }); } return false; })()"
	if get[bool](tab, equal, id, text) {
		return
	}
	got := get[string](tab, "views.text(%s)", id)
	at := 0
	for at < min(len(got), len(text)) && got[at] == text[at] {
		at++
	}
	cut := func(s string) string { return s[max(0, min(len(s), at)-80):min(len(s), at+160)] }
	t.Errorf("%s, %s: it reads\n… %s …, want\n… %s …", id, what, cut(got), cut(text))
}
