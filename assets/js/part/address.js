/**
 * Keeps the browser's address and history in step with the widgets. The address
 * names the widget that moved last; the history's state holds the place of each,
 * so that Back restores what the page showed, not one widget of it.
 * @module
 */
import { formatLink, parseLink } from '../model/deeplink.js';
import { tellChange } from './change.js';

/**
 * @typedef {import('../model/deeplink.js').Place} Place
 * @typedef {{id: string, place: () => Place, restore: (place: Place) => void, fragment?: string} & EventTarget} Placed fragment: where it is another one than its name
 */

/** Milliseconds between two writings of a place that is on the move. */
const pause = 250;

export class Address {
  constructor() {
    /** @type {Map<string, Placed>} */
    this.widgets = new Map();
    /** What the address asked for when the page was opened. */
    this.link = parseLink(location.search);
    /** What is to be written when the moves in a row are over. @type {{state: object, url: string} | null} */
    this.pending = null;
    addEventListener('popstate', (event) => this.onPop(event.state));
    addEventListener('pagehide', () => this.settle());
    document.addEventListener('click', (event) => this.onClick(event));
  }

  /**
   * Takes a widget in, and leads it to where it stood or the address says.
   * @param {Placed} widget
   * @returns {boolean} whether there is such a place
   */
  add(widget) {
    this.widgets.set(widget.id, widget);
    const place = history.state?.places?.[widget.id] ?? (this.link.widget === widget.id ? this.link : null);
    if (place) widget.restore(place);
    return Boolean(place);
  }

  /** @param {string} id */
  remove(id) {
    this.widgets.delete(id);
  }

  /** The address of a widget's present place. */
  href(widget) {
    const link = location.pathname + formatLink(widget.id, widget.place(), location.search);
    return widget.fragment ? link.replace(/#.*$/, widget.fragment) : link;
  }

  /**
   * Writes a widget's place into the address.
   * @param {Placed} widget
   * @param {boolean} push whether Back should return to the place before
   */
  write(widget, push) {
    this.settle();
    this.put({ state: this.state(), url: this.href(widget) }, push);
  }

  /**
   * Writes the place of a widget that is on the move, by a key that is held or a
   * slider: some times a second, since each writing takes as long as drawing a step.
   * @param {Placed} widget
   */
  follow(widget) {
    if (!this.pending) this.timer = setTimeout(() => this.settle(), pause);
    this.pending = { state: this.state(), url: this.href(widget) };
  }

  /** Writes what is still to be written. */
  settle() {
    clearTimeout(this.timer);
    const { pending } = this;
    this.pending = null;
    if (pending) this.put(pending, false);
  }

  put({ state, url }, push) {
    try {
      if (push) history.pushState(state, '', url);
      else history.replaceState(state, '', url);
    } catch {
      // Browsers refuse too many changes in a short time; the next one tells all.
    }
  }

  /** Remembers where every widget stands now, without another address. */
  keep() {
    this.settle();
    history.replaceState(this.state(), '');
  }

  state() {
    const places = {};
    for (const [id, widget] of this.widgets) places[id] = widget.place();
    return { places };
  }

  onPop(state) {
    // It was of the entry that was left.
    this.pending = null;
    if (state?.places) {
      for (const [id, place] of Object.entries(state.places)) this.lead(id, place);
      return;
    }
    this.restoreLink(parseLink(location.search));
  }

  /** A link to a step of this page moves the widget; the page stays. */
  onClick(event) {
    if (event.defaultPrevented || event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    const anchor = event.target.closest?.('a[href]');
    if (!anchor || anchor.target || anchor.origin !== location.origin || anchor.pathname !== location.pathname) return;
    const link = parseLink(anchor.search);
    if (!link.widget || !this.widgets.has(link.widget)) return;
    event.preventDefault();
    this.settle();
    this.restoreLink(link);
    history.pushState(this.state(), '', anchor.href);
    this.reveal(link.widget);
  }

  restoreLink(link) {
    if (link.widget) this.lead(link.widget, link);
  }

  /** Leads a widget to where the reader wants it. */
  lead(id, place) {
    const widget = this.widgets.get(id);
    if (!widget) return;
    widget.restore(place);
    tellChange(widget, false);
  }

  /**
   * Brings a widget into view and puts the focus on its step, or where its place is.
   * @param {string} id
   * @param {ScrollBehavior} [behavior]
   */
  reveal(id, behavior = 'auto') {
    const widget = document.getElementById(id);
    widget?.scrollIntoView({ block: 'start', behavior });
    const place = /** @type {any} */ (widget);
    if (place?.focusPlace) place.focusPlace();
    else place?.focusStep?.();
  }
}
