/**
 * What a recorded block of a kernel did to its arrays, as the server lists it:
 * which thread loaded and stored which element in which phase. Everything here is
 * counted from that list; nothing is worked out from the kernel.
 * @module
 */
import { byLane } from './kernel.js';

/**
 * @typedef {[number, number, number]} Index x, y and z, as CUDA has them
 *
 * @typedef {object} TapeArray
 * @property {string} name
 * @property {string} space global, shared, constant, parameter
 * @property {string} element
 * @property {number} elements
 * @property {number[]} [shape]
 *
 * @typedef {object} Tape
 * @property {Index} block
 * @property {Index} grid
 * @property {Index} block_dim
 * @property {number} warps
 * @property {number} steps
 * @property {number} phases
 * @property {TapeArray[]} arrays
 *
 * @typedef {Map<number, number>} Counts how often, by element
 * @typedef {{loads: Counts, stores: Counts}} Accesses
 * @typedef {{thread: number, loads: number, stores: number}} User
 */

/** How many vector elements stand in one row. */
const vectorRow = 32;

const nothing = { load_threads: [], load_elements: [], load_counts: [], store_threads: [], store_elements: [], store_counts: [] };

/** An array as rows and columns: the leading axes of its shape lie one below the other. */
export class Layout {
  /** @param {TapeArray} array */
  constructor(array) {
    const shape = array.shape?.length ? array.shape : [array.elements];
    this.shape = shape;
    this.vector = shape.length === 1;
    this.columns = this.vector ? Math.min(Math.max(1, array.elements), vectorRow) : Math.max(1, shape[shape.length - 1]);
    this.rows = Math.ceil(array.elements / this.columns);
    this.elements = array.elements;
  }

  /** The coordinate of a row: of the axes before the last. */
  row(row) {
    const at = [];
    for (let axis = this.shape.length - 2; axis >= 0; axis--) {
      at.unshift(row % this.shape[axis]);
      row = Math.floor(row / this.shape[axis]);
    }
    return at.join(', ');
  }
}

/**
 * A set of elements in words: rectangles where they make some.
 * @param {Iterable<number>} elements
 * @param {Layout} layout
 * @param {number} [most] rectangles that are named
 * @returns {string} "[16–31, 0–15]", "" for none
 */
export function regions(elements, layout, most = 3) {
  const sorted = [...elements].sort((a, b) => a - b);
  const { columns, vector } = layout;
  /** @type {{top: number, bottom: number, left: number, right: number}[]} */
  const boxes = [];
  let open = [];
  let row = -1;
  let here = [];
  const close = () => {
    // Runs of the row above go on where this row has the same.
    open = here.map((run) => {
      const above = open.find((box) => box.bottom === row - 1 && box.left === run.left && box.right === run.right);
      if (above) {
        above.bottom = row;
        return above;
      }
      const box = { top: row, bottom: row, ...run };
      boxes.push(box);
      return box;
    });
  };
  for (const element of sorted) {
    const r = vector ? 0 : Math.floor(element / columns);
    const c = vector ? element : element % columns;
    if (r !== row) {
      if (here.length) close();
      row = r;
      here = [];
    }
    const last = here[here.length - 1];
    if (last && last.right === c - 1) last.right = c;
    else here.push({ left: c, right: c });
  }
  if (here.length) close();
  const range = (from, to) => (from === to ? from : `${from}–${to}`);
  const named = boxes.slice(0, most).map(({ top, bottom, left, right }) => {
    if (vector) return `[${range(left, right)}]`;
    const rows = layout.shape.length === 2 || top === bottom ? range(layout.row(top), layout.row(bottom)) : `${layout.row(top)} to ${layout.row(bottom)}`;
    return `[${rows}, ${range(left, right)}]`;
  });
  if (boxes.length > most) {
    const rest = boxes.slice(most).reduce((sum, { top, bottom, left, right }) => sum + (bottom - top + 1) * (right - left + 1), 0);
    named.push(`${rest} more`);
  }
  return listed(named);
}

/** "a, b and c". @param {string[]} words */
export function listed(words) {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words[words.length - 1]}`;
}

/** @param {number} n */
export function times(n) {
  const rounded = Number(n.toPrecision(4));
  return rounded === 1 ? 'once' : rounded === 2 ? 'twice' : `${rounded} times`;
}

/** How often each of some elements was used. @param {Counts} counts @returns {{elements: number, sum: number, least: number, most: number}} */
export function spread(counts) {
  let sum = 0;
  let least = Infinity;
  let most = 0;
  for (const n of counts.values()) {
    sum += n;
    least = Math.min(least, n);
    most = Math.max(most, n);
  }
  return { elements: counts.size, sum, least: counts.size ? least : 0, most };
}

/** "512 elements, each 16 times"; "–" for none. @param {Counts} counts */
export function spreadText(counts) {
  const { elements, least, most } = spread(counts);
  if (elements === 0) return '–';
  const noun = elements === 1 ? '1 element' : `${elements} elements`;
  if (least === most) return `${noun}, ${elements === 1 ? '' : 'each '}${times(most)}`;
  return `${noun}, ${least} to ${most} times`;
}

/** A recorded block. */
export class Block {
  /**
   * @param {Tape} tape
   * @param {any} touched the server's list
   */
  constructor(tape, touched) {
    this.tape = tape;
    this.cut = Boolean(touched.cut);
    this.phases = Math.max(1, tape.phases);
    this.raw = new Map(touched.phases.map((phase) => [phase.phase, phase]));
    this.ends = new Map((touched.ends ?? []).map(({ phase, step }) => [phase, step]));
    this.uses = new Map(touched.uses.map((uses) => [uses.array, uses]));
    /** Arrays that were touched, as the tape has them. */
    this.arrays = tape.arrays.map((array, index) => ({ ...array, index, layout: new Layout(array) })).filter(({ index }) => this.uses.has(index));
    this.cache = new Map();
  }

  /** The phase that stands for one of a longer kernel: past the end it is the last. */
  phase(phase) {
    return phase === null ? null : Math.min(phase, this.phases - 1);
  }

  /** The step at which a phase ends; of all of them, the last. */
  end(phase) {
    return this.ends.get(phase ?? this.phases - 1) ?? this.tape.steps - 1;
  }

  lists(array, phase) {
    const of = (one) => this.raw.get(one)?.arrays.find((touched) => touched.array === array);
    if (phase !== null) return [of(phase) ?? nothing];
    return [...this.raw.keys()].map(of).filter(Boolean);
  }

  /**
   * What the whole block did to an array in a phase, or in all of them.
   * @param {number} array @param {number | null} phase
   * @returns {Accesses}
   */
  block(array, phase) {
    const key = `${array} ${phase}`;
    let found = this.cache.get(key);
    if (!found) {
      found = { loads: new Map(), stores: new Map() };
      for (const list of this.lists(array, phase)) {
        list.load_elements.forEach((element, i) => add(found.loads, element, list.load_counts[i]));
        list.store_elements.forEach((element, i) => add(found.stores, element, list.store_counts[i]));
      }
      this.cache.set(key, found);
    }
    return found;
  }

  /** What one thread did. @param {number} array @param {number | null} phase @param {number} thread @returns {Accesses} */
  thread(array, phase, thread) {
    const found = { loads: new Map(), stores: new Map() };
    for (const list of this.lists(array, phase)) {
      // The lists are by thread.
      for (let i = first(list.load_threads, thread); list.load_threads[i] === thread; i++) add(found.loads, list.load_elements[i], list.load_counts[i]);
      for (let i = first(list.store_threads, thread); list.store_threads[i] === thread; i++) add(found.stores, list.store_elements[i], list.store_counts[i]);
    }
    return found;
  }

  /** Who used an element, by thread. @returns {User[]} */
  users(array, phase, element) {
    const users = new Map();
    const user = (thread) => {
      if (!users.has(thread)) users.set(thread, { thread, loads: 0, stores: 0 });
      return users.get(thread);
    };
    for (const list of this.lists(array, phase)) {
      list.load_elements.forEach((one, i) => {
        if (one === element) user(list.load_threads[i]).loads += list.load_counts[i];
      });
      list.store_elements.forEach((one, i) => {
        if (one === element) user(list.store_threads[i]).stores += list.store_counts[i];
      });
    }
    return [...users.values()].sort((a, b) => a.thread - b.thread);
  }

  /** Requests to shared memory, by place of the source, of one phase or summed over all. */
  requests(phase) {
    if (phase !== null) return this.raw.get(phase)?.requests ?? [];
    const sums = new Map();
    for (const { requests = [] } of this.raw.values()) {
      for (const one of requests) {
        const key = `${one.place.line} ${one.place.column} ${one.kind} ${one.array}`;
        const sum = sums.get(key);
        if (!sum) sums.set(key, { ...one });
        else {
          sum.requests += one.requests;
          sum.turns += one.turns;
          sum.conflicts += one.conflicts;
          if (one.most > sum.most) Object.assign(sum, { most: one.most, step: one.step });
        }
      }
    }
    return [...sums.values()].sort((a, b) => a.place.line - b.place.line || a.place.column - b.place.column);
  }

  /** How often the block loaded each element of an array in all. @param {number} array @returns {Counts} */
  loads(array) {
    const uses = this.uses.get(array);
    const counts = new Map();
    uses?.elements.forEach((element, i) => {
      if (uses.loads[i] > 0) counts.set(element, uses.loads[i]);
    });
    return counts;
  }

  array(name, space = 'global') {
    return this.arrays.find((array) => array.name === name && array.space === space);
  }
}

/** Where a value that is sorted begins. */
function first(sorted, value) {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle] < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

function add(counts, element, n) {
  counts.set(element, (counts.get(element) ?? 0) + n);
}

/**
 * How two blocks differ in how often they load the same values of global memory.
 * @param {Block} one @param {Block} other
 * @returns {{name: string, one: Counts, other: Counts, ratio: number | null}[]} ratio: one's loads for each of other's, null where it is not the same for every element
 */
export function compareLoads(one, other) {
  const rows = [];
  for (const array of one.arrays) {
    const twin = array.space === 'global' && other.array(array.name);
    if (!twin) continue;
    const [a, b] = [one.loads(array.index), other.loads(twin.index)];
    if (a.size === 0 && b.size === 0) continue;
    let ratio = a.size === b.size ? NaN : null;
    for (const [element, n] of a) {
      const m = b.get(element);
      if (!m || ratio === null) ratio = null;
      else if (Number.isNaN(ratio)) ratio = n / m;
      else if (n / m !== ratio) ratio = null;
    }
    rows.push({ name: array.name, one: a, other: b, ratio });
  }
  return rows;
}

/** How often the values of a buffer were loaded in a whole launch, in words. @param {any} buffer of a measurement */
export function launchText(buffer) {
  if (!buffer || buffer.loaded === 0) return '–';
  const even = buffer.most * buffer.loaded === buffer.loads;
  const count = `${buffer.loaded} elements`;
  return even ? `${count}, each ${times(buffer.most)}` : `${count}, ${times(buffer.loads_per_element)} on average, ${times(buffer.most)} at most`;
}

/**
 * Classes of how often: each count by itself where there are few, else doubling.
 * @param {Iterable<number>} counts
 * @returns {{from: number, to: number}[]} ascending
 */
export function levels(counts) {
  const distinct = [...new Set(counts)].filter((n) => n > 0).sort((a, b) => a - b);
  if (distinct.length <= 5) return distinct.map((n) => ({ from: n, to: n }));
  const found = [];
  // Of at most five: each twice, four times … as wide as the one before.
  const most = distinct[distinct.length - 1];
  const factor = Math.max(2, Math.floor(most ** (1 / 5) + 1e-9) + 1);
  for (let from = 1; from <= most; from *= factor) {
    const to = from * factor - 1;
    if (distinct.some((n) => n >= from && n <= to)) found.push({ from, to: Math.min(to, most) });
  }
  return found;
}

/** @param {string | undefined} text "1,0,0", "1,0" or "1" @returns {Index | null} */
export function parseIndex(text) {
  if (!/^\d{1,9}(,\d{1,9}){0,2}$/.test(text ?? '')) return null;
  const [x, y = 0, z = 0] = /** @type {string} */ (text).split(',').map(Number);
  return [x, y, z];
}

/** The nearest index within a size. @param {Index} index @param {Index} size @returns {Index} */
export function within(index, size) {
  return /** @type {Index} */ (index.map((n, axis) => Math.max(0, Math.min(n, size[axis] - 1))));
}

/** "(1, 0)", with z where the size has one. @param {Index} index @param {Index} size */
export function indexText(index, size) {
  return `(${(size[2] > 1 ? index : index.slice(0, 2)).join(', ')})`;
}

/** Threads in words: "(0, 3) to (15, 3)" where they follow each other. @param {User[]} users @param {(thread: number) => string} name */
export function threadsText(users, name, most = 4) {
  const runs = [];
  for (const { thread } of users) {
    const last = runs[runs.length - 1];
    if (last && last.to === thread - 1) last.to = thread;
    else runs.push({ from: thread, to: thread });
  }
  const named = runs.slice(0, most).map(({ from, to }) => (from === to ? name(from) : `${name(from)} to ${name(to)}`));
  if (runs.length > most) named.push(`${runs.slice(most).reduce((sum, { from, to }) => sum + to - from + 1, 0)} more`);
  return listed(named);
}

/**
 * An access to shared memory by banks.
 * @param {any} access of a moment
 * @returns {{bank: number, words: {element: number, lanes: number[]}[]}[]} banks that were asked, ascending
 */
export function byBank(access) {
  const banks = new Map();
  let i = -1;
  for (const [lane, { element }] of byLane(access)) {
    const bank = access.banks?.[++i];
    if (bank === undefined) continue;
    if (!banks.has(bank)) banks.set(bank, new Map());
    const words = banks.get(bank);
    if (!words.has(element)) words.set(element, []);
    words.get(element).push(lane);
  }
  return [...banks].sort(([a], [b]) => a - b).map(([bank, words]) => ({ bank, words: [...words].map(([element, lanes]) => ({ element, lanes })) }));
}
