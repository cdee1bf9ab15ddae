/**
 * Chooses which block of a grid is recorded. The browser itself holds the numbers
 * to the grid.
 * @module
 */
import { el, say, set } from './dom.js';

export class BlockPicker {
  /** @param {(block: number[]) => void} onChoose */
  constructor(onChoose) {
    this.fields = ['x', 'y', 'z'].map((axis) => el('input', { type: 'number', min: '0', required: true, class: 'block-field', 'aria-label': `blockIdx.${axis}` }));
    this.of = el('span');
    this.element = el('form', {
      class: 'block-picker',
      submit: (event) => {
        event.preventDefault();
        onChoose(this.fields.map((field) => field.valueAsNumber));
      },
    }, 'Recorded block ', ...this.fields, this.of, el('button', { type: 'submit', class: 'small' }, 'Record'));
  }

  /** @param {number[]} grid @param {number[]} block */
  show(grid, block) {
    this.fields.forEach((field, axis) => {
      field.max = String(grid[axis] - 1);
      field.value = String(block[axis]);
      set(field, 'hidden', axis > 0 && grid.slice(axis).every((n) => n === 1));
    });
    say(this.of, `of ${grid.join(' × ')}`);
    set(this.element, 'hidden', grid.every((n) => n === 1));
  }
}
