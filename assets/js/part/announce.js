/**
 * Tells a screen reader what is new in a room, once it is quiet: of what changes many
 * times in a row the last alone, so that a presenter who steps fast is heard once.
 * @module
 */
import { el, say } from './dom.js';

/** Milliseconds without another of the same subject until it is told. */
const quiet = 700;

const place = el('p', { class: 'unseen', role: 'status' });
document.body.append(place);

/** @type {Map<string, string>} */
const waiting = new Map();
let timer = 0;

/**
 * @param {string} subject
 * @param {string} sentence
 */
export function announce(subject, sentence) {
  waiting.delete(subject);
  waiting.set(subject, sentence);
  clearTimeout(timer);
  timer = setTimeout(() => {
    // The same words again are news again.
    say(place, '');
    const text = [...waiting.values()].join(' ');
    waiting.clear();
    requestAnimationFrame(() => say(place, text));
  }, quiet);
}
