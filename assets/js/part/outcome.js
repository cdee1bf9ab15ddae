/**
 * What came of a run of a kernel: what is wrong with it, whether the result is
 * right, the result, what it printed, and what it did.
 * @module
 */
import { triple, verdict } from '../model/kernel.js';
import { lineRows, rows, uses } from '../model/measurement.js';
import { show } from '../model/number.js';
import { asSentence } from '../model/sentence.js';
import { Chart } from './chart.js';
import { el, fill, say, set } from './dom.js';
import { Grid } from './grid.js';
import { opened } from './opening.js';
import { fadeEdges, whenNear } from './scroller.js';

/** Elements that one message brings, which is what the server sends at most. */
const chunk = 4096;

export class OutcomePanel {
  /**
   * @param {object} options
   * @param {(line: number, column: number) => void} options.onLine go there in the source
   * @param {(output: string, from: number) => Promise<any>} options.onMore fetches elements of an output
   */
  constructor({ onLine, onMore }) {
    Object.assign(this, { onLine, onMore });
    this.reports = el('ul', { class: 'reports' });
    this.none = el('p', { class: 'reports-none' });
    this.verdict = el('p', { class: 'kernel-verdict' });
    this.printed = el('pre', { class: 'printed', tabindex: '0', 'aria-label': 'What the kernel printed' });
    this.printedBox = el('div', { hidden: true }, el('p', { class: 'outcome-head' }, 'The kernel printed'), this.printed);
    this.outputs = el('div', { class: 'outputs' });
    this.measured = el('div', { class: 'measured-box' });
    /** What is wrong and whether the result is right, which belongs beside the source. */
    this.findings = el('section', { class: 'findings', 'aria-label': 'What was found' }, this.none, this.reports, this.verdict);
    this.element = el('section', { class: 'outcome', 'aria-label': 'Result' }, this.printedBox, this.outputs, this.measured);
  }

  /** @param {any} outcome @param {any[]} [rooflines] */
  show(outcome, rooflines = []) {
    for (const chart of this.charts ?? []) chart.dispose();
    this.charts = [];
    const { reports = [], measurements = [], outputs = [] } = outcome;
    set(this.reports, 'hidden', reports.length === 0);
    fill(this.reports, ...reports.map((report) => this.report(report)));
    const checked = measurements.length > 0;
    say(this.none, reports.length > 0 ? '' : checked ? 'Nothing wrong was found with this launch.' : 'A GPU checks nothing: run it on the emulator to know of races and accesses out of bounds.');
    set(this.none, 'hidden', reports.length > 0);
    set(this.none, 'data-kind', checked ? 'good' : null);
    const said = verdict(outcome.comparison, show);
    say(this.verdict, said?.text ?? '');
    set(this.verdict, 'hidden', !said);
    set(this.verdict, 'data-kind', said?.kind);
    set(this.printedBox, 'hidden', !outcome.printed);
    say(this.printed, outcome.printed ?? '');
    // The rest stands below the step that a link leads to.
    this.outcome = outcome;
    opened.then(() => {
      if (this.outcome !== outcome) return;
      fill(this.outputs, ...outputs.map((output) => this.output(output)));
      const open = Boolean(this.measured.querySelector('.by-line')?.open);
      fill(this.measured, ...measurements.map((m, at) => this.measurement(m, rooflines.filter(({ launch }) => launch === at))));
      for (const lines of this.measured.querySelectorAll('.by-line')) lines.open = open;
    });
  }

  /** One report: where, who, what, why. */
  report(report) {
    const { other } = report;
    const place = (at, column) => el('button', { type: 'button', class: 'jump', click: () => this.onLine(at, column) }, `line ${at}`);
    const who = (p) => `block ${triple(p.block)}, thread ${triple(p.thread)}`;
    return el('li', { class: `report report-${report.severity}` },
      el('p', { class: 'report-what' }, el('span', { class: 'report-kind' }, report.kind), ' ',
        report.line > 0 && place(report.line, report.column), ': ', asSentence(report.message)),
      report.source && el('code', { class: 'report-source' }, report.source.trim()),
      el('p', { class: 'report-who' }, other ? `${asSentence(who(report)).slice(0, -1)}${verb(report.access)} ` : `${asSentence(who(report))} `,
        other && el('span', {}, `and ${who(other)}${verb(other.access)} at `, place(other.line, other.column), '.'),
        report.count > 1 && ` Seen ${report.count} times.`),
      report.cause && el('p', { class: 'report-cause' }, asSentence(report.cause)));
  }

  output(output) {
    let raw = output.values;
    if (typeof raw === 'string') raw = JSON.parse(raw);
    const values = new Array(output.count);
    raw.forEach((value, at) => { values[at] = value; });
    const grid = new OutputGrid((from) => this.onMore(output.name, from));
    grid.show({ tensor: { name: output.name, shape: output.shape, values }, title: `${output.name}, of type ${output.type}`, digits: 5 });
    return grid.element;
  }

  /** Draws again in the colours of the theme. */
  repaint() {
    for (const chart of this.charts ?? []) chart.repaint();
  }

  /** What limits a launch on a GPU that a reader chooses. */
  roofline(rooflines) {
    const chart = new Chart();
    this.charts.push(chart);
    const text = el('p', { class: 'roofline-text' });
    const choice = el('select', { 'aria-label': 'GPU', hidden: rooflines.length < 2, change: () => draw() }, ...rooflines.map(({ gpu }, at) => el('option', { value: String(at) }, gpu)));
    const draw = () => {
      const chosen = rooflines[Number(choice.value)];
      say(text, chosen.text);
      chart.show(chosen.option, chosen.text);
    };
    say(text, rooflines[0].text);
    const element = el('div', { class: 'roofline' }, el('p', { class: 'outcome-head' }, 'What limits it ', choice), text, chart.element);
    if (Chart.possible) {
      // Its room is there before it is drawn.
      set(chart.element, 'hidden', false);
      set(chart.canvas, 'aria-label', rooflines[0].text);
      whenNear(element, draw);
    }
    return element;
  }

  measurement(m, rooflines) {
    const table = (caption, head, body, name) => {
      const box = el('div', { class: 'table-scroll', tabindex: '0', role: 'region', 'aria-label': caption },
        el('table', { class: name }, el('caption', {}, caption), head && el('thead', {}, el('tr', {}, ...head.map((h) => el('th', { scope: 'col' }, h)))), el('tbody', {}, ...body)));
      fadeEdges(box);
      return box;
    };
    const used = uses(m);
    const lined = lineRows(m);
    return el('div', { class: 'measurement' },
      el('div', { class: 'measured-row' },
        table(`What ${m.kernel} did`, null, rows(m).map(([what, much]) => el('tr', {}, el('th', { scope: 'row' }, what), el('td', {}, much))), 'measured'),
        used.rows.length > 0 && table('How often each value was loaded', used.head, used.rows.map(([name, ...cells]) => el('tr', {}, el('th', { scope: 'row' }, name), ...cells.map((text) => el('td', { class: 'number' }, text)))), 'loads')),
      rooflines.length > 0 && this.roofline(rooflines),
      lined.rows.length > 0 && el('details', { class: 'by-line' }, el('summary', {}, 'Line by line'),
        table('What each line did', lined.head, lined.rows.map(({ line, cells }) => el('tr', {},
          el('th', { scope: 'row' }, el('button', { type: 'button', class: 'jump', click: () => this.onLine(line, 1) }, `line ${line}`)),
          ...cells.map((text) => el('td', { class: 'number' }, text)))), 'lines')));
  }
}

function verb(access) {
  return { read: ' reads', write: ' writes', atomic: ' works atomically' }[access] ?? (access ? ` (${access})` : '');
}

/** A grid over an output of which only a part has come: the rest comes when it is looked at. */
class OutputGrid extends Grid {
  /** @param {(from: number) => Promise<any>} fetch */
  constructor(fetch) {
    super({ strip: 16 });
    this.fetch = fetch;
    /** @type {Set<number>} chunks that were asked for */
    this.asked = new Set();
  }

  fillCells() {
    super.fillCells();
    const { tensor } = this.view;
    this.cells.forEach((cells, r) => cells.forEach((cell, c) => {
      const flat = this.flat(this.top + r, this.left + c);
      if (tensor.values[flat] !== undefined) return;
      say(cell, '…');
      this.ask(Math.floor(flat / chunk));
    }));
  }

  async ask(number) {
    if (this.asked.has(number)) return;
    this.asked.add(number);
    const { tensor } = this.view;
    try {
      const { values } = (await this.fetch(number * chunk)).values;
      values.forEach((value, at) => { tensor.values[number * chunk + at] = value; });
      if (this.view.tensor === tensor) this.render();
    } catch (error) {
      this.asked.delete(number);
      say(this.readout, asSentence(error.message));
    }
  }
}
