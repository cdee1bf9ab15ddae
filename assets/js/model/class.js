/**
 * How a class is doing, in words and as parts of a whole.
 * @module
 */

/** @typedef {{following: number, free: number, lost: number}} Counts */

/** @param {Counts} counts */
export function deskCounts({ following, free, lost }) {
  if (following + free === 0) return 'Nobody follows yet';
  const parts = [`${following} ${following === 1 ? 'follows' : 'follow'}`];
  if (free > 0) parts.push(`${free} on ${free === 1 ? 'its' : 'their'} own`);
  parts.push(lost > 0 ? `${lost} ${lost === 1 ? 'is' : 'are'} lost` : 'nobody is lost');
  return parts.join(', ');
}

/**
 * Parts of the class, which add up to it: who follows and is not lost, who is on their
 * own and is not lost, who is lost.
 * @param {Counts} counts
 */
export function shareOf({ following, free, lost }) {
  const lostFree = Math.max(0, lost - following);
  return { with: Math.max(0, following - lost), free: Math.max(0, free - lostFree), lost: Math.min(lost, following + free) };
}
