/**
 * What a page does first. Who follows a link wants to see the place that it leads to:
 * the example of the link lives at once, and all else waits until that place is drawn
 * – the other examples, the editors, the charts, the formulas – and then comes piece
 * by piece, so that the page answers between. The page's connection, which a kernel's
 * place asks over, was begun before its script came: theme-early.js.
 * @module
 */
import { address } from './page.js';

/** How long a place may take that does not come, as without a connection, in milliseconds. */
const patience = 2000;

/** How long a piece waits at most for the browser to have nothing else to do. */
const longestWait = 100;

/** The example that the address leads to, "" for none. */
export const wanted = document.getElementById(address.link.widget ?? '')?.localName.startsWith('wb-') ? address.link.widget ?? '' : '';

const place = resolvers();

/** Keeps when the place of the address is drawn; at once where it leads to no example. */
export const drawn = place.promise;

/** Keeps when it is on the screen, too. */
export const opened = drawn.then(() => wanted && frame());

if (wanted) setTimeout(place.resolve, patience);
else place.resolve();

/** Says that an example shows its place. @param {string} id */
export function shown(id) {
  if (id === wanted) place.resolve();
}

/**
 * Brings the place into view and puts the focus there. Examples just above it, which the
 * browser lays out for being near, come first: until then their heights are guesses, and
 * the place would move when they are known.
 */
export function reveal() {
  const examples = [...document.querySelectorAll('.widget, wb-ladder')];
  const tops = examples.map((one) => one.getBoundingClientRect().top);
  const at = examples.findIndex(({ id }) => id === wanted);
  for (let i = 0; i < at; i++) {
    if (tops[i + 1] > tops[at] - 2 * innerHeight) /** @type {HTMLElement} */ (examples[i]).dataset.near = '';
  }
  address.reveal(wanted, 'instant');
}

/** @type {(() => void)[]} */
const waiting = [];

/**
 * Makes an example live: at once the one that the address leads to, others in turn.
 * @param {Element} example
 * @param {() => void} act
 */
export function inTurn(example, act) {
  if (example.id === wanted) act();
  else waiting.push(() => example.isConnected && act());
}

/** Makes those live that wait, one at a time. @returns {Promise<void>} kept when all do */
export async function rest() {
  await opened;
  for (let act = waiting.shift(); act; act = waiting.shift()) {
    act();
    if (waiting.length > 0) await idle();
  }
  await idle();
  // Set before the page was first laid out, by theme-early.js.
  delete document.documentElement.dataset.opening;
}

/** After the next frame; in a page that nobody sees there is none. */
export function frame() {
  return Promise.race([
    new Promise((done) => { requestAnimationFrame(() => setTimeout(done)); }),
    new Promise((done) => { setTimeout(done, longestWait); }),
  ]);
}

function idle() {
  return new Promise((done) => {
    if (globalThis.requestIdleCallback) requestIdleCallback(done, { timeout: longestWait });
    else setTimeout(done);
  });
}

function resolvers() {
  let resolve = () => {};
  const promise = new Promise((done) => { resolve = done; });
  return { promise, resolve };
}
