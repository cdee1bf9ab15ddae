/**
 * The entry of a presenter's desk: the panels, the keys and the connection.
 * @module
 */
import { Ahead } from './desk/ahead.js';
import { Gauge, Passes, Questions } from './desk/class.js';
import { Desk } from './desk/desk.js';
import { DeskDoor } from './desk/door.js';
import { Ending } from './desk/ending.js';
import { Keys } from './desk/keys.js';
import { Notes } from './desk/notes.js';
import { Poll } from './desk/poll.js';
import { Presenters } from './desk/presenters.js';
import { Says } from './desk/says.js';
import { Time } from './desk/timer.js';
import { Where } from './desk/where.js';
import { stayConnected } from './model/awake.js';
import { nextMode } from './model/deskkeys.js';
import { teller } from './part/announce.js';
import { addConnectionState } from './part/connection.js';
import { live } from './part/page.js';
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

// The stage's link leads back to this window.
window.name = `wb-desk-${meta.content}`;

const desk = new Desk({ live, about: { code: meta.content, base: meta.dataset.base ?? '' }, course: JSON.parse(place('course').textContent ?? '{"chapters":[]}') });
const header = /** @type {HTMLElement} */ (document.querySelector('.desk-bar'));
addThemeControls(header);

const door = new DeskDoor(desk.code, /** @type {HTMLDialogElement} */ (place('door')), place('show-door'));
const poll = new Poll(desk, place('poll'));
const { opened = '', now = '' } = place('time').dataset;
const time = new Time({
  place: place('time'), key: `wb:desk:${desk.code}:timer`, storage,
  // By this computer's clock, which may be another than the workbench's.
  opened: Date.now() - (Date.parse(now) - Date.parse(opened)),
});
const where = new Where(desk, place('where'));
const panels = [
  new Says(desk, place('notice')),
  new Gauge(desk, place('class')),
  where,
  new Ahead(desk, place('ahead')),
  new Notes(desk, place('notes'), (note) => poll.askNote(note)),
  poll,
  new Questions(desk, place('questions')),
  new Passes(desk, place('passes')),
  new Presenters(desk, place('presenters')),
  new Ending(desk, place('ending')),
];
const step = (way) => () => desk.step(way);
new Keys({
  next: step('next'), previous: step('previous'), first: step('first'), last: step('last'),
  mode: () => desk.setMode(nextMode(desk.mode)),
  wheel: () => desk.takeWheel(),
  poll: () => poll.focus(),
  cell: () => poll.askCell(),
  door: () => door.toggle(),
  timer: () => time.toggle(),
  help: () => {},
}, storage, header);

/** Draws once for all that came in one turn. */
let due = false;
function draw() {
  if (due) return;
  due = true;
  queueMicrotask(() => {
    due = false;
    for (const panel of panels) panel.update();
  });
}
const tellOf = teller(desk.room, (id) => desk.nameOf(id));
desk.addEventListener('news', () => {
  tellOf();
  draw();
});
desk.addEventListener('connection', draw);
// The chapters' notes are in this page.
live.addEventListener('reload', () => location.reload());
addConnectionState(header, 'the class sees what it saw', { quiet: true });
stayConnected(live);
live.connect();
draw();
