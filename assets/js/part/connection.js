/**
 * Shows the state of the connection in the page's header, and reloads the page
 * when its author has saved the chapter.
 * @module
 */
import { el, fill, set } from './dom.js';
import { chapter, live } from './page.js';

const placeKey = 'wb:place';

/** Frames in which a page that was scrolled comes to rest. */
const settling = 4;

/**
 * Adds the state to the header and keeps it true.
 * @param {Element} header
 * @param {string} without what a page can do without a connection, and what it cannot
 * @param {{quiet?: boolean}} [options] quiet: another part of the page says it to who cannot see it
 */
export function addConnectionState(header, without, { quiet = false } = {}) {
  const place = el('p', { class: 'live-state', role: quiet ? null : 'status' });
  header.append(place);
  const retry = el('button', { type: 'button', class: 'small', click: () => live.connect() }, 'Try now');
  const show = () => {
    const { name } = live.state;
    set(place, 'data-state', name);
    if (name === 'open') fill(place, 'Connected');
    else if (name === 'connecting') fill(place, 'Connecting …');
    else fill(place, `Not connected: ${without}. `, retry);
  };
  live.addEventListener('state', show);
  // These are said by nobody else.
  const tell = (sentence) => {
    set(place, 'role', 'status');
    fill(place, sentence, reloadButton());
  };
  live.addEventListener('version', () => tell('This page is of another version of the workbench. '));
  live.addEventListener('hello', () => {
    const built = document.querySelector('meta[name="wb-build"]')?.getAttribute('content');
    if (built && live.build && built !== live.build) tell('The workbench was built anew. ');
  });
  show();
}

function reloadButton() {
  return el('button', { type: 'button', class: 'small', click: () => location.reload() }, 'Reload');
}

/**
 * Reloads on the author's save, where the reader stood. What was saved while the
 * connection was down has been told to nobody, so an author's page reloads when
 * it is back, too.
 */
export function followAuthor() {
  live.addEventListener('reload', (/** @type {any} */ { detail }) => {
    if (!chapter || !detail.chapter || detail.chapter === chapter) reloadHere(); // the contents show every chapter
  });
  if (!document.querySelector('meta[name="wb-author"]')) return;
  let greeted = false;
  live.addEventListener('hello', () => {
    if (greeted) reloadHere();
    greeted = true;
  });
}

function reloadHere() {
  // A place in the text outlives what widgets and formulas do to its height.
  const index = blocks().findIndex((block) => block.getBoundingClientRect().bottom > 0);
  const offset = blocks()[index]?.getBoundingClientRect().top ?? 0;
  try {
    sessionStorage.setItem(placeKey, JSON.stringify({ chapter, index, offset }));
  } catch {
    // Then the browser's own memory of the scroll has to do.
  }
  location.reload();
}

/**
 * Goes back to where the reader stood when the author's save reloaded the page.
 * @returns {boolean} whether there was such a place
 */
export function restoreScroll() {
  let saved = null;
  try {
    saved = JSON.parse(sessionStorage.getItem(placeKey) ?? 'null');
    sessionStorage.removeItem(placeKey);
  } catch {
    return false;
  }
  const block = saved?.chapter === chapter ? blocks()[saved.index] : undefined;
  if (!block) return false;
  // What was far until now is laid out when it comes near, and is higher or lower
  // than it was taken to be.
  const go = (tries) => {
    const off = block.getBoundingClientRect().top - saved.offset;
    if (Math.abs(off) > 1) scrollTo({ top: scrollY + off, behavior: 'instant' });
    if (tries > 1) requestAnimationFrame(() => go(tries - 1));
  };
  go(settling);
  return true;
}

/** What the text is made of, top to bottom. */
function blocks() {
  return [...document.querySelectorAll('.prose > *')];
}
