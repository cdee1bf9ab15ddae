/**
 * Where a window over one axis stands. It never leaves the axis, and moves no
 * further than it must.
 * @module
 */

/**
 * The start nearest to `start` at which a window of `size` holds position `at`.
 * @param {number} start @param {number} size @param {number} count of the axis @param {number} at
 */
export function bring(start, size, count, at) {
  const near = at < start ? at : at >= start + size ? at - size + 1 : start;
  return inside(near, size, count);
}

/**
 * The start nearest to `start` at which the window is full, or holds everything.
 * @param {number} start @param {number} size @param {number} count
 */
export function inside(start, size, count) {
  return Math.max(0, Math.min(start, count - size));
}

/**
 * The start at which position `at` stands in the middle, as far as it can.
 * @param {number} size @param {number} count @param {number} at
 */
export function around(size, count, at) {
  return inside(at - Math.floor(size / 2), size, count);
}

/**
 * How far a box must be scrolled to show the stretch from `from` to `to`: no
 * further than it takes, and to its beginning where it is longer than the box.
 * @param {number} now @param {number} size @param {number} from @param {number} to
 */
export function nearest(now, size, from, to) {
  if (from < now || to - from > size) return from;
  return to > now + size ? to - size : now;
}

/** The position nearest to `at` in a window. */
export function hold(at, start, size, count) {
  return Math.min(Math.max(at, start), Math.min(start + size, count) - 1);
}
