/**
 * The entry of every page: the header's tools, the formulas, the live examples
 * and their connection.
 * @module
 */
import { addConnectionState, followAuthor, restoreScroll } from './part/connection.js';
import { upgrade } from './part/math.js';
import { drawMeasured } from './part/measured.js';
import { address, live } from './part/page.js';
import { fadeEdges } from './part/scroller.js';
import { addThemeControls } from './part/theme.js';
import './widget/product.js';
import './widget/reduction.js';
import './widget/view.js';
import './widget/decoder.js';
import './widget/comparison.js';
import './widget/boundary.js';
import './widget/contracts.js';

const header = document.querySelector('.site-header') ?? document.body;
addThemeControls(header);
const formulas = upgrade(document);
for (const box of document.querySelectorAll('.table-scroll, .matrix-scroll')) {
  if (!box.closest('.widget-live')) fadeEdges(/** @type {HTMLElement} */ (box));
}

drawMeasured(document);

const widgets = document.querySelector('wb-product, wb-reduction, wb-view, wb-decoder, wb-comparison, wb-boundary, wb-contracts');
const author = document.querySelector('meta[name="wb-author"]');
if (widgets || author) {
  addConnectionState(header);
  followAuthor();
  live.connect();
  address.keep();
  const [visit] = /** @type {PerformanceNavigationTiming[]} */ (performance.getEntriesByType('navigation'));
  const reload = visit?.type === 'reload';
  // Formulas change the height of the text above.
  formulas.then(() => afterLoad(() => {
    if (!restoreScroll() && !reload && address.link.widget) address.reveal(address.link.widget);
  }));
}

/**
 * Acts when the browser has loaded the page and gone to the address's fragment,
 * which takes the focus from whatever had it.
 */
function afterLoad(act) {
  const later = () => requestAnimationFrame(() => setTimeout(act));
  if (document.readyState === 'complete') later();
  else addEventListener('load', later, { once: true });
}
