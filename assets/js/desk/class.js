/**
 * The class: how many follow, are on their own, are lost; what it asked without names;
 * and which exercises it passed.
 * @module
 */
import { countsOf, shareOf } from '../model/class.js';
import { announce } from '../part/announce.js';
import { el, fill, say, set } from '../part/dom.js';
import { joinAddress } from '../part/door.js';

export class Gauge {
  /**
   * @param {import('./desk.js').Desk} desk
   * @param {Element} place
   */
  constructor(desk, place) {
    this.desk = desk;
    const part = (name) => el('span', { 'data-part': name });
    this.parts = { with: part('with'), free: part('free'), lost: part('lost') };
    this.bar = el('span', { class: 'desk-gauge-bar', 'aria-hidden': 'true' }, ...Object.values(this.parts));
    this.text = el('span', { class: 'desk-gauge-text' });
    this.back = el('button', { type: 'button', class: 'small', click: () => desk.tryTo({ do: 'unlost' }) }, 'Clear lost');
    this.asked = el('button', {
      type: 'button', class: 'small', click: () => {
        const list = document.getElementById('questions');
        list?.scrollIntoView({ block: 'nearest' });
        list?.focus({ preventScroll: true });
      },
    });
    place.append(el('p', { class: 'desk-gauge' }, this.text, ' ', this.asked, ' ', this.back), this.bar);
  }

  update() {
    const { desk } = this;
    const counts = desk.class;
    const said = desk.room.class ? countsOf(counts) : [];
    const key = JSON.stringify(said);
    if (key !== this.drawn) {
      this.drawn = key;
      fill(this.text, ...said.map(([name, text], at) => el('span', { 'data-part': name || null }, at > 0 && el('span', { class: 'unseen' }, ', '), text)));
    }
    const { length } = desk.class.questions;
    say(this.asked, `${length} ${length === 1 ? 'question' : 'questions'}`);
    set(this.asked, 'hidden', length === 0);
    set(this.back, 'hidden', !(counts.lost > 0) || desk.ended);
    const share = shareOf(counts);
    for (const [name, part] of Object.entries(this.parts)) {
      part.style.flexGrow = String(share[name]);
      set(part, 'hidden', share[name] === 0);
    }
    set(this.bar, 'data-none', counts.following + counts.free === 0 || null);
  }
}

/** Questions that the desk shows; the room keeps more. */
const mostQuestions = 50;

export class Questions {
  constructor(desk, place) {
    this.desk = desk;
    this.count = el('span', { class: 'desk-badge' });
    place.querySelector('h2').append(' ', this.count);
    this.list = el('ol', { class: 'desk-asked', reversed: true });
    this.none = el('p', { class: 'desk-hint' }, 'Questions of the class come here, without names.');
    this.more = el('p', { class: 'desk-hint', hidden: true });
    this.news = el('p', { class: 'unseen', role: 'status' });
    place.append(this.none, this.list, this.more, this.news);
    /** @type {Map<number, any>} */
    this.items = new Map();
    /** The newest that was there. */
    this.last = -1;
  }

  update() {
    const all = [...this.desk.class.questions].sort((a, b) => b.n - a.n);
    const shown = all.slice(0, mostQuestions);
    set(this.list, 'data-ended', this.desk.ended || null);
    const there = new Set(shown.map(({ n }) => n));
    for (const [n, item] of this.items) {
      if (there.has(n)) continue;
      const had = item.contains(document.activeElement);
      const beside = item.nextElementSibling ?? item.previousElementSibling;
      item.remove();
      this.items.delete(n);
      // Who answers them with the keyboard goes on with the next.
      if (had) (beside?.querySelector('button') ?? this.list.closest('section'))?.focus();
    }
    for (const { n, text, at } of [...shown].reverse()) {
      if (this.items.has(n)) continue;
      const item = el('li', {},
        el('p', { class: 'desk-question' }, text),
        el('span', { class: 'desk-hint' }, timeOf(at)),
        el('button', { type: 'button', class: 'small', 'aria-label': `Answered: ${text}`, click: () => this.desk.tryTo({ do: 'done', n }) }, 'Answered'));
      this.items.set(n, item);
      this.list.prepend(item);
    }
    const newest = shown[0]?.n ?? -1;
    if (this.last >= 0 && newest > this.last) announce('question', `A new question: ${shown[0].text}`);
    if (this.desk.known) this.last = Math.max(this.last, newest, 0);
    say(this.count, all.length > 0 ? String(all.length) : '');
    set(this.count, 'hidden', all.length === 0);
    set(this.none, 'hidden', all.length > 0);
    set(this.list, 'hidden', all.length === 0);
    say(this.more, `${all.length - shown.length} older ones are not shown.`);
    set(this.more, 'hidden', all.length === shown.length);
  }
}

/** The time of day of a moment, as far as it can be read. */
function timeOf(at) {
  const date = new Date(at);
  return Number.isNaN(date.getTime()) ? '' : new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit' }).format(date);
}

export class Passes {
  constructor(desk, place) {
    this.desk = desk;
    this.body = el('tbody', {});
    this.table = el('table', { class: 'desk-counts', hidden: true },
      el('thead', {}, el('tr', {}, el('th', { scope: 'col' }, 'Exercise'), el('th', { scope: 'col', class: 'desk-number' }, 'Passed'))), this.body);
    const address = joinAddress();
    this.how = el('p', { class: 'desk-hint' }, 'A learner who wants to be counted runs ', el('code', {}, `./course run --room ${address || desk.code}`), '. Nothing but the pass is told.');
    place.append(this.table, this.how);
  }

  update() {
    const { passes } = this.desk.class;
    const key = JSON.stringify(passes);
    if (key === this.drawn) return;
    this.drawn = key;
    set(this.table, 'hidden', passes.length === 0);
    fill(this.body, ...passes.map(({ exercise, title, count }) => el('tr', {}, el('th', { scope: 'row' }, title || exercise), el('td', { class: 'desk-number' }, String(count)))));
  }
}
