/**
 * What a page knows of the room that it is in, and what is to be done about it. A
 * room's news are whole per subject: the newest of a subject is all there is to know.
 * What is older than what is known is dropped, by the epoch, which grows when the
 * server starts anew, and the number in it.
 *
 * A follower's page shows what the room shows, until the follower changes something:
 * then it is on its own, until they or the presenter call it back. Locked, what they
 * change is set back. A stage publishes what its person does while the presenter has
 * the wheel, and otherwise shows what the others do.
 * @module
 */

/**
 * @typedef {{place: import('./deeplink.js').Place, texts: Record<string, string> | null, ran: object | null, running: boolean, last: number}} View
 * @typedef {{widget?: string, block?: number}} At what is in front: a widget, or a block of the text
 * @typedef {{mode: 'follow' | 'free' | 'locked', chapter: string, at?: At, lease?: any, driver: string, here: boolean, recall: number, found?: number, ended: boolean, lesson: string}} State
 * @typedef {{chapter: string, widget: string, view: View, from: string}} Shown
 * @typedef {{kind: string, epoch: number, seq: number} & Record<string, any>} News
 * @typedef {{free: boolean, mode: string, recall: number}} Choice to be on one's own, or not, as long as mode and recall stay what they were
 * @typedef {{go: string, show: {widget: string, view: View | null}[], at: At | null}} Due
 */

export class Room {
  /**
   * @param {object} options
   * @param {string} options.as follow, stage, preview, desk or replay
   * @param {string} options.chapter of this page
   * @param {Choice | null} [options.choice] what was chosen in the page before
   * @param {(key: string) => boolean} [options.busy] whether a drive of the subject is under way
   */
  constructor({ as, chapter, choice = null, busy = () => false }) {
    Object.assign(this, { as, chapter, busy });
    /** @type {Choice | null} */
    this.choice = choice;
    this.you = { page: '', as, presenter: '' };
    /** @type {State | null} */
    this.state = null;
    /** @type {Map<string, Shown>} by chapter and widget */
    this.widgets = new Map();
    this.pointer = null;
    this.poll = null;
    this.class = null;
    /** Epoch and number of what is known, by subject. @type {Map<string, {epoch: number, seq: number}>} */
    this.known = new Map();
    this.greeted = false;
    /** Numbers that this page's own drives got, by subject. @type {Map<string, {epoch: number, seq: number}>} */
    this.acknowledged = new Map();
    /** What each widget was told to show. @type {Map<string, Shown>} */
    this.have = new Map();
    /** Widgets that stand elsewhere than the room knows. */
    this.touched = new Set();
    /** What was scrolled to, or published, last, as text. */
    this.front = '';
  }

  // --- What came.

  /** A connection was opened: what it says first is the truth. */
  hello() {
    this.greeted = true;
  }

  /**
   * Takes news.
   * @param {News} news
   * @returns {string[]} the subjects that are others now, "widget" for any
   */
  take(news) {
    if (!news || typeof news.kind !== 'string') return [];
    if (news.kind === 'all') return this.takeAll(news);
    const { kind } = news;
    if (!['state', 'widget', 'pointer', 'poll', 'class'].includes(kind)) return [];
    const key = kind === 'widget' ? subject(news.widget) : kind;
    if (!key || !this.newer(key, news)) return [];
    this.known.set(key, { epoch: news.epoch, seq: news.seq });
    if (kind === 'widget') this.widgets.set(key, news.widget);
    else this[kind] = news[kind] ?? null;
    return [kind];
  }

  takeAll(news) {
    if (!this.greeted && !this.newer('all', news)) return [];
    this.greeted = false;
    // A connection has a new name, and a server that was started anew may give an old one again.
    const earlier = this.you.page;
    this.you = { ...this.you, ...news.you };
    this.known.clear();
    this.widgets.clear();
    const now = { epoch: news.epoch, seq: news.seq };
    for (const key of ['all', 'state', 'pointer', 'poll', 'class']) this.known.set(key, now);
    for (const widget of news.widgets ?? []) {
      const key = subject(widget);
      if (!key) continue;
      this.known.set(key, now);
      this.widgets.set(key, widget);
      if (earlier && widget.from === earlier && widget.chapter === this.chapter) this.have.set(widget.widget, widget);
    }
    this.state = news.state ?? null;
    this.pointer = news.pointer ?? null;
    this.poll = news.poll ?? null;
    this.class = news.class ?? null;
    return ['all', 'state', 'widget', 'pointer', 'poll', 'class'];
  }

  newer(key, { epoch, seq }) {
    const known = this.known.get(key) ?? this.known.get('all');
    return !known || !before({ epoch, seq }, known);
  }

  // --- What it means.

  get mode() {
    return this.state?.mode ?? 'follow';
  }

  get ended() {
    return Boolean(this.state?.ended);
  }

  /** Whether this page's presenter has the wheel. */
  get mine() {
    return this.you.presenter !== '' && this.state?.driver === this.you.presenter && !this.ended;
  }

  /** Whether a follower is on their own. */
  get free() {
    if (this.as !== 'follow') return false;
    if (this.mode === 'locked') return false;
    const { choice, state } = this;
    if (choice && choice.mode === this.mode && choice.recall === (state?.recall ?? 0)) return choice.free;
    return this.mode === 'free';
  }

  /** Whether what comes is shown. */
  get follows() {
    return this.as !== 'desk' && !this.free && !this.ended;
  }

  /** Where the lesson is, in the words that a page can name. */
  get lesson() {
    const { chapter = '', at } = this.state ?? {};
    const widget = at?.widget ?? '';
    const step = widget ? this.viewOf(widget, chapter)?.place?.step : undefined;
    return { chapter, widget, step, block: at?.block };
  }

  /** @returns {View | null} */
  viewOf(widget, chapter = this.chapter) {
    return this.widgets.get(subject({ chapter, widget }))?.view ?? null;
  }

  // --- What a person did.

  /**
   * A person changed a widget.
   * @param {string} widget
   * @returns {'publish' | 'take' | 'back' | 'free' | ''} publish it; take the free wheel and publish it; set it back; say
   *   that the page is on its own now; nothing
   */
  changed(widget) {
    if (this.ended || !this.state) return '';
    this.touched.add(widget);
    if (this.as === 'stage') {
      if (this.mine) return 'publish';
      return this.state.driver === '' ? 'take' : 'back';
    }
    if (this.as !== 'follow') return '';
    if (this.mode === 'locked') return 'back';
    if (this.free) return '';
    this.choose(true);
    return 'free';
  }

  /**
   * A person opens another chapter.
   * @returns {'' | 'back' | 'free'} nothing stands in the way; it is not opened; the page is on its own then
   */
  leaves() {
    if (this.as !== 'follow' || !this.state || this.ended || this.free) return '';
    if (this.mode === 'locked') return 'back';
    this.choose(true);
    return 'free';
  }

  /** Follows again, or for the first time where everybody is on their own. */
  back() {
    this.choose(false);
    this.front = '';
  }

  choose(free) {
    this.choice = { free, mode: this.mode, recall: this.state?.recall ?? 0 };
  }

  /** A drive of this page got its number. */
  settled(key, seq) {
    this.acknowledged.set(key, { epoch: this.known.get('all')?.epoch ?? 0, seq });
    const widget = this.widgetOf(key);
    if (widget) this.touched.delete(widget);
  }

  /** What is in front is what this page said. @param {At} at */
  placed(at) {
    this.front = JSON.stringify(at);
  }

  /** The subject of a drive of a widget of this page. */
  keyOf(widget) {
    return subject({ chapter: this.chapter, widget });
  }

  widgetOf(key) {
    const [chapter, widget = ''] = key.split(separator);
    return chapter === this.chapter ? widget : '';
  }

  // --- What is to be done.

  /**
   * What the page has to do to show what the room shows. It is due once.
   * @param {Iterable<string>} widgets of the page
   * @returns {Due} go: to this chapter, and nothing else matters
   */
  due(widgets) {
    /** @type {Due} */
    const due = { go: '', show: [], at: null };
    const { state } = this;
    if (!state || !this.follows) return due;
    if (state.chapter && state.chapter !== this.chapter) {
      if (!this.waits('chapter', 'state')) due.go = state.chapter;
      return due;
    }
    for (const widget of widgets) {
      const key = this.keyOf(widget);
      const shown = this.widgets.get(key);
      // What came back is this page's own: an acknowledgement has the number of all that
      // a drive changed, which is a later one.
      if (shown?.from === this.you.page ? this.busy(key) : this.waits(key, key)) continue;
      const touched = this.touched.has(widget);
      // A presenter's page that was refused something is not set back under their hands.
      if (touched && this.mine) continue;
      const have = this.have.get(widget);
      // What is not known any more, as where a replay goes back, is as the chapter has it.
      const other = shown ? shown !== have && shown.from !== this.you.page : have !== undefined;
      if (shown) this.have.set(widget, shown);
      else this.have.delete(widget);
      if (!touched && !other) continue;
      this.touched.delete(widget);
      due.show.push({ widget, view: shown?.view ?? null });
    }
    const front = JSON.stringify(state.at ?? {});
    if (front !== this.front && !this.waits('at', 'state')) {
      this.front = front;
      due.at = state.at ?? null;
    }
    return due;
  }

  /** Whether what is known of a subject is older than what this page did about it. */
  waits(key, known) {
    if (this.busy(key)) return true;
    const own = this.acknowledged.get(key);
    const have = this.known.get(known);
    return Boolean(own && have && before(have, own));
  }
}

/** Neither slugs nor names of widgets have it. */
const separator = ' ';

function subject(of) {
  return of && typeof of.chapter === 'string' && typeof of.widget === 'string' ? of.chapter + separator + of.widget : '';
}

function before(a, b) {
  return a.epoch < b.epoch || (a.epoch === b.epoch && a.seq < b.seq);
}
