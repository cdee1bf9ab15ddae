/**
 * The page that a presenter projects and drives from: what its person does is published
 * while they have the wheel. While another has it, the page follows like any other.
 * @module
 */
import { announce, teller } from './announce.js';
import { goToExample } from './examples.js';
import { reach, seen } from './front.js';
import { chapter, live } from './page.js';
import { PointerDot, anchorAt } from './pointer.js';
import { StageBar } from './stagebar.js';

/** Milliseconds between two drives of the text's place, and of the pointer. */
const scrollGap = 200;
const pointerGap = 50;

/** Milliseconds for which a scroll belongs to what a person did before it. */
const handTime = 1200;

/** @param {import('./room.js').RoomPage} page */
export function stage(page) {
  const { room, drives } = page;
  const dot = new PointerDot();
  const tellOf = teller(room);
  let pointing = false;
  let opened = true; // the person came to this chapter just now
  const bar = new StageBar(page, {
    onPointer: () => point(!pointing),
    onExample: (example) => {
      own = true;
      goToExample(example);
      place({ widget: example.id });
    },
  });

  page.addEventListener('change', (/** @type {any} */ { detail: { id, how } }) => {
    if (how === 'back') {
      page.apply();
      bar.say('Another presenter has the wheel: this page follows, and your change was set back. Take the wheel to drive.');
      return;
    }
    if (!how) return;
    if (how === 'take') takeFree();
    const view = /** @type {any} */ (document.getElementById(id))?.view;
    if (!view) return;
    const at = { widget: id };
    room.placed(at);
    // What was in front before is over.
    drives.forget('at');
    drives.put(room.keyOf(id), { chapter, widget: id, view, at });
  });

  page.addEventListener('news', (/** @type {any} */ { detail: changed }) => {
    if (changed.includes('state')) {
      arrive();
      tellOf();
    }
    if (changed.includes('pointer') && !pointing) dot.show(room.pointer?.chapter === chapter && room.pointer.from !== room.you.page ? room.pointer : null);
    if (pointing && !room.mine) point(false);
    bar.update();
  });
  page.addEventListener('again', () => {
    opened = true;
  });
  page.addEventListener('dropped', (/** @type {any} */ { detail: { why, error } }) => {
    if (why === 'wheel') bar.say('Another presenter has the wheel: what you did last was not shown to the others.');
    else bar.say(`That was not shown to the others: ${error?.message ?? 'the room refused it'}`);
  });
  live.addEventListener('state', () => bar.connection());

  /** Who opens a chapter on the stage opens it for all. */
  function arrive() {
    if (!room.state || room.ended) return;
    if (room.state.driver === '' && opened) takeFree();
    if (!room.mine && !page.taking) {
      opened = false;
      return;
    }
    if (opened && room.state.chapter !== chapter) drives.put('chapter', { chapter });
    opened = false;
  }

  function takeFree() {
    page.takeWheel().catch((error) => bar.say(`The wheel could not be taken: ${error.message}`));
  }

  // --- Scrolling.

  let hand = 0; // when a person last did something that scrolls
  let timer = 0;
  let own = false; // the page scrolls by itself
  const touch = () => {
    hand = performance.now();
    own = false;
  };
  for (const act of ['wheel', 'touchmove', 'keydown', 'pointerdown', 'pointerup']) addEventListener(act, touch, { passive: true, capture: true });
  page.reach = (front) => {
    own = true;
    reach(front);
  };
  addEventListener('scroll', () => {
    if (own || performance.now() - hand > handTime) return;
    hand = performance.now(); // a scroll that goes on
    if (!timer) timer = setTimeout(scrolled, scrollGap);
  }, { passive: true });
  function scrolled() {
    timer = 0;
    if (!own) place(seen());
  }
  /** Says what is in front. @param {import('../model/room.js').At | null} at */
  function place(at) {
    if (!room.mine || room.state?.chapter !== chapter || !at || JSON.stringify(at) === room.front) return;
    room.placed(at);
    drives.put('at', { chapter, at }, { gap: scrollGap });
  }

  // --- The pointer.

  function point(on) {
    if (on && !room.mine) {
      bar.say('The pointer goes with the wheel: take it first.');
      return;
    }
    if (on === pointing) return;
    pointing = on;
    document.documentElement.toggleAttribute('data-pointing', on);
    bar.pointing(on);
    announce('pointer', on ? 'The others see where you point.' : 'The pointer is off.');
    if (!on) {
      dot.hide();
      if (room.mine) drives.put('pointer', { pointer: null }, { gap: pointerGap, keep: false });
    }
  }
  addEventListener('pointermove', ({ clientX, clientY }) => {
    if (!pointing) return;
    const anchor = anchorAt(clientX, clientY);
    dot.show(anchor);
    drives.put('pointer', { pointer: anchor && { chapter, ...anchor } }, { gap: pointerGap, keep: false });
  }, { passive: true });

  page.addEventListener('shown', () => bar.update());
}
