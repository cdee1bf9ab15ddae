/**
 * A lesson that was saved, as a line of time: what the room had said at any moment, what
 * comes next, and where somebody would want to look.
 *
 * What a room says is whole per subject, so that the state of a moment is the latest of
 * each subject until then, whichever way one comes there.
 * @module
 */

import { sameRan } from './view.js';

/** Milliseconds of a pause that is long, and of what is kept of one at its beginning and end. */
const longPause = 5000;
const pauseBegins = 1500;
const pauseEnds = 1000;

/** Milliseconds within which what happens is one event to who steps through them. */
const together = 120;

/**
 * @typedef {{kind: string} & Record<string, any>} News
 * @typedef {{t: number, news: News}} Happened t: milliseconds since the lesson began
 * @typedef {{t: number, kind: 'chapter' | 'run' | 'poll', chapter: string, widget?: string, text: string}} Mark
 */

export class Timeline {
  /**
   * @param {object} lesson
   * @param {Happened[]} lesson.events in their order
   * @param {number} lesson.duration milliseconds
   */
  constructor({ events, duration }) {
    events = events.map(sinceWhen());
    this.events = events;
    this.duration = duration;
    /** What happened by subject, each with its place among all. @type {Map<string, {t: number, place: number, news: News}[]>} */
    this.tracks = new Map();
    /** @type {Mark[]} */
    this.marks = [];
    /** Devices on which something was run, in the order in which they were. @type {string[]} */
    this.devices = [];
    /** Moments at which something was seen to happen. @type {number[]} */
    const seen = [];
    let chapter = '';
    let at = '';
    let poll = '';
    const runs = new Map();
    events.forEach(({ t, news }, place) => {
      const key = subject(news);
      const track = this.tracks.get(key) ?? [];
      track.push({ t, place, news });
      this.tracks.set(key, track);
      if (news.kind === 'widget') seen.push(t);
      if (news.kind === 'state') {
        const before = `${chapter} ${at}`;
        at = JSON.stringify(news.state.at ?? {});
        if (news.state.chapter !== chapter) {
          chapter = news.state.chapter;
          this.marks.push({ t, kind: 'chapter', chapter, text: chapter });
        }
        if (`${chapter} ${at}` !== before) seen.push(t);
      }
      if (news.kind === 'poll') {
        // Each answer that was counted is told too, and is none to stop at.
        const [n, now] = [news.poll?.n, news.poll ? `${news.poll.n} ${news.poll.state}` : ''];
        if (now !== poll) seen.push(t);
        if (n && !poll.startsWith(`${n} `)) this.marks.push({ t, kind: 'poll', chapter, text: news.poll.question });
        poll = now;
      }
      const ran = news.widget?.view?.ran;
      if (news.kind === 'widget' && ran && ran.n !== runs.get(key)) {
        runs.set(key, ran.n);
        // What was compared ran on two.
        const devices = String(ran.device ?? '').split(/\s+/).filter(Boolean);
        this.marks.push({ t, kind: 'run', chapter: news.widget.chapter, widget: news.widget.widget, text: devices.join(' and ') });
        for (const device of devices) if (!this.devices.includes(device)) this.devices.push(device);
      }
    });
    /** Where who steps through the lesson stops: the ends of what happens together. */
    this.stops = stopsOf(seen, duration);
    /** Long pauses, as [from, to]. */
    this.pauses = pausesOf(events, duration);
  }

  /** A moment that the lesson has. @param {number} t */
  within(t) {
    return Math.min(Math.max(0, Number.isFinite(t) ? t : 0), this.duration);
  }

  /**
   * What the room had said until a moment, the latest of each subject.
   * @param {number} t
   */
  at(t) {
    const found = { state: null, widgets: /** @type {any[]} */ ([]), pointer: null, poll: null };
    for (const track of this.tracks.values()) {
      const one = track[countUntil(track, t) - 1];
      if (!one) continue;
      const { news } = one;
      if (news.kind === 'widget') found.widgets.push(news.widget);
      else found[news.kind] = news[news.kind] ?? null;
    }
    return found;
  }

  /**
   * What was said after one moment and until another, the latest of each subject, in
   * the order in which it was.
   * @param {number} from
   * @param {number} to
   * @returns {News[]}
   */
  between(from, to) {
    /** @type {Map<string, News>} */
    const latest = new Map();
    for (let i = countUntil(this.events, from); i < this.events.length && this.events[i].t <= to; i++) {
      const { news } = this.events[i];
      const key = subject(news);
      latest.delete(key);
      latest.set(key, news);
    }
    return [...latest.values()];
  }

  /** The chapter that the lesson is at, "" before it is at one. @param {number} t */
  chapterAt(t) {
    return this.at(t).state?.chapter ?? '';
  }

  /**
   * When the lesson is in a chapter: at a moment or next after it, or else for the first time.
   * @param {string} chapter
   * @param {number} t
   * @returns {number | null} null if it never is
   */
  visit(chapter, t) {
    if (this.chapterAt(t) === chapter) return t;
    const visits = this.marks.filter((mark) => mark.kind === 'chapter' && mark.chapter === chapter);
    return (visits.find((mark) => mark.t >= t) ?? visits[0])?.t ?? null;
  }

  /** The next stop, or the end. @param {number} t */
  next(t) {
    return this.stops.find((stop) => stop > t) ?? this.duration;
  }

  /** The stop before, or the beginning. @param {number} t */
  previous(t) {
    return this.stops.findLast((stop) => stop < t) ?? 0;
  }

  /**
   * The moment after some time of playing.
   * @param {number} t
   * @param {number} ms of the lesson
   * @param {boolean} skip whether long pauses are cut short
   */
  advance(t, ms, skip) {
    let now = t;
    let left = ms;
    while (skip && left > 0) {
      const pause = this.pauses.find(([, to]) => now < to - pauseEnds);
      if (!pause) break;
      const begins = pause[0] + pauseBegins;
      if (now < begins) {
        const step = Math.min(left, begins - now);
        now += step;
        left -= step;
        if (left <= 0) break;
      }
      now = pause[1] - pauseEnds;
    }
    return this.within(now + left);
  }
}

/**
 * Says of each run in a view since when the lesson showed it. What was run twice has two
 * answers, and the second one comes before it is shown.
 * @returns {(happened: Happened) => Happened}
 */
function sinceWhen() {
  /** @type {Map<string, {ran: any, at: number}>} */
  const known = new Map();
  return (happened) => {
    const { t, news } = happened;
    const ran = news.widget?.view?.ran;
    if (news.kind !== 'widget' || !ran) return happened;
    const key = subject(news);
    const before = known.get(key);
    const at = before && sameRan(before.ran, ran) ? before.at : t;
    known.set(key, { ran, at });
    return { t, news: { ...news, widget: { ...news.widget, view: { ...news.widget.view, ran: { ...ran, at } } } } };
  };
}

/** What news is about: of one subject, the latest counts. @param {News} news */
function subject(news) {
  return news.kind === 'widget' ? `widget ${news.widget.chapter} ${news.widget.widget}` : news.kind;
}

/** How many of what is in order of time are not after a moment. @param {{t: number}[]} all */
function countUntil(all, t) {
  let low = 0;
  let high = all.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (all[middle].t <= t) low = middle + 1;
    else high = middle;
  }
  return low;
}

function stopsOf(seen, duration) {
  /** @type {number[]} */
  const stops = [];
  for (const t of seen) {
    if (stops.length > 0 && t - stops[stops.length - 1] < together) stops.pop();
    stops.push(t);
  }
  if (stops.at(-1) !== duration) stops.push(duration);
  return stops;
}

function pausesOf(events, duration) {
  const pauses = [];
  let last = 0;
  for (const t of [...events.map((event) => event.t), duration]) {
    if (t - last > longPause) pauses.push([last, t]);
    last = t;
  }
  return pauses;
}

/** A moment in words, as in 1:02:03. @param {number} ms */
export function timeText(ms) {
  const all = Math.floor(Math.max(0, ms) / 1000);
  const [hours, minutes, seconds] = [Math.floor(all / 3600), Math.floor(all / 60) % 60, all % 60];
  const two = (n) => String(n).padStart(2, '0');
  return hours > 0 ? `${hours}:${two(minutes)}:${two(seconds)}` : `${minutes}:${two(seconds)}`;
}
