/**
 * What a page is in a lesson. A page of a room says so itself:
 *
 *     <meta name="wb-room" content="K7WQ2M" data-as="follow" data-live="/rooms/K7WQ2M/live?as=follow&amp;chapter=x" data-base="/rooms/K7WQ2M/chapters/">
 *
 * @module
 */

/**
 * @typedef {object} Room
 * @property {string} code
 * @property {'follow' | 'stage' | 'preview' | 'desk' | 'replay'} as
 * @property {string} live the path of its connection
 * @property {string} base before a chapter's slug
 * @property {string} events of a replay, the path of what happened; "" elsewhere
 */

const seats = ['follow', 'stage', 'preview', 'desk', 'replay'];

/**
 * @param {{content?: string, as?: string, live?: string, base?: string, events?: string} | null} meta
 * @returns {Room | null} null for a page of no room
 */
export function readRoom(meta) {
  if (!meta) return null;
  const { content = '', as = '', live = '', base = '', events = '' } = meta;
  // A seat that this page does not know is one that may do the least.
  return { code: content, as: /** @type {Room['as']} */ (seats.includes(as) ? as : 'follow'), live: live || '/live', base, events };
}

/** Whether a page only shows what somebody else runs. @param {Room | null} room */
export function watches(room) {
  return room !== null && ['follow', 'preview', 'replay'].includes(room.as);
}

/**
 * The slug of the chapter that a page is, "" where it is none.
 * @param {string} path of its address
 * @param {Room | null} room
 */
export function chapterOf(path, room) {
  const slug = (room ? /\/(?:chapters|stage|preview)\/([^/]+)/ : /\/chapters\/([^/]+)/).exec(path)?.[1] ?? '';
  return decodeURIComponent(slug);
}
