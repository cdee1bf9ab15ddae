/**
 * Keeps the browser's address and history in step with the widgets. The address
 * names the widget that moved last; the history's state holds the place of each,
 * so that Back restores what the page showed, not one widget of it.
 * @module
 */
import { formatLink, parseLink } from '../model/deeplink.js';

/**
 * @typedef {import('../model/deeplink.js').Place} Place
 * @typedef {{id: string, place: () => Place, restore: (place: Place) => void, fragment?: string}} Placed fragment: where it is another one than its name
 */

export class Address {
  constructor() {
    /** @type {Map<string, Placed>} */
    this.widgets = new Map();
    /** What the address asked for when the page was opened. */
    this.link = parseLink(location.search);
    addEventListener('popstate', (event) => this.onPop(event.state));
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
    const url = this.href(widget);
    try {
      if (push) {
        history.pushState(this.state(), '', url);
      } else {
        history.replaceState(this.state(), '', url);
      }
    } catch {
      // Browsers refuse too many changes in a short time; the next one tells all.
    }
  }

  /** Remembers where every widget stands now, without another address. */
  keep() {
    history.replaceState(this.state(), '');
  }

  state() {
    const places = {};
    for (const [id, widget] of this.widgets) places[id] = widget.place();
    return { places };
  }

  onPop(state) {
    if (state?.places) {
      for (const [id, place] of Object.entries(state.places)) this.widgets.get(id)?.restore(place);
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
    this.restoreLink(link);
    history.pushState(this.state(), '', anchor.href);
    this.reveal(link.widget);
  }

  restoreLink(link) {
    if (link.widget) this.widgets.get(link.widget)?.restore(link);
  }

  /**
   * Brings a widget into view and puts the focus on its step.
   * @param {string} id
   * @param {ScrollBehavior} [behavior]
   */
  reveal(id, behavior = 'auto') {
    const widget = document.getElementById(id);
    widget?.scrollIntoView({ block: 'start', behavior });
    /** @type {any} */ (widget)?.focusStep?.();
  }
}
