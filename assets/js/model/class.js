/**
 * How a class is doing, in words and as parts of a whole.
 * @module
 */

/** @typedef {{following: number, free: number, lost: number}} Counts */

/**
 * What is said of a class, each with the part of it that it is about.
 * @param {Counts} counts
 * @returns {[part: '' | 'with' | 'free' | 'lost', text: string][]}
 */
export function countsOf({ following, free, lost }) {
  if (following + free === 0) return [['', 'Nobody follows yet']];
  return [
    ['with', `${following} ${following === 1 ? 'follows' : 'follow'}`],
    ...(free > 0 ? [/** @type {['free', string]} */ (['free', `${free} on their own`])] : []),
    lost > 0 ? ['lost', `${lost} ${lost === 1 ? 'is' : 'are'} lost`] : ['', 'nobody is lost'],
  ];
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
