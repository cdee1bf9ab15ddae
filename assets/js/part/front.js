/**
 * What is in front: the widget or the block of the text that a presenter shows.
 * @module
 */
import { el } from './dom.js';

/** How far down what is in front may begin, of the height of the window, without being scrolled to. */
const near = 0.3;

/** @typedef {import('../model/room.js').At} At */

/** What the text is made of. */
const ofText = '.prose > *';

/** The same, top to bottom. */
export function blocks() {
  return [...document.querySelectorAll(ofText)];
}

/** @param {At | null | undefined} at @returns {Element | null} */
export function frontOf(at) {
  if (at?.widget) return document.getElementById(at.widget);
  return at?.block === undefined ? null : blocks()[at.block] ?? null;
}

/** What a reader of this window has before them. @returns {At | null} */
export function seen() {
  const line = innerHeight * near;
  const all = blocks();
  const shown = all.filter((block) => block.checkVisibility?.() ?? true);
  const at = shown.find((block) => block.getBoundingClientRect().bottom > line);
  if (!at) return null;
  return at.id && at.localName.startsWith('wb-') ? { widget: at.id } : { block: all.indexOf(at) };
}

/**
 * Brings it into sight, where it is not yet.
 * @param {Element} element
 */
export function reach(element) {
  const { top } = element.getBoundingClientRect();
  if (top >= 0 && top <= innerHeight * near) return;
  const calm = matchMedia('(prefers-reduced-motion: reduce)').matches || document.visibilityState === 'hidden';
  element.scrollIntoView({ block: 'start', behavior: calm ? 'instant' : 'smooth' });
}

/** A chapter's title, as the list of them has it. @param {string} slug */
export function titleOf(slug) {
  const link = document.querySelector(`.chapter-nav a[href$="/${CSS.escape(slug)}"]`);
  return link?.textContent ?? slug;
}

/** Characters of a widget's title that a sentence has room for. */
const longest = 60;

/** How a widget's title begins, where it is on this page. @param {string} id */
export function captionOf(id) {
  const text = document.getElementById(id)?.querySelector('figcaption, .widget-title')?.textContent?.trim() ?? '';
  const first = text.replace(/[.:;](\s.*)?$/s, '');
  return first.length > longest ? `${first.slice(0, longest).replace(/\s+\S*$/, '')} …` : first;
}

/** Where the lesson is, in words. @param {{chapter: string, widget: string, step?: number}} lesson @param {string} chapter of this page */
export function whereabouts({ chapter, widget, step }, chapter_) {
  const here = chapter === chapter_;
  const parts = [here ? '' : titleOf(chapter), here ? captionOf(widget) : '', widget && step !== undefined ? `step ${step}` : ''];
  return parts.filter(Boolean).join(', ') || (here ? 'this chapter' : '');
}

/** A key, as it is written beside what it does. @param {string} key */
export const keyMark = (key) => el('kbd', { 'aria-hidden': 'true' }, key);
