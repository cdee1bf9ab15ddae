/**
 * The address of a step: which widget a reader looks at, at which step, with
 * which cell chosen and on which device.
 *
 *     /chapters/one-product?widget=first&step=3&cell=0,0,1&device=cpu,fused#first
 *
 * What cannot be read is left out, never guessed.
 * @module
 */

/**
 * What a widget needs to show the same thing again. Step counts from 0; cell is
 * "batch,row,column". In a comparison, cell is a coordinate such as
 * "logits[0,1,40]" and device both devices with a space between. Of a kernel,
 * block and thread are indices such as "1,0,0", phase is a number or "all", and
 * view what of it is looked at: of a kernel a part of it such as "lanes" or "launch",
 * of tiles what the marks say, of a ladder the product, "1024,float32".
 * @typedef {{step?: number, cell?: string, device?: string, block?: string, thread?: string, phase?: string, view?: string}} Place
 */

/** Those that are texts; what they name, a widget checks. */
const texts = /** @type {const} */ (['cell', 'block', 'thread', 'phase', 'view', 'device']);
const names = ['widget', 'step', ...texts];

/**
 * Reads the query of an address.
 * @param {string} search "?widget=…"
 * @returns {Place & {widget?: string}}
 */
export function parseLink(search) {
  const query = new URLSearchParams(search);
  const widget = query.get('widget');
  if (!widget) return {};
  /** @type {Place & {widget: string}} */
  const link = { widget };
  const step = query.get('step') ?? '';
  if (/^\d{1,9}$/.test(step)) link.step = Number(step);
  for (const name of texts) {
    const text = query.get(name);
    if (text) link[name] = text;
  }
  return link;
}

/**
 * Writes the query and fragment for a widget at a place. Parameters of others
 * in `search` stay.
 * @param {string} widget
 * @param {Place} place
 * @param {string} [search] the address's query now
 * @returns {string} "?widget=…#…"
 */
export function formatLink(widget, place, search = '') {
  const parts = [];
  for (const [name, value] of new URLSearchParams(search)) {
    if (!names.includes(name)) parts.push([name, value]);
  }
  parts.push(['widget', widget]);
  if (place.step !== undefined) parts.push(['step', String(place.step)]);
  for (const name of texts) if (place[name]) parts.push([name, place[name]]);
  const query = parts.map(([name, value]) => `${escape(name)}=${escape(value)}`).join('&');
  return `?${query}#${encodeURIComponent(widget)}`;
}

/** Encodes all but the characters that a reader should see and a query allows. */
function escape(text) {
  return encodeURIComponent(text).replace(/%20/g, '+').replace(/%(2C|3A|5B|5D)/g, (code) => decodeURIComponent(code));
}

/**
 * @param {string | undefined} text "0,1,2"
 * @returns {[number, number, number] | null} batch, row, column
 */
export function parseCell(text) {
  const match = /^(\d{1,9}),(\d{1,9}),(\d{1,9})$/.exec(text ?? '');
  return match ? [Number(match[1]), Number(match[2]), Number(match[3])] : null;
}
