/**
 * The bar at the foot of a replay's page: where in the lesson it is, how it is played,
 * and what is to be known of it.
 * @module
 */
import { speeds } from '../model/replay.js';
import { timeText } from '../model/timeline.js';
import { el, freshId, icon, say, set, setIcon } from './dom.js';
import { exampleKeys } from './examples.js';
import { captionOf, keyMark } from './front.js';
import { roomKeys } from './roomkeys.js';

const svg = 'http://www.w3.org/2000/svg';

/** Marks that a list names: of a long lesson, the first. */
const mostNamed = 300;

/** What needs a key itself. */
const taken = 'input, textarea, select, dialog, [popover], [contenteditable], .own-keys';

/**
 * @param {object} options
 * @param {import('../model/replay.js').Replay} options.player
 * @param {import('./replay.js').Lesson} options.lesson
 * @param {(slug: string) => string} options.nameOf a chapter's title
 * @param {string} options.chapter of this page
 * @param {() => void} options.onToggle plays or pauses
 * @param {() => void} options.onBack shows what the lesson shows
 * @param {(t: number) => void} options.onSeek
 * @param {() => void} options.onNext
 * @param {() => void} options.onPrevious
 * @param {() => void} options.onSkip leaves out a chapter that is not there
 */
export class ReplayBar {
  constructor({ player, lesson, nameOf, chapter, onToggle, onBack, onSeek, onNext, onPrevious, onSkip }) {
    Object.assign(this, { player, lesson, nameOf, chapter, onSeek });
    const button = (name, label, act) => el('button', { type: 'button', class: 'replay-button', 'aria-label': label, title: label, click: act }, icon(name));
    this.previous = button('previous', 'Previous event', onPrevious);
    this.play = button('play', 'Play', onToggle);
    this.next = button('next', 'Next event', onNext);
    this.time = el('span', { class: 'replay-time' });
    this.slider = el('input', {
      type: 'range', class: 'replay-slider', min: '0', max: String(this.duration / 1000), step: 'any', 'aria-label': 'Moment of the lesson',
      input: () => this.slide(), change: () => this.slid(),
    });
    this.track = el('span', { class: 'replay-track' }, this.slider, this.marks());
    this.speed = el('select', { class: 'replay-speed', 'aria-label': 'Speed', change: () => player.setSpeed(Number(this.speed.value)) },
      ...speeds.map((speed) => el('option', { value: String(speed) }, `${speed}×`)));
    this.skip = el('input', { type: 'checkbox', change: () => player.setSkip(this.skip.checked) });
    this.said = el('p', { class: 'room-said', role: 'status' });
    const back = el('button', { type: 'button', class: 'primary', click: onBack }, el('span', {}, 'Back to the lesson'), keyMark('f'));
    this.back = el('p', { class: 'replay-aside', hidden: true }, back);
    this.over = el('p', { class: 'replay-aside', hidden: true }, el('button', { type: 'button', click: onSkip }, 'Go on after it'));
    const keys = roomKeys([
      { key: 'f', what: 'back to the lesson, or to what is in front in it', act: onBack },
      ...exampleKeys(),
      { key: 'r', what: 'to this bar', act: () => this.element.focus() },
    ],
      [['Space', 'play, pause'], ['Shift →', 'next event'], ['Shift ←', 'previous event']]);
    const list = this.list();
    this.about = el('p', { class: 'replay-about' }, ...this.facts());
    this.element = el('aside', { class: 'room-bar replay-bar', id: 'room-bar', 'aria-label': 'The replay', tabindex: '-1' },
      el('div', { class: 'replay-says' }, this.said, this.back, this.over),
      el('div', { class: 'replay-row' },
        el('span', { class: 'replay-buttons', role: 'group', 'aria-label': 'Play' }, this.previous, this.play, this.next),
        this.track, this.time,
        el('span', { class: 'replay-tools' }, this.speed, el('label', { class: 'replay-skip' }, this.skip, ' Skip pauses'), list.button, keys.button)),
      this.about, list.element, keys.help);
    document.addEventListener('keydown', (event) => this.onKey(event, { onToggle, onNext, onPrevious }));
  }

  get duration() {
    return this.player.timeline.duration;
  }

  /** What is to be known of the lesson. */
  facts() {
    const { lesson, player: { timeline: { devices } } } = this;
    const began = new Date(lesson.began);
    const day = el('time', { datetime: lesson.began }, began.toLocaleString('en-GB', { day: 'numeric', month: 'long', year: 'numeric', hour: '2-digit', minute: '2-digit' }));
    const made = devices.flatMap((device, i) => [i === 0 ? '' : i === devices.length - 1 ? ' and ' : '; ', el('code', {}, device)]);
    const changed = lesson.chapters.find(({ slug, changed }) => changed && slug === this.chapter);
    return [
      'Replay of a lesson of ', day, '. Values are those of the lesson', ...(made.length > 0 ? [', made on ', ...made] : []), '. ',
      ...(changed ? [el('strong', {}, 'This chapter has changed since: what stands in it may not fit.'), ' '] : []),
      ...(lesson.torn ? [`The file was cut off: the lesson went on after ${timeText(this.duration)}. `] : []),
    ];
  }

  /** Where the chapters, the runs and the polls are. The list has them too, in words. */
  marks() {
    const picture = document.createElementNS(svg, 'svg');
    for (const [name, value] of Object.entries({ class: 'replay-marks', viewBox: '0 0 1000 10', preserveAspectRatio: 'none', 'aria-hidden': 'true' })) picture.setAttribute(name, value);
    for (const { t, kind } of this.player.timeline.marks) {
      const mark = document.createElementNS(svg, 'rect');
      const at = this.duration > 0 ? (t / this.duration) * 1000 : 0;
      const width = kind === 'chapter' ? 3 : 2;
      for (const [name, value] of Object.entries({ class: `mark-${kind}`, x: at - width / 2, y: kind === 'chapter' ? 0 : 4, width, height: kind === 'chapter' ? 10 : 6 })) mark.setAttribute(name, String(value));
      picture.append(mark);
    }
    return picture;
  }

  list() {
    const id = freshId('moments');
    const { marks } = this.player.timeline;
    const element = el('div', { id, class: 'help replay-list', popover: 'auto', role: 'dialog', 'aria-label': 'What happens in the lesson' },
      el('p', { class: 'help-title' }, 'What happens in the lesson'),
      el('ol', {}, ...marks.slice(0, mostNamed).map((mark) => el('li', { class: `mark-${mark.kind}` },
        el('button', { type: 'button', click: () => this.go(element, mark.t) }, el('span', { class: 'replay-when' }, timeText(mark.t)), ' ', this.words(mark))))));
    const button = el('button', { type: 'button', class: 'replay-contents', popovertarget: id }, 'Moments');
    return { element, button };
  }

  go(list, t) {
    list.hidePopover?.();
    this.onSeek(t);
  }

  /** @param {import('../model/timeline.js').Mark} mark */
  words({ kind, chapter, widget = '', text }) {
    if (kind === 'chapter') return this.nameOf(chapter);
    if (kind === 'poll') return `Poll: ${text}`;
    const what = (chapter === this.chapter && captionOf(widget)) || widget;
    return `Run${text ? ` on ${text}` : ''}: ${what}`;
  }

  /** While it is dragged: the page goes along where it need not become another one. */
  slide() {
    this.sliding = true;
    const t = Number(this.slider.value) * 1000;
    const { timeline } = this.player;
    if (timeline.chapterAt(t) === this.chapter) this.onSeek(t);
    else this.show(timeline.within(t));
  }

  slid() {
    this.sliding = false;
    this.onSeek(Number(this.slider.value) * 1000);
  }

  /** Writes a moment. */
  show(t) {
    const { timeline } = this.player;
    const words = `${timeText(t)} / ${timeText(this.duration)}`;
    say(this.time, words);
    if (!this.sliding) this.slider.value = String(t / 1000);
    const where = this.nameOf(timeline.chapterAt(t));
    set(this.slider, 'aria-valuetext', `${timeText(t)} of ${timeText(this.duration)}${where ? `, ${where}` : ''}`);
  }

  /** @param {{wandering: boolean, elsewhere: boolean}} page elsewhere: the lesson was not in this chapter */
  update({ wandering, elsewhere }) {
    const { player } = this;
    this.show(player.t);
    const label = player.playing ? 'Pause' : 'Play';
    set(this.play, 'aria-label', label);
    set(this.play, 'title', label);
    setIcon(this.play.firstChild, player.playing ? 'pause' : 'play');
    set(this.previous, 'aria-disabled', player.t <= 0 && 'true');
    set(this.next, 'aria-disabled', player.atEnd && 'true');
    this.speed.value = String(player.speed);
    this.skip.checked = player.skip;
    const { missing } = player;
    const free = wandering || elsewhere;
    set(this.element, 'data-state', missing || free ? 'free' : 'following');
    set(this.back, 'hidden', !free);
    set(this.over, 'hidden', !missing || free);
    if (elsewhere) say(this.said, `The lesson was not in this chapter. It is at: ${this.nameOf(player.timeline.chapterAt(player.t))}.`);
    else if (wandering) say(this.said, 'On your own: the replay waits.');
    else if (missing) say(this.said, `Here the lesson was in a chapter that is not there any more: ${this.nameOf(missing)}.`);
    else say(this.said, player.atEnd && this.duration > 0 ? 'The lesson ends here.' : '');
  }

  onKey(event, { onToggle, onNext, onPrevious }) {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    const target = /** @type {Element} */ (event.target);
    if (target.closest?.(taken)) return;
    let act = null;
    if (event.key === ' ' && !event.shiftKey && !event.repeat && !target.closest?.('button, summary, a')) act = onToggle;
    else if (event.key === 'ArrowRight' && event.shiftKey) act = onNext;
    else if (event.key === 'ArrowLeft' && event.shiftKey) act = onPrevious;
    if (!act) return;
    event.preventDefault();
    act();
  }
}
