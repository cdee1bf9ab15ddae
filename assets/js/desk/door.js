/**
 * How the class joins, as large as the screen: for the projector.
 * @module
 */
import { set } from '../part/dom.js';

function leave() {
  if (document.fullscreenElement) document.exitFullscreen();
}

export class Door {
  /** @param {HTMLDialogElement} dialog @param {Element} button */
  constructor(dialog, button) {
    this.dialog = dialog;
    button.addEventListener('click', () => this.toggle());
    const whole = dialog.querySelector('#door-whole');
    set(whole, 'hidden', !document.fullscreenEnabled);
    whole?.addEventListener('click', () => {
      if (document.fullscreenElement) leave();
      else document.documentElement.requestFullscreen().catch(() => set(whole, 'hidden', true)); // a browser that does not want to
    });
    dialog.addEventListener('close', leave);
    const choice = /** @type {HTMLSelectElement | null} */ (dialog.querySelector('#way'));
    choice?.addEventListener('change', () => {
      for (const way of dialog.querySelectorAll('.desk-way')) set(way, 'hidden', way.getAttribute('data-address') !== choice.value);
    });
  }

  toggle() {
    if (this.dialog.open) this.dialog.close();
    else this.dialog.showModal();
  }
}
