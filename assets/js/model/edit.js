/**
 * A reader's edits of one widget: what was typed, what was typed before, and
 * what the chapter had. They outlive the page and are never dropped without
 * being asked for, not even when the chapter's own example changes.
 * @module
 */

/** @typedef {import('./field.js').Texts} Texts */

const version = 1;
const longestHistory = 100;

export class Edit {
  /**
   * @param {object} options
   * @param {string} options.key of the widget, unique on this server
   * @param {Texts} options.original the chapter's example
   * @param {Pick<Storage, 'getItem' | 'setItem' | 'removeItem'> | null} options.storage null keeps nothing
   */
  constructor({ key, original, storage }) {
    this.key = `wb:edit:${key}`;
    this.original = original;
    this.storage = storage;
    /** @type {Texts} */
    this.texts = { ...original };
    /** @type {Texts[]} earlier texts, oldest first */
    this.history = [];
    /** Whether the texts have been run as they are. */
    this.ran = false;
    /** Whether the chapter's example is another one than what was edited. */
    this.moved = false;
    this.load();
  }

  get edited() {
    return !same(this.texts, this.original);
  }

  get canUndo() {
    return this.history.length > 0;
  }

  /**
   * Takes a new text of a field. Texts typed without a pause are one change:
   * call mark where one begins.
   * @param {string} name
   * @param {string} text
   */
  set(name, text) {
    if (this.texts[name] === text) return;
    this.texts = { ...this.texts, [name]: text };
    this.ran = false;
    this.save();
  }

  /** Remembers the texts as they are, for undo. */
  mark() {
    const newest = this.history[this.history.length - 1];
    if (newest && same(newest, this.texts)) return;
    this.history.push(this.texts);
    if (this.history.length > longestHistory) this.history.shift();
  }

  /** Goes back to the newest remembered texts that differ from the present ones. */
  undo() {
    let earlier;
    do earlier = this.history.pop();
    while (earlier && same(earlier, this.texts));
    if (!earlier) return;
    this.texts = earlier;
    this.ran = false;
    this.save();
  }

  /** Goes back to the chapter's example; undo brings the edits back. */
  reset() {
    this.mark();
    this.texts = { ...this.original };
    this.ran = false;
    this.moved = false;
    this.save();
  }

  /** Says that the texts as they are have been run. */
  markRun() {
    this.ran = true;
    this.save();
  }

  /**
   * Shows texts that somebody else has, and stores nothing.
   * @param {Texts | null} texts null for the chapter's; names that the chapter does not have are left out
   * @returns {boolean} whether they are others
   */
  show(texts) {
    const shown = { ...this.original };
    for (const name of Object.keys(shown)) if (texts && Object.hasOwn(texts, name)) shown[name] = texts[name];
    if (same(shown, this.texts)) return false;
    this.texts = shown;
    this.ran = false;
    return true;
  }

  /** Whether the texts came from elsewhere. */
  get borrowed() {
    return Boolean(this.own);
  }

  /**
   * Takes texts that came from elsewhere. What the reader had is left as it is until
   * they are kept or given back, in the storage too.
   * @param {Texts} texts
   */
  borrow(texts) {
    const { history, ran, moved } = this;
    this.own ??= { texts: this.texts, history, ran, moved };
    this.texts = { ...this.texts, ...texts };
    Object.assign(this, { history: [], ran: false, moved: false });
  }

  /** Makes what was borrowed the reader's own. */
  keep() {
    this.own = null;
    this.save();
  }

  /** Goes back to what the reader had. */
  giveBack() {
    Object.assign(this, this.own);
    this.own = null;
  }

  load() {
    let saved;
    try {
      saved = JSON.parse(this.storage?.getItem(this.key) ?? 'null');
    } catch {
      return; // Storage that cannot be read holds nothing for us.
    }
    if (saved?.version !== version || saved.texts === null || typeof saved.texts !== 'object') return;
    for (const name of Object.keys(this.original)) {
      if (typeof saved.texts[name] === 'string') this.texts[name] = saved.texts[name];
    }
    this.ran = saved.ran === true;
    this.moved = this.edited && !same(saved.original ?? {}, this.original);
  }

  save() {
    if (this.own) return;
    try {
      if (this.edited) {
        const { texts, original, ran } = this;
        this.storage?.setItem(this.key, JSON.stringify({ version, texts, original, ran }));
      } else {
        this.storage?.removeItem(this.key);
      }
    } catch {
      // A full or forbidden storage loses edits when the page closes, not before.
    }
  }
}

/** @param {Texts} a @param {Texts} b */
function same(a, b) {
  const names = Object.keys(a);
  return names.length === Object.keys(b).length && names.every((name) => a[name] === b[name]);
}
