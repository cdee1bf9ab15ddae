/**
 * Makes elements. Data enters a page as text here and nowhere as markup.
 * @module
 */
import { asset } from './asset.js';

/**
 * @param {string} tag
 * @param {Record<string, any>} [attributes] true gives an empty attribute,
 *   false, null and undefined give none; a function is a listener for the event
 *   that is its name
 * @param {...(Node | string | null | undefined | false)} children
 * @returns {any} the element; any, since the tag decides its type
 */
export function el(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === 'function') element.addEventListener(name, value);
    else set(element, name, value);
  }
  element.append(...present(children));
  return element;
}

/** Sets or removes an attribute, as el takes it. */
export function set(element, name, value) {
  if (value === false || value === null || value === undefined) element.removeAttribute(name);
  else if (element.getAttribute(name) !== String(value === true ? '' : value)) {
    element.setAttribute(name, value === true ? '' : value);
  }
}

/** Replaces an element's text, and leaves it alone where it is the same. */
export function say(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/** Replaces an element's children. */
export function fill(element, ...children) {
  element.replaceChildren(...present(children));
}

function present(children) {
  return children.filter((child) => child !== null && child !== undefined && child !== false);
}

const svg = 'http://www.w3.org/2000/svg';
const controls = new URL(asset('icons/controls.svg')).pathname;

/**
 * An icon of icons/controls.svg. It says nothing to a screen reader: the button
 * it stands in has a name.
 * @param {string} name
 */
export function icon(name) {
  const image = document.createElementNS(svg, 'svg');
  image.setAttribute('class', 'icon');
  image.setAttribute('aria-hidden', 'true');
  const use = document.createElementNS(svg, 'use');
  use.setAttribute('href', `${controls}#${name}`);
  image.append(use);
  return image;
}

/** Changes the icon of an element made by icon. */
export function setIcon(image, name) {
  set(image.firstChild, 'href', `${controls}#${name}`);
}

let lastId = 0;

/** An id that no other element of the page has. */
export function freshId(word) {
  return `wb-${word}-${++lastId}`;
}
