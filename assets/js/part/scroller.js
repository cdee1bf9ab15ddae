/**
 * Boxes that are scrolled sideways: what is wanted is brought into sight inside
 * the box, without moving the page, and an edge that hides more is faded.
 * @module
 */
import { nearest } from '../model/window.js';
import { set } from './dom.js';

/**
 * Scrolls a box sideways, as little as it takes to show an element in it.
 * @param {HTMLElement} box
 * @param {HTMLElement} element
 */
export function uncover(box, element) {
  if (box.scrollWidth <= box.clientWidth) return;
  const zero = box.getBoundingClientRect().left + box.clientLeft - box.scrollLeft;
  const { left, right } = element.getBoundingClientRect();
  box.scrollLeft = nearest(box.scrollLeft, box.clientWidth, left - zero, right - zero);
}

/**
 * Acts once an element comes near to what is seen: what costs a page its opening can
 * wait until then.
 * @param {Element} element
 * @param {() => void} act
 */
export function whenNear(element, act) {
  const observer = new IntersectionObserver((entries) => {
    if (!entries.some((entry) => entry.isIntersecting)) return;
    observer.disconnect();
    act();
  }, { rootMargin: '50%' });
  observer.observe(element);
}

/**
 * Marks the sides at which a box hides more, for the style to fade: scroll bars
 * are invisible on a telephone.
 * @param {HTMLElement} box
 * @param {() => void} [onResize] also told when the box has another size
 * @returns {() => void} measures again, after the box's content changed
 */
export function fadeEdges(box, onResize) {
  const mark = () => {
    const before = box.scrollLeft > 1;
    const after = box.scrollLeft + box.clientWidth < box.scrollWidth - 1;
    const below = box.scrollTop + box.clientHeight < box.scrollHeight - 1;
    set(box, 'data-more', [before && 'left', after && 'right', below && 'below'].filter(Boolean).join(' ') || null);
  };
  box.addEventListener('scroll', mark, { passive: true });
  new ResizeObserver(() => {
    onResize?.();
    mark();
  }).observe(box);
  return mark;
}
