/**
 * A comparison of two complete results as a table: sorted, filtered, searched
 * and written as CSV. Every verdict and every difference in it is the report's.
 * @module
 */
import { encode, show, spell } from './number.js';

/**
 * @typedef {import('./number.js').TraceNumber} TraceNumber
 *
 * @typedef {object} Entry one value of both sides
 * @property {string} group
 * @property {number[]} coordinate
 * @property {number} flat
 * @property {TraceNumber} reference
 * @property {TraceNumber} candidate
 * @property {TraceNumber} absolute
 * @property {TraceNumber} relative
 * @property {string} ulp
 * @property {string} reference_bits
 * @property {string} candidate_bits
 * @property {TraceNumber} allowed
 * @property {boolean} pass
 *
 * @typedef {object} Tolerance what makes two values agree
 * @property {boolean} [bits] equal in every bit; absolute and relative are 0
 * @property {TraceNumber} absolute
 * @property {TraceNumber} relative
 * @property {string} source where it comes from
 *
 * @typedef {object} Maker one side's device
 * @property {string} [name] of the hardware, "NVIDIA H200"
 * @property {string} contract
 * @property {boolean} [library] a library multiplied, in an order of its own
 *
 * @typedef {object} Group
 * @property {string} name
 * @property {number[]} shape
 * @property {number[]} [candidate_shape]
 * @property {string} [reason] why no value of the tensor was compared
 * @property {boolean} [bounded] each value has its own bound
 * @property {boolean} passed
 * @property {number} count
 * @property {number} failures
 * @property {number} differing
 * @property {Entry} [first]
 * @property {Entry} [worst]
 *
 * @typedef {object} RawReport
 * @property {number} version
 * @property {string} reference
 * @property {string} candidate
 * @property {{precision: string, reference: Maker, candidate: Maker, bits: string}} [made] how, and why bits may differ
 * @property {Tolerance} tolerance
 * @property {boolean} passed
 * @property {number} count
 * @property {number} failures
 * @property {number} differing
 * @property {number} mismatched tensors whose values could not be compared
 * @property {Group[]} groups
 * @property {Entry[]} entries
 *
 * @typedef {'order' | 'absolute' | 'relative' | 'ulp'} SortKey
 * @typedef {'all' | 'failures' | 'differing'} Filter
 */

export const reportVersion = 1;

export class Report {
  /**
   * @param {RawReport} raw
   * @throws {Error} with a sentence for the reader, if it is not a report of this version
   */
  constructor(raw) {
    if (raw === null || typeof raw !== 'object' || !Array.isArray(raw.entries) || !Array.isArray(raw.groups)) {
      throw new Error('what the workbench sent is not a comparison: reload the page');
    }
    if (raw.version !== reportVersion) {
      throw new Error(`this page reads comparisons of version ${reportVersion} and got version ${raw.version}: reload the page`);
    }
    this.raw = raw;
    /** @type {SortKey} */
    this.sort = 'order';
    this.descending = true;
    /** @type {Filter} */
    this.filter = 'all';
    /** The name of the only group to show, or "". */
    this.group = '';
    /** @type {number[] | null} indices of entries, as sorted and filtered now */
    this.cached = null;
  }

  /** @param {Partial<Pick<Report, 'sort' | 'descending' | 'filter' | 'group'>>} choice */
  choose(choice) {
    Object.assign(this, choice);
    this.cached = null;
  }

  /** @returns {number[]} indices into raw.entries */
  rows() {
    if (this.cached) return this.cached;
    const entries = this.raw.entries;
    const rows = [];
    for (let i = 0; i < entries.length; i++) if (this.shows(entries[i])) rows.push(i);
    if (this.sort !== 'order') {
      const rank = this.sort === 'ulp' ? compareUlp : compareNumber;
      const field = this.sort;
      const sign = this.descending ? -1 : 1;
      // The sort is stable: equal errors stay in the result's order.
      rows.sort((a, b) => sign * rank(entries[a][field], entries[b][field]));
    }
    this.cached = rows;
    return rows;
  }

  /** @param {Entry} entry */
  shows(entry) {
    if (this.group && entry.group !== this.group) return false;
    if (this.filter === 'failures') return !entry.pass;
    if (this.filter === 'differing') return entry.reference_bits !== entry.candidate_bits;
    return true;
  }

  /**
   * Finds a value by name: "logits[1,40]", "logits[0,1,40]" or "loss".
   * Leading axes of length 1 may be left out, the rest may not.
   * @param {string} text
   * @returns {{index: number, error?: undefined} | {index?: undefined, error: string}}
   */
  find(text) {
    if (text.trim() === '') return { error: 'Write a name and a coordinate, such as logits[0,1,40].' };
    const match = /^\s*([^[\]]+?)\s*(?:\[([\d\s,]*)\])?\s*$/.exec(text);
    if (!match) return { error: `“${text}” cannot be read: write a name and a coordinate, such as logits[0,1,40]` };
    const name = this.groupName(match[1]);
    if (name.error !== undefined) return { error: name.error };
    const group = this.raw.groups.find((g) => g.name === name.name);
    const wanted = (match[2] ?? '').split(/[\s,]+/).filter(Boolean).map(Number);
    const start = group.shape.length - wanted.length;
    if (start < 0 || group.shape.slice(0, start).some((length) => length !== 1)) {
      if (!match[2] && group.shape.length > 0) {
        const first = this.raw.entries.findIndex((e) => e.group === group.name);
        if (first >= 0) return { index: first };
      }
      return { error: `${group.name} has shape [${group.shape.join(', ')}]: write ${group.shape.length} indices` };
    }
    const coordinate = [...Array(start).fill(0), ...wanted];
    const outside = coordinate.findIndex((index, axis) => index >= group.shape[axis]);
    if (outside >= 0) {
      return { error: `index ${coordinate[outside]} is outside ${group.name}: axis ${outside} has length ${group.shape[outside]}` };
    }
    const index = this.raw.entries.findIndex((e) => e.group === group.name && e.coordinate.every((c, axis) => c === coordinate[axis]));
    return index < 0 ? { error: `the comparison has no value ${group.name}[${coordinate.join(',')}]` } : { index };
  }

  groupName(text) {
    const names = this.raw.groups.map((g) => g.name);
    if (names.includes(text)) return { name: text };
    const close = names.filter((n) => n.includes(text));
    if (close.length === 1) return { name: close[0] };
    if (close.length > 1) return { error: `“${text}” could be ${close.slice(0, 4).join(', ')}${close.length > 4 ? ' …' : ''}` };
    return { error: `there is no “${text}”: the tensors are ${names.slice(0, 6).join(', ')}${names.length > 6 ? ' …' : ''}` };
  }

  /**
   * The whole report as CSV, byte for byte what the server writes. A tensor that
   * could not be compared has one row, so that the table fails where the report does.
   */
  wholeCSV() {
    const rows = [];
    for (const group of this.raw.groups) {
      if (group.reason) rows.push({ group: group.name, pass: false, reason: group.reason });
      else rows.push(...this.raw.entries.filter((entry) => entry.group === group.name));
    }
    return writeCSV(rows);
  }

  /** The rows as they are sorted and filtered now, as CSV. */
  shownCSV() {
    return writeCSV(this.rows().map((index) => this.raw.entries[index]));
  }

  /** The whole report as JSON, with numbers spelled as the server does. */
  json() {
    return encode(this.raw, spell) + '\n';
  }
}

/** @param {Entry} entry @returns {string} "logits[0,1,40]", "loss" */
export function entryName(entry) {
  return entry.coordinate.length ? `${entry.group}[${entry.coordinate.join(',')}]` : entry.group;
}

/**
 * @param {Tolerance} tolerance
 * @returns {string} "Two values agree when …", without the full stop
 */
export function criterion({ bits, absolute, relative }) {
  if (bits) return 'Two values agree when they are equal in every bit';
  return `Two values agree when |u − c| ≤ ${show(absolute)} + ${show(relative)}·|c|`;
}

/**
 * How a side of a report was computed: "cuda:0,library, NVIDIA H200 (fused, by a
 * library)".
 * @param {string} spec
 * @param {Maker} [maker]
 */
export function makerText(spec, maker) {
  if (!maker) return spec;
  return `${maker.name ? `${spec}, ${maker.name}` : spec} (${maker.contract}${maker.library ? ', by a library' : ''})`;
}

/** Orders numbers with NaN above infinity: what cannot be compared is the worst. */
function compareNumber(a, b) {
  if (a === 'NaN' || b === 'NaN') return Number(a === 'NaN') - Number(b === 'NaN');
  const x = Number(a);
  const y = Number(b);
  return x < y ? -1 : x > y ? 1 : 0;
}

/** Orders decimal strings of any size; "" (one side is NaN) is the largest. */
function compareUlp(a, b) {
  if (a === b) return 0;
  if (a === '') return 1;
  if (b === '') return -1;
  const x = BigInt(a);
  const y = BigInt(b);
  return x < y ? -1 : x > y ? 1 : 0;
}

const columns = [
  'group', 'coordinate', 'flat', 'reference', 'candidate', 'absolute', 'relative', 'ulp',
  'reference_bits', 'candidate_bits', 'allowed', 'pass', 'reason',
];

function writeCSV(rows) {
  const lines = [columns, ...rows.map((row) => columns.map((name) => field(row[name])))];
  return lines.map((fields) => fields.map(quote).join(',') + '\n').join('');
}

function field(value) {
  if (value === undefined) return '';
  if (Array.isArray(value)) return `[${value.join(', ')}]`;
  return typeof value === 'number' ? spell(value) : String(value);
}

function quote(text) {
  return /[",\r\n]|^\s/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
