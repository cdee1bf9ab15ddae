/**
 * Requests on their way to a device and back: host memory and the device's side
 * by side, the bytes that were packed, and what the device has counted so far.
 * @module
 */
import { byteRows, columns, counterText, counters, crossingAt, memories, requests, stages } from '../model/crossing.js';
import { show } from '../model/number.js';
import { el, fill, say, set } from '../part/dom.js';
import { Grid } from '../part/grid.js';
import { fadeEdges } from '../part/scroller.js';
import { TimeBar } from '../part/timebar.js';
import { Widget } from './widget.js';

class BoundaryWidget extends Widget {
  buildStage() {
    this.track = el('ol', { class: 'stages' });
    this.trackBox = el('nav', { class: 'stages-box', 'aria-label': 'Stages of the request' }, this.track);
    this.host = new Memory('Host memory');
    this.device_ = new Memory('Device memory');
    this.caption = el('caption');
    this.head = el('tr', {}, el('th', { scope: 'col' }, 'request'), ...columns.map(({ head }) => el('th', { scope: 'col' }, head)));
    this.rows = el('tbody');
    this.table = el('div', { class: 'table-scroll counters', tabindex: '0', role: 'region', 'aria-label': 'Counters' },
      el('table', {}, this.caption, el('thead', {}, this.head), this.rows));
    fadeEdges(this.table);
    this.times = new TimeBar();
    this.stage.append(this.trackBox, el('div', { class: 'memories' }, this.host.element, this.device_.element), this.table, this.times.element);
  }

  get defaultTitle() {
    return 'Requests on their way to a device and back';
  }

  take(raw) {
    super.take(raw);
    this.requests = requests(this.trace);
  }

  drawStage(step) {
    const at = this.stepper.index;
    const here = memories(this.trace, at);
    const packed = step.crossing?.stage === 'pack' ? step.outputs : [];
    this.host.show(this.trace, here.host, { open: packed, empty: 'Nothing is here yet.' });
    const crossing = crossingAt(this.trace, at);
    say(this.device_.title, crossing && !crossing.crosses ? 'Device memory: none' : `Device memory of ${this.trace.device}`);
    this.device_.show(this.trace, here.device, { open: [], empty: emptyText(this.trace.device, step, crossing) });
    this.drawTrack(step, at);
    this.drawCounters(at, crossing);
  }

  /** The stages of the present request, each a way to its step. */
  drawTrack(step, at) {
    const request = this.requests.find(({ number }) => number === step.crossing?.request);
    set(this.trackBox, 'hidden', !request || request.steps.size < 2);
    if (!request) return;
    // Made again only for another request: the button that has the focus stays.
    if (this.tracked !== request) {
      this.tracked = request;
      this.stageButtons = stages.filter(([stage]) => request.steps.has(stage)).map(([stage, word]) => {
        const to = request.steps.get(stage);
        return { to, button: el('button', { type: 'button', class: 'stage-button', click: () => this.stepper.go(to) }, word) };
      });
      fill(this.track, ...this.stageButtons.map(({ button }) => el('li', {}, button)));
    }
    for (const { to, button } of this.stageButtons) {
      set(button, 'aria-current', to === at && 'step');
      set(button, 'data-past', to < at);
    }
  }

  drawCounters(at, crossing) {
    const { rows, total } = counters(this.trace, at);
    const counts = crossing && !crossing.crosses ? ': nothing crosses, and every counter stays at zero' : '';
    say(this.caption, `What ${this.trace.device} has counted by the end of this step${counts}`);
    const cells = (stats) => columns.map((column) => el('td', { class: 'number' }, counterText(stats, column)));
    const present = crossing?.request;
    fill(this.rows,
      ...rows.map(({ name, number, counted }) => el('tr', { class: number === present && counted ? 'present' : null },
        el('th', { scope: 'row' }, `${number}: ${name}`), ...cells(counted))),
      el('tr', { class: 'total' }, el('th', { scope: 'row' }, 'the run so far'), ...cells(total)));
    this.times.show(total);
  }
}

/** Why a device's memory has nothing of the request in it. */
function emptyText(device, step, crossing) {
  if (crossing && !crossing.crosses) return `${device} works in host memory. Nothing crosses, and nothing is here.`;
  if (!step.crossing) return crossing ? 'Every result has been copied back.' : 'Nothing has been copied here yet.';
  return 'Nothing has been copied here yet.';
}

/** One memory and what a request has in it. */
class Memory {
  /** @param {string} name */
  constructor(name) {
    this.title = el('p', { class: 'memory-title' }, name);
    this.content = el('div', { class: 'memory-content' });
    this.element = el('section', { class: 'memory', 'aria-label': name }, this.title, this.content);
    /** @type {Map<number, {element: HTMLElement, draw: () => void}>} by tensor, of one trace */
    this.pieces = new Map();
    this.shown = '';
  }

  /**
   * @param {import('../model/trace.js').Trace} trace
   * @param {number[]} tensors
   * @param {{open: number[], empty: string}} options open: packed operands whose bytes are shown at once
   */
  show(trace, tensors, { open, empty }) {
    if (this.trace !== trace) {
      this.trace = trace;
      this.pieces.clear();
      this.shown = '';
    }
    for (const tensor of tensors) if (!this.pieces.has(tensor)) this.pieces.set(tensor, piece(trace.tensor(tensor)));
    const key = `${tensors.join()} ${open.join()} ${empty}`;
    if (key === this.shown) return;
    this.shown = key;
    if (tensors.length === 0) {
      fill(this.content, el('p', { class: 'memory-empty' }, empty));
      return;
    }
    const pieces = tensors.map((tensor) => this.pieces.get(tensor));
    tensors.forEach((tensor, at) => {
      if (pieces[at].details) set(pieces[at].element, 'open', open.includes(tensor));
    });
    // Tables in one row, and the bytes that they were packed into below.
    const group = (details) => {
      const elements = pieces.filter((piece) => piece.details === details).map(({ element }) => element);
      return elements.length > 0 && el('div', { class: 'memory-row' }, ...elements);
    };
    fill(this.content, group(false), group(true));
  }
}

/** A tensor in a memory: as a table, or as the bytes that it was packed into. */
function piece(tensor) {
  const rows = byteRows(tensor);
  if (rows.length === 0) {
    const grid = new Grid();
    grid.show({ tensor });
    return { element: grid.element, details: false };
  }
  const size = rows.length > 1 ? rows[1].at : rows[0].bytes.split(' ').length;
  const caption = `${tensor.name}, ${tensor.values.length} × ${size} bytes`;
  return {
    details: true,
    element: el('details', { class: 'packed' }, el('summary', {}, caption),
      el('div', { class: 'table-scroll', tabindex: '0', role: 'region', 'aria-label': `The bytes of ${tensor.name}` },
        el('table', { class: 'bytes-table' },
          el('thead', {}, el('tr', {}, ...['at byte', 'value', 'bytes, lowest address first'].map((head) => el('th', { scope: 'col' }, head)))),
          el('tbody', {}, ...rows.map(({ at, value, bytes }) => el('tr', {},
            el('th', { scope: 'row' }, String(at)), el('td', { class: 'number' }, show(value)), el('td', { class: 'byte-cells' }, bytes))))))),
  };
}

customElements.define('wb-boundary', BoundaryWidget);
