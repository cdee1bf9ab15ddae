/**
 * A replay's page: a lesson that was saved goes on in it, as a room's does, until its
 * reader does something themselves. Then it waits, and goes on when it is told to.
 * @module
 */
import { Replay } from '../model/replay.js';
import { asSentence } from '../model/sentence.js';
import { Timeline } from '../model/timeline.js';
import { announce } from './announce.js';
import { el } from './dom.js';
import { titleOf } from './front.js';
import { addBar } from './lessonbar.js';
import { chapter, live } from './page.js';
import { PointerDot } from './pointer.js';
import { Poll } from './poll.js';
import { ReplayBar } from './replaybar.js';
import { session } from './roomstore.js';
import { announceStep, quietTitles } from './steptitle.js';

/** Milliseconds between two looks at the clock, and the most that pass between them: a computer may sleep. */
const tick = 100;
const longestTick = 2000;

/**
 * @typedef {{slug: string, title: string, changed: boolean, gone: boolean}} LessonChapter
 * @typedef {{title: string, began: string, build: string, duration: number, torn: boolean, chapters: LessonChapter[], events: import('../model/timeline.js').Happened[]}} Lesson
 */

/** @param {import('./room.js').RoomPage} page */
export function replay(page) {
  load(page).then((lesson) => begin(page, lesson), (error) => {
    addBar(el('aside', { class: 'room-bar', id: 'room-bar', 'aria-label': 'The replay', 'data-state': 'offline', tabindex: '-1' },
      el('p', { role: 'alert' }, `The lesson cannot be replayed: ${asSentence(error.message)} `, el('a', { href: '/replays' }, 'Choose its file again'))));
  });
}

/** @returns {Promise<Lesson>} */
async function load({ events }) {
  const response = await fetch(events);
  if (!response.ok) throw new Error('it is not loaded any more');
  return response.json();
}

/** @param {import('./room.js').RoomPage} page @param {Lesson} lesson */
function begin(page, lesson) {
  const { room } = page;
  const timeline = new Timeline(lesson);
  const gone = lesson.chapters.filter((one) => one.gone).map(({ slug }) => slug);
  const titles = new Map(lesson.chapters.map(({ slug, title }) => [slug, title]));
  const nameOf = (slug) => titles.get(slug) || titleOf(slug);
  let wandering = false;
  let timer = 0;
  let before = 0;
  const player = new Replay({
    timeline, gone,
    tell: (news) => page.take(here(news)),
    onChange: () => update(),
  });
  // What was run twice is answered as it was at this moment.
  live.moment = () => Math.floor(player.t);

  /** A page cannot go to a chapter that is not there: it stays, and says so. */
  function here(news) {
    return news.state && gone.includes(news.state.chapter) ? { ...news, state: { ...news.state, chapter, at: {} } } : news;
  }

  /** The reader lets the lesson have the page again. @param {() => void} act */
  const lessons = (act) => () => {
    wandering = false;
    room.front = '';
    act();
    page.apply();
    update();
  };
  const bar = new ReplayBar({
    player, lesson, nameOf, chapter,
    onToggle: () => (player.playing ? player.pause() : lessons(() => player.play())()),
    onBack: lessons(() => {
      if (player.told === null) player.seek(player.t);
    }),
    onSeek: (t) => lessons(() => player.seek(t))(),
    onNext: lessons(() => player.next()),
    onPrevious: lessons(() => player.previous()),
    onSkip: () => lessons(() => player.seek(after(timeline, player.t)))(),
  });
  const dot = new PointerDot();
  const poll = new Poll(page, { answers: false });
  bar.element.prepend(poll.element);
  addBar(bar.element);

  function pass() {
    const now = performance.now();
    player.pass(Math.min(longestTick, now - before));
    before = now;
  }

  function update() {
    if (player.playing && player.missing) player.pause();
    if (player.playing && !timer) {
      before = performance.now();
      timer = window.setInterval(pass, tick);
    } else if (!player.playing && timer) {
      clearInterval(timer);
      timer = 0;
    }
    bar.update({ wandering, elsewhere: player.told === null });
  }

  // Of many steps in a row a reader hears the one that the lesson stays at.
  page.addEventListener('shown', (/** @type {any} */ { detail: { show } }) => {
    const front = room.lesson.widget;
    quietTitles(!wandering);
    if (show.some(({ widget }) => widget === front)) announceStep(front);
  });
  page.addEventListener('change', () => {
    if (wandering) return;
    wandering = true;
    announce('mode', player.playing ? 'The replay waits: you are on your own. To go on, press f, then play.' : 'You are on your own now. To come back to the lesson, press f.');
    player.pause();
    quietTitles(false);
    update();
  });
  page.addEventListener('news', (/** @type {any} */ { detail: changed }) => {
    if (changed.includes('poll')) poll.update(room.poll);
    // Where it pointed long ago is not where it points.
    if (changed.includes('all')) dot.hide();
    else if (changed.includes('pointer')) dot.show(room.pointer?.chapter === chapter ? room.pointer : null);
  });

  const kept = session.read('replay') ?? {};
  player.setSpeed(kept.speed ?? 1);
  player.setSkip(kept.skip ?? true);
  const asked = Number.isFinite(kept.t) ? kept.t : 0;
  const t = kept.going === chapter ? asked : timeline.visit(chapter, asked);
  if (t === null) {
    // A chapter where the lesson was not. It goes on from where it was.
    player.t = timeline.within(asked);
  } else {
    player.seek(t);
    // Who goes to another chapter themselves has stopped the lesson.
    if (kept.playing && (kept.going === chapter || t === asked)) player.play();
  }
  update();
  addEventListener('pagehide', () => {
    const { t, playing, speed, skip } = player;
    session.write('replay', { t, playing, speed, skip, going: page.leaving ? room.state?.chapter : '' });
  });
}

/** When the lesson leaves the chapter that it is at. */
function after(timeline, t) {
  return timeline.marks.find((mark) => mark.kind === 'chapter' && mark.t > t)?.t ?? timeline.duration;
}
