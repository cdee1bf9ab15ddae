/**
 * What a presenter's page sends of what its person does. Of each subject – a widget,
 * what is in front, the chapter, the pointer – one drive is under way at a time, and
 * the newest is next: who steps fast sends fewer, never older ones.
 *
 * A drive is sent while the page has the wheel. What was not acknowledged when a
 * connection ended is sent again in the next if the wheel is still the page's, and is
 * dropped, and told, if it is not.
 * @module
 */

/** Milliseconds until a room that is busy is asked again: half of it fixed, half random. */
const busyPause = 400;

/** Failures of the connection, which say nothing of the drive. */
const ofTheConnection = ['offline', 'broken', 'cancelled'];

/** @typedef {{flying: object | null, next: object | null, gap: number, keep: boolean, free: number, timer: any}} Line free: when the next may go */

export class Drives {
  /**
   * @param {object} options
   * @param {(body: object) => Promise<{seq?: number}>} options.send rejects with an error that has a code
   * @param {(key: string, seq: number) => void} [options.onSettled] nothing of the subject is under way any more
   * @param {(why: 'wheel' | 'refused', error: Error | null, keys: string[]) => void} [options.onDropped]
   * @param {{setTimeout: (f: () => void, ms: number) => any, clearTimeout: (t: any) => void, now: () => number}} [options.clock]
   * @param {() => number} [options.random]
   */
  constructor({ send, onSettled = () => {}, onDropped = () => {}, clock = browser, random = Math.random }) {
    Object.assign(this, { send, onSettled, onDropped, clock, random });
    /** @type {Map<string, Line>} */
    this.lines = new Map();
    /** The wheel, null while another has it or nothing is known. @type {any} */
    this.lease = null;
  }

  /**
   * Sends something, or the newest instead of it.
   * @param {string} key the subject
   * @param {object} body
   * @param {{gap?: number, keep?: boolean}} [options] gap: milliseconds between two; keep: it is worth sending in
   *   another connection
   */
  put(key, body, { gap = 0, keep = true } = {}) {
    let line = this.lines.get(key);
    if (!line) {
      line = { flying: null, next: null, gap, keep, free: 0, timer: null };
      this.lines.set(key, line);
    }
    line.next = body;
    this.pump(key, line);
  }

  /** Takes back what has not been sent yet. */
  forget(key) {
    const line = this.lines.get(key);
    if (line) line.next = null;
  }

  /** Whether something of the subject is under way. */
  busy(key) {
    const line = this.lines.get(key);
    return Boolean(line && (line.flying || line.next));
  }

  /** Where the wheel is: its lease, or null. What waits without it is dropped. */
  wheel(lease) {
    this.lease = lease ?? null;
    if (this.lease === null) this.drop('wheel', null);
    else for (const [key, line] of this.lines) this.pump(key, line);
  }

  /** The connection ended: what was under way may be lost. */
  offline() {
    this.lease = null;
    for (const line of this.lines.values()) {
      this.still(line);
      line.next ??= line.flying;
      line.flying = null;
      if (!line.keep) line.next = null;
    }
  }

  /** Drops everything. */
  drop(why, error) {
    const keys = [...this.lines].filter(([key, { keep }]) => keep && this.busy(key)).map(([key]) => key);
    for (const line of this.lines.values()) {
      this.still(line);
      line.flying = line.next = null;
    }
    if (keys.length > 0) this.onDropped(why, error, keys);
  }

  pump(key, line) {
    if (this.lease === null || line.flying || !line.next || line.timer !== null) return;
    const wait = line.free - this.clock.now();
    if (wait > 0) {
      this.later(key, line, wait);
      return;
    }
    const { lease } = this;
    const body = { ...line.next };
    line.flying = body;
    line.next = null;
    line.free = this.clock.now() + line.gap;
    // Nobody waits for the answer to what was sent again, or dropped.
    const waited = () => line.flying === body;
    this.send({ do: 'drive', lease, ...body }).then(
      ({ seq = 0 }) => {
        if (!waited()) return;
        line.flying = null;
        if (!line.next) this.onSettled(key, seq);
        this.pump(key, line);
      },
      (error) => {
        if (waited()) this.failed(key, line, lease, error);
      });
  }

  failed(key, line, lease, error) {
    const { code } = error;
    if (ofTheConnection.includes(code)) {
      this.offline();
      return;
    }
    if (code === 'lease' && lease === this.lease) {
      this.lease = null;
      this.drop('wheel', error);
      return;
    }
    if (code === 'lease' || code === 'busy') {
      line.next ??= line.flying;
      line.flying = null;
      this.later(key, line, (busyPause * (1 + this.random())) / 2);
      return;
    }
    line.flying = null;
    this.onDropped('refused', error, [key]);
    this.pump(key, line);
  }

  later(key, line, ms) {
    this.still(line);
    line.timer = this.clock.setTimeout(() => {
      line.timer = null;
      this.pump(key, line);
    }, ms);
  }

  still(line) {
    this.clock.clearTimeout(line.timer);
    line.timer = null;
  }
}

const browser = {
  setTimeout: (act, ms) => setTimeout(act, ms),
  clearTimeout: (timer) => clearTimeout(timer),
  now: () => performance.now(),
};
