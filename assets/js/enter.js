/*
 * Goes on from a presenter's link to the desk. The secret is taken out of the address
 * first, and the page out of the history: what is sent before a page has loaded takes
 * its place. So it is a classic script at the end of the body.
 */
(() => {
  const form = document.querySelector('form.enter');
  const enter = () => {
    history.replaceState(null, '', form.action);
    form.submit();
  };
  // A page that the browser made ready before anybody wanted it waits to be wanted.
  if (document.prerendering) document.addEventListener('prerenderingchange', enter, { once: true });
  else enter();
})();
