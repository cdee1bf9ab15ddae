/**
 * The keys of a presenter's desk.
 * @module
 */

/** @typedef {'next' | 'previous' | 'first' | 'last' | 'mode' | 'wheel' | 'poll' | 'cell' | 'door' | 'timer' | 'help'} Command */

/** Keys, as a reader is told of them, and what each does. */
export const legend = [
  ['→ or j, Page down', 'next step'],
  ['← or k, Page up', 'previous step'],
  ['Home, End', 'first and last step'],
  ['m', 'next mode: follow, free, locked'],
  ['w', 'take the wheel, or ask for it'],
  ['p', 'write a poll, or go to the one that is open'],
  ['c', 'ask for the cell in front'],
  ['s', 'show the class how to join'],
  ['t', 'start and stop the timer'],
  ['?', 'this help'],
];

/** @type {Record<string, Command>} */
const commands = {
  ArrowRight: 'next', j: 'next', PageDown: 'next',
  ArrowLeft: 'previous', k: 'previous', PageUp: 'previous',
  Home: 'first', End: 'last',
  m: 'mode', w: 'wheel', p: 'poll', c: 'cell', s: 'door', t: 'timer', '?': 'help',
};

/** Of these, a key that is held down does more than one. */
const repeated = ['next', 'previous'];

/**
 * What a key does, or null. Keys with a modifier are the browser's.
 * @param {{key: string, ctrlKey?: boolean, metaKey?: boolean, altKey?: boolean, repeat?: boolean}} event
 * @param {boolean} [letters] whether keys that are letters and signs count: who dictates turns them off
 * @returns {Command | null}
 */
export function deskCommand(event, letters = true) {
  if (event.ctrlKey || event.metaKey || event.altKey) return null;
  if (!letters && [...event.key].length === 1) return null;
  const command = Object.hasOwn(commands, event.key) ? commands[event.key] : null;
  return command && event.repeat && !repeated.includes(command) ? null : command;
}

/** The mode after another. @param {string} mode */
export function nextMode(mode) {
  return modes[(modes.findIndex(([name]) => name === mode) + 1) % modes.length][0];
}

/** What the class may do, and how it is said. */
export const modes = [
  ['follow', 'Follow', 'Pages show what you show. Who changes something is on their own until they come back.'],
  ['free', 'Free', 'Everybody works on their own. Nobody’s page is moved.'],
  ['locked', 'Locked', 'Pages show what you show, and nothing can be changed in them.'],
];
