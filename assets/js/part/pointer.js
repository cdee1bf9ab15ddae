/**
 * A presenter's pointer. Its place is one in the content, not on a screen: an element,
 * by the way to it from a widget or a block of the text, and where in the element's box.
 * So it points at the same number on a telephone and on a projector.
 * @module
 */
import { el } from './dom.js';
import { blocks } from './front.js';

/** Milliseconds after which a pointer that does not move is put away. */
const restsFor = 3000;

/** Elements on the way from a widget to what is pointed at. */
const deepest = 40;

/**
 * @typedef {{widget?: string, block?: number, path: number[], x: number, y: number}} Anchor x, y: in the element's box, 0 to 1
 */

/**
 * The place of what lies at a point of the window.
 * @param {number} x
 * @param {number} y
 * @returns {Anchor | null} null where there is no content
 */
export function anchorAt(x, y) {
  const element = document.elementFromPoint(x, y);
  const top = element?.closest('.prose > *, .prose [id]:is(.widget, wb-ladder)');
  if (!element || !top) return null;
  const path = [];
  for (let at = element; at !== top; at = /** @type {Element} */ (at.parentElement)) {
    path.unshift([.../** @type {Element} */ (at.parentElement).children].indexOf(at));
    if (path.length > deepest) return null;
  }
  const box = element.getBoundingClientRect();
  const part = (value, from, size) => Math.round((size > 0 ? Math.min(1, Math.max(0, (value - from) / size)) : 0.5) * 1e4) / 1e4;
  const place = { path, x: part(x, box.left, box.width), y: part(y, box.top, box.height) };
  return top.id && top.localName.startsWith('wb-') ? { widget: top.id, ...place } : { block: blocks().indexOf(top), ...place };
}

/**
 * Where an anchor is in this window.
 * @param {Anchor} anchor
 * @returns {{x: number, y: number} | null} null where its element is not there, or is not to be seen
 */
export function pointOf({ widget, block, path, x, y }) {
  let element = widget ? document.getElementById(widget) : blocks()[block ?? -1];
  for (const index of path ?? []) element = element?.children[index];
  if (!element || !(element.checkVisibility?.() ?? true)) return null;
  const box = element.getBoundingClientRect();
  if (box.width === 0 && box.height === 0) return null;
  const point = { x: box.left + x * box.width, y: box.top + y * box.height };
  // What a box that is scrolled hides is not pointed at.
  for (let around = element.parentElement; around && around !== document.body; around = around.parentElement) {
    if (around.scrollWidth <= around.clientWidth && around.scrollHeight <= around.clientHeight) continue;
    const { overflowX, overflowY } = getComputedStyle(around);
    const edge = around.getBoundingClientRect();
    if (overflowX !== 'visible' && (point.x < edge.left || point.x > edge.right)) return null;
    if (overflowY !== 'visible' && (point.y < edge.top || point.y > edge.bottom)) return null;
  }
  return point;
}

/** The dot that shows it. It says nothing to a screen reader. */
export class PointerDot {
  constructor() {
    this.element = el('div', { class: 'room-pointer', 'aria-hidden': 'true', hidden: true });
    document.body.append(this.element);
    for (const event of ['scroll', 'resize']) addEventListener(event, () => this.place(), { passive: true, capture: true });
  }

  /** @param {Anchor | null} anchor */
  show(anchor) {
    clearTimeout(this.timer);
    this.anchor = anchor;
    this.place();
    if (anchor) this.timer = setTimeout(() => this.hide(), restsFor);
  }

  hide() {
    this.show(null);
  }

  place() {
    const point = this.anchor ? pointOf(this.anchor) : null;
    this.element.hidden = !point;
    if (point) this.element.style.transform = `translate(${point.x}px, ${point.y}px)`;
  }
}
