/**
 * The next step as the class will see it: a page of its own in a frame, which says
 * what the step is called.
 * @module
 */
import { el, say, set } from '../part/dom.js';

export class Ahead {
  /**
   * @param {import('./desk.js').Desk} desk
   * @param {Element} place
   */
  constructor(desk, place) {
    this.desk = desk;
    this.title = el('p', { class: 'desk-ahead-title' });
    // Nothing in it is for the keyboard: the stage is.
    this.frame = el('iframe', { class: 'desk-frame', title: 'Preview of the next step', tabindex: '-1', loading: 'lazy', inert: true });
    this.box = el('div', { class: 'desk-frame-box' }, this.frame);
    this.button = el('button', { type: 'button', class: 'small', click: () => this.toggle() });
    place.append(this.title, this.box, this.button);
    const narrow = matchMedia('(max-width: 60rem)');
    this.shown = !narrow.matches;
    addEventListener('message', (event) => {
      if (event.origin !== location.origin || event.source !== this.frame.contentWindow) return;
      this.hear(event.data);
    });
    new ResizeObserver(() => this.fit()).observe(this.box);
  }

  /** @param {any} data */
  hear(data) {
    const text = (value) => (typeof value === 'string' ? value : '');
    const number = (value) => (Number.isInteger(value) && value >= 0 ? value : 0);
    if (data?.type !== 'wb-preview') return;
    this.desk.previewed = {
      chapter: text(data.chapter), widget: text(data.widget),
      now: text(data.now), next: text(data.next), step: number(data.step), last: number(data.last),
    };
    this.desk.tell('news', ['widget']);
  }

  /** The frame is a page of a usual width, made smaller. */
  fit() {
    const { clientWidth } = this.box;
    if (clientWidth > 0) this.frame.style.transform = `scale(${clientWidth / pageWidth})`;
  }

  toggle() {
    this.shown = !this.shown;
    this.update();
  }

  update() {
    const { desk } = this;
    const { chapter, widget, view, step, last } = desk.front;
    const from = chapter && desk.known && this.shown && desk.gone === '' ? `/rooms/${desk.code}/preview/${encodeURIComponent(chapter)}` : '';
    if (from !== this.from) {
      this.from = from;
      set(this.frame, 'src', from || null);
    }
    set(this.box, 'hidden', from === '');
    say(this.button, this.shown ? 'Hide the preview' : 'Show the preview');
    const { after } = desk;
    if (!desk.known) say(this.title, '');
    else if (view && step < last) say(this.title, desk.course.stepTitle(chapter, widget, step + 1, view) || desk.titleThen(chapter, widget, step));
    else if (after) say(this.title, `Next example: ${after.title}`);
    else say(this.title, view ? 'This is the last step of the chapter’s last example.' : 'No example stands below.');
  }
}

/** Pixels of the page in the frame: deskahead.css has them too. */
const pageWidth = 960;
