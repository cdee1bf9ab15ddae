/**
 * Which thread of a block loads and stores which element, phase by phase, of one
 * kernel or of two in step. What is drawn is what the emulator recorded: another
 * block is recorded when it is chosen.
 * @module
 */
import { threadAt } from '../model/kernel.js';
import { Latest, unlessNewer } from '../model/latest.js';
import { asSentence } from '../model/sentence.js';
import { Stepper } from '../model/stepper.js';
import { compareLoads, indexText, launchText, levels, listed, parseIndex, spreadText, times, within } from '../model/tiles.js';
import { readView } from '../model/view.js';
import { tellChange } from '../part/change.js';
import { el, fill, freshId, say, set } from '../part/dom.js';
import { legend, sizeOf } from '../part/elementmap.js';
import { Choice, IndexPicker } from '../part/indexpicker.js';
import { frame, inTurn, shown } from '../part/opening.js';
import { address, live, watching } from '../part/page.js';
import { fadeEdges } from '../part/scroller.js';
import { StepBar } from '../part/stepbar.js';
import { Panel, mostBlocks } from '../part/tilespanel.js';
import { lessonNote } from '../part/watched.js';

/**
 * @typedef {import('../model/deeplink.js').Place} Place
 * @typedef {import('../model/tiles.js').Index} Index
 */

const views = /** @type {[string, string][]} */ ([['who', 'who'], ['often', 'how often, block'], ['launch', 'how often, launch']]);

class TilesWidget extends HTMLElement {
  /** @type {Latest<any>} */
  latest = new Latest((raw, newer) => this.bring(raw, newer), frame);

  connectedCallback() {
    inTurn(this, () => this.begin());
  }

  begin() {
    if (this.root) return;
    this.control = new AbortController();
    try {
      this.data = JSON.parse(this.querySelector('script.widget-data')?.textContent ?? '');
    } catch (error) {
      // The server's own tables stay: they need no script.
      console.error(`${this.id}: the widget's data cannot be read`, error);
      this.latest.stop();
      return;
    }
    this.kernels = this.data.kernels ?? [];
    if (this.kernels.length === 0 || !this.kernels.every(({ outcome }) => outcome?.tapes?.length)) {
      this.latest.stop();
      return;
    }
    /** @type {Index} */
    this.index = this.kernels[0].block;
    /** What is drawn, or was before another block was asked for. @type {Index} */
    this.shown = this.index;
    /** @type {Index} */
    this.thread = [0, 0, 0];
    this.drawing = 'who';
    this.element = null;
    this.build();
    const placed = address.add(this);
    const { signal } = this.control;
    live.addEventListener('hello', () => {
      if (this.ready) this.draw();
      this.load();
    }, { signal });
    live.addEventListener('state', () => {
      if (live.state.name === 'waiting' && !this.ready) this.offline();
    }, { signal });
    if (!placed) {
      this.draw();
      this.load();
    }
    this.latest.begin();
  }

  disconnectedCallback() {
    this.control?.abort();
    this.stepper?.stop();
    this.task?.abort();
    address.remove(this.id);
    this.latest.stop();
  }

  build() {
    const titleId = freshId('title');
    const device = this.data.device ?? 'emulator';
    this.panels = this.kernels.map((kernel, which) => new Panel({
      widget: this.id, which, kernel, device,
      onElement: (name, space, element) => {
        this.element = { which, name, space, element };
        this.draw();
      },
      onMoment: () => this.drawUsers(),
    }));
    const count = 1 + Math.max(...this.panels.map(({ tape }) => Math.max(1, tape.phases)));
    this.stepper = new Stepper({ count, onChange: (cause) => this.onStep(cause) });
    this.stepbar = new StepBar(this.stepper, (index) => this.phaseText(index - 1), {
      word: 'phase', counted: (index, last) => (index === 0 ? `all phases, 0–${last - 1}` : `phase ${index - 1} of 0–${last - 1}`),
    });
    this.blocks = new IndexPicker({ word: 'block', follow: false, onChoose: (index) => this.chooseBlock(index) });
    this.threads = new IndexPicker({ word: 'thread', follow: true, onChoose: (index) => this.chooseThread(index) });
    this.users = el('p', { class: 'tiles-users', role: 'status' });
    this.choice = new Choice('What is drawn', views, (view) => this.chooseView(view));
    this.stop = el('button', { type: 'button', class: 'stop', hidden: true, click: () => this.task?.abort() }, 'Stop');
    this.noticePlace = el('div', { class: 'notice', role: 'status' });
    this.heading = el('p', { class: 'step-title', role: 'status' });
    this.legend = el('ul', { class: 'tiles-legend' });
    this.compared = el('div', { class: 'table-scroll tiles-table', tabindex: '0', role: 'region', 'aria-label': 'How often each value is loaded' });
    fadeEdges(this.compared);
    this.sum = el('p', { class: 'tiles-sum' });
    this.side = el('div', { class: 'tiles-panels', 'data-count': this.panels.length }, ...this.panels.map(({ element }) => element));
    this.stage = el('div', { class: 'stage', role: 'group', 'aria-label': 'Phase', tabindex: '0' },
      this.heading, this.legend, this.side, this.sum, this.compared);
    this.root = el('section', { class: 'widget-live', 'aria-labelledby': titleId },
      el('header', { class: 'widget-head' },
        el('p', { class: 'widget-title', id: titleId }, this.data.caption || 'Who loads what'),
        el('div', { class: 'widget-run' }, this.choice.element, this.stop)),
      watching && lessonNote(),
      this.noticePlace,
      el('div', { class: 'tiles-choose' }, this.blocks.element, this.threads.element, this.users),
      this.stepbar.element,
      this.stage,
      el('p', { class: 'made-by' }, `Recorded on ${device}: every mark is an access that was executed. A GPU makes no such recording.`));
    this.root.addEventListener('keydown', (event) => this.stepbar.onKey(event));
    this.querySelector('.widget-static')?.setAttribute('hidden', '');
    this.append(this.root);
  }

  /** Whether what is drawn is of the block that is chosen. */
  get ready() {
    return this.panels.every((panel) => panel.block && String(panel.tape.block) === String(within(this.index, panel.tape.grid)));
  }

  // --- The place, as the address has it.

  /** @returns {Place} */
  place() {
    return {
      block: this.index.join(), thread: this.thread.join(),
      phase: this.phase === null ? 'all' : String(this.phase), view: this.drawing,
    };
  }

  /** @param {Place} place */
  restore(place) {
    this.placeIn(place);
    this.load();
  }

  /** Whether a place needs other recordings than those that are shown, or being made. @param {Place} place */
  goesTo(place) {
    return String(this.blockOf(place)) !== String(this.index) || drawingOf(place) !== this.drawing;
  }

  blockOf(place) {
    return within(parseIndex(place.block) ?? this.kernels[0].block, this.grid);
  }

  /** @param {Place} place */
  placeIn(place) {
    this.index = this.blockOf(place);
    this.thread = within(parseIndex(place.thread) ?? [0, 0, 0], this.dim);
    this.drawing = drawingOf(place);
    this.stepper.go(/^\d{1,6}$/.test(place.phase ?? '') ? Number(place.phase) + 1 : 0, 'restore');
    this.draw();
  }

  moved(push) {
    address.write(this, push);
    tellChange(this, push);
  }

  // --- A view. Nothing is run here that a place does not say.

  /** @returns {import('../model/view.js').View} */
  get view() {
    if (!this.root) return readView(this.latest.waiting?.value);
    return { place: this.place(), texts: null, ran: null, running: Boolean(this.task), last: this.stepper.last };
  }

  /** @param {import('../model/view.js').View | null} view null as the chapter has it @returns {Promise<boolean>} */
  show(view) {
    return this.latest.offer(view);
  }

  async bring(raw, newer) {
    this.stepper.pause();
    const { place, running } = readView(raw);
    if (running && this.goesTo(place)) {
      // It is asked for when it is there.
      this.task?.abort();
      this.task = null;
      this.placeIn(place);
      this.notice('info', 'The presenter is recording this …');
      this.refresh();
      return;
    }
    if (!this.task || this.goesTo(place)) this.restore(place);
    else this.placeIn(place);
    if (this.loading) await unlessNewer(this.loading, newer);
  }

  focusStep() {
    this.stage.focus({ preventScroll: true });
  }

  // --- What is chosen.

  /** The blocks of the larger grid, by axis. @returns {Index} */
  get grid() {
    return largest(this.panels.map(({ tape }) => tape.grid));
  }

  /** @returns {Index} */
  get dim() {
    return largest(this.panels.map(({ tape }) => tape.block_dim));
  }

  /** The phase that is chosen, null for all. */
  get phase() {
    return this.stepper.index === 0 ? null : this.stepper.index - 1;
  }

  onStep(cause) {
    if (cause === 'state') {
      this.stepbar.update();
      return;
    }
    if (cause === 'restore') return;
    if (cause === 'jump') this.moved(true);
    else {
      address.follow(this);
      tellChange(this, false);
    }
    this.draw();
  }

  chooseBlock(index) {
    this.index = index;
    this.element = null;
    this.draw();
    this.record(true);
  }

  chooseThread(index) {
    this.thread = index;
    this.moved(false);
    this.draw();
  }

  chooseView(view) {
    this.drawing = view;
    this.draw();
    this.record(false);
  }

  /** Gets what the reader chose, and tells when it is asked for and when it is here. */
  record(push) {
    const loaded = this.load();
    this.moved(push);
    if (this.task) loaded.then(() => tellChange(this, false));
  }

  // --- Recordings.

  /** Gets what the chosen block did, of each kernel. */
  load() {
    this.loading = this.loadNow();
    return this.loading;
  }

  async loadNow() {
    this.task?.abort();
    this.task = null;
    const whole = this.drawing === 'launch' && this.panels.every(({ few }) => few);
    if (this.ready && (!whole || this.panels.every((panel) => panel.whole))) {
      if (this.drawing === 'launch' && !whole) this.notice('info', `The launch has more than ${mostBlocks} blocks, and they are not all recorded: the maps show this block alone. What the whole launch loaded is counted in the table below.`);
      else this.notice('', '');
      this.refresh();
      return;
    }
    if (!live.open) {
      if (live.state.name === 'waiting') this.offline();
      return;
    }
    const task = new AbortController();
    this.task = task;
    const { index } = this;
    if (watching) this.notice('info', 'Getting what the presenter recorded …');
    else this.notice('info', this.ready ? 'Recording every block of the launch …' : `Looking at block ${indexText(index, this.grid)} …`);
    this.refresh();
    try {
      const found = await Promise.all(this.panels.map((panel) => this.twice((signal) => panel.load(within(index, panel.tape.grid), signal,
        (note) => this.notice('info', `Recording block ${indexText(index, this.grid)} of ${panel.name}: ${note}`)), task.signal)));
      if (this.task !== task) return;
      this.panels.forEach((panel, i) => panel.take(found[i]));
      this.shown = index;
      if (whole) await Promise.all(this.panels.map((panel) => this.twice((signal) => panel.recordAll(signal), task.signal)));
      if (this.task !== task) return;
      this.task = null;
      this.notice('', '');
      this.querySelector('.widget-static')?.setAttribute('hidden', '');
    } catch (error) {
      if (this.task !== task) return;
      this.task = null;
      this.fail(error);
    }
    this.refresh();
    await this.draw();
    shown(this.id);
  }

  /** Acts, and once more where the server has forgotten the run between two requests. */
  async twice(act, signal) {
    try {
      return await act(signal);
    } catch (error) {
      if (error.code !== 'unknown-run') throw error;
      return act(signal);
    }
  }

  fail(error) {
    if (error.code === 'cancelled') {
      this.goBack();
      this.moved(false);
      this.notice('info', 'Stopped. The block below is the one before.');
      return;
    }
    if (error.code === 'offline' || error.code === 'broken') {
      this.offline();
      return;
    }
    if (error.code === 'follower') this.goBack();
    this.notice('error', asSentence(error.message), asSentence(error.next ?? ''));
  }

  /** Back to the block that is drawn. */
  goBack() {
    this.index = this.shown;
    if (this.drawing === 'launch') this.drawing = 'often';
  }

  /** Without a connection there is nothing to draw but what is known. */
  offline() {
    this.notice('info', 'The accesses come from the workbench, and this page is not connected to it. They are shown when it is.');
    if (this.panels.some(({ block }) => !block)) this.querySelector('.widget-static')?.removeAttribute('hidden');
  }

  notice(kind, text, next = '') {
    set(this.noticePlace, 'class', kind ? `notice notice-${kind}` : 'notice');
    fill(this.noticePlace, text && el('p', {}, text), next && el('p', { class: 'notice-next' }, next));
  }

  refresh() {
    set(this.stop, 'hidden', !this.task);
    set(this.root, 'data-stale', this.panels.every(({ block }) => block) && !this.ready ? 'true' : null);
  }

  // --- Drawing.

  phaseText(phase) {
    return phase < 0 ? 'what was done in all of them' : this.panels.map((panel) => `${panel.name} in ${panel.block ? panel.block.phase(phase) : phase}`).join(', ');
  }

  /** @returns {Promise<unknown>} kept when what is still to come is drawn too */
  draw() {
    this.stepbar.update(address.href(this));
    this.choice.show(this.drawing);
    this.blocks.show(this.grid, this.index);
    const counts = this.panels.flatMap((panel) => panel.counts(this.phase, this.drawing));
    const classes = levels(counts);
    const chosen = { thread: this.thread, phase: this.phase, view: this.drawing, levels: classes };
    const drawn = Promise.all(this.panels.map((panel) => panel.draw(chosen)));
    const { phase } = this;
    const where = `block ${indexText(this.index, this.grid)}, thread ${indexText(this.thread, this.dim)}`;
    say(this.heading, phase === null ? `All phases of ${where}.` : `Phase ${phase} of ${where}: ${phase === 0 ? 'up to the first barrier' : `after barrier ${phase}`}.`);
    legend(this.legend, this.drawing === 'who'
      ? [
        { kind: 'load', shape: 'square', text: 'the block loads' }, { kind: 'own-load', shape: 'square', text: 'this thread loads' },
        { kind: 'store', shape: 'corner', text: 'the block stores' }, { kind: 'own-store', shape: 'corner', text: 'this thread stores' },
        ...(this.panels.some(({ known }) => known.size > 1) ? [{ kind: 'other', shape: 'frame', text: 'another recorded block stores' }, { kind: 'other-too', shape: 'dot', text: 'and the one beside it' }] : []),
      ]
      : classes.map(({ from, to }, i) => ({ kind: `level-${i}`, shape: sizeOf(i, classes.length), text: from === to ? `loaded ${times(from)}` : `${from} to ${to} times` })));
    this.drawUsers();
    this.drawCompared();
    return drawn;
  }

  /** Who used the element that was chosen, on the map of threads. */
  drawUsers() {
    const { element } = this;
    const panel = element && this.panels[element.which];
    const array = panel?.block?.array(element.name, element.space);
    const users = array ? panel.block.users(array.index, panel.block.phase(this.phase), element.element) : [];
    const [x, y] = this.dim;
    const marks = users.map(({ thread }) => threadAt(panel.tape.block_dim, thread)).filter(([, , z]) => z === this.thread[2]).map(([tx, ty]) => tx + x * Math.min(ty, y - 1));
    this.threads.show(this.dim, this.thread, [{ kind: 'user', shape: 'dot', elements: marks }]);
    say(this.users, array
      ? `${panel.name}: ${panel.describe(array, element.element)}.`
      : 'Choose an element on a map: the threads that use it are marked here.');
  }

  /** How often each value is loaded, by the block and by the launch. */
  drawCompared() {
    if (!this.panels.every(({ block }) => block)) return;
    const key = this.panels.map(({ run }) => run.id).join();
    if (key === this.comparedOf) return;
    this.comparedOf = key;
    const [one, other] = this.panels;
    const buffer = (panel, name) => panel.measurement?.buffers.find((counts) => counts.name === name);
    const names = this.panels.map(({ name }) => name);
    const rows = other
      ? compareLoads(one.block, other.block).map(({ name, one: a, other: b, ratio }) => [name, spreadText(a), spreadText(b), ratioText(ratio), launchText(buffer(one, name)), launchText(buffer(other, name))])
      : one.block.arrays.filter(({ space }) => space === 'global').map(({ name, index }) => [name, spreadText(one.block.loads(index)), launchText(buffer(one, name))]);
    const heads = ['array', ...names.map((name) => `block, ${name}`), ...(other ? ['in the block'] : []), ...names.map((name) => `launch, ${name}`)];
    fill(this.compared, el('table', { class: 'tiles-compared' },
      el('caption', {}, 'How often each value of global memory is loaded, in all phases'),
      el('thead', {}, el('tr', {}, ...heads.map((head) => el('th', { scope: 'col' }, head)))),
      el('tbody', {}, ...rows.map(([name, ...cells]) => el('tr', {}, el('th', { scope: 'row' }, name), ...cells.map((cell) => el('td', {}, cell)))))));
    const ratios = other ? compareLoads(one.block, other.block).filter(({ ratio }) => ratio !== null && ratio !== 1) : [];
    const same = new Set(ratios.map(({ ratio }) => ratio));
    say(this.sum, same.size === 1 ? `This block of ${other.name} loads each value of ${listed(ratios.map(({ name }) => name))} from global memory ${ratioText(ratios[0].ratio)} often than that of ${one.name}.` : '');
  }
}

/** What the marks of a place say. @param {Place} place */
function drawingOf(place) {
  return views.some(([view]) => view === place.view) ? place.view : 'who';
}

/** @param {Index[]} sizes @returns {Index} */
function largest(sizes) {
  return /** @type {Index} */ ([0, 1, 2].map((axis) => Math.max(...sizes.map((size) => size[axis]))));
}

function ratioText(ratio) {
  if (ratio === null) return '–';
  const by = (n) => `${Number(n.toPrecision(4))} times`;
  return ratio === 1 ? 'as often' : ratio > 1 ? `${by(ratio)} less` : `${by(1 / ratio)} more`;
}

customElements.define('wb-tiles', TilesWidget);
