/**
 * Light or dark, and the size of the type: the system's until a reader chooses,
 * then the reader's on every page. theme-early.js puts the choice in place
 * before the page is drawn.
 * @module
 */
import { el, icon, set } from './dom.js';
import { storage } from './page.js';

const themes = ['auto', 'light', 'dark'];
const sizes = ['normal', 'large'];

/** Adds the two buttons to the page's header. */
export function addThemeControls(header) {
  const theme = cycle('theme', themes, (value) => `Theme: ${value === 'auto' ? 'as the system' : value}`, icon('theme'));
  const size = cycle('size', sizes, (value) => `Type: ${value}`, el('span', { 'aria-hidden': 'true' }, 'A'), el('span', { class: 'large', 'aria-hidden': 'true' }, 'A'));
  header.append(el('div', { class: 'page-tools' }, size, theme));
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', announce);
}

function cycle(name, values, text, ...content) {
  const root = document.documentElement;
  const button = el('button', { type: 'button', class: `tool tool-${name}` }, ...content);
  const show = (value) => {
    set(button, 'aria-label', text(value));
    set(button, 'title', text(value));
  };
  button.addEventListener('click', () => {
    const now = root.dataset[name] ?? values[0];
    const next = values[(values.indexOf(now) + 1) % values.length];
    if (next === values[0]) delete root.dataset[name];
    else root.dataset[name] = next;
    try {
      if (next === values[0]) storage?.removeItem(`wb:${name}`);
      else storage?.setItem(`wb:${name}`, next);
    } catch {
      // The choice then lasts as long as the page.
    }
    show(next);
    announce();
  });
  show(root.dataset[name] ?? values[0]);
  return button;
}

function announce() {
  document.dispatchEvent(new Event('wb-theme'));
}
