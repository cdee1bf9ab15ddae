/**
 * What one page of a room leaves for the next: whether one is on one's own, lost, and
 * what one answered. It is the tab's and ends with it; nothing of a learner's own work
 * is touched.
 * @module
 */
import { room } from './page.js';

class Session {
  /** @param {string} name */
  read(name) {
    try {
      return JSON.parse(sessionStorage.getItem(this.key(name)) ?? 'null');
    } catch {
      return null;
    }
  }

  write(name, value) {
    try {
      sessionStorage.setItem(this.key(name), JSON.stringify(value));
    } catch {
      // It is forgotten with the page.
    }
  }

  key(name) {
    return `wb:room:${room?.code ?? ''}:${name}`;
  }
}

export const session = new Session();
