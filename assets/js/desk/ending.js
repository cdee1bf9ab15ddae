/**
 * The end of a lesson, which is asked for first, and the file of it.
 * @module
 */
import { el, fill, set } from '../part/dom.js';

export class Ending {
  /**
   * @param {import('./desk.js').Desk} desk
   * @param {Element} place
   */
  constructor(desk, place) {
    this.desk = desk;
    this.share = el('input', { type: 'checkbox', checked: true });
    this.dialog = el('dialog', { class: 'ask desk-ask', 'aria-labelledby': 'ending-ask' },
      el('h2', { id: 'ending-ask' }, 'End this lesson?'),
      el('p', {}, 'Everybody keeps what they see and is on their own from there. It cannot be undone.'),
      el('label', {}, this.share, ' Let the class download the lesson'),
      el('form', { method: 'dialog', class: 'desk-row' },
        el('button', { value: 'on', autofocus: true }, 'Go on teaching'),
        el('button', { value: 'end', class: 'desk-end' }, 'End the lesson')));
    this.dialog.addEventListener('close', () => {
      if (this.dialog.returnValue === 'end') desk.tryTo({ do: 'end', share: this.share.checked });
    });
    this.button = el('button', { type: 'button', class: 'desk-end', click: () => this.ask() }, 'End the lesson …');
    this.sofar = el('p', { class: 'desk-hint' }, el('a', { href: `/rooms/${desk.code}/lesson`, download: true }, 'The lesson so far'), ' as one file.');
    this.after = el('div', { hidden: true, tabindex: '-1' });
    place.append(this.button, this.sofar, this.after, this.dialog);
  }

  ask() {
    this.dialog.returnValue = 'on';
    this.dialog.showModal();
  }

  update() {
    const { desk } = this;
    const { ended } = desk;
    set(this.button, 'hidden', ended);
    set(this.sofar, 'hidden', ended);
    set(this.after, 'hidden', !ended);
    if (!ended || this.drawn === desk.room.state.lesson) return;
    this.drawn = desk.room.state.lesson;
    fill(this.after,
      el('p', {}, el('a', { class: 'desk-button', href: this.drawn || `/rooms/${desk.code}/lesson`, download: true }, 'Download the lesson')),
      el('p', { class: 'desk-hint' }, 'It is one file, with no names in it. To see it again: ', el('code', {}, './course replay'), ' and the file, or choose it on the page ', el('a', { href: '/replays' }, 'of replays'), ' of any workbench.'),
      el('p', { class: 'desk-hint' }, this.drawn ? 'The class can download it from its own pages too.' : 'The class cannot download it.'));
    if (document.activeElement === document.body) this.after.focus();
  }
}
