/**
 * A request on its way to a device and back: what lies in which memory when a
 * step ends, and what the device had counted by then. All of it is read from the
 * trace; nothing is added up here.
 * @module
 */
import { duration } from './stats.js';

/**
 * @typedef {import('./stats.js').Stats} Stats
 * @typedef {import('./trace.js').Trace} Trace
 *
 * @typedef {object} Crossing
 * @property {number} request from 0
 * @property {string} name
 * @property {string} stage
 * @property {boolean} crosses
 * @property {number[]} host tensors in host memory
 * @property {number[]} device and in the device's
 * @property {number} packed bytes
 * @property {number} result bytes, 0 while there is none
 * @property {Stats} counted of the request
 * @property {Stats} total of the run
 *
 * @typedef {object} Request
 * @property {number} number
 * @property {string} name
 * @property {Map<string, number>} steps by stage
 * @property {number} first its first step
 */

/** The stages in their order, as a reader calls them. */
export const stages = [
  ['pack', 'packed'], ['copy-in', 'copied in'], ['launch', 'launched'], ['complete', 'complete'], ['copy-out', 'copied out'],
];

/**
 * The requests of a run, with the step of each stage.
 * @param {Trace} trace
 * @returns {Request[]}
 */
export function requests(trace) {
  /** @type {Request[]} */
  const found = [];
  trace.steps.forEach(({ crossing }, index) => {
    if (!crossing) return;
    found[crossing.request] ??= { number: crossing.request, name: crossing.name, steps: new Map(), first: index };
    found[crossing.request].steps.set(crossing.stage, index);
  });
  return found.filter(Boolean);
}

/**
 * Where the newest request is at a step, or null before the first.
 * @param {Trace} trace
 * @param {number} index
 * @returns {Crossing | null}
 */
export function crossingAt(trace, index) {
  for (let at = index; at >= 0; at--) {
    const { crossing } = trace.steps[at];
    if (crossing) return crossing;
  }
  return null;
}

/**
 * The tensors in each memory when a step is done: those that were given before
 * the first request, and the results after the last.
 * @param {Trace} trace
 * @param {number} index
 * @returns {{host: number[], device: number[]}}
 */
export function memories(trace, index) {
  const step = trace.steps[index];
  if (step.crossing) return { host: step.crossing.host, device: step.crossing.device };
  const made = trace.steps.slice(0, index + 1).filter((one) => one.op === 'given').flatMap((one) => one.outputs);
  return { host: step.op === 'given' ? made : step.outputs, device: [] };
}

/** What a table of counters has, column by column. */
export const columns = [
  { key: 'requests', head: 'complete' },
  { key: 'launches', head: 'launches' },
  { key: 'bytes_in', head: 'bytes in' },
  { key: 'bytes_out', head: 'bytes out' },
  { key: 'copy_in_ns', head: 'copy in', time: true },
  { key: 'kernel_ns', head: 'kernel', time: true },
  { key: 'copy_out_ns', head: 'copy out', time: true },
];

/**
 * The table of counters at a step: a row for each request, null where it has not
 * begun, and the run's own sum.
 * @param {Trace} trace
 * @param {number} index
 * @returns {{rows: {name: string, number: number, first: number, counted: Stats | null}[], total: Stats | null}}
 */
export function counters(trace, index) {
  const rows = requests(trace).map(({ number, name, steps, first }) => {
    const reached = [...steps.values()].filter((step) => step <= index);
    const last = reached.length > 0 ? trace.steps[Math.max(...reached)].crossing : null;
    return { name, number, first, counted: last?.counted ?? null };
  });
  return { rows, total: crossingAt(trace, index)?.total ?? null };
}

/**
 * One cell of that table. A time that was not taken is a dash: a counter that
 * stands at zero is a zero.
 * @param {Stats | null} stats
 * @param {{key: string, time?: boolean}} column
 */
export function counterText(stats, { key, time }) {
  if (!stats) return '·';
  const value = Number(stats[key] ?? 0);
  if (time) return value > 0 ? duration(value) : '–';
  return String(value);
}

/**
 * The parts of a time, for a bar: where each begins and how wide it is, in
 * percent of the whole.
 * @param {Stats | null | undefined} stats
 * @returns {{name: string, text: string, from: number, width: number}[]} none where nothing was timed
 */
export function timeParts(stats) {
  const parts = [['copy in', stats?.copy_in_ns], ['kernel', stats?.kernel_ns], ['copy out', stats?.copy_out_ns]]
    .map(([name, ns]) => ({ name: String(name), ns: Number(ns ?? 0) }))
    .filter(({ ns }) => ns > 0);
  const whole = parts.reduce((sum, { ns }) => sum + ns, 0);
  let from = 0;
  return parts.map(({ name, ns }) => {
    const part = { name, text: duration(ns), from, width: (100 * ns) / whole };
    from += part.width;
    return part;
  });
}

/**
 * The bytes of a packed operand, element by element: at which byte it begins,
 * its value, and the bytes from the lowest address up.
 * @param {import('./trace.js').Tensor} tensor
 * @returns {{at: number, value: import('./number.js').TraceNumber, bytes: string}[]}
 */
export function byteRows({ values, bytes = [] }) {
  let at = 0;
  return bytes.map((hex, index) => {
    const row = { at, value: values[index], bytes: (hex.match(/../g) ?? []).join(' ') };
    at += hex.length / 2;
    return row;
  });
}
