/**
 * What of an example a class shares: its place, its texts where they are not the
 * chapter's, and what was run of it. Results are no part of it: who is shown a view asks
 * for them as who ran it did.
 * @module
 */

/**
 * @typedef {import('./deeplink.js').Place} Place
 * @typedef {Record<string, string>} Texts
 *
 * @typedef {object} Ran what was run last
 * @property {number} n how many times something was, so that the same again is another
 * @property {Texts | null} texts null for the chapter's
 * @property {string} device
 * @property {{texts: Texts | null, device: string} | null} [before] where it failed: the run whose results are still
 *   shown, null for the chapter's
 * @property {number} [at] in a replay: the moment of the lesson since which it was shown
 *
 * @typedef {object} View
 * @property {Place} place
 * @property {Texts | null} texts null for the chapter's
 * @property {Ran | null} ran null for nothing: the results are the chapter's
 * @property {boolean} running
 * @property {number} last the last step
 */

/** @type {View} What an example shows that has not begun. */
export const nothing = { place: {}, texts: null, ran: null, running: false, last: 0 };

const placeTexts = /** @type {const} */ (['cell', 'device', 'block', 'thread', 'phase', 'view']);

/**
 * Reads a view that came from elsewhere: what is not as it should be is left out.
 * @param {any} raw null for the chapter's
 * @returns {View}
 */
export function readView(raw) {
  if (!raw || typeof raw !== 'object') return nothing;
  /** @type {Place} */
  const place = {};
  const { step } = raw.place ?? {};
  if (Number.isSafeInteger(step) && step >= 0) place.step = step;
  for (const name of placeTexts) if (typeof raw.place?.[name] === 'string') place[name] = raw.place[name];
  return { place, texts: readTexts(raw.texts), ran: readRan(raw.ran), running: raw.running === true, last: Number(raw.last) || 0 };
}

/** @returns {Texts | null} */
function readTexts(raw) {
  if (!raw || typeof raw !== 'object') return null;
  return Object.fromEntries(Object.entries(raw).filter(([, text]) => typeof text === 'string'));
}

/** @returns {Ran | null} */
function readRan(raw) {
  if (!raw || !Number.isSafeInteger(raw.n)) return null;
  const run = ({ texts, device }) => ({ texts: readTexts(texts), device: typeof device === 'string' ? device : '' });
  const ran = { n: raw.n, ...run(raw), ...(Number.isSafeInteger(raw.at) ? { at: raw.at } : {}) };
  return raw.before === undefined ? ran : { ...ran, before: raw.before && run(raw.before) };
}

/** Whether two are the same run. @param {Ran | null} a @param {Ran | null} b */
export function sameRan(a, b) {
  if (!a || !b) return a === b;
  return a.n === b.n && sameRun(a, b);
}

/**
 * Whether two ran the same on the same device.
 * @param {{texts: Texts | null, device: string} | null} a
 * @param {{texts: Texts | null, device: string} | null} b
 */
export function sameRun(a, b) {
  if (!a || !b) return a === b;
  return a.device === b.device && sameTexts(a.texts, b.texts);
}

/** @param {Texts | null} a @param {Texts | null} b */
function sameTexts(a, b) {
  if (!a || !b) return a === b;
  const names = Object.keys(a);
  return names.length === Object.keys(b).length && names.every((name) => a[name] === b[name]);
}

/** Codes of failures that are no result of what was asked: who asks the same later may get another answer. */
const passing = ['cancelled', 'offline', 'broken', 'busy', 'follower', 'unknown-run', 'protocol', 'forbidden', 'lease', 'ended'];

/** Whether a failure is a result, such as a compile error. @param {{code?: string}} error */
export function isResult(error) {
  return typeof error.code === 'string' && !passing.includes(error.code);
}
