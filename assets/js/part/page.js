/**
 * What all widgets of a page share: its chapter, the connection, the address.
 * @module
 */
import { Live } from '../model/live.js';
import { Address } from './address.js';

/** The chapter's slug, "" on a page that is no chapter. */
export const chapter = decodeURIComponent(/\/chapters\/([^/]+)/.exec(location.pathname)?.[1] ?? '');

const scheme = location.protocol === 'https:' ? 'wss:' : 'ws:';

export const live = new Live({ url: `${scheme}//${location.host}/live` });

export const address = new Address();

/** The browser's storage, or null where it is forbidden. */
export const storage = (() => {
  try {
    return globalThis.localStorage ?? null;
  } catch {
    return null;
  }
})();
