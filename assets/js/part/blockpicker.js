/**
 * Chooses which block of a grid is recorded.
 * @module
 */
import { el, say, set } from './dom.js';

export class BlockPicker {
  /** @param {(block: number[]) => void} onChoose */
  constructor(onChoose) {
    this.onChoose = onChoose;
    this.fields = ['x', 'y', 'z'].map((axis) => el('input', {
      type: 'text', inputmode: 'numeric', size: '3', class: 'block-field', 'aria-label': `blockIdx.${axis}`,
      keydown: (event) => {
        if (event.key === 'Enter') {
          event.preventDefault();
          this.choose();
        }
      },
    }));
    this.of = el('span', { class: 'block-of' });
    this.error = el('span', { class: 'field-error', role: 'alert', hidden: true });
    this.element = el('form', {
      class: 'block-picker', novalidate: true,
      submit: (event) => {
        event.preventDefault();
        this.choose();
      },
    }, 'Recorded block ', ...this.fields, this.of, el('button', { type: 'submit', class: 'small' }, 'Record'), this.error);
  }

  /** @param {number[]} grid @param {number[]} block */
  show(grid, block) {
    this.grid = grid;
    this.fields.forEach((field, axis) => {
      field.value = String(block[axis]);
      set(field, 'hidden', axis > 0 && grid.slice(axis).every((n) => n === 1));
      set(field, 'aria-invalid', null);
    });
    say(this.of, `of ${grid.join(' × ')}`);
    set(this.error, 'hidden', true);
    set(this.element, 'hidden', grid.every((n) => n === 1));
  }

  choose() {
    const block = this.fields.map((field) => (/^\s*\d{1,9}\s*$/.test(field.value) ? Number(field.value) : -1));
    const wrong = block.findIndex((at, axis) => at < 0 || at >= this.grid[axis]);
    this.fields.forEach((field, axis) => set(field, 'aria-invalid', axis === wrong && 'true'));
    set(this.error, 'hidden', wrong < 0);
    if (wrong >= 0) {
      say(this.error, `blockIdx.${'xyz'[wrong]} goes from 0 to ${this.grid[wrong] - 1}.`);
      this.fields[wrong].focus();
      return;
    }
    this.onChoose(block);
  }
}
