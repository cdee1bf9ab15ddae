/**
 * One output element written out: the sentence, the flat index, the products
 * with the running sum, the bits, and whether the sum is the run's own value.
 * Every number is the trace's.
 * @module
 */
import { coordinateText, nameOf, rowsShown, saidBy, sentence, termCount, termNumber } from '../model/cell.js';
import { show, sign } from '../model/number.js';
import { asSentence } from '../model/sentence.js';
import { Chart } from './chart.js';
import { el, fill, set } from './dom.js';
import { fadeEdges } from './scroller.js';

/**
 * @typedef {import('../model/trace.js').Cell} Cell
 * @typedef {import('../model/trace.js').Tensor} Tensor
 *
 * @typedef {object} Subject whose element is written out
 * @property {Tensor} output
 * @property {Tensor} left
 * @property {Tensor | null} right null for a reduction
 */

export class CellPanel {
  /** @param {(index: number | null) => void} [onTerm] a term is under the pointer, or none is */
  constructor(onTerm) {
    this.onTerm = onTerm;
    this.content = el('div', { class: 'cell-content' });
    this.chart = new Chart();
    this.chartless = el('p', { class: 'cell-note', hidden: true }, 'There is no chart of these numbers: no axis holds them. The table has them all.');
    this.element = el('div', { class: 'cell-panel' }, this.content, this.chart.element, this.chartless);
    this.whole = false;
  }

  /**
   * Shows a sentence instead of a cell.
   * @param {string} text
   * @param {'hint' | 'offline' | 'error'} [kind]
   * @param {{text: string, act: () => void} | null} [offer] a button after it
   */
  say(text, kind = 'hint', offer = null) {
    this.shown = null;
    this.chart.show(null);
    set(this.chartless, 'hidden', true);
    fill(this.content, el('p', { class: `cell-${kind}` }, text, offer && el('button', { type: 'button', class: 'small', click: offer.act }, offer.text)));
  }

  hide() {
    this.shown = null;
    this.chart.show(null);
    set(this.chartless, 'hidden', true);
    fill(this.content);
  }

  /**
   * @param {Cell} cell
   * @param {Subject} subject
   * @param {string} [title] of the step, which may have said the sentence
   */
  show(cell, subject, title = '') {
    if (this.shown === cell && this.title === title) return;
    this.shown = cell;
    this.title = title;
    this.whole = false;
    this.subject = subject;
    this.render();
  }

  render() {
    const cell = this.shown;
    const { output, left, right } = this.subject;
    const name = nameOf(output, cell.flat);
    const written = sentence(cell);
    fill(this.content,
      saidBy(this.title, name, cell) ? null : el('p', { class: written.length > 60 ? 'cell-sentence long' : 'cell-sentence' }, written),
      el('p', { class: 'cell-flat' }, ...(right ? [`${name}: flat index `, el('code', {}, cell.formula)] : [`${name}: ${cell.formula}, counted from 0`])),
      cell.terms.length > 0 && this.table(cell, name, left, right),
      cell.divisor && cell.terms.length > 0
        ? el('p', { class: 'cell-division' }, `${sign(cell.terms[cell.terms.length - 1].sum)} / ${cell.divisor} = ${sign(cell.last)}`)
        : null,
      cell.contract === 'fused' && cell.terms.length > 0
        ? el('p', { class: 'cell-note' }, 'Fused: each step rounds once, after the addition. The product column shows what the product alone would round to; the sum did not use it.')
        : null,
      verdict(cell));
  }

  table(cell, name, left, right) {
    const { terms, left_indices: leftAt = [], right_indices: rightAt = [] } = cell;
    const caption = `The ${count(termCount(cell), right ? 'product' : 'value')} of ${name}`;
    const rows = rowsShown(cell, this.whole).map((row) => (typeof row === 'number'
      ? this.row(row, termNumber(cell, row), terms[row], left, leftAt[row], right, rightAt[row])
      : this.gap(row, right)));
    const heads = right ? ['k', left.name, right.name, 'product', 'running sum'] : ['k', left.name, 'running sum'];
    const box = el('div', { class: 'terms-scroll', tabindex: terms.length > 10 ? '0' : null, role: 'region', 'aria-label': caption },
      el('table', { class: 'terms', pointerleave: () => this.onTerm?.(null) },
        el('caption', {}, caption),
        el('thead', {}, el('tr', {}, ...heads.map((head) => el('th', { scope: 'col' }, head)))),
        el('tbody', {}, ...rows)));
    fadeEdges(box);
    return box;
  }

  row(index, k, term, left, leftAt, right, rightAt) {
    const operand = (tensor, flat, value) => el('td', {},
      flat !== undefined && el('span', { class: 'index' }, coordinateText(tensor, flat)), ' ', show(value));
    return el('tr', { pointerenter: () => this.onTerm?.(index) },
      el('th', { scope: 'row' }, String(k)),
      operand(left, leftAt, term.left),
      ...(right ? [operand(right, rightAt, term.right), el('td', {}, show(term.product))] : []),
      el('td', { class: 'sum' }, show(term.sum)));
  }

  gap({ hidden, omitted }, right) {
    const button = hidden > 0 && el('button', {
      type: 'button',
      click: () => {
        this.whole = true;
        this.render();
      },
    }, `show ${hidden} more`);
    const left = omitted > 0 && `… ${count(omitted, right ? 'product' : 'value')} left out … `;
    return el('tr', {}, el('td', { colspan: right ? '5' : '3', class: 'gap' }, left || '… ', button));
  }

  /**
   * Draws the server's chart of the cell that is shown. Until it comes, the one
   * before stays: a chart that goes and comes with each step moves the page.
   * @param {any} option null for no chart
   * @param {Cell} cell
   * @param {boolean} [undrawable] the server has no chart of such numbers
   */
  draw(option, cell, undrawable = false) {
    if (this.shown !== cell) return;
    set(this.chartless, 'hidden', !(undrawable && Chart.possible && cell.terms.length > 0));
    this.chart.show(option, `Contributions to the sum and the running sum: ${sentence(cell)}`);
  }

  busy(yes) {
    set(this.element, 'aria-busy', yes && 'true');
  }
}

function verdict(cell) {
  const yes = cell.agrees;
  return el('p', { class: yes ? 'cell-verdict agrees' : 'cell-verdict differs' },
    `Computed by ${cell.device} under ${cell.contract}: `, el('strong', {}, sign(cell.last)), ' (bits ', el('code', {}, cell.last_bits), '). ',
    'The run’s value: ', el('strong', {}, sign(cell.value)), ' (bits ', el('code', {}, cell.value_bits), '). ',
    'Equal in every bit: ', el('strong', { class: 'verdict-word' }, yes ? 'yes' : 'no'), '.', cell.why && ` ${asSentence(cell.why)}`);
}

function count(n, word) {
  return `${n} ${word}${n === 1 ? '' : 's'}`;
}
