/**
 * How the class joins, shown to it from the desk: on the stage that this browser has in
 * sight, or without one on the desk itself.
 * @module
 */
import { announce } from '../part/announce.js';
import { Door, channelOf } from '../part/door.js';

export class DeskDoor {
  /**
   * @param {string} code
   * @param {HTMLDialogElement} dialog
   * @param {Element} button
   */
  constructor(code, dialog, button) {
    this.door = new Door(dialog);
    this.button = button;
    /** Stages in sight, and whether their doors are open. @type {Map<string, boolean>} */
    this.stages = new Map();
    this.channel = channelOf(code);
    this.channel.addEventListener('message', ({ data }) => this.hear(data));
    this.channel.postMessage({ ask: true });
    button.addEventListener('click', () => this.toggle());
  }

  /** Whether a stage shows it. */
  get shown() {
    return [...this.stages.values()].includes(true);
  }

  hear(data) {
    if (typeof data?.stage !== 'string' || typeof data.seen !== 'boolean') return;
    const { shown } = this;
    if (data.seen) this.stages.set(data.stage, data.open === true);
    else this.stages.delete(data.stage);
    if (shown === this.shown) return;
    this.button.textContent = this.shown ? 'Show the lesson again' : 'Show to class';
    announce('door', this.shown ? 'The stage shows how to join.' : 'The stage shows the lesson.');
  }

  toggle() {
    if (this.stages.size === 0 || this.door.open) {
      this.door.toggle();
      return;
    }
    const show = !this.shown;
    for (const stage of this.stages.keys()) this.channel.postMessage({ stage, show });
  }
}
