/**
 * Which part of an example is looked at, by a name that an address can have: where
 * the reader's focus was last. A link with one opens that part and brings it into
 * sight.
 * @module
 */

/**
 * @typedef {object} Aspect
 * @property {() => Element | null} part
 * @property {() => void} [focus] where it is not the first thing in it that can have the focus
 */

const focusable = 'summary, button, input, select, textarea, [tabindex="0"]';

export class Aspects {
  /** @param {HTMLElement} root @param {Record<string, Aspect>} aspects @param {() => void} onChange */
  constructor(root, aspects, onChange) {
    this.aspects = aspects;
    /** "" for the example as a whole. */
    this.name = '';
    root.addEventListener('focusin', ({ target }) => {
      if (this.still) return;
      const name = Object.keys(aspects).find((one) => aspects[one].part()?.contains(/** @type {Node} */ (target))) ?? '';
      if (name === this.name) return;
      this.name = name;
      onChange();
    });
  }

  /** @param {string | undefined} name what an address says */
  restore(name) {
    this.name = name && Object.hasOwn(this.aspects, name) ? name : '';
  }

  /** Gives the focus to something else for the time being. @param {() => void} act */
  meanwhile(act) {
    this.still = true;
    act();
    this.still = false;
  }

  /** Shows the part and gives it the focus. @returns {boolean} whether there is one */
  reveal() {
    const aspect = this.aspects[this.name];
    const part = aspect?.part();
    if (!aspect || !part?.checkVisibility()) return false;
    if (part instanceof HTMLDetailsElement) part.open = true;
    part.scrollIntoView({ block: 'start', behavior: 'instant' });
    if (aspect.focus) aspect.focus();
    else if (part.matches(focusable)) /** @type {HTMLElement} */ (part).focus({ preventScroll: true });
    else /** @type {HTMLElement | undefined} */ ([...part.querySelectorAll(focusable)].find((one) => one.checkVisibility()))?.focus({ preventScroll: true });
    return true;
  }
}
