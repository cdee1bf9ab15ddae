/**
 * The versions of the matrix product beside cuBLAS. What was measured elsewhere
 * comes with the page and stays as it is; below it this measures the GPU that is
 * here, and marks what it shows as live.
 * @module
 */
import { gpus, legend, rows, title } from '../model/ladder.js';
import { Latest, unlessNewer } from '../model/latest.js';
import { asSentence } from '../model/sentence.js';
import { isResult, readView, sameRan } from '../model/view.js';
import { tellChange } from '../part/change.js';
import { MissingDevices, folded } from '../part/devices.js';
import { el, fill, freshId, set } from '../part/dom.js';
import { frame, inTurn, shown } from '../part/opening.js';
import { address, live, watching } from '../part/page.js';
import { fadeEdges } from '../part/scroller.js';
import { lessonNote } from '../part/watched.js';

/** Measured products that a view may have at most. */
const mostMeasured = 64;

/**
 * A product that was measured, and when.
 * @typedef {{device: string, precision: string, size: number, at: string}} Measured at: ISO 8601
 */

class LadderWidget extends HTMLElement {
  /** @type {Latest<any>} */
  latest = new Latest((raw, newer) => this.bring(raw, newer), frame);

  connectedCallback() {
    inTurn(this, () => this.begin());
  }

  begin() {
    if (this.root) return;
    this.control = new AbortController();
    try {
      this.data = JSON.parse(this.querySelector('script.widget-data')?.textContent ?? '');
    } catch (error) {
      // The tables need no script.
      console.error(`${this.id}: the ladder's data cannot be read`, error);
      this.latest.stop();
      return;
    }
    this.running = null;
    /** The GPU that was chosen, here or not. */
    this.wanted = '';
    /** What the results are of, newest first. @type {Measured[]} */
    this.measured = [];
    /** @type {import('../model/view.js').Ran | null} */
    this.ran = null;
    /** The run that a view wanted and that did not come. @type {import('../model/view.js').Ran | null} */
    this.missed = null;
    this.build();
    address.add(this);
    const { signal } = this.control;
    for (const news of ['devices', 'hello']) live.addEventListener(news, () => this.update(), { signal });
    live.addEventListener('hello', () => {
      if (!this.missed) return;
      this.missed = null;
      if (!this.latest.waiting) this.latest.offer(this.brought);
    }, { signal });
    this.update();
    shown(this.id);
    this.latest.begin();
  }

  disconnectedCallback() {
    this.control?.abort();
    this.running?.abort();
    address.remove(this.id);
    this.latest.stop();
  }

  build() {
    const titleId = freshId('ladder');
    const { precisions, sizes } = this.data;
    const option = (value, text = value) => el('option', { value }, String(text));
    this.gpu = el('select', { class: 'device-select', change: () => this.chosen() });
    this.precision = el('select', { change: () => this.chosen() }, ...precisions.map((one) => option(one)));
    this.size = el('select', { change: () => this.chosen() }, ...sizes.map((n) => option(n, `${n} × ${n}`)));
    this.size.value = String(this.home.size);
    this.button = el('button', { type: 'button', class: 'run', click: () => this.measure() }, 'Measure here');
    this.stop = el('button', { type: 'button', class: 'stop', hidden: true, click: () => this.running?.abort() }, 'Stop');
    this.progress = el('progress', { class: 'run-progress', hidden: true, 'aria-label': 'Progress' });
    this.notice = el('div', { class: 'notice', role: 'status' });
    this.missing = new MissingDevices(() => live.request('devices', {}));
    this.results = el('div', { class: 'ladder-results' });
    const labelled = (label, control) => el('label', { class: 'device' }, el('span', { class: 'device-label' }, label), ' ', control);
    this.controls = el('div', { class: 'widget-run' },
      labelled('GPU', this.gpu), labelled('Matrices', this.size), labelled('in', this.precision), this.button, this.stop, this.progress);
    this.none = el('p', { class: 'ladder-none' }, 'There is no GPU here to measure: the figures above are another machine’s.');
    this.root = el('section', { class: 'widget-live ladder-live', 'aria-labelledby': titleId },
      el('header', { class: 'widget-head' }, el('p', { class: 'widget-title', id: titleId }, 'The same on this machine'), this.controls),
      ...(watching ? [lessonNote()] : [this.none, this.missing.element]), this.notice, this.results);
    this.append(this.root);
  }

  // --- The place: the GPU, and the product that is measured on it.

  /** @returns {import('../model/deeplink.js').Place} */
  place() {
    return { ...(this.wanted ? { device: this.wanted } : {}), view: `${this.size.value},${this.precision.value}` };
  }

  /** @param {import('../model/deeplink.js').Place} place what is on no list is left as it is */
  restore({ device, view = '' }) {
    const [size, precision = ''] = view.split(',');
    if (this.data.sizes.map(String).includes(size)) this.size.value = size;
    if (this.data.precisions.includes(precision)) this.precision.value = precision;
    // Which GPUs there are is told later.
    this.wanted = device ?? '';
    this.update();
  }

  chosen() {
    this.wanted = this.gpu.value;
    address.write(this, false);
    tellChange(this, false);
  }

  // --- A view, of which the texts are what was measured.

  /** @returns {import('../model/view.js').View} */
  get view() {
    if (!this.root) return readView(this.latest.waiting?.value);
    return { place: this.place(), texts: null, ran: this.ran, running: Boolean(this.running), last: 0 };
  }

  /** What the chapter measures. */
  get home() {
    const { precisions, sizes } = this.data;
    return { size: sizes[Math.floor(sizes.length / 2)], precision: precisions[0] };
  }

  /** @param {import('../model/view.js').View | null} view null as the chapter has it @returns {Promise<boolean>} */
  show(view) {
    return this.latest.offer(view);
  }

  async bring(raw, newer) {
    this.brought = raw;
    const view = readView(raw);
    const { size, precision } = this.home;
    this.restore({ ...view.place, view: view.place.view ?? `${size},${precision}` });
    if (!sameRan(view.ran, this.ran) && !(this.missed && sameRan(view.ran, this.missed))) {
      if (this.fetching && !sameRan(this.fetching.ran, view.ran)) this.fetching.control.abort();
      if (!this.fetching || this.fetching.control.signal.aborted) this.fetching = this.fetch(view.ran);
      await unlessNewer(this.fetching.done, newer);
      if (newer.aborted) return;
    }
    if (this.elsewhere === view.running) return;
    this.elsewhere = view.running;
    if (!this.elsewhere && this.saidElsewhere !== this.notice.firstChild) return;
    this.tell(this.elsewhere ? 'info' : '', this.elsewhere ? 'The presenter is measuring …' : '');
    this.saidElsewhere = this.notice.firstChild;
  }

  /** Gets the results of somebody else's measuring from where they are kept. */
  fetch(ran) {
    const control = new AbortController();
    const fetching = { ran, control, done: this.fetched(ran, control.signal) };
    fetching.done.finally(() => {
      if (this.fetching === fetching) this.fetching = null;
    });
    return fetching;
  }

  async fetched(ran, signal) {
    const { measured, asked } = readRan(ran);
    const key = JSON.stringify;
    const ours = this.measured.map(key);
    for (const one of [...this.measured]) if (!measured.some((other) => product(other) === product(one))) this.drop(one);
    this.tell('', '');
    try {
      for (const one of [...measured].reverse()) {
        if (ours.includes(key(one))) continue;
        const { at, ...body } = one;
        const { ladder } = await live.request('ladder', body, { signal, at: ran?.at });
        if (signal.aborted) return;
        this.take(ladder, one);
      }
      this.measured = measured;
      this.results.append(...measured.map((one) => this.resultOf(one)));
      // What failed is no result that stands there.
      if (asked && !measured.map(key).includes(asked)) await live.request('ladder', JSON.parse(asked), { signal, at: ran?.at });
      if (!signal.aborted) this.ran = ran;
    } catch (error) {
      if (signal.aborted) return;
      this.explain(error);
      if (isResult(error)) this.ran = ran;
      else this.missed = ran;
    }
  }

  focusStep() {
    const hidden = !this.controls.checkVisibility();
    if (hidden && watching) return;
    (hidden ? this.missing.element.querySelector('summary') : this.size)?.focus({ preventScroll: true });
  }

  /** Shows which GPUs are here. */
  update() {
    const all = gpus(live.devices);
    const here = all.filter(({ available }) => available);
    const chosen = this.wanted || this.gpu.value;
    fill(this.gpu, ...here.map(({ spec, name }) => el('option', { value: spec }, `${name} (${spec})`)));
    if (here.some(({ spec }) => spec === chosen)) this.gpu.value = chosen;
    set(this.controls, 'hidden', watching || here.length === 0 && !this.running);
    set(this.none, 'hidden', here.length > 0);
    this.missing.update(all);
  }

  tell(kind, text, next = '', detail = null) {
    set(this.notice, 'class', kind ? `notice notice-${kind}` : 'notice');
    fill(this.notice, text && el('p', {}, text), next && el('p', { class: 'notice-next' }, next), detail && folded(detail));
  }

  async measure() {
    if (this.running || watching) return;
    const control = new AbortController();
    const focused = this.button === document.activeElement;
    const spec = this.gpu.value;
    const body = { device: spec, precision: this.precision.value, size: Number(this.size.value) };
    this.turn(control, focused);
    this.tell('info', `Measuring ${spec} …`);
    tellChange(this, false);
    try {
      const { ladder } = await live.request('ladder', body, { signal: control.signal, fresh: true, onProgress: (news) => this.onProgress(news) });
      this.tell('', '');
      const measured = { ...body, at: new Date().toISOString() };
      this.take(ladder, measured);
      this.count(measured);
    } catch (error) {
      this.explain(error);
      if (isResult(error)) this.count(body);
    } finally {
      this.turn(null, this.stop === document.activeElement);
      this.update();
      tellChange(this, false);
    }
  }

  explain(error) {
    if (error.code === 'cancelled') this.tell('info', 'Stopped.');
    else this.tell('error', asSentence(error.message), asSentence(error.next), error.detail);
  }

  /** Counts what was measured, or could not be, so that others get it too. */
  count(asked) {
    const texts = { measured: JSON.stringify(this.measured), asked: JSON.stringify(asked) };
    this.ran = { n: (this.ran?.n ?? 0) + 1, texts, device: asked.device };
  }

  /** Changes between the two buttons, and takes the focus along. */
  turn(running, focused) {
    this.running = running;
    set(this.button, 'hidden', Boolean(running));
    set(this.stop, 'hidden', !running);
    if (!running) set(this.progress, 'hidden', true);
    for (const one of [this.gpu, this.precision, this.size]) set(one, 'disabled', Boolean(running));
    if (focused) (running ? this.stop : this.button).focus({ preventScroll: true });
  }

  onProgress({ note, done, total }) {
    this.tell('info', `Measuring: ${note} …`);
    set(this.progress, 'hidden', !total);
    if (total > 0) {
      this.progress.max = total;
      this.progress.value = done ?? 0;
    }
  }

  /** Shows a ladder in the place of the last one of the same product. @param {any} ladder @param {Measured} measured */
  take(ladder, measured) {
    const when = new Date(measured.at).toLocaleString('en-GB', { dateStyle: 'long', timeStyle: 'short' });
    const made = table(ladder, title(ladder, measured.device, when));
    set(made, 'data-ladder', product(measured));
    const before = this.resultOf(measured);
    if (before) before.replaceWith(made);
    else this.results.prepend(made);
    fadeEdges(made.querySelector('.matrix-scroll'));
    const at = this.measured.findIndex((one) => product(one) === product(measured));
    if (at < 0) this.measured.unshift(measured);
    else this.measured[at] = measured;
  }

  /** Takes a result away. @param {Measured} measured */
  drop(measured) {
    this.resultOf(measured)?.remove();
    this.measured = this.measured.filter((one) => product(one) !== product(measured));
  }

  resultOf(measured) {
    return [...this.results.children].find((one) => one.getAttribute('data-ladder') === product(measured));
  }
}

/** @param {Measured} measured */
function product({ device, precision, size }) {
  return `${device} ${precision} ${size}`;
}

/**
 * What somebody else measured, of what they say of it.
 * @param {import('../model/view.js').Ran | null} ran
 * @returns {{measured: Measured[], asked: string}} asked: the last, as JSON
 */
function readRan(ran) {
  const read = (text) => {
    try {
      return JSON.parse(text ?? 'null');
    } catch {
      return null;
    }
  };
  const ofUs = (one) => typeof one?.device === 'string' && typeof one.precision === 'string' && Number.isSafeInteger(one.size);
  const measured = read(ran?.texts?.measured);
  const asked = read(ran?.texts?.asked);
  return {
    measured: (Array.isArray(measured) ? measured : []).filter((one) => ofUs(one) && !Number.isNaN(Date.parse(one.at))).slice(0, mostMeasured)
      .map(({ device, precision, size, at }) => ({ device, precision, size, at })),
    asked: ofUs(asked) ? JSON.stringify(asked) : '',
  };
}

function table(ladder, caption) {
  const number = (text, more) => el('td', { class: 'number' }, text, more && el('span', { class: 'spread' }, more));
  const heads = ['version', 'GFLOP/s', 'of cuBLAS', 'asks memory for', 'memory alone'];
  const body = rows(ladder).map((row) => el('tr', { 'data-rung': row.rung },
    el('th', { scope: 'row' }, row.name, bar(row)), number(row.speed, row.spread), number(row.ratio), number(row.bytes), number(row.allowed)));
  // Beside the table and not in it: a table may be wider than a telephone.
  const made = freshId('ladder');
  return el('div', { class: 'ladder-result' },
    el('p', { class: 'ladder-made', id: made }, el('strong', { class: 'live-mark' }, 'Live.'), ' ', caption),
    el('div', { class: 'matrix-scroll', role: 'region', 'aria-labelledby': made, tabindex: '0' },
      el('table', { class: 'ladder', 'aria-labelledby': made },
        el('thead', {}, el('tr', {}, ...heads.map((head) => el('th', { scope: 'col' }, head)))), el('tbody', {}, ...body))),
    el('p', { class: 'ladder-legend' }, legend(ladder)));
}

const svg = 'http://www.w3.org/2000/svg';

/** A bar, and across it the mark. The numbers stand beside it. */
function bar({ bar: width, mark }) {
  const shape = (tag, attributes) => {
    const element = document.createElementNS(svg, tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    return element;
  };
  const image = shape('svg', { class: 'ladder-bar', viewBox: '0 0 1000 10', preserveAspectRatio: 'none', 'aria-hidden': 'true', focusable: 'false' });
  image.append(shape('rect', { class: 'ladder-speed', width, height: '10' }));
  if (mark !== null) image.append(shape('path', { class: 'ladder-allowed', d: `M${mark} 0V10` }));
  return image;
}

customElements.define('wb-ladder', LadderWidget);
