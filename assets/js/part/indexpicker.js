/**
 * Chooses a block of a grid, or a thread of a block: on a small map of them all,
 * or by numbers.
 * @module
 */
import { indexText, within } from '../model/tiles.js';
import { el, fill, set } from './dom.js';
import { ElementMap } from './elementmap.js';

/** @typedef {import('../model/tiles.js').Index} Index */

const axes = ['x', 'y', 'z'];

export class IndexPicker {
  /**
   * @param {object} options
   * @param {string} options.word block, thread
   * @param {boolean} options.follow moving on the map chooses
   * @param {(index: Index) => void} options.onChoose
   */
  constructor({ word, follow, onChoose }) {
    this.word = word;
    this.onChoose = onChoose;
    /** @type {Index} */
    this.size = [1, 1, 1];
    /** @type {Index} */
    this.index = [0, 0, 0];
    this.map = new ElementMap({
      size: 7, follow, describe: (flat) => `${word} ${indexText(this.at(flat), this.size)}`,
      onChoose: (flat) => onChoose(this.at(flat)),
    });
    this.fields = axes.map((axis, i) => el('input', {
      type: 'number', class: 'index-field', min: '0', 'aria-label': `${word} ${axis}`,
      change: () => this.typed(i),
    }));
    this.labels = axes.map((axis, i) => el('label', {}, `${axis} `, this.fields[i]));
    this.element = el('fieldset', { class: 'index-picker' },
      el('legend', {}, word[0].toUpperCase() + word.slice(1)), this.map.element, el('div', { class: 'index-fields' }, ...this.labels));
  }

  /** The index of a place on the map, which is one layer of z. @returns {Index} */
  at(flat) {
    return [flat % this.size[0], Math.floor(flat / this.size[0]), this.index[2]];
  }

  typed(axis) {
    const index = /** @type {Index} */ ([...this.index]);
    const n = Math.trunc(Number(this.fields[axis].value));
    if (Number.isFinite(n)) index[axis] = n;
    const chosen = within(index, this.size);
    this.fields[axis].value = String(chosen[axis]);
    this.onChoose(chosen);
  }

  /**
   * @param {Index} size @param {Index} index
   * @param {import('./elementmap.js').Mark[]} [marks] beside the one for what is chosen
   */
  show(size, index, marks = []) {
    const other = String([size, index]) !== String([this.size, this.index]);
    this.size = size;
    this.index = index;
    const flat = index[0] + size[0] * index[1];
    this.map.show({
      title: `${this.word} ${indexText(index, size)} of ${size[0]} × ${size[1]}${size[2] > 1 ? ` × ${size[2]}` : ''}`,
      rows: size[1], columns: size[0], elements: size[0] * size[1],
      marks: [{ kind: 'picked', shape: 'square', elements: [flat] }, ...marks],
      at: other ? flat : null,
    });
    axes.forEach((_, axis) => {
      set(this.labels[axis], 'hidden', size[axis] < 2 && axis > 0);
      set(this.fields[axis], 'max', size[axis] - 1);
      if (document.activeElement !== this.fields[axis]) this.fields[axis].value = String(index[axis]);
    });
  }
}

/** A row of buttons of which one is pressed. */
export class Choice {
  /** @param {string} label @param {[string, string][]} options value and text @param {(value: string) => void} onChoose */
  constructor(label, options, onChoose) {
    this.buttons = new Map(options.map(([value, text]) => [value, el('button', { type: 'button', class: 'choice', click: () => onChoose(value) }, text)]));
    this.element = el('div', { class: 'choices', role: 'group', 'aria-label': label });
    fill(this.element, ...this.buttons.values());
  }

  /** @param {string} chosen */
  show(chosen) {
    for (const [value, button] of this.buttons) set(button, 'aria-pressed', String(value === chosen));
  }
}
