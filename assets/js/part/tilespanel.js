/**
 * One kernel of the widget `tiles`: where its block loaded from and stored to, on
 * three levels of memory, drawn from the list of accesses that were executed.
 * @module
 */
import { columnsOf, count, elementName, held, threadAt, threadNumber } from '../model/kernel.js';
import { Block, byBank, indexText, regions, spreadText, threadsText, times } from '../model/tiles.js';
import { el, fill, say, set } from './dom.js';
import { ElementMap, sizeOf } from './elementmap.js';
import { chapter, live } from './page.js';
import { fadeEdges } from './scroller.js';

/**
 * @typedef {import('../model/tiles.js').Index} Index
 * @typedef {object} Chosen
 * @property {Index} thread
 * @property {number | null} phase
 * @property {string} view who, often
 * @property {{from: number, to: number}[]} levels
 */

/** Moments of a run that are kept. */
const mostMoments = 32;

/** Blocks of one run that the server records, and of a launch that are recorded to see it whole. */
const blocksOfRun = 4;
export const mostBlocks = 16;

/**
 * What is known of a block. Of a run that is not kept any more, its place is
 * written over when the block has been recorded again.
 * @typedef {{run: {id: string, epoch: number, block: number, renewed?: Promise<void>}, block: Block, measurement: any}} Known
 */

export class Panel {
  /**
   * @param {object} options
   * @param {string} options.widget its id
   * @param {number} options.which of the widget's kernels
   * @param {any} options.kernel of the page's data
   * @param {string} options.device
   * @param {(name: string, space: string, element: number) => void} options.onElement
   * @param {() => void} options.onMoment what shared memory holds has come
   */
  constructor({ widget, which, kernel, device, onElement, onMoment }) {
    this.widget = widget;
    this.which = which;
    this.kernel = kernel;
    this.device = device;
    this.onElement = onElement;
    this.onMoment = onMoment;
    this.name = kernel.title || kernel.outcome?.tapes?.[0]?.kernel || 'the kernel';
    this.tape = kernel.outcome?.tapes?.[0] ?? null;
    /** @type {Block | null} */
    this.block = null;
    /** @type {Map<string, Known>} by block */
    this.known = new Map();
    /** @type {Map<string, any>} */
    this.moments = new Map();
    /** @type {Map<number, ElementMap>} by array */
    this.maps = new Map();

    this.title = el('p', { class: 'tiles-title' }, this.name);
    this.place = el('p', { class: 'tiles-place' });
    this.readout = el('p', { class: 'map-readout', role: 'status' });
    this.global = el('div', { class: 'tiles-maps' });
    this.shared = el('div', { class: 'tiles-maps' });
    this.none = el('p', { class: 'tiles-none' }, 'This kernel has no shared memory.');
    this.requests = el('div', { class: 'table-scroll tiles-table', tabindex: '0', role: 'region', 'aria-label': `${this.name}: requests to shared memory` });
    this.banks = el('div', { class: 'tiles-banks' });
    this.registers = el('div', { class: 'table-scroll tiles-table tiles-registers', tabindex: '0', role: 'region', 'aria-label': `${this.name}: variables of the thread` });
    this.table = el('div', { class: 'table-scroll tiles-table', tabindex: '0', role: 'region', 'aria-label': `${this.name}: loads and stores` });
    for (const box of [this.requests, this.registers, this.table]) fadeEdges(box);
    const level = (name, word, ...children) => el('section', { class: `level level-${name}`, 'aria-label': `${this.name}: ${word}` },
      el('p', { class: 'level-title' }, word[0].toUpperCase() + word.slice(1)), ...children);
    this.element = el('section', { class: 'tiles-panel', 'aria-label': this.name },
      el('div', { class: 'tiles-head' }, this.title, this.place, this.readout),
      level('global', 'global memory', this.global),
      level('shared', 'shared memory', this.none, this.shared, this.requests, this.banks),
      level('registers', 'registers', this.registers),
      this.table);
  }

  // --- Which block.

  /**
   * Makes a block the one that is shown: known, of the page, or recorded now.
   * @param {Index} index @param {AbortSignal} signal
   * @param {(note: string) => void} onProgress
   */
  async load(index, signal, onProgress) {
    const key = index.join();
    if (!this.known.has(key)) {
      if (key === this.kernel.block.join()) await this.ofPage(signal);
      else await this.record([index], signal, onProgress);
    }
    return this.known.get(key);
  }

  async ofPage(signal) {
    const { outcome } = this.kernel;
    await this.touched({ id: `page:${this.widget}`, epoch: 0, block: 0 }, outcome.tapes[0], outcome.measurements?.at(-1), signal);
  }

  /** Runs the kernel again, and records blocks of it. */
  async record(blocks, signal, onProgress) {
    const { outcome, run } = await live.request('launch', { device: this.device, kernel: this.kernel.input, record: blocks }, {
      signal, onProgress: ({ note }) => note && onProgress?.(note),
    });
    if (outcome.tapes?.length !== blocks.length) throw new Error(`${this.name} ended before block ${indexText(blocks[0], this.tape.grid)} was recorded`);
    for (const [block, tape] of outcome.tapes.entries()) await this.touched({ id: run, epoch: live.epoch, block }, tape, outcome.measurements?.at(-1), signal);
  }

  async touched(run, tape, measurement, signal) {
    const reply = await live.request('touched', { ...this.of(run), step: 0, to: tape.steps }, { signal });
    this.known.set(tape.block.join(), { run, block: new Block(tape, reply.touched), measurement });
  }

  /** Records every block that is not known yet. */
  async recordAll(signal, onProgress) {
    const missing = this.all.filter((index) => !this.known.has(index.join()));
    for (let i = 0; i < missing.length; i += blocksOfRun) await this.record(missing.slice(i, i + blocksOfRun), signal, onProgress);
  }

  /** The blocks of the launch. @returns {Index[]} */
  get all() {
    const [x, y, z] = this.tape.grid;
    return Array.from({ length: x * y * z }, (_, n) => [n % x, Math.floor(n / x) % y, Math.floor(n / (x * y))]);
  }

  /** Whether there are few enough to record them all. */
  get few() {
    const [x, y, z] = this.tape.grid;
    return x * y * z <= mostBlocks;
  }

  /** Whether all of them are known. */
  get whole() {
    return this.few && this.known.size === this.all.length;
  }

  /** What names the recording of a run in a request. */
  of(run) {
    return { run: run.id, chapter, which: this.which, block: run.block };
  }

  /** Shows a block that load has found. */
  take({ run, block, measurement }) {
    if (this.block === block) return;
    Object.assign(this, { run, block, measurement });
    this.tape = block.tape;
    this.moments.clear();
    this.moment = null;
    fill(this.banks);
    this.build();
  }

  /** Makes a map for each array that the block touched. */
  build() {
    this.maps.clear();
    const { arrays } = this.block;
    for (const array of arrays) {
      this.maps.set(array.index, new ElementMap({
        readout: this.readout,
        describe: (element) => this.describe(array, element),
        onChoose: (element) => this.onElement(array.name, array.space, element),
      }));
    }
    const of = (space) => arrays.filter((array) => (array.space === 'shared') === space).map(({ index }) => this.maps.get(index).element);
    fill(this.global, ...of(false));
    fill(this.shared, ...of(true));
    const shares = arrays.some(({ space }) => space === 'shared');
    set(this.none, 'hidden', shares);
    set(this.shared, 'hidden', !shares);
    set(this.requests, 'hidden', !shares);
    say(this.readout, 'Walk over a map with the arrow keys, or click: who used an element is told here.');
  }

  // --- Drawing.

  /** How often the block loaded what it loaded in a phase: for the classes that both kernels share. */
  counts(phase, view) {
    if (!this.block) return [];
    const at = this.block.phase(phase);
    return this.block.arrays.flatMap(({ index, space }) => [...this.loads(index, space, at, view).values()]);
  }

  /** How often elements are loaded in a phase, by the block, or by all where the launch is looked at. */
  loads(array, space, phase, view) {
    const own = this.block.block(array, phase).loads;
    // Each block has shared memory of its own.
    if (view !== 'launch' || space === 'shared' || !this.whole) return own;
    const sum = new Map();
    for (const { block } of this.known.values()) {
      for (const [element, n] of block.block(array, phase).loads) sum.set(element, (sum.get(element) ?? 0) + n);
    }
    return sum;
  }

  /** What other blocks that are known store: of neighbours by different marks, so that their borders are seen. */
  others(array, space) {
    const kinds = [{ kind: 'other', shape: 'frame', elements: [] }, { kind: 'other-too', shape: 'dot', elements: [] }];
    if (space === 'shared') return [];
    for (const { block } of this.known.values()) {
      if (block === this.block) continue;
      const [x, y, z] = block.tape.block;
      kinds[(x + y + z) % 2].elements.push(...block.block(array, null).stores.keys());
    }
    return kinds;
  }

  /** The thread's number, or null where this kernel's blocks have no such thread. */
  threadOf(index) {
    const number = this.block ? threadNumber(this.tape.block_dim, index) : -1;
    return number < 0 ? null : number;
  }

  /**
   * @param {Chosen} chosen
   * @returns {Promise<void> | undefined} kept when what is still to come is drawn too
   */
  draw(chosen) {
    this.chosen = chosen;
    const { block } = this;
    set(this.element, 'data-empty', !block);
    if (!block) {
      say(this.place, '');
      return undefined;
    }
    const phase = block.phase(chosen.phase);
    const thread = this.threadOf(chosen.thread);
    this.phase = phase;
    const last = block.phases - 1;
    const where = phase === null ? (last > 0 ? `all phases, 0–${last}` : 'its one phase') : `phase ${phase} of 0–${last}${phase < chosen.phase ? ', its last' : ''}`;
    const absent = thread === null ? `; its blocks have no thread ${indexText(chosen.thread, [2, 2, 2])}` : '';
    const cut = block.cut ? '; more was touched than is listed, the totals are of everything' : '';
    say(this.place, `block ${indexText(this.tape.block, this.tape.grid)}, ${where}${absent}${cut}`);
    const rows = [];
    for (const array of block.arrays) {
      const all = block.block(array.index, phase);
      const own = thread === null ? { loads: new Map(), stores: new Map() } : block.thread(array.index, phase, thread);
      const first = [...own.loads.keys(), ...own.stores.keys(), ...all.loads.keys(), ...all.stores.keys()][0];
      this.maps.get(array.index).show({
        title: `${array.name}[${array.layout.shape.join('][')}]`,
        label: `${array.name}, ${array.layout.rows} by ${array.layout.columns}`,
        rows: array.layout.rows, columns: array.layout.columns, elements: array.elements,
        marks: chosen.view === 'who' ? [...this.others(array.index, array.space), ...who(all, own)] : often(this.loads(array.index, array.space, phase, chosen.view), chosen.levels),
        reveal: first,
      });
      const mine = (counts) => regionsText(array, counts);
      rows.push([array.name, array.space, mine(own.loads), mine(own.stores), spreadText(all.loads), spreadText(all.stores)]);
    }
    this.drawTable(rows, thread);
    this.drawRequests();
    return this.drawMoment(thread);
  }

  drawTable(rows, thread) {
    const name = thread === null ? 'the thread' : `thread ${this.threadName(thread)}`;
    const heads = ['array', 'memory', `${name} loads`, 'and stores', 'the block loads', 'and stores'];
    fill(this.table, el('table', { class: 'tiles-accesses' },
      el('caption', {}, `Loads and stores, ${this.phase === null ? 'all phases' : `phase ${this.phase}`}`),
      el('thead', {}, el('tr', {}, ...heads.map((head) => el('th', { scope: 'col' }, head)))),
      el('tbody', {}, ...rows.map(([first, ...cells]) => el('tr', {}, el('th', { scope: 'row' }, first), ...cells.map((cell) => el('td', {}, cell)))))));
  }

  drawRequests() {
    const key = `${this.phase}`;
    if (key === this.asked && this.askedOf === this.block) return;
    this.asked = key;
    this.askedOf = this.block;
    fill(this.banks);
    const list = this.block.requests(this.phase);
    const name = (array) => this.tape.arrays[array].name;
    fill(this.requests, el('table', { class: 'tiles-requests' },
      el('caption', {}, 'Requests of warps, and the turns that the banks take'),
      el('thead', {}, el('tr', {}, ...['line', 'access', 'requests', 'turns', 'conflicts', 'banks'].map((head) => el('th', { scope: 'col' }, head)))),
      el('tbody', {}, list.length === 0 && el('tr', {}, el('td', { colspan: '6' }, 'none in this phase')),
        ...list.map((one) => el('tr', { class: one.conflicts > 0 ? 'conflicting' : null },
          el('th', { scope: 'row' }, String(one.place.line)), el('td', {}, `${one.kind} of ${name(one.array)}`),
          ...[one.requests, one.turns, one.conflicts].map((n) => el('td', { class: 'number' }, String(n))),
          el('td', {}, el('button', { type: 'button', class: 'small', 'aria-label': `Banks of the ${one.kind} of ${name(one.array)} in line ${one.place.line}`, click: () => this.showBanks(one) }, 'show')))))));
  }

  /** The request that took most turns, bank by bank. */
  async showBanks(one) {
    const { run, block } = this;
    try {
      const moment = await this.ask(run, one.step, {});
      if (this.block !== block) return;
      const access = moment.accesses.find(({ array, kind, turns, place }) => array === one.array && kind === one.kind && turns === one.most && place.line === one.place.line);
      if (!access) return;
      const array = this.tape.arrays[one.array];
      fill(this.banks, el('p', {}, `Warp ${moment.warp} in step ${moment.step}, line ${access.place.line}: ${count(access.lanes)} lanes ${access.kind} ${array.name} in ${access.turns === 1 ? '1 turn' : `${access.turns} turns`}${access.conflicts ? `, ${access.conflicts} of them by conflict` : ', without a conflict'}. Banks are counted from where the array begins.`),
        el('div', { class: 'table-scroll tiles-table bank-scroll', tabindex: '0', role: 'region', 'aria-label': 'Banks' }, el('table', {},
          el('thead', {}, el('tr', {}, ...['bank', 'elements', 'lanes'].map((head) => el('th', { scope: 'col' }, head)))),
          el('tbody', {}, ...byBank(access).map(({ bank, words }) => el('tr', { class: words.length > 1 && access.conflicts ? 'conflicting' : null },
            el('th', { scope: 'row' }, String(bank)),
            el('td', {}, words.map(({ element }) => elementName(array, element)).join(', ')),
            el('td', {}, words.map((word) => word.lanes.join(' ')).join(', '))))))));
    } catch (error) {
      fill(this.banks, el('p', { class: 'cell-error' }, error.message));
    }
  }

  /** Draws the thread's variables, and notes who stored what in shared memory, once they are here. */
  async drawMoment(thread) {
    const { block, run, phase } = this;
    const step = block.end(phase);
    const warp = thread === null ? 0 : thread >> 5;
    const wanted = `${step} ${warp} ${thread}`;
    this.wanted = wanted;
    set(this.registers, 'aria-busy', 'true');
    let moment;
    try {
      moment = await this.ask(run, step, { warps: [warp], shared: true }, warp);
    } catch (error) {
      if (this.block === block && this.wanted === wanted) {
        set(this.registers, 'aria-busy', null);
        fill(this.registers, el('p', { class: 'cell-error' }, error.message));
      }
      return;
    }
    if (this.block !== block || this.wanted !== wanted) return;
    set(this.registers, 'aria-busy', null);
    this.moment = moment;
    this.drawRegisters(moment, thread, phase);
    for (const map of this.maps.values()) map.tell();
    this.onMoment();
  }

  drawRegisters(moment, thread, phase) {
    const frame = moment.warps.find(({ warp }) => warp === (thread ?? 0) >> 5)?.frames?.[0];
    if (thread === null || !frame) {
      fill(this.registers, el('p', {}, 'Nothing is there: the thread has ended, or there is none.'));
      return;
    }
    const when = moment.kind === 'statement' ? 'before its warp’s last statement' : `at the end of phase ${phase ?? this.block.phases - 1}`;
    const { columns, more } = columnsOf(frame);
    fill(this.registers, el('table', { class: 'tiles-variables' },
      el('caption', {}, `Variables of thread ${this.threadName(thread)} ${when}`),
      el('thead', {}, el('tr', {}, ...['variable', 'type', 'value'].map((head) => el('th', { scope: 'col' }, head)))),
      el('tbody', {}, ...columns.map(({ name, type, variable }) => el('tr', {}, el('th', { scope: 'row' }, name), el('td', {}, type), el('td', {}, held(variable, thread & 31) || '–'))),
        more > 0 && el('tr', {}, el('td', { colspan: '3' }, `and ${more} more`)))));
  }

  /** A moment of a run, kept. Of a warp that has ended, its last step. */
  async ask(run, step, view, warp) {
    const key = `${step} ${JSON.stringify(view)}`;
    const known = this.moments.get(key);
    if (known) return known;
    const asked = (more) => live.request('moment', { ...this.of(run), step, view, ...more });
    let moment;
    try {
      ({ moment } = await asked({}));
    } catch (error) {
      if (error.code !== 'unknown-run') throw error;
      // Once for all that ask.
      run.renewed ??= this.renew(run).finally(() => delete run.renewed);
      await run.renewed;
      ({ moment } = await asked({}));
    }
    if (warp !== undefined && !moment.warps.find((one) => one.warp === warp)?.frames?.length) {
      const reply = await asked({ goal: { kind: 'warp', warp, back: true } });
      if (reply.found) moment = { ...reply.moment, shared: moment.shared };
    }
    if (this.run === run) {
      if (this.moments.size >= mostMoments) this.moments.delete(this.moments.keys().next().value);
      this.moments.set(key, moment);
    }
    return moment;
  }

  /** Records the block again: the server keeps the latest runs alone, and none of a connection that broke. */
  async renew(run) {
    const { outcome, run: id } = await live.request('launch', { device: this.device, kernel: this.kernel.input, record: [this.tape.block] });
    if (!outcome.tapes?.length) throw new Error(`${this.name} ended before its block was recorded`);
    Object.assign(run, { id, epoch: live.epoch, block: 0 });
  }

  threadName(thread) {
    return indexText(threadAt(this.tape.block_dim, thread), this.tape.block_dim);
  }

  /** An element in words: what it holds, who loaded and who stored it. */
  describe(array, element) {
    const { block, phase } = this;
    const parts = [];
    let value = '';
    const shared = this.moment?.shared?.find((one) => one.array === array.index);
    if (shared && element < shared.values.length) {
      value = shared.values[element] === '' ? ', never stored' : ` = ${shared.values[element]}`;
      if (shared.owners[element] >= 0) parts.push(`stored last by thread ${this.threadName(shared.owners[element])}`);
    }
    const users = block.users(array.index, phase, element);
    for (const [word, key] of [['loaded', 'loads'], ['stored', 'stores']]) {
      const some = users.filter((user) => user[key] > 0);
      if (some.length === 0) continue;
      const sum = some.reduce((total, user) => total + user[key], 0);
      parts.push(`${word} ${times(sum)}, by ${some.length === 1 ? 'thread' : `${some.length} threads:`} ${threadsText(some, (thread) => this.threadName(thread))}`);
    }
    if (users.length === 0) parts.push(`not touched in ${phase === null ? 'any phase' : `phase ${phase}`}`);
    return `${elementName(array, element)}${value}: ${parts.join('; ')}`;
  }
}

function regionsText(array, counts) {
  if (counts.size === 0) return '–';
  const most = Math.max(...counts.values());
  return `${regions(counts.keys(), array.layout)}${most > 1 ? `, ${[...counts.values()].every((n) => n === most) ? '' : 'up to '}${times(most)}` : ''}`;
}

/** The marks of whose access it was. */
function who(all, own) {
  return [
    { kind: 'load', shape: 'square', elements: all.loads.keys() },
    { kind: 'own-load', shape: 'square', elements: own.loads.keys() },
    { kind: 'store', shape: 'corner', elements: all.stores.keys() },
    { kind: 'own-store', shape: 'corner', elements: own.stores.keys() },
  ];
}

/** The marks of how often. */
function often(loads, levels) {
  return levels.map(({ from, to }, i) => ({
    kind: `level-${i}`, shape: sizeOf(i, levels.length),
    elements: [...loads].filter(([, n]) => n >= from && n <= to).map(([element]) => element),
  }));
}
