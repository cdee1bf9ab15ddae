/**
 * The controls of a stepper: first, previous, play, next, last, a slider, the
 * speed, help on the keys and a link to the step.
 * @module
 */
import { keyCommand, speeds } from '../model/stepper.js';
import { el, freshId, icon, say, set, setIcon } from './dom.js';

const keys = (word) => [
  ['→ or j', `next ${word}`],
  ['← or k', `previous ${word}`],
  ['Home, End', `first and last ${word}`],
  ['Space or p', 'play and pause'],
  ['?', 'this help'],
  ['arrow keys in a table', 'walk from cell to cell (j and k still step)'],
  ['Enter in a table', 'choose the cell and see what made it'],
];

export class StepBar {
  /**
   * @param {import('../model/stepper.js').Stepper} stepper
   * @param {(index: number) => string} titleOf a step's title
   * @param {object} [words]
   * @param {string} [words.word] what a step is called
   * @param {(index: number, last: number) => string} [words.counted] which one it is
   * @param {string[][]} [words.more] keys that the widget has beside, and what each does
   */
  constructor(stepper, titleOf, { word = 'step', counted = (index, last) => `step ${index} of 0–${last}`, more = [] } = {}) {
    this.stepper = stepper;
    this.titleOf = titleOf;
    this.counted = counted;
    const Word = word[0].toUpperCase() + word.slice(1);
    const button = (name, label, act) => {
      const made = el('button', { type: 'button', class: 'step-button', 'aria-label': label, title: label, click: act }, icon(name));
      return made;
    };
    this.first = button('first', `First ${word}`, () => stepper.go(0));
    this.previous = button('previous', `Previous ${word}`, () => stepper.previous());
    this.play = button('play', 'Play', () => stepper.toggle());
    this.next = button('next', `Next ${word}`, () => stepper.next());
    this.last = button('last', `Last ${word}`, () => stepper.go(stepper.last));

    this.sliding = false;
    this.slider = el('input', {
      type: 'range', class: 'step-slider', min: '0', step: '1', 'aria-label': Word,
      input: () => {
        // The first move of a drag can be undone with Back, the rest go along.
        stepper.go(Number(this.slider.value), this.sliding ? 'slide' : 'jump');
        this.sliding = true;
      },
      change: () => {
        this.sliding = false;
      },
    });
    this.count = el('span', { class: 'step-count' });
    this.speed = el('select', { class: 'step-speed', 'aria-label': 'Playing speed', change: () => stepper.setSpeed(Number(this.speed.value)) },
      ...speeds.map((speed) => el('option', { value: String(speed), selected: speed === stepper.speed }, `${speed}×`)));
    this.link = el('a', { class: 'step-link', href: '#', title: `Link to this ${word}`, 'aria-label': `Link to this ${word}` }, icon('link'));

    const helpId = freshId('help');
    this.help = el('div', { id: helpId, class: 'help', popover: 'auto', role: 'dialog', 'aria-label': 'Keys' },
      el('p', { class: 'help-title' }, 'Keys, while the focus is in this example'),
      el('dl', {}, ...[...keys(word), ...more].flatMap(([key, what]) => [el('dt', {}, el('kbd', {}, key)), el('dd', {}, what)])));
    this.helpButton = el('button', { type: 'button', class: 'step-button', 'aria-label': 'Help on keys', title: 'Help on keys', popovertarget: helpId }, '?');

    this.element = el('div', { class: 'stepbar', role: 'group', 'aria-label': `${Word}s` },
      el('span', { class: 'step-buttons' }, this.first, this.previous, this.play, this.next, this.last),
      this.slider, this.count,
      el('span', { class: 'step-more' }, this.speed, this.link, this.helpButton), this.help);
    this.update();
  }

  /** @param {string} [href] of the step's link */
  update(href) {
    const { stepper } = this;
    const { index, last, playing } = stepper;
    if (this.slider.max !== String(last)) this.slider.max = String(last);
    if (this.slider.value !== String(index)) this.slider.value = String(index);
    const counted = this.counted(index, last);
    set(this.slider, 'aria-valuetext', `${counted[0].toUpperCase()}${counted.slice(1)}: ${this.titleOf(index)}`);
    set(this.slider, 'disabled', last === 0);
    say(this.count, counted);
    // Not disabled: the focus would be lost where a reader steps to the end.
    for (const button of [this.first, this.previous]) set(button, 'aria-disabled', stepper.atFirst && 'true');
    for (const button of [this.next, this.last]) set(button, 'aria-disabled', stepper.atLast && 'true');
    const word = playing ? 'Pause' : 'Play';
    set(this.play, 'aria-label', word);
    set(this.play, 'title', word);
    setIcon(this.play.firstChild, playing ? 'pause' : 'play');
    if (href) set(this.link, 'href', href);
  }

  /**
   * Acts on a key pressed somewhere in the widget, unless what has the focus
   * needs the key itself.
   * @param {KeyboardEvent} event
   */
  onKey(event) {
    if (event.defaultPrevented) return;
    const target = /** @type {Element} */ (event.target);
    if (target.closest('input, textarea, select, dialog, [popover], .own-keys')) return;
    const command = keyCommand(event);
    if (!command) return;
    // Space presses a button and opens a disclosure.
    if (event.key === ' ' && target.closest('button, summary, a')) return;
    event.preventDefault();
    const { stepper } = this;
    const cause = event.repeat ? 'slide' : 'jump';
    if (command === 'next') stepper.next(cause);
    else if (command === 'previous') stepper.previous(cause);
    else if (command === 'first') stepper.go(0);
    else if (command === 'last') stepper.go(stepper.last);
    else if (command === 'toggle') stepper.toggle();
    else this.help.togglePopover?.();
  }
}
