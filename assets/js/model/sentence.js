/**
 * Makes a sentence of what a device or the workbench says in half of one.
 * @module
 */

/** A word as prose has it; "cuda:0", "matmul.cu" and "ops[1].axis" are names. */
const word = /^[\p{L}’'-]+(?=[\s,;:!?]|\.(?!\S)|$)/u;

/** Words that name a device. */
const devices = ['cpu', 'cuda', 'emulator'];

/**
 * Begins with a capital, unless the first word is a name, and ends with a full stop.
 * @param {string} [text]
 */
export function asSentence(text = '') {
  if (text === '') return '';
  const first = word.exec(text)?.[0];
  const plain = first !== undefined && !devices.includes(first);
  const whole = plain ? text.charAt(0).toUpperCase() + text.slice(1) : text;
  return /[.!?]$/.test(whole) ? whole : `${whole}.`;
}
