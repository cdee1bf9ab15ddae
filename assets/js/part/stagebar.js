/**
 * The bar at the foot of a stage: how others join, how the room works, who has the
 * wheel, the pointer, and the way to the desk. All of it may be projected.
 * @module
 */
import { asSentence } from '../model/sentence.js';
import { announce } from './announce.js';
import { el, fill, say, set } from './dom.js';
import { joinAddress } from './door.js';
import { exampleKeys } from './examples.js';
import { frontOf, keyMark } from './front.js';
import { addBar } from './lessonbar.js';
import { Outage } from './outage.js';
import { live, room as here } from './page.js';
import { Poll } from './poll.js';
import { roomKeys } from './roomkeys.js';
import { StageDoor } from './stagedoor.js';

const saidFor = 8000;

const modes = { follow: 'All follow', free: 'All work on their own', locked: 'All follow, locked' };

export class StageBar {
  /**
   * @param {import('./room.js').RoomPage} page
   * @param {{onPointer: () => void, onExample: (example: any) => void}} options
   */
  constructor(page, { onPointer, onExample }) {
    this.page = page;
    this.drove = false;
    this.text = el('p', { class: 'room-state' });
    this.said = el('p', { class: 'room-said' });
    this.wheel = el('button', { type: 'button', class: 'primary', hidden: true, click: () => this.take() }, 'Take the wheel');
    this.give = el('button', { type: 'button', hidden: true, click: () => this.giveIt() }, 'Give it');
    this.pointer = el('button', { type: 'button', class: 'room-point', 'aria-pressed': 'false', click: onPointer }, el('span', {}, 'Pointer'), keyMark('.'));
    this.poll = new Poll(page, { answers: false });
    const door = new StageDoor(here.code);
    // As the server says, or as this page was reached. It has no secret in it.
    const address = joinAddress().replace(/^\w+:\/\//, '') || `${location.host}/join/${here.code}`;
    const join = el('p', { class: 'room-join' }, 'Join: ', el('strong', {}, address), ' ', door.button);
    door.button?.append(keyMark('q'));
    const desk = el('a', { href: `/rooms/${here.code}/desk`, target: `wb-desk-${here.code}` }, 'Desk');
    const keys = roomKeys([
      { key: '.', what: 'the pointer, on and off', act: onPointer },
      { key: 'l', what: 'the same, where the example in focus has no l of its own', act: onPointer },
      ...door.keys,
      { key: 'f', what: 'to what is in front in the lesson', act: () => this.toFront() },
      ...exampleKeys(onExample),
      { key: 'r', what: 'to this bar', act: () => this.element.focus() },
    ]);
    this.element = el('aside', { class: 'room-bar room-stage', id: 'room-bar', 'aria-label': 'The room', tabindex: '-1' },
      this.poll.element, this.said,
      el('div', { class: 'room-row' }, join, this.text, this.wheel, this.give, el('span', { class: 'room-tools' }, this.pointer, desk, keys.button)), keys.help);
    this.outage = new Outage({
      lost: 'The connection is lost: what you do reaches the others when it is back.',
      onChange: () => this.update(),
    });
    addBar(this.element);
    this.update();
  }

  say(sentence) {
    clearTimeout(this.timer);
    say(this.said, asSentence(sentence));
    if (sentence) announce('said', asSentence(sentence));
    this.timer = setTimeout(() => say(this.said, ''), saidFor);
  }

  toFront() {
    const front = frontOf(this.page.room.state?.at);
    if (front) this.page.reach(front);
  }

  pointing(on) {
    set(this.pointer, 'aria-pressed', String(on));
  }

  async take() {
    try {
      if (!await this.page.takeWheel()) this.say('Asked: who has the wheel sees that you want it.');
    } catch (error) {
      this.say(`The wheel could not be taken: ${error.message}`);
    }
  }

  async giveIt() {
    try {
      await this.page.ask({ do: 'wheel', act: 'give', to: this.wanting });
    } catch (error) {
      this.say(`The wheel could not be given: ${error.message}`);
    }
  }

  /** The connection is another. */
  connection() {
    this.outage.update();
  }

  update() {
    const { room } = this.page;
    const [name, ...text] = this.describe(room);
    set(this.element, 'data-state', name);
    fill(this.text, ...text);
    const known = Boolean(room.state) && !room.ended;
    if (room.mine !== this.drove) this.say(''); // what was said of the wheel is over
    this.drove = room.mine;
    set(this.wheel, 'hidden', !known || room.mine);
    set(this.pointer, 'hidden', !known);
    this.wanting = room.mine ? room.class?.presenters?.find(({ id, wants }) => wants && id !== room.you.presenter)?.id ?? '' : '';
    set(this.give, 'hidden', !this.wanting);
    if (this.wanting && !this.asked) announce('asked', 'A co-presenter asks for the wheel.');
    this.asked = Boolean(this.wanting);
    this.poll.update(room.ended ? null : room.poll);
  }

  describe(room) {
    const strong = (text) => el('strong', {}, text);
    if (live.state.name === 'waiting') return ['offline', strong('Not connected.'), ` Trying again in ${this.outage.seconds} s; what you do reaches the others then.`];
    if (!room.state || !live.open) return ['offline', 'Connecting …'];
    if (room.ended) return ['ended', strong('The lesson has ended.')];
    const present = room.class ? ` · ${room.class.following + room.class.free} here` : '';
    const mode = modes[room.mode] ?? room.mode;
    if (room.mine) return ['drives', strong('You drive.'), ` ${mode}${present}.`, this.wanting ? ' A co-presenter asks for the wheel.' : ''];
    if (room.state.driver === '') return ['locked', strong('Nobody drives.'), ` ${mode}${present}.`];
    return ['locked', strong('A co-presenter drives;'), ` this page follows. ${mode}${present}.`];
  }
}
