/**
 * An example in which an output element can be chosen and written out: its
 * products come with the trace or, where they are many, from the server on
 * demand. The newest question wins.
 * @module
 */
import { nameOf } from '../model/cell.js';
import { parseCell } from '../model/deeplink.js';
import { asSentence } from '../model/sentence.js';
import { flatOf, placeOf } from '../model/trace.js';
import { CellPanel } from '../part/cellpanel.js';
import { Chart } from '../part/chart.js';
import { unlessNewer } from '../model/latest.js';
import { chapter, live, room } from '../part/page.js';
import { Widget } from './widget.js';

/**
 * @typedef {import('../model/trace.js').Cell} Cell
 *
 * @typedef {object} Target a product or a reduction whose elements can be chosen
 * @property {number} index of its step
 * @property {import('../model/trace.js').Step} step
 * @property {import('../part/cellpanel.js').Subject} subject
 */

export class CellWidget extends Widget {
  buildStage() {
    this.panel = new CellPanel((k) => {
      this.term = k;
      this.drawGrids();
    });
    this.stage.append(this.panel.element);
    /** @type {Map<string, {cell: Cell, chart: any}>} what the server explained, by step and element */
    this.explained = new Map();
  }

  take(raw) {
    super.take(raw);
    this.explained?.clear();
    this.asking = null;
  }

  /**
   * The product or reduction that a step is of, or null.
   * @param {number} index
   * @returns {Target | null}
   */
  targetOf(index) {
    const whole = this.trace.whole(index);
    const step = this.trace.steps[whole];
    if (!step || !(step.product || step.reduction)) return null;
    const [left, right] = step.inputs.map((tensor) => this.trace.tensor(tensor));
    const output = this.trace.tensor(step.outputs[0]);
    if (!left || !output || (step.product && !right)) return null;
    return { index: whole, step, subject: { output, left, right: step.product ? right : null } };
  }

  get target() {
    return this.trace ? this.targetOf(this.stepper.index) : null;
  }

  /** The flat index of the element that is chosen, or null. */
  get flat() {
    if (!this.trace) return null;
    const shown = this.trace.elementOf(this.stepper.index);
    if (shown !== null) return shown;
    const { target } = this;
    return target ? this.flatNamed(target, this.cell) : null;
  }

  /** The flat index of an element that an address names, or null. */
  flatNamed(target, text) {
    const cell = parseCell(text);
    if (!cell) return null;
    if (target.step.product) return flatOf(productShape(target.step), cell);
    return cell[0] === 0 && cell[2] === 0 && cell[1] < target.step.reduction.g ? cell[1] : null;
  }

  /** How the server and the address name an element: batch, row, column. */
  cellName(target, flat) {
    return target.step.reduction ? [0, flat, 0] : placeOf(productShape(target.step), flat);
  }

  place() {
    const place = super.place();
    const { target, flat } = this;
    if (target && flat !== null) place.cell = this.cellName(target, flat).join(',');
    return place;
  }

  /** Chooses an element: goes to the step that shows it, or asks for it here. */
  choose(flat) {
    const { target } = this;
    if (!target) return;
    const step = this.trace.stepOf(target.step.outputs[0], flat);
    if (step !== null) {
      this.stepper.go(step);
      return;
    }
    this.cell = this.cellName(target, flat).join(',');
    this.moved(true);
    this.draw();
  }

  /**
   * Says where an element is computed that is still blank, and leads there.
   * @param {number} tensor
   * @param {number} flat
   */
  early(tensor, flat) {
    const made = this.trace.makers.get(tensor);
    if (made === undefined) return;
    const step = this.trace.stepOf(tensor, flat) ?? made;
    const name = this.trace.tensor(tensor).name;
    this.panel.say(`${name} is computed at step ${made}, and is still blank here. `, 'hint', {
      text: `Go to ${nameOf(this.trace.tensor(tensor), flat)}`,
      act: () => {
        this.stepper.go(step);
        this.focusStep();
      },
    });
  }

  restore(place, first) {
    super.restore(place, first);
    if (!this.trace) return;
    // A cell without its step, or with the step of another one: the cell wins.
    const target = this.target ?? this.only;
    const flat = target && this.flatNamed(target, place.cell);
    if (flat === null) return;
    const step = this.trace.stepOf(target.step.outputs[0], flat);
    const shown = this.trace.elementOf(this.stepper.index);
    const elsewhere = shown !== null ? shown !== flat : place.step === undefined;
    if (!elsewhere) return;
    this.stepper.go(step ?? target.index, 'restore');
    this.draw();
  }

  /** What a cell is of where the step does not say, in a run of one product. */
  get only() {
    return null;
  }

  drawStage(_step) {
    this.term = null;
    this.drawCell();
    this.drawGrids();
  }

  /** Draws the tensors. @abstract */
  drawGrids() {}

  /** What a reader can do where no element is chosen. */
  hint({ step, subject }) {
    const { name, values } = subject.output;
    const terms = step.reduction ? 'values' : 'products';
    if (values.length === 0) return `${name} has no values.`;
    const count = (step.reduction ?? step.product).k;
    return count === 0
      ? `Every cell of ${name} is made of no ${terms}: the axis that is added up has length 0.`
      : `Choose a cell of ${name} to see the ${count === 1 ? 'one' : count} ${count === 1 ? terms.slice(0, -1) : terms} behind it.`;
  }

  /** The element that is chosen, written out, or null while it is not known. */
  get shownCell() {
    const { target, flat } = this;
    if (!target || flat === null) return null;
    return this.inlineCell(target, flat) ?? this.explained.get(`${target.index}:${flat}`)?.cell ?? null;
  }

  /** The cell as the trace itself has it: only this shows what the run sent. */
  inlineCell(target, flat) {
    const index = this.trace.stepOf(target.step.outputs[0], flat);
    const cell = index === null ? null : this.trace.steps[index].cell;
    return cell?.terms && cell.device ? cell : null;
  }

  drawCell() {
    const { target, flat } = this;
    if (!target || flat === null) {
      const hint = target ? this.hint(target) : '';
      if (hint) this.panel.say(hint);
      else this.panel.hide();
      return;
    }
    const key = `${target.index}:${flat}`;
    const known = this.explained.get(key);
    const cell = this.shownCell;
    if (cell) this.panel.show(cell, target.subject, this.trace.steps[this.stepper.index].title);
    if (known && cell) {
      // A chart of other numbers than those shown would be worse than none.
      const same = known.cell.value_bits === cell.value_bits && known.cell.last_bits === cell.last_bits;
      this.panel.draw(same ? known.chart ?? null : null, cell, same && !known.chart);
      return;
    }
    const name = nameOf(target.subject.output, flat);
    if (!live.open) {
      if (cell) this.panel.draw(null, cell);
      else this.panel.say(`The terms of ${name} are written out on demand, and this page is not connected to the workbench now.`, 'offline');
    } else if (!cell || Chart.possible) {
      this.panel.busy(true);
      this.explaining = this.explain(target, flat, key);
    }
  }

  async explain(target, flat, key, again = false) {
    this.asking?.abort();
    const control = new AbortController();
    this.asking = control;
    let failure = null;
    try {
      // A run of an earlier connection is not known to this one, though its
      // name may be taken by another. A lesson knows all of its runs.
      if (!room && this.run.epoch !== 0 && this.run.epoch !== live.epoch) throw { code: 'unknown-run' };
      const { cell, chart } = await live.request('explain', {
        run: this.run.id, chapter: this.run.epoch === 0 ? this.dataset.chapter ?? chapter : undefined,
        step: target.index, cell: this.cellName(target, flat),
      }, { signal: control.signal });
      if (this.asking !== control) return;
      this.explained.set(key, { cell, chart });
    } catch (error) {
      if (error.code === 'cancelled') return;
      failure = error;
    }
    if (failure?.code === 'unknown-run' && !again && this.run.epoch !== 0 && !this.stale) {
      // The server keeps few runs; the same inputs give the same run again.
      if (await this.start({ asked: false, again: true })) await this.explain(this.target ?? target, flat, key, true);
      return;
    }
    this.panel.busy(false);
    if (!failure) {
      this.drawCell();
      this.drawGrids();
    } else if (!this.shownCell) {
      this.panel.say(`${asSentence(failure.message ?? 'the server no longer has this run')} ${asSentence(failure.next || 'run again, then choose the cell')}`, 'error');
    } else this.panel.draw(null, this.shownCell);
  }

  listen() {
    super.listen();
    // What could not be asked while the page was alone is asked now.
    live.addEventListener('hello', () => this.trace && this.drawCell(), { signal: this.control.signal });
  }

  async drawn(newer) {
    if (this.explaining) await unlessNewer(this.explaining, newer);
  }

  repaint() {
    this.panel.chart.repaint();
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    this.panel?.chart.dispose();
  }
}

function productShape(step) {
  const { b, m, n } = step.product;
  return [b, m, n];
}
