/**
 * The page of a room: its news, what the page does because of them, and what it sends.
 * Loaded where the page says that it is one.
 * @module
 */
import { stayConnected } from '../model/awake.js';
import { Drives } from '../model/drive.js';
import { Room } from '../model/room.js';
import { frontOf, reach } from './front.js';
import { chapter, live, room as here } from './page.js';
import { session } from './roomstore.js';

/** Milliseconds within which the pages of a class go to another chapter: not all at once. */
const spread = 300;

/** What a page does beside, by what it is. */
const kinds = {
  follow: () => import('./follow.js').then(({ follow }) => follow),
  stage: () => import('./stage.js').then(({ stage }) => stage),
  preview: () => import('./preview.js').then(({ preview }) => preview),
  replay: () => import('./replay.js').then(({ replay }) => replay),
};

export class RoomPage extends EventTarget {
  constructor() {
    super();
    Object.assign(this, here);
    this.room = new Room({ as: here.as, chapter, choice: session.read('choice'), busy: (key) => this.drives.busy(key) });
    this.drives = new Drives({
      send: (body) => this.ask(body),
      onSettled: (key, seq) => {
        this.room.settled(key, seq);
        this.apply();
      },
      onDropped: (why, error, keys) => {
        this.emit('dropped', { why, error, keys });
        this.apply();
      },
    });
    this.taking = false;
    this.ready = false;
    /** What a person changed before the room was known. @type {Set<string>} */
    this.early = new Set();
    // From the start: an example can be stepped before the others of the page live.
    document.addEventListener('wb-change', (event) => {
      const { id } = /** @type {Element} */ (event.target);
      if (id && this.room.state) this.emit('change', { id, how: this.room.changed(id) });
      else if (id) this.early.add(id);
    });
    /** How often a person did something that may scroll the page. */
    this.hands = 0;
    /** How often they had, when what is in front was last brought into sight. */
    this.brought = -1;
    for (const act of ['wheel', 'touchmove', 'keydown', 'pointerdown']) addEventListener(act, () => { this.hands++; }, { passive: true, capture: true });
    /** How a widget is told what to show. @type {(element: any, view: any) => void} */
    this.show = (element, view) => element.show(view);
    live.addEventListener('hello', () => this.room.hello());
    live.addEventListener('room', ({ detail }) => this.take(detail.room));
    live.addEventListener('state', () => {
      if (!live.open) this.drives.offline();
    });
    // Who turns their telephone sees what they saw, unless they had gone elsewhere by hand.
    let { innerWidth: width } = globalThis;
    addEventListener('resize', () => {
      if (innerWidth === width) return;
      width = innerWidth;
      if (this.brought !== this.hands || !this.room.follows || this.room.mine) return;
      // At once: a scroll that is under way goes to where it was before.
      frontOf(this.room.state?.at)?.scrollIntoView({ block: 'start', behavior: 'instant' });
      this.bring([Promise.resolve()]);
    });
    // A page that the browser kept to come back to is opened once more.
    addEventListener('pageshow', ({ persisted }) => {
      if (!persisted) return;
      this.leaving = 0;
      this.emit('again');
    });
    stayConnected(live);
  }

  /** Acts from now on: the widgets of the page are there. */
  begin() {
    this.ready = true;
    this.apply();
    this.emit('begun');
  }

  /**
   * Asks the room for something.
   * @param {{do: string} & Record<string, any>} body
   * @returns {Promise<any>} what the room says
   */
  async ask(body) {
    const reply = await live.request('room', { room: body });
    return reply.room ?? {};
  }

  take(news) {
    const changed = this.room.take(news);
    if (changed.length === 0) return;
    if (changed.includes('state')) this.steer();
    // First what the page must know of itself, as a stage that it opened a chapter.
    this.emit('news', changed);
    if (this.room.state) {
      const early = [...this.early];
      this.early.clear();
      for (const id of early) this.emit('change', { id, how: this.room.changed(id) });
    }
    this.apply();
  }

  /** Gives the wheel to what waits for it, or takes it away. */
  steer() {
    const { room, drives } = this;
    if (room.mine) {
      this.taking = false;
      drives.wheel(room.state?.lease);
    } else if (!this.taking || room.state?.driver !== '' || room.ended) {
      this.taking = false;
      drives.wheel(null);
    }
  }

  /**
   * Takes the wheel, or asks whoever has it; what is sent meanwhile waits.
   * @returns {Promise<boolean>} whether it was got
   */
  async takeWheel() {
    if (this.taking) return true;
    this.taking = this.room.state?.driver === '';
    let got = false;
    try {
      ({ got = true } = await this.ask({ do: 'wheel', act: 'take' }));
      return got;
    } finally {
      if (!got && this.taking) {
        this.taking = false;
        this.steer();
      }
    }
  }

  /** Shows what is due. */
  apply() {
    if (!this.ready || this.leaving) return;
    const ids = this.widgets().map(({ id }) => id);
    const due = this.room.due(ids);
    if (due.go) {
      this.leave();
      return;
    }
    const shown = due.show.map(({ widget, view }) => this.show(document.getElementById(widget), view));
    if (due.at) this.bring(shown);
    if (due.show.length > 0 || due.at) this.emit('shown', due);
  }

  /**
   * Brings what is in front into sight, and once more when what was to be shown is: it
   * may have changed the height of the page above. Whoever scrolls meanwhile is left alone.
   * @param {(Promise<any> | void)[]} [shown]
   */
  bring(shown = []) {
    const { front } = this.room;
    const { hands } = this;
    this.brought = hands;
    const again = () => {
      const element = frontOf(this.room.state?.at);
      if (element && this.room.front === front && this.hands === hands && this.room.follows) this.reach(element);
    };
    again();
    if (shown.length > 0) Promise.allSettled(shown).then(() => requestAnimationFrame(again));
  }

  /** Brings what is in front into sight. @param {Element} front */
  reach(front) {
    reach(front);
  }

  /** Goes where the lesson is, when the time has come. */
  leave() {
    const pause = this.as === 'follow' ? Math.random() * spread : 0;
    this.leaving = setTimeout(() => {
      this.leaving = 0;
      const { state, follows } = this.room;
      if (!follows || !state || state.chapter === chapter) this.apply();
      else {
        this.leaving = -1; // the page is over
        location.replace(this.base + encodeURIComponent(state.chapter));
      }
    }, pause);
  }

  /** @returns {any[]} the widgets of the page that can be told what to show */
  widgets() {
    return [...document.querySelectorAll('.prose [id]')].filter((one) => one.localName.startsWith('wb-') && 'show' in one);
  }

  emit(type, detail) {
    this.dispatchEvent(Object.assign(new Event(type), { detail }));
  }
}

/**
 * Begins, and connects.
 * @param {Promise<any>} examples kept when the page's examples live
 * @param {Promise<any>} formulas kept when they are written
 */
export async function beginRoom(examples, formulas) {
  const page = new RoomPage();
  try {
    (await kinds[here.as]?.())?.(page);
  } finally {
    live.connect();
  }
  await examples;
  page.begin();
  await formulas;
  // Who drives is where they want to be.
  if (!page.room.mine) page.bring([Promise.resolve()]);
}
