/**
 * One product or reduction on several devices side by side: every value with its
 * bits, those marked that differ from the first device's, and how far apart the
 * two are.
 * @module
 */
import { Contracts } from '../model/contracts.js';
import { sign } from '../model/number.js';
import { asSentence } from '../model/sentence.js';
import { missingFor } from '../part/devices.js';
import { el, fill, say, set } from '../part/dom.js';
import { live, watching } from '../part/page.js';
import { fadeEdges } from '../part/scroller.js';
import { Widget, ofTheDevice } from './widget.js';

class ContractsWidget extends Widget {
  get steps() {
    return false;
  }

  get defaultTitle() {
    return 'One example on several devices';
  }

  makePickers() {
    return [];
  }

  adopt() {
    this.device = 'every device that is here';
    try {
      this.take(this.data);
    } catch (error) {
      this.notice('error', error.message);
    }
  }

  take(raw) {
    this.contracts = new Contracts(raw);
  }

  get hasResult() {
    return Boolean(this.contracts);
  }

  get deviceChanged() {
    return false;
  }

  /** A device that is not there has its own place to say so. */
  get wanted() {
    return [];
  }

  /** Asks each device that is there, one after the other. */
  async ask(input, options) {
    const { devices } = this.data;
    const reports = devices.map(() => null);
    const failures = devices.map(() => null);
    let elapsed = 0;
    for (const [at, candidate] of devices.entries()) {
      // The reference's own values are in every report.
      if (at === 0 && devices.length > 1 && devices.some((spec, other) => other > 0 && !missingFor(live.devices, spec))) continue;
      if (missingFor(live.devices, candidate)) continue;
      this.notice('info', watching ? 'Getting what the presenter ran …' : `Running on ${candidate} …`);
      try {
        const { report, elapsed_ms: time } = await live.request('compare', { example: this.example, devices: [devices[0], candidate], input }, options);
        reports[at] = report;
        elapsed += time ?? 0;
      } catch (error) {
        // What is wrong with the inputs is wrong on every device.
        if (!ofTheDevice.includes(error.code)) throw error;
        failures[at] = { message: error.message, next: error.next };
      }
    }
    return { devices, reports, failures, elapsed_ms: elapsed };
  }

  resultOf(reply) {
    return reply;
  }

  get home() {
    return {};
  }

  /** The devices are the chapter's. */
  get deviceText() {
    return '';
  }

  set deviceText(_text) {}

  showDevice() {}

  /** There is one place, and it is the widget. */
  place() {
    return {};
  }

  restore(_place, first) {
    if (!first) this.runOnce();
    this.draw();
  }

  buildStage() {
    set(this.stage, 'aria-label', 'Values');
    this.caption = el('caption');
    this.head = el('tr');
    this.rows = el('tbody');
    this.table = el('div', { class: 'table-scroll', tabindex: '0', role: 'region', 'aria-label': 'Values by device' },
      el('table', { class: 'contracts' }, this.caption, el('thead', {}, this.head), this.rows));
    fadeEdges(this.table);
    this.others = el('dl', { class: 'contracts-others' });
    this.legend_ = el('p', { class: 'contracts-legend' });
    this.stage.append(this.legend_, this.table, this.others);
  }

  listen() {
    super.listen();
    // Which devices are there decides what an empty column says.
    live.addEventListener('devices', () => this.draw(), { signal: this.control.signal });
    live.addEventListener('hello', () => this.draw(), { signal: this.control.signal });
  }

  draw() {
    if (!this.root) return;
    for (const part of [this.formula, this.letters, this.note, this.maker, this.cost]) set(part, 'hidden', true);
    if (!this.contracts) {
      say(this.heading, 'Nothing has been run yet.');
      return;
    }
    const { devices, reports } = this.contracts;
    say(this.heading, this.contracts.summary());
    say(this.legend_, `Held against ${devices[0]}: digits that differ are marked, and 1 ulp is a step from one float64 to the next.`);
    say(this.caption, 'Values, with their bits');
    fill(this.head, el('th', { scope: 'col' }, 'value of'), ...devices.map((device) => el('th', { scope: 'col' }, el('code', {}, device))));
    const states = devices.map((device, at) => this.state(device, at));
    fill(this.rows, ...this.contracts.rows().map(({ name, values }) => el('tr', {},
      el('th', { scope: 'row' }, name),
      ...values.map((value, at) => (value ? valueCell(value) : el('td', { class: 'none' }, states[at].short))))));
    /** @type {Map<string, string[]>} devices by why they have no values */
    const without = new Map();
    devices.forEach((device, at) => {
      if (at > 0 && !reports[at]) without.set(states[at].long, [...(without.get(states[at].long) ?? []), device]);
    });
    fill(this.others, ...[...without].flatMap(([text, names]) => [
      el('dt', {}, ...names.flatMap((name, at) => [at > 0 ? ', ' : '', el('code', {}, name)])), el('dd', {}, text)]));
    set(this.others, 'hidden', without.size === 0);
  }

  /** Why a device has no values. */
  state(device, at) {
    const failure = this.contracts.failures[at];
    if (failure) return { short: 'failed', long: [failure.message, failure.next].filter(Boolean).map((text) => asSentence(text)).join(' ') };
    const missing = missingFor(live.devices, device);
    if (missing) return { short: 'not here', long: `Not available here. ${[missing.reason, missing.next].filter(Boolean).map((text) => asSentence(text)).join(' ')}` };
    return { short: 'not asked', long: watching ? 'The presenter has not asked it yet.' : 'Not asked yet: Run asks every device that is here.' };
  }

  describeRun() {
    const [reference, ...others] = this.contracts?.devices ?? [];
    const asked = others.filter((_, at) => this.contracts.reports[at + 1]);
    say(this.foot, this.contracts ? `Made by ${[reference, ...asked].join(' and ')} · ${this.elapsedText()}.` : '');
  }
}

/** @param {import('../model/contracts.js').Value} value */
function valueCell({ value, bits, ulp, same }) {
  return el('td', { class: same ? null : 'differs' }, el('span', { class: 'number' }, sign(value)),
    el('code', { class: 'bits' }, ...bits.map(({ text, differs }) => (differs ? el('mark', {}, text) : text))),
    !same && el('span', { class: 'ulp' }, ulp ? `${ulp} ulp` : 'no number'));
}

customElements.define('wb-contracts', ContractsWidget);
