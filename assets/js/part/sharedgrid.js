/**
 * A shared array at a moment, as a grid: each value, and below it the thread that
 * stored it last. What this step accesses is framed. Large arrays are shown through
 * a window. One cell is in the tab order; Enter chooses it.
 * @module
 */
import { elementName, lanes, threadAt, triple } from '../model/kernel.js';
import { walk } from '../model/walk.js';
import { bring, hold } from '../model/window.js';
import { el, fill, say, set } from './dom.js';
import { Pager } from './pager.js';
import { fadeEdges } from './scroller.js';

const most = { rows: 32, columns: 33 };

/** How a step touches an element, as the style sheet has it. */
const touches = { load: 'loaded', store: 'stored', atomic: 'stored', both: 'stored' };

/** Digits of a value in a cell; the line below the grid has all of it. */
const digits = 4;

export class SharedGrid {
  /** @param {(array: number, element: number) => void} onChoose */
  constructor(onChoose) {
    this.onChoose = onChoose;
    this.top = this.left = this.row = this.column = 0;
    this.built = '';
    /** @type {HTMLElement[][]} */
    this.cells = [];
    this.pagers = {
      top: new Pager({ word: 'rows', one: 'row', onMove: (to) => this.move({ top: to }) }),
      left: new Pager({ word: 'columns', one: 'column', onMove: (to) => this.move({ left: to }) }),
    };
    this.caption = el('caption');
    this.head = el('tr');
    this.body = el('tbody', {
      keydown: (event) => this.onKey(event),
      focusin: (event) => this.onFocus(event.target),
      click: (event) => this.onClick(event.target),
    });
    this.table = el('table', { class: 'shared-grid', role: 'grid' }, this.caption, el('thead', {}, this.head), this.body);
    this.scroller = el('div', { class: 'grid-scroll shared-scroll' }, this.table);
    fadeEdges(this.scroller);
    this.readout = el('p', { class: 'grid-readout' });
    this.element = el('div', { class: 'grid-box' }, this.scroller,
      el('div', { class: 'grid-pagers' }, ...Object.values(this.pagers).map((p) => p.element)), this.readout);
  }

  /**
   * @param {import('../model/kernel.js').Tape} tape
   * @param {import('../model/kernel.js').Moment} moment
   * @param {any} shared one of moment.shared
   * @param {number} chosen the element that was chosen, or −1
   */
  show(tape, moment, shared, chosen) {
    Object.assign(this, { tape, moment, shared, chosen });
    this.array = tape.arrays[shared.array];
    /** @type {Map<number, string>} how this step accesses an element */
    this.touched = new Map();
    for (const access of moment.accesses) {
      if (access.array !== shared.array) continue;
      for (const element of access.elements) {
        const before = this.touched.get(element);
        this.touched.set(element, before && before !== access.kind ? 'both' : access.kind);
      }
    }
    this.render();
  }

  get size() {
    const shape = this.array.shape?.length ? this.array.shape : [this.array.elements];
    const columns = shape[shape.length - 1] || 1;
    // A long vector breaks, since memory does so in banks.
    const width = shape.length === 1 ? Math.min(columns, lanes) : columns;
    return { rows: Math.ceil(this.array.elements / width), columns: width };
  }

  render() {
    const { rows, columns } = this.size;
    const height = Math.min(most.rows, rows - this.top);
    const width = Math.min(most.columns, columns - this.left);
    this.pagers.top.update(this.top, most.rows, rows);
    this.pagers.left.update(this.left, most.columns, columns);
    const stored = this.shared.owners.reduce((n, owner) => n + (owner >= 0 ? 1 : 0), 0);
    const { name, element, shape = [this.array.elements] } = this.array;
    say(this.caption, `${element} ${name}${shape.map((n) => `[${n}]`).join('')}: ${stored} of ${this.array.elements} elements stored`);
    const key = `${this.array.name} ${height} ${width} ${this.top} ${this.left}`;
    if (key !== this.built) this.build(key, height, width);
    const { values, owners } = this.shared;
    for (let r = 0; r < height; r++) {
      for (let c = 0; c < width; c++) {
        const cell = this.cells[r][c];
        const flat = (this.top + r) * columns + this.left + c;
        const value = values[flat] ?? (flat < this.array.elements && flat >= values.length ? '…' : '');
        const owner = owners[flat] ?? -1;
        const kind = `${owner < 0 ? 'unset' : ''}${this.touched.has(flat) ? ` ${touches[this.touched.get(flat)]}` : ''}${flat === this.chosen ? ' chosen' : ''}`;
        // Kept on the element: reading a page back is slower than writing to it.
        if (cell.value !== value) {
          cell.value = value;
          cell.textContent = brief(value);
        }
        if (cell.owner !== owner) {
          cell.owner = owner;
          set(cell, 'data-owner', owner < 0 ? null : `t${owner}`);
        }
        if (cell.kind !== kind) {
          cell.kind = kind;
          set(cell, 'class', kind.trim() || null);
        }
      }
    }
    this.keepStop(height, width);
    this.describe();
  }

  build(key, height, width) {
    const focused = this.body.contains(document.activeElement);
    this.built = key;
    fill(this.head, el('td', { class: 'corner' }), ...Array.from({ length: width }, (_, c) => el('th', { scope: 'col' }, String(this.left + c))));
    this.cells = Array.from({ length: height }, () => Array.from({ length: width }, () => el('td', { role: 'gridcell', tabindex: '-1' })));
    fill(this.body, ...this.cells.map((cells, r) => el('tr', {}, el('th', { scope: 'row' }, String(this.top + r)), ...cells)));
    this.stop = null;
    if (focused) this.focus();
  }

  keepStop(height, width) {
    this.row = hold(this.row, this.top, height, this.size.rows);
    this.column = hold(this.column, this.left, width, this.size.columns);
    const cell = this.cells[this.row - this.top]?.[this.column - this.left];
    if (cell === this.stop) return;
    if (this.stop) set(this.stop, 'tabindex', '-1');
    if (cell) set(cell, 'tabindex', '0');
    this.stop = cell;
  }

  /** Says what is below the focus, or chosen, in full. */
  describe() {
    const inside = this.body.contains(document.activeElement);
    const flat = inside ? this.row * this.size.columns + this.column : this.chosen;
    if (flat < 0 || flat >= this.array.elements) {
      say(this.readout, '');
      return;
    }
    const owner = this.shared.owners[flat] ?? -1;
    const who = owner < 0 ? 'nobody has stored it yet'
      : `stored by thread ${triple(threadAt(this.tape.block_dim, owner))}, warp ${Math.floor(owner / lanes)}, lane ${owner % lanes}, in step ${this.shared.steps[flat]}`;
    say(this.readout, `${elementName(this.array, flat)}${owner < 0 ? ':' : ` = ${this.shared.values[flat]},`} ${who}`);
  }

  focus() {
    this.cells[this.row - this.top]?.[this.column - this.left]?.focus();
  }

  move(to) {
    Object.assign(this, to);
    this.render();
  }

  onKey(event) {
    if (event.altKey || event.metaKey || event.ctrlKey) return;
    const { rows, columns } = this.size;
    if (event.key === 'Enter' || event.key === ' ') {
      event.preventDefault();
      this.onChoose(this.shared.array, this.row * columns + this.column);
      return;
    }
    const to = walk(event, this, { rows, columns });
    if (!to) return;
    event.preventDefault();
    Object.assign(this, to);
    this.top = bring(this.top, most.rows, rows, this.row);
    this.left = bring(this.left, most.columns, columns, this.column);
    this.render();
    this.focus();
  }

  find(target) {
    const cell = target.closest?.('td[role="gridcell"]');
    for (const [r, cells] of this.cells.entries()) {
      const c = cells.indexOf(cell);
      if (c >= 0) return [this.top + r, this.left + c];
    }
    return null;
  }

  onFocus(target) {
    const at = this.find(target);
    if (!at) return;
    [this.row, this.column] = at;
    this.keepStop(this.cells.length, this.cells[0].length);
    this.describe();
  }

  onClick(target) {
    const at = this.find(target);
    if (!at) return;
    [this.row, this.column] = at;
    this.focus();
    this.onChoose(this.shared.array, this.row * this.size.columns + this.column);
  }
}

/** A value in a few digits. */
function brief(text) {
  const value = Number(text);
  if (text === '' || !Number.isFinite(value) || text.length <= digits + 2) return text;
  const short = String(Number(value.toPrecision(digits)));
  return short.length < text.length ? short : text;
}
