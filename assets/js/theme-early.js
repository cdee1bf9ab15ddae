/*
 * Puts in place what has to be there before the page is drawn: the reader's theme and
 * type size, so that a dark room stays dark, that the place of a link is to be opened
 * first, and what unfolds as long as no example lives. A classic script in the head: a
 * module would run after the first paint.
 */
if (/[?&]widget=/.test(location.search)) {
  document.documentElement.dataset.opening = '';
  // What fails leaves the page as the server wrote it.
  const end = () => { delete document.documentElement.dataset.opening; };
  for (const type of ['error', 'unhandledrejection']) addEventListener(type, end, { capture: true, once: true });
} else {
  // Any other page is there to be read before it lives.
  document.querySelector('script[blocking]')?.removeAttribute('blocking');
}

// To a browser with scripts, what the server folded up is text, so that it needs not be read for nothing.
addEventListener('toggle', ({ target }) => {
  const text = /** @type {Element} */ (target).querySelector?.(':scope > noscript');
  if (text) text.replaceWith(...new DOMParser().parseFromString(text.textContent ?? '', 'text/html').body.childNodes);
}, true);

try {
  for (const name of ['theme', 'size']) {
    const value = localStorage.getItem('wb:' + name);
    if (value) document.documentElement.dataset[name] = value;
  }
} catch (error) {
  // Storage is forbidden: the system's theme it is.
}

if ('opening' in document.documentElement.dataset && /^\/chapters\/./.test(location.pathname)) {
  // The place asks the workbench, which has greeted the page when its script comes.
  const socket = new WebSocket(`${location.origin.replace(/^http/, 'ws')}/live`);
  /** @type {string[]} */
  const heard = [];
  socket.onmessage = ({ data }) => heard.push(data);
  /** @type {any} */ (globalThis).wbBegun = { socket, heard };
}
