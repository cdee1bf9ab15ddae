/**
 * A matrix as a map: a small square for each element, and marks on those that
 * something happened to. It is walked with the arrow keys like any grid; what is
 * under the cursor is told in words. A map has a window of at most 64 × 64
 * elements, and draws what is in it: a path for each kind of mark.
 * @module
 */
import { walk } from '../model/walk.js';
import { bring, hold } from '../model/window.js';
import { el, fill, say, set } from './dom.js';
import { Pager } from './pager.js';

const svg = 'http://www.w3.org/2000/svg';

/** Rows and columns of a window. */
export const mostCells = 64;

/** How large a map is on the page, and its squares at most, in rem. */
const mapSize = 9;
const largestCell = 1.3;

/**
 * A square within a square of 1, whose place is written into its path as a text: a
 * step draws thousands of them.
 * @param {number} edge in hundredths
 */
function box(edge) {
  const hundredths = (n) => `.${String(n).padStart(2, '0')}`;
  const [at, side] = [hundredths(edge), hundredths(100 - 2 * edge)];
  return (x, y) => `M${x}${at} ${y}${at}h${side}v${side}h-${side}z`;
}

const square = box(4);

/**
 * Marks differ in shape as well as in colour.
 * @type {Record<string, (x: number, y: number) => string>} paths within a square of 1
 */
const shapes = {
  square,
  corner: (x, y) => `M${x}.96 ${y}.1v.86h-.86z`,
  frame: (x, y) => `${square(x, y)}M${x}.2 ${y}.2v.6h.6v-.6z`,
  dot: box(36),
  tiny: box(29),
  small: box(24),
  medium: box(18),
  large: box(11),
  whole: box(3),
};

/** The size of a square for class i of count, of which each stands for more. */
export function sizeOf(i, count) {
  const sizes = ['tiny', 'small', 'medium', 'large', 'whole'];
  return sizes[count < 2 ? 4 : Math.round(4 * i / (count - 1))];
}

/**
 * @typedef {object} Mark
 * @property {string} kind its class: "mark-" and this
 * @property {string} shape of shapes
 * @property {Iterable<number>} elements
 */

export class ElementMap {
  /**
   * @param {object} options
   * @param {(element: number) => string} options.describe an element in words
   * @param {(element: number, cause: 'key' | 'click') => void} [options.onChoose] Enter or a click
   * @param {boolean} [options.follow] moving the cursor chooses
   * @param {HTMLElement} [options.readout] where it is told what is under the cursor
   * @param {number} [options.size] in rem
   */
  constructor({ describe, onChoose, follow = false, readout, size = mapSize }) {
    this.describe = describe;
    this.onChoose = onChoose;
    this.follow = follow;
    this.size = size;
    this.rows = this.columns = 0;
    this.top = this.left = 0;
    this.row = this.column = 0;
    this.paths = new Map();
    this.picture = document.createElementNS(svg, 'svg');
    set(this.picture, 'class', 'map-picture');
    set(this.picture, 'aria-hidden', 'true');
    set(this.picture, 'preserveAspectRatio', 'none');
    this.lines = this.path('lines');
    this.cell = el('div', { class: 'map-cell', role: 'gridcell', tabindex: '0' });
    this.line = el('div', { role: 'row' }, this.cell);
    this.grid = el('div', {
      class: 'map-grid', role: 'grid',
      keydown: (event) => this.onKey(event),
      click: (event) => this.onClick(event),
      focusin: () => this.tell(),
    }, this.line);
    this.grid.prepend(this.picture);
    this.title = el('p', { class: 'map-title' });
    this.readout = readout;
    this.pagers = {
      top: new Pager({ word: 'rows', one: 'row', onMove: (to) => this.move({ top: to }) }),
      left: new Pager({ word: 'columns', one: 'column', onMove: (to) => this.move({ left: to }) }),
    };
    this.element = el('div', { class: 'map' }, this.title, this.grid,
      el('div', { class: 'grid-pagers' }, this.pagers.top.element, this.pagers.left.element));
  }

  path(kind) {
    const path = document.createElementNS(svg, 'path');
    set(path, 'class', `mark-${kind}`);
    this.picture.append(path);
    return path;
  }

  /**
   * @param {object} view
   * @param {string} view.title
   * @param {string} [view.label] for a screen reader, of what the title says too little
   * @param {number} view.rows @param {number} view.columns
   * @param {number} view.elements
   * @param {Mark[]} view.marks the first below the others
   * @param {number | null} [view.at] where the cursor is put
   * @param {number | null} [view.reveal] that the window has to hold
   */
  show({ title, label, rows, columns, elements, marks, at, reveal }) {
    const other = rows !== this.rows || columns !== this.columns;
    Object.assign(this, { rows, columns, elements, marks });
    if (other) this.top = this.left = this.row = this.column = 0;
    if (at !== null && at !== undefined) {
      this.row = Math.floor(at / columns);
      this.column = at % columns;
      this.bring(this.row, this.column);
    } else if (reveal !== null && reveal !== undefined) {
      this.bring(Math.floor(reveal / columns), reveal % columns);
    }
    say(this.title, title);
    set(this.grid, 'aria-label', label ?? title);
    set(this.grid, 'aria-rowcount', rows);
    set(this.grid, 'aria-colcount', columns);
    this.draw();
  }

  bring(row, column) {
    this.top = bring(this.top, mostCells, this.rows, row);
    this.left = bring(this.left, mostCells, this.columns, column);
    this.keep();
  }

  move(to) {
    Object.assign(this, to);
    this.keep();
    this.draw();
  }

  /** The cursor stays in the window. */
  keep() {
    this.row = hold(this.row, this.top, mostCells, this.rows);
    this.column = hold(this.column, this.left, mostCells, this.columns);
  }

  draw() {
    const height = Math.min(mostCells, this.rows);
    const width = Math.min(mostCells, this.columns);
    const frame = `${height} ${width}`;
    if (frame !== this.frame) {
      this.frame = frame;
      set(this.picture, 'viewBox', `0 0 ${width} ${height}`);
      const cell = Math.min(largestCell, this.size / Math.max(height, width));
      this.grid.style.width = `${cell * width}rem`;
      this.grid.style.aspectRatio = `${width} / ${height}`;
      let lines = '';
      for (let c = 0; c <= width; c++) lines += `M${c} 0V${height}`;
      for (let r = 0; r <= height; r++) lines += `M0 ${r}H${width}`;
      set(this.lines, 'd', lines);
    }
    this.pagers.top.update(this.top, mostCells, this.rows);
    this.pagers.left.update(this.left, mostCells, this.columns);
    const drawn = new Set();
    for (const { kind, shape, elements } of this.marks) {
      drawn.add(kind);
      if (!this.paths.has(kind)) this.paths.set(kind, this.path(kind));
      const path = this.paths.get(kind);
      if (path !== this.picture.lastChild) this.picture.append(path); // in the order of the marks
      let d = '';
      for (const element of elements) {
        const y = Math.floor(element / this.columns) - this.top;
        const x = element % this.columns - this.left;
        if (y >= 0 && x >= 0 && y < height && x < width) d += shapes[shape](x, y);
      }
      set(path, 'd', d);
    }
    for (const [kind, path] of this.paths) if (!drawn.has(kind)) set(path, 'd', '');
    this.place();
  }

  get flat() {
    return Math.min(this.row * this.columns + this.column, this.elements - 1);
  }

  /** Puts the one cell that is in the tab order where the cursor is. */
  place() {
    const height = Math.min(mostCells, this.rows);
    const width = Math.min(mostCells, this.columns);
    const { style } = this.cell;
    style.left = `${100 * (this.column - this.left) / width}%`;
    style.top = `${100 * (this.row - this.top) / height}%`;
    style.width = `${100 / width}%`;
    style.height = `${100 / height}%`;
    set(this.line, 'aria-rowindex', this.row + 1);
    set(this.cell, 'aria-colindex', this.column + 1);
    // In full when it has the focus: to look through all accesses takes a while.
    set(this.cell, 'aria-label', `row ${this.row}, column ${this.column}`);
    this.tell();
  }

  /** Says what is under the cursor while the map has the focus. */
  tell() {
    if (!this.grid.contains(document.activeElement)) return;
    const text = this.describe(this.flat);
    set(this.cell, 'aria-label', text);
    if (this.readout) say(this.readout, text);
  }

  onKey(event) {
    if (event.altKey || event.metaKey) return;
    if (event.key === 'Enter' || event.key === ' ') {
      event.preventDefault();
      this.onChoose?.(this.flat, 'key');
      return;
    }
    const to = walk(event, this, { rows: this.rows, columns: this.columns, page: 16 });
    if (!to) return;
    event.preventDefault();
    this.go(to.row, to.column, 'key');
  }

  onClick(event) {
    const { left, top, width, height } = this.picture.getBoundingClientRect();
    const column = this.left + Math.floor((event.clientX - left) / width * Math.min(mostCells, this.columns));
    const row = this.top + Math.floor((event.clientY - top) / height * Math.min(mostCells, this.rows));
    this.go(row, column, 'click');
    this.cell.focus({ preventScroll: true });
    if (!this.follow) this.onChoose?.(this.flat, 'click');
  }

  go(row, column, cause) {
    const before = this.flat;
    this.row = Math.min(Math.max(0, row), this.rows - 1);
    this.column = Math.min(Math.max(0, column), this.columns - 1);
    const [top, left] = [this.top, this.left];
    this.bring(this.row, this.column);
    if (top !== this.top || left !== this.left) this.draw();
    else this.place();
    if (this.follow && this.flat !== before) this.onChoose?.(this.flat, cause);
  }
}

/** A mark by itself, for a legend. @param {string} kind @param {string} shape */
export function sample(kind, shape) {
  const picture = document.createElementNS(svg, 'svg');
  set(picture, 'class', 'map-sample');
  set(picture, 'viewBox', '0 0 1 1');
  set(picture, 'aria-hidden', 'true');
  const path = document.createElementNS(svg, 'path');
  set(path, 'class', `mark-${kind}`);
  set(path, 'd', shapes[shape](0, 0));
  picture.append(path);
  return picture;
}

/** A legend: what each mark stands for. @param {{kind: string, shape: string, text: string}[]} items */
export function legend(element, items) {
  fill(element, ...items.map(({ kind, shape, text }) => el('li', {}, sample(kind, shape), text)));
}
