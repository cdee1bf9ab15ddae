/**
 * The question before a reader's edits are replaced by the chapter's own.
 * @module
 */
import { el } from './dom.js';

export class AskReset {
  /**
   * @param {{title: string, what: string, edit: import('../model/edit.js').Edit, onReset: () => void}} options
   *   what: of which the edits are, and title names the dialog
   */
  constructor({ title, what, edit, onReset }) {
    this.edit = edit;
    this.element = el('dialog', { class: 'ask', 'aria-label': title },
      el('p', {}, `Replace your edits of ${what} with the chapter’s own? Undo brings them back while the page is open.`),
      el('form', { method: 'dialog' },
        el('button', { value: 'keep' }, 'Keep my edits'),
        el('button', { value: 'replace', class: 'primary' }, 'Replace them')));
    this.element.addEventListener('close', () => {
      if (this.element.returnValue !== 'replace') return;
      edit.reset();
      onReset();
    });
  }

  /** Asks, if there is anything to lose. */
  ask() {
    if (!this.edit.edited) return;
    this.element.returnValue = 'keep';
    this.element.showModal();
  }
}
