/**
 * The form that edits a widget's inputs. A mistake stands beside its field and
 * changes nothing else; what was typed stays until the reader takes it back.
 * @module
 */
import { fieldsOf, operationHints, operations, parseOperations, readTexts, tensorSummary } from '../model/field.js';
import { AskReset } from './askreset.js';
import { el, fill, freshId, say, set } from './dom.js';
import { watching } from './page.js';
import { lock, onlyPresenter } from './watched.js';

/** @typedef {import('../model/field.js').Field} Field */

/** A pause after which typing is another change for undo. */
const pause = 1500;

export class Editor {
  /**
   * @param {object} options
   * @param {string} options.example
   * @param {import('../model/edit.js').Edit} options.edit
   * @param {() => void} options.onChange the texts are others
   * @param {() => void} options.onRun the reader wants them run
   */
  constructor({ example, edit, onChange, onRun }) {
    this.example = example;
    this.edit = edit;
    this.onChange = onChange;
    this.typed = 0;
    /** @type {Map<string, {input?: HTMLElement, error: HTMLElement}>} by field */
    this.places = new Map();
    /** @type {(() => void)[]} each writes a field's text into its control */
    this.syncs = [];
    /** @type {Record<string, string>} errors that a run brought */
    this.runErrors = {};

    this.mark = el('span', { class: 'edited-mark', hidden: true }, 'edited');
    this.moved = el('p', { class: 'edit-moved', hidden: true },
      'The chapter’s example has changed since you edited this. Your edits were kept; “Chapter’s example” shows the new one.');
    this.undo = el('button', { type: 'button', click: () => this.back() }, 'Undo');
    this.reset = el('button', { type: 'button', click: () => this.resetting.ask() }, 'Chapter’s example');
    this.resetting = new AskReset({ title: 'Back to the chapter’s example', what: 'this example', edit: this.edit, onReset: () => this.replaced() });
    this.summary = el('summary', {}, watching ? 'The inputs ' : 'Edit the inputs ', this.mark);
    this.element = el('details', { class: 'edit' }, this.summary,
      el('form', {
        class: 'edit-form', novalidate: true,
        submit: (event) => {
          event.preventDefault();
          onRun();
        },
        keydown: (event) => {
          if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
            event.preventDefault();
            onRun();
          }
        },
      },
      this.moved,
      el('div', { class: 'edit-fields' }, ...fieldsOf(example).map((field) => this.field(field))),
      watching ? el('p', { class: 'edit-hint' }, onlyPresenter) : el('div', { class: 'edit-actions' },
        el('button', { type: 'submit', class: 'primary' }, 'Run these inputs'), this.undo, this.reset,
        el('span', { class: 'edit-hint' }, 'Ctrl+Enter runs them too.'))),
      this.resetting.element);
    this.element.open = edit.edited;
    this.update();
  }

  /** Reads the form. @returns {{input: any, errors: Record<string, string>}} */
  read() {
    return readTexts(this.example, this.edit.texts);
  }

  /** @param {Field} field */
  field(field) {
    switch (field.kind) {
      case 'tensor':
        return this.tensorField(field);
      case 'flag':
        return this.flagField(field);
      case 'choice':
        return this.labelled(field, this.choice(field));
      case 'ops':
        return this.operationsField(field);
      case 'text':
        return this.labelled(field, this.control(field.name, el('textarea', { rows: '2', spellcheck: 'false', class: 'edit-text' })));
      default:
        return this.labelled(field, this.control(field.name, el('input', { type: 'text', inputmode: 'numeric', size: '8', placeholder: field.usual ?? '' })));
    }
  }

  /** Ties a control to a text: the two always agree. */
  control(name, input) {
    input.addEventListener('input', () => this.change(name, input.value));
    this.syncs.push(() => {
      const text = this.edit.texts[name] ?? '';
      if (input.value !== text) input.value = text;
    });
    return input;
  }

  /**
   * A label, a control, a hint and the place of the field's error.
   * @param {Pick<Field, 'name' | 'label' | 'hint'>} field
   */
  labelled({ name, label, hint }, input, ...more) {
    const id = freshId('field');
    const error = this.errorPlace(name, input);
    const hintPlace = hint && el('p', { class: 'edit-hint', id: `${id}-hint` }, hint);
    input.id = id;
    if (hintPlace) set(input, 'aria-describedby', hintPlace.id);
    return el('div', { class: 'edit-field' }, el('label', { for: id }, label), input, ...more, hintPlace, error);
  }

  errorPlace(name, input) {
    const error = el('p', { class: 'field-error', id: freshId('error'), 'aria-live': 'polite', hidden: true });
    this.places.set(name, { input, error });
    return error;
  }

  tensorField(field) {
    const area = this.control(field.name, el('textarea', { rows: '4', spellcheck: 'false', class: 'edit-matrix', wrap: 'off' }));
    const shapeName = `${field.name}.shape`;
    const shape = this.control(shapeName, el('input', { type: 'text', size: '10', 'aria-label': `Shape of ${field.label}`, placeholder: 'from the rows' }));
    const summary = el('span', { class: 'edit-summary' });
    this.syncs.push(() => {
      const { [field.name]: text, [shapeName]: shapeText } = this.edit.texts;
      say(summary, tensorSummary(text, shapeText));
      area.rows = Math.min(12, Math.max(3, text.split('\n').length + 1));
    });
    const hint = 'Rows of numbers, or nested lists. An empty line begins another matrix. A table from a spreadsheet can be pasted.';
    return this.labelled({ ...field, hint }, area,
      el('p', { class: 'edit-shape' }, el('label', {}, 'shape ', shape), ' ', summary));
  }

  flagField({ name, label }) {
    const box = el('input', { type: 'checkbox', change: () => this.change(name, box.checked ? 'true' : '', true) });
    this.syncs.push(() => {
      box.checked = Boolean(this.edit.texts[name]);
    });
    return el('div', { class: 'edit-field edit-flag' }, el('label', {}, box, ' ', label), this.errorPlace(name, box));
  }

  /** @param {Field} field */
  choice({ name, options = [] }) {
    const select = el('select', { change: () => this.change(name, select.value, true) },
      ...options.map((option) => el('option', { value: option }, option)));
    this.syncs.push(() => {
      select.value = this.edit.texts[name];
    });
    return select;
  }

  /** A list of operations; each is a row of controls that its kind needs. */
  operationsField(field) {
    const list = el('ol', { class: 'edit-ops', start: '0' });
    const write = (ops) => this.change(field.name, JSON.stringify(ops), true);
    const now = () => parseOperations(this.edit.texts[field.name]);
    let drawn = '';
    this.syncs.push(() => {
      const ops = now();
      const kinds = ops.map((op) => op.op).join();
      // Controls are made again only when the operations are others: a field
      // that is being typed in keeps its focus.
      if (kinds !== drawn) {
        for (const name of [...this.places.keys()]) if (name.startsWith(`${field.name}[`)) this.places.delete(name);
        fill(list, ...ops.map((op, index) => this.operation(field.name, op, index, now, write)));
        drawn = kinds;
      }
      for (const input of list.querySelectorAll('[data-part]')) {
        const text = ops[Number(input.dataset.index)]?.[input.dataset.part] ?? '';
        if (input.value !== text) input.value = text;
      }
    });
    const add = el('select', {
      'aria-label': 'Add an operation',
      change: () => {
        write([...now(), { op: add.value }]);
        add.value = '';
        list.lastElementChild?.querySelector('input, select, button')?.focus();
      },
    }, el('option', { value: '' }, 'add an operation …'), ...Object.keys(operations).map((op) => el('option', { value: op }, op)));
    return el('fieldset', { class: 'edit-field' }, el('legend', {}, field.label),
      el('p', { class: 'edit-hint' }, 'Each works on the result of the one before.'), list, add, this.errorPlace(field.name, add));
  }

  operation(name, op, index, now, write) {
    const place = `${name}[${index}]`;
    const parts = operations[op.op].map((part) => {
      const input = el('input', {
        type: 'text', size: part === 'shape' ? '10' : '6', placeholder: operationHints[part], 'data-index': String(index), 'data-part': part,
        input: () => this.change(name, JSON.stringify(now().map((o, i) => (i === index ? { ...o, [part]: input.value } : o)))),
      });
      return el('span', { class: 'edit-part' }, el('label', {}, `${part} `, input), this.errorPlace(`${place}.${part}`, input));
    });
    const button = (text, label, act, off) => el('button', {
      type: 'button', class: 'small', 'aria-label': `${label} operation ${index}, ${op.op}`, title: label, 'aria-disabled': off && 'true',
      click: () => !off && write(act(now())),
    }, text);
    const swap = (ops, i, j) => ops.map((o, at) => (at === i ? ops[j] : at === j ? ops[i] : o));
    return el('li', { class: 'edit-op' }, el('span', { class: 'edit-op-name' }, op.op), ...parts,
      button('↑', 'move up', (ops) => swap(ops, index, index - 1), index === 0),
      button('×', 'remove', (ops) => ops.filter((_, i) => i !== index)),
      this.errorPlace(place));
  }

  /**
   * Takes a new text. Typing without a pause is one change for undo; a choice
   * is one of its own.
   */
  change(name, text, whole = false) {
    const now = Date.now();
    if (whole || now - this.typed > pause || this.typing !== name) this.edit.mark();
    this.typed = whole ? 0 : now;
    this.typing = name;
    this.runErrors = {};
    this.edit.set(name, text);
    this.update();
    this.onChange();
  }

  back() {
    if (!this.edit.canUndo) return;
    this.edit.undo();
    this.replaced();
  }

  /** Makes every field show its text after they were replaced. */
  replaced() {
    this.typed = 0;
    this.runErrors = {};
    this.update();
    this.onChange();
  }

  /** Makes every field show its text after somebody else's took their place. The form is open while it holds others than the chapter's. */
  show() {
    this.typed = 0;
    this.runErrors = {};
    if (this.edit.edited !== this.element.open && (this.edit.edited || this.opened)) {
      this.opened = this.element.open = this.edit.edited;
    }
    this.update();
  }

  /**
   * Shows the error that a run brought.
   * @param {string} field a path such as "left" or "ops[1].axis"
   * @param {string} message
   * @param {boolean} [focus] whether the field gets the focus
   * @returns {boolean} whether the field is of this form
   */
  showError(field, message, focus = true) {
    // The nearest place there is: a part of an operation, it, or the whole field.
    const names = [field, field.replace(/\.[^.]*$/, ''), field.replace(/[[.].*$/, '')];
    const name = names.find((n) => this.places.has(n));
    if (name === undefined) return false;
    this.element.open = true;
    this.runErrors = { [name]: message };
    this.update();
    if (focus) this.places.get(name).input?.focus?.();
    return true;
  }

  /** Makes every control show the texts, and every error its field's. */
  update() {
    for (const sync of this.syncs) sync();
    const errors = { ...this.read().errors, ...this.runErrors };
    for (const [name, { input, error }] of this.places) {
      const text = errors[name] ?? '';
      say(error, text);
      set(error, 'hidden', !text);
      if (!input) continue;
      set(input, 'aria-invalid', text ? 'true' : null);
      const others = (input.getAttribute('aria-describedby') ?? '').split(' ').filter((id) => id && id !== error.id);
      set(input, 'aria-describedby', [...others, text && error.id].filter(Boolean).join(' ') || null);
    }
    set(this.mark, 'hidden', !this.edit.edited);
    set(this.moved, 'hidden', !this.edit.moved);
    set(this.undo, 'aria-disabled', !this.edit.canUndo && 'true');
    set(this.reset, 'aria-disabled', !this.edit.edited && 'true');
    if (watching) lock(this.element);
  }

  /** Whether anything in the form has a mistake. */
  get faulty() {
    return Object.keys(this.read().errors).length > 0;
  }

  /** Opens the form at its first mistake. */
  showFault() {
    this.element.open = true;
    const [name] = Object.keys(this.read().errors);
    this.places.get(name)?.input?.focus?.();
  }
}
