/**
 * Words for one output element. They are made of the trace's numbers as they
 * came: a sum that is wrong reads as wrong.
 * @module
 */
import { sign } from './number.js';
import { coordinate } from './trace.js';

/** Terms of a sentence, and rows of a table, before some are left out. */
const mostWords = 8;
const mostRows = 64;
const lastRows = 8;

/**
 * Writes a cell as a person does: 58 = 1·7 + 2·9 + 3·11.
 * @param {import('./trace.js').Cell} cell
 */
export function sentence(cell) {
  const { terms, value, divisor } = cell;
  if (terms.length === 0) return `${sign(value)}: a sum of no terms`;
  const plain = (cell.right_indices ?? []).length === 0;
  const word = (term) => (plain ? factor(term.left) : `${factor(term.left)}·${factor(term.right)}`);
  const shown = terms.length <= mostWords
    ? terms.map(word)
    : [...terms.slice(0, mostWords - 2).map(word), '…', word(terms[terms.length - 1])];
  const sum = shown.join(' + ');
  const end = divisor ? `(${sum}) / ${divisor}` : sum;
  return `${sign(value)} = ${end}${terms.length > mostWords ? ` (${termCount(cell)} terms)` : ''}`;
}

/**
 * Whether a step's title is the sentence already: C[0, 1] = 1·8 + 2·10 = 28.
 * @param {string} title
 * @param {string} name of the element
 * @param {import('./trace.js').Cell} cell
 */
export function saidBy(title, name, { terms, value }) {
  return terms.length > 0 && title.startsWith(`${name} = `) && title.endsWith(` = ${sign(value)}`);
}

/**
 * How many terms a cell has, those that were left out too.
 * @param {import('./trace.js').Cell} cell
 */
export function termCount({ terms, omitted }) {
  return terms.length + (omitted?.count ?? 0);
}

/**
 * The number k of a term that is written out.
 * @param {import('./trace.js').Cell} cell
 * @param {number} index in its terms
 */
export function termNumber({ omitted }, index) {
  return omitted && index >= omitted.first ? index + omitted.count : index;
}

/** Writes a number inside a sum: a negative one in brackets. */
function factor(x) {
  const text = sign(x);
  return text.startsWith('−') ? `(${text})` : text;
}

/**
 * The rows of a table: indices of terms, all or the first and the last, and
 * between them what is missing: terms that can be shown (`hidden`) and terms
 * that the workbench left out of the cell (`omitted`).
 * @param {import('./trace.js').Cell} cell
 * @param {boolean} whole
 * @returns {(number | {hidden: number, omitted: number})[]}
 */
export function rowsShown({ terms, omitted }, whole) {
  const all = terms.map((_, index) => index);
  const left = omitted?.count ?? 0;
  if (!whole && all.length > mostRows) {
    return [...all.slice(0, mostRows - lastRows), { hidden: all.length - mostRows, omitted: left }, ...all.slice(-lastRows)];
  }
  return omitted ? [...all.slice(0, omitted.first), { hidden: 0, omitted: left }, ...all.slice(omitted.first)] : all;
}

/**
 * "C[0, 1]"
 * @param {import('./trace.js').Tensor} tensor
 * @param {number} flat
 */
export function nameOf(tensor, flat) {
  return tensor.shape.length ? tensor.name + coordinateText(tensor, flat) : tensor.name;
}

/** "[0, 1]" */
export function coordinateText(tensor, flat) {
  return `[${coordinate(tensor.shape, flat).join(', ')}]`;
}
