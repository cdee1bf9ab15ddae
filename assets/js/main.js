/**
 * The entry of every page: the header's tools, the formulas, the live examples
 * and their connection.
 * @module
 */
import { addConnectionState, followAuthor, restoreScroll } from './part/connection.js';
import { upgrade } from './part/math.js';
import { drawMeasured } from './part/measured.js';
import { drawn, opened, rest, reveal, wanted } from './part/opening.js';
import { address, live } from './part/page.js';
import { fadeEdges } from './part/scroller.js';
import { addThemeControls } from './part/theme.js';

/** Which module makes an element live. The server reads this list, and has a page load at once what it needs. */
const examples = {
  'wb-boundary': () => import('./widget/boundary.js'),
  'wb-comparison': () => import('./widget/comparison.js'),
  'wb-contracts': () => import('./widget/contracts.js'),
  'wb-decoder': () => import('./widget/decoder.js'),
  'wb-kernel': () => import('./widget/kernel.js'),
  'wb-ladder': () => import('./widget/ladder.js'),
  'wb-product': () => import('./widget/product.js'),
  'wb-reduction': () => import('./widget/reduction.js'),
  'wb-tiles': () => import('./widget/tiles.js'),
  'wb-view': () => import('./widget/view.js'),
};

const header = document.querySelector('.site-header') ?? document.body;
addThemeControls(header);
const present = Object.entries(examples).filter(([name]) => document.querySelector(name));
const loaded = Promise.all(present.map(([, load]) => load())).catch((error) => {
  // The server's tables stay: they need no script.
  console.error('an example could not be loaded', error);
});
const widgets = present.length > 0;
const author = document.querySelector('meta[name="wb-author"]');
const exercises = document.querySelector('meta[name="wb-exercises"]');
const inRoom = document.querySelector('meta[name="wb-room"]');
if (exercises) {
  import('./part/exercises.js').then(({ followExercises }) => followExercises()).catch((error) => {
    // A reload shows what is new.
    console.error('the exercises cannot be followed', error);
  });
}
if (widgets || author || exercises || inRoom) {
  addConnectionState(header, inRoom ? 'what you see is the last that came' : widgets ? 'stepping works, running does not' : 'what is new does not show', { quiet: Boolean(inRoom) });
}
if (widgets || author) followAuthor();
// Before the examples are made, so that they can ask at once. In a room, when there is who hears what comes first.
if ((widgets || author || exercises) && !inRoom) live.connect();

const [visit] = /** @type {PerformanceNavigationTiming[]} */ (performance.getEntriesByType('navigation'));
/** A page that is loaded again stays where it was scrolled to. */
const leads = wanted && visit?.type !== 'reload';
let acted = false;
for (const act of ['pointerdown', 'keydown', 'wheel', 'touchstart']) addEventListener(act, () => { acted = true; }, { once: true, capture: true, passive: true });
let placed = /** @type {Element | null} */ (document.body);
if (leads) {
  drawn.then(() => {
    if (acted) return;
    reveal();
    placed = document.activeElement;
    // The browser, which goes to the address's fragment when it has read the page, takes it away.
    placed?.addEventListener('blur', () => {
      if (document.readyState !== 'complete' && !away()) /** @type {HTMLElement} */ (placed).focus({ preventScroll: true });
    }, { once: true });
  });
}
/** Whether the reader, or what helps them, has done something since: then the page is left as it is. */
const away = () => acted || ![placed, document.body, null].includes(document.activeElement);

const formulas = opened.then(() => upgrade(document));
opened.then(() => {
  drawMeasured(document);
  for (const box of document.querySelectorAll('.table-scroll, .matrix-scroll')) {
    if (!box.closest('.widget-live')) fadeEdges(/** @type {HTMLElement} */ (box));
  }
});
const liveExamples = loaded.then(rest);
if (inRoom) {
  import('./part/room.js').then(({ beginRoom }) => beginRoom(liveExamples, formulas)).catch((error) => {
    console.error('the room cannot be followed', error);
  });
}
if (widgets) {
  // A place that is kept before its example is there would be lost.
  liveExamples.then(() => address.keep());
}
if (widgets || author) {
  // Formulas and examples change the height of the text above.
  Promise.all([formulas, liveExamples]).then(() => afterLoad(() => {
    if (!restoreScroll() && leads && !away()) address.reveal(wanted, 'instant');
  }));
}

/**
 * Acts when the browser has loaded the page and gone to the address's fragment,
 * which takes the focus from whatever had it.
 */
function afterLoad(act) {
  const later = () => requestAnimationFrame(() => setTimeout(act));
  if (document.readyState === 'complete') later();
  else addEventListener('load', later, { once: true });
}
