/**
 * The time: of day, since the room was opened, and a countdown that outlives a reload.
 * @module
 */
import { Countdown, clockText, leastMinutes, mostMinutes } from '../model/countdown.js';
import { el, say, set } from '../part/dom.js';

const tick = 250;

export class Time {
  /**
   * @param {object} options
   * @param {Element} options.place
   * @param {string} options.key under which the countdown is kept
   * @param {number} options.opened when the room was, by this computer's clock
   * @param {Storage | null} options.storage
   */
  constructor({ place, key, opened, storage }) {
    Object.assign(this, { key, opened, storage });
    this.countdown = Countdown.read(this.kept());
    this.title = document.title;
    this.day = el('time', { class: 'desk-day' });
    this.since = el('span', { class: 'desk-since' });
    this.left = el('span', { class: 'desk-left', role: 'timer', 'aria-label': 'Timer' });
    this.minutes = el('input', {
      type: 'number', class: 'desk-minutes', min: String(leastMinutes), max: String(mostMinutes), 'aria-label': 'Minutes of the timer',
      value: String(this.countdown.minutes), change: () => this.set(),
    });
    this.start = el('button', { type: 'button', click: () => this.toggle() });
    this.reset = el('button', { type: 'button', click: () => this.back() }, 'Reset');
    this.alarm = el('p', { class: 'desk-alarm', role: 'alert', hidden: true });
    this.timer = el('div', { class: 'desk-timer', role: 'group', 'aria-label': 'Timer' }, this.left, this.alarm, el('label', { class: 'desk-minutes-of' }, this.minutes, ' min'), this.start, this.reset);
    place.append(el('p', { class: 'desk-clock' }, this.day, ' ', this.since), this.timer);
    // Another window of the same desk may change it.
    addEventListener('storage', (event) => {
      if (event.key !== key) return;
      this.countdown = Countdown.read(event.newValue);
      this.minutes.value = String(this.countdown.minutes);
      this.draw();
    });
    setInterval(() => this.draw(), tick);
    this.draw();
  }

  kept() {
    try {
      return this.storage?.getItem(this.key) ?? null;
    } catch {
      return null;
    }
  }

  keep() {
    try {
      this.storage?.setItem(this.key, this.countdown.write());
    } catch {
      // Then it lasts as long as the page.
    }
    this.draw();
  }

  set() {
    if (!this.countdown.set(Number(this.minutes.value))) this.minutes.value = String(this.countdown.minutes);
    this.keep();
  }

  toggle() {
    const now = Date.now();
    if (this.countdown.runs) this.countdown.stop(now);
    else this.countdown.start(now);
    this.keep();
  }

  back() {
    this.countdown.reset();
    this.keep();
  }

  draw() {
    const now = Date.now();
    const { countdown } = this;
    say(this.day, new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit' }).format(now));
    const since = Math.max(now - this.opened, 0);
    say(this.since, `open for ${clockText(since)}`);
    const left = countdown.left(now);
    const over = countdown.runs && left <= 0;
    say(this.left, over ? `+${clockText(-left)}` : clockText(left, 'down'));
    set(this.timer, 'data-begun', countdown.begun || null);
    for (const one of [this.timer, this.left]) set(one, 'data-over', over || null);
    say(this.start, !countdown.runs ? (countdown.begun ? 'Go on' : 'Start') : 'Stop');
    set(this.start, 'aria-label', `${this.start.textContent} the timer`.replace('Go on the', 'Go on with the'));
    set(this.reset, 'aria-label', 'Reset the timer');
    set(this.reset, 'hidden', !countdown.begun);
    set(this.alarm, 'hidden', !over);
    say(this.alarm, over ? `Time is up: ${countdown.minutes} min.` : '');
    const title = over ? `Time is up · ${this.title}` : this.title;
    if (document.title !== title) document.title = title;
  }
}
