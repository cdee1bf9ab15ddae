/**
 * The form that edits a kernel's launch: how many threads, with which arguments,
 * what their buffers hold, what is looked for. What a form cannot say is edited as
 * text, below it. A mistake stands beside its field; the workbench's own do, too.
 * @module
 */
import { checks, checksOn, fieldText, fills, kindOf, mistakes, parseLaunch, pretty, readExtents, readNumber, simple, types, withField } from '../model/launch.js';
import { el, fill, freshId, say, set } from './dom.js';
import { watching } from './page.js';
import { lock } from './watched.js';

export class LaunchForm {
  /**
   * @param {object} options
   * @param {import('../model/edit.js').Edit} options.edit whose text "launch" this is
   * @param {(text: string, whole?: boolean) => void} options.onChange whole: a choice, not one letter of many
   * @param {() => void} options.onRun
   */
  constructor({ edit, onChange, onRun }) {
    this.edit = edit;
    this.onChange = onChange;
    /** @type {Map<string, {input: HTMLElement, error: HTMLElement, sync: () => void}>} by field */
    this.places = new Map();
    /** @type {Record<string, string>} errors that a run brought */
    this.runErrors = {};
    this.built = '';
    this.geometry = el('div', { class: 'edit-fields' });
    this.args = el('ol', { class: 'launch-args', start: '0' });
    this.checks = el('details', { class: 'launch-checks' });
    this.fields = el('div', {},
      this.geometry,
      el('fieldset', { class: 'edit-field launch-list' }, el('legend', {}, 'Arguments, in the order of the kernel’s parameters'), this.args,
        el('p', { class: 'launch-add' },
          el('button', { type: 'button', class: 'small', click: () => this.add({ name: this.freshName(), type: 'f32', shape: [32], fill: 'zeros' }) }, 'Add a buffer'), ' ',
          el('button', { type: 'button', class: 'small', click: () => this.add({ name: this.freshName(), type: 'i32', value: 0 }) }, 'Add a number'))),
      this.checks);
    const id = freshId('launch');
    this.textError = el('p', { class: 'field-error', 'aria-live': 'polite', hidden: true, id: `${id}-error` });
    this.area = el('textarea', {
      id, class: 'edit-matrix', rows: '10', spellcheck: 'false', wrap: 'off', 'aria-describedby': `${id}-error`,
      input: () => this.typedText(),
    });
    this.asText = el('details', { class: 'launch-text' }, el('summary', {}, 'As text'),
      el('div', { class: 'edit-field' }, el('label', { for: id }, 'The launch, as in a launch file'), this.area, this.textError));
    this.element = el('form', {
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
    }, this.fields, this.asText, !watching && el('button', { type: 'submit', class: 'small' }, 'Run this launch'));
    this.update();
  }

  get launch() {
    return parseLaunch(this.edit.texts.launch);
  }

  freshName() {
    const names = (this.launch.args ?? []).map((arg) => arg?.name);
    for (let n = 0; ; n++) if (!names.includes(`arg${n}`)) return `arg${n}`;
  }

  add(arg) {
    this.write(['args', (this.launch.args ?? []).length], arg, true);
    this.args.lastElementChild?.querySelector('input')?.focus();
  }

  /** Takes a new value of a field; undefined takes the field away. */
  write(path, value, whole = false) {
    this.runErrors = {};
    let { launch } = this;
    if (path[0] === 'args' && !Array.isArray(launch.args)) launch = { ...launch, args: [] };
    this.onChange(JSON.stringify(withField(launch, path, value)), whole);
    this.update(true);
  }

  typedText() {
    this.runErrors = {};
    const launch = parseLaunch(this.area.value);
    // A text that is no launch is kept as it is, and not run.
    this.onChange(launch ? JSON.stringify(launch) : this.area.value);
    this.update(false, true);
  }

  // --- Building.

  /** A field with a label, its error below. */
  field(path, label, input, sync, hint) {
    const id = freshId('field');
    set(input, 'id', id);
    const error = el('p', { class: 'field-error', id: `${id}-error`, 'aria-live': 'polite', hidden: true });
    set(input, 'aria-describedby', error.id);
    this.places.set(path, { input, error, sync: () => sync(input) });
    return el('div', { class: 'launch-field' }, el('label', { for: id }, label), input, hint && el('span', { class: 'edit-hint' }, hint), error);
  }

  text(path, label, size, read, { hint, value = fieldText } = {}) {
    const parts = split(path);
    const input = el('input', { type: 'text', size: String(size), spellcheck: 'false', autocapitalize: 'off', input: () => this.write(parts, read(input.value)) });
    return this.field(path, label, input, () => {
      const text = value(at(this.launch, parts));
      if (document.activeElement !== input && input.value !== text) input.value = text;
    }, hint);
  }

  choice(path, label, options, write, read) {
    const parts = split(path);
    const input = el('select', { change: () => write(input.value) }, ...options.map((option) => el('option', { value: option }, option)));
    return this.field(path, label, input, () => { input.value = read(at(this.launch, parts)); });
  }

  build(launch) {
    this.places.clear();
    fill(this.geometry,
      this.text('kernel', 'Kernel', 14, (text) => text),
      this.text('grid', 'Blocks, x × y × z', 9, readExtents),
      this.text('block', 'Threads, x × y × z', 9, readExtents),
      this.text('shared_bytes', 'Dynamic shared bytes', 7, (text) => (text.trim() === '' ? undefined : readNumber(text))));
    fill(this.args, ...(launch.args ?? []).map((arg, index) => this.argument(arg, index)));
    const all = checks.map(([name]) => name);
    const boxes = checks.map(([name, words]) => {
      const box = el('input', {
        type: 'checkbox', change: () => {
          const on = all.filter((other) => (other === name ? box.checked : checksOn(this.launch.checks, all).includes(other)));
          this.write(['checks'], on.length === all.length ? undefined : on, true);
        },
      });
      return { name, box, label: el('label', {}, box, ` ${words}`) };
    });
    fill(this.checks, el('summary', {}, 'What the emulator looks for'), el('div', { class: 'launch-boxes' }, ...boxes.map(({ label }) => label)));
    this.syncChecks = () => {
      const on = checksOn(this.launch.checks, all);
      for (const { name, box } of boxes) box.checked = on.includes(name);
    };
  }

  argument(arg, index) {
    const path = `args[${index}]`;
    const remove = el('button', {
      type: 'button', class: 'small', 'aria-label': `Remove argument ${index}`, title: 'Remove', click: () => {
        this.write(['args', index], undefined, true);
        (this.args.children[Math.min(index, this.args.children.length - 1)]?.querySelector('input') ?? this.area).focus();
      },
    }, '×');
    const kind = kindOf(arg);
    if (kind === 'other') {
      return el('li', { class: 'launch-arg' }, el('code', {}, JSON.stringify(arg)), ' ', el('span', { class: 'edit-hint' }, 'is edited as text'), ' ', remove);
    }
    const name = this.text(`${path}.name`, 'name', 6, (text) => text);
    const type = this.choice(`${path}.type`, 'type', types, (value) => this.write(['args', index, 'type'], value, true), (value) => value);
    if (kind === 'scalar') return el('li', { class: 'launch-arg' }, name, type, this.text(`${path}.value`, 'value', 8, readNumber), remove);
    const given = 'values' in arg;
    const out = el('input', { type: 'checkbox', change: () => this.write(['args', index, 'out'], out.checked || undefined, true) });
    this.places.set(`${path}.out`, { input: out, error: el('span'), sync: () => { out.checked = this.launch.args[index].out === true; } });
    return el('li', { class: 'launch-arg' }, name, type,
      !given && this.text(`${path}.shape`, 'shape', 8, readExtents),
      given ? el('span', { class: 'edit-hint' }, 'its values are edited as text')
        : this.choice(`${path}.fill`, 'holds', fills, (value) => this.refill(index, value), (value) => value ?? 'zeros'),
      !given && arg.fill === 'random' && this.text(`${path}.seed`, 'seed', 5, (text) => (text.trim() === '' ? undefined : readNumber(text))),
      el('label', { class: 'launch-out' }, out, ' read back'), remove);
  }

  refill(index, value) {
    const { seed, ...arg } = this.launch.args[index];
    this.write(['args', index], { ...arg, fill: value, ...(value === 'random' ? { seed: seed ?? 1 } : {}) }, true);
  }

  // --- Showing.

  /**
   * Makes every control show the texts.
   * @param {boolean} [ours] a field of this form was typed in
   * @param {boolean} [text] the text was
   */
  update(ours = false, text = false) {
    if (!ours && !text) this.runErrors = {};
    const { launch } = this;
    const editable = simple(launch);
    set(this.fields, 'hidden', !editable);
    if (!editable) this.asText.open = true;
    if (editable) {
      // Controls are made again only where there are others: what is typed in keeps its focus.
      const shape = JSON.stringify((launch.args ?? []).map((arg) => [kindOf(arg), arg?.fill === 'random', arg && typeof arg === 'object' && 'values' in arg, kindOf(arg) === 'other' && arg]));
      if (shape !== this.built) {
        this.built = shape;
        this.build(launch);
      }
      for (const { sync } of this.places.values()) sync();
      this.syncChecks();
    }
    if (!text) this.area.value = launch ? pretty(launch) : this.edit.texts.launch;
    this.say();
    if (watching) lock(this.element);
  }

  say() {
    const errors = { ...mistakes(this.edit.texts.launch), ...this.runErrors };
    for (const [path, { input, error }] of this.places) {
      say(error, errors[path] ?? '');
      set(error, 'hidden', !errors[path]);
      set(input, 'aria-invalid', errors[path] ? 'true' : null);
    }
    const unplaced = Object.entries(errors).filter(([path]) => !simple(this.launch) || !this.places.has(path)).map(([path, message]) => (path ? `${path}: ${message}` : message));
    say(this.textError, unplaced.join(' '));
    set(this.textError, 'hidden', unplaced.length === 0);
    set(this.area, 'aria-invalid', unplaced.length > 0 ? 'true' : null);
  }

  focusOn(path) {
    const place = this.places.get(path);
    if (!place || !simple(this.launch)) this.asText.open = true;
    (place?.input ?? this.area).focus();
  }

  /** Shows the error that a run brought at the nearest place there is. @param {string} field "args[0].shape[0]" @param {string} message @param {boolean} [focus] */
  showError(field, message, focus = true) {
    // An element of a list, the list, what it is of.
    let path = field;
    while (path && !this.places.has(path)) path = path.replace(/(\.[^.[\]]*|\[\d+\])$|^[^.[\]]*$/, '');
    this.runErrors = { [path || field]: message };
    this.say();
    if (focus) this.focusOn(path || field);
  }
}

/** "args[0].shape" as parts. */
function split(path) {
  return path.match(/[^.[\]]+/g).map((part) => (/^\d+$/.test(part) ? Number(part) : part));
}

function at(launch, parts) {
  return parts.reduce((value, part) => value?.[part], launch);
}
