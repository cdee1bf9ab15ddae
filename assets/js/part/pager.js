/**
 * Moves a window over one axis of something too long to show whole:
 * "rows 0–11 of 258" or "matrix 1 of 0–3", two buttons and a field to jump by number.
 * @module
 */
import { inside } from '../model/window.js';
import { el, say, set } from './dom.js';

export class Pager {
  /**
   * @param {object} options
   * @param {string} options.word what is counted, in the plural: "rows"
   * @param {string} options.one the same in the singular
   * @param {(start: number) => void} options.onMove
   */
  constructor({ word, one, onMove }) {
    this.word = word;
    this.one = one;
    this.onMove = onMove;
    this.start = 0;
    this.size = 1;
    this.count = 0;
    this.text = el('span', { class: 'pager-text' });
    this.back = el('button', { type: 'button', class: 'pager-button', click: () => this.move(this.start - this.size) }, '‹');
    this.forth = el('button', { type: 'button', class: 'pager-button', click: () => this.move(this.start + this.size) }, '›');
    this.back.setAttribute('aria-label', `earlier ${word}`);
    this.forth.setAttribute('aria-label', `later ${word}`);
    this.field = el('input', {
      type: 'text', inputmode: 'numeric', class: 'pager-field', size: 4,
      change: () => this.jump(),
      keydown: (event) => {
        if (event.key === 'Enter') this.jump();
      },
    });
    this.jumper = el('label', { class: 'pager-jump' }, `go to ${one} `, this.field);
    this.element = el('span', { class: 'pager', role: 'group', 'aria-label': word }, this.back, this.text, this.forth, this.jumper);
  }

  /**
   * Shows where the window stands; hides where everything is in it.
   * @param {number} start @param {number} size @param {number} count
   */
  update(start, size, count) {
    Object.assign(this, { start, size, count });
    set(this.element, 'hidden', count <= size);
    const last = Math.min(start + size, count) - 1;
    say(this.text, size === 1 ? `${this.one} ${start} of 0–${count - 1}` : `${this.word} ${start}–${last} of ${count}`);
    set(this.back, 'aria-disabled', start === 0 && 'true');
    set(this.forth, 'aria-disabled', last >= count - 1 && 'true');
    set(this.jumper, 'hidden', count <= 2 * size && count < 8);
  }

  jump() {
    const text = this.field.value.trim();
    if (/^\d+$/.test(text)) this.move(Number(text));
    this.field.value = '';
  }

  move(start) {
    const to = inside(start, this.size, this.count);
    if (to !== this.start) this.onMove(to);
  }
}
