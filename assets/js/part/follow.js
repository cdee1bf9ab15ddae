/**
 * A follower's page: it shows the lesson, until its reader goes their own way.
 * @module
 */
import { announce, teller } from './announce.js';
import { LessonBar } from './lessonbar.js';
import { chapter, live } from './page.js';
import { PointerDot } from './pointer.js';
import { session } from './roomstore.js';
import { announceStep, quietTitles } from './steptitle.js';

/** @param {import('./room.js').RoomPage} page */
export function follow(page) {
  const { room } = page;
  const bar = new LessonBar(page, { onBack: back });
  const dot = new PointerDot();
  let told = false; // to the server, that the page is on its own
  const tellOf = teller(room);

  /** Tells the server, for the counts; a new connection hears it anew. */
  function tell() {
    const { free } = room;
    if (free === told || !live.open || room.ended) return;
    told = free;
    page.ask({ do: 'wander', free }).catch(() => {
      told = !free; // the next connection brings another try
    });
  }

  function back() {
    if (room.ended) return;
    room.back();
    session.write('choice', room.choice);
    announce('mode', room.lesson.chapter === chapter ? 'Back at the lesson.' : 'Going to where the lesson is.');
    page.apply();
    update();
  }

  function update() {
    tell();
    quietTitles(room.follows);
    if (!room.follows) dot.hide();
    bar.update();
  }

  page.addEventListener('change', (/** @type {any} */ { detail: { id, how } }) => {
    if (how === 'back') {
      page.apply();
      bar.say('Locked: the page shows what the presenter shows. Your change was set back.');
    } else if (how === 'free') {
      session.write('choice', room.choice);
      announce('mode', 'You are on your own now. To come back to the lesson, press f.');
      update();
    }
  });

  // Who opens another chapter goes there on their own, unless the page is held.
  document.addEventListener('click', (event) => {
    const link = /** @type {Element} */ (event.target).closest?.('a[href]');
    if (event.defaultPrevented || event.button || event.ctrlKey || event.metaKey || event.shiftKey || !(link instanceof HTMLAnchorElement)) return;
    if (link.origin !== location.origin || !link.pathname.startsWith(page.base) || link.pathname === location.pathname) return;
    const how = room.leaves();
    if (how === 'back') {
      event.preventDefault();
      bar.say('Locked: the page goes where the lesson goes.');
    } else if (how === 'free') session.write('choice', room.choice);
  });

  page.addEventListener('news', (/** @type {any} */ { detail: changed }) => {
    if (changed.includes('all')) {
      told = false;
      bar.greet();
    }
    if (changed.includes('state')) {
      bar.unlose();
      tellOf();
    }
    if (changed.includes('pointer')) dot.show(room.follows && room.pointer?.chapter === chapter ? room.pointer : null);
    update();
  });

  // A reader hears where the lesson is once it rests, not each step on the way.
  page.addEventListener('shown', (/** @type {any} */ { detail: { show } }) => {
    const front = room.lesson.widget;
    if (show.some(({ widget }) => widget === front)) announceStep(front);
    update();
  });
  live.addEventListener('state', () => bar.connection());
}
