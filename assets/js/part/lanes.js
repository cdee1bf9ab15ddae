/**
 * The lanes of a block at a moment: one line for each warp with what each of its
 * lanes does, and a table of one warp's variables, a row for a lane. A step changes
 * a few cells of hundreds, so only those are touched.
 * @module
 */
import { byLane, columnsOf, count, elementName, exchangeSentence, exchangeTexts, held, laneState, laneStates, lanes, maskText, stretches, threadAt, triple } from '../model/kernel.js';
import { el, fill, freshId, say, set } from './dom.js';
import { fadeEdges } from './scroller.js';

/** The warps of a block: where each is, and its mask. */
export class WarpList {
  /** @param {(warp: number) => void} onChoose */
  constructor(onChoose) {
    this.onChoose = onChoose;
    /** @type {{button: HTMLElement, where: HTMLElement, mask: HTMLElement, key: string}[]} */
    this.rows = [];
    this.list = el('ol', { class: 'warps', start: '0' });
    this.key = el('p', { class: 'mask-key' }, ...Object.values(laneStates).map(({ sign, word }) => el('span', {}, el('span', { class: 'sign' }, sign), ` ${word}`)));
    this.element = el('section', { class: 'warp-list', 'aria-label': 'Warps' }, this.list, this.key);
  }

  /**
   * @param {import('../model/kernel.js').Moment} moment
   * @param {number} chosen the warp whose variables are shown
   */
  show(moment, chosen) {
    if (this.rows.length !== moment.warps.length) {
      this.rows = moment.warps.map(({ warp }) => {
        const where = el('span', { class: 'warp-where' });
        const mask = el('span', { class: 'mask' });
        const button = el('button', { type: 'button', class: 'warp', click: () => this.onChoose(warp) }, el('span', { class: 'warp-name' }, `warp ${warp}`), mask, where);
        return { button, where, mask, key: '' };
      });
      fill(this.list, ...this.rows.map(({ button }) => el('li', {}, button)));
    }
    moment.warps.forEach((warp, at) => {
      const row = this.rows[at];
      const own = moment.kind === 'statement' && warp.warp === moment.warp;
      const key = `${warp.active} ${warp.live} ${warp.waiting} ${warp.place.line} ${own} ${warp.lines.some(Boolean)}`;
      set(row.button, 'aria-pressed', String(warp.warp === chosen));
      if (key === row.key) return;
      row.key = key;
      set(row.button, 'data-own', own);
      fill(row.mask, ...stretches(warp).map(({ state, count: n }) => el('span', { class: `lanes-${state}` }, laneStates[state].sign.repeat(n))));
      say(row.where, whereText(warp));
      set(row.button, 'aria-label', `warp ${warp.warp}${own ? ', whose step it is' : ''}: ${whereText(warp)}; ${maskText(warp)}`);
      set(row.button, 'title', maskText(warp));
    });
  }
}

function whereText(warp) {
  if (count(warp.live) === 0) return 'ended';
  if (warp.waiting !== 0 && (warp.waiting >>> 0) === (warp.live >>> 0)) return 'at the barrier';
  return warp.lines.some(Boolean) ? `line ${warp.place.line}` : 'not begun';
}

/** One warp's variables in every lane, what each lane accesses in this step, and what it exchanges. */
export class LaneTable {
  /**
   * @param {(array: number, element: number) => void} onElement an access was chosen
   * @param {(thread: number) => void} onLane a lane was
   */
  constructor(onElement, onLane) {
    this.onElement = onElement;
    this.onLane = onLane;
    this.title = el('p', { class: 'lanes-title' });
    this.exchanged = el('p', { class: 'step-maker lanes-exchanged', hidden: true });
    // Beside the table and not in it: a table may be wider than its box, and a caption is as wide as it.
    const hint = freshId('lanes');
    this.hint = el('p', { class: 'lanes-more', id: hint }, 'A row for each lane. Behind its own variables, what the lane accesses in this step, and what it gives to others and gets of them.');
    this.group = el('colgroup');
    this.head = el('tr');
    this.body = el('tbody', { click: (event) => this.onClick(event.target) });
    this.table = el('table', { class: 'lanes', 'aria-describedby': hint }, this.group, el('thead', {}, this.head), this.body);
    this.scroller = el('div', { class: 'table-scroll lanes-scroll', tabindex: '0', role: 'region', 'aria-label': 'Variables of every lane' }, this.table);
    fadeEdges(this.scroller);
    this.left = el('p', { class: 'lanes-more', hidden: true });
    this.element = el('section', { class: 'lane-table', 'aria-label': 'Lanes' }, this.title, this.hint, this.scroller, this.exchanged, this.left);
    /** @type {HTMLElement[][]} */
    this.cells = [];
    /** @type {string[][]} what each cell says and how it looks, so that nothing is read back */
    this.said = [];
    /** @type {HTMLElement[]} */
    this.rows = [];
    this.states = [];
    /** @type {{column: HTMLElement, cell: HTMLElement, title: HTMLElement, under: HTMLElement}[]} */
    this.heads = [];
    this.built = '';
  }

  /**
   * @param {import('../model/kernel.js').Tape} tape
   * @param {import('../model/kernel.js').Moment} moment
   * @param {number} chosen the warp
   * @param {number | null} thread that a reader follows
   * @param {number} parameters of the kernel, which are the same in every lane and stand last
   */
  show(tape, moment, chosen, thread, parameters) {
    const warp = moment.warps.find((one) => one.warp === chosen);
    const frames = warp?.frames ?? [];
    for (const part of [this.hint, this.scroller]) set(part, 'hidden', frames.length === 0);
    say(this.title, titleOf(tape, warp, frames));
    // The table's columns of what a step does may be out of sight.
    const exchanged = moment.kind === 'statement' && moment.warp === chosen ? moment.exchanges ?? [] : [];
    const lane = thread !== null && Math.floor(thread / lanes) === chosen ? thread % lanes : -1;
    say(this.exchanged, exchanged.map((exchange) => exchangeSentence(exchange, lane)).join(' '));
    set(this.exchanged, 'hidden', exchanged.length === 0);
    if (!warp || frames.length === 0) {
      // What another step left would be taken for this one's.
      this.built = '';
      fill(this.body);
      return;
    }
    const own = moment.kind === 'statement' && moment.warp === chosen;
    // What was called last is what a reader follows; who called it stands behind.
    const columns = [];
    let more = 0;
    const add = (frame, vars) => {
      const found = columnsOf({ ...frame, vars });
      more += found.more;
      for (const column of found.columns) columns.push({ ...column, of: frames.length > 1 ? frame.function : '' });
    };
    const [kernel, ...called] = frames;
    for (const frame of called.reverse()) add(frame, frame.vars);
    add(kernel, kernel.vars.slice(parameters));
    add(kernel, kernel.vars.slice(0, parameters));
    const accesses = own ? moment.accesses.map((access) => ({ access, lanes: byLane(access) })) : [];
    const exchanges = exchanged.map((exchange) => ({ exchange, lanes: exchangeTexts(exchange) }));
    this.accesses = accesses;
    this.warp = chosen;
    const heads = [
      ...columns.map(({ name, type, of }) => [name, of ? `${type} · ${of}` : type, '']),
      ...accesses.map(({ access }) => [`${access.kind} ${access.name}`, `line ${access.place.line}`, 'access']),
      ...exchanges.map(({ exchange }) => [exchange.kind, `line ${exchange.place.line}: gives → gets`, 'access']),
    ];
    this.columns = columns.length;
    this.build(heads.length, tape, chosen);
    for (let at = 0; at < this.heads.length; at++) {
      const [name = '', type = '', kind = ''] = heads[at] ?? [];
      const { column, cell, title, under } = this.heads[at];
      set(cell, 'role', name ? null : 'cell'); // an empty one heads nothing
      say(title, name);
      say(under, type);
      if (column.className !== kind) column.className = kind;
    }
    for (let lane = 0; lane < lanes; lane++) {
      const state = laneState(warp, lane);
      const look = `lane-${state}${thread === chosen * lanes + lane ? ' of-thread' : ''}`;
      if (this.states[lane] !== look) {
        this.states[lane] = look;
        set(this.rows[lane], 'class', look);
        say(this.rows[lane].cells[1], laneStates[state].sign);
        set(this.rows[lane].cells[1], 'aria-label', laneStates[state].word);
      }
      const said = this.said[lane];
      for (let at = 0; at < said.length; at++) {
        const access = accesses[at - columns.length];
        const one = access?.lanes.get(lane);
        const text = at < columns.length ? held(columns[at].variable, lane)
          : one ? accessText(tape, access.access, one)
            : exchanges[at - columns.length - accesses.length]?.lanes.get(lane) ?? '';
        if (said[at] === text) continue;
        this.cells[lane][at].textContent = text;
        said[at] = text;
      }
    }
    say(this.left, `${more} more parts are not shown.`);
    set(this.left, 'hidden', more === 0);
  }

  /**
   * Makes the table, with columns for the widest step so far: a step with fewer
   * leaves the last ones empty, since making them anew is what a step would cost.
   */
  build(wanted, tape, warp) {
    const key = `${warp} ${tape.block_dim}`;
    if (key === this.built && wanted <= this.heads.length) return;
    const width = Math.max(wanted, this.heads.length);
    // To ask a new table where it is scrolled to would lay the page out.
    const again = Boolean(this.built);
    this.built = key;
    const top = again ? this.scroller.scrollTop : 0;
    this.heads = Array.from({ length: width }, () => ({ column: el('col'), cell: el('th', { scope: 'col' }), title: el('span'), under: el('span', { class: 'type' }) }));
    fill(this.group, el('col', { span: '2' }), ...this.heads.map(({ column }) => column));
    fill(this.head, el('th', { scope: 'col' }, 'lane'), el('th', { scope: 'col' }, 'is'), ...this.heads.map(({ cell, title, under }) => {
      cell.append(title, ' ', under);
      return cell;
    }));
    this.cells = [];
    this.said = Array.from({ length: lanes }, () => new Array(width).fill(''));
    this.states = [];
    const threads = tape.block_dim[0] * tape.block_dim[1] * tape.block_dim[2];
    this.rows = Array.from({ length: lanes }, (_, lane) => {
      const cells = Array.from({ length: width }, () => el('td'));
      this.cells.push(cells);
      const number = warp * lanes + lane;
      const who = number < threads ? triple(threadAt(tape.block_dim, number)) : '';
      return el('tr', {}, el('th', { scope: 'row', title: who && `thread ${who}` }, String(lane)), el('td', { class: 'lane-state' }), ...cells);
    });
    fill(this.body, ...this.rows);
    if (again) this.scroller.scrollTop = top;
  }

  onClick(target) {
    const row = target.closest?.('th')?.parentElement;
    if (row) this.onLane(this.warp * lanes + this.rows.indexOf(row));
    const cell = target.closest?.('td');
    if (!cell) return;
    const lane = this.rows.indexOf(cell.parentElement);
    const one = this.accesses[this.cells[lane].indexOf(cell) - this.columns];
    const element = one?.lanes.get(lane)?.element;
    if (element !== undefined && one.access.array >= 0) this.onElement(one.access.array, element);
  }
}

function titleOf(tape, warp, frames) {
  if (!warp) return '';
  const first = warp.warp * lanes;
  const threads = Math.min(lanes, tape.block_dim[0] * tape.block_dim[1] * tape.block_dim[2] - first);
  const who = `Warp ${warp.warp}, threads ${triple(threadAt(tape.block_dim, first))} to ${triple(threadAt(tape.block_dim, first + threads - 1))}`;
  if (frames.length === 0) return count(warp.live) === 0 ? `${who}: it has ended.` : 'No warp begins a statement here. Choose one to see its variables.';
  return `${who}, in ${frames.map((frame) => frame.function).join(' → ')}`;
}

/** "[3][4] → 0.5" */
function accessText(tape, access, { element, value, after }) {
  const array = tape.arrays[access.array];
  const name = array ? elementName(array, element).slice(array.name.length) : '';
  const arrow = access.kind === 'load' ? '→' : '←';
  return `${name} ${arrow} ${value ?? ''}${after === undefined ? '' : ` (${after})`}`.trim();
}
