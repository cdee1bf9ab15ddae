/**
 * What a page says and takes away where only the presenter of a lesson runs things.
 * @module
 */
import { el } from './dom.js';
import { chapter, room } from './page.js';

const replayed = room?.as === 'replay';

/** Why nothing can be run here. */
export const onlyPresenter = replayed ? 'In a replay nothing is run: the values are the lesson’s.' : 'In a lesson the presenter runs it.';

const ownCourse = './course serve';

/** The same, and how to run it oneself. */
export function lessonNote() {
  return el('p', { class: 'lesson-note' }, onlyPresenter, ' To run it yourself, ',
    ...(replayed ? ['open ', el('a', { href: `/chapters/${chapter}` }, 'the chapter itself'), '.'] : ['start ', el('code', {}, ownCourse), ' on your own machine.']));
}

/** Makes controls show what they hold and take nothing: texts can still be read and copied. @param {Element} element */
export function lock(element) {
  for (const one of /** @type {NodeListOf<any>} */ (element.querySelectorAll('input, textarea, select, button'))) {
    if (one.matches('textarea, input:is(:not([type]), [type="text"], [type="number"])')) one.readOnly = true;
    else one.disabled = true;
  }
}
