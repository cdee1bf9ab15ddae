/**
 * The entry of a presenter's desk.
 * @module
 */
import { Door } from './desk/door.js';
import { Time } from './desk/timer.js';
import { addThemeControls } from './part/theme.js';

const meta = /** @type {HTMLMetaElement} */ (document.querySelector('meta[name="wb-room"]'));
const place = (id) => /** @type {HTMLElement} */ (document.getElementById(id));

/** The desk keeps a timer and no reader's work: what other pages of a room must not touch. */
const storage = (() => {
  try {
    return globalThis.localStorage ?? null;
  } catch {
    return null;
  }
})();

addThemeControls(/** @type {HTMLElement} */ (document.querySelector('.desk-bar')));
new Door(/** @type {HTMLDialogElement} */ (place('door')), place('show-door'));
const { opened = '', now = '' } = place('time').dataset;
new Time({
  place: place('time'), key: `wb:desk:${meta.content}:timer`, storage,
  // By this computer's clock, which may be another than the workbench's.
  opened: Date.now() - (Date.parse(now) - Date.parse(opened)),
});
