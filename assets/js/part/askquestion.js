/**
 * A question to the presenter, without a name.
 * @module
 */
import { asSentence } from '../model/sentence.js';
import { announce } from './announce.js';
import { el, freshId, say, set } from './dom.js';

const longest = 280;

/** Characters left from which on a screen reader is told. */
const short = 20;

export class AskQuestion {
  /** @param {import('./room.js').RoomPage} page */
  constructor(page) {
    this.page = page;
    const title = freshId('ask');
    const left = freshId('left');
    this.field = el('textarea', { rows: '4', maxlength: String(longest), 'aria-labelledby': title, 'aria-describedby': left, input: () => this.count() });
    this.left = el('p', { id: left, class: 'ask-left' });
    this.error = el('p', { class: 'field-error', role: 'alert', hidden: true });
    this.send = el('button', { type: 'submit', class: 'primary' }, 'Send');
    this.element = el('dialog', { class: 'ask room-ask', 'aria-labelledby': title },
      el('form', { method: 'dialog', submit: (event) => this.submit(event) },
        el('p', { id: title, class: 'ask-title' }, 'Your question'),
        el('p', { class: 'ask-note' }, 'The presenter sees the question, and not who asks.'),
        this.field, this.left, this.error,
        el('div', { class: 'ask-buttons' },
          el('button', { type: 'button', click: () => this.element.close() }, 'Not now'), this.send)));
    this.button = el('button', { type: 'button', 'aria-haspopup': 'dialog', click: () => this.open() }, 'Ask anonymously');
  }

  open() {
    this.fault('');
    this.count();
    this.element.showModal();
    this.field.focus();
  }

  count() {
    const rest = longest - this.field.value.length;
    say(this.left, `${rest} of ${longest} characters left`);
    set(this.left, 'aria-live', rest <= short ? 'polite' : null);
    set(this.send, 'disabled', !this.field.value.trim());
  }

  /** Says what is wrong, "" for nothing. */
  fault(text) {
    set(this.error, 'hidden', !text);
    say(this.error, text && asSentence(text));
  }

  async submit(event) {
    event.preventDefault();
    const text = this.field.value.trim();
    if (!text || this.sending) return;
    this.sending = true;
    try {
      await this.page.ask({ do: 'question', text });
      this.field.value = '';
      this.element.close();
      announce('question', 'Your question was sent.');
    } catch (error) {
      this.fault(`It was not sent: ${error.field ? 'it ' : ''}${error.message}`);
    } finally {
      this.sending = false;
    }
  }
}
