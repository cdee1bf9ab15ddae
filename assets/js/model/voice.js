/**
 * What is said of a room to who cannot see its bar: what the class may do, who has the
 * wheel, and the end, each once as it changes.
 * @module
 */

/**
 * @typedef {import('./room.js').Room} Room
 * @typedef {{as: string, mode: string, free: boolean, mine: boolean, driver: string, recall: number, ended: boolean, lesson: string}} Stand
 */

/** How a page stands in its room. @param {Room} room @returns {Stand | null} null until it is known */
export function standOf({ as, mode, free, mine, ended, state }) {
  return state && { as, mode, free, mine, ended, driver: state.driver, recall: state.recall ?? 0, lesson: state.lesson ?? '' };
}

/** What the class may do, to who follows and to who presents. */
const modes = {
  follow: ['You follow the lesson.', 'The class follows.'],
  free: ['Everybody works on their own now. To go to the lesson, press f.', 'The class works on its own.'],
  locked: ['The page is locked: it shows the lesson and nothing else, for now.', 'The class follows, locked.'],
};

/**
 * @param {Stand | null} now
 * @param {Stand | null} before
 * @param {(presenter: string) => string} [nameOf]
 * @returns {[string, string][]} subjects, and what is said of each
 */
export function sentences(now, before, nameOf = () => 'Another presenter') {
  if (!now || !before) return []; // a page that has just opened is read as it is
  const presents = now.as !== 'follow';
  if (now.ended) {
    const keep = !presents && now.lesson ? ' It can be kept as one file.' : '';
    return before.ended ? [] : [['mode', `The lesson has ended.${keep}`]];
  }
  /** @type {[string, string][]} */
  const said = [];
  if (!presents && before.free && !now.free && now.recall > before.recall) said.push(['mode', 'The presenter calls everybody back to the lesson.']);
  else if (now.mode !== before.mode) said.push(['mode', modes[now.mode]?.[presents ? 1 : 0] ?? '']);
  if (presents && now.driver !== before.driver) said.push(['wheel', wheel(now, nameOf)]);
  return said;
}

function wheel({ mine, driver }, nameOf) {
  if (mine) return 'You have the wheel: the class sees what you do.';
  return driver === '' ? 'Nobody has the wheel now.' : `${nameOf(driver)} has the wheel now.`;
}
