/**
 * A countdown for a class: so many minutes, started, stopped and set back. What is
 * kept of it is when it ends, not what is left, so that it goes on while a page is
 * loaded again or a laptop sleeps.
 * @module
 */

/** Minutes that a countdown may have. */
export const leastMinutes = 1;
export const mostMinutes = 180;
const usual = 10;
const minute = 60_000;

export class Countdown {
  /** @param {{minutes?: number, ends?: number | null, left?: number | null}} [kept] */
  constructor({ minutes = usual, ends = null, left = null } = {}) {
    this.minutes = minutes;
    /** When it ends, in milliseconds of the clock; null while it does not run. @type {number | null} */
    this.ends = ends;
    /** What was left when it was stopped; null where it was not begun. @type {number | null} */
    this.held = left;
  }

  /**
   * Reads what write has written. What cannot be read is a new one.
   * @param {string | null} text
   */
  static read(text) {
    let kept;
    try {
      kept = JSON.parse(text ?? '');
    } catch {
      return new Countdown();
    }
    const { minutes, ends, left } = kept ?? {};
    if (!valid(minutes)) return new Countdown();
    const most = minutes * minute;
    return new Countdown({
      minutes,
      ends: Number.isFinite(ends) ? ends : null,
      left: Number.isFinite(left) && left >= 0 && left <= most ? left : null,
    });
  }

  write() {
    return JSON.stringify({ minutes: this.minutes, ends: this.ends, left: this.held });
  }

  get runs() {
    return this.ends !== null;
  }

  /** Whether it was begun: there is something to set back. */
  get begun() {
    return this.ends !== null || this.held !== null;
  }

  /** Milliseconds that are left; less than 0 since it ended. @param {number} now */
  left(now) {
    if (this.ends !== null) return this.ends - now;
    return this.held ?? this.minutes * minute;
  }

  over(now) {
    return this.left(now) <= 0;
  }

  start(now) {
    if (this.ends === null) this.ends = now + (this.held ?? this.minutes * minute);
  }

  /** Stops it. One that is over is set back: there is nothing left to go on with. */
  stop(now) {
    if (this.ends === null) return;
    const left = this.ends - now;
    this.ends = null;
    this.held = left > 0 ? left : null;
  }

  reset() {
    this.ends = null;
    this.held = null;
  }

  /** @param {number} minutes @returns {boolean} whether it can be that */
  set(minutes) {
    if (!valid(minutes)) return false;
    this.minutes = minutes;
    this.reset();
    return true;
  }
}

function valid(minutes) {
  return Number.isInteger(minutes) && minutes >= leastMinutes && minutes <= mostMinutes;
}

/**
 * A duration as a clock has it: "0:07", "12:30", "1:02:03". Of one that is counted
 * down a begun second still counts.
 * @param {number} ms from 0
 * @param {'up' | 'down'} [way]
 */
export function clockText(ms, way = 'up') {
  const all = Math.max(way === 'down' ? Math.ceil(ms / 1000) : Math.floor(ms / 1000), 0);
  const [hours, minutes, seconds] = [Math.floor(all / 3600), Math.floor(all / 60) % 60, all % 60];
  const two = (n) => String(n).padStart(2, '0');
  return hours > 0 ? `${hours}:${two(minutes)}:${two(seconds)}` : `${minutes}:${two(seconds)}`;
}
