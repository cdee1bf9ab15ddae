/**
 * A tensor as a table that can be walked with the arrow keys: the last two axes
 * are rows and columns, the leading ones a pile of matrices. What does not fit
 * is shown through a window. One cell is in the tab order at a time.
 * @module
 */
import { bits, short, show, sign } from '../model/number.js';
import { coordinate, flatIndex, pile, placeOf } from '../model/trace.js';
import { walk } from '../model/walk.js';
import { bring, hold } from '../model/window.js';
import { el, fill, freshId, say, set } from './dom.js';
import { Pager } from './pager.js';
import { fadeEdges, uncover } from './scroller.js';

/**
 * @typedef {import('../model/trace.js').Tensor} Tensor
 *
 * @typedef {object} View
 * @property {Tensor} tensor
 * @property {string} [title] the tensor's name if absent
 * @property {boolean} [column] a vector stands upright
 * @property {boolean} [blank] the values are not there yet
 * @property {number} [digits] significant digits; all of them if absent
 * @property {Map<number, string>} [marks] class by flat index
 * @property {number | null} [selected] flat index
 * @property {number | null} [reveal] flat index to bring into the window
 * @property {boolean} [choosable] Enter and a click choose a cell
 */

const mostRows = 12;
const mostColumns = 10;

export class Grid {
  /**
   * @param {object} [options]
   * @param {(flat: number) => void} [options.onChoose]
   * @param {(flat: number) => void} [options.onEarly] a cell was chosen whose value is not there yet
   * @param {number} [options.strip] columns of a wider window
   */
  constructor({ onChoose, onEarly, strip } = {}) {
    this.onChoose = onChoose;
    this.onEarly = onEarly;
    this.mostColumns = strip ?? mostColumns;
    this.slice = 0;
    this.top = 0;
    this.left = 0;
    this.row = 0;
    this.column = 0;
    this.built = '';
    /** @type {HTMLElement[][]} */
    this.cells = [];
    this.pagers = {
      slice: new Pager({ word: 'matrices', one: 'matrix', onMove: (to) => this.move({ slice: to }) }),
      top: new Pager({ word: 'rows', one: 'row', onMove: (to) => this.move({ top: to }) }),
      left: new Pager({ word: 'columns', one: 'column', onMove: (to) => this.move({ left: to }) }),
    };
    const captionId = freshId('caption');
    this.caption = el('caption', { id: captionId });
    this.head = el('tr');
    this.body = el('tbody', {
      keydown: (event) => this.onKey(event),
      focusin: (event) => this.onFocus(event.target),
      focusout: () => queueMicrotask(() => this.describe()),
      click: (event) => this.onClick(event.target),
    });
    this.table = el('table', { class: 'grid', role: 'grid', 'aria-labelledby': captionId },
      this.caption, el('thead', {}, this.head), this.body);
    this.readout = el('p', { class: 'grid-readout' });
    this.scroller = el('div', { class: 'grid-scroll' }, this.table);
    fadeEdges(this.scroller, () => this.uncover());
    this.element = el('div', { class: 'grid-box' },
      this.scroller,
      el('div', { class: 'grid-pagers' }, ...Object.values(this.pagers).map((p) => p.element)),
      this.readout);
  }

  /** @param {View} view */
  show(view) {
    const fresh = this.view?.tensor !== view.tensor;
    const asked = fresh || this.view.reveal !== view.reveal;
    this.view = view;
    const { slices, rows, columns } = this.measure();
    if (fresh && !this.keepsWindow(slices, rows, columns)) {
      this.slice = this.top = this.left = this.row = this.column = 0;
    }
    if (view.reveal !== null && view.reveal !== undefined && view.reveal < slices * rows * columns) {
      const [slice, row, column] = this.place(view.reveal);
      this.slice = slice;
      this.bring(row, column);
      this.keepStop();
    }
    this.render();
    // What holds this table is put into the page after it is filled.
    if (asked) queueMicrotask(() => this.uncover());
  }

  /** Brings what was asked for into sight where the table is wider than its box. */
  uncover() {
    const { reveal } = this.view ?? {};
    if (reveal !== null && reveal !== undefined) {
      const [slice, row, column] = this.place(reveal);
      const cell = slice === this.slice && this.cells[row - this.top]?.[column - this.left];
      if (cell) uncover(this.scroller, cell);
    }
  }

  /** A window over a tensor of the same size stays where the reader put it. */
  keepsWindow(slices, rows, columns) {
    return this.slice < slices && this.top < rows && this.left < columns && this.row < rows && this.column < columns;
  }

  measure() {
    const size = pile(this.view.tensor.shape);
    return this.upright ? { slices: 1, rows: size.columns, columns: 1 } : size;
  }

  get upright() {
    return Boolean(this.view.column) && this.view.tensor.shape.length === 1;
  }

  place(flat) {
    return this.upright ? [0, flat, 0] : placeOf(this.view.tensor.shape, flat);
  }

  flat(row, column) {
    return this.upright ? row : flatIndex(this.view.tensor.shape, this.slice, row, column);
  }

  /** Moves the window as little as needed to hold a cell. */
  bring(row, column) {
    const { rows, columns } = this.measure();
    this.top = bring(this.top, mostRows, rows, row);
    this.left = bring(this.left, this.mostColumns, columns, column);
  }

  move(to) {
    Object.assign(this, to);
    this.keepStop();
    this.render();
  }

  /** Keeps the cell that is in the tab order inside the window. */
  keepStop() {
    const { rows, columns } = this.measure();
    this.row = hold(this.row, this.top, mostRows, rows);
    this.column = hold(this.column, this.left, this.mostColumns, columns);
  }

  render() {
    const { tensor, title = tensor.name } = this.view;
    const { slices, rows, columns } = this.measure();
    const empty = slices * rows * columns === 0;
    const height = empty ? 0 : Math.min(mostRows, rows - this.top);
    const width = empty ? 0 : Math.min(this.mostColumns, columns - this.left);
    say(this.caption, slices > 1
      ? `${title}, shape [${tensor.shape.join(', ')}], matrix [${coordinate(tensor.shape.slice(0, -2), this.slice).join(', ')}]`
      : `${title}, shape [${tensor.shape.join(', ')}]`);
    this.pagers.slice.update(this.slice, 1, slices);
    this.pagers.top.update(this.top, mostRows, rows);
    this.pagers.left.update(this.left, this.mostColumns, columns);
    set(this.table, 'aria-rowcount', rows > height ? rows + 1 : null);
    set(this.table, 'aria-colcount', columns > width ? columns + 1 : null);
    this.build(height, width);
    this.fillHeaders(rows, columns);
    this.fillCells();
    this.describe();
  }

  /** Makes the rows and cells of a window, once for each size. */
  build(height, width) {
    const headed = this.view.tensor.shape.length > 1 || this.upright;
    const key = `${height} ${width} ${headed}`;
    if (key === this.built) return;
    const focused = this.body.contains(document.activeElement);
    this.built = key;
    fill(this.head, headed && el('td', { class: 'corner' }), ...Array.from({ length: width }, () => el('th', { scope: 'col', role: 'columnheader' })));
    this.cells = Array.from({ length: height }, () => Array.from({ length: width }, () => el('td', { role: 'gridcell', tabindex: '-1' })));
    fill(this.body, ...this.cells.map((cells) => el('tr', {}, headed && el('th', { scope: 'row', role: 'rowheader' }), ...cells)));
    if (focused) this.focus();
  }

  fillHeaders(rows, columns) {
    const { tensor } = this.view;
    const windowed = rows > this.cells.length || columns > (this.cells[0]?.length ?? 0);
    const labels = this.upright ? { rows: tensor.columns, columns: undefined } : tensor;
    [...this.head.querySelectorAll('th')].forEach((header, c) => {
      label(header, this.upright ? '' : String(this.left + c), labels.columns?.[this.left + c]);
      set(header, 'aria-colindex', windowed ? this.left + c + 2 : null);
    });
    [...this.body.rows].forEach((tr, r) => {
      set(tr, 'aria-rowindex', windowed ? this.top + r + 2 : null);
      const header = tr.querySelector('th');
      if (header) label(header, String(this.top + r), labels.rows?.[this.top + r]);
    });
  }

  fillCells() {
    const { tensor, blank, digits, marks, selected, choosable } = this.view;
    set(this.table, 'data-choosable', Boolean(choosable));
    this.cells.forEach((cells, r) => cells.forEach((cell, c) => {
      const row = this.top + r;
      const column = this.left + c;
      const flat = this.flat(row, column);
      const value = tensor.values[flat];
      const text = digits ? short(value, digits) : { text: show(value), exact: true };
      // A masked score is an infinity: its sign is seen at a glance.
      say(cell, blank ? '·' : text.text.replace('-Infinity', '−∞').replace('Infinity', '∞'));
      set(cell, 'title', !blank && !text.exact ? show(value) : null);
      const mark = marks?.get(flat);
      set(cell, 'class', [mark, flat === selected && 'selected'].filter(Boolean).join(' ') || null);
      // What a mark shows by colour and border, in words.
      set(cell, 'aria-description', mark?.startsWith('operand') ? 'operand of the chosen cell' : mark === 'unread' ? 'not read' : null);
      set(cell, 'aria-selected', choosable ? String(flat === selected) : null);
      set(cell, 'tabindex', row === this.row && column === this.column ? '0' : '-1');
    }));
  }

  /** Writes the cell under the focus in full, below the table. */
  describe() {
    const { tensor, blank, selected } = this.view;
    const inside = this.body.contains(document.activeElement);
    const flat = inside ? this.flat(this.row, this.column) : selected;
    if (tensor.values.length === 0) {
      say(this.readout, 'no values');
      return;
    }
    if (blank || flat === null || flat === undefined || flat >= tensor.values.length) {
      say(this.readout, '');
      return;
    }
    const value = tensor.values[flat];
    const at = tensor.shape.length ? `[${coordinate(tensor.shape, flat).join(', ')}]` : '';
    const code = bits(value);
    say(this.readout, `${tensor.name}${at} = ${sign(value)}${code && ` · bits ${code}`}${tensor.shape.length > 1 ? ` · flat ${flat}` : ''}`);
  }

  /** Puts the focus on the cell that is in the tab order. */
  focus() {
    this.cells[this.row - this.top]?.[this.column - this.left]?.focus();
  }

  onKey(event) {
    if (event.altKey || event.metaKey) return;
    if (event.key === 'Enter' || event.key === ' ') {
      event.preventDefault();
      this.choose();
      return;
    }
    const { rows, columns } = this.measure();
    const to = walk(event, this, { rows, columns, page: mostRows });
    if (!to) return;
    event.preventDefault();
    Object.assign(this, to);
    this.bring(this.row, this.column);
    this.render();
    this.focus();
  }

  onFocus(target) {
    const at = this.find(target);
    if (!at) return;
    [this.row, this.column] = at;
    this.fillCells();
    this.describe();
  }

  onClick(target) {
    const at = this.find(target);
    if (!at) return;
    [this.row, this.column] = at;
    this.focus();
    this.choose();
  }

  find(target) {
    const cell = target.closest?.('td[role="gridcell"]');
    for (const [r, cells] of this.cells.entries()) {
      const c = cells.indexOf(cell);
      if (c >= 0) return [this.top + r, this.left + c];
    }
    return null;
  }

  choose() {
    if (this.view.blank) this.onEarly?.(this.flat(this.row, this.column));
    else if (this.view.choosable) this.onChoose?.(this.flat(this.row, this.column));
  }
}

/** Writes a header: its index and, where the axis has labels, the label too. */
function label(header, index, name) {
  if (name === undefined) {
    if (header.childElementCount) header.replaceChildren();
    say(header, index);
    return;
  }
  if (!header.childElementCount) fill(header, el('span', { class: 'label' }), ' ', el('span', { class: 'index' }));
  say(header.firstChild, name);
  say(header.lastChild, index);
}
