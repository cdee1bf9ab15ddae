/**
 * Reads tensors that a person typed or pasted, and writes them back.
 *
 *     1 2 3          rows of numbers; spaces, tabs, commas or semicolons between
 *     4 5 6
 *
 *     [[1, 2, 3], [4, 5, 6]]     nested lists, of any depth
 *
 * Rows with an empty line between them are the matrices of a batch. A mistake is
 * named by its row and column, counted from 0 as everywhere in the course.
 * @module
 */
import { parse as parseNumber, show } from './number.js';

/** Axes that a nested list may have. */
const deepest = 8;

/**
 * @typedef {{shape: number[], values: import('./number.js').TraceNumber[], error?: undefined}} ReadTensor
 * @typedef {{error: string, shape?: undefined, values?: undefined}} ReadError
 */

/**
 * @param {string} text
 * @param {string} [shapeText] an explicit shape; the text's own if blank
 * @returns {ReadTensor | ReadError}
 */
export function parseTensor(text, shapeText = '') {
  const read = text.trim().startsWith('[') ? parseNested(text) : parseRows(text);
  if (read.error !== undefined) return read;
  const wanted = parseShape(shapeText);
  if (wanted.error !== undefined) return { error: wanted.error };
  if (wanted.shape === null) return read;
  const count = elements(wanted.shape);
  if (count !== read.values.length) {
    return { error: `shape ${showShape(wanted.shape)} holds ${count} values and there are ${read.values.length}` };
  }
  return { shape: wanted.shape, values: read.values };
}

/** @returns {ReadTensor | ReadError} */
function parseRows(text) {
  /** @type {import('./number.js').TraceNumber[][][]} */
  const blocks = [];
  let block = null;
  let row = -1;
  for (const line of text.split(/\r?\n/)) {
    if (line.trim() === '') {
      block = null;
      continue;
    }
    // In one-line input a semicolon ends a row, as in numerical tools.
    for (const part of line.includes(';') ? line.split(';').filter((p) => p.trim()) : [line]) {
      row++;
      const fields = split(part);
      const values = [];
      for (const [column, field] of fields.entries()) {
        const number = parseNumber(field);
        if (number.error !== undefined) return { error: `row ${row}, column ${column}: ${number.error}` };
        values.push(number.value);
      }
      if (!block) blocks.push((block = []));
      block.push(values);
      const first = blocks[0][0].length;
      if (values.length !== first) {
        return { error: `row ${row} has ${values.length} ${plural(values.length, 'value')} and row 0 has ${first}: every row needs as many` };
      }
    }
  }
  if (blocks.length === 0) return { error: 'there are no numbers: write rows such as 1 2 3' };
  const odd = blocks.findIndex((b) => b.length !== blocks[0].length);
  if (odd > 0) {
    return { error: `matrix ${odd} has ${blocks[odd].length} rows and matrix 0 has ${blocks[0].length}: an empty line begins a new matrix` };
  }
  const shape = [blocks[0].length, blocks[0][0].length];
  if (blocks.length > 1) shape.unshift(blocks.length);
  return { shape, values: blocks.flat(2) };
}

/**
 * Splits a row into fields. A tab (a spreadsheet's) or a space between fields
 * leaves a comma inside one to be reported as a decimal comma.
 */
function split(line) {
  const text = line.trim();
  if (line.includes('\t')) return text.split('\t');
  // A last comma is a habit of some exports and no empty field.
  if (text.includes(',')) {
    const fields = text.replace(/,$/, '').split(',').map((field) => field.trim());
    // "1,5 2 3" has spaces between its fields, and the comma is a decimal one.
    const inField = /\d,\d/.test(text) && fields.some((field) => /\s/.test(field));
    return inField ? text.split(/\s+/) : fields;
  }
  return text.split(/\s+/);
}

/** Reads nested lists; entries may be separated by commas or by spaces. */
function parseNested(text) {
  const tokens = text.match(/\[|\]|,|[^\s,[\]]+/g) ?? [];
  const at = { index: 0 };
  const values = [];
  /** @type {number[]} lengths found at each depth */
  const shape = [];

  /** @param {number[]} path @returns {string | null} an error */
  function list(path) {
    const depth = path.length;
    if (depth === deepest) return `lists lie more than ${deepest} deep: a tensor here has at most ${deepest} axes`;
    at.index++; // [
    let count = 0;
    let kind = '';
    for (;;) {
      const token = tokens[at.index];
      if (token === undefined) return `${place(path)}a bracket is not closed: write ] at the end`;
      if (token === ',') {
        at.index++;
        continue;
      }
      if (token === ']') break;
      const here = [...path, count];
      const found = token === '[' ? 'list' : 'number';
      if (kind && kind !== found) return `${place(here)}a list and a number stand side by side`;
      kind = found;
      if (token === '[') {
        const error = list(here);
        if (error) return error;
      } else {
        const number = parseNumber(token);
        if (number.error !== undefined) return place(here) + number.error;
        values.push(number.value);
        at.index++;
        if (shape[depth + 1] !== undefined) return `${place(here)}a list is expected here`;
        ends.add(depth);
      }
      count++;
    }
    at.index++; // ]
    if (kind === 'list' && ends.has(depth)) return `${place(path)}numbers are expected here`;
    if (shape[depth] === undefined) shape[depth] = count;
    if (shape[depth] !== count) {
      return `${place(path)}has ${count} ${plural(count, 'value')} and the first has ${shape[depth]}: every row needs as many`;
    }
    return null;
  }

  const ends = new Set();
  const error = list([]);
  if (error) return { error };
  if (at.index < tokens.length) return { error: `“${tokens[at.index]}” stands after the last bracket` };
  // Lists above an empty one know their length before the depth below does.
  return { shape: Array.from(shape, (length) => length ?? 0), values };
}

function place(path) {
  if (path.length === 0) return '';
  const names = ['column', 'row', 'matrix', 'batch'];
  const tail = path.slice(-names.length);
  // In a list of lists that has one index, that index is a row.
  const from = path.length === 1 ? 1 : 0;
  const parts = tail.map((index, i) => `${names[tail.length - 1 - i + from]} ${index}`);
  return `${parts.join(', ')}: `;
}

/**
 * Reads a shape: "2 × 3", "2x3", "2, 3", "[2, 3]", or "scalar". Blank is null.
 * @param {string} text
 * @returns {{shape: number[] | null, error?: undefined} | ReadError}
 */
export function parseShape(text) {
  const plain = text.trim();
  if (plain === '') return { shape: null };
  if (plain === '[]' || /^scalar$/i.test(plain)) return { shape: [] };
  const shape = [];
  for (const part of plain.replace(/^\[|\]$/g, '').trim().split(/\s*[×x*,]\s*|\s+/i)) {
    if (!/^\d+$/.test(part)) return { error: `the shape “${plain}” cannot be read: write lengths such as 2 × 3` };
    shape.push(Number(part));
  }
  if (!Number.isSafeInteger(elements(shape))) return { error: `shape ${showShape(shape)} holds too many values` };
  return { shape };
}

/** The number of elements of a shape. */
export function elements(shape) {
  return shape.reduce((product, length) => product * length, 1);
}

/** @param {number[]} shape @returns {string} "[2, 3]" */
export function showShape(shape) {
  return `[${shape.join(', ')}]`;
}

/**
 * Writes a tensor as parseTensor reads it. The shape text is blank where the
 * values say it all.
 * @param {number[]} shape
 * @param {import('./number.js').TraceNumber[]} values
 * @returns {{text: string, shape: string}}
 */
export function formatTensor(shape, values) {
  const texts = values.map(show);
  if (shape.length === 0) return { text: texts[0] ?? '', shape: 'scalar' };
  if (shape.length === 1 || shape.length > 3 || shape.includes(0)) {
    return { text: nest(shape, texts), shape: '' };
  }
  const [rows, columns] = shape.slice(-2);
  const widths = Array.from({ length: columns }, (_, c) =>
    Math.max(...texts.filter((_, i) => i % columns === c).map((t) => t.length)));
  const lines = [];
  for (let at = 0, row = 0; at < texts.length; at += columns, row++) {
    if (row > 0 && row % rows === 0) lines.push('');
    lines.push(texts.slice(at, at + columns).map((t, c) => t.padStart(widths[c])).join(' '));
  }
  // A batch of one looks like a matrix.
  return { text: lines.join('\n'), shape: shape.length === 3 && shape[0] === 1 ? shape.join(' × ') : '' };
}

function nest(shape, texts) {
  const [length, ...rest] = shape;
  if (rest.length === 0) return `[${texts.join(', ')}]`;
  const size = elements(rest);
  const parts = Array.from({ length }, (_, i) => nest(rest, texts.slice(i * size, (i + 1) * size)));
  return `[${parts.join(', ')}]`;
}

/**
 * Reads a tensor of a chapter's input: nested lists, or {shape, values}.
 * @param {unknown} array
 * @returns {{shape: number[], values: import('./number.js').TraceNumber[]}}
 */
export function fromInput(array) {
  if (array !== null && typeof array === 'object' && !Array.isArray(array)) {
    const { shape = [], values = [] } = /** @type {any} */ (array);
    return { shape, values };
  }
  const shape = [];
  for (let level = array; Array.isArray(level); level = level[0]) shape.push(level.length);
  return { shape, values: /** @type {any[]} */ ([array]).flat(Infinity) };
}

function plural(count, word) {
  return count === 1 ? word : `${word}s`;
}
