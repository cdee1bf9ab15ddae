/**
 * A run of a kernel and one recorded block of it, read for a page: which lanes are
 * where, what they hold, which element is meant. Nothing here computes a value.
 * @module
 */

/** Lanes of a warp. */
export const lanes = 32;

/**
 * @typedef {{kernel: string, block: number[], grid: number[], block_dim: number[], warps: number, steps: number, phases: number,
 *   complete: boolean, reason?: string, other?: string, lines: number[], arrays: TapeArray[], exchanges?: boolean, bytes: number, most: number, bound: number, held: number}} Tape
 * @typedef {{name: string, space: string, element: string, elements: number, size: number, shape?: number[]}} TapeArray
 * @typedef {{name: string, type: string, set: number, values?: string[], parts?: Variable[], more?: number}} Variable
 * @typedef {{warp: number, place: Mark, active: number, live: number, waiting: number, lines: number[], frames?: Frame[]}} Warp
 * @typedef {{function: string, place: Mark, lanes: number, vars: Variable[]}} Frame
 * @typedef {{line: number, column: number}} Mark
 * @typedef {{step: number, kind: string, warp: number, place: Mark, phase: number, warps: Warp[], shared?: any[], accesses: Access[], exchanges?: Exchange[], printed?: string}} Moment
 * @typedef {{place: Mark, kind: string, lanes: number, gives: string[], from?: number[], gets: string[]}} Exchange
 * @typedef {{place: Mark, kind: string, array: number, name: string, lanes: number, elements: number[], width: number, values: string[], after?: string[]}} Access
 */

/** Whether a device can run a kernel of CUDA C. @param {string} spec */
export function runsKernels(spec) {
  return !/^cpu\b/.test(spec) && !/,library$/.test(spec);
}

/** Whether blocks are recorded there. @param {string} spec */
export function records(spec) {
  return /^emulator\b/.test(spec);
}

/** Whether a lane is in a mask. JavaScript's bits are signed, so the last one is too. */
export function has(mask, lane) {
  return ((mask >>> lane) & 1) === 1;
}

/** How many lanes are in a mask. */
export function count(mask) {
  let n = 0;
  for (let lane = 0; lane < lanes; lane++) n += (mask >>> lane) & 1;
  return n;
}

/** What a lane does at a moment, and the sign that says so without colour. */
export const laneStates = {
  active: { sign: '●', word: 'active' },
  idle: { sign: '○', word: 'not active' },
  waiting: { sign: '‖', word: 'waiting at the barrier' },
  ended: { sign: '·', word: 'ended' },
};

/** @param {Warp} warp @param {number} lane @returns {keyof typeof laneStates} */
export function laneState(warp, lane) {
  if (!has(warp.live, lane)) return 'ended';
  if (has(warp.waiting, lane)) return 'waiting';
  return has(warp.active, lane) ? 'active' : 'idle';
}

/** A warp's lanes as stretches of one state. @param {Warp} warp */
export function stretches(warp) {
  /** @type {{state: keyof typeof laneStates, count: number}[]} */
  const out = [];
  for (let lane = 0; lane < lanes; lane++) {
    const state = laneState(warp, lane);
    const last = out[out.length - 1];
    if (last?.state === state) last.count++;
    else out.push({ state, count: 1 });
  }
  return out;
}

/** The same in words. @param {Warp} warp */
export function maskText(warp) {
  const parts = [];
  let lane = 0;
  for (const { state, count: n } of stretches(warp)) {
    parts.push(`${n === 1 ? `lane ${lane}` : `lanes ${lane} to ${lane + n - 1}`} ${laneStates[state].word}`);
    lane += n;
  }
  return parts.join(', ');
}

/** threadIdx of a thread that is counted through the block. */
export function threadAt(blockDim, number) {
  const [x, y] = blockDim;
  return [number % x, Math.floor(number / x) % y, Math.floor(number / (x * y))];
}

/** The number of a thread in its block, or −1. */
export function threadNumber(blockDim, [x, y, z]) {
  const inside = [x, y, z].every((at, axis) => at >= 0 && at < blockDim[axis]);
  return inside ? x + blockDim[0] * (y + blockDim[1] * z) : -1;
}

/** "(1,0,0)" */
export function triple(index) {
  return `(${index.join(',')})`;
}

/** @param {string | undefined} text "1,0,0" @returns {number[] | null} */
export function parseTriple(text) {
  return /^\d{1,9},\d{1,9},\d{1,9}$/.test(text ?? '') ? text.split(',').map(Number) : null;
}

/**
 * The columns of a table of a function's variables: each variable, or each of its
 * parts. Beyond `most` there are none; `more` says how many were left out.
 * @param {Frame} frame
 */
export function columnsOf(frame, most = 64) {
  /** @type {{name: string, type: string, variable: Variable}[]} */
  const columns = [];
  let more = 0;
  const visit = (variable, name) => {
    if (variable.parts?.length) {
      for (const part of variable.parts) visit(part, name + part.name);
      more += variable.more ?? 0;
    } else if (columns.length < most) {
      columns.push({ name, type: variable.type, variable });
    } else {
      more++;
    }
  };
  for (const variable of frame.vars) visit(variable, variable.name);
  return { columns, more };
}

/** What a variable holds in a lane, "" where it holds nothing. @param {Variable} variable */
export function held(variable, lane) {
  const { set, values = [] } = variable;
  if (!has(set, lane) || values.length === 0) return '';
  return values.length === 1 ? values[0] : values[lane] ?? '';
}

/** What the lanes of an access want, by lane. @param {Access} access */
export function byLane(access) {
  /** @type {Map<number, {element: number, value: string, after?: string}>} */
  const out = new Map();
  let at = 0;
  for (let lane = 0; lane < lanes; lane++) {
    if (!has(access.lanes, lane)) continue;
    out.set(lane, { element: access.elements[at], value: access.values[at], after: access.after?.[at] });
    at++;
  }
  return out;
}

/**
 * What each lane gives in an exchange, what it gets and whose that is, by lane:
 * "0.5 → 2.5 (lane 17)".
 * @param {Exchange} exchange
 */
export function exchangeTexts(exchange) {
  /** @type {Map<number, string>} */
  const out = new Map();
  let at = 0;
  for (let lane = 0; lane < lanes; lane++) {
    if (!has(exchange.lanes, lane)) continue;
    const from = exchange.from?.[at];
    const whose = from === undefined ? '' : from === lane ? ' (its own)' : ` (lane ${from}${has(exchange.lanes, from) ? '' : ', which takes no part'})`;
    out.set(lane, `${exchange.gives[at]} → ${exchange.gets[at]}${whose}`);
    at++;
  }
  return out;
}

/**
 * One lane of an exchange in a sentence: of the lane that is followed, else of the
 * first that takes part.
 * @param {Exchange} exchange @param {number} lane −1 for none
 */
export function exchangeSentence(exchange, lane) {
  const { kind, place, lanes: mask, gives, gets, from } = exchange;
  const followed = lane >= 0 && has(mask, lane) ? lane : Array.from({ length: lanes }, (_, at) => at).find((at) => has(mask, at)) ?? 0;
  const at = count(mask & ~(-1 << followed));
  const source = from?.[at];
  const whose = source === undefined ? '' : source === followed ? ', its own' : ` of lane ${source}${has(mask, source) ? '' : ', which takes no part'}`;
  return `${kind} on line ${place.line}: lane ${followed} gives ${gives[at]} and gets ${gets[at]}${whose}.`;
}

/** "left[3][4]" @param {TapeArray | undefined} array @param {number} flat */
export function elementName(array, flat) {
  if (!array) return `[${flat}]`;
  return array.name + place(array.shape, flat).map((at) => `[${at}]`).join('');
}

function place(shape, flat) {
  if (!shape?.length || flat < 0) return [flat];
  const out = [];
  let rest = flat;
  for (let axis = shape.length - 1; axis > 0; axis--) {
    out.unshift(rest % shape[axis]);
    rest = Math.floor(rest / shape[axis]);
  }
  return [rest, ...out];
}

/**
 * Which element a text means: "left[3][4]", "[3][4]", "3, 4", or the flat "52".
 * @param {TapeArray[]} arrays
 * @param {string} text
 * @param {number} [fallback] the array where the text names none
 * @returns {{array: number, element: number} | {problem: string}}
 */
export function parseElement(arrays, text, fallback = -1) {
  const match = /^\s*([A-Za-z_][\w.]*)?\s*((?:\[\s*\d{1,15}\s*\]\s*)+|\d{1,15}(?:\s*,\s*\d{1,15})*)\s*$/.exec(text);
  if (!match) return { problem: 'Write an element as in left[3][4].' };
  const array = match[1] === undefined ? fallback : arrays.findIndex(({ name }) => name === match[1]);
  if (!arrays[array]) return { problem: match[1] === undefined ? 'Name the array too, as in left[3][4].' : `There is no array ${match[1]}: ${arrays.map(({ name }) => name).join(', ')}.` };
  const at = match[2].match(/\d+/g).map(Number);
  const shape = arrays[array].shape ?? [];
  let element = at[0];
  if (at.length > 1) {
    if (at.length !== shape.length) return { problem: `${arrays[array].name} has ${shape.length || 1} ${shape.length === 1 || !shape.length ? 'axis' : 'axes'}.` };
    const outside = at.findIndex((i, axis) => i >= shape[axis]);
    if (outside >= 0) return { problem: `${arrays[array].name} has ${shape[outside]} elements along axis ${outside}.` };
    element = at.reduce((flat, i, axis) => flat * shape[axis] + i, 0);
  }
  if (element >= arrays[array].elements) return { problem: `${arrays[array].name} has ${arrays[array].elements} elements.` };
  return { array, element };
}

/** What a step is, in a sentence. @param {Tape} tape @param {Moment} moment */
export function momentTitle(tape, moment) {
  if (moment.kind === 'release') return 'Every warp has come to the barrier, and all go on.';
  if (moment.kind === 'end') return tape.complete ? 'The block has ended.' : `The recording ends here: ${tape.reason}.`;
  const warp = moment.warps.find((one) => one.warp === moment.warp);
  const part = warp ? `, ${count(warp.active)} of its ${count(warp.live)} lanes active` : '';
  return `Warp ${moment.warp} begins line ${moment.place.line}${part}.`;
}

/** What a run's comparison says. @param {any} report of an outcome @returns {{text: string, kind: 'good' | 'bad'} | null} */
export function verdict(report, number = String) {
  if (!report) return null;
  const { passed, count: all, failures, differing, mismatched, reference, groups } = report;
  if (mismatched > 0) return { kind: 'bad', text: `The result cannot be compared with that of ${reference}: ${groups[0].reason}.` };
  if (!passed) {
    const first = groups[0].first;
    const where = first ? ` The first is ${first.group}[${first.coordinate.join(', ')}]: ${number(first.candidate)} instead of ${number(first.reference)}.` : '';
    return { kind: 'bad', text: `${failures} of ${all} values are not what ${reference} computes.${where}` };
  }
  if (differing === 0) return { kind: 'good', text: `All ${all} values are equal in every bit to those of ${reference}.` };
  return { kind: 'good', text: `All ${all} values are within the bound of their sums; ${differing} have other bits than those of ${reference}.` };
}

/**
 * Where the lines of a text are in an edited one: the number of the same line, or
 * 0 where it was changed. Lines above and below all changes keep theirs.
 * @param {string} before @param {string} after
 * @returns {(line: number) => number} both from 1
 */
export function lineMap(before, after) {
  if (before === after) return (line) => line;
  const old = before.split('\n');
  const now = after.split('\n');
  let head = 0;
  while (head < old.length && head < now.length && old[head] === now[head]) head++;
  let tail = 0;
  while (tail < old.length - head && tail < now.length - head && old[old.length - 1 - tail] === now[now.length - 1 - tail]) tail++;
  return (line) => {
    if (line <= head) return line;
    return line > old.length - tail ? line + now.length - old.length : 0;
  };
}

/**
 * Where a compiler found something, from the lines of its log: "k.cu:3:5: error: …".
 * @param {string[]} log
 */
export function diagnostics(log) {
  const out = [];
  for (const text of log) {
    const match = /^[^\s|].*?:(\d+)(?::(\d+))?: (?:fatal )?(error|warning|note): (.*)$/.exec(text);
    if (!match) continue;
    const [, line, column = '1', severity, message] = match;
    out.push({ line: Number(line), column: Number(column), kind: severity === 'error' ? 'fault' : severity, message });
  }
  return out;
}
