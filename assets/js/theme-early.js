/*
 * Puts in place what has to be there before the page is drawn: the reader's theme and
 * type size, so that a dark room stays dark, and that the place of a link is to be
 * opened first. A classic script in the head: a module would run after the first paint.
 */
if (/[?&]widget=/.test(location.search)) document.documentElement.dataset.opening = '';

try {
  for (const name of ['theme', 'size']) {
    const value = localStorage.getItem('wb:' + name);
    if (value) document.documentElement.dataset[name] = value;
  }
} catch (error) {
  // Storage is forbidden: the system's theme it is.
}
