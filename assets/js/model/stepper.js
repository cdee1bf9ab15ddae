/**
 * Which step is shown, and the clock that moves it. The position is always a
 * step that exists; a run without steps has position 0 and cannot move.
 * @module
 */

/** Steps a second that a reader can choose. */
export const speeds = [0.5, 1, 2, 4];

/**
 * Why the position changed: "jump" is a move that a reader would want to undo
 * with the browser's Back, "slide" one of many small moves in a row, "play" the
 * clock's, "restore" the address's or a new run's.
 * @typedef {'jump' | 'slide' | 'play' | 'restore'} Cause
 */

export class Stepper {
  /**
   * @param {object} options
   * @param {number} options.count
   * @param {(cause: Cause | 'state') => void} options.onChange "state": only playing or speed changed
   * @param {{setTimeout: (f: () => void, ms: number) => any, clearTimeout: (t: any) => void}} [options.clock]
   */
  constructor({ count, onChange, clock = globalThis }) {
    this.count = count;
    this.index = 0;
    this.playing = false;
    this.speed = 1;
    this.onChange = onChange;
    this.clock = clock;
    this.timer = undefined;
  }

  get last() {
    return Math.max(0, this.count - 1);
  }

  get atFirst() {
    return this.index === 0;
  }

  get atLast() {
    return this.index === this.last;
  }

  /**
   * Moves to a step, or to the nearest that exists. Any move but the clock's
   * own stops the clock: whoever takes the wheel keeps it.
   * @param {number} index
   * @param {Cause} [cause]
   */
  go(index, cause = 'jump') {
    if (cause !== 'play') this.pause();
    const next = Math.min(Math.max(0, Math.trunc(index) || 0), this.last);
    if (next === this.index) return;
    this.index = next;
    this.onChange(cause);
  }

  /** @param {Cause} [cause] */
  next(cause) {
    this.go(this.index + 1, cause);
  }

  /** @param {Cause} [cause] */
  previous(cause) {
    this.go(this.index - 1, cause);
  }

  toggle() {
    if (this.playing) this.pause();
    else this.play();
  }

  /** Plays to the last step; from there, from the first again. */
  play() {
    if (this.playing || this.count < 2) return;
    if (this.atLast) {
      this.index = 0;
      this.onChange('play');
    }
    this.playing = true;
    this.onChange('state');
    this.wait();
  }

  pause() {
    if (!this.playing) return;
    this.clock.clearTimeout(this.timer);
    this.playing = false;
    this.onChange('state');
  }

  /** @param {number} speed steps a second */
  setSpeed(speed) {
    if (!(speed > 0)) return;
    this.speed = speed;
    if (this.playing) {
      this.clock.clearTimeout(this.timer);
      this.wait();
    }
    this.onChange('state');
  }

  /**
   * Takes another run's number of steps and keeps the position if it can.
   * @param {number} count
   */
  setCount(count) {
    this.pause();
    this.count = count;
    this.index = Math.min(this.index, this.last);
  }

  /** Stops the clock for good, without telling anyone. */
  stop() {
    this.clock.clearTimeout(this.timer);
    this.playing = false;
  }

  wait() {
    this.timer = this.clock.setTimeout(() => {
      this.go(this.index + 1, 'play');
      if (this.atLast) this.pause();
      else this.wait();
    }, 1000 / this.speed);
  }
}

/**
 * What a key does to a stepper, or null. Keys with a modifier are the browser's.
 * @param {{key: string, ctrlKey?: boolean, metaKey?: boolean, altKey?: boolean}} event
 * @returns {'next' | 'previous' | 'first' | 'last' | 'toggle' | 'help' | null}
 */
export function keyCommand(event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return null;
  switch (event.key) {
    case 'ArrowRight':
    case 'j':
      return 'next';
    case 'ArrowLeft':
    case 'k':
      return 'previous';
    case 'Home':
      return 'first';
    case 'End':
      return 'last';
    case ' ':
    case 'p':
      return 'toggle';
    case '?':
      return 'help';
  }
  return null;
}
