/**
 * What a presenter's desk knows and does: the room's news, what is in front, and
 * what is sent to the class. The panels draw it.
 *
 * What the desk sent and the room has not told yet is what the desk shows: who
 * presses Next three times moves by three, however far away the workbench is.
 * @module
 */
import { Course, atStep, stepOf, untouched } from '../model/course.js';
import { Drives } from '../model/drive.js';
import { Room } from '../model/room.js';

/**
 * @typedef {import('../model/room.js').View} View
 * @typedef {{chapter: string, widget: string, block: number | undefined, view: View | null, step: number, last: number}} Front
 */

export class Desk extends EventTarget {
  /**
   * @param {object} options
   * @param {import('../model/live.js').Live} options.live
   * @param {{code: string, base: string}} options.about
   * @param {{chapters: import('../model/course.js').Chapter[]}} options.course
   */
  constructor({ live, about, course }) {
    super();
    this.live = live;
    this.code = about.code;
    this.base = about.base;
    this.course = new Course(course);
    this.drives = new Drives({
      send: async (body) => (await this.ask(body)).room ?? {},
      onSettled: (key, seq) => this.settled(key, seq),
      onDropped: (why, error, keys) => this.dropped(why, error, keys),
    });
    this.room = new Room({ as: 'desk', chapter: '', busy: (key) => this.drives.busy(key) });
    /** What was sent and is not known to the room yet, by subject. @type {Map<string, {value: any, seq: number | null}>} */
    this.sent = new Map();
    // What only the preview knows: the last step, and what steps are called.
    /** @type {{chapter: string, widget: string, last: number, step: number, now: string, next: string}} */
    this.previewed = { chapter: '', widget: '', last: 0, now: '', next: '', step: 0 };
    /** "forgotten", "forbidden" or "". */
    this.gone = '';

    live.addEventListener('hello', () => {
      this.gone = '';
      this.room.hello();
    });
    live.addEventListener('state', () => {
      if (!live.open) this.drives.offline();
      this.tell('connection');
    });
    live.addEventListener('room', (/** @type {any} */ { detail }) => this.take(detail?.room ?? detail));
  }

  /** @param {any} news */
  take(news) {
    const had = this.drives.lease !== null;
    const before = this.room.state;
    const subjects = this.room.take(news);
    if (subjects.length === 0) return;
    for (const [key, { seq }] of [...this.sent]) {
      // What a connection says first has all that was acknowledged in it; numbers of another epoch say nothing.
      if (seq !== null && (news.kind === 'all' || !this.behind(key, seq))) this.sent.delete(key);
    }
    if (subjects.includes('state')) {
      if (this.room.mine) this.drives.wheel(this.room.state?.lease);
      else if (had) this.drives.wheel(null);
      if (before && had && !this.room.mine && !this.ended) this.tell('fault', `${this.nameOf(this.room.state?.driver ?? '')} has the wheel now.`);
    }
    this.tell('news', subjects);
  }

  /** Whether what the room told of a subject is older than what this page did. */
  behind(key, seq) {
    const known = this.room.known.get(key === 'front' || key === 'mode' ? 'state' : key) ?? this.room.known.get('all');
    return !known || known.seq < seq;
  }

  settled(key, seq) {
    for (const of of [key, 'front']) {
      const sent = this.sent.get(of);
      if (!sent || this.drives.busy(key)) continue;
      if (of === 'front' && sent.value.key !== key) continue;
      if (this.behind(of, seq)) sent.seq = seq;
      else this.sent.delete(of);
    }
    this.tell('news', ['state', 'widget']);
  }

  dropped(why, error, keys) {
    for (const key of keys) this.sent.delete(key);
    this.sent.delete('front');
    if (why === 'refused') this.tell('fault', error?.message ?? 'The room refused that.');
    this.tell('news', ['state', 'widget']);
  }

  tell(type, detail = undefined) {
    this.dispatchEvent(Object.assign(new Event(type), { detail }));
  }

  // --- What is so.

  get open() {
    return this.live.open;
  }

  get ended() {
    return this.room.ended;
  }

  /** Whether there is anything to show yet. */
  get known() {
    return this.room.state !== null;
  }

  get mode() {
    return this.sent.get('mode')?.value ?? this.room.mode;
  }

  get class() {
    const { following = 0, free = 0, lost = 0, questions, passes, presenters } = this.room.class ?? {};
    return { following, free, lost, questions: questions ?? [], passes: passes ?? [], presenters: presenters ?? [] };
  }

  /** Whether somebody else has the wheel. */
  get others() {
    return this.known && this.room.state.driver !== '' && !this.room.mine;
  }

  /** What a presenter is called: they have no names. */
  nameOf(id) {
    if (id === '') return 'Nobody';
    if (id === this.room.you.presenter) return 'You';
    const at = this.class.presenters.findIndex((p) => p.id === id);
    return at < 0 ? 'Another presenter' : `Presenter ${at + 1}`;
  }

  /** @returns {Front} */
  get front() {
    const state = this.room.state ?? { chapter: '', at: undefined };
    const { chapter, at } = this.sent.get('front')?.value ?? state;
    const widget = at?.widget ?? '';
    const view = widget ? this.viewOf(chapter, widget) : null;
    const step = view ? stepOf(view, this.kindOf(chapter, widget)) : 0;
    return { chapter, widget, block: at?.block, view, step, last: view?.last ?? 0 };
  }

  kindOf(chapter, widget) {
    return this.course.example(chapter, widget)?.kind ?? '';
  }

  /** The view of an example as the class has it, or will when it hears. @returns {View} */
  viewOf(chapter, widget) {
    const key = `${chapter} ${widget}`;
    const view = this.sent.get(key)?.value ?? this.room.viewOf(widget, chapter);
    if (view) return view;
    const own = untouched(this.course.example(chapter, widget));
    const { previewed } = this;
    if (own.last === 0 && previewed.chapter === chapter && previewed.widget === widget) own.last = previewed.last;
    return own;
  }

  /** Whether nothing can be moved from here now. */
  get blocked() {
    return !this.open || !this.known || this.ended || this.others || this.gone !== '';
  }

  /** What a question asked now is about. */
  get about() {
    const { chapter, widget, view, step } = this.front;
    return view ? { chapter, widget, step } : { chapter };
  }

  /** What the preview says the step in front is called, where it shows that one. */
  titleNow(chapter, widget, step) {
    const { previewed } = this;
    return previewed.chapter === chapter && previewed.widget === widget && previewed.step === step ? previewed.now : '';
  }

  /** And what the step after it is. */
  titleThen(chapter, widget, step) {
    const { previewed } = this;
    return previewed.chapter === chapter && previewed.widget === widget && previewed.step === step ? previewed.next : '';
  }

  // --- What is done.

  /**
   * Sends something to the room.
   * @param {object} body
   * @returns {Promise<any>} the answer
   */
  ask(body) {
    return this.live.request('room', { room: body });
  }

  /** Sends something, and says where it is refused. @returns {Promise<any>} null then */
  async tryTo(body) {
    try {
      return await this.ask(body);
    } catch (error) {
      this.tell('fault', error.code === 'offline' || error.code === 'broken' ? 'That did not go out: there is no connection. Try again when it is back.' : error.message);
      return null;
    }
  }

  /**
   * Moves the class. A wheel that nobody has is taken for it.
   * @param {string} key
   * @param {{chapter: string, at?: object, widget?: string, view?: View}} body
   */
  async drive(key, body) {
    if (this.ended || !this.known) return;
    if (!this.open) {
      this.tell('fault', 'That did not go out: there is no connection. Try again when it is back.');
      return;
    }
    if (this.others) {
      this.tell('fault', `${this.nameOf(this.room.state.driver)} has the wheel. Ask for it first.`);
      return;
    }
    if (body.view) this.sent.set(key, { value: body.view, seq: null });
    this.sent.set('front', { value: { key, chapter: body.chapter, at: body.at }, seq: null });
    this.drives.put(key, body);
    this.tell('news', ['state', 'widget']);
    if (!this.room.mine && !this.taking) {
      this.taking = true;
      const answer = await this.tryTo({ do: 'wheel', act: 'take' });
      this.taking = false;
      if (!answer) this.drives.drop('wheel', null);
    }
  }

  /**
   * Steps the example in front; beyond its end comes the next one.
   * @param {'next' | 'previous' | 'first' | 'last'} way
   */
  step(way) {
    const { chapter, widget, view, step, last } = this.front;
    if (!view) {
      const { course } = this;
      const to = { next: this.after, previous: this.before, first: course.beside(chapter, '', 1), last: course.beside(chapter, '', -1) }[way];
      if (to) this.goTo(chapter, to.id);
      return;
    }
    const to = { next: step + 1, previous: step - 1, first: 0, last }[way];
    const then = atStep(view, this.kindOf(chapter, widget), to);
    if (then) {
      this.drive(`${chapter} ${widget}`, { chapter, at: { widget }, widget, view: then });
      return;
    }
    const beside = way === 'next' ? this.after : way === 'previous' ? this.before : null;
    if (beside) this.goTo(chapter, beside.id);
  }

  /** The example that Next comes to, where it comes to one. */
  get after() {
    const { chapter, widget, block, step, last } = this.front;
    if (!widget) return this.course.near(chapter, block, 1);
    return step >= last ? this.course.beside(chapter, widget, 1) : null;
  }

  get before() {
    const { chapter, widget, block, step } = this.front;
    if (!widget) return this.course.near(chapter, block, -1);
    return step <= 0 ? this.course.beside(chapter, widget, -1) : null;
  }

  /** Puts an example in front, or the head of a chapter. */
  goTo(chapter, widget) {
    if (!chapter) return;
    this.drive('front', { chapter, at: widget ? { widget } : { block: 0 } });
  }

  /** @param {string} mode */
  async setMode(mode) {
    const sent = { value: mode, seq: null };
    this.sent.set('mode', sent);
    this.tell('news', ['state']);
    const answer = await this.tryTo({ do: 'mode', mode });
    if (this.sent.get('mode') === sent) {
      sent.seq = answer?.room?.seq ?? 0;
      if (!answer || !this.behind('mode', sent.seq)) this.sent.delete('mode');
    }
    this.tell('news', ['state']);
  }

  takeWheel() {
    return this.tryTo({ do: 'wheel', act: 'take' });
  }
}
