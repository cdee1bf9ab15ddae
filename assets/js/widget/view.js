/**
 * A tensor's storage beside its logical grid: which stored value each element
 * reads, by offset and strides, and what packing copies where.
 * @module
 */
import { parseCell } from '../model/deeplink.js';
import { showShape } from '../model/matrix.js';
import { show } from '../model/number.js';
import { coordinate, flatOf, placeOf } from '../model/trace.js';
import { el, fill, set } from '../part/dom.js';
import { Grid } from '../part/grid.js';
import { Widget } from './widget.js';

/** Cells of a storage that stand in one line. */
const stripColumns = 24;

class ViewWidget extends Widget {
  buildStage() {
    this.logical = new Grid({ onChoose: (flat) => this.choose(flat) });
    this.storage = new Grid({ strip: stripColumns, onChoose: (index) => this.chooseStored(index) });
    this.source = new Grid({ strip: stripColumns });
    this.sourceBox = el('div', { class: 'strip', hidden: true }, this.source.element);
    this.facts = el('dl', { class: 'facts' });
    this.offset = el('div', { class: 'offset', role: 'status' });
    this.stage.append(
      el('div', { class: 'equation' }, this.logical.element, el('div', {}, this.facts, this.offset)),
      this.sourceBox,
      el('div', { class: 'strip' }, this.storage.element));
  }

  get defaultTitle() {
    return 'A storage and a view of it';
  }

  /** The newest tensor with a layout at the step, and its storage. */
  get current() {
    for (let at = this.stepper.index; at >= 0; at--) {
      const step = this.trace.steps[at];
      for (const index of step.outputs) {
        const tensor = this.trace.tensor(index);
        if (tensor?.layout) return { tensor, layout: tensor.layout, storage: this.trace.tensor(tensor.layout.storage) };
      }
    }
    return null;
  }

  get flat() {
    const current = this.trace && this.current;
    return current ? flatOf(current.tensor.shape, parseCell(this.cell)) : null;
  }

  /** The chosen coordinate stays from step to step, where it exists. */
  get keepsCell() {
    return true;
  }

  choose(flat) {
    this.cell = placeOf(this.current.tensor.shape, flat).join(',');
    this.moved(true);
    this.draw();
  }

  /** Chooses the first element that reads a stored value. */
  chooseStored(index) {
    const flat = this.current.layout.indices.indexOf(index);
    if (flat >= 0) this.choose(flat);
    else fill(this.offset, el('p', {}, `No element of ${this.current.tensor.name} reads storage index ${index}.`));
  }

  drawStage(step) {
    const { current, flat } = this;
    if (!current || !current.storage) return;
    const { tensor, layout, storage } = current;
    const stored = flat === null ? null : layout.indices[flat];
    // A broadcast reads one stored value for several elements.
    const sharing = flat === null ? [] : all(layout.indices, stored);
    this.logical.show({
      tensor, choosable: true, selected: flat, reveal: flat,
      marks: new Map(sharing.map((index) => [index, 'same'])),
    });
    const read = new Set(layout.indices);
    this.storage.show({
      tensor: storage, title: `${storage.name}: the values in a row`, choosable: true, selected: stored, reveal: stored,
      marks: new Map(storage.values.map((_, index) => [index, read.has(index) ? 'read' : 'unread'])),
    });
    this.drawPacking(step, tensor, flat);
    this.drawFacts(tensor, layout, read.size, storage.values.length);
    this.drawOffset(tensor, layout, flat, stored, storage, sharing.length);
  }

  /** For a pack, the storage that was read, above the one that was written. */
  drawPacking(step, tensor, flat) {
    const packed = step.op === 'pack' ? this.trace.tensor(step.inputs[0]) : null;
    const source = packed?.layout && this.trace.tensor(packed.layout.storage);
    set(this.sourceBox, 'hidden', !source);
    if (!source) return;
    const from = flat === null ? null : packed.layout.indices[flat];
    const read = new Set(packed.layout.indices);
    this.source.show({
      tensor: source, title: `${source.name}: what ${tensor.name} was copied from`, selected: from, reveal: from,
      marks: new Map(source.values.map((_, index) => [index, read.has(index) ? 'read' : 'unread'])),
    });
  }

  drawFacts(tensor, layout, distinct, length) {
    const fact = (name, text) => [el('dt', {}, name), el('dd', {}, text)];
    fill(this.facts,
      ...fact('shape', showShape(tensor.shape)),
      ...fact('strides', showShape(layout.strides)),
      ...fact('offset', String(layout.offset)),
      ...fact('contiguous', layout.contiguous ? 'yes' : 'no'),
      ...fact('reads', `${distinct} of ${length} stored values`));
  }

  drawOffset(tensor, layout, flat, stored, storage, sharing) {
    if (flat === null) {
      fill(this.offset, el('p', {}, 'Choose an element to see which stored value it reads.'));
      return;
    }
    const at = coordinate(tensor.shape, flat);
    const letters = at.map((_, axis) => `i${subscript(axis)}`);
    const pattern = ['offset', ...letters.map((letter, axis) => `${letter}·s${subscript(axis)}`)].join(' + ');
    const numbers = [String(layout.offset), ...at.map((index, axis) => `${index}·${bracket(layout.strides[axis])}`)].join(' + ');
    fill(this.offset,
      el('p', { class: 'offset-pattern' }, `index = ${pattern}`),
      el('p', { class: 'offset-numbers' }, `${tensor.name}${showShape(at)}: ${numbers} = `, el('strong', {}, String(stored))),
      el('p', {}, `${storage.name}[${stored}] = ${show(storage.values[stored])}`),
      sharing > 1 && el('p', { class: 'offset-note' }, `${sharing} elements read this stored value.`));
  }
}

function all(indices, wanted) {
  const found = [];
  indices.forEach((index, flat) => {
    if (index === wanted) found.push(flat);
  });
  return found;
}

function bracket(stride) {
  return stride < 0 ? `(${stride})` : String(stride);
}

function subscript(axis) {
  return String(axis).replace(/\d/g, (digit) => '₀₁₂₃₄₅₆₇₈₉'[Number(digit)]);
}

customElements.define('wb-view', ViewWidget);
