/**
 * How a class joins, on a stage that others reach: with a key, or from the desk.
 *
 * A stage tells the desks of its browser whether it is in sight and shows it:
 * {stage: name, seen, open}; {ask: true} has all tell; {stage, show} is done.
 * @module
 */
import { el } from './dom.js';
import { Door, channelOf } from './door.js';

export class StageDoor {
  /** @param {string} code */
  constructor(code) {
    const dialog = /** @type {HTMLDialogElement | null} */ (document.getElementById('door'));
    /** Null where nobody else can join. @type {HTMLElement | null} */
    this.button = null;
    if (!dialog) return;
    const id = Math.random().toString(36).slice(2);
    const channel = channelOf(code);
    const tell = (gone = false) => channel.postMessage({ stage: id, seen: !gone && document.visibilityState === 'visible', open: this.door.open });
    this.door = new Door(dialog, () => tell());
    this.button = el('button', { type: 'button', 'aria-haspopup': 'dialog', click: () => this.door.toggle() }, el('span', {}, 'QR code'));
    // The key that opened it closes it.
    dialog.addEventListener('keydown', ({ key, target }) => {
      if (key === 'q' && !(/** @type {Element} */ (target).matches('select'))) this.door.toggle(false);
    });
    channel.addEventListener('message', ({ data }) => {
      if (data?.ask) tell();
      else if (typeof data?.show === 'boolean' && data.stage === id) this.door.toggle(data.show);
    });
    document.addEventListener('visibilitychange', () => tell());
    addEventListener('pageshow', () => tell());
    addEventListener('pagehide', () => tell(true));
    tell();
  }

  /** The key for it, where there is one. */
  get keys() {
    return this.button ? [{ key: 'q', what: 'show the class how to join, and the lesson again', act: () => this.door.toggle() }] : [];
  }
}
