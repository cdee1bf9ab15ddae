/**
 * The ways through a recorded block that are longer than a statement: to the next
 * and the last step of a warp, a barrier, a line, an access of an element, an exchange
 * between lanes.
 * @module
 */
import { elementName, parseElement } from '../model/kernel.js';
import { el, freshId, say, set } from './dom.js';

/** Keys of the goals: small goes on, capital goes back. */
export const goalKeys = [
  ['b, B', 'next and last barrier'],
  ['w, W', 'next and last step of the warp that is shown'],
  ['l, L', 'next and last step at the line'],
  ['e, E', 'next and last access of the element'],
  ['x, X', 'next and last exchange between lanes'],
];

export class TapeBar {
  /**
   * @param {object} options
   * @param {(goal: {kind: string, back: boolean}) => void} options.onGoal
   * @param {(array: number, element: number) => void} options.onElement
   * @param {() => void} options.onLine the line that was typed is another
   */
  constructor({ onGoal, onElement, onLine }) {
    Object.assign(this, { onGoal, onElement });
    this.line = el('input', { type: 'text', inputmode: 'numeric', size: '3', class: 'goal-line', 'aria-label': 'Line', input: () => { this.typed = true; onLine(); }, keydown: (event) => this.enter(event, 'line') });
    const errorId = freshId('error');
    this.element_ = el('input', {
      type: 'text', size: '10', class: 'goal-element', spellcheck: 'false', autocapitalize: 'off', placeholder: 'left[3][4]', 'aria-label': 'Element', 'aria-describedby': errorId,
      change: () => this.readElement(), keydown: (event) => this.enter(event, 'element'),
    });
    this.error = el('p', { class: 'field-error', id: errorId, 'aria-live': 'polite', hidden: true });
    this.said = el('p', { class: 'goal-said', role: 'status' });
    const pair = (kind, word, field) => el('span', { class: 'goal', role: 'group', 'aria-label': word },
      this.button(kind, true, word), el('span', { class: 'goal-word' }, kind === 'element' ? 'access of' : word.replace(/^(the|a|an) /, '')), field, this.button(kind, false, word));
    this.exchange = pair('exchange', 'an exchange');
    this.element = el('div', { class: 'tapebar', role: 'group', 'aria-label': 'Ways through the block' },
      pair('barrier', 'a barrier'), pair('warp', 'the warp'), pair('line', 'the line', this.line), pair('element', 'an access', this.element_), this.exchange, this.said, this.error);
    this.arrays = [];
  }

  button(kind, back, word) {
    const label = `${back ? 'Back to' : 'On to'} ${word}${kind === 'line' || kind === 'element' ? ' named here' : ''}`;
    return el('button', { type: 'button', class: 'goal-button', 'aria-label': label, title: label, click: () => this.go(kind, back) }, back ? '‹' : '›');
  }

  enter(event, kind) {
    if (event.key !== 'Enter') return;
    event.preventDefault();
    this.go(kind, event.shiftKey);
  }

  go(kind, back) {
    if (kind === 'element' && !this.readElement()) return;
    this.onGoal({ kind, back });
  }

  /** @returns {boolean} whether the text names an element */
  readElement() {
    const found = parseElement(this.arrays, this.element_.value, this.arrays.findIndex(({ space }) => space === 'shared'));
    const problem = 'problem' in found ? found.problem : '';
    this.fault(problem);
    if ('problem' in found) return false;
    this.onElement(found.array, found.element);
    return true;
  }

  fault(text) {
    say(this.error, text);
    set(this.error, 'hidden', !text);
    set(this.element_, 'aria-invalid', text ? 'true' : null);
  }

  /** Whether there are exchanges to go to. @param {import('../model/kernel.js').Tape} tape */
  showTape(tape) {
    set(this.exchange, 'hidden', !tape.exchanges);
  }

  /** @param {import('../model/kernel.js').TapeArray[]} arrays @param {{array: number, element: number} | null} chosen */
  showElement(arrays, chosen) {
    this.arrays = arrays;
    const name = chosen ? elementName(arrays[chosen.array], chosen.element) : '';
    // What is being typed is no name yet.
    if (!chosen && this.element_.value !== this.named) return;
    this.named = this.element_.value = name;
    this.fault('');
  }

  /** The line to go to: what was typed, else where the step is. */
  showLine(line) {
    if (this.typed || document.activeElement === this.line) return;
    this.line.value = line > 0 ? String(line) : '';
  }

  /**
   * Acts on a key, unless what has the focus needs it.
   * @param {KeyboardEvent} event
   */
  onKey(event) {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    if (/** @type {Element} */ (event.target).closest('input, textarea, select, dialog, [popover], .own-keys')) return;
    const kind = { b: 'barrier', w: 'warp', l: 'line', e: 'element', x: 'exchange' }[event.key.toLowerCase()];
    if (!kind || event.key.length !== 1) return;
    event.preventDefault();
    this.go(kind, event.key !== event.key.toLowerCase());
  }
}
