/**
 * A source as it is edited: lines with numbers, marks beside them, the line where a
 * step stands. CodeMirror where the page has it, in a shadow root, since its styles
 * would be against the page's policy elsewhere; a plain text area without, and until
 * it has come. Both are as high as each other, so that nothing jumps.
 * @module
 */
import { loadBundle } from './bundle.js';
import { el, fill, set } from './dom.js';
import { watching } from './page.js';
import { whenNear } from './scroller.js';

/**
 * @typedef {{line: number, kind: string, text: string}} Mark kind: "fault", "warning" or "note"
 */

/** Lines that are seen at once, at least and at most. */
const shown = { least: 10, most: 34 };

/** The sign of a mark, for who sees no colour. */
const signs = { fault: '✗', warning: '!', note: 'i' };

export class SourceEditor {
  /**
   * @param {object} options
   * @param {string} options.text
   * @param {string} options.label
   * @param {(text: string) => void} options.onChange typed by the reader
   * @param {() => void} options.onRun
   * @param {(mark: Mark) => void} options.onMark a mark was chosen
   * @param {() => void} options.onLeave by Escape
   */
  constructor({ text, label, onChange, onRun, onMark, onLeave }) {
    Object.assign(this, { onChange, onRun, onMark, onLeave });
    /** @type {Map<number, Mark>} the worst of each line */
    this.marks = new Map();
    this.now = 0;
    this.pale = false;
    this.gutter = el('div', { class: 'source-gutter', 'aria-hidden': 'true', click: (event) => this.onGutter(event) });
    this.area = el('textarea', {
      class: 'source-area', wrap: 'off', spellcheck: 'false', autocapitalize: 'off', autocomplete: 'off', 'aria-label': label,
      input: () => {
        this.number();
        onChange(this.area.value);
      },
      scroll: () => this.together(),
      keydown: (event) => this.onKey(event), readonly: watching,
    });
    this.area.value = text;
    this.plain = el('div', { class: 'source-plain' }, this.gutter, this.area);
    this.element = el('div', { class: 'source-box own-keys' }, this.plain);
    this.number();
    this.label = label;
    whenNear(this.element, () => loadBundle('codemirror.js').then((bundle) => bundle && this.enrich(bundle)));
  }

  onKey(event) {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      this.onRun();
    } else if (event.key === 'Escape' && !event.isComposing) this.onLeave();
  }

  onGutter(event) {
    const mark = this.marks.get(Number(event.target.closest?.('[data-line]')?.dataset.line));
    if (mark) this.onMark(mark);
  }

  get text() {
    return this.view ? this.view.state.doc.toString() : this.area.value;
  }

  /** Shows another text than the reader typed. */
  set text(text) {
    if (text === this.text) return;
    if (this.view) {
      // Only what is other, so that the cursor and what is in sight stay where they are.
      const { from, to, insert } = difference(this.text, text);
      this.setting = true;
      this.view.dispatch({ changes: { from, to, insert } });
      this.setting = false;
      return;
    }
    this.area.value = text;
    this.number();
  }

  /** The line that the cursor is in, from 1. */
  get line() {
    if (this.view) return this.view.state.doc.lineAt(this.view.state.selection.main.head).number;
    return this.area.value.slice(0, this.area.selectionStart).split('\n').length;
  }

  /**
   * Shows where a step stands and what was found.
   * @param {number} now the line, 0 for none
   * @param {Mark[]} marks
   * @param {boolean} pale they are of an earlier text
   */
  annotate(now, marks, pale) {
    const worst = new Map();
    for (const mark of marks) {
      if (mark.line > 0 && (!worst.has(mark.line) || mark.kind === 'fault')) worst.set(mark.line, mark);
    }
    const same = now === this.now && pale === this.pale && worst.size === this.marks.size &&
      [...worst].every(([line, mark]) => this.marks.get(line)?.text === mark.text);
    if (same) return;
    const moved = now !== this.now;
    Object.assign(this, { now, pale, marks: worst });
    set(this.element, 'data-pale', pale);
    if (this.view) this.view.dispatch({ effects: this.annotated.of(null) });
    else this.number();
    // Where the line is, the browser knows once it has laid the page out.
    if (moved) requestAnimationFrame(() => this.follow());
  }

  /** Keeps the line of the step in sight, in the box alone: the page stays. */
  follow() {
    if (this.now === 0) return;
    if (this.view) {
      const { doc } = this.view.state;
      if (this.now > doc.lines) return;
      const block = this.view.lineBlockAt(doc.line(this.now).from);
      scrollTo(this.view.scrollDOM, block.top, block.height);
    } else {
      const height = this.area.scrollHeight / Math.max(1, this.area.value.split('\n').length);
      scrollTo(this.area, (this.now - 1) * height, height);
    }
  }

  /** Puts the cursor into a line. */
  go(line, column = 1) {
    if (this.view) {
      const { doc } = this.view.state;
      const at = doc.line(Math.min(Math.max(1, line), doc.lines));
      const anchor = Math.min(at.to, at.from + Math.max(0, column - 1));
      this.view.dispatch({ selection: { anchor }, scrollIntoView: true });
      this.view.focus();
      return;
    }
    const lines = this.area.value.split('\n');
    const from = lines.slice(0, line - 1).reduce((at, text) => at + text.length + 1, 0) + Math.max(0, column - 1);
    this.area.focus();
    this.area.setSelectionRange(from, from);
    const height = this.area.scrollHeight / lines.length;
    scrollTo(this.area, (line - 1) * height, height);
  }

  /** Numbers the lines of the plain area, with their marks. */
  number() {
    const count = this.area.value.split('\n').length;
    this.size(count);
    if (this.view) return;
    fill(this.gutter, ...Array.from({ length: count }, (_, at) => {
      const mark = this.marks.get(at + 1);
      return el('div', {
        class: ['source-line', at + 1 === this.now && 'now', mark && `has-${mark.kind}`].filter(Boolean).join(' '),
        'data-line': String(at + 1), title: mark?.text,
      }, `${mark ? signs[mark.kind] ?? '!' : at + 1 === this.now ? '▶' : ' '} ${at + 1}`);
    }));
    this.element.style.setProperty('--now-line', String(this.now));
    set(this.element, 'data-now', this.now > 0);
    if (this.scrolled) this.together();
  }

  /** Scrolls the numbers as far as the text. */
  together() {
    this.scrolled = true;
    this.gutter.scrollTop = this.area.scrollTop;
  }

  size(count) {
    const lines = Math.min(shown.most, Math.max(shown.least, count + 1));
    if (lines === this.lines) return;
    this.lines = lines;
    this.element.style.setProperty('--lines', String(lines));
  }

  /** Puts CodeMirror in the place of the plain area. */
  enrich(cm) {
    const { EditorState, EditorView, StateEffect, StateField, Decoration, GutterMarker, RangeSet } = cm;
    const focused = document.activeElement === this.area;
    const head = this.area.selectionStart;
    this.annotated = StateEffect.define();

    const editor = this;
    class Sign extends GutterMarker {
      constructor(kind, text) {
        super();
        Object.assign(this, { kind, text });
      }

      eq(other) {
        return other.kind === this.kind && other.text === this.text;
      }

      toDOM() {
        const sign = el('span', { class: `sign sign-${this.kind}`, title: this.text }, signs[this.kind] ?? '▶');
        return sign;
      }
    }
    /** Each is built anew when what it says has changed, and follows the text until then. */
    const field = (build) => StateField.define({
      create: (state) => build(state),
      update: (value, transaction) => (transaction.effects.some((e) => e.is(this.annotated)) ? build(transaction.state) : value.map(transaction.changes)),
    });
    const inside = (state, line) => line >= 1 && line <= state.doc.lines;
    const decorations = field((state) => {
      const ranges = [];
      if (inside(state, editor.now)) ranges.push(Decoration.line({ class: 'line-now', attributes: { 'aria-current': 'step' } }).range(state.doc.line(editor.now).from));
      for (const [line, { kind }] of editor.marks) {
        if (inside(state, line)) ranges.push(Decoration.line({ class: `line-${kind}` }).range(state.doc.line(line).from));
      }
      return RangeSet.of(ranges, true);
    });
    const gutterSigns = field((state) => {
      const ranges = [];
      for (const [line, { kind, text }] of editor.marks) {
        if (inside(state, line)) ranges.push(new Sign(kind, text).range(state.doc.line(line).from));
      }
      if (inside(state, editor.now) && !editor.marks.has(editor.now)) ranges.push(new Sign('now', 'the step is here').range(state.doc.line(editor.now).from));
      return RangeSet.of(ranges, true);
    });

    const host = el('div', { class: 'source-rich' });
    const root = host.attachShadow({ mode: 'open' });
    const state = EditorState.create({
      doc: this.area.value,
      selection: { anchor: Math.min(head, this.area.value.length) },
      extensions: [
        cm.keymap.of([{ key: 'Mod-Enter', run: () => { this.onRun(); return true; } }]),
        cm.gutter({
          class: 'signs',
          markers: (view) => view.state.field(gutterSigns),
          initialSpacer: () => new Sign('now', ''),
          domEventHandlers: {
            click: (view, block) => {
              const mark = this.marks.get(view.state.doc.lineAt(block.from).number);
              if (mark) this.onMark(mark);
              return Boolean(mark);
            },
          },
        }),
        cm.lineNumbers(), cm.history(), cm.drawSelection(), cm.indentOnInput(), cm.bracketMatching(), cm.highlightSelectionMatches(),
        cm.indentUnit.of('\t'), EditorState.tabSize.of(4), cm.cpp(), cm.syntaxHighlighting(highlight(cm)), cudaWords(cm),
        // Tab leaves the editor, as it leaves every other field: who has no mouse must get on.
        // And Escape, where the editor has nothing to close.
        cm.keymap.of([...cm.defaultKeymap, ...cm.historyKeymap, ...cm.searchKeymap, { key: 'Escape', run: () => { this.onLeave(); return true; } }]),
        EditorState.readOnly.of(watching),
        EditorView.contentAttributes.of({ 'aria-label': this.label, spellcheck: 'false', autocapitalize: 'off' }),
        decorations, EditorView.decorations.from(decorations), gutterSigns, look(EditorView),
        EditorView.updateListener.of((update) => {
          if (!update.docChanged) return;
          this.size(update.state.doc.lines);
          if (!this.setting) this.onChange(update.state.doc.toString());
        }),
      ],
    });
    this.view = new EditorView({ state, parent: root, root });
    this.size(state.doc.lines);
    this.plain.replaceWith(host);
    if (focused) this.view.focus();
    this.follow();
  }

  focus() {
    if (this.view) this.view.focus();
    else this.area.focus();
  }
}

/** The stretch of a text in which another one differs. */
function difference(text, other) {
  const most = Math.min(text.length, other.length);
  let from = 0;
  while (from < most && text[from] === other[from]) from++;
  let same = 0;
  while (same < most - from && text[text.length - 1 - same] === other[other.length - 1 - same]) same++;
  return { from, to: text.length - same, insert: other.slice(from, other.length - same) };
}

/** Scrolls a box down or up, as little as it takes, with two lines to spare. */
function scrollTo(box, top, height) {
  const spare = 2 * height;
  if (top - spare < box.scrollTop) box.scrollTop = Math.max(0, top - spare);
  else if (top + height + spare > box.scrollTop + box.clientHeight) box.scrollTop = top + height + spare - box.clientHeight;
}

/** Words that CUDA adds to C++. */
const cuda = /\b(?:__(?:global|device|host|shared|constant|managed|restrict|noinline|forceinline|launch_bounds)__|threadIdx|blockIdx|blockDim|gridDim|warpSize|__(?:syncthreads|syncwarp|threadfence|shfl|ballot|any|all|activemask|popc|ffs|fmaf|ldg)\w*|atomic[A-Z]\w*|dim3|(?:float|double|int|uint|char|uchar|short|ushort|long|ulong)[1-4])\b/g;

function cudaWords({ MatchDecorator, ViewPlugin, Decoration }) {
  const words = new MatchDecorator({ regexp: cuda, decoration: Decoration.mark({ class: 'cuda-word' }) });
  return ViewPlugin.define((view) => ({
    decorations: words.createDeco(view),
    update(update) {
      this.decorations = words.updateDeco(update, this.decorations);
    },
  }), { decorations: (plugin) => plugin.decorations });
}

/** Colours by the page's own, which are of both themes. */
function highlight({ HighlightStyle, tags }) {
  return HighlightStyle.define([
    { tag: [tags.comment], color: 'var(--text-muted)', fontStyle: 'italic' },
    { tag: [tags.keyword, tags.modifier, tags.controlKeyword, tags.definitionKeyword], color: 'var(--accent)', fontWeight: '600' },
    { tag: [tags.typeName, tags.standard(tags.typeName)], color: 'var(--good)' },
    { tag: [tags.number, tags.bool, tags.string, tags.character], color: 'var(--bad)' },
    { tag: [tags.processingInstruction, tags.meta], color: 'var(--right-strong)' },
  ]);
}

function look(EditorView) {
  return EditorView.theme({
    '&': { height: 'calc(var(--lines) * var(--line-height) + 0.8rem)', backgroundColor: 'transparent', color: 'var(--text)', fontSize: 'var(--code-size)' },
    '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: 'var(--line-height)', overflow: 'auto' },
    '.cm-content': { padding: '0.4rem 0', caretColor: 'var(--text)' },
    '.cm-line': { padding: '0 0.6rem 0 0.3rem' },
    '.cm-cursor': { borderLeftColor: 'var(--text)' },
    '&.cm-focused': { outline: 'none' },
    '.cm-selectionBackground, &.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground': { backgroundColor: 'var(--left)' },
    '.cm-gutters': { backgroundColor: 'var(--sunken)', color: 'var(--text-muted)', border: 'none', borderRight: '1px solid var(--line)' },
    '.cm-gutter.signs': { minWidth: '1.4em', textAlign: 'center' },
    '.sign': { cursor: 'pointer', fontWeight: '700' },
    '.sign-fault': { color: 'var(--bad)' },
    '.sign-warning': { color: 'var(--warn-strong)' },
    '.sign-now': { color: 'var(--chosen-strong)', cursor: 'default' },
    '.line-fault': { backgroundColor: 'var(--bad-soft)' },
    '.line-warning': { backgroundColor: 'var(--warn-soft)' },
    '.line-now': { backgroundColor: 'var(--chosen)', boxShadow: 'inset 0.2rem 0 0 var(--chosen-strong)' },
    '.cuda-word, .cuda-word *': { color: 'var(--series-2)', fontWeight: '600' },
    '.cm-matchingBracket, &.cm-focused .cm-matchingBracket': { backgroundColor: 'var(--warn-soft)', outline: '1px solid var(--line-strong)' },
    '.cm-panels': { backgroundColor: 'var(--sunken)', color: 'var(--text)' },
  });
}
