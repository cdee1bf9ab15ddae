/**
 * What has to be said across the desk: nobody is there yet, the connection is gone,
 * the wheel is, the room is.
 * @module
 */
import { announce } from '../part/announce.js';
import { el, fill, set } from '../part/dom.js';

/** Failures of the connection in a row after which the workbench is asked why. */
const patience = 2;

/** Milliseconds for which a refusal stays. */
const shownFor = 8000;

export class Says {
  /**
   * @param {import('./desk.js').Desk} desk
   * @param {Element} place
   */
  constructor(desk, place) {
    this.desk = desk;
    this.lasting = el('div', { class: 'desk-lasting' });
    this.passing = el('div', { class: 'desk-passing' });
    place.append(this.lasting, this.passing);
    desk.addEventListener('fault', (/** @type {any} */ { detail }) => this.fault(detail));
    desk.addEventListener('connection', () => {
      if (desk.live.state.name === 'waiting' && desk.live.failures >= patience) this.askWhy();
    });
  }

  /** @param {string} text */
  fault(text) {
    clearTimeout(this.timer);
    announce('fault', text);
    fill(this.passing, el('p', { class: 'desk-say', 'data-kind': 'fault' }, text, ' ',
      el('button', { type: 'button', class: 'small', 'aria-label': 'Dismiss this message', click: () => fill(this.passing) }, 'Dismiss')));
    this.timer = setTimeout(() => fill(this.passing), shownFor);
  }

  /**
   * A connection that is refused does not say why; the page's own address does: the
   * room may be unknown after a restart, or this browser no presenter any more.
   */
  async askWhy() {
    if (this.asking || this.desk.gone !== '') return;
    this.asking = true;
    try {
      const { status } = await fetch(location.pathname, { method: 'HEAD', cache: 'no-store' });
      this.desk.gone = { 404: 'forgotten', 410: 'forgotten', 403: 'forbidden', 401: 'forbidden' }[status] ?? '';
      // A code that nobody knows is not asked for again and again: a network may do that so often and no more.
      if (this.desk.gone !== '') this.desk.live.close();
      this.desk.tell('news', []);
    } catch {
      // There is no workbench at all: the connection's own state says so.
    } finally {
      this.asking = false;
    }
  }

  update() {
    const { desk } = this;
    const [kind, ...content] = this.now();
    const key = JSON.stringify([kind, ...content.filter((c) => typeof c === 'string')]);
    if (key !== this.drawn) {
      this.tell(kind, content);
      this.drawn = key;
      fill(this.lasting, kind !== '' && el('p', { class: 'desk-say', 'data-kind': kind }, ...content));
    }
    set(document.body, 'data-ended', desk.ended || null);
  }

  /** Says it to who does not see it, where something is to be done, and that it is over. */
  tell(kind, content) {
    const { away } = this;
    this.away = kind === 'fault';
    if (away && !this.away && this.desk.open) announce('notice', 'Connected again.');
    if (kind !== 'fault' && kind !== 'ask') return;
    announce('notice', content.map((one) => (one.localName === 'button' ? '' : one.textContent ?? one)).join('').trim());
  }

  /** @returns {any[]} the kind of what is to be said, "" for nothing, and its content */
  now() {
    const { desk } = this;
    if (desk.gone === 'forgotten') {
      return ['fault', 'The workbench does not know this room any more. What is shown here is the last that it told. Open a new room with ', el('code', {}, './course present'), ' or from ', el('a', { href: '/' }, 'the contents'), '.'];
    }
    if (desk.gone === 'forbidden') {
      return ['fault', 'This browser does not lead this room any more. Ask a presenter for an invitation, or open the link that ', el('code', {}, './course present'), ' prints.'];
    }
    if (desk.ended) return ['quiet', 'This lesson has ended. Its file is under “End of the lesson”.'];
    if (!desk.open && desk.known) return ['fault', 'There is no connection to the workbench. The class keeps what it sees, and the desk takes up again where the room is when the connection is back.'];
    if (!desk.known) return ['', ''];
    const wants = desk.room.mine ? desk.class.presenters.filter((p) => p.wants && !p.driving && p.id !== desk.room.you.presenter) : [];
    if (wants.length > 0) {
      const [{ id }] = wants;
      return ['ask', `${desk.nameOf(id)} asks for the wheel. `, el('button', { type: 'button', class: 'small', click: () => desk.tryTo({ do: 'wheel', act: 'give', to: id }) }, 'Give it')];
    }
    if (desk.room.class && desk.class.following + desk.class.free === 0) {
      return ['quiet', 'Nobody follows yet. ', el('button', { type: 'button', class: 'small', click: () => document.getElementById('show-door')?.click() }, 'Show how to join')];
    }
    return ['', ''];
  }
}
