/**
 * The bar at the foot of a follower's page: how the page stands to the lesson, the way
 * back, and what one can tell the presenter without a name.
 * @module
 */
import { asSentence } from '../model/sentence.js';
import { announce } from './announce.js';
import { AskQuestion } from './askquestion.js';
import { el, fill, say, set } from './dom.js';
import { exampleKeys } from './examples.js';
import { keyMark, whereabouts } from './front.js';
import { Outage } from './outage.js';
import { chapter, live } from './page.js';
import { Poll } from './poll.js';
import { roomKeys } from './roomkeys.js';
import { session } from './roomstore.js';

/** Milliseconds for which a sentence stays. */
const saidFor = 6000;

export class LessonBar {
  /**
   * @param {import('./room.js').RoomPage} page
   * @param {{onBack: () => void}} options
   */
  constructor(page, { onBack }) {
    this.page = page;
    this.lost = session.read('lost') === true;
    this.text = el('p', { class: 'room-state' });
    this.said = el('p', { class: 'room-said' });
    this.backButton = el('button', { type: 'button', class: 'primary', hidden: true, click: onBack }, el('span', {}, 'Back to the lesson'), keyMark('f'));
    this.lesson = el('a', { hidden: true, download: true }, 'Keep the lesson, one file');
    this.lostButton = el('button', { type: 'button', class: 'room-lost', 'aria-pressed': String(this.lost), click: () => this.setLost(!this.lost) }, 'I am lost');
    this.ask = new AskQuestion(page);
    this.poll = new Poll(page);
    const keys = roomKeys([
      { key: 'f', what: 'back to the lesson, or to what is in front in it', act: onBack },
      ...exampleKeys(),
      { key: 'r', what: 'to this bar', act: () => this.element.focus() },
    ]);
    this.tools = el('span', { class: 'room-tools' }, this.lostButton, this.ask.button, keys.button);
    this.element = el('aside', { class: 'room-bar', id: 'room-bar', 'aria-label': 'The lesson', tabindex: '-1' },
      this.poll.element, this.said,
      el('div', { class: 'room-row' }, this.text, this.backButton, this.lesson, this.tools), this.ask.element, keys.help);
    this.outage = new Outage({
      lost: 'The connection is lost. The page shows the last that came, and tries again by itself.',
      onChange: () => this.update(),
    });
    addBar(this.element);
    this.update();
  }

  /** Says something for a while. */
  say(sentence) {
    clearTimeout(this.timer);
    say(this.said, asSentence(sentence));
    announce('said', asSentence(sentence));
    this.timer = setTimeout(() => say(this.said, ''), saidFor);
  }

  async setLost(lost) {
    this.show(lost);
    try {
      await this.page.ask({ do: 'lost', lost });
      announce('lost', lost ? 'The presenter sees one more who is lost, and not who.' : 'The presenter counts you as not lost.');
    } catch (error) {
      this.show(!lost);
      this.say(`That could not be told: ${error.message}`);
    }
  }

  /** Of each connection the room knows nothing yet. */
  greet() {
    const { found = 0 } = this.page.room.state ?? {};
    if (this.lost && session.read('found') === found && !this.page.room.ended) {
      this.page.ask({ do: 'lost', lost: true }).catch(() => {}); // the next connection brings another try
    }
  }

  /** The presenter counts nobody as lost any more. */
  unlose() {
    const { found = 0 } = this.page.room.state ?? {};
    if (this.lost && session.read('found') !== found) this.show(false);
  }

  show(lost) {
    this.lost = lost;
    session.write('found', this.page.room.state?.found ?? 0);
    session.write('lost', lost);
    set(this.lostButton, 'aria-pressed', String(lost));
  }

  /** The connection is another. */
  connection() {
    this.outage.update();
  }

  update() {
    const { room } = this.page;
    if (room.mode !== this.mode) {
      // What was said, that the page is locked say, was of another mode.
      this.mode = room.mode;
      clearTimeout(this.timer);
      say(this.said, '');
    }
    const [name, ...text] = this.describe(room);
    set(this.element, 'data-state', name);
    fill(this.text, ...text);
    set(this.backButton, 'hidden', !(room.free && !room.ended && room.state));
    say(this.backButton.firstChild, room.mode === 'free' ? 'Go to the lesson' : 'Back to the lesson');
    const { lesson = '' } = room.state ?? {};
    set(this.lesson, 'hidden', !(room.ended && lesson));
    if (lesson) set(this.lesson, 'href', lesson);
    set(this.tools, 'hidden', room.ended);
    this.poll.update(room.ended ? null : room.poll);
  }

  /** @returns {(string | Node)[]} the state's name, and the sentence */
  describe(room) {
    const { state } = room;
    const strong = (text) => el('strong', {}, text);
    if (live.state.name === 'waiting') return ['offline', strong('Not connected.'), ` Trying again in ${this.outage.seconds} s. What you see is the last that came.`];
    if (!state) return ['offline', live.open ? 'The lesson comes …' : 'Connecting …'];
    if (!live.open) return ['offline', strong('Connecting …'), ' What you see is the last that came.'];
    if (room.ended) return ['ended', strong('The lesson has ended.'), ' The page is yours.'];
    const where = whereabouts(room.lesson, chapter);
    const at = where ? ` The lesson is at: ${where}.` : '';
    if (room.free) return ['free', strong(room.mode === 'free' ? 'Everybody works on their own.' : 'On your own.'), at];
    const away = state.here ? '' : ' The presenter is away for the moment.';
    if (room.mode === 'locked') return ['locked', strong('Following, locked.'), away || ' The presenter holds the page.'];
    return ['following', strong('Following the lesson.'), away];
  }
}

/**
 * Puts a bar at the foot of the page, and keeps what has the focus from under it.
 * @param {HTMLElement} bar
 */
export function addBar(bar) {
  document.body.append(bar);
  const { style } = document.documentElement;
  new ResizeObserver(() => style.setProperty('--room-bar', `${Math.ceil(bar.getBoundingClientRect().height)}px`)).observe(bar);
  document.querySelector('.skip-link')?.after(el('a', { class: 'skip-link', href: '#room-bar' }, 'Skip to the lesson’s bar'));
}
