/**
 * The inputs of an example as a form: each field is text that a reader edits,
 * and the texts together read as the input that a run is asked for.
 * @module
 */
import { elements, formatTensor, fromInput, parseShape, parseTensor } from './matrix.js';

/**
 * @typedef {object} Field
 * @property {string} name as the input's JSON spells it
 * @property {string} label
 * @property {'tensor' | 'whole' | 'choice' | 'flag' | 'text' | 'ops'} kind
 * @property {string} [hint] one sentence below the label
 * @property {string[]} [options] of a choice
 * @property {number} [least] of a whole number
 * @property {string} [usual] of a whole number: used where the field is blank
 *
 * Texts hold one string for each field, and for a tensor also its shape under
 * "left.shape". A flag is "true" or ""; operations are JSON of a list of Op.
 * @typedef {Record<string, string>} Texts
 *
 * @typedef {{op: string, axes?: string, axis?: string, start?: string, stop?: string, step?: string, shape?: string}} Op
 */

/** @type {Field} */
const precision = { name: 'precision', label: 'Precision', kind: 'choice', options: ['float64', 'float32', 'float16', 'bfloat16'] };

/** @type {Field[]} */
const decoder = [
  { name: 'text', label: 'Text', kind: 'text', hint: 'Every byte of it is a token.' },
  { name: 'seed', label: 'Seed', kind: 'whole', usual: '39', hint: 'Draws the initial weights.' },
  { name: 'width', label: 'Residual width', kind: 'whole', least: 1, usual: '4' },
  { name: 'heads', label: 'Heads', kind: 'whole', least: 1, usual: '1', hint: 'The width of a head is even: it holds pairs.' },
  { name: 'feed_forward', label: 'Feed-forward width', kind: 'whole', least: 1, usual: '8' },
  { name: 'blocks', label: 'Blocks', kind: 'whole', usual: '2' },
  { name: 'positions', label: 'Positions', kind: 'whole', least: 1, usual: '8', hint: 'The most tokens the model takes.' },
  precision,
];

/** @type {Field[]} */
const product = [
  { name: 'left', label: 'Left matrix A', kind: 'tensor' },
  { name: 'right', label: 'Right matrix B', kind: 'tensor' },
  { name: 'transpose_left', label: 'Read A transposed', kind: 'flag' },
  { name: 'transpose_right', label: 'Read B transposed', kind: 'flag' },
  precision,
];

/** @type {Record<string, Field[]>} */
const forms = {
  product,
  boundary: product,
  reduction: [
    { name: 'input', label: 'Tensor A', kind: 'tensor' },
    { name: 'axis', label: 'Axis', kind: 'whole', usual: '0', hint: 'The axis that is added up, counted from 0.' },
    { name: 'op', label: 'Operation', kind: 'choice', options: ['both', 'sum', 'mean'] },
    { name: 'keep_dim', label: 'Keep the axis with length 1', kind: 'flag' },
    precision,
  ],
  view: [
    { name: 'input', label: 'Tensor A', kind: 'tensor' },
    { name: 'ops', label: 'Operations', kind: 'ops' },
  ],
  decoder,
  comparison: decoder,
};

/** The operations of a view, each with the fields it takes. */
export const operations = {
  transpose: ['axes'],
  slice: ['axis', 'start', 'stop', 'step'],
  broadcast: ['shape'],
  reshape: ['shape'],
  pack: [],
  'column-major': ['shape'],
};

/** What may stand in an operation's field, shown where it is blank. */
export const operationHints = {
  axes: 'last two', axis: '0', start: '0', stop: 'end', step: '1', shape: '2 × 3',
};

/** @param {string} example @returns {Field[]} */
export function fieldsOf(example) {
  return forms[example] ?? [];
}

/**
 * Writes an example's input as texts.
 * @param {string} example
 * @param {Record<string, any>} input
 * @returns {Texts}
 */
export function toTexts(example, input) {
  /** @type {Texts} */
  const texts = {};
  for (const { name, kind, options } of fieldsOf(example)) {
    const value = input[name];
    switch (kind) {
      case 'tensor': {
        const { shape, values } = fromInput(value ?? []);
        const written = formatTensor(shape, values);
        texts[name] = written.text;
        texts[`${name}.shape`] = written.shape;
        break;
      }
      case 'flag':
        texts[name] = value ? 'true' : '';
        break;
      case 'choice':
        texts[name] = value || options[0];
        break;
      case 'text':
        texts[name] = value ?? 'ab';
        break;
      case 'ops':
        texts[name] = JSON.stringify((value ?? []).map(operationTexts));
        break;
      default:
        texts[name] = value === undefined ? '' : String(value);
    }
  }
  return texts;
}

function operationTexts(op) {
  const texts = { op: op.op };
  for (const name of operations[op.op] ?? []) {
    const value = op[name];
    if (value === undefined || value === null) texts[name] = '';
    else texts[name] = name === 'shape' ? value.join(' × ') : Array.isArray(value) ? value.join(', ') : String(value);
  }
  return texts;
}

/**
 * Reads the texts of a form. Errors are by field, "ops[1].shape" for one of an
 * operation; with any, the input is incomplete.
 * @param {string} example
 * @param {Texts} texts
 * @returns {{input: Record<string, any>, errors: Record<string, string>}}
 */
export function readTexts(example, texts) {
  /** @type {Record<string, any>} */
  const input = {};
  /** @type {Record<string, string>} */
  const errors = {};
  for (const field of fieldsOf(example)) {
    const text = texts[field.name] ?? '';
    switch (field.kind) {
      case 'tensor': {
        const read = parseTensor(text, texts[`${field.name}.shape`]);
        if (read.error !== undefined) errors[field.name] = read.error;
        else input[field.name] = { shape: read.shape, values: read.values };
        break;
      }
      case 'flag':
        if (text) input[field.name] = true;
        break;
      case 'choice':
        // The first option is what a run takes when nothing is said.
        if (text && text !== field.options[0]) input[field.name] = text;
        break;
      case 'text':
        input[field.name] = text;
        break;
      case 'ops':
        input[field.name] = readOperations(text, errors);
        break;
      default:
        readWhole(field, text, input, errors);
    }
  }
  return { input, errors };
}

function readWhole({ name, least = 0 }, text, input, errors) {
  const read = whole(text, least);
  if (read.error) errors[name] = read.error;
  // A seed has 64 bits, more than a number of this language holds exactly.
  else if (read.value !== undefined) input[name] = name === 'seed' ? text.trim() : read.value;
}

/** Reads a whole number; blank is undefined. */
function whole(text, least, greatest = Infinity) {
  const plain = text.trim();
  if (plain === '') return {};
  if (!/^\d+$/.test(plain)) return { error: `“${plain}” is not a whole number from ${least}` };
  const value = Number(plain);
  if (value < least) return { error: `${plain} is too small: write ${least} or more` };
  if (value > greatest) return { error: `${plain} is too large: write ${greatest} or less` };
  return { value };
}

/** @returns {object[]} */
function readOperations(text, errors) {
  return parseOperations(text).map((op, index) => {
    const at = (name) => `ops[${index}].${name}`;
    const out = { op: op.op };
    for (const name of operations[op.op] ?? []) {
      const value = (op[name] ?? '').trim();
      if (name === 'shape') {
        const { shape, error } = parseShape(value);
        if (error) errors[at(name)] = error;
        else if (!shape) errors[at(name)] = 'is empty: write a shape such as 2 × 3';
        else out.shape = shape;
      } else if (name === 'axes') {
        if (value === '') continue;
        const axes = value.split(/[\s,×]+/);
        if (axes.length !== 2 || !axes.every((axis) => /^\d{1,3}$/.test(axis))) {
          errors[at(name)] = `“${value}” does not name two axes: write 0, 1`;
        } else out.axes = axes.map(Number);
      } else {
        const read = whole(value, name === 'step' ? 1 : 0, Number.MAX_SAFE_INTEGER);
        if (read.error) errors[at(name)] = read.error;
        else if (read.value !== undefined) out[name] = read.value;
      }
    }
    return out;
  });
}

/** @param {string} text @returns {Op[]} */
export function parseOperations(text) {
  try {
    const list = JSON.parse(text || '[]');
    return Array.isArray(list) ? list.filter((op) => op && op.op in operations) : [];
  } catch {
    return [];
  }
}

/**
 * Says what a tensor's text holds, to stand beside it.
 * @param {string} text
 * @param {string} shapeText
 */
export function tensorSummary(text, shapeText) {
  const read = parseTensor(text, shapeText);
  if (read.error !== undefined) return '';
  const count = elements(read.shape);
  return `${read.shape.length ? read.shape.join(' × ') : 'scalar'}, ${count} ${count === 1 ? 'value' : 'values'}`;
}
