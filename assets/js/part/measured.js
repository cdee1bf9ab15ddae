/**
 * Charts of figures that were measured on a GPU. The table above each says the
 * same, and is all there is without the bundle.
 * @module
 */
import { Chart } from './chart.js';

/** Draws every chart of the page. */
export function drawMeasured(root) {
  if (!Chart.possible) return;
  for (const place of root.querySelectorAll('.measured-chart')) {
    let option;
    try {
      option = JSON.parse(place.querySelector('script')?.textContent ?? '');
    } catch (error) {
      // The table stays: it needs no script.
      console.error('a chart of measurements cannot be read', error);
      continue;
    }
    const chart = new Chart();
    place.append(chart.element);
    chart.show(option, place.dataset.label ?? '');
    document.addEventListener('wb-theme', () => chart.repaint());
  }
}
