/**
 * Who presents: one has the wheel, gives it away, and invites another.
 * @module
 */
import { el, fill, say, set } from '../part/dom.js';
import { joinAddress } from '../part/door.js';

/** Minutes for which the link of an invitation works: the room's rule. */
const lapses = 15;

export class Presenters {
  /**
   * @param {import('./desk.js').Desk} desk
   * @param {Element} place
   */
  constructor(desk, place) {
    this.desk = desk;
    this.list = el('ul', { class: 'desk-list' });
    this.invite = el('button', { type: 'button', click: () => this.ask() }, 'Invite a co-presenter');
    this.link = el('div', { class: 'desk-link', hidden: true });
    place.append(this.list, this.invite, this.link);
  }

  update() {
    const { desk } = this;
    const { presenters } = desk.class;
    const { mine } = desk.room;
    const key = JSON.stringify([presenters, mine, desk.ended, desk.room.you.presenter]);
    if (key !== this.drawn) {
      this.drawn = key;
      const had = this.list.contains(document.activeElement);
      fill(this.list, ...presenters.map((p) => this.row(p, mine && !desk.ended)));
      if (had) this.list.querySelector('button')?.focus();
    }
    set(this.invite, 'hidden', desk.ended);
    // Who was invited is here, or nobody presents any more.
    if (!this.link.hidden && (desk.ended || presenters.length > this.before)) this.forget(this.link.contains(document.activeElement));
  }

  row({ id, here, driving, wants }, mine) {
    const name = this.desk.nameOf(id);
    const own = id === this.desk.room.you.presenter;
    const facts = [driving && !this.desk.ended && (own ? 'have the wheel' : 'has the wheel'), wants && !driving && !this.desk.ended && (own ? 'want the wheel' : 'wants the wheel'), !here && 'not connected'].filter(Boolean);
    return el('li', { 'data-wants': wants && !driving && !own && !this.desk.ended },
      el('span', {}, el('strong', {}, name), facts.length > 0 && ` ${facts.join(', ')}`),
      mine && !own && here && el('button', { type: 'button', class: 'small', 'aria-label': `Give the wheel to ${name}`, click: () => this.desk.tryTo({ do: 'wheel', act: 'give', to: id }) }, 'Give the wheel'));
  }

  async ask() {
    const answer = await this.desk.tryTo({ do: 'invite' });
    const path = answer?.room?.path ?? '';
    if (!path) return;
    const base = joinAddress();
    const link = new URL(path, base || location.href).href;
    const until = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit' }).format(Date.now() + lapses * 60_000);
    const secret = el('output', { class: 'desk-secret', hidden: true });
    const said = el('span', { role: 'status', class: 'copied' });
    const show = el('button', {
      type: 'button', 'aria-expanded': 'false', click: () => {
        const hide = !secret.hidden;
        set(secret, 'hidden', hide);
        say(secret, hide ? '' : link);
        say(show, hide ? 'Show link' : 'Hide link');
        set(show, 'aria-expanded', String(!hide));
      },
    }, 'Show link');
    const copy = el('button', {
      type: 'button', click: async () => {
        try {
          await navigator.clipboard.writeText(link);
          say(said, 'Copied');
        } catch {
          // Without a clipboard, which only localhost and https have, it is chosen for the presenter's own keys.
          if (secret.hidden) show.click();
          getSelection()?.selectAllChildren(secret);
          say(said, 'Chosen: copy it with Ctrl-C');
        }
      },
    }, 'Copy link');
    fill(this.link,
      el('p', {}, `Whoever opens this link presents with you. It is a secret: keep it off the projector. It works once, until ${until}.`),
      el('div', { class: 'desk-row' }, copy, show, el('button', { type: 'button', click: () => this.forget() }, 'Done'), said),
      secret);
    this.before = this.desk.class.presenters.length;
    set(this.link, 'hidden', false);
    copy.focus();
  }

  /** @param {boolean} [focus] whether the focus goes to where the next link is made */
  forget(focus = true) {
    fill(this.link);
    set(this.link, 'hidden', true);
    if (focus) this.invite.focus();
  }
}
