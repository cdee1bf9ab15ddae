/**
 * Boxes that are scrolled sideways: what is wanted is brought into sight inside
 * the box, without moving the page, and an edge that hides more is faded.
 * @module
 */
import { nearest } from '../model/window.js';
import { set } from './dom.js';
import { opened } from './opening.js';

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
  opened.then(() => observer.observe(element));
}

/**
 * Marks the sides at which a box hides more, for the style to fade: scroll bars
 * are invisible on a telephone. What is in the box is watched, so that it is measured
 * when the browser has laid it out anyway.
 * @param {HTMLElement} box
 * @param {() => void} [onResize] also told when the box has another size
 */
export function fadeEdges(box, onResize) {
  const mark = () => {
    const before = box.scrollLeft > 1;
    const after = box.scrollLeft + box.clientWidth < box.scrollWidth - 1;
    const below = box.scrollTop + box.clientHeight < box.scrollHeight - 1;
    set(box, 'data-more', [before && 'left', after && 'right', below && 'below'].filter(Boolean).join(' ') || null);
  };
  box.addEventListener('scroll', mark, { passive: true });
  const sizes = new ResizeObserver((entries) => {
    if (entries.some(({ target }) => target === box)) onResize?.();
    mark();
  });
  sizes.observe(box);
  for (const child of box.children) sizes.observe(child);
  new MutationObserver((changes) => {
    for (const { addedNodes, removedNodes } of changes) {
      for (const node of removedNodes) if (node instanceof Element) sizes.unobserve(node);
      for (const node of addedNodes) if (node instanceof Element && node.parentNode === box) sizes.observe(node);
    }
  }).observe(box, { childList: true });
}
