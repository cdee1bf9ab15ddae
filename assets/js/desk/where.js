/**
 * Where the lesson is, and what moves it: the step, the example, the chapter, what the
 * class may do, and the wheel.
 * @module
 */
import { modes } from '../model/deskkeys.js';
import { announce } from '../part/announce.js';
import { el, fill, freshId, icon, say, set } from '../part/dom.js';

export class Where {
  /**
   * @param {import('./desk.js').Desk} desk
   * @param {Element} place
   */
  constructor(desk, place) {
    this.desk = desk;
    const step = (way, label, ...content) => el('button', { type: 'button', class: way === 'next' ? 'desk-next primary' : `desk-${way}`, 'aria-label': label, title: label, click: () => desk.step(way) }, ...content);
    this.first = step('first', 'First step', icon('first'));
    this.previous = step('previous', 'Previous step', icon('previous'), el('span', {}, 'Previous'));
    this.next = step('next', 'Next step', el('span', {}, 'Next'), icon('next'));
    this.last = step('last', 'Last step', icon('last'));

    this.chapterLine = el('p', { class: 'desk-chapter' });
    this.count = el('p', { class: 'desk-count' });
    this.title = el('p', { class: 'desk-step-title' });
    this.spoken = el('div', { class: 'desk-now' }, this.count, this.title);
    this.stage = el('a', { class: 'desk-button', target: `wb-stage-${desk.code}` }, 'Open the stage');

    this.chapters = el('select', { 'aria-label': 'Chapter', change: () => this.offer() },
      ...desk.course.chapters.map(({ slug }) => el('option', { value: slug }, desk.course.titleOf(slug))));
    this.examples = el('select', { 'aria-label': 'Example', change: () => this.touch() });
    this.go = el('button', {}, 'Go there');
    this.picker = el('form', {
      class: 'desk-picker', 'aria-label': 'Go to another place', submit: (event) => {
        event.preventDefault();
        this.chosen = false;
        desk.goTo(this.chapters.value, this.examples.value);
      },
    }, this.chapters, this.examples, this.go);
    /** Whether something was chosen that the class is not at. */
    this.chosen = false;

    const name = freshId('mode');
    this.modes = new Map(modes.map(([mode, word, what]) => {
      const id = freshId('mode');
      const input = el('input', { type: 'radio', name, value: mode, id, change: () => desk.setMode(mode) });
      return [mode, { input, element: el('label', { for: id, title: what }, input, el('span', {}, word)) }];
    }));
    this.modeHint = el('p', { class: 'desk-hint', id: freshId('hint') });
    this.modeGroup = el('fieldset', { class: 'desk-modes', 'aria-describedby': this.modeHint.id },
      el('legend', {}, 'The class'), ...[...this.modes.values()].map(({ element }) => element));

    this.wheel = el('p', { class: 'desk-wheel' });
    this.wheelButton = el('button', { type: 'button', click: () => desk.takeWheel() });

    place.append(
      el('div', { class: 'desk-where-head' }, this.chapterLine, this.stage),
      this.spoken,
      el('div', { class: 'desk-steps', role: 'group', 'aria-label': 'Steps' }, this.first, this.previous, this.next, this.last),
      el('div', { class: 'desk-hold' }, this.modeGroup, el('div', { class: 'desk-wheel-row' }, this.wheel, this.wheelButton)),
      el('div', { class: 'desk-more' }, this.modeHint,
        el('details', { class: 'desk-elsewhere' }, el('summary', {}, 'Go elsewhere'), this.picker)));
  }

  update() {
    const { desk } = this;
    const { chapter, widget, view, step, last } = desk.front;
    const example = desk.course.example(chapter, widget);
    say(this.chapterLine, desk.known ? desk.course.titleOf(chapter) : 'Asking the room …');
    set(this.stage, 'href', chapter ? desk.base + encodeURIComponent(chapter) : null);
    if (!desk.known) {
      say(this.count, '');
      say(this.title, '');
    } else if (view) {
      const name = example?.title ?? widget;
      say(this.count, last > 0 ? `Step ${step} of 0–${last} · ${name}` : name);
      set(this.count, 'title', name);
      say(this.title, desk.course.stepTitle(chapter, widget, step, view) || desk.titleNow(chapter, widget, step));
    } else {
      say(this.count, 'The text of the chapter');
      say(this.title, desk.after ? 'Next puts the example below in front.' : desk.before ? 'The chapter’s examples are above.' : 'This chapter has no examples.');
    }
    const now = `${this.count.textContent}. ${this.title.textContent}`;
    if (this.now && now !== this.now) announce('step', now);
    if (desk.known) this.now = now;
    this.steps(view, step, last);
    for (const [mode, { input }] of this.modes) {
      input.checked = desk.known && mode === desk.mode;
      input.disabled = desk.ended;
    }
    say(this.modeHint, modes.find(([mode]) => mode === desk.mode)?.[2] ?? '');
    this.drawWheel();
    if (!this.chosen) this.fillPicker(chapter, widget);
    set(this.go, 'aria-disabled', desk.blocked ? 'true' : null);
  }

  /** Not disabled: the focus would be lost where a presenter steps to the end. */
  steps(view, step, last) {
    const { desk } = this;
    const off = (button, is) => set(button, 'aria-disabled', is ? 'true' : null);
    const { blocked, before, after } = desk;
    const none = !view && !before && !after;
    off(this.first, blocked || (view ? step <= 0 : none));
    off(this.last, blocked || (view ? step >= last : none));
    off(this.previous, blocked || !before && (!view || step <= 0));
    off(this.next, blocked || !after && (!view || step >= last));
    say(this.next.firstChild, after ? 'Next example' : 'Next');
    set(this.next, 'aria-label', after ? `Next example: ${after.title}` : 'Next step');
    set(this.next, 'title', after ? after.title : 'Next step');
    say(this.previous.lastChild, before ? 'Previous example' : 'Previous');
    set(this.previous, 'aria-label', before ? `Previous example: ${before.title}` : 'Previous step');
    set(this.previous, 'title', before ? before.title : 'Previous step');
  }

  drawWheel() {
    const { desk } = this;
    const driver = desk.room.state?.driver ?? '';
    const { mine } = desk.room;
    const wants = desk.class.presenters.find((p) => p.id === desk.room.you.presenter)?.wants;
    set(this.wheel, 'data-mine', mine || null);
    if (!desk.known || desk.ended || !desk.open) say(this.wheel, '');
    else if (mine) say(this.wheel, 'You have the wheel.');
    else if (driver === '') say(this.wheel, 'Nobody has the wheel.');
    else if (!desk.room.state.here) say(this.wheel, `${desk.nameOf(driver)} had the wheel and is not connected.`);
    else say(this.wheel, wants ? `${desk.nameOf(driver)} has the wheel, and sees that you want it.` : `${desk.nameOf(driver)} has the wheel.`);
    set(this.wheelButton, 'hidden', !desk.known || desk.ended || !desk.open || mine);
    say(this.wheelButton, driver === '' || !desk.room.state?.here ? 'Take the wheel' : 'Ask for the wheel');
  }

  /** Puts the pickers where the class is. */
  fillPicker(chapter, widget) {
    if (this.chapters.value !== chapter) this.chapters.value = chapter;
    this.listExamples(chapter, widget);
  }

  listExamples(slug, widget) {
    const all = this.desk.course.chapter(slug)?.widgets ?? [];
    const key = [slug, ...all.map((w) => w.id)].join(' ');
    if (this.listed !== key) {
      this.listed = key;
      fill(this.examples, el('option', { value: '' }, 'The beginning of the text'), ...all.map((w) => el('option', { value: w.id }, w.title)));
    }
    if (this.examples.value !== widget) this.examples.value = all.some((w) => w.id === widget) ? widget : '';
  }

  offer() {
    this.listExamples(this.chapters.value, '');
    this.touch();
  }

  touch() {
    const { chapter, widget } = this.desk.front;
    this.chosen = this.chapters.value !== chapter || this.examples.value !== widget;
  }
}
