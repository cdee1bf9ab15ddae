/**
 * A time as a bar with its parts side by side, as wide as each took. The words
 * below say the same: the bar is for the eye alone.
 * @module
 */
import { timeParts } from '../model/crossing.js';
import { el, fill, set } from './dom.js';

const svg = 'http://www.w3.org/2000/svg';

export class TimeBar {
  constructor() {
    this.picture = document.createElementNS(svg, 'svg');
    for (const [name, value] of Object.entries({ class: 'time-bar', viewBox: '0 0 100 6', preserveAspectRatio: 'none', 'aria-hidden': 'true' })) {
      this.picture.setAttribute(name, value);
    }
    this.words = el('ul', { class: 'time-words' });
    this.element = el('div', { class: 'times', hidden: true }, this.picture, this.words);
  }

  /** @param {import('../model/stats.js').Stats | null} stats */
  show(stats) {
    const parts = timeParts(stats);
    set(this.element, 'hidden', parts.length === 0);
    this.picture.replaceChildren(...parts.map(({ name, from, width }) => {
      const part = document.createElementNS(svg, 'rect');
      for (const [attribute, value] of Object.entries({ class: `time-${kind(name)}`, x: from, y: 0, width, height: 6 })) {
        part.setAttribute(attribute, String(value));
      }
      return part;
    }));
    fill(this.words, ...parts.map(({ name, text }) => el('li', { class: `time-${kind(name)}` }, `${name} ${text}`)));
  }
}

function kind(name) {
  return name.toLowerCase().replace(/ /g, '-');
}
