/**
 * A question to the class: written, or asked with one press; its answers as they come,
 * as a chart and as a table.
 * @module
 */
import { atStep, cellInFront, cellName } from '../model/course.js';
import { answered, cellQuestion, chartHeight, mostQuestion, openPoll, pollOfNote } from '../model/poll.js';
import { Chart } from '../part/chart.js';
import { el, fill, freshId, say, set } from '../part/dom.js';

const kinds = [['number', 'a number'], ['text', 'a text'], ['choice', 'one of several']];
/** Cells that are asked for with one press: the one in front, and the next step's. */
const cellsOf = /** @type {const} */ (['now', 'next']);
const states = { open: 'open', closed: 'closed', revealed: 'shown to the class' };

export class Poll {
  /**
   * @param {import('./desk.js').Desk} desk
   * @param {Element} place
   */
  constructor(desk, place) {
    this.desk = desk;
    this.place = place;
    const form = this.makeForm();
    place.append(this.makeOpen(), form);
  }

  makeForm() {
    const field = (label, control, hint = '') => {
      control.id = freshId('poll');
      return el('div', { class: 'desk-field' }, el('label', { for: control.id }, label, hint && el('span', { class: 'desk-hint' }, ` ${hint}`)), control);
    };
    this.cellAnswer = el('input', { type: 'text', inputmode: 'decimal', autocomplete: 'off', placeholder: 'right answer', 'aria-label': 'Right answer for the cell, if it is to be marked' });
    this.cellButtons = cellsOf.map((which) => el('button', { type: 'button', class: which === 'now' ? 'primary' : null, click: () => this.askCell(which) }));
    this.cellRow = el('div', { class: 'desk-cell', hidden: true }, ...this.cellButtons, this.cellAnswer);

    this.question = el('input', { type: 'text', maxlength: String(mostQuestion), autocomplete: 'off' });
    this.kind = el('select', { change: () => this.shape() }, ...kinds.map(([value, word]) => el('option', { value }, word)));
    this.choices = el('textarea', { rows: '3' });
    this.answer = el('input', { type: 'text', autocomplete: 'off' });
    this.choicesField = field('Choices', this.choices, 'one a line');
    this.fault = el('p', { class: 'desk-fault', role: 'alert', hidden: true, id: freshId('fault') });
    this.form = el('form', {
      class: 'desk-poll-form', 'aria-label': 'A new poll', submit: (event) => {
        event.preventDefault();
        this.send(openPoll({ question: this.question.value, kind: this.kind.value, choices: this.choices.value, answer: this.answer.value }, this.desk.about));
      },
    },
    field('Question', this.question),
    field('The answer is', this.kind),
    this.choicesField,
    field('Right answer', this.answer, 'if there is one'),
    this.fault,
    el('button', {}, 'Ask the class'));
    this.write = el('details', { class: 'desk-write' }, el('summary', {}, 'Write a question'), this.form);
    this.closed = el('div', { class: 'desk-poll-new' }, this.cellRow, this.write);
    this.shape();
    return this.closed;
  }

  makeOpen() {
    this.asked = el('p', { class: 'desk-poll-question' });
    this.state = el('p', { class: 'desk-hint' });
    this.chart = new Chart();
    this.table = el('tbody', {});
    this.counts = el('table', { class: 'desk-counts' },
      el('thead', {}, el('tr', {}, el('th', { scope: 'col' }, 'Answer'), el('th', { scope: 'col', class: 'desk-number' }, 'People'))), this.table);
    const act = (name, word) => el('button', { type: 'button', click: () => this.act(name) }, word);
    this.close = act('close', 'Close');
    this.reveal = act('reveal', 'Show the answers to the class');
    this.clear = act('clear', 'Clear');
    this.numbers = el('details', { class: 'desk-numbers', open: !Chart.possible }, el('summary', {}, 'As a table'), this.counts);
    this.opened = el('div', { class: 'desk-poll-open', hidden: true, tabindex: '-1' },
      this.asked, this.state, this.chart.element, this.numbers,
      el('div', { class: 'desk-row' }, this.close, this.reveal, this.clear));
    document.addEventListener('wb-theme', () => this.chart.repaint());
    return this.opened;
  }

  // --- Asking.

  async act(name) {
    if (!(await this.desk.tryTo({ do: 'poll', act: name }))) return;
    if (name === 'clear') this.focusNew();
  }

  /** @param {import('../model/course.js').Note} note */
  askNote(note) {
    return this.send(pollOfNote(note, this.desk.about));
  }

  /**
   * The cell that the class sees, or the one that the next step makes: who is asked before, predicts.
   * @param {'now' | 'next'} which
   * @returns {{cell: number[], step: number} | null}
   */
  cell(which) {
    const { course, front: { chapter, widget, view, step } } = this.desk;
    const example = course.example(chapter, widget);
    const then = which === 'now' ? view : view && example && atStep(view, example.kind, step + 1);
    const cell = cellInFront(example, then);
    return cell && { cell, step: which === 'now' ? step : step + 1 };
  }

  /** @param {'now' | 'next'} [which] the one that there is, if none is named */
  askCell(which = this.cell('now') ? 'now' : 'next') {
    const { desk } = this;
    const found = this.cell(which);
    if (!found) return null;
    const { chapter, widget, view } = desk.front;
    const notes = desk.course.chapter(chapter)?.notes ?? [];
    const { question, answer } = cellQuestion(found.cell, desk.course.example(chapter, widget), view?.ran ? [] : notes);
    const form = { question, kind: 'number', choices: '', answer: this.cellAnswer.value.trim() || answer };
    return this.send(openPoll(form, { ...desk.about, step: found.step, cell: found.cell.join(',') }));
  }

  /** @param {ReturnType<typeof openPoll>} made */
  async send({ body, field, fault }) {
    this.say(field ?? '', fault ?? '');
    if (!body) return;
    const answer = await this.desk.tryTo(body);
    if (!answer) return;
    this.form.reset();
    this.cellAnswer.value = '';
    this.write.open = false;
    this.shape();
  }

  say(field, fault) {
    say(this.fault, fault);
    set(this.fault, 'hidden', fault === '');
    const wrong = { question: this.question, choices: this.choices, answer: this.answer }[field];
    for (const control of [this.question, this.choices, this.answer]) {
      set(control, 'aria-invalid', control === wrong ? 'true' : null);
      set(control, 'aria-describedby', control === wrong ? this.fault.id : null);
    }
    if (fault) this.write.open = true;
    wrong?.focus();
  }

  shape() {
    set(this.choicesField, 'hidden', this.kind.value !== 'choice');
  }

  /** Goes to the poll: to the one that is open, or to where one is written. */
  focus() {
    if (this.desk.room.poll?.state === 'open') this.opened.focus();
    else this.focusNew();
  }

  focusNew() {
    this.update();
    this.write.open = true;
    this.question.focus();
  }

  // --- What there is.

  update() {
    const { desk } = this;
    const { poll } = desk.room;
    // Another question takes the place of one that takes no more answers.
    set(this.closed, 'hidden', poll?.state === 'open' || desk.ended);
    set(this.opened, 'hidden', !poll);
    set(this.place, 'hidden', !poll && desk.ended);
    const { chapter, widget } = desk.front;
    const found = cellsOf.map((which) => this.cell(which));
    set(this.cellRow, 'hidden', found.every((one) => one === null));
    found.forEach((one, at) => {
      set(this.cellButtons[at], 'hidden', one === null);
      if (one) say(this.cellButtons[at], `${at === 0 ? 'Ask' : 'Ask ahead'}: what is ${cellName(one.cell, desk.course.example(chapter, widget))}?`);
    });
    if (!poll) {
      this.drawn = '';
      this.chart.show(null);
      return;
    }
    say(this.asked, poll.question);
    const { following, free } = desk.class;
    const right = poll.answer ? ` The right answer is ${poll.answer}.` : '';
    say(this.state, `${answered(poll.total ?? 0, following + free)}. The poll is ${states[poll.state] ?? poll.state}.${right}`);
    const counts = poll.counts ?? [];
    set(this.numbers, 'hidden', counts.length === 0);
    const key = JSON.stringify([poll.n, counts]);
    if (key !== this.drawn) {
      this.drawn = key;
      fill(this.table, ...counts.map(({ text, count, right }) => el('tr', { class: right ? 'desk-right' : null },
        el('th', { scope: 'row' }, right ? '✓ ' : '', text, right && el('span', { class: 'desk-hint' }, ' right')), el('td', { class: 'desk-number' }, String(count)))));
      this.chart.canvas.style.height = chartHeight(counts.length);
      this.chart.show(poll.chart ?? null, `Answers: ${counts.map(({ text, count, right }) => `${text} ${count}${right ? ', which is right' : ''}`).join('; ')}`);
    }
    set(this.close, 'hidden', poll.state !== 'open' || desk.ended);
    set(this.reveal, 'hidden', poll.state === 'revealed' || desk.ended);
    set(this.clear, 'hidden', desk.ended);
  }
}
