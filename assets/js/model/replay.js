/**
 * A lesson that is played: where it is, how fast, and what a page in it is told. The
 * page is told as a room tells one: of a move on, news; of any other, all that there is.
 * @module
 */

/** How many times as fast as it was. */
export const speeds = [1, 2, 4, 8];

/** @typedef {import('./timeline.js').News} News */

export class Replay {
  /**
   * @param {object} options
   * @param {import('./timeline.js').Timeline} options.timeline
   * @param {(news: News) => void} options.tell
   * @param {() => void} options.onChange the moment, or how it is played
   * @param {string[]} [options.gone] chapters that nobody can go to
   */
  constructor({ timeline, tell, onChange, gone = [] }) {
    Object.assign(this, { timeline, tell, onChange, gone });
    this.t = 0;
    this.playing = false;
    this.speed = 1;
    this.skip = true;
    this.epoch = 0;
    this.seq = 0;
    /** The moment that was told, or null. @type {number | null} */
    this.told = null;
  }

  get atEnd() {
    return this.t >= this.timeline.duration;
  }

  /** The chapter that the lesson is at now and that is not there any more, or "". */
  get missing() {
    const chapter = this.timeline.chapterAt(this.t);
    return this.gone.includes(chapter) ? chapter : '';
  }

  /** Goes to a moment. @param {number} t */
  seek(t) {
    this.t = this.timeline.within(t);
    this.all();
    this.onChange();
  }

  play() {
    if (this.atEnd) this.seek(0);
    this.playing = true;
    this.onChange();
  }

  pause() {
    if (!this.playing) return;
    this.playing = false;
    this.onChange();
  }

  next() {
    this.step(this.timeline.next(this.t));
  }

  previous() {
    this.step(this.timeline.previous(this.t));
  }

  step(t) {
    this.playing = false;
    if (t < this.t) this.seek(t);
    else {
      this.t = t;
      this.news();
      this.onChange();
    }
  }

  /** @param {number} speed */
  setSpeed(speed) {
    if (speeds.includes(speed)) this.speed = speed;
    this.onChange();
  }

  /** @param {boolean} skip */
  setSkip(skip) {
    this.skip = skip;
    this.onChange();
  }

  /** Some time has passed. @param {number} ms */
  pass(ms) {
    if (!this.playing) return;
    this.t = this.timeline.advance(this.t, ms * this.speed, this.skip);
    if (this.atEnd) this.playing = false;
    this.news();
    this.onChange();
  }

  /** Tells all. */
  all() {
    const { state, widgets, pointer, poll } = this.timeline.at(this.t);
    this.told = this.t;
    this.epoch++;
    this.seq = 0;
    this.tell({ kind: 'all', epoch: this.epoch, seq: 0, you: { page: 'replay', as: 'replay', presenter: '' }, state: stateOf(state), widgets, pointer, poll });
  }

  /** Tells what is new. */
  news() {
    if (this.told === null || this.t < this.told) {
      this.all();
      return;
    }
    const news = this.timeline.between(this.told, this.t);
    this.told = this.t;
    for (const one of news) this.tell({ ...one, epoch: this.epoch, seq: ++this.seq, ...(one.state ? { state: stateOf(one.state) } : {}) });
  }
}

/** What a room was for its class is nothing to who looks at it alone: how it worked, who drove, that it ended. */
function stateOf(state) {
  return state && { ...state, mode: 'follow', lease: 0, driver: '', here: true, recall: 0, ended: false, lesson: '' };
}
