/**
 * A kernel that an address carries: taken from it, shown beside what the reader had,
 * which stays as it is until they decide, and copied into another address.
 * @module
 */
import { parseLink } from '../model/deeplink.js';
import { el, fill, say, set } from './dom.js';

export class Carried {
  /**
   * @param {object} options
   * @param {string} options.id of the example
   * @param {import('../model/edit.js').Edit} options.edit
   * @param {() => string} options.href the address of the example as it is
   * @param {() => void} options.onTaken other texts are shown now
   * @param {() => void} options.onSettled the reader has decided
   * @param {(error: Error) => void} options.onFault
   */
  constructor({ id, edit, href, onTaken, onSettled, onFault }) {
    Object.assign(this, { id, edit, href, onTaken, onSettled, onFault });
    this.element = el('div', { class: 'edit-moved carried', hidden: true },
      el('p', {}, 'This kernel came with the address. What you had here is kept as it was, and nothing is run before you say so.'),
      el('button', { type: 'button', class: 'small', click: () => this.settle(true) }, 'Keep it as my edit'), ' ',
      el('button', { type: 'button', class: 'small', click: () => this.settle(false) }, 'Back to mine'));
    this.button = el('button', { type: 'button', class: 'small', click: () => this.copy() }, 'Copy link');
    this.said = el('span', { class: 'copied', role: 'status' });
    /** The fragment that was taken. @type {string | undefined} */
    this.fragment = undefined;
  }

  update() {
    set(this.element, 'hidden', !this.edit.borrowed);
  }

  /** Takes the kernel that the address carries, if it is for this example. */
  async receive() {
    const { hash, search } = location;
    if (!hash.startsWith('#kernel=') || parseLink(search).widget !== this.id || hash === this.fragment) return;
    try {
      const { unpack } = await import('../model/permalink.js');
      const carried = await unpack(hash);
      this.fragment = hash;
      this.edit.borrow(carried);
      this.onTaken();
    } catch (error) {
      this.onFault(error);
    }
  }

  /** Ends the borrowing. @param {boolean} keep whether the kernel becomes the reader's edit */
  settle(keep) {
    if (keep) this.edit.keep();
    else this.edit.giveBack();
    this.fragment = undefined;
    this.onSettled();
  }

  async copy() {
    const { source, launch } = this.edit.texts;
    const { pack } = await import('../model/permalink.js');
    const hash = await pack({ source, launch });
    if (!hash) {
      say(this.said, 'It is too long for an address.');
      return;
    }
    const link = location.origin + this.href().replace(/#.*$/, hash);
    try {
      await navigator.clipboard.writeText(link);
      say(this.said, 'Copied: source and launch are in the address.');
    } catch {
      // Without a clipboard the address stands there to be copied.
      const field = el('input', { type: 'text', class: 'copied-link', readonly: true, value: link, 'aria-label': 'Address of this kernel' });
      fill(this.said, field);
      field.select();
    }
  }
}
