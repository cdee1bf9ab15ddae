/**
 * How a class joins, as large as the screen: for the projector. It is on a stage, and on
 * the desk for who has no stage before the class. A desk shows it on the stage that its
 * browser has in sight; the two find one another by a channel of the browser.
 * @module
 */
import { set } from './dom.js';

/** Where the class joins, as the page has it, or "". */
export function joinAddress() {
  return document.querySelector('#door .door-way:not([hidden])')?.getAttribute('data-address') ?? '';
}

function leave() {
  if (document.fullscreenElement) document.exitFullscreen();
}

export class Door {
  /** @param {HTMLDialogElement} dialog @param {() => void} [onChange] it is shown, or not any more */
  constructor(dialog, onChange = () => {}) {
    this.dialog = dialog;
    this.onChange = onChange;
    const whole = dialog.querySelector('#door-whole');
    set(whole, 'hidden', !document.fullscreenEnabled);
    whole?.addEventListener('click', () => {
      if (document.fullscreenElement) leave();
      else document.documentElement.requestFullscreen().catch(() => set(whole, 'hidden', true)); // a browser that does not want to
    });
    dialog.addEventListener('close', () => {
      leave();
      onChange();
    });
    const choice = /** @type {HTMLSelectElement | null} */ (dialog.querySelector('#way'));
    choice?.addEventListener('change', () => {
      for (const way of dialog.querySelectorAll('.door-way')) set(way, 'hidden', way.getAttribute('data-address') !== choice.value);
    });
  }

  get open() {
    return this.dialog.open;
  }

  toggle(open = !this.open) {
    if (open === this.open) return;
    if (open) {
      this.dialog.showModal();
      this.onChange();
    } else this.dialog.close();
  }
}

/** By which the windows of one browser hear of it. @param {string} code */
export const channelOf = (code) => new BroadcastChannel(`wb-door-${code}`);
