/*
 * Puts in place what has to be there before the page is drawn: the reader's theme and
 * type size, so that a dark room stays dark, and that the place of a link is to be
 * opened first. A classic script in the head: a module would run after the first paint.
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

try {
  for (const name of ['theme', 'size']) {
    const value = localStorage.getItem('wb:' + name);
    if (value) document.documentElement.dataset[name] = value;
  }
} catch (error) {
  // Storage is forbidden: the system's theme it is.
}
