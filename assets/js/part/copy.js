/**
 * A button that copies what stands beside it: <wb-copy text="./course run">. It is
 * empty until a script runs, since without one it could do nothing.
 * @module
 */
import { el, say } from './dom.js';

/** Milliseconds for which the button says what it did. */
const saidFor = 2000;

class Copy extends HTMLElement {
  connectedCallback() {
    if (this.firstChild) return;
    this.button = el('button', { type: 'button', class: 'copy', click: () => this.copy() }, 'Copy');
    this.said = el('span', { class: 'copied', role: 'status' });
    this.append(this.button, this.said);
    this.button.setAttribute('aria-label', `Copy ${this.text}`);
  }

  get text() {
    return this.getAttribute('text') ?? '';
  }

  async copy() {
    clearTimeout(this.timer);
    try {
      await navigator.clipboard.writeText(this.text);
      say(this.said, 'Copied');
    } catch {
      // Without a clipboard, which only localhost and https have, it is chosen
      // for the reader's own keys.
      const code = this.parentElement?.querySelector('code');
      if (code) getSelection()?.selectAllChildren(code);
      say(this.said, 'Chosen: copy it with Ctrl-C');
    }
    this.timer = setTimeout(() => say(this.said, ''), saidFor);
  }
}

customElements.define('wb-copy', Copy);
