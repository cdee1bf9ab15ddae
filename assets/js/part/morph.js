/**
 * Makes an element what another one is, and leaves alone what is the same in both:
 * what has the focus keeps it, and what a reader has opened stays open.
 * @module
 */

/**
 * @param {Element} from of this page
 * @param {Element} to of any document; it is taken apart
 */
export function morph(from, to) {
  if (from.isEqualNode(to)) return;
  attributes(from, to);
  // What is in an element of our own is its own affair.
  if (!from.localName.includes('-')) children(from, to);
}

function attributes(from, to) {
  // Another key is another thing: then what the page was sent with counts again.
  const kept = from.localName === 'details' && from.dataset.key === to.dataset.key ? ['open'] : [];
  for (const { name } of [...from.attributes]) {
    if (!to.hasAttribute(name) && !kept.includes(name)) from.removeAttribute(name);
  }
  for (const { name, value } of to.attributes) {
    if (from.getAttribute(name) !== value && !kept.includes(name)) from.setAttribute(name, value);
  }
}

function children(from, to) {
  let at = from.firstChild;
  for (const wanted of [...to.childNodes]) {
    // Further down there may be one that fits: what is before it has gone.
    let same = at;
    while (same && !alike(same, wanted)) same = same.nextSibling;
    if (!same) {
      from.insertBefore(document.importNode(wanted, true), at);
      continue;
    }
    while (at !== same) at = drop(at);
    at = same.nextSibling;
    if (same.nodeType === Node.ELEMENT_NODE) morph(/** @type {Element} */ (same), wanted);
    else if (same.nodeValue !== wanted.nodeValue) same.nodeValue = wanted.nodeValue;
  }
  while (at) at = drop(at);
}

function drop(node) {
  const next = node.nextSibling;
  node.remove();
  return next;
}

/** Whether one can become the other. */
function alike(a, b) {
  if (a.nodeType !== b.nodeType) return false;
  if (a.nodeType !== Node.ELEMENT_NODE) return true;
  return a.localName === b.localName && a.id === b.id && a.className === b.className;
}
