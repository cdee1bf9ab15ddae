/**
 * The notes of the place that is in front, and, dimmed, those of the step after it.
 * @module
 */
import { notesAt, planned, stepOf, atStep } from '../model/course.js';
import { upgrade } from '../part/math.js';
import { el, fill, say, set } from '../part/dom.js';

export class Notes {
  /**
   * @param {import('./desk.js').Desk} desk
   * @param {Element} place
   * @param {(note: import('../model/course.js').Note) => void} onAsk
   */
  constructor(desk, place, onAsk) {
    this.desk = desk;
    this.onAsk = onAsk;
    this.pace = el('p', { class: 'desk-pace' });
    this.now = el('div', { class: 'desk-notes-now' });
    this.then = el('div', { class: 'desk-notes-then', hidden: true });
    place.append(this.pace, this.now, this.then);
    this.drawn = '';
  }

  update() {
    const { desk } = this;
    const { chapter, widget, block, view, step, last } = desk.front;
    const all = desk.course.chapter(chapter)?.notes ?? [];
    const where = block ?? desk.course.example(chapter, widget)?.block;
    const spot = (at) => ({ widget, block: where, step: at ? stepOf(at, desk.kindOf(chapter, widget)) : 0, phase: at?.place?.phase });
    const here = notesAt(all, spot(view));
    const ahead = view && step < last ? atStep(view, desk.kindOf(chapter, widget), step + 1) : null;
    const next = ahead ? notesAt(all, spot(ahead)).step.filter((at) => !here.step.includes(at)) : [];

    const shown = [...here.step, ...here.around];
    const { all: whole, sofar } = planned(all, shown);
    say(this.pace, whole > 0 ? `Planned: ${sofar} of ${whole} min up to here` : '');
    set(this.pace, 'hidden', whole === 0);

    // One that only plans minutes says nothing.
    const texts = (at) => all[at].ask || this.text(chapter, at)?.textContent?.trim();
    // What is read is not drawn again while it stays what it is.
    const key = JSON.stringify([chapter, widget, here, next, desk.known]);
    if (key === this.drawn) return;
    this.drawn = key;
    fill(this.now,
      ...here.step.map((at) => this.note(chapter, all[at], at, '')),
      here.step.length === 0 && desk.known ? el('p', { class: 'desk-note-none' }, this.nothing(all, widget, here.around.length > 0)) : null,
      ...here.around.filter((at) => texts(at)).map((at) => this.note(chapter, all[at], at, all[at].widget ? 'The whole example' : all[at].heading ?? 'This section')));
    fill(this.then, el('h3', {}, 'At the next step'), ...next.map((at) => this.note(chapter, all[at], at, '')));
    set(this.then, 'hidden', next.length === 0);
    upgrade(this.now);
    upgrade(this.then);
  }

  nothing(all, widget, around) {
    if (all.length === 0) return 'This chapter has no notes.';
    if (!widget) return around ? '' : 'There are no notes for this part of the text.';
    return 'There are no notes for this step.';
  }

  /** What a note says, as the page brought it. @returns {Element | undefined} */
  text(chapter, at) {
    const texts = /** @type {HTMLTemplateElement | null} */ (document.querySelector(`template[data-notes="${CSS.escape(chapter)}"]`));
    return texts?.content.children[at];
  }

  /**
   * @param {string} chapter
   * @param {import('../model/course.js').Note} note
   * @param {number} at its place among the chapter's
   * @param {string} of what it is about, "" for the step
   */
  note(chapter, note, at, of) {
    const text = /** @type {Element | undefined} */ (this.text(chapter, at)?.cloneNode(true));
    // What a note points at is for the stage, and the desk stays where it is.
    for (const link of text?.querySelectorAll('a[href]') ?? []) {
      const href = link.getAttribute('href') ?? '';
      if (href.startsWith('#')) set(link, 'href', this.desk.base + encodeURIComponent(chapter) + href);
      set(link, 'target', href.startsWith('#') || href.startsWith(this.desk.base) ? `wb-stage-${this.desk.code}` : '_blank');
    }
    const facts = [of, note.minutes ? `${note.minutes} min` : ''].filter(Boolean).join(' · ');
    return el('article', { class: of ? 'desk-note desk-note-around' : 'desk-note' },
      facts && el('p', { class: 'desk-note-of' }, facts),
      text,
      note.ask && el('div', { class: 'desk-note-ask' },
        el('p', {}, note.ask, note.answer && el('span', { class: 'desk-answer' }, ` ${note.answer}`)),
        el('button', { type: 'button', click: () => this.onAsk(note) }, 'Ask the class')));
  }
}
