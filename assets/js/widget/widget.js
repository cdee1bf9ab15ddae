/**
 * What every live example has: the server's data, a device, inputs that can be
 * edited, runs, a stepper, and a place in the address. An example draws its own
 * stage. The server's table stays in the page, hidden, while this one lives.
 *
 * In a lesson others see what a presenter does with it: `view` is what they have to
 * know, `show` makes an example look like that, and `wb-change` says that a person has
 * changed it. Who only watches begins no run.
 * @module
 */
import { Edit } from '../model/edit.js';
import { readTexts, toTexts } from '../model/field.js';
import { Latest, unlessNewer } from '../model/latest.js';
import { encode } from '../model/number.js';
import { asSentence } from '../model/sentence.js';
import { work } from '../model/stats.js';
import { Stepper } from '../model/stepper.js';
import { Trace, legend } from '../model/trace.js';
import { isResult, nothing, readView, sameRan, sameRun } from '../model/view.js';
import { tellChange } from '../part/change.js';
import { DevicePicker, MissingDevices, folded } from '../part/devices.js';
import { el, fill, freshId, say, set } from '../part/dom.js';
import { Editor } from '../part/editor.js';
import { formula } from '../part/math.js';
import { frame, inTurn, shown } from '../part/opening.js';
import { address, chapter, live, storage, watching } from '../part/page.js';
import { StepBar } from '../part/stepbar.js';
import { lessonNote, onlyPresenter } from '../part/watched.js';

/**
 * @typedef {import('../model/deeplink.js').Place} Place
 * @typedef {import('../model/view.js').View} View
 * @typedef {import('../model/view.js').Ran} Ran
 * @typedef {{id: string, epoch: number}} Run epoch of the connection; 0 for the page's own, which every connection knows
 */

export class Widget extends HTMLElement {
  /** Views that it is shown, the newest at most once a frame; held until it has begun. @type {Latest<any>} */
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
      // The server's own table stays: it needs no script.
      console.error(`${this.id}: the widget's data cannot be read`, error);
      this.latest.stop();
      return;
    }
    this.example = this.dataset.example ?? '';
    /** @type {Trace | null} */
    this.trace = null;
    /** @type {Run | null} */
    this.run = null;
    this.elapsed = null;
    this.running = null;
    this.cell = '';
    this.device = this.data.device ?? 'cpu';
    /** What was run last, and whose results are shown: null for the chapter's. @type {Ran | null} */
    this.ran = this.good = null;
    /** Whether whose view is shown is running it now. */
    this.elsewhere = false;
    /** The run that a view waits for. @type {{key: string, done: Promise<void>, over: boolean} | null} */
    this.coming = null;
    /** The run that a view wanted and that did not come. */
    this.missed = '';
    this.edit = new Edit({
      key: `${chapter}/${this.id}`,
      original: this.originalTexts(),
      storage,
    });
    /** The input that the results on the stage were made from. */
    this.shownInput = this.encoded(this.edit.original);
    this.build();
    this.adopt();
    if (!address.add(this)) this.restore({ step: this.data.step ?? 0, cell: this.data.cell?.join(',') ?? '' }, true);
    this.listen();
    this.refresh();
    if (!this.waits) shown(this.id);
    this.latest.begin();
  }

  /** Whether something is still to come before the place is drawn. */
  get waits() {
    return false;
  }

  /** The chapter's own inputs, as a reader edits them. */
  originalTexts() {
    return toTexts(this.example, this.data.input ?? {});
  }

  disconnectedCallback() {
    this.control?.abort();
    this.stepper?.stop();
    this.running?.abort();
    address.remove(this.id);
    this.latest.stop();
  }

  /** Takes the results that came with the page. */
  adopt() {
    if (!this.data.trace) {
      this.trace = this.run = null;
      this.stepper.setCount(0);
      return;
    }
    try {
      this.take(this.data.trace);
      this.run = { id: this.data.run ?? `page:${this.id}`, epoch: 0 };
    } catch (error) {
      this.notice('error', error.message);
    }
  }

  /** Takes a run's results. @param {any} raw */
  take(raw) {
    this.trace = new Trace(raw);
    this.stepper.setCount(this.trace.count);
  }

  build() {
    const titleId = freshId('title');
    this.stepper = new Stepper({ count: 0, onChange: (cause) => this.onStep(cause) });
    this.stepbar = new StepBar(this.stepper, (index) => this.trace?.steps[index]?.title ?? '');
    this.editor = new Editor({
      example: this.example, edit: this.edit,
      onChange: () => this.changed(), onRun: () => this.start(),
    });
    this.missing = new MissingDevices(() => live.request('devices', {}));
    this.pickers = this.makePickers();
    this.runButton = el('button', { type: 'button', class: 'run', click: () => this.start() }, 'Run');
    this.stopButton = el('button', { type: 'button', class: 'stop', hidden: true, click: () => this.running?.abort() }, 'Stop');
    this.progress = el('progress', { class: 'run-progress', hidden: true, 'aria-label': 'Progress' });
    this.noticePlace = el('div', { class: 'notice', role: 'status' });
    this.heading = el('p', { class: 'step-title', role: 'status' });
    this.maker = el('p', { class: 'step-maker' });
    this.cost = el('p', { class: 'step-cost' });
    this.note = el('p', { class: 'step-note' });
    this.formula = el('p', { class: 'step-formula' });
    this.letters = el('p', { class: 'step-letters' });
    this.stage = el('div', { class: 'stage', role: 'group', 'aria-label': 'Step', tabindex: '0' }, this.heading, this.maker, this.cost, this.formula, this.letters, this.note);
    this.foot = el('p', { class: 'made-by' });

    this.root = el('section', { class: 'widget-live', 'aria-labelledby': titleId },
      el('header', { class: 'widget-head' },
        el('p', { class: 'widget-title', id: titleId }, this.data.caption || this.defaultTitle),
        el('div', { class: 'widget-run' }, ...this.pickers.map((p) => p.element), this.runButton, this.stopButton, this.progress)),
      watching ? lessonNote() : this.missing.element,
      this.noticePlace,
      this.steps ? this.stepbar.element : null,
      this.stage,
      this.foot,
      this.editor.element);
    this.lock();
    this.buildStage();
    this.root.addEventListener('keydown', (event) => {
      if (this.steps) this.stepbar.onKey(event);
    });
    this.querySelector('.widget-static')?.setAttribute('hidden', '');
    this.append(this.root);
  }

  /** Takes away what runs something, where only the presenter does. */
  lock() {
    if (!watching) return;
    for (const picker of this.pickers) picker.lock(onlyPresenter);
  }

  /** Adds to the stage what the example draws in. @abstract */
  buildStage() {}

  /**
   * Draws a step.
   * @abstract
   * @param {import('../model/trace.js').Step} _step
   */
  drawStage(_step) {}

  /** Whether the example is stepped through. */
  get steps() {
    return true;
  }

  /** Whether a cell that was chosen stays chosen at the next step. */
  get keepsCell() {
    return false;
  }

  get defaultTitle() {
    return 'Worked example';
  }

  makePickers() {
    return [new DevicePicker({ label: 'Device', value: this.device, onChange: (spec) => this.chooseDevice(spec) })];
  }

  listen() {
    const { signal } = this.control;
    const devices = () => {
      for (const picker of this.pickers) picker.update(live.devices);
      this.missing.update(live.devices);
    };
    devices();
    live.addEventListener('devices', () => {
      devices();
      // A device that was missing has come, or one that was thought to be there
      // is not.
      if (this.noticed === 'error' && this.saidMissing && !this.missingDevice) this.notice('', '');
      this.explainIfIdle();
      this.refresh();
    }, { signal });
    const hello = () => {
      devices();
      if (this.offline) this.notice('', '');
      // Where others show what they do, nothing begins because a connection is back.
      this.placing = this.brought !== undefined;
      this.runOnce();
      this.placing = false;
      this.refresh();
      // What did not come may come now.
      if (this.missed) {
        this.missed = '';
        if (!this.latest.waiting) this.latest.offer(this.brought);
      }
    };
    live.addEventListener('hello', hello, { signal });
    if (live.open) hello();
    document.addEventListener('wb-theme', () => this.repaint(), { signal });
  }

  /** Draws again what depends on the theme. */
  repaint() {}

  // --- The place: step, cell and device, as the address has them.

  /** @returns {Place} */
  place() {
    const place = { step: this.stepper.index, device: this.device };
    if (this.cell) place.cell = this.cell;
    return place;
  }

  /**
   * Goes to a place without writing the address.
   * @param {Place} place
   * @param {boolean} [first] it is the author's, when the page opens
   */
  restore(place, first = false) {
    this.cell = place.cell ?? '';
    this.stepper.go(place.step ?? this.data.step ?? 0, 'restore');
    if (place.device && place.device !== this.device) {
      this.device = place.device;
      this.pickers[0].set(place.device);
    }
    if (!first) this.runOnce();
    this.draw();
    if (!first) this.refresh();
  }

  onStep(cause) {
    if (cause === 'state') {
      this.stepbar.update();
      return;
    }
    if (cause !== 'restore') {
      if (!this.keepsCell) this.cell = '';
      this.stepped(cause);
      this.draw();
    }
  }

  /** Writes the address after the reader moved, and says so. */
  moved(push) {
    address.write(this, push);
    this.tell(push);
  }

  /** Writes it after a step; of many in a row, not of each. */
  stepped(cause) {
    if (cause === 'jump') this.moved(true);
    else {
      address.follow(this);
      this.tell(false);
    }
  }

  /** Says that a person has changed what is shown. @param {boolean} [push] */
  tell(push = false) {
    // Whoever ran it elsewhere is not waited for any more.
    if (this.elsewhere) {
      this.elsewhere = false;
      this.refresh();
    }
    tellChange(this, push);
  }

  /** Puts the focus where the keys step. */
  focusStep() {
    this.stage.focus({ preventScroll: true });
  }

  // --- A view: what others have to know to be shown the same.

  /** @returns {View} */
  get view() {
    if (!this.root) return readView(this.latest.waiting?.value);
    return {
      place: this.place(), texts: this.edit.edited ? { ...this.edit.texts } : null, ran: this.ran,
      running: Boolean(this.running), last: this.steps ? this.stepper.last : 0,
    };
  }

  /**
   * Makes the example look as it does elsewhere: no address, no storage, nothing told.
   * The newest view wins over those that are still to be drawn.
   * @param {View | null} view null as the chapter has it
   * @returns {Promise<boolean>} kept when it is drawn: false where it was given up
   */
  show(view) {
    return this.latest.offer(view);
  }

  /** Where the chapter has it. @returns {Place} */
  get home() {
    return { step: this.data.step ?? 0, cell: this.data.cell?.join(',') ?? '', device: this.data.device ?? 'cpu' };
  }

  /** The device as a place has it. */
  get deviceText() {
    return this.device;
  }

  set deviceText(text) {
    this.device = text;
  }

  /** Makes the pickers show the device. */
  showDevice() {
    this.pickers[0].set(this.device);
  }

  /** Draws a view. @param {any} raw @param {AbortSignal} newer */
  async bring(raw, newer) {
    this.brought = raw;
    const view = raw ? readView(raw) : { ...nothing, place: this.home };
    const device = view.place.device ?? this.home.device ?? '';
    this.elsewhere = view.running;
    const wanted = this.runFor(view);
    const key = wanted ? JSON.stringify(wanted) : '';
    if (this.coming?.key !== key || !wanted) await this.giveUpRun();
    if (newer.aborted) return;
    if (!wanted) this.missed = '';
    if (wanted && key !== this.missed) {
      this.coming ??= this.fetchRun(wanted, key);
      const { done } = this.coming;
      this.bringTexts(view.texts, device);
      this.refresh();
      await unlessNewer(done, newer);
      if (newer.aborted) return;
    }
    this.bringTexts(view.texts, device);
    if (this.noticed === 'info' && !this.running) this.notice('', '');
    this.placing = true;
    this.restore({ ...view.place, device });
    this.placing = false;
    // What is said of a run is over once something else stands there.
    if (this.ran?.before !== undefined && this.failed && !sameRun(this.ran, { texts: view.texts, device })) this.notice('', '');
    this.refresh();
    await this.drawn(newer);
  }

  /** Makes the controls hold a view's texts and device. */
  bringTexts(texts, device) {
    if (this.edit.show(texts)) {
      this.showTexts();
      this.settle();
    }
    if (this.deviceText === device) return;
    this.deviceText = device;
    this.showDevice();
    this.settle();
  }

  /** Makes every control show the texts after a view brought others. */
  showTexts() {
    this.editor.show();
  }

  /**
   * The run whose results a view is of and that are not here, with what else decides
   * what it is; null where they are.
   * @param {View} view
   * @returns {{ran: Ran, [more: string]: any} | null}
   */
  runFor({ ran }) {
    if (sameRan(ran, this.ran)) return null;
    if (ran) return { ran };
    this.goHome();
    return null;
  }

  /** Goes back to the results that came with the page. */
  goHome() {
    this.ran = this.good = null;
    this.missed = '';
    this.elapsed = null;
    this.shownInput = this.encoded(this.edit.original);
    this.notice('', '');
    this.adopt();
  }

  /** Gives up a run that something else is wanted instead of. */
  async giveUpRun() {
    if (this.coming) this.coming.over = true;
    if (!this.running) return;
    this.running.quiet = true;
    this.running.abort();
    await (this.coming?.done ?? this.ending);
  }

  /** Gets the results of a run from where they are kept. */
  fetchRun(wanted, key) {
    const coming = { key, done: Promise.resolve(), over: false };
    coming.done = this.fetched(wanted, coming).finally(() => {
      if (this.coming === coming) this.coming = null;
      if (!coming.over && !this.got(wanted)) this.missed = key;
    });
    return coming;
  }

  async fetched({ ran }, coming) {
    // What failed left the results of another run on the stage.
    if (ran.before === null && this.good) this.goHome();
    if (ran.before && !sameRun(ran.before, this.good)) await this.startAs({ n: ran.n, at: ran.at, ...ran.before });
    if (!coming.over) await this.startAs(ran);
  }

  /** Whether the results of a run are here. */
  got({ ran }) {
    return sameRan(ran, this.ran);
  }

  /** Runs as somebody else did, and leaves what stands in the controls. @param {Ran} ran @param {object} [options] */
  startAs(ran, options) {
    const { edit, deviceText } = this;
    const { texts } = edit;
    edit.texts = { ...edit.original, ...ran.texts };
    this.deviceText = ran.device;
    // What is asked for is asked before this returns.
    const done = this.start({ asked: false, as: ran, ...options });
    edit.texts = texts;
    this.deviceText = deviceText;
    return done;
  }

  /** Keeps when what is shown is drawn. @param {AbortSignal} _newer */
  async drawn(_newer) {}

  // --- Drawing.

  draw() {
    if (!this.root) return;
    this.stepbar.update(address.href(this));
    const step = this.trace?.steps[this.stepper.index];
    say(this.heading, step ? step.title : this.emptyText());
    say(this.maker, step ? makerOf(step.device) : '');
    const cost = work(step?.stats);
    say(this.cost, cost && `It cost ${cost}.`);
    set(this.cost, 'hidden', !cost);
    say(this.note, step?.note ?? '');
    set(this.note, 'hidden', !step?.note);
    const tex = step?.formula ?? '';
    if (tex !== this.tex) {
      this.tex = tex;
      fill(this.formula, tex && formula(tex));
      set(this.formula, 'hidden', !tex);
    }
    const letters = step ? legend(this.trace, step) : '';
    say(this.letters, letters);
    set(this.letters, 'hidden', !letters);
    const focused = this.stage.contains(document.activeElement);
    set(this.stage, 'data-blank', !step);
    if (step) this.drawStage(step);
    // What had the focus may be gone, and the keys with it.
    if (focused && !(this.stage.contains(document.activeElement) && document.activeElement?.checkVisibility?.() !== false)) this.focusStep();
  }

  emptyText() {
    if (watching) return 'The presenter has not run this yet.';
    return `Nothing has been run yet on ${this.device}. Choose a device that is there, and run.`;
  }

  /** Says whether the results are of the inputs and the device as they are now. */
  refresh() {
    const stale = this.stale;
    set(this.root, 'data-stale', stale ? 'true' : null);
    set(this.runButton, 'data-wanted', stale ? 'true' : null);
    if (this.elsewhere && !this.running) {
      this.notice('info', 'The presenter is running this …');
      this.saidElsewhere = true;
    } else if (this.saidElsewhere) this.notice('', '');
    if (stale && !this.running && !this.elsewhere && !this.failed) {
      this.notice('stale', `${this.stopped ? 'Stopped. ' : ''}${stale} changed since this result was made${watching ? '. The presenter has not run it yet.' : ' – run again.'}`);
    } else if (!stale && this.noticed === 'stale') {
      this.notice('', '');
    }
    set(this.runButton, 'hidden', Boolean(this.running) || watching);
    set(this.stopButton, 'hidden', !this.running || watching);
    if (!this.running) set(this.progress, 'hidden', true);
    this.describeRun();
  }

  /** What changed since the results were made, or "". */
  get stale() {
    if (!this.hasResult) return '';
    const inputs = this.editor.faulty || this.encoded(this.edit.texts) !== this.shownInput;
    const device = this.deviceChanged;
    return inputs && device ? 'Inputs and device' : inputs ? 'Inputs' : device ? 'The device' : '';
  }

  get hasResult() {
    return this.trace !== null;
  }

  get deviceChanged() {
    return this.trace !== null && this.device !== this.trace.device;
  }

  encoded(texts) {
    return encode(readTexts(this.example, texts).input);
  }

  describeRun() {
    if (!this.trace) {
      say(this.foot, '');
      return;
    }
    const { maker, contract, precision, raw } = this.trace;
    const parts = [`Made by ${maker} (${contract}, ${precision})`, this.elapsedText(), work(raw.stats)];
    say(this.foot, `${parts.filter(Boolean).join(' · ')}.`);
  }

  elapsedText() {
    if (this.elapsed === null) return 'computed with the page';
    return `run in ${this.elapsed < 10 ? this.elapsed.toFixed(2) : Math.round(this.elapsed)} ms`;
  }

  /** @param {'' | 'stale' | 'error' | 'info'} kind */
  notice(kind, text, next = '', detail = null) {
    this.noticed = kind;
    this.saidMissing = this.saidElsewhere = false;
    this.failed = kind === 'error';
    this.offline = false;
    set(this.noticePlace, 'class', kind ? `notice notice-${kind}` : 'notice');
    fill(this.noticePlace, text && el('p', {}, text), next && el('p', { class: 'notice-next' }, next), detail && folded(detail));
  }

  // --- Running.

  /** The reader made the inputs others. */
  changed() {
    this.settle();
    this.tell();
  }

  /** What was said of the last run is over. */
  settle() {
    this.stopped = false;
    if (!this.running && (this.noticed === 'error' || this.noticed === 'info')) this.notice('', '');
    this.refresh();
  }

  chooseDevice(spec) {
    this.device = spec;
    if (this.noticed === 'error') this.notice('', '');
    this.explainMissing();
    this.moved(false);
    this.draw();
    this.refresh();
  }

  /** Whether it may begin a run that nobody asked for. */
  get mayBegin() {
    return !watching && !this.placing;
  }

  /** Runs what the reader ran before, or what the address asks for. */
  runOnce() {
    if (!this.mayBegin || !live.open || this.running || this.editor.faulty) return;
    const again = this.edit.ran && this.encoded(this.edit.texts) !== this.shownInput;
    const asked = this.deviceChanged && !this.missingDevice;
    if (again || asked) this.start({ asked: false });
    else this.explainMissing();
  }

  /** The devices that a run needs, by spec. @returns {string[]} */
  get wanted() {
    return [this.device];
  }

  /**
   * The first of them that is known not to be there, or undefined. What is missing
   * of a device that is on no list, the workbench says when it is run.
   */
  get missingDevice() {
    return live.devices.find(({ spec, available }) => !available && this.wanted.includes(spec));
  }

  /** Says it where nothing more urgent is said. */
  explainIfIdle() {
    if (!this.running && this.noticed !== 'error') this.explainMissing();
  }

  /** Says why the chosen device cannot run, where it cannot. */
  explainMissing() {
    const device = this.missingDevice;
    // Who watches has no use for it.
    if (!device || watching) return;
    const detail = device.tried?.length ? { title: 'Where it was looked for', lines: device.tried } : null;
    this.notice('error', `${device.spec} is not available here. ${asSentence(device.reason ?? '')}`, asSentence(device.next ?? ''), detail);
    this.saidMissing = true;
  }

  /** @returns {{type: string, body: object}} what a run asks the server for */
  request(input) {
    return { type: 'run', body: { example: this.example, device: this.device, input } };
  }

  /** Asks for it. */
  ask(input, options) {
    const { type, body } = this.request(input);
    return live.request(type, body, options);
  }

  /**
   * Runs the inputs as they are.
   * @param {object} [options]
   * @param {boolean} [options.asked] by the reader, just now
   * @param {boolean} [options.fresh] also where the answer is kept
   * @param {Ran} [options.as] somebody else ran it, and who shows it tells nobody
   * @param {boolean} [options.again] it was run before, and is only needed once more
   * @returns {Promise<boolean>} whether it worked
   */
  async start({ asked = true, fresh = asked, as, again = false } = {}) {
    if (this.running) return false;
    if (watching && !as && !again) {
      this.notice('info', onlyPresenter);
      return false;
    }
    const { input, errors } = this.editor.read();
    if (Object.keys(errors).length > 0) {
      this.notice('error', 'The inputs have a mistake, marked below.');
      if (!as) this.editor.showFault();
      return false;
    }
    const silent = Boolean(as) || again;
    /** @type {Ran} */
    const ran = as ?? { n: (this.ran?.n ?? 0) + 1, texts: this.edit.edited ? { ...this.edit.texts } : null, device: this.deviceText };
    const control = /** @type {AbortController & {quiet?: boolean}} */ (new AbortController());
    this.running = control;
    let end = () => {};
    /** @type {Promise<void>} */
    this.ending = new Promise((done) => { end = done; });
    this.stopped = false;
    this.notice('info', watching ? 'Getting what the presenter ran …' : `Running on ${this.device} …`);
    this.refresh();
    if (!silent) this.tell();
    try {
      const reply = await this.ask(input, { signal: control.signal, fresh, at: as?.at, onProgress: (message) => this.onProgress(message) });
      this.running = null;
      if (!again) this.ran = this.good = { n: ran.n, texts: ran.texts, device: ran.device };
      this.accept(reply, input);
      if (!silent) this.edit.markRun();
      // A run that the page began itself leaves the address to the reader.
      if (asked) this.moved(false);
      else if (!silent) this.tell();
      return true;
    } catch (error) {
      this.running = null;
      if (!again && isResult(error)) this.ran = { before: this.good && { texts: this.good.texts, device: this.good.device }, ...ran };
      if (!control.quiet) this.fail(error, silent);
      if (!silent) this.tell();
      return false;
    } finally {
      end();
      this.refresh();
    }
  }

  /** Shows the results of a run. */
  accept(reply, input) {
    this.take(this.resultOf(reply));
    this.run = { id: reply.run ?? '', epoch: live.epoch };
    this.elapsed = reply.elapsed_ms ?? null;
    this.shownInput = encode(input);
    this.notice('', '');
    this.draw();
  }

  resultOf(reply) {
    return reply.trace;
  }

  onProgress({ note, done, total }) {
    this.notice('info', watching ? 'The presenter is running this …' : note ? `Running on ${this.device}: ${note}` : `Running on ${this.device} …`);
    set(this.progress, 'hidden', false);
    if (total > 0) {
      this.progress.max = total;
      this.progress.value = done ?? 0;
    } else {
      this.progress.removeAttribute('value');
    }
  }

  /** Says why a run failed. @param {any} error @param {boolean} [shown] it was somebody else's: the focus stays where it is */
  fail(error, shown = false) {
    if (error.code === 'cancelled') {
      this.stopped = true;
      this.notice('info', this.hasResult ? 'Stopped. The result below is the one before.' : 'Stopped.');
      return;
    }
    const message = asSentence(error.message);
    const next = asSentence(error.next);
    if (error.field && this.editor.showError(error.field, message, !shown)) {
      this.notice('error', 'The inputs have a mistake, marked below.', next);
      return;
    }
    const whole = error.field && error.field !== 'device' ? `${error.field}: ${message}` : message;
    const kept = this.hasResult && ofTheDevice.includes(error.code) ? ' The result below is the one before.' : '';
    this.notice('error', whole + kept, next, error.detail);
    // True until the connection is back.
    this.offline = error.code === 'offline';
  }
}

/** Codes of failures that say nothing of the inputs. */
export const ofTheDevice = ['device', 'fault', 'timeout', 'memory', 'compile'];

/** Who carried a step out: elementwise work and views never leave the host. */
function makerOf(device) {
  return device === 'host' ? 'on the host' : `on ${device}`;
}
