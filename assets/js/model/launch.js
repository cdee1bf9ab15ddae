/**
 * A launch as a form edits it: the same JSON that the workbench takes (a launch
 * file), in which a field that cannot be read holds what was typed, as a text. So
 * nothing that was typed is lost, and the workbench would refuse it as well.
 * @module
 */

export const types = ['f32', 'f64', 'f16', 'bf16', 'i32', 'u32', 'i64', 'u64', 'i16', 'u16', 'i8', 'u8'];
export const fills = ['zeros', 'ones', 'iota', 'random', 'nan'];

/** What an emulator looks for: as a launch names it, and in words. */
export const checks = [
  ['race', 'races'], ['out-of-bounds', 'accesses out of bounds'], ['uninitialised', 'values nobody wrote'], ['misaligned', 'misaligned accesses'],
  ['divergent-barrier', 'barriers not all reach'], ['inactive-shuffle', 'shuffles with lanes that take no part'], ['endless-loop', 'loops without end'],
  ['divide-by-zero', 'divisions by zero'], ['shared-memory', 'too much shared memory'], ['assert', 'asserts'],
];

/** Threads that a block has at most, on every GPU of today. */
const mostThreads = 1024;

/**
 * @param {string} text
 * @returns {any} the launch, or null where the text is none
 */
export function parseLaunch(text) {
  try {
    const launch = JSON.parse(text);
    return launch !== null && typeof launch === 'object' && !Array.isArray(launch) ? launch : null;
  } catch {
    return null;
  }
}

/** Whether a form can edit it: one launch with arguments of its own. */
export function simple(launch) {
  return Boolean(launch) && !('launches' in launch) && !('buffers' in launch);
}

/** @param {any} arg @returns {'buffer' | 'scalar' | 'other'} */
export function kindOf(arg) {
  if (arg === null || typeof arg !== 'object' || 'struct' in arg || 'buffer' in arg) return 'other';
  return 'value' in arg ? 'scalar' : 'buffer';
}

/** Writes a field's value as it is edited. */
export function fieldText(value) {
  if (value === undefined || value === null) return '';
  return Array.isArray(value) ? value.join(' × ') : String(value);
}

/** Reads extents: "4", "2 × 2", "2, 2, 1"; the text itself where it is none. */
export function readExtents(text) {
  const parts = text.trim().split(/\s*[×x*,;]\s*|\s+/);
  return text.trim() !== '' && parts.every((part) => /^\d{1,10}$/.test(part)) ? parts.map(Number) : text;
}

/** Reads a number; the text itself where it is none, which may be "NaN" or too large for a double. */
export function readNumber(text) {
  const trimmed = text.trim();
  if (!/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(trimmed)) return trimmed;
  const value = Number(trimmed);
  // A whole number beyond 2⁵³ has digits that a double would lose.
  return /^[+-]?\d+$/.test(trimmed) && !Number.isSafeInteger(value) ? trimmed : value;
}

/** Changes one field of a launch: the path's parts, and undefined to take it away. */
export function withField(launch, path, value) {
  const [head, ...rest] = path;
  const copy = Array.isArray(launch) ? [...launch] : { ...launch };
  const next = rest.length > 0 ? withField(copy[head] ?? {}, rest, value) : value;
  if (next === undefined && Array.isArray(copy)) copy.splice(head, 1);
  else if (next === undefined) delete copy[head];
  else copy[head] = next;
  return copy;
}

/**
 * What is wrong with a launch, by field: "grid", "args[0].shape". What only the
 * workbench can know, such as the kernel's parameters, it says when it is run.
 * @param {any} launch
 * @returns {Record<string, string>}
 */
export function problems(launch) {
  /** @type {Record<string, string>} */
  const out = {};
  const whole = (x, least) => typeof x === 'number' && Number.isInteger(x) && x >= least;
  const extents = (name) => {
    const value = launch[name];
    if (!Array.isArray(value) || value.length < 1 || value.length > 3 || !value.every((n) => whole(n, 1))) {
      out[name] = 'One to three whole numbers from 1: x, y and z, as in 2 × 2.';
      return false;
    }
    return true;
  };
  extents('grid');
  if (extents('block') && launch.block.reduce((n, extent) => n * extent, 1) > mostThreads) out.block = `A block has at most ${mostThreads} threads.`;
  if (launch.shared_bytes !== undefined && !whole(launch.shared_bytes, 0)) out.shared_bytes = 'A whole number of bytes.';
  if (typeof launch.kernel !== 'string' || launch.kernel.trim() === '') out.kernel = 'The name of a __global__ function.';
  const names = new Set();
  (Array.isArray(launch.args) ? launch.args : []).forEach((arg, at) => {
    const kind = kindOf(arg);
    if (kind === 'other') return;
    const path = `args[${at}]`;
    if (typeof arg.name !== 'string' || !/^[A-Za-z_]\w*$/.test(arg.name)) out[`${path}.name`] = 'A name, as C has them.';
    else if (names.has(arg.name)) out[`${path}.name`] = `There is another ${arg.name}.`;
    names.add(arg.name);
    if (kind === 'scalar') {
      if (typeof arg.value !== 'number' && !/^(NaN|-?Infinity|-?\d+)$/.test(arg.value)) out[`${path}.value`] = 'A number, or NaN, Infinity, -Infinity.';
      else if (/^[iu]/.test(arg.type) && typeof arg.value === 'number' && !Number.isInteger(arg.value)) out[`${path}.value`] = 'A whole number.';
      return;
    }
    if (arg.shape !== undefined && (!Array.isArray(arg.shape) || !arg.shape.every((n) => whole(n, 0)))) out[`${path}.shape`] = 'Whole numbers, as in 32 × 32.';
    if (arg.seed !== undefined && !whole(arg.seed, 0) && !/^\d+$/.test(arg.seed)) out[`${path}.seed`] = 'A whole number from 0.';
  });
  return out;
}

/** What is wrong with a launch's text, by field; "" is all of it. @param {string} text @returns {Record<string, string>} */
export function mistakes(text) {
  const launch = parseLaunch(text);
  if (!launch) return { '': 'This is no launch: it must be JSON, as in {"kernel": "k", "grid": [1], "block": [32], "args": []}.' };
  return simple(launch) ? problems(launch) : {};
}

/** The launch's text as a person reads it, a line for each argument. */
export function pretty(launch) {
  const flat = (value) => JSON.stringify(value, null, 1).replace(/\n\s*/g, ' ');
  const lines = Object.entries(launch).map(([name, value]) => {
    const list = Array.isArray(value) && value.some((one) => one !== null && typeof one === 'object');
    return `  ${JSON.stringify(name)}: ${list ? `[\n${value.map((one) => `    ${flat(one)}`).join(',\n')}\n  ]` : flat(value)}`;
  });
  return `{\n${lines.join(',\n')}\n}`;
}

/**
 * Which checks are on.
 * @param {any} value of the launch: true, false, a list of those that are on, or an object of those that are not
 * @param {string[]} all
 * @returns {string[]}
 */
export function checksOn(value, all) {
  if (value === undefined || value === true) return all;
  if (value === false) return [];
  if (Array.isArray(value)) return all.filter((name) => value.includes(name));
  return all.filter((name) => value[name] !== false);
}
