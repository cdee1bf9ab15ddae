/**
 * The place of the form that edits a launch. The form comes when it is first opened:
 * most readers step through a kernel and leave its launch as it is.
 * @module
 */
import { mistakes } from '../model/launch.js';
import { el } from './dom.js';
import { watching } from './page.js';

export class LaunchEditor {
  /** @param {{edit: import('../model/edit.js').Edit, onChange: (text: string, whole?: boolean) => void, onRun: () => void}} options */
  constructor(options) {
    this.options = options;
    this.element = el('details', { class: 'edit launch', toggle: () => this.element.open && this.load() }, el('summary', {}, watching ? 'The launch' : 'Edit the launch'));
  }

  async load() {
    this.loading ??= import('./launchform.js').then(({ LaunchForm }) => {
      this.form = new LaunchForm(this.options);
      this.element.append(this.form.element);
    });
    await this.loading;
    return this.form;
  }

  async open() {
    this.element.open = true;
    return this.load();
  }

  update() {
    this.form?.update();
  }

  /** Shows somebody else's launch: the form is open while it is another one than the chapter's. */
  show() {
    const { original, texts } = this.options.edit;
    const edited = texts.launch !== original.launch;
    if (edited !== this.element.open && (edited || this.opened)) this.opened = this.element.open = edited;
    this.update();
  }

  read() {
    const { source, launch } = this.options.edit.texts;
    return { input: { source, launch }, errors: mistakes(launch) };
  }

  get faulty() {
    return Object.keys(this.read().errors).length > 0;
  }

  async showFault() {
    (await this.open()).focusOn(Object.keys(this.read().errors)[0]);
  }

  /**
   * Shows the error that a run brought.
   * @param {string} field such as "launch.args[0].shape[0]"
   * @param {string} message
   * @param {boolean} [focus] whether the field gets the focus
   * @returns {boolean} whether the field is of this form
   */
  showError(field, message, focus = true) {
    if (!/^launch\b/.test(field)) return false;
    this.open().then((form) => form.showError(field.replace(/^launch\.?/, ''), message, focus));
    return true;
  }
}
