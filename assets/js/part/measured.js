/**
 * Charts of figures that were measured on a GPU. The table above each says the
 * same, and is all there is without the bundle.
 * @module
 */
import { Chart } from './chart.js';
import { whenNear } from './scroller.js';

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
    let room = 0;
    const draw = () => {
      // Names of figures are sentences: they break, and leave the bars some room.
      const now = Math.round(Math.min(260, place.clientWidth * 0.42));
      if (now === room) return;
      room = now;
      chart.show(withNames(option, room), place.dataset.label ?? '');
    };
    whenNear(place, () => new ResizeObserver(draw).observe(place));
    document.addEventListener('wb-theme', () => chart.repaint());
  }
}

function withNames(option, width) {
  const axes = (option.yAxis ?? []).map((axis) => ({ ...axis, axisLabel: { ...axis.axisLabel, width, overflow: 'break', lineHeight: 15, interval: 0 } }));
  return { ...option, yAxis: axes };
}
