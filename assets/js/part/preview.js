/**
 * What comes next, small, in a frame of the desk, and nothing else of the page: the
 * example in front one step on; the next example, where that is at its end; and where
 * text is in front, the example after it, or else the text. It publishes nothing, and
 * tells the desk the titles of the step that the room shows and of the one after it:
 *
 *     {type: 'wb-preview', chapter, widget, now, next, step, last}
 *
 * widget is what is in front, '' for text; step is the room's.
 * @module
 */
import { blocks, frontOf } from './front.js';
import { chapter } from './page.js';

/** Blocks of the text that are shown from the one in front on. */
const blocksShown = 4;

const ofText = '.prose > *';

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
    const over = () => turn !== newest;
    const all = blocks();
    const front = frontOf(room.state?.at);
    const { widget } = room.lesson;
    if (widget && isExample(front)) {
      const view = room.viewOf(widget) ?? front.view;
      const { step = 0 } = view.place ?? {};
      const name = (index) => `${widget} ${index}`;
      if (!titles.has(name(step))) {
        await front.show(view);
        if (over()) return;
        titles.set(name(step), titleIn(front));
      }
      const last = Math.max(view.last ?? 0, front.view?.last ?? 0);
      const about = { widget, now: titles.get(name(step)) ?? '', step, last };
      if (step < last) {
        mark([front.closest(ofText)]);
        await front.show({ ...view, place: { ...view.place, step: step + 1 } });
        if (over()) return;
        titles.set(name(step + 1), titleIn(front));
        tell({ ...about, next: titles.get(name(step + 1)) ?? '' });
        return;
      }
      tell({ ...about, next: '' });
    } else tell({ widget: '', now: '', next: '', step: 0, last: 0 });
    const at = front ? all.indexOf(/** @type {Element} */ (front.closest(ofText))) : -1;
    const after = all.slice(at + 1).find(isExample);
    if (!after) {
      mark(all.slice(Math.max(0, at)).slice(0, blocksShown));
      return;
    }
    mark([after]);
    after.show(room.viewOf(after.id));
  }

  /** What is to be seen. */
  function mark(shown) {
    for (const one of blocks()) one.toggleAttribute('data-front', shown.includes(one));
    scrollTo({ top: 0, behavior: 'instant' });
  }

  function tell(what) {
    if (parent !== window) parent.postMessage({ type: 'wb-preview', chapter, ...what }, location.origin);
  }

  page.addEventListener('begun', () => draw());
  page.addEventListener('shown', () => draw());
}

/** @returns {boolean} */
function isExample(element) {
  return Boolean(element && 'show' in element && 'view' in element);
}

function titleIn(element) {
  return element.querySelector('.step-title')?.textContent?.trim() ?? '';
}
