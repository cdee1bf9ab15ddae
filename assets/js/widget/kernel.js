/**
 * A kernel of CUDA C: edited, run, checked, measured, and one of its blocks stepped,
 * forwards and backwards, with every lane's variables and the shared memory. What a
 * step shows comes from the recording that the workbench keeps, and nothing is
 * computed here.
 * @module
 */
import { diagnostics, lineMap, momentTitle, parseElement, parseTriple, records, runsKernels, threadAt, threadNumber, triple, elementName, lanes } from '../model/kernel.js';
import { encode } from '../model/number.js';
import { asSentence } from '../model/sentence.js';
import { Stepper } from '../model/stepper.js';
import { unlessNewer } from '../model/latest.js';
import { readView } from '../model/view.js';
import { Aspects } from '../part/aspects.js';
import { AskReset } from '../part/askreset.js';
import { BlockPicker } from '../part/blockpicker.js';
import { Carried } from '../part/carried.js';
import { DevicePicker, MissingDevices } from '../part/devices.js';
import { el, fill, freshId, say, set } from '../part/dom.js';
import { LaneTable, WarpList } from '../part/lanes.js';
import { LaunchEditor } from '../part/launcheditor.js';
import { Moments } from '../part/moments.js';
import { OutcomePanel } from '../part/outcome.js';
import { opened, shown } from '../part/opening.js';
import { address, chapter, live, watching } from '../part/page.js';
import { SharedMemory } from '../part/sharedmemory.js';
import { SourceEditor } from '../part/source.js';
import { StepBar } from '../part/stepbar.js';
import { TapeBar, goalKeys } from '../part/tapebar.js';
import { lessonNote } from '../part/watched.js';
import { Widget } from './widget.js';

/** A pause after which typing is another change for undo, in milliseconds. */
const pause = 1500;

/** How long a view's step may take to come until that is said, in milliseconds. */
const lateAfter = 3000;

/** The device that every workbench has, and that records what it runs. */
const emulator = 'emulator';

class KernelWidget extends Widget {
  originalTexts() {
    const { source, launch } = this.kernel.input;
    return { source, launch: JSON.stringify(launch) };
  }

  get kernel() {
    return this.data.kernels[0];
  }

  get defaultTitle() {
    return 'A kernel';
  }

  makePickers() {
    return [new KernelDevicePicker({ label: 'Device', value: this.device, onChange: (spec) => this.chooseDevice(spec) })];
  }

  build() {
    const titleId = freshId('title');
    this.moments = new Moments({
      ask: (body) => this.inquire('moment', body),
      where: () => ({ step: this.stepper.index, last: this.stepper.last, warp: this.pinned }),
      onMoment: (moment) => {
        this.moment = moment;
        this.drawMoment();
      },
      onWait: () => set(this.stage, 'aria-busy', 'true'),
      onLost: (error) => this.lost(error),
    });
    this.block = this.kernel.block;
    this.outcome = this.tape = this.moment = this.element = this.thread = null;
    this.compiled = [];
    /** Who waits until the step is drawn. @type {Set<() => void>} */
    this.waiters = new Set();
    this.stepper = new Stepper({ count: 0, onChange: (cause) => this.onStep(cause) });
    this.stepbar = new StepBar(this.stepper, (index) => (this.moment?.step === index ? momentTitle(this.tape, this.moment) : ''), { more: [...goalKeys, ['s', 'into the source, and Escape out of it']] });
    this.tapebar = new TapeBar({
      onGoal: (goal) => this.seek(goal),
      onElement: (array, element) => this.chooseElement(array, element),
      onLine: () => {},
    });
    this.blocks = new BlockPicker((block) => this.chooseBlock(block));
    this.warps = new WarpList((warp) => this.chooseThread(warp * lanes));
    this.ownWarp = el('button', { type: 'button', class: 'small', click: () => this.chooseThread(-1) }, 'Follow the step’s own warp');
    this.laneTable = new LaneTable((array, element) => this.chooseElement(array, element), (thread) => this.chooseThread(thread));
    this.shared = new SharedMemory({
      touched: async (tape) => {
        await live.connected();
        return (await this.inquire('touched', { step: 0, to: tape.steps })).touched;
      },
      onElement: (array, element) => this.chooseElement(array, element),
    });

    this.source = new SourceEditor({
      text: this.edit.texts.source, label: 'CUDA C source',
      onChange: (text) => this.typed('source', text), onRun: () => this.start(), onMark: () => this.showReports(), onLeave: () => this.toStep(),
    });
    this.editor = new LaunchEditor({ edit: this.edit, onChange: (text, whole) => this.typed('launch', text, whole), onRun: () => this.start() });
    this.mark = el('span', { class: 'edited-mark', hidden: true }, 'edited');
    this.undo = el('button', { type: 'button', class: 'small', click: () => this.back() }, 'Undo');
    this.reset = el('button', { type: 'button', class: 'small', click: () => this.resetting.ask() }, 'Chapter’s kernel');
    this.movedNote = el('p', { class: 'edit-moved', hidden: true },
      'The chapter’s kernel has changed since you edited this. Your edits were kept; “Chapter’s kernel” shows the new one.');
    this.carried = new Carried({
      id: this.id, edit: this.edit, href: () => address.href(this),
      onTaken: () => this.replaced(),
      onSettled: () => {
        this.moved(false);
        this.replaced();
        this.stepbar.update(address.href(this));
        this.source.focus();
      },
      onFault: (error) => this.notice('error', error.message, 'Ask for the address again.'),
    });
    this.resetting = new AskReset({ title: 'Back to the chapter’s kernel', what: 'this kernel and its launch', edit: this.edit, onReset: () => this.replaced() });
    this.compileList = el('ul', { class: 'reports compile', hidden: true });

    this.missing = new MissingDevices(() => live.request('devices', {}));
    this.pickers = this.makePickers();
    this.runButton = el('button', { type: 'button', class: 'run', click: () => this.start() }, 'Run');
    this.stopButton = el('button', { type: 'button', class: 'stop', hidden: true, click: () => this.running?.abort() }, 'Stop');
    this.progress = el('progress', { class: 'run-progress', hidden: true, 'aria-label': 'Progress' });
    this.noticePlace = el('div', { class: 'notice', role: 'status' });
    this.heading = el('p', { class: 'step-title', role: 'status' });
    this.phase = el('p', { class: 'step-maker' });
    this.otherRun = el('p', { class: 'step-maker', hidden: true });
    this.printed = el('p', { class: 'step-printed', hidden: true });
    this.emulate = el('button', { type: 'button', class: 'emulate', hidden: true, click: () => this.runOnEmulator() }, 'Run it on the emulator');
    this.stage = el('div', { class: 'stage', role: 'group', 'aria-label': 'Step', tabindex: '0' },
      this.heading, this.emulate, this.phase, this.otherRun, this.printed, this.warps.element, this.ownWarp, this.laneTable.element);
    this.outcomePanel = new OutcomePanel({ onLine: (line, column) => this.goToLine(line, column), onMore: (output, from) => this.inquire('values', { output, from }) });
    this.foot = el('p', { class: 'made-by' });
    this.stepControls = el('div', { class: 'step-controls' }, this.blocks.element, this.stepbar.element, this.tapebar.element);

    this.root = el('section', { class: 'widget-live kernel', 'aria-labelledby': titleId },
      el('header', { class: 'widget-head' },
        el('p', { class: 'widget-title', id: titleId }, this.data.caption || this.defaultTitle),
        el('div', { class: 'widget-run' }, ...this.pickers.map((p) => p.element), this.runButton, this.stopButton, this.progress)),
      watching ? lessonNote() : this.missing.element,
      this.noticePlace,
      el('div', { class: 'kernel-main' },
        el('div', { class: 'kernel-pane' },
          this.carried.element, this.movedNote,
          el('div', { class: 'source-tools' }, el('code', {}, this.kernel.input.launch.source ?? 'kernel.cu'), this.mark, el('span', { class: 'space' }), this.carried.said, this.carried.button, this.undo, this.reset),
          this.source.element,
          !watching && el('p', { class: 'edit-hint' }, 'Ctrl+Enter runs it.'),
          this.compileList,
          this.outcomePanel.findings,
          this.editor.element),
        el('div', { class: 'kernel-pane' }, this.stepControls, this.stage)),
      this.shared.element,
      this.outcomePanel.element,
      this.foot,
      this.resetting.element);
    this.lock();
    this.root.addEventListener('keydown', (event) => {
      this.stepbar.onKey(event);
      this.tapebar.onKey(event);
      this.onKey(event);
    });
    this.aspects = new Aspects(this.root, {
      source: { part: () => this.source.element, focus: () => this.source.focus() },
      launch: { part: () => this.editor.element },
      found: { part: () => this.outcomePanel.findings },
      warps: { part: () => this.warps.element },
      lanes: { part: () => this.laneTable.element },
      shared: { part: () => this.shared.element },
      lines: { part: () => this.outcomePanel.element.querySelector('.by-line') },
      result: { part: () => this.outcomePanel.outputs },
      measured: { part: () => this.outcomePanel.measured },
    }, () => this.stepbar.update(address.href(this)));
    this.querySelector('.widget-static')?.setAttribute('hidden', '');
    this.append(this.root);
  }

  lock() {
    super.lock();
    for (const button of [this.undo, this.reset, this.carried.button]) set(button, 'hidden', watching);
  }

  adopt() {
    const { outcome, moment } = this.kernel;
    this.startedSource = this.startedLaunch = undefined;
    this.compiled = [];
    if (!outcome) {
      this.outcome = this.tape = this.moment = this.run = null;
      this.moments.clear();
      this.stepper.setCount(0);
      return;
    }
    this.take(this.kernel);
    this.run = { id: this.data.run ?? `page:${this.id}`, epoch: 0 };
    if (moment) this.moments.keep(moment, '');
  }

  take({ outcome, rooflines }) {
    this.outcome = outcome;
    this.tape = outcome.tapes?.[0] ?? null;
    this.moments.clear();
    this.moment = null;
    this.compiled = [];
    this.shownSource = this.startedSource ?? this.edit.original.source;
    const launch = JSON.parse(this.startedLaunch ?? this.edit.original.launch);
    this.parameters = (launch.args ?? launch.launches?.at(-1)?.args ?? []).length;
    this.stepper.setCount(this.tape?.steps ?? 0);
    if (this.wantedStep !== undefined) {
      const step = this.wantedStep;
      this.wantedStep = undefined;
      this.stepper.go(step, 'restore');
    }
    if (this.tape) {
      this.block = this.tape.block;
      this.blocks.show(this.tape.grid, this.tape.block);
    }
    if (this.element && !this.tape?.arrays[this.element.array]) this.element = null;
    this.outcomePanel.show(outcome, rooflines);
  }

  get hasResult() {
    return Boolean(this.outcome);
  }

  resultOf(reply) {
    return reply;
  }

  repaint() {
    this.outcomePanel.repaint();
  }

  get deviceChanged() {
    return this.hasResult && this.device !== this.outcome.device;
  }

  encoded(texts) {
    return encode({ source: texts.source, launch: texts.launch });
  }

  /** What changed since the results were made, or "". */
  get stale() {
    if (!this.hasResult) return '';
    const shown = JSON.parse(this.shownInput);
    const parts = [
      shown.source !== this.edit.texts.source && 'the source',
      shown.launch !== this.edit.texts.launch && 'the launch',
      this.deviceChanged && 'the device',
    ].filter(Boolean);
    return parts.length > 0 ? asSentence(parts.join(' and ')).slice(0, -1) : '';
  }

  request(input) {
    const launch = JSON.parse(input.launch);
    const kernel = { source: input.source, launch, reference: this.kernel.input.reference };
    // A smaller grid may not have the block that was chosen.
    const { grid = [] } = launch.launches?.at(-1) ?? launch;
    const block = this.block.map((at, axis) => Math.max(0, Math.min(at, (grid[axis] ?? 1) - 1)));
    return { type: 'launch', body: { device: this.device, kernel, record: records(this.device) ? [block] : [] } };
  }

  /** Runs the kernel where it can be stepped. */
  runOnEmulator() {
    this.chooseDevice(emulator);
    this.pickers[0].set(emulator);
    this.focusStep();
    this.start();
  }

  async start(options) {
    if (this.running) return false;
    if (this.edit.texts.source.trim() === '') {
      this.notice('error', 'There is no kernel to run: the source is empty.', 'Write one, or go back by Undo, or to the chapter’s kernel.');
      return false;
    }
    ({ source: this.startedSource, launch: this.startedLaunch } = this.edit.texts);
    return super.start(options);
  }

  accept(reply, input) {
    const focused = this.outcomePanel.element.contains(document.activeElement);
    super.accept(reply, input);
    // What had the focus was of the result before.
    if (focused) opened.then(() => this.focusPlace());
    if (this.wantedElement) this.restoreElement(this.wantedElement);
  }

  fail(error, shown) {
    this.compiled = error.code === 'compile' ? diagnostics(error.detail?.lines ?? []) : [];
    // A block that was chosen is asked for again when the connection is back, and only then.
    if (this.tape && !['offline', 'broken'].includes(error.code)) {
      this.block = this.tape.block;
      this.blocks.show(this.tape.grid, this.block);
    }
    super.fail(error, shown);
    this.annotate();
    if (!shown && this.compiled.length > 0 && this.contains(document.activeElement)) this.compileList.scrollIntoView({ block: 'nearest' });
  }

  runOnce() {
    const elsewhere = this.tape && records(this.device) && triple(this.block) !== triple(this.tape.block);
    if (elsewhere && this.mayBegin && live.open && !this.running && !this.editor.faulty) this.start({ asked: false });
    else super.runOnce();
    this.wantMoment();
  }

  // --- The place.

  place() {
    /** @type {import('../model/deeplink.js').Place} */
    const place = { step: this.stepper.index, device: this.device };
    if (this.element && this.tape) place.cell = elementName(this.tape.arrays[this.element.array], this.element.element);
    if (triple(this.block) !== triple(this.kernel.block)) place.block = this.block.join(',');
    if (this.thread !== null && this.tape) place.thread = threadAt(this.tape.block_dim, this.thread).join(',');
    if (this.aspects.name) place.view = this.aspects.name;
    return place;
  }

  restore(place, first = false) {
    const block = parseTriple(place.block) ?? (first ? null : this.kernel.block);
    if (block && this.tape && block.every((at, axis) => at < this.tape.grid[axis])) this.block = block;
    if (this.tape && triple(this.block) !== triple(this.tape.block)) {
      if (this.mayBegin) this.wantedStep = place.step;
      // What could not be had leaves the block that is here.
      else this.block = this.tape.block;
    }
    if (!this.mayBegin) this.wantedStep = undefined;
    const thread = parseTriple(place.thread);
    const number = thread && this.tape ? threadNumber(this.tape.block_dim, thread) : -1;
    this.thread = number >= 0 ? number : null;
    this.aspects.restore(place.view);
    this.restoreElement(place.cell);
    super.restore({ step: place.step, device: place.device }, first);
  }

  /** Shows what of it the address names. */
  focusPlace() {
    // What it names may be still to come.
    if (!this.aspects.reveal()) this.aspects.meanwhile(() => this.focusStep());
  }

  restoreElement(text) {
    this.wantedElement = undefined;
    this.element = null;
    if (!text) return;
    if (!this.tape) {
      this.wantedElement = text;
      return;
    }
    const found = parseElement(this.tape.arrays, text);
    if (!('problem' in found)) this.element = found;
  }

  chooseBlock(block) {
    this.block = block;
    if (watching) {
      this.moved(true);
      this.browse();
      return;
    }
    // Begun first: who is shown the block then waits for it.
    this.start({ fresh: false });
    this.moved(true);
  }

  /** Shows another block of the same run, where it is kept. */
  browse() {
    this.startAs(this.good ?? { n: 0, texts: null, device: this.outcome.device }, { again: true });
  }

  /** A view may be of another block of the same run. */
  runFor(view) {
    const wanted = super.runFor(view);
    const { ran, place, running } = view;
    const block = parseTriple(place.block) ?? this.kernel.block;
    if (wanted) return { ...wanted, block };
    const inside = this.tape && block.every((at, axis) => at < this.tape.grid[axis]);
    if (!inside || running || !records(this.outcome.device) || triple(block) === triple(this.tape.block)) return null;
    if (!ran && triple(block) === triple(this.kernel.outcome?.tapes?.[0]?.block ?? [])) {
      this.goHome();
      return null;
    }
    return { ran: ran ?? { n: 0, texts: null, device: this.outcome.device }, block };
  }

  fetched(wanted, coming) {
    this.block = wanted.block;
    this.wantedStep = readView(this.brought).place.step;
    return super.fetched(wanted, coming);
  }

  got(wanted) {
    return super.got(wanted) && (!this.tape || triple(this.tape.block) === triple(wanted.block) || wanted.block.some((at, axis) => at >= this.tape.grid[axis]));
  }

  showTexts() {
    this.typedAt = 0;
    this.compiled = [];
    this.source.text = this.edit.texts.source;
    this.editor.show();
    this.annotate();
  }

  async drawn(newer) {
    if (!this.tape || this.moment?.step === this.stepper.index) return;
    /** @type {Promise<void>} */
    const here = new Promise((done) => { this.waiters.add(done); });
    const late = setTimeout(() => {
      const { index } = this.stepper;
      if (newer.aborted || !this.tape || this.moment?.step === index || this.noticed === 'error') return;
      this.notice('info', `Step ${index} has not come yet.${this.moment ? ` Shown is step ${this.moment.step}.` : ''}`);
      this.saidOfStep = this.noticePlace.firstChild;
      this.drawnNow();
    }, live.open ? lateAfter : 0);
    await unlessNewer(here, newer);
    clearTimeout(late);
  }

  /** Tells who waits. */
  drawnNow() {
    for (const done of this.waiters) done();
    this.waiters.clear();
  }

  /** Pins the warp of a thread, or none. @param {number} thread */
  chooseThread(thread) {
    this.thread = thread < 0 || thread === this.thread ? null : thread;
    this.moved(false);
    this.draw();
  }

  chooseElement(array, element) {
    this.element = { array, element };
    this.moved(false);
    this.drawMoment();
    this.tapebar.showElement(this.tape.arrays, this.element);
  }

  get pinned() {
    return this.thread === null ? '' : String(Math.floor(this.thread / lanes));
  }

  // --- Moments.

  /** Asks about the recording. */
  inquire(type, body) {
    const run = this.run ?? { id: '', epoch: 0 };
    return live.request(type, { run: run.id, ...(run.epoch === 0 ? { chapter, which: 0 } : {}), ...body });
  }

  /** Shows the moment of the present step, when it has come. */
  wantMoment() {
    if (this.tape) this.moments.want();
  }

  /** Goes to where a goal leads. @param {{kind: string, back: boolean}} goal */
  async seek({ kind, back }) {
    if (!this.tape || this.seeking) return;
    const goal = { kind, back };
    if (kind === 'warp') goal.warp = this.thread === null ? this.moment?.warp ?? 0 : Math.floor(this.thread / lanes);
    if (kind === 'line') goal.line = Number(this.tapebar.line.value) || this.moment?.place.line || 0;
    if (kind === 'element') Object.assign(goal, this.element ?? {});
    if (kind === 'element' && !this.element) {
      say(this.tapebar.said, 'Choose an element first.');
      return;
    }
    this.seeking = true;
    try {
      const reply = await this.moments.seek(goal);
      if (!reply) return;
      say(this.tapebar.said, reply.found ? '' : `There is none ${back ? 'before' : 'after'} this step.`);
      this.stepper.go(reply.moment.step);
    } catch (error) {
      this.lost(error);
    } finally {
      this.seeking = false;
    }
  }

  /** Says why a step cannot be shown. */
  lost(error) {
    shown(this.id);
    this.drawnNow();
    set(this.stage, 'aria-busy', null);
    if (error.code === 'cancelled') return;
    this.notice('error', asSentence(error.message), asSentence(error.next));
    this.saidOfStep = this.noticePlace.firstChild;
    set(this.runButton, 'data-wanted', 'true');
    this.offline = error.code === 'offline' || error.code === 'broken';
  }

  onStep(cause) {
    if (cause !== 'state') say(this.tapebar.said, '');
    super.onStep(cause);
  }

  get keepsCell() {
    return true;
  }

  get waits() {
    return Boolean(this.running || this.tape && this.moment?.step !== this.stepper.index);
  }

  // --- Drawing.

  draw() {
    if (!this.root) return;
    if (this.tape) this.wantMoment();
    this.stepbar.update(address.href(this));
    set(this.stepControls, 'hidden', !this.tape);
    if (!this.moment) set(this.shared.element, 'hidden', true);
    set(this.ownWarp, 'hidden', this.thread === null);
    for (const part of [this.warps.element, this.laneTable.element, this.phase]) set(part, 'hidden', !this.tape);
    set(this.otherRun, 'hidden', !this.tape?.other);
    say(this.otherRun, this.tape?.other ?? '');
    set(this.stage, 'data-empty', !this.tape);
    set(this.emulate, 'hidden', Boolean(watching || this.tape || this.running || records(this.outcome?.device ?? '')));
    for (const part of [this.outcomePanel.findings, this.outcomePanel.element]) set(part, 'hidden', !this.outcome);
    if (!this.tape) {
      this.moment = null;
      say(this.heading, this.emptyText());
      set(this.printed, 'hidden', true);
      this.annotate();
      return;
    }
    this.tapebar.showElement(this.tape.arrays, this.element);
    this.tapebar.showTape(this.tape);
    this.annotate();
  }

  emptyText() {
    if (!this.outcome && watching) return 'The presenter has not run this kernel yet.';
    if (!this.outcome) return `This kernel has not been run yet. ${records(this.device) ? 'Run it' : 'The emulator is part of the workbench and needs no GPU: run it there'}, and step through one of its blocks here.`;
    if (!records(this.outcome.device)) return `On ${this.outcome.name || this.outcome.device} a kernel runs as it is, and nothing of it is recorded. Run it on the emulator to step through it.`;
    return 'The launch ended before the block that was to be recorded. The reports say why.';
  }

  drawMoment() {
    const { tape, moment } = this;
    if (!moment) return;
    // First: the editor asks where its selection is, for which the page has to be laid
    // out, and so far it is.
    this.annotate();
    set(this.stage, 'aria-busy', null);
    if (this.saidOfStep && this.saidOfStep === this.noticePlace.firstChild) this.notice('', '');
    this.saidOfStep = null;
    say(this.heading, momentTitle(tape, moment));
    say(this.phase, `Block ${triple(tape.block)}, phase ${moment.phase} of 0–${tape.phases - 1}: ${moment.phase === 0 ? 'before the first barrier' : moment.phase === 1 ? 'one barrier has been passed' : `${moment.phase} barriers have been passed`}.`);
    set(this.printed, 'hidden', !moment.printed);
    say(this.printed, moment.printed ? `This step prints: ${moment.printed}` : '');
    const warp = this.shownWarp();
    this.warps.show(moment, warp);
    this.laneTable.show(tape, moment, warp, this.thread, this.parameters);
    this.tapebar.showLine(moment.place.line);
    this.shared.show(tape, moment, this.element);
    this.stepbar.update();
    if (this.waits) return;
    shown(this.id);
    this.drawnNow();
  }

  shownWarp() {
    const { moment } = this;
    if (this.thread !== null) return Math.floor(this.thread / lanes);
    return moment.warps.find((warp) => warp.frames?.length)?.warp ?? moment.warp;
  }

  /** Marks lines: what was found, and where the step is, as far as the text still has them. */
  annotate() {
    const { source } = this.edit.texts;
    const compiled = this.compiled.length > 0;
    set(this.compileList, 'hidden', !compiled);
    fill(this.compileList, ...this.compiled.map(({ line, column, kind, message }) => el('li', { class: `report report-${kind}` },
      el('button', { type: 'button', class: 'jump', click: () => this.source.go(line, column) }, `line ${line}, column ${column}`), `: ${asSentence(message)}`)));
    if (compiled) {
      this.source.annotate(0, this.compiled.map(({ line, kind, message }) => ({ line, kind, text: asSentence(message) })), false);
      return;
    }
    const at = lineMap(this.shownSource ?? source, source);
    const marks = [];
    for (const report of this.outcome?.reports ?? []) {
      const kind = report.severity === 'warning' ? 'warning' : 'fault';
      const text = `${asSentence(`${report.kind}: ${report.message}`)} ${report.cause ? asSentence(report.cause) : ''}`.trim();
      marks.push({ line: at(report.line), kind, text });
      if (report.other?.line && report.other.line !== report.line) marks.push({ line: at(report.other.line), kind: 'warning', text: `The other access of: ${text}` });
    }
    const now = this.moment?.kind === 'statement' ? at(this.moment.place.line) : 0;
    this.source.annotate(now, marks, Boolean(this.outcome) && source !== this.shownSource);
  }

  /** The source is many controls away from the step. @param {KeyboardEvent} event */
  onKey(event) {
    if (event.defaultPrevented || event.key !== 's' || event.ctrlKey || event.metaKey || event.altKey) return;
    if (/** @type {Element} */ (event.target).closest('input, textarea, select, dialog, [popover], .own-keys')) return;
    event.preventDefault();
    this.source.focus();
    this.source.element.scrollIntoView({ block: 'nearest' });
  }

  /** Back from the source. */
  toStep() {
    this.focusStep();
    this.stage.scrollIntoView({ block: 'nearest' });
  }

  showReports() {
    this.outcomePanel.findings.scrollIntoView({ block: 'nearest' });
    this.outcomePanel.reports.querySelector('button')?.focus();
  }

  goToLine(line, column) {
    const at = lineMap(this.shownSource ?? '', this.edit.texts.source)(line);
    if (at > 0) this.source.go(at, column);
  }

  describeRun() {
    set(this.mark, 'hidden', !this.edit.edited);
    set(this.movedNote, 'hidden', !this.edit.moved);
    this.carried.update();
    set(this.undo, 'aria-disabled', !this.edit.canUndo && 'true');
    set(this.reset, 'aria-disabled', !this.edit.edited && 'true');
    if (!this.outcome) {
      say(this.foot, '');
      return;
    }
    const { device, name, cost } = this.outcome;
    const parts = [`Run on ${name ? `${name} (${device})` : device}`, this.elapsed === null ? 'computed with the page' : this.elapsedText()];
    if (cost?.kernel_ns > 0 && !records(device)) parts.push(`kernel ${(cost.kernel_ns / 1000).toFixed(1)} µs`);
    if (this.tape) {
      const { steps, most, bound } = this.tape;
      parts.push(`${steps} steps recorded, all of which take ${megabytes(most)}, with a bound of ${megabytes(bound)}`);
    }
    say(this.foot, `${parts.join(' · ')}.`);
  }

  listen() {
    super.listen();
    // What could not be asked while the page was alone is asked now.
    live.addEventListener('hello', () => {
      if (this.moment?.shared?.length > 0) this.shared.count(this.tape);
    }, { signal: this.control.signal });
    // In a lesson the presenter's kernel is the one that is shown.
    if (watching) return;
    addEventListener('hashchange', () => this.carried.receive(), { signal: this.control.signal });
    this.carried.receive();
  }

  /** A fragment with a kernel stays in the address as long as it is shown. */
  get fragment() {
    return this.carried.fragment;
  }

  // --- Editing.

  /** Takes what was typed. Typing without a pause is one change for undo. */
  typed(name, text, whole = false) {
    const now = Date.now();
    if (whole || now - (this.typedAt ?? 0) > pause || this.typing !== name) this.edit.mark();
    this.typedAt = whole ? 0 : now;
    this.typing = name;
    this.compiled = [];
    this.edit.set(name, text);
    say(this.carried.said, '');
    this.changed();
    this.annotate();
  }

  /** Makes every control show the texts after they were replaced. */
  replaced() {
    this.typedAt = 0;
    this.compiled = [];
    this.source.text = this.edit.texts.source;
    this.editor.update();
    this.changed();
    this.annotate();
  }

  back() {
    if (!this.edit.canUndo) return;
    this.edit.undo();
    this.replaced();
  }
}

/** The devices that run kernels. */
class KernelDevicePicker extends DevicePicker {
  update(devices) {
    super.update(devices.filter(({ spec }) => runsKernels(spec)));
  }
}

function megabytes(bytes) {
  return `${bytes < 1e6 ? (bytes / 1e6).toFixed(2) : Math.round(bytes / 1e6)} MB`;
}

customElements.define('wb-kernel', KernelWidget);
