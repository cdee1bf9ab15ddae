/**
 * The examples of a page, and from one to another with one key: a long chapter has
 * hundreds of controls, and Tab goes through them all.
 * @module
 */
import { announce } from './announce.js';
import { frontOf, seen } from './front.js';

/** @param {Element | null} element @returns {boolean} */
export function isExample(element) {
  return Boolean(element && 'show' in element && 'view' in element);
}

/** @returns {any[]} the examples of the page, top to bottom */
export function examples() {
  return [...document.querySelectorAll('.prose [id]')].filter(isExample);
}

/**
 * The example after or before the one that has the focus; where none has it, the one
 * nearest to what is in sight.
 * @param {1 | -1} way
 * @returns {any | null}
 */
export function exampleBeside(way) {
  // Those that live already, so that the focus can go to them.
  const all = examples().filter((one) => 'root' in one);
  const { activeElement } = document;
  const focused = activeElement?.closest('.prose') ? activeElement : null;
  const from = focused ?? frontOf(seen());
  if (!from) return all.at(way > 0 ? 0 : -1) ?? null;
  const inside = all.findIndex((one) => one === from || one.contains(from));
  // What is only in sight is come to first.
  if (inside >= 0 && !focused) return all[inside];
  if (inside >= 0) return all[inside + way] ?? null;
  const after = all.findIndex((one) => from.compareDocumentPosition(one) & Node.DOCUMENT_POSITION_FOLLOWING);
  const next = after < 0 ? all.length : after;
  return all[way > 0 ? next : next - 1] ?? null;
}

/**
 * The keys for it.
 * @param {(example: any) => void} [go] what is done with the one that is come to
 */
export function exampleKeys(go = goToExample) {
  const to = (way) => () => {
    const example = exampleBeside(way);
    if (example) go(example);
    else announce('example', `There is no example ${way > 0 ? 'after' : 'before'} this one.`);
  };
  return [{ key: 'n', what: 'to the next example', act: to(1) }, { key: 'N', what: 'to the example before', act: to(-1) }];
}

/** Puts the focus where the keys of an example step, and brings it into sight. @param {any} example */
export function goToExample(example) {
  example.focusStep();
  if (!example.contains(document.activeElement)) {
    // One that is only to be looked at here.
    example.tabIndex = -1;
    example.focus({ preventScroll: true });
  }
  example.scrollIntoView({ block: 'start', behavior: 'instant' });
  document.activeElement?.scrollIntoView({ block: 'nearest', behavior: 'instant' });
}
