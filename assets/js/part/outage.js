/**
 * A connection that was lost, as a bar tells it: once that it is lost and once that it
 * is back, and the seconds until the next try, counted down.
 * @module
 */
import { announce } from './announce.js';
import { live } from './page.js';

export class Outage {
  /**
   * @param {object} options
   * @param {string} options.lost said to who cannot see the bar
   * @param {() => void} options.onChange the connection is another, or a second has passed
   */
  constructor({ lost, onChange }) {
    this.lost = lost;
    this.onChange = onChange;
    this.away = false;
    this.until = 0;
  }

  /** Seconds until the next try. */
  get seconds() {
    return Math.max(0, Math.ceil((this.until - Date.now()) / 1000));
  }

  /** The connection is another. */
  update() {
    clearInterval(this.countdown);
    const { state } = live;
    if (state.name === 'waiting') {
      this.until = Date.now() + (state.retryIn ?? 0);
      this.countdown = setInterval(this.onChange, 1000);
      if (!this.away) announce('connection', this.lost);
      this.away = true;
    } else if (state.name === 'open') {
      if (this.away) announce('connection', 'Connected again.');
      this.away = false;
    }
    this.onChange();
  }
}
