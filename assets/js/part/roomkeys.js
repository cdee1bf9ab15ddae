/**
 * Single keys that act anywhere on a room's page, but in what takes text and where a
 * widget has the key itself. A reader can turn them off: who speaks to the computer
 * presses keys without meaning to.
 * @module
 */
import { el, freshId } from './dom.js';
import { session } from './roomstore.js';

/** What needs the key itself. */
const taken = 'input:not([type="checkbox"], [type="radio"], [type="range"]), textarea, select, dialog, [popover], [contenteditable], .own-keys';

/**
 * @param {{key: string, what: string, act: () => void}[]} keys
 * @param {string[][]} [more] other keys, to be named in the help
 * @returns {{button: HTMLElement, help: HTMLElement}}
 */
export function roomKeys(keys, more = []) {
  let on = session.read('keys') !== false;
  document.addEventListener('keydown', (event) => {
    if (!on || event.defaultPrevented || event.repeat || event.ctrlKey || event.metaKey || event.altKey) return;
    if (/** @type {Element} */ (event.target).closest?.(taken)) return;
    const found = keys.find(({ key }) => key === event.key);
    if (!found) return;
    event.preventDefault();
    found.act();
  });
  const id = freshId('help');
  const box = el('input', { type: 'checkbox', checked: on, change: () => { on = box.checked; session.write('keys', on); } });
  const help = el('div', { id, class: 'help', popover: 'auto', role: 'dialog', 'aria-label': 'Keys of the lesson' },
    el('p', { class: 'help-title' }, 'Keys of the lesson'),
    el('dl', {}, ...[...keys.map(({ key, what }) => [key, what]), ...more].flatMap(([key, what]) => [el('dt', {}, el('kbd', {}, key)), el('dd', {}, what)])),
    el('p', { class: 'help-choice' }, el('label', {}, box, ' These keys act anywhere on the page')));
  const button = el('button', { type: 'button', class: 'room-help', 'aria-label': 'Help on the lesson’s keys', title: 'Help on the lesson’s keys', popovertarget: id }, '?');
  return { button, help };
}
