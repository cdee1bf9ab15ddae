/**
 * The versions of the matrix product beside cuBLAS. What was measured elsewhere
 * comes with the page and stays as it is; below it this measures the GPU that is
 * here, and marks what it shows as live.
 * @module
 */
import { gpus, legend, rows, title } from '../model/ladder.js';
import { asSentence } from '../model/sentence.js';
import { MissingDevices, folded } from '../part/devices.js';
import { el, fill, freshId, set } from '../part/dom.js';
import { inTurn, shown } from '../part/opening.js';
import { address, live } from '../part/page.js';
import { fadeEdges } from '../part/scroller.js';

class LadderWidget extends HTMLElement {
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
      return;
    }
    this.running = null;
    /** The GPU that was chosen, here or not. */
    this.wanted = '';
    this.build();
    address.add(this);
    const { signal } = this.control;
    for (const news of ['devices', 'hello']) live.addEventListener(news, () => this.update(), { signal });
    this.update();
    shown(this.id);
  }

  disconnectedCallback() {
    this.control?.abort();
    this.running?.abort();
    address.remove(this.id);
  }

  build() {
    const titleId = freshId('ladder');
    const { precisions, sizes } = this.data;
    const option = (value, text = value) => el('option', { value }, String(text));
    this.gpu = el('select', { class: 'device-select', change: () => this.chosen() });
    this.precision = el('select', { change: () => this.chosen() }, ...precisions.map((one) => option(one)));
    this.size = el('select', { change: () => this.chosen() }, ...sizes.map((n) => option(n, `${n} × ${n}`)));
    this.size.value = String(sizes[Math.floor(sizes.length / 2)]);
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
      this.none, this.missing.element, this.notice, this.results);
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
  }

  focusStep() {
    const hidden = !this.controls.checkVisibility();
    (hidden ? this.missing.element.querySelector('summary') : this.size)?.focus({ preventScroll: true });
  }

  /** Shows which GPUs are here. */
  update() {
    const all = gpus(live.devices);
    const here = all.filter(({ available }) => available);
    const chosen = this.wanted || this.gpu.value;
    fill(this.gpu, ...here.map(({ spec, name }) => el('option', { value: spec }, `${name} (${spec})`)));
    if (here.some(({ spec }) => spec === chosen)) this.gpu.value = chosen;
    set(this.controls, 'hidden', here.length === 0 && !this.running);
    set(this.none, 'hidden', here.length > 0);
    this.missing.update(all);
  }

  tell(kind, text, next = '', detail = null) {
    set(this.notice, 'class', kind ? `notice notice-${kind}` : 'notice');
    fill(this.notice, text && el('p', {}, text), next && el('p', { class: 'notice-next' }, next), detail && folded(detail));
  }

  async measure() {
    if (this.running) return;
    const control = new AbortController();
    const focused = this.button === document.activeElement;
    const spec = this.gpu.value;
    const body = { device: spec, precision: this.precision.value, size: Number(this.size.value) };
    this.show(control, focused);
    this.tell('info', `Measuring ${spec} …`);
    try {
      const { ladder } = await live.request('ladder', body, { signal: control.signal, onProgress: (news) => this.onProgress(news) });
      this.tell('', '');
      this.take(ladder, spec);
    } catch (error) {
      if (error.code === 'cancelled') this.tell('info', 'Stopped.');
      else this.tell('error', asSentence(error.message), asSentence(error.next), error.detail);
    } finally {
      this.show(null, this.stop === document.activeElement);
      this.update();
    }
  }

  /** Changes between the two buttons, and takes the focus along. */
  show(running, focused) {
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

  /** Shows a ladder in the place of the last one of the same product. */
  take(ladder, spec) {
    const key = `${spec} ${ladder.precision} ${ladder.size}`;
    const when = new Date().toLocaleString('en-GB', { dateStyle: 'long', timeStyle: 'short' });
    const made = table(ladder, title(ladder, spec, when));
    set(made, 'data-ladder', key);
    const before = [...this.results.children].find((one) => one.getAttribute('data-ladder') === key);
    if (before) before.replaceWith(made);
    else this.results.prepend(made);
    fadeEdges(made.querySelector('.matrix-scroll'));
  }
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
