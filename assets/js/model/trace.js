/**
 * Reads a trace: what happened in a run, as the server sends it. Nothing is
 * computed from its values; indices are, to find which value stands where.
 * @module
 */

/**
 * @typedef {import('./number.js').TraceNumber} TraceNumber
 *
 * @typedef {object} Layout how a tensor reads the storage of another one
 * @property {number} storage index of the one-axis tensor that is the storage
 * @property {number} offset
 * @property {number[]} strides in elements
 * @property {number[]} indices storage index of each element, row-major
 * @property {boolean} contiguous
 *
 * @typedef {object} Tensor
 * @property {string} name
 * @property {number[]} shape
 * @property {TraceNumber[]} values row-major
 * @property {string[]} [rows] labels of the last axis but one
 * @property {string[]} [columns] labels of the last axis
 * @property {Layout} [layout]
 *
 * @typedef {object} Term
 * @property {TraceNumber} left
 * @property {TraceNumber} right
 * @property {TraceNumber} product
 * @property {TraceNumber} sum the running sum after it
 *
 * @typedef {object} Cell one output element written out
 * @property {number} batch
 * @property {number} row
 * @property {number} column
 * @property {number} flat
 * @property {string} formula
 * @property {number[]} left_indices
 * @property {number[]} right_indices
 * @property {Term[]} terms
 * @property {{first: number, count: number}} [omitted] the terms of a long cell that are not among them
 * @property {number} [divisor]
 * @property {string} device
 * @property {string} contract
 * @property {TraceNumber} last
 * @property {string} last_bits
 * @property {TraceNumber} value
 * @property {string} value_bits
 * @property {boolean} agrees
 * @property {string} [why] they may differ, where they do and it is no fault
 *
 * @typedef {object} Step
 * @property {string} phase
 * @property {string} [section]
 * @property {string} op
 * @property {string} title
 * @property {string} [note]
 * @property {string} [formula] TeX
 * @property {string} device
 * @property {import('./stats.js').Stats} [stats] what the step's request cost, where the device counts
 * @property {number[]} inputs
 * @property {number[]} outputs
 * @property {{b: number, m: number, k: number, n: number, transpose_left?: boolean, transpose_right?: boolean, precision: string}} [product]
 * @property {{op: string, axis: number, g: number, k: number, precision: string}} [reduction]
 * @property {Cell | null} [cell]
 *
 * @typedef {object} RawTrace
 * @property {number} version
 * @property {string} example
 * @property {string} device
 * @property {string} [device_name] of the hardware, "NVIDIA H200"
 * @property {string} contract
 * @property {string} precision
 * @property {Tensor[]} tensors
 * @property {Step[]} steps
 * @property {number[]} result
 * @property {import('./stats.js').Stats} stats
 * @property {{text: string, ids: number[], names: string[], inputs: number[], targets: number[], loss: TraceNumber, bits: string}} [document]
 */

/** The version of the trace's form that this page reads. */
export const traceVersion = 1;

export class Trace {
  /**
   * @param {RawTrace} raw
   * @throws {Error} with a sentence for the reader, if it is not a trace of this version
   */
  constructor(raw) {
    if (raw === null || typeof raw !== 'object' || !Array.isArray(raw.steps) || !Array.isArray(raw.tensors)) {
      throw new Error('what the workbench sent is not a trace: reload the page');
    }
    if (raw.version !== traceVersion) {
      throw new Error(`this page reads traces of version ${traceVersion} and got version ${raw.version}: reload the page`);
    }
    this.raw = raw;
    /** @type {Step[]} */
    this.steps = raw.steps;
    this.device = raw.device;
    /** "cpu", or "cuda:0, NVIDIA H200" */
    this.maker = raw.device_name ? `${raw.device}, ${raw.device_name}` : raw.device;
    this.contract = raw.contract;
    this.precision = raw.precision;
    this.document = raw.document;
    /** @type {Map<number, number>} first step that has the tensor as its output */
    this.makers = new Map();
    /** @type {(number | null)[]} by step: the element that it shows, see elementOf */
    this.elements = [];
    /** @type {Map<string, number>} the step that shows an element of a tensor */
    this.shown = new Map();
    for (const [index, step] of this.steps.entries()) {
      for (const tensor of step.outputs ?? []) {
        if (!this.makers.has(tensor)) this.makers.set(tensor, index);
      }
      const flat = this.readElement(index);
      this.elements.push(flat);
      if (flat !== null) this.shown.set(`${step.outputs?.[0]}:${flat}`, index);
    }
  }

  readElement(index) {
    const step = this.steps[index];
    if (step.op !== 'cell' && step.op !== 'group') return null;
    if (step.cell) return step.cell.flat;
    const before = this.steps[index - 1];
    const goesOn = before?.op === step.op && before.outputs?.[0] === step.outputs?.[0];
    return goesOn ? /** @type {number} */ (this.elements[index - 1]) + 1 : 0;
  }

  get count() {
    return this.steps.length;
  }

  /** @param {number} index @returns {Tensor | undefined} */
  tensor(index) {
    return this.raw.tensors[index];
  }

  /**
   * Whether a tensor exists when a step is done.
   * @param {number} tensor
   * @param {number} step
   */
  madeBy(tensor, step) {
    const maker = this.makers.get(tensor);
    return maker !== undefined && maker <= step;
  }

  /**
   * The step that computed the whole tensor which a step shows one element of.
   * For any other step, the step itself.
   * @param {number} index
   */
  whole(index) {
    const step = this.steps[index];
    if (step?.op !== 'cell' && step?.op !== 'group') return index;
    return this.makers.get(step.outputs[0]) ?? index;
  }

  /**
   * The flat index of the output element that a "cell" or "group" step shows.
   * Such steps stand in row-major order; those too large to be written out say
   * no coordinates of their own.
   * @param {number} index
   * @returns {number | null} null for any other step
   */
  elementOf(index) {
    return this.elements[index] ?? null;
  }

  /**
   * The step that shows an element of a tensor, or null if none does.
   * @param {number} tensor
   * @param {number} flat
   */
  stepOf(tensor, flat) {
    return this.shown.get(`${tensor}:${flat}`) ?? null;
  }

  /**
   * The parts of a long run, in order.
   * @returns {{phase: string, section: string, first: number, count: number}[]}
   */
  sections() {
    const sections = [];
    for (const [index, { phase, section = '' }] of this.steps.entries()) {
      const open = sections[sections.length - 1];
      if (open && open.phase === phase && open.section === section) open.count++;
      else sections.push({ phase, section, first: index, count: 1 });
    }
    return sections;
  }
}

/**
 * A shape seen as a pile of matrices: leading axes flattened, a vector as one
 * row, a scalar as one cell.
 * @param {number[]} shape
 * @returns {{slices: number, rows: number, columns: number}}
 */
export function pile(shape) {
  const columns = shape.length > 0 ? shape[shape.length - 1] : 1;
  const rows = shape.length > 1 ? shape[shape.length - 2] : 1;
  return { slices: shape.slice(0, -2).reduce((a, b) => a * b, 1), rows, columns };
}

/** The flat index of a place in a pile. */
export function flatIndex(shape, slice, row, column) {
  const { rows, columns } = pile(shape);
  return (slice * rows + row) * columns + column;
}

/**
 * The flat index of a place that came from outside, null where there is none.
 * @param {number[]} shape
 * @param {[number, number, number] | null} place slice, row, column
 */
export function flatOf(shape, place) {
  const { slices, rows, columns } = pile(shape);
  if (!place || place[0] >= slices || place[1] >= rows || place[2] >= columns) return null;
  return flatIndex(shape, ...place);
}

/**
 * The place of a flat index in a pile.
 * @returns {[number, number, number]} slice, row, column
 */
export function placeOf(shape, flat) {
  const { rows, columns } = pile(shape);
  const line = Math.floor(flat / columns);
  return [Math.floor(line / rows), line % rows, flat % columns];
}

/**
 * The coordinate of a flat index, one number for each axis.
 * @returns {number[]}
 */
export function coordinate(shape, flat) {
  const out = [];
  for (let axis = shape.length - 1; axis >= 0; axis--) {
    out.unshift(flat % shape[axis]);
    flat = Math.floor(flat / shape[axis]);
  }
  return out;
}

/** Letters that the formula of an operation has for its inputs, in their order. */
const letters = { log: 'x', exp: 'x', offset: 'x', scale: 'x', mul: 'ab', sub: 'ab', div: 'ab', add: 'ab', matmul: 'AB' };

/**
 * What the letters of a step's formula are: "Here x is log; y is −½·log."
 * @param {Trace} trace
 * @param {Step} step
 * @returns {string} "" where the formula's letters say it, or are of another kind
 */
export function legend(trace, step) {
  const tex = step.formula ?? '';
  const named = (letter, tensor) => `${letter} is ${trace.tensor(tensor)?.name}`;
  const result = /^([yY]) = /.exec(tex)?.[1];
  const inputs = letters[step.op] ?? '';
  if (result && inputs.length > 0 && inputs.length === step.inputs.length && [...inputs].every((letter) => tex.includes(letter))) {
    return `Here ${[...[...inputs].map((letter, at) => named(letter, step.inputs[at])), named(result, step.outputs[0])].join('; ')}.`;
  }
  const group = /^([sm])_g = .*([xR])_\{g,k\}/.exec(tex);
  if (!group) return '';
  return `Here ${named(group[2], step.inputs[0])}, one row for each group g; ${named(group[1], step.outputs[0])}.`;
}

/**
 * What a person calls a part of the decoder.
 * @param {string} section "blocks.0.attention"
 */
export function sectionTitle(section) {
  const block = /^blocks\.(\d+)\.(\w+)$/.exec(section);
  const names = { ffn: 'feed-forward', final_norm: 'final norm', '': 'result' };
  const name = block ? block[2] : section;
  const plain = names[name] ?? name.replace(/[._]/g, ' ');
  return block ? `block ${block[1]} ${plain}` : plain;
}
