/**
 * Sums and means along an axis, group by group, beside each other.
 * @module
 */
import { el, fill } from '../part/dom.js';
import { Grid } from '../part/grid.js';
import { CellWidget } from './cells.js';

class ReductionWidget extends CellWidget {
  buildStage() {
    this.input = new Grid();
    this.outputs = el('div', { class: 'outputs' });
    /** @type {Map<number, Grid>} by tensor */
    this.grids = new Map();
    this.stage.append(el('div', { class: 'equation' }, this.input.element, this.outputs));
    super.buildStage();
  }

  get defaultTitle() {
    return 'Sums and means along an axis';
  }

  take(raw) {
    super.take(raw);
    this.grids.clear();
    const reductions = this.trace.steps.filter((step) => step.op === 'sum' || step.op === 'mean');
    for (const { outputs } of reductions) {
      this.grids.set(outputs[0], new Grid({
        onChoose: (flat) => this.chooseOf(outputs[0], flat), onEarly: (flat) => this.early(outputs[0], flat),
      }));
    }
    this.reductions = reductions;
    fill(this.outputs, ...[...this.grids.values()].map((grid) => grid.element));
  }

  chooseOf(tensor, flat) {
    const step = this.trace.stepOf(tensor, flat);
    if (step !== null) {
      this.stepper.go(step);
      return;
    }
    // Too many groups for a step each: the element belongs to the whole step.
    this.stepper.go(/** @type {number} */ (this.trace.makers.get(tensor)));
    this.choose(flat);
  }

  get only() {
    const [first] = this.reductions;
    return first ? this.targetOf(this.trace.steps.indexOf(first)) : null;
  }

  drawGrids() {
    const input = this.trace.tensor(this.reductions[0]?.inputs[0]);
    if (!input) return;
    const { flat, shownCell: cell, target } = this;
    const at = cell?.left_indices ?? [];
    this.input.show({
      tensor: input,
      marks: new Map(at.map((index, k) => [index, k === this.term ? 'operand term' : 'operand'])),
      reveal: at[this.term ?? 0] ?? null,
    });
    const upright = this.reductions[0].reduction.axis === input.shape.length - 1;
    for (const [tensor, grid] of this.grids) {
      const done = this.trace.madeBy(tensor, this.stepper.index);
      const selected = done && target?.step.outputs[0] === tensor ? flat : null;
      grid.show({
        tensor: this.trace.tensor(tensor), blank: !done, choosable: done, column: upright, selected,
        reveal: selected, marks: done && flat !== null && selected === null ? new Map([[flat, 'same']]) : undefined,
      });
    }
  }
}

customElements.define('wb-reduction', ReductionWidget);
