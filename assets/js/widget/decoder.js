/**
 * The tiny decoder, from text to loss and back: its parts, each step's inputs
 * and outputs as tables, and any element of a product or a mean written out.
 * @module
 */
import { sectionTitle } from '../model/trace.js';
import { show } from '../model/number.js';
import { el, fill, say, set } from '../part/dom.js';
import { Grid } from '../part/grid.js';
import { Pager } from '../part/pager.js';
import { CellWidget } from './cells.js';

/** Tensors of a step that stand beside each other before a menu is needed. */
const mostBeside = 3;

/** Tokens that are listed at once. */
const mostTokens = 12;

/** Digits of a value in a table; the chosen cell is written in full below it. */
const shortDigits = 6;

class DecoderWidget extends CellWidget {
  buildStage() {
    this.nav = el('nav', { class: 'sections', 'aria-label': 'Parts of the run' });
    this.loss = el('p', { class: 'loss' });
    this.tokens = el('div');
    this.tokenPager = new Pager({
      word: 'positions', one: 'position',
      onMove: (start) => {
        this.firstToken = start;
        this.drawDocument();
      },
    });
    this.document_ = el('div', { class: 'document' }, this.tokens, this.tokenPager.element);
    this.inputs = new Side('Inputs', () => this.drawGrids());
    this.outputs = new Side('Outputs', () => this.drawGrids(), (flat) => this.choose(flat));
    this.digits = el('select', { 'aria-label': 'Digits in the tables', change: () => this.drawGrids() },
      el('option', { value: String(shortDigits) }, `${shortDigits} digits`), el('option', { value: '' }, 'all digits'));
    this.root.querySelector('.stepbar').before(this.nav);
    this.stage.append(
      el('div', { class: 'stage-bar' }, this.loss, this.digits),
      this.document_, this.inputs.element, this.outputs.element);
    super.buildStage();
  }

  get defaultTitle() {
    return 'A tiny decoder, from text to loss and back';
  }

  take(raw) {
    super.take(raw);
    this.sections = this.trace.sections();
    const phases = new Map([['Forward', []], ['Backward', []]]);
    this.sectionButtons = this.sections.map((section) => {
      const button = el('button', { type: 'button', class: 'section', click: () => this.stepper.go(section.first) }, sectionName(section));
      phases.get(section.phase === 'backward' || section.phase === 'result' ? 'Backward' : 'Forward').push(button);
      return button;
    });
    fill(this.nav, ...[...phases].map(([name, buttons]) =>
      el('div', { class: 'section-row', role: 'group', 'aria-label': name },
        el('span', { class: 'section-phase', 'aria-hidden': 'true' }, name), el('span', { class: 'section-buttons' }, ...buttons))));
    this.firstToken = 0;
    this.drawDocument();
  }

  drawDocument() {
    const { document: text } = this.trace;
    if (!text) return;
    fill(this.loss, 'Loss ', el('strong', {}, show(text.loss)), ' nats, bits ', el('code', {}, text.bits));
    const token = (name, id) => el('td', {}, name, ' ', el('span', { class: 'index' }, String(id)));
    const { firstToken: first } = this;
    fill(this.tokens,
      el('table', { class: 'tokens' },
        el('caption', {}, `Tokens of “${text.text}”: what the model is given, and what it is asked for`),
        el('thead', {}, el('tr', {}, ...['position', 'input', 'target'].map((head) => el('th', { scope: 'col' }, head)))),
        el('tbody', {}, ...text.inputs.slice(first, first + mostTokens).map((id, row) => {
          const at = first + row;
          return el('tr', {}, el('th', { scope: 'row' }, String(at)), token(text.names[at], id), token(text.names[at + 1], text.targets[at]));
        }))));
    this.tokenPager.update(first, mostTokens, text.inputs.length);
  }

  drawStage(step) {
    const now = this.stepper.index;
    this.sections.forEach(({ first, count }, index) => {
      set(this.sectionButtons[index], 'aria-current', now >= first && now < first + count && 'step');
    });
    set(this.document_, 'hidden', !(step.section === 'tokens' || step.section === 'embedding' || step.phase === 'loss'));
    super.drawStage(step);
  }

  drawGrids() {
    const step = this.trace?.steps[this.stepper.index];
    if (!step) return;
    const digits = this.digits.value ? Number(this.digits.value) : undefined;
    const { flat, shownCell: cell, target } = this;
    const marks = (at) => new Map(at.map((index, k) => [index, k === this.term ? 'operand term' : 'operand']));
    const operands = [cell?.left_indices ?? [], cell?.right_indices ?? []];
    this.inputs.show(this.trace, step.inputs, (_, place) => ({
      digits, marks: target && place < 2 ? marks(operands[place]) : undefined,
      reveal: (target && operands[place]?.[this.term ?? 0]) ?? null,
    }));
    this.outputs.show(this.trace, step.outputs, (_, place) => ({
      digits, choosable: Boolean(target) && place === 0, selected: target && place === 0 ? flat : null,
      reveal: target && place === 0 ? flat : null,
    }));
  }
}

/** The tensors on one side of a step: a few as tables, many behind a menu. */
class Side {
  /**
   * @param {string} name
   * @param {() => void} onPick
   * @param {(flat: number) => void} [onChoose]
   */
  constructor(name, onPick, onChoose) {
    this.onChoose = onChoose;
    this.count = el('span', { class: 'side-count' });
    this.menu = el('select', { 'aria-label': `${name}: which tensor`, hidden: true, change: onPick });
    this.grids = el('div', { class: 'side-grids' });
    this.element = el('section', { class: 'side', 'aria-label': name },
      el('p', { class: 'side-title' }, el('span', {}, name), ' ', this.count, ' ', this.menu), this.grids);
    /** @type {Grid[]} */
    this.pool = [];
    this.listed = '';
  }

  /**
   * @param {import('../model/trace.js').Trace} trace
   * @param {number[]} tensors
   * @param {(tensor: number, place: number) => object} viewOf
   */
  show(trace, tensors, viewOf) {
    set(this.element, 'hidden', tensors.length === 0);
    const many = tensors.length > mostBeside;
    set(this.menu, 'hidden', !many);
    say(this.count, many ? `${tensors.length} tensors` : '');
    if (many) this.list(trace, tensors);
    const shown = many ? [Math.min(Math.max(0, this.menu.selectedIndex), tensors.length - 1)] : tensors.map((_, place) => place);
    while (this.pool.length < shown.length) this.pool.push(new Grid({ onChoose: this.onChoose }));
    shown.forEach((place, at) => {
      this.pool[at].show({ tensor: trace.tensor(tensors[place]), ...viewOf(tensors[place], place) });
    });
    const elements = this.pool.slice(0, shown.length).map((grid) => grid.element);
    // Taking an element out and in again would lose the focus inside it.
    if (elements.length !== this.grids.childElementCount) fill(this.grids, ...elements);
  }

  list(trace, tensors) {
    const key = tensors.join();
    if (key === this.listed) return;
    this.listed = key;
    fill(this.menu, ...tensors.map((tensor) => el('option', {}, trace.tensor(tensor).name)));
  }
}

function sectionName({ phase, section }) {
  return phase === 'result' ? 'results and gradients' : sectionTitle(section);
}

customElements.define('wb-decoder', DecoderWidget);
