/**
 * Shows the state of the connection in the page's header, and reloads the page
 * when its author has saved the chapter.
 * @module
 */
import { el, fill, set } from './dom.js';
import { chapter, live, storage } from './page.js';

const scrollKey = 'wb:scroll';

/** Adds the state to the header and keeps it true. */
export function addConnectionState(header) {
  const place = el('p', { class: 'live-state', role: 'status' });
  header.append(place);
  const retry = el('button', { type: 'button', class: 'small', click: () => live.connect() }, 'Try now');
  const show = () => {
    const { name } = live.state;
    set(place, 'data-state', name);
    if (name === 'open') fill(place, 'Connected');
    else if (name === 'connecting') fill(place, 'Connecting …');
    else fill(place, 'Not connected: stepping works, running does not. ', retry);
  };
  live.addEventListener('state', show);
  live.addEventListener('version', () => fill(place, 'This page is of another version of the workbench. ', reloadButton()));
  live.addEventListener('hello', () => {
    const built = document.querySelector('meta[name="wb-build"]')?.getAttribute('content');
    if (built && live.build && built !== live.build) fill(place, 'The workbench was built anew. ', reloadButton());
  });
  show();
}

function reloadButton() {
  return el('button', { type: 'button', class: 'small', click: () => location.reload() }, 'Reload');
}

/** Reloads on the author's save, where the reader stood. */
export function followAuthor() {
  live.addEventListener('reload', ({ detail }) => {
    if (detail.chapter && detail.chapter !== chapter) return;
    try {
      sessionStorage.setItem(scrollKey, JSON.stringify({ chapter, top: scrollY }));
    } catch {
      // Then the browser's own memory of the scroll has to do.
    }
    location.reload();
  });
}

/** @returns {boolean} whether the page was reloaded for its author, and scrolled back */
export function restoreScroll() {
  if (!storage) return false;
  const saved = sessionStorage.getItem(scrollKey);
  if (!saved) return false;
  sessionStorage.removeItem(scrollKey);
  const { chapter: of, top } = JSON.parse(saved);
  if (of !== chapter) return false;
  scrollTo({ top, behavior: 'instant' });
  return true;
}
