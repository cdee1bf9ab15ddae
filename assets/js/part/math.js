/**
 * Formulas: TeX in <code class="tex">, made into MathML by Temml where the page
 * has it, and left as TeX where not.
 * @module
 */
import { bundleAddress, hasBundle, loadBundle } from './bundle.js';
import { el } from './dom.js';

/**
 * A formula for a page; it becomes MathML when it can.
 * @param {string} tex
 * @param {boolean} [display]
 */
export function formula(tex, display = false) {
  const code = el('code', { class: 'tex', 'data-display': display ? '1' : '0' }, tex);
  // The element is not in the page yet; upgrade replaces it in its parent.
  queueMicrotask(() => upgrade(code));
  return code;
}

/** Upgrades every formula inside an element, or the element itself. */
export async function upgrade(root) {
  if (!hasBundle) return;
  const codes = root.matches?.('code.tex') ? [root] : [...root.querySelectorAll('code.tex')];
  if (codes.length === 0) return;
  addStyle();
  const temml = (await loadBundle('temml.js'))?.default;
  if (!temml) return;
  for (const code of codes) render(temml, code);
}

function render(temml, code) {
  if (!code.isConnected) return;
  const display = code.dataset.display === '1';
  const target = el('span', { class: display ? 'formula formula-display' : 'formula' });
  try {
    // Temml sets styles through the object model, which the page's policy allows.
    temml.render(code.textContent, target, { displayMode: display, throwOnError: true, annotate: true });
  } catch (error) {
    code.title = `This formula cannot be drawn: ${error.message}`;
    return;
  }
  code.replaceWith(target);
  keepMark(target);
}

/** Keeps a comma or a full stop on the line of the formula before it. */
function keepMark(target) {
  const next = target.nextSibling;
  const mark = next?.nodeType === Node.TEXT_NODE ? /^[.,;:!?)\]]+/.exec(next.data)?.[0] : '';
  if (!mark) return;
  next.deleteData(0, mark.length);
  const line = el('span', { class: 'formula-line' });
  target.replaceWith(line);
  line.append(target, mark);
}

let styled = false;

function addStyle() {
  if (styled) return;
  styled = true;
  document.head.append(el('link', { rel: 'stylesheet', href: bundleAddress('temml.css') }));
}
