/**
 * Tells a screen reader what is new in a room, once it is quiet: of what changes many
 * times in a row the last alone, so that a presenter who steps fast is heard once. All
 * that a room has to say goes this way: two that speak talk over each other.
 * @module
 */
import { sentences, standOf } from '../model/voice.js';
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
    const text = [...new Set(waiting.values())].join(' ');
    waiting.clear();
    requestAnimationFrame(() => say(place, text));
  }, quiet);
}

/**
 * Returns what tells of a room's changes since it was called last.
 * @param {import('../model/room.js').Room} room
 * @param {(presenter: string) => string} [nameOf]
 */
export function teller(room, nameOf) {
  let before = standOf(room);
  return () => {
    const now = standOf(room);
    for (const [subject, sentence] of sentences(now, before, nameOf)) announce(subject, sentence);
    before = now;
  };
}
