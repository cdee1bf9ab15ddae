/**
 * The desk's keys, their help, and the switch that turns single letters off: who
 * dictates to a computer would press them without knowing.
 * @module
 */
import { deskCommand, legend } from '../model/deskkeys.js';
import { el, freshId } from '../part/dom.js';

const key = 'wb:desk:letters';

export class Keys {
  /**
   * @param {Record<import('../model/deskkeys.js').Command, () => void>} acts without help
   * @param {Storage | null} storage
   * @param {Element} header
   */
  constructor(acts, storage, header) {
    this.acts = acts;
    this.storage = storage;
    this.letters = this.kept();
    const toggle = el('input', { type: 'checkbox', checked: this.letters, change: () => this.set(toggle.checked) });
    const id = freshId('help');
    this.help = el('div', { id, class: 'help', popover: 'auto', role: 'dialog', 'aria-label': 'Keys' },
      el('p', { class: 'help-title' }, 'Keys of this desk'),
      el('dl', {}, ...legend.flatMap(([keys, what]) => [el('dt', {}, el('kbd', {}, keys)), el('dd', {}, what)])),
      el('p', { class: 'desk-hint' }, 'They do nothing while you type. A presenter’s remote sends Page up and Page down.'),
      el('label', {}, toggle, ' Letters and ? are keys too'));
    header.querySelector('.page-tools')?.prepend(el('button', { type: 'button', class: 'tool', 'aria-label': 'Help on keys', title: 'Help on keys', popovertarget: id }, '?'));
    document.body.append(this.help);
    addEventListener('keydown', (event) => this.press(event));
  }

  kept() {
    try {
      return this.storage?.getItem(key) !== 'off';
    } catch {
      return true;
    }
  }

  set(on) {
    this.letters = on;
    try {
      if (on) this.storage?.removeItem(key);
      else this.storage?.setItem(key, 'off');
    } catch {
      // Then it is so as long as the page is open.
    }
  }

  /** @param {KeyboardEvent} event */
  press(event) {
    if (event.defaultPrevented || event.isComposing) return;
    const target = /** @type {Element} */ (event.target);
    if (target.closest?.('input, textarea, select, dialog, [popover], [contenteditable]')) return;
    if (document.querySelector('dialog[open]')) return;
    const command = deskCommand(event, this.letters);
    if (!command) return;
    event.preventDefault();
    if (command === 'help') this.help.togglePopover?.();
    else this.acts[command]();
  }
}
