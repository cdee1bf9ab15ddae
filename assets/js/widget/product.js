/**
 * A matrix product, cell by cell: A, B and C as tables, the row and the column
 * behind the chosen cell, its products and the running sum.
 * @module
 */
import { el } from '../part/dom.js';
import { Grid } from '../part/grid.js';
import { CellWidget } from './cells.js';

class ProductWidget extends CellWidget {
  buildStage() {
    this.left = new Grid();
    this.right = new Grid();
    this.output = new Grid({
      onChoose: (flat) => this.choose(flat),
      onEarly: (flat) => this.early(this.only.step.outputs[0], flat),
    });
    this.stage.append(el('div', { class: 'equation' },
      this.left.element, factor('·', this.right), factor('=', this.output)));
    super.buildStage();
  }

  get defaultTitle() {
    return 'A matrix product';
  }

  /** The product itself, before it was computed too. */
  get only() {
    return this.targetOf(this.trace.steps.findIndex((step) => step.op === 'matmul'));
  }

  /** At the result, which is a step of its own, cells can still be chosen. */
  get target() {
    if (!this.trace) return null;
    const target = super.target ?? this.only;
    return target && target.index <= this.stepper.index ? target : null;
  }

  drawGrids() {
    if (!this.only) return;
    const { subject, step } = this.only;
    const { flat, shownCell: cell } = this;
    const now = this.stepper.index;
    const [leftAt, rightAt] = [cell?.left_indices ?? [], cell?.right_indices ?? []];
    const done = this.trace.madeBy(step.outputs[0], now);
    const show = (grid, tensor, index, at, transposed) => grid.show({
      tensor, title: transposed ? `${tensor.name} (read transposed)` : tensor.name,
      blank: !this.trace.madeBy(index, now),
      marks: this.marks(at), reveal: at[this.term ?? 0] ?? null,
    });
    show(this.left, subject.left, step.inputs[0], leftAt, step.product.transpose_left);
    show(this.right, subject.right, step.inputs[1], rightAt, step.product.transpose_right);
    this.output.show({
      tensor: subject.output, blank: !done, choosable: done, selected: done ? flat : null, reveal: flat,
    });
  }

  /** Operands of the chosen cell, the one of the term under the pointer most. */
  marks(indices) {
    return new Map(indices.map((flat, k) => [flat, k === this.term ? 'operand term' : 'operand']));
  }
}

/** A matrix and the sign before it, which goes to the next line with it. */
function factor(sign, grid) {
  return el('div', { class: 'factor' }, el('span', { class: 'operator', 'aria-hidden': 'true' }, sign), grid.element);
}

customElements.define('wb-product', ProductWidget);
