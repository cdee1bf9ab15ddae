/**
 * Does the newest of what it is given. While one thing is being done the next one
 * waits, and a newer one takes its place: nothing queues up behind a key that is held.
 * @module
 */

/** @template T */
export class Latest {
  /**
   * @param {(value: T, newer: AbortSignal) => void | Promise<void>} act newer tells when a newer value has come:
   *   what only waits then gives up
   * @param {() => Promise<unknown>} [pause] between one and the next
   */
  constructor(act, pause = () => Promise.resolve()) {
    this.act = act;
    this.pause = pause;
    /** @type {{value: T, settle: (done: boolean) => void} | null} */
    this.waiting = null;
    /** @type {AbortController | null} */
    this.newer = null;
    this.state = /** @type {'held' | 'ready' | 'stopped'} */ ('held');
    this.busy = false;
  }

  /**
   * Takes a value, which is acted upon at once where nothing else is being done.
   * @param {T} value
   * @returns {Promise<boolean>} whether it was done; false where it was given up for a newer one
   */
  offer(value) {
    if (this.state === 'stopped') return Promise.resolve(false);
    this.waiting?.settle(false);
    const done = new Promise((settle) => { this.waiting = { value, settle }; });
    this.newer?.abort();
    this.work();
    return done;
  }

  /** Begins: what is offered before is held until now. */
  begin() {
    if (this.state === 'held') this.state = 'ready';
    this.work();
  }

  /** Ends: what waits is given up. */
  stop() {
    this.state = 'stopped';
    this.waiting?.settle(false);
    this.waiting = null;
    this.newer?.abort();
  }

  async work() {
    if (this.state !== 'ready' || this.busy) return;
    this.busy = true;
    while (this.waiting) {
      const { value, settle } = this.waiting;
      this.waiting = null;
      const newer = new AbortController();
      this.newer = newer;
      try {
        await this.act(value, newer.signal);
        settle(!newer.signal.aborted);
      } catch (error) {
        // The next one may do better.
        console.error(error);
        settle(false);
      }
      await this.pause();
    }
    this.newer = null;
    this.busy = false;
  }
}

/**
 * Waits for something, or until a newer value has come.
 * @param {Promise<unknown>} done
 * @param {AbortSignal} newer
 * @returns {Promise<void>}
 */
export function unlessNewer(done, newer) {
  return new Promise((settle) => {
    if (newer.aborted) {
      settle();
      return;
    }
    const end = () => {
      newer.removeEventListener('abort', end);
      settle();
    };
    newer.addEventListener('abort', end);
    done.then(end, end);
  });
}
