/**
 * Every value of two devices, held against each other: a summary of each tensor,
 * and a table that is sorted, filtered, searched and downloaded.
 * @module
 */
import { short, show } from '../model/number.js';
import { Report, criterion, entryName, makerText } from '../model/report.js';
import { asSentence } from '../model/sentence.js';
import { around } from '../model/window.js';
import { DevicePicker } from '../part/devices.js';
import { el, fill, say, set } from '../part/dom.js';
import { Pager } from '../part/pager.js';
import { watching } from '../part/page.js';
import { fadeEdges } from '../part/scroller.js';
import { Widget } from './widget.js';

const pageRows = 25;

/** Digits of the allowed difference; the whole number is the cell's title. */
const allowedDigits = 3;

const sortable = { absolute: '|u − c|', relative: 'relative', ulp: 'ulp' };

class ComparisonWidget extends Widget {
  connectedCallback() {
    // Two devices, so that neither is "the" device of the example.
    this.dataset.example ??= 'comparison';
    super.connectedCallback();
  }

  get steps() {
    return false;
  }

  get defaultTitle() {
    return 'Every value of two devices';
  }

  makePickers() {
    this.devices = [...(this.data.devices ?? ['cpu', 'cpu,fused'])];
    return ['Reference', 'Candidate'].map((label, at) => new DevicePicker({
      label, value: this.devices[at],
      onChange: (spec) => {
        this.devices[at] = spec;
        this.chooseDevice(this.devices.join(' and '));
      },
    }));
  }

  adopt() {
    this.device = this.devices.join(' and ');
    if (!this.data.report) {
      this.report = null;
      return;
    }
    try {
      this.take(this.data.report);
    } catch (error) {
      this.notice('error', error.message);
    }
  }

  take(raw) {
    this.report = new Report(raw);
    this.top = 0;
    this.found = null;
    this.fillGroups();
  }

  resultOf(reply) {
    return reply.report;
  }

  accept(reply, input) {
    super.accept(reply, input);
    if (this.cell) this.find(this.cell, false);
  }

  request(input) {
    return { type: 'compare', body: { devices: this.devices, input } };
  }

  get hasResult() {
    return Boolean(this.report);
  }

  get deviceChanged() {
    const { reference, candidate } = this.report?.raw ?? {};
    return this.hasResult && (reference !== this.devices[0] || candidate !== this.devices[1]);
  }

  get wanted() {
    return this.devices;
  }

  get home() {
    return { cell: '', device: (this.data.devices ?? ['cpu', 'cpu,fused']).join(' ') };
  }

  get deviceText() {
    return this.devices.join(' ');
  }

  set deviceText(text) {
    const devices = text.split(' ');
    if (devices.length !== 2 || !devices.every(Boolean)) return;
    this.devices = devices;
    this.device = devices.join(' and ');
  }

  showDevice() {
    this.devices.forEach((spec, at) => this.pickers[at].set(spec));
  }

  /** In the address, the cell is a value's name and the device both devices. */
  place() {
    return { cell: this.cell, device: this.devices.join(' ') };
  }

  restore(place, first) {
    this.deviceText = place.device ?? '';
    this.showDevice();
    this.cell = place.cell ?? '';
    if (!this.cell) this.found = null;
    if (!first) this.runOnce();
    this.draw();
    if (this.cell && this.report) this.find(this.cell, false);
  }

  focusStep() {
    this.stage.focus({ preventScroll: true });
  }

  buildStage() {
    set(this.stage, 'aria-label', 'Comparison');
    this.tolerance = el('p', { class: 'tolerance' });
    this.bits = el('p', { class: 'bits-reason' });
    this.groupRows = el('tbody');
    this.groupCaption = el('caption');
    this.groupTable = el('div', { class: 'table-scroll summary-scroll', tabindex: '0', role: 'region', 'aria-label': 'Summary by tensor' },
      el('table', { class: 'groups' },
        this.groupCaption,
        el('thead', {}, el('tr', {}, ...['tensor', 'shape', 'values', 'failures', 'differing bits', 'first failure', 'worst'].map((head) => el('th', { scope: 'col' }, head)))),
        this.groupRows));

    this.filter = el('select', { change: () => this.choose({ filter: this.filter.value }) },
      el('option', { value: 'all' }, 'all values'), el('option', { value: 'failures' }, 'failures'), el('option', { value: 'differing' }, 'differing bits'));
    this.group = el('select', { change: () => this.choose({ group: this.group.value }) });
    this.search = el('input', { type: 'text', class: 'search', placeholder: 'logits[0,1,40]', spellcheck: 'false', autocapitalize: 'off' });
    this.searchError = el('p', { class: 'field-error', role: 'alert', hidden: true });
    const form = el('form', {
      class: 'table-tools',
      submit: (event) => {
        event.preventDefault();
        this.find(this.search.value, true);
      },
    },
    el('label', {}, 'Show ', this.filter), el('label', {}, 'of ', this.group),
    el('label', {}, 'Jump to ', this.search), el('button', { type: 'submit' }, 'Go'),
    el('span', { class: 'downloads' },
      el('button', { type: 'button', click: () => this.download('csv') }, 'Download CSV'),
      el('button', { type: 'button', click: () => this.download('json') }, 'Download JSON')));

    this.headers = {};
    const sortHeader = (key, text) => {
      const button = el('button', { type: 'button', class: 'sort', click: () => this.sortBy(key) }, text);
      this.headers[key] = el('th', { scope: 'col', 'aria-sort': 'none' }, button);
      return this.headers[key];
    };
    this.tableCaption = el('caption');
    this.rows = el('tbody');
    this.table = el('table', { class: 'entries' }, this.tableCaption,
      el('thead', {}, el('tr', { 'aria-rowindex': '1' },
        ...['value of', 'agrees', 'c, reference', 'u, candidate'].map((text) => el('th', { scope: 'col' }, text)),
        ...Object.entries(sortable).map(([key, text]) => sortHeader(key, text)),
        el('th', { scope: 'col' }, 'allowed'))),
      this.rows);
    this.pager = new Pager({
      word: 'rows', one: 'row',
      onMove: (start) => {
        this.top = start;
        this.fillRows();
      },
    });
    const values = el('div', { class: 'table-scroll', tabindex: '0', role: 'region', 'aria-label': 'Values' }, this.table);
    for (const box of [this.groupTable, values]) fadeEdges(box);
    this.stage.append(this.tolerance, this.bits, this.groupTable, form, this.searchError, values,
      el('div', { class: 'grid-pagers' }, this.pager.element));
  }

  draw() {
    if (!this.root) return;
    set(this.formula, 'hidden', true);
    set(this.letters, 'hidden', true);
    set(this.note, 'hidden', true);
    set(this.cost, 'hidden', true);
    set(this.stage, 'data-blank', !this.report);
    if (!this.report) {
      say(this.heading, watching ? 'The presenter has not compared anything yet.' : `Nothing has been compared yet: choose two devices that are there, and run.`);
      return;
    }
    const { raw } = this.report;
    set(this.stage, 'data-passed', String(raw.passed));
    const mismatched = raw.mismatched ? `, ${raw.mismatched} tensors that could not be compared` : '';
    say(this.heading, `${raw.passed ? 'Passed' : 'Failed'}: ${raw.count} values of ${raw.candidate} against ${raw.reference}, ${raw.failures} failures, ${raw.differing} with other bits${mismatched}.`);
    say(this.tolerance, `${criterion(raw.tolerance)}. ${asSentence(raw.tolerance.source ?? '')}`);
    say(this.bits, asSentence(raw.made?.bits ?? ''));
    set(this.bits, 'hidden', !raw.made);
    this.fillRows();
  }

  describeRun() {
    const { reference, candidate, made } = this.report?.raw ?? {};
    const precision = made ? `, both in ${made.precision}` : '';
    say(this.foot, this.report ? `c made by ${makerText(reference, made?.reference)}, u by ${makerText(candidate, made?.candidate)}${precision} · ${this.elapsedText()}.` : '');
  }

  fillGroups() {
    const { groups } = this.report.raw;
    const link = (entry) => entry && el('button', {
      type: 'button', class: 'jump', 'aria-label': `go to ${entryName(entry)}, difference ${show(entry.absolute)}`,
      click: () => this.find(entryName(entry), true),
    }, `[${entry.coordinate.join(', ')}]`, ' ', el('span', { class: 'index' }, show(entry.absolute)));
    say(this.groupCaption, `By tensor, ${groups.length} of them`);
    fill(this.groupRows, ...groups.map((group) => el('tr', { class: group.passed ? null : 'fails' },
      el('th', { scope: 'row' }, group.name),
      el('td', {}, `[${group.shape.join(', ')}]`, group.candidate_shape && ` against [${group.candidate_shape.join(', ')}]`),
      ...(group.reason
        ? [el('td', { colspan: '5', class: 'reason' }, group.reason)]
        : [el('td', { class: 'number' }, String(group.count)), el('td', { class: 'number' }, String(group.failures)),
          el('td', { class: 'number' }, String(group.differing)), el('td', {}, link(group.first)), el('td', {}, link(group.worst))]))));
    const chosen = this.report.group;
    fill(this.group, el('option', { value: '' }, 'every tensor'), ...groups.map(({ name }) => el('option', { value: name }, name)));
    this.group.value = chosen;
    this.filter.value = this.report.filter;
  }

  choose(choice) {
    this.report.choose(choice);
    this.top = 0;
    this.fillRows();
  }

  /** Sorts by a column: the worst first, then the best first, then as it came. */
  sortBy(key) {
    const { sort, descending } = this.report;
    if (sort !== key) this.choose({ sort: key, descending: true });
    else if (descending) this.choose({ descending: false });
    else this.choose({ sort: 'order' });
  }

  fillRows() {
    const { report } = this;
    const rows = report.rows();
    const shown = rows.slice(this.top, this.top + pageRows);
    const selected = this.found;
    const order = report.sort === 'order' ? '' : `, sorted by ${sortable[report.sort]}, ${report.descending ? 'largest' : 'smallest'} first`;
    say(this.tableCaption, `${rows.length} of ${report.raw.entries.length} values${order}`);
    set(this.table, 'aria-rowcount', String(rows.length + 1));
    for (const [key, header] of Object.entries(this.headers)) {
      set(header, 'aria-sort', report.sort !== key ? 'none' : report.descending ? 'descending' : 'ascending');
    }
    fill(this.rows, ...shown.map((index, at) => this.row(index, this.top + at + 2, index === selected)));
    if (rows.length === 0) fill(this.rows, el('tr', {}, el('td', { colspan: '8' }, 'No value is like that.')));
    this.pager.update(this.top, pageRows, rows.length);
  }

  row(index, rowIndex, selected) {
    const entry = this.report.raw.entries[index];
    // A bound is no result: its size is what counts, and the row has to fit.
    const allowed = short(entry.allowed, allowedDigits);
    const differs = entry.reference_bits !== entry.candidate_bits;
    const side = (value, code) => el('td', { class: 'number' }, show(value), el('code', { class: differs ? 'bits differ' : 'bits' }, code));
    return el('tr', { 'aria-rowindex': String(rowIndex), class: [!entry.pass && 'fails', selected && 'found'].filter(Boolean).join(' ') || null, tabindex: selected ? '-1' : null },
      el('th', { scope: 'row' }, entryName(entry)),
      el('td', {}, entry.pass ? 'yes' : 'no'),
      side(entry.reference, entry.reference_bits), side(entry.candidate, entry.candidate_bits),
      el('td', { class: 'number' }, show(entry.absolute)), el('td', { class: 'number' }, show(entry.relative)),
      el('td', { class: 'number' }, entry.ulp || '–'), el('td', { class: 'number', title: allowed.exact ? null : show(entry.allowed) }, allowed.text));
  }

  /**
   * Jumps to a value, and lets go of the filters that hide it.
   * @param {string} text
   * @param {boolean} asked by the reader just now
   */
  find(text, asked) {
    if (!this.report) return;
    const { index, error } = this.report.find(text);
    say(this.searchError, error ?? '');
    set(this.searchError, 'hidden', !error);
    set(this.search, 'aria-invalid', error && 'true');
    if (index === undefined) return;
    if (!this.report.rows().includes(index)) {
      this.report.choose({ filter: 'all', group: '' });
      this.filter.value = 'all';
      this.group.value = '';
    }
    this.found = index;
    const rows = this.report.rows();
    this.top = around(pageRows, rows.length, rows.indexOf(index));
    this.fillRows();
    this.cell = entryName(this.report.raw.entries[index]);
    if (!asked) return;
    this.moved(true);
    const row = this.rows.querySelector('.found');
    row?.focus();
    row?.scrollIntoView({ block: 'nearest' });
  }

  /** Makes a file of the page's own text: nothing is asked for again. */
  download(kind) {
    if (!this.report) return;
    const { raw, filter, group, sort } = this.report;
    const whole = filter === 'all' && !group && sort === 'order';
    const text = kind === 'json' ? this.report.json() : whole ? this.report.wholeCSV() : this.report.shownCSV();
    const url = URL.createObjectURL(new Blob([text], { type: kind === 'json' ? 'application/json' : 'text/csv' }));
    const name = `${raw.reference}-and-${raw.candidate}${whole || kind === 'json' ? '' : '-part'}`.replace(/[^\w.-]+/g, '-');
    el('a', { href: url, download: `${name}.${kind}` }).click();
    setTimeout(() => URL.revokeObjectURL(url), 10000);
  }
}

customElements.define('wb-comparison', ComparisonWidget);
