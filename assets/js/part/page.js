/**
 * What all widgets of a page share: its chapter, the connection, the address, and what
 * the page is in a lesson.
 * @module
 */
import { Live } from '../model/live.js';
import { chapterOf, readRoom, watches } from '../model/seat.js';
import { Address } from './address.js';

const meta = /** @type {HTMLMetaElement | null} */ (document.querySelector('meta[name="wb-room"]'));

/** The lesson that the page is of, or null. */
export const room = readRoom(meta && { content: meta.content, ...meta.dataset });

/** Whether the page only shows what somebody else runs. */
export const watching = watches(room);

/** The chapter's slug, "" on a page that is no chapter. */
export const chapter = chapterOf(location.pathname, room);

const scheme = location.protocol === 'https:' ? 'wss:' : 'ws:';

export const live = new Live({
  url: `${scheme}//${location.host}${room?.live ?? '/live'}`,
  // A class is back soon after its server is; alone, nobody waits for it.
  ...(room ? { longestPause: 4000 } : {}),
  fresh: room?.as === 'stage',
  // By theme-early.js, on the page of a link.
  begun: /** @type {any} */ (globalThis).wbBegun ?? null,
});

document.addEventListener('visibilitychange', () => {
  if (!document.hidden) live.wake();
});
for (const back of ['online', 'pageshow']) addEventListener(back, () => live.wake());

export const address = new Address();

/** The browser's storage, or null where it is forbidden. In a lesson too: what the reader has at home is left alone. */
export const storage = (() => {
  try {
    return room ? null : globalThis.localStorage ?? null;
  } catch {
    return null;
  }
})();
