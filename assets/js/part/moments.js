/**
 * The moments of a recorded block, as the workbench sends them: some are kept, so that
 * going back asks nobody, the next one is fetched before it is wanted, and of a slider
 * that is dragged only what it has come to is asked for.
 * @module
 */
import { live } from './page.js';

/** Moments that are kept. */
const most = 200;

/**
 * @typedef {import('../model/kernel.js').Moment} Moment
 * @typedef {{step: number, last: number, warp: string}} Where warp: of which the variables are wanted, "" for the step's own
 */

export class Moments {
  /**
   * @param {object} options
   * @param {(body: object) => Promise<{moment: Moment, found?: boolean}>} options.ask the workbench
   * @param {() => Where} options.where the example is
   * @param {(moment: Moment) => void} options.onMoment it is that of where the example is
   * @param {() => void} options.onWait it is still to come
   * @param {(error: import('../model/live.js').LiveError) => void} options.onLost
   */
  constructor({ ask, where, onMoment, onWait, onLost }) {
    Object.assign(this, { ask, where, onMoment, onWait, onLost });
    this.clear();
  }

  /** Forgets all: the recording is another one. */
  clear() {
    /** @type {Map<string, Moment>} by step and warp */
    this.kept = new Map();
    /** @type {Moment | null} */
    this.shown = null;
  }

  /** @param {Moment} moment @param {string} warp */
  keep(moment, warp) {
    this.kept.set(`${moment.step} ${warp}`, moment);
    if (this.kept.size > most) this.kept.delete(this.kept.keys().next().value);
  }

  /** Asks for a moment. @param {number} step @param {string} warp @param {object} [more] */
  async fetch(step, warp, more) {
    const { kept } = this;
    const reply = await this.ask({ step, view: { shared: true, ...(warp ? { warps: [Number(warp)] } : {}) }, ...more });
    // An answer of the recording before is not kept with those of this one.
    if (kept !== this.kept) return null;
    this.keep(reply.moment, warp);
    return reply;
  }

  /** Shows the moment of where the example is. While a question is on its way no other is sent. */
  async want() {
    const { step, warp } = this.where();
    const found = this.kept.get(`${step} ${warp}`);
    this.waiting = !found;
    if (found) {
      this.back = step < (this.shown?.step ?? 0);
      if (this.shown !== found) {
        this.shown = found;
        this.onMoment(found);
      }
      this.ahead();
      return;
    }
    this.onWait();
    if (this.asking || !live.open) return;
    this.asking = true;
    const { kept } = this;
    let failed = null;
    try {
      await this.fetch(step, warp);
    } catch (error) {
      failed = error;
    } finally {
      this.asking = false;
    }
    const now = this.where();
    const same = kept === this.kept;
    // What failed may not be what is wanted any more, as on the way to a view of others.
    if (failed && same && now.step === step && now.warp === warp) this.onLost(failed);
    else if (same || now.last > 0) this.want();
  }

  /** Fetches the step that comes next in the direction of the last one. */
  async ahead() {
    const { step, last, warp } = this.where();
    const next = step + (this.back ? -1 : 1);
    if (this.asking || !live.open || next < 0 || next > last || this.kept.has(`${next} ${warp}`)) return;
    this.asking = true;
    try {
      await this.fetch(next, warp);
    } catch {
      // It is asked for again when it is wanted, and the answer shown then.
    } finally {
      this.asking = false;
    }
    // Another step, or another warp of this one, was wanted meanwhile.
    if (this.waiting) this.want();
  }

  /**
   * Finds the step to which a goal leads.
   * @param {object} goal
   * @returns {Promise<{moment: Moment, found?: boolean} | null>} null where the recording has become another one
   */
  seek(goal) {
    const { step, warp } = this.where();
    return this.fetch(step, warp, { goal });
  }
}
