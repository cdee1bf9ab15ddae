/*
 * Puts the reader's theme and type size in place before the page is drawn, so
 * that a dark room stays dark. A classic script in the head: a module would run
 * after the first paint.
 */
try {
  for (const name of ['theme', 'size']) {
    const value = localStorage.getItem('wb:' + name);
    if (value) document.documentElement.dataset[name] = value;
  }
} catch (error) {
  // Storage is forbidden: the system's theme it is.
}
