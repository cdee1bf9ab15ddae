/**
 * Keeps a page of a room connected as long as somebody has it before them, and no longer.
 *
 * A page that is left is not there any more, though the browser may keep it to come back
 * to: then it connects once more. And a page that slept, as in a laptop that was closed,
 * notices it: its clock has jumped. A connection may have died meanwhile without a word,
 * so it is tried, and given up where no answer comes.
 * @module
 */

/** Milliseconds between two looks at the clock, that a look may be late by, and for an answer. */
const every = 5000;
const asleep = 90000; // pages that nobody sees are called once a minute
const patience = 5000;

/**
 * @param {import('./live.js').Live} live
 * @param {{page?: EventTarget, clock?: any}} [of] what hears that it is left and come back to, and its clock
 */
export function stayConnected(live, { page = globalThis, clock } = {}) {
  page.addEventListener('pagehide', () => live.close());
  page.addEventListener('pageshow', (/** @type {any} */ { persisted }) => {
    if (persisted) live.connect();
  });
  watchSleep({
    clock,
    probe: () => (live.open ? live.request('room', { room: { do: 'here' } }) : null),
    onDead: () => {
      live.socket?.close();
      live.lost('the room did not answer');
    },
  });
}

/**
 * @param {object} options
 * @param {() => Promise<any> | null} options.probe asks for something small; null where there is nothing to try
 * @param {() => void} options.onDead no answer came
 * @param {{setTimeout: (act: () => void, ms: number) => any, clearTimeout: (timer: any) => void, now: () => number}} [options.clock]
 */
export function watchSleep({ probe, onDead, clock = browser }) {
  let last = clock.now();
  const look = () => {
    const now = clock.now();
    if (now - last > asleep) tryIt();
    last = now;
    clock.setTimeout(look, every);
  };
  const tryIt = () => {
    const answer = probe();
    if (!answer) return;
    const timer = clock.setTimeout(onDead, patience);
    // A refusal is an answer, and a connection that ended has been noticed.
    const heard = () => clock.clearTimeout(timer);
    answer.then(heard, heard);
  };
  clock.setTimeout(look, every);
}

const browser = {
  setTimeout: (act, ms) => setTimeout(act, ms),
  clearTimeout: (timer) => clearTimeout(timer),
  now: () => Date.now(),
};
