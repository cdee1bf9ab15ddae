/**
 * The next step, small, in a frame of the desk: what is in front alone, one step on.
 * It publishes nothing, and tells the desk the titles of the step that the room shows
 * and of the one that it shows itself:
 *
 *     {type: 'wb-preview', chapter, widget, now, next, step, last}
 *
 * step is the room's. Where text is in front, widget is '' and next is how that begins.
 * @module
 */
import { atStep, stepOf } from '../model/course.js';
import { blocks, frontOf } from './front.js';
import { chapter } from './page.js';

/** Blocks of the text that are shown from the one in front on. */
const blocksShown = 4;

/** @param {import('./room.js').RoomPage} page */
export function preview(page) {
  const { room } = page;
  document.documentElement.setAttribute('data-room', 'preview');
  // It is to be looked at: the desk says the titles, and drives.
  document.body.inert = true;
  /** What a step's title is, of those that were shown. @type {Map<string, string>} */
  const titles = new Map();

  page.show = () => {}; // each widget shows its own next step, below
  page.reach = () => {};

  let newest = 0;
  async function draw() {
    const turn = ++newest;
    const { widget, block } = room.lesson;
    const front = frontOf(room.state?.at) ?? blocks()[0];
    for (const marked of document.querySelectorAll('[data-front]')) marked.removeAttribute('data-front');
    if (!front) return;
    const all = blocks();
    const top = /** @type {Element} */ (front.closest('.prose > *') ?? front);
    const from = all.indexOf(top);
    for (const shown of widget ? [top] : all.slice(from, from + blocksShown)) shown.setAttribute('data-front', '');
    const element = /** @type {any} */ (widget ? front : null);
    const view = widget ? room.viewOf(widget) ?? element?.view : null;
    if (!element?.show || !view) {
      tell({ widget: '', now: '', next: front.textContent?.trim().slice(0, 120) ?? '', step: block ?? 0, last: all.length - 1 });
      return;
    }
    const last = view.last ?? 0;
    const kind = element.localName.replace('wb-', '');
    const at = stepOf(view, kind);
    const then = atStep(view, kind, at + 1);
    const next = then ? at + 1 : at;
    const name = (index) => `${widget} ${index} ${view.ran?.n ?? 0}`; // other results have other titles
    if (!titles.has(name(at))) {
      await element.show(view);
      if (turn !== newest) return;
      titles.set(name(at), titleIn(element));
    }
    await element.show(then ?? view);
    if (turn !== newest) return;
    titles.set(name(next), titleIn(element));
    tell({ widget, now: titles.get(name(at)) ?? '', next: next === at ? '' : titles.get(name(next)) ?? '', step: at, last });
    scrollTo({ top: 0, behavior: 'instant' });
  }

  function tell(what) {
    if (parent !== window) parent.postMessage({ type: 'wb-preview', chapter, ...what }, location.origin);
  }

  page.addEventListener('shown', () => draw());
}

function titleIn(element) {
  return element.querySelector('.step-title')?.textContent?.trim() ?? '';
}
