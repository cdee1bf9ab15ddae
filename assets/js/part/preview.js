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
import { atStep, stepOf } from '../model/course.js';
import { examples, isExample } from './examples.js';
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
  page.leave = () => {}; // the desk opens the next chapter here

  let newest = 0;
  async function draw() {
    if (!room.state || room.state.chapter !== chapter) return;
    const turn = ++newest;
    const over = () => turn !== newest;
    const front = frontOf(room.state.at);
    const { widget } = room.lesson;
    if (widget && isExample(front)) {
      const kind = kindOf(front);
      let view = room.viewOf(widget);
      if (!view) {
        // As the chapter has it, wherever this page has moved it.
        await front.show(null);
        if (over()) return;
        view = front.view;
      }
      const step = stepOf(view, kind);
      const name = (index) => JSON.stringify([widget, view.ran, view.texts, index]);
      if (!titles.has(name(step))) {
        await front.show(view);
        if (over()) return;
        titles.set(name(step), titleIn(front));
      }
      const last = Math.max(view.last ?? 0, front.view?.last ?? 0);
      const about = { widget, now: titles.get(name(step)) ?? '', step, last };
      const then = atStep({ ...view, last }, kind, step + 1);
      if (then) {
        mark([front.closest(ofText)]);
        await front.show(then);
        if (over()) return;
        titles.set(name(step + 1), titleIn(front));
        tell({ ...about, next: titles.get(name(step + 1)) ?? '' });
        return;
      }
      tell({ ...about, next: '' });
    } else tell({ widget: '', now: '', next: '', step: 0, last: 0 });
    const after = examples().find((one) => !front || one !== front && (front.compareDocumentPosition(one) & Node.DOCUMENT_POSITION_FOLLOWING));
    if (!after) {
      const all = blocks();
      const at = all.indexOf(/** @type {Element} */ (front?.closest(ofText)));
      mark(all.slice(Math.max(0, at)).slice(0, blocksShown));
      return;
    }
    mark([after.closest(ofText)]);
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

/** What the desk calls an example's kind. @param {Element} example */
function kindOf(example) {
  return example.localName.replace(/^wb-/, '');
}

function titleIn(element) {
  return element.querySelector('.widget-live .step-title')?.textContent?.trim() ?? '';
}
