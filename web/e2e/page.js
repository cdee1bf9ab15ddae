// What the tests ask of a page. It runs before the page's own scripts and only
// reads; nothing here changes what a reader sees.
globalThis.e2e = (() => {
  /** The page's connection to the workbench, the newest. */
  let socket = null;
  globalThis.WebSocket = class extends WebSocket {
    constructor(...about) {
      super(...about);
      socket = this;
    }
  };

  let asked = 0;

  /** Asks the room something over the page's own connection, as its scripts would. It keeps what the room says. */
  const ask = (room) => new Promise((done, failed) => {
    const on = socket;
    const id = `e2e-${++asked}`;
    const heard = ({ data }) => {
      const message = JSON.parse(data);
      if (message.id !== id) return;
      on.removeEventListener('message', heard);
      if (message.type === 'error') failed(new Error(data));
      else done(message.room);
    };
    on.addEventListener('message', heard);
    on.addEventListener('close', () => failed(new Error('the connection was closed')));
    on.send(JSON.stringify({ v: 1, type: 'room', id, room }));
  });

  const selector = 'wb-product, wb-reduction, wb-view, wb-decoder, wb-comparison, wb-boundary, wb-contracts, wb-kernel, wb-tiles, wb-ladder';
  const words = (element) => (element?.textContent ?? '').replace(/\s+/g, ' ').trim();
  const shown = (element) => Boolean(element?.checkVisibility({ visibilityProperty: true }));
  const widget = (id) => document.getElementById(id);
  const find = (id, css) => widget(id)?.querySelector(`.widget-live ${css}`) ?? null;

  /** Whether every example on the page lives. */
  const ready = () => document.readyState === 'complete' &&
    [...document.querySelectorAll(selector)].every((one) => one.querySelector('.widget-live'));

  /** The data that the server sent with an example. */
  const data = (id) => JSON.parse(widget(id).querySelector('script.widget-data').textContent);

  /** The sentence of an element as its step's title has it, with the value first as in the panel of the cell. */
  const turned = (title) => {
    const [, sum, value] = /^[^=]*\] = (.*) = (\S+)$/.exec(title) ?? [];
    return sum ? `${value} = ${sum}` : '';
  };

  /** Where an example stands, as its reader sees it. */
  const state = (id) => {
    // The page counts steps from 0, the tests say the first, the second.
    const [step, steps] = (words(find(id, '.step-count')).match(/^step (\d+) of 0–(\d+)$/) ?? []).slice(1).map((n) => Number(n) + 1);
    return {
      step, steps,
      title: words(find(id, '.step-title')),
      sentence: words(find(id, '.cell-sentence')) || turned(words(find(id, '.step-title'))),
      flat: words(find(id, '.cell-flat')),
      verdict: words(find(id, '.verdict-word')),
      notice: words(find(id, '.notice')),
      made: words(find(id, '.made-by')),
      device: find(id, '.device-select')?.value ?? '',
      stale: find(id, '')?.dataset.stale === 'true',
      running: shown(find(id, '.stop')),
      loss: words(find(id, '.loss')),
      url: location.pathname + location.search + location.hash,
    };
  };

  /** A table's cells, row by row, without its headers. */
  const cells = (table) => [...table.tBodies].flatMap((body) => [...body.rows])
    .map((row) => [...row.cells].filter((cell) => cell.tagName === 'TD').map(words));

  /** The tensors on an example's stage: what each is called and shows. */
  const grids = (id) => [...widget(id).querySelectorAll('.widget-live table.grid')].filter(shown).map((table) => {
    const rows = [...table.tBodies[0].rows].map((row) => [...row.querySelectorAll('[role=gridcell]')]);
    const at = (test) => rows.flatMap((row, i) => row.flatMap((cell, j) => (test(cell) ? [`${i},${j}`] : [])));
    return {
      name: words(table.caption), cells: rows.map((row) => row.map(words)),
      selected: at((cell) => cell.classList.contains('selected')),
      operands: at((cell) => cell.classList.contains('operand')),
    };
  });

  /** The products and the running sums of the element that is chosen. */
  const terms = (id) => {
    const table = find(id, 'table.terms');
    return table ? cells(table) : [];
  };

  /** The field of an example's form that has that label. */
  const field = (id, label) =>
    [...widget(id).querySelectorAll('.edit label')].find((one) => words(one) === label)?.control ?? null;

  /** What the form says is wrong with that field. */
  const mistake = (id, label) => field(id, label).getAttribute('aria-describedby')?.split(' ')
    .map((part) => document.getElementById(part)).filter((part) => part?.matches('.field-error') && shown(part)).map(words).join(' ') ?? '';

  /** Whether a kernel runs no more and shows the step that it is at. */
  const atRest = (id) => {
    const one = widget(id);
    return !one.running && !one.seeking && (!one.tape || one.moment?.step === one.stepper.index && !find(id, '.stage[aria-busy]'));
  };

  /** Whether an example shows all that it is to show, whatever it is. */
  const rests = (id) => {
    const one = widget(id);
    return Boolean(find(id, '')) && !one.running && !one.seeking && !one.task && !one.coming && !find(id, '[aria-busy="true"]') &&
      (!one.tape || one.moment?.step === one.stepper.index && (!find(id, '.shared:not([hidden])') || one.shared.tape === one.tape && Boolean(one.shared.block)));
  };

  /**
   * What is read of an example, but for what its reader does with it and for how long something
   * took: in a lesson the same on every page.
   */
  const reads = (id) => {
    const parts = [];
    const rejected = 'button, details, dialog, [popover], .source-box, .notice, .made-by, .unseen, .lesson-note, .edit-hint';
    // Of a picture its label is read; it is drawn when it comes into sight.
    const read = (node) => !node.matches?.(rejected) && !node.parentElement?.closest('[role=img]');
    // What was measured elsewhere came with the page.
    const whole = widget(id).querySelector('figure.measurements') ?? find(id, '');
    const walker = document.createTreeWalker(whole, NodeFilter.SHOW_ALL, (node) => (read(node) ? NodeFilter.FILTER_ACCEPT : NodeFilter.FILTER_REJECT));
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      if (node.matches?.('[role=img]')) parts.push(node.getAttribute('aria-label') ?? '');
      else if (node.nodeType === Node.TEXT_NODE) {
        if (shown(node.parentElement)) parts.push(node.data);
      } else if (node.matches?.('input, select, textarea') && shown(node)) parts.push(`[${node.type === 'checkbox' ? node.checked : node.value}]`);
    }
    const { device, step, title } = state(id);
    return {
      device, step, title, text: parts.join(' ').replace(/\s+/g, ' ').trim(),
      source: widget(id).source?.text ?? '', texts: widget(id).edit?.texts ?? {},
      marked: [...find(id, '').querySelectorAll('.selected, .operand, [aria-selected=true], [data-owner]')].map((one) => `${one.className} ${one.dataset.owner ?? ''}`),
    };
  };

  /** A kernel's recorded block at its step, what was found wrong, and its source. */
  const kernel = (id) => {
    const one = widget(id);
    const box = find(id, '.source-box');
    const rich = box.querySelector('.source-rich')?.shadowRoot;
    // CodeMirror has its lines in order, the plain area a number beside each.
    const lines = (css) => (rich
      ? [...rich.querySelectorAll('.cm-line')].flatMap((line, at) => (line.classList.contains(`line-${css}`) ? [at + 1] : []))
      : [...box.querySelectorAll(`.source-line.${css === 'now' ? 'now' : `has-${css}`}`)].map((line) => Number(line.dataset.line)));
    const table = (css) => [...one.querySelectorAll(`.widget-live ${css} tbody tr`)].map((row) => [...row.cells].map(words));
    return {
      step: words(find(id, '.step-count')), title: words(find(id, '.step-title')),
      warps: [...one.querySelectorAll('.warp')].map((warp) => warp.getAttribute('aria-label')),
      // Columns that other steps have more than this one are empty.
      lanes: table('table.lanes').map((row) => row.slice(0, row.findLastIndex(Boolean) + 1)), shared: table('.shared-grid'),
      owners: [...one.querySelectorAll('.shared-grid [role=gridcell]')].map((cell) => cell.dataset.owner ?? ''),
      now: lines('now'), faults: lines('fault'),
      reports: [...one.querySelectorAll('.findings .report')].map(words),
      verdict: words(find(id, '.findings .kernel-verdict')),
      source: one.source.text,
    };
  };

  /** The example that holds the focus, and what in it does. */
  const focus = () => {
    const element = document.activeElement;
    return {
      widget: element?.closest(selector)?.id ?? '',
      tag: element?.tagName ?? '', class: element?.className ?? '', role: element?.getAttribute('role') ?? '',
      caption: words(element?.closest('table')?.caption), text: words(element), id: element?.id ?? '',
    };
  };

  /** A colour as red, green, blue and alpha, whatever it is written in. */
  const brush = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
  const known = new Map();
  const channels = (colour) => {
    if (!known.has(colour)) {
      brush.clearRect(0, 0, 1, 1);
      brush.fillStyle = colour;
      brush.fillRect(0, 0, 1, 1);
      const [r, g, b, a] = brush.getImageData(0, 0, 1, 1).data;
      known.set(colour, [r, g, b, a / 255]);
    }
    return known.get(colour);
  };
  const over = ([r, g, b, a], under) => [r, g, b].map((x, i) => x * a + under[i] * (1 - a));
  const luminance = (rgb) => {
    const [r, g, b] = rgb.map((x) => (x / 255 <= 0.04045 ? x / 255 / 12.92 : ((x / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };

  /** The contrast of a text with the backgrounds below it, the nearest first (WCAG 2.2). */
  const ratio = (text, backs) => {
    const back = backs.reduceRight((under, colour) => over(channels(colour), under), [255, 255, 255]);
    const [a, b] = [luminance(over(channels(text), back)), luminance(back)];
    return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
  };

  /** The texts that have too little contrast, of all that an element has, and how much they have. */
  const contrast = (of = document.body) => {
    const faults = new Map();
    const walker = document.createTreeWalker(of, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const element = node.parentElement;
      // What cannot be used yet is meant to be pale (1.4.3, inactive components).
      if (!node.textContent.trim() || !shown(element) || element.closest('[aria-disabled=true], :disabled, script, style, svg')) continue;
      const style = getComputedStyle(element);
      const size = parseFloat(style.fontSize);
      const large = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
      const backs = [];
      let opacity = 1;
      for (let one = element; one; one = one.parentElement) {
        const { backgroundColor, opacity: part } = getComputedStyle(one);
        backs.push(backgroundColor);
        opacity *= Number(part);
      }
      const [r, g, b, a] = channels(style.color);
      const found = ratio(`rgba(${r}, ${g}, ${b}, ${a * opacity})`, backs);
      if (found >= (large ? 3 : 4.5)) continue;
      const where = `${element.tagName.toLowerCase()}.${element.className} of ${element.parentElement.className}`;
      if (!faults.has(where)) faults.set(where, `“${words(element).slice(0, 40)}” (${where}) has a contrast of ${found.toFixed(2)}: ${style.color} on ${backs.find((back) => channels(back)[3] > 0)}`);
    }
    return [...faults.values()];
  };

  /** Whether the system has a font: its widths then differ from both of two others. */
  const installed = (font) => {
    const measure = document.createElement('canvas').getContext('2d');
    return ['monospace', 'serif'].some((other) => {
      const width = (family) => {
        measure.font = `40px ${family}`;
        return measure.measureText('mwiQ0∑').width;
      };
      return width(`"${font}", ${other}`) !== width(other);
    });
  };

  /**
   * From now on, what a screen reader says without being asked: which of the page's live regions
   * spoke, and what.
   */
  const heard = [];
  const listen = () => Boolean(new MutationObserver((changes) => {
    for (const region of new Set(changes.map(({ target }) => (target.closest ? target : target.parentElement)?.closest('[role=status], [role=alert], [role=log], [aria-live]')))) {
      // An example tells of itself where its reader steps it.
      if (region && !region.closest('.prose') && region.getAttribute('aria-live') !== 'off' && words(region)) heard.push({ region: region.className || region.id, text: words(region) });
    }
  }).observe(document.body, { subtree: true, childList: true, characterData: true }) ?? true);

  return { ask, heard, listen, installed, ratio, contrast, selector, words, shown, widget, find, ready, data, state, cells, grids, terms, field, mistake, atRest, rests, reads, kernel, focus };
})();
