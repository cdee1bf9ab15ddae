/**
 * The shared memory of a recorded block: a grid for each array, and how often the
 * block loads and stores its values in the phase that is looked at, counted from the
 * list of accesses that were executed. The list comes once for a recording, when the
 * place of the address is drawn.
 * @module
 */
import { Block, spreadText } from '../model/tiles.js';
import { el, fill, say, set } from './dom.js';
import { opened } from './opening.js';
import { SharedGrid } from './sharedgrid.js';

export class SharedMemory {
  /**
   * @param {object} options
   * @param {(tape: any) => Promise<any>} options.touched what the whole block loaded and stored
   * @param {(array: number, element: number) => void} options.onElement
   */
  constructor({ touched, onElement }) {
    this.touched = touched;
    this.onElement = onElement;
    /** @type {Map<number, {grid: SharedGrid, counts: HTMLElement}>} by array */
    this.arrays = new Map();
    this.boxes = el('div', { class: 'shared-grids' });
    this.element = el('section', { class: 'shared', 'aria-label': 'Shared memory', hidden: true },
      el('p', { class: 'outcome-head' }, 'Shared memory'),
      el('p', { class: 'shared-hint' },
        'Below each value stands the thread of the block that stored it last. Framed is what this step accesses. Choose an element to go from access to access.'),
      this.boxes);
  }

  /** @param {any} tape @param {any} moment @param {{array: number, element: number} | null} chosen */
  show(tape, moment, chosen) {
    const shared = moment?.shared ?? [];
    set(this.element, 'hidden', shared.length === 0);
    if (shared.length === 0) return;
    const names = shared.map(({ array }) => array);
    if (names.join() !== [...this.arrays.keys()].join()) {
      this.arrays = new Map(names.map((array) => [array, { grid: new SharedGrid((of, element) => this.onElement(of, element)), counts: el('p', { class: 'shared-counts' }) }]));
      fill(this.boxes, ...[...this.arrays.values()].map(({ grid, counts }) => el('div', { class: 'shared-array' }, grid.element, counts)));
    }
    for (const one of shared) this.arrays.get(one.array)?.grid.show(tape, moment, one, chosen?.array === one.array ? chosen.element : -1);
    this.phase = moment.phase;
    this.count(tape);
  }

  /** Says how often, once it is known. */
  async count(tape) {
    if (tape !== this.tape) {
      this.tape = tape;
      this.block = null;
      for (const { counts } of this.arrays.values()) say(counts, '');
      await opened;
      try {
        const touched = await this.touched(tape);
        if (tape !== this.tape) return;
        this.block = new Block(tape, touched);
      } catch {
        // The grids show what there is: the counts say how often, and nothing else.
        if (tape === this.tape) this.tape = null;
        return;
      }
    }
    for (const [array, { counts }] of this.arrays) {
      const all = this.block?.block(array, this.phase);
      const parts = all ? [['stored', all.stores], ['loaded', all.loads]].filter(([, some]) => some.size > 0).map(([word, some]) => `${word} ${spreadText(some)}`) : [];
      say(counts, all ? `In all of phase ${this.phase}: ${parts.join('; ') || 'not touched'}.` : '');
    }
  }
}
