/**
 * A question to all: a follower answers and may change it until it closes; once the
 * answers are shown, they stand in a table, with a chart where charts can be drawn.
 * On a stage it is only to be looked at.
 * @module
 */
import { chartHeight } from '../model/poll.js';
import { asSentence } from '../model/sentence.js';
import { announce } from './announce.js';
import { Chart } from './chart.js';
import { el, fill, freshId, say, set } from './dom.js';
import { session } from './roomstore.js';

const longest = 80;

export class Poll {
  /**
   * @param {import('./room.js').RoomPage} page
   * @param {{answers?: boolean}} [options] whether one can answer
   */
  constructor(page, { answers = true } = {}) {
    this.page = page;
    this.answers = answers;
    /** Number and state of what is shown. */
    this.shown = '';
    this.first = true;
    this.question = el('summary', {});
    this.form = el('form', { class: 'poll-form', submit: (event) => this.submit(event) });
    this.options = el('ul', { class: 'poll-options', hidden: true });
    this.note = el('p', { class: 'poll-note' });
    this.error = el('p', { class: 'field-error', role: 'alert', hidden: true });
    this.table = el('div', { class: 'poll-counts', hidden: true });
    this.chart = new Chart();
    this.element = el('details', { class: 'room-poll', hidden: true, open: true }, this.question,
      el('div', { class: 'poll-body' }, this.options, this.form, this.error, this.note, el('div', { class: 'poll-result' }, this.table, this.chart.element)));
    document.addEventListener('wb-theme', () => this.chart.repaint());
  }

  /** @param {any} poll or null */
  update(poll) {
    set(this.element, 'hidden', !poll);
    const shown = poll ? `${poll.n} ${poll.state}` : '';
    const other = shown !== this.shown;
    this.shown = shown;
    this.poll = poll;
    if (!poll) {
      if (other) this.chart.show(null);
      return;
    }
    if (other) this.begin(poll);
    const mine = this.mine?.text;
    const counted = `Answered: ${poll.total ?? 0}.`;
    if (poll.state === 'open') say(this.note, mine === undefined ? counted : `Your answer: ${mine}. ${counted} You can change it until it closes.`);
    else if (poll.state === 'closed') say(this.note, `${mine === undefined ? '' : `Your answer: ${mine}. `}The poll is closed. ${counted}`);
    else say(this.note, this.verdict(poll, mine, counted));
    if (poll.state === 'revealed') this.reveal(poll, mine);
  }

  /** Shows another poll, or another state of it. */
  begin(poll) {
    const kept = session.read('answer');
    // The room knows it too, of who comes in another page.
    const told = this.page.room.you.answer;
    this.mine = kept?.n === poll.n ? kept : told && this.first ? { n: poll.n, text: told } : null;
    this.first = false;
    this.element.open = true;
    say(this.question, `Poll: ${poll.question}`);
    this.fault('');
    set(this.table, 'hidden', poll.state !== 'revealed');
    if (poll.state !== 'revealed') this.chart.show(null);
    const open = poll.state === 'open' && this.answers;
    set(this.form, 'hidden', !open);
    if (open) this.fields(poll);
    // Who cannot answer here sees what there is to choose from, and so does the back row.
    const choices = poll.state === 'revealed' || open ? [] : poll.choices ?? [];
    set(this.options, 'hidden', choices.length === 0);
    fill(this.options, ...choices.map((text) => el('li', {}, text)));
    const news = { open: `Poll: ${poll.question}`, closed: 'The poll is closed.', revealed: `The answers to the poll are shown. ${poll.answer ? `The right answer is ${poll.answer}.` : ''}` };
    announce('poll', news[poll.state] ?? '');
  }

  fields(poll) {
    const button = el('button', { type: 'submit', class: 'primary' }, this.mine ? 'Change my answer' : 'Answer');
    this.button = button;
    if (poll.kind === 'choice') {
      const name = freshId('poll');
      fill(this.form, el('fieldset', {}, el('legend', { class: 'unseen' }, poll.question),
        ...(poll.choices ?? []).map((text) => el('label', { class: 'poll-choice' }, el('input', { type: 'radio', name, value: text, checked: this.mine?.text === text }), ' ', text))), button);
      this.read = () => /** @type {any} */ (this.form.querySelector(':checked'))?.value ?? '';
      return;
    }
    const number = poll.kind === 'number';
    const field = el('input', { type: 'text', maxlength: String(longest), inputmode: number ? 'text' : null, autocomplete: 'off', spellcheck: 'false', size: number ? '10' : '24', value: this.mine?.text ?? '' });
    fill(this.form, el('label', {}, number ? 'A number ' : 'Your answer ', field), button);
    this.read = () => field.value.trim();
  }

  async submit(event) {
    event.preventDefault();
    const text = this.read();
    const { poll } = this;
    if (!text || !poll || this.sending) {
      if (!text) this.fault(poll?.kind === 'choice' ? 'Choose one first.' : 'Write an answer first.');
      return;
    }
    this.sending = true;
    this.fault('');
    try {
      await this.page.ask({ do: 'answer', poll: poll.n, text });
      this.mine = { n: poll.n, text };
      session.write('answer', this.mine);
      say(this.button, 'Change my answer');
      announce('answer', `Your answer is ${text}. You can change it until the poll closes.`);
      if (this.poll) this.update(this.poll);
    } catch (error) {
      this.fault(`The answer was not taken: ${error.field ? 'it ' : ''}${error.message}`);
    } finally {
      this.sending = false;
    }
  }

  /** Says what is wrong, "" for nothing. */
  fault(text) {
    set(this.error, 'hidden', !text);
    say(this.error, text && asSentence(text));
  }

  verdict(poll, mine, counted) {
    const right = poll.answer ? `The right answer: ${poll.answer}. ` : '';
    return `${right}${mine === undefined ? '' : `Yours: ${mine}. `}${counted}`;
  }

  reveal(poll, mine) {
    const counts = poll.counts ?? [];
    fill(this.table, el('table', {},
      el('caption', { class: 'unseen' }, `Answers to: ${poll.question}`),
      el('thead', {}, el('tr', {}, el('th', { scope: 'col' }, 'Answer'), el('th', { scope: 'col' }, 'How many'))),
      el('tbody', {}, ...counts.map(({ text, count, right }) => el('tr', { 'data-right': right && 'true' },
        el('th', { scope: 'row' }, text, right && el('span', { class: 'poll-right' }, ' ✓ right'), mine !== undefined && same(text, mine, poll.kind) && el('span', { class: 'poll-mine' }, ' yours')),
        el('td', {}, String(count)))))));
    this.chart.canvas.style.height = chartHeight(counts.length);
    this.chart.show(poll.chart ?? null, `Answers to: ${poll.question}. The table beside it says the same.`);
  }
}

/** Whether two answers are one, as a room counts them. */
function same(a, b, kind) {
  const plain = (text) => text.replace(/\s+/g, ' ').trim();
  if (kind === 'number') return Number(a) === Number(plain(b).replaceAll('−', '-').replaceAll(' ', ''));
  return kind === 'text' ? plain(a).toLowerCase() === plain(b).toLowerCase() : a === b;
}
