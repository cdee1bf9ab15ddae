/**
 * The form that edits a kernel's launch: its text, in the form of a launch file.
 * @module
 */
import { el, freshId, say, set } from './dom.js';

export class LaunchForm {
  /**
   * @param {object} options
   * @param {import('../model/edit.js').Edit} options.edit whose text "launch" this is
   * @param {(text: string, whole?: boolean) => void} options.onChange
   * @param {() => void} options.onRun
   */
  constructor({ edit, onChange, onRun }) {
    this.edit = edit;
    this.onChange = onChange;
    this.runError = '';
    const id = freshId('launch');
    this.error = el('p', { class: 'field-error', 'aria-live': 'polite', hidden: true, id: `${id}-error` });
    this.area = el('textarea', {
      id, class: 'edit-matrix', rows: '8', spellcheck: 'false', wrap: 'off', 'aria-describedby': `${id}-error`,
      input: () => this.typed(),
    });
    this.element = el('details', { class: 'edit' }, el('summary', {}, 'Edit the launch'),
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
      el('div', { class: 'edit-field' }, el('label', { for: id }, 'Launch'), this.area, this.error)));
    this.update();
  }

  typed() {
    this.runError = '';
    const { launch } = this.parse();
    // A text that is no JSON is kept as it is, and not run.
    this.onChange(launch ? JSON.stringify(launch) : this.area.value);
    this.say();
  }

  parse() {
    try {
      return { launch: JSON.parse(this.area.value), error: '' };
    } catch (error) {
      return { launch: null, error: `This is no JSON: ${error.message}` };
    }
  }

  say() {
    const text = this.runError || this.parse().error;
    say(this.error, text);
    set(this.error, 'hidden', !text);
    set(this.area, 'aria-invalid', text ? 'true' : null);
  }

  update() {
    const { launch } = this.edit.texts;
    let pretty = launch;
    try {
      pretty = written(JSON.parse(launch));
    } catch {
      // It is shown as it was typed.
    }
    this.area.value = pretty;
    this.runError = '';
    this.say();
  }

  read() {
    const { source, launch } = this.edit.texts;
    return { input: { source, launch }, errors: this.faulty ? { launch: this.parse().error } : {} };
  }

  get faulty() {
    return this.parse().launch === null;
  }

  showFault() {
    this.element.open = true;
    this.area.focus();
  }

  /** @returns {boolean} whether the field is of this form */
  showError(field, message) {
    if (!/^launch\b/.test(field)) return false;
    this.element.open = true;
    this.runError = `${field}: ${message}`;
    this.say();
    this.area.focus();
    return true;
  }
}

/** A launch as text, a line for each argument. */
function written(launch) {
  const lines = Object.entries(launch).map(([name, value]) => {
    const list = Array.isArray(value) && value.some((one) => typeof one === 'object');
    return `  ${JSON.stringify(name)}: ${list ? `[\n${value.map((one) => `    ${flat(one)}`).join(',\n')}\n  ]` : flat(value)}`;
  });
  return `{\n${lines.join(',\n')}\n}`;
}

function flat(value) {
  return JSON.stringify(value, null, 1).replace(/\n\s*/g, ' ');
}
