/**
 * A chart from an option that the server made. Colours are the page's, so that
 * it reads in both themes; the numbers are the option's. Without the bundle
 * there is no chart, and the table beside it says the same.
 * @module
 */
import { hasBundle, loadBundle } from './bundle.js';
import { el, set } from './dom.js';

export class Chart {
  constructor() {
    this.canvas = el('div', { class: 'chart-canvas', role: 'img' });
    this.element = el('div', { class: 'chart', hidden: true }, this.canvas);
    this.observer = new ResizeObserver(() => this.chart?.resize());
    this.observer.observe(this.canvas);
  }

  /** Whether charts can be drawn at all. */
  static get possible() {
    return hasBundle;
  }

  /**
   * @param {any} option of ECharts, or null for no chart
   * @param {string} [label] what it shows, for who cannot see it
   */
  async show(option, label = '') {
    this.option = option;
    this.label = label;
    if (!option) {
      set(this.element, 'hidden', true);
      return;
    }
    const echarts = await loadBundle('echarts.js');
    // Another option may have come while the library was loading.
    if (!echarts || this.option !== option) return;
    set(this.element, 'hidden', false);
    set(this.canvas, 'aria-label', label);
    this.chart ??= echarts.init(this.canvas, null, { renderer: 'svg' });
    this.draw();
    this.chart.resize();
  }

  /** Draws again in the colours of the present theme. */
  repaint() {
    if (this.chart && this.option) this.draw();
  }

  draw() {
    // Texts are as large as those around, within what the server leaves room for.
    const size = 0.75 * parseFloat(getComputedStyle(this.canvas).fontSize);
    this.chart.setOption(dress(this.option, Math.min(16, Math.max(12, size))), { notMerge: true });
  }

  dispose() {
    this.observer.disconnect();
    this.chart?.dispose();
    this.chart = undefined;
  }
}

/** The theme's names of the server's colours, which are for light paper. */
const themed = { '#0072B2': '--series-1', '#D55E00': '--series-2', '#009E73': '--series-3' };

/** Returns the option in the page's colours, with texts of a size in pixels. */
function dress(option, fontSize) {
  const colour = (name) => resolve(`var(${name})`);
  const text = { color: colour('--text-muted'), fontSize, fontFamily: getComputedStyle(document.documentElement).getPropertyValue('--sans') };
  const axis = (given) => ({
    ...given,
    axisLabel: { ...given.axisLabel, color: text.color, fontSize },
    nameTextStyle: { ...given.nameTextStyle, color: text.color, fontSize },
    axisLine: { ...given.axisLine, lineStyle: { color: colour('--line-strong') } },
    splitLine: { ...given.splitLine, lineStyle: { color: colour('--line') } },
  });
  return {
    ...option,
    backgroundColor: 'transparent',
    color: ['--series-1', '--series-2', '--series-3'].map(colour),
    textStyle: text,
    title: each(option.title, (title) => ({ ...title, textStyle: { ...title.textStyle, color: colour('--text') } })),
    legend: each(option.legend, (legend) => ({ ...legend, textStyle: { ...legend.textStyle, ...text } })),
    xAxis: each(option.xAxis, axis),
    yAxis: each(option.yAxis, axis),
    // A tooltip of HTML would carry styles that the page's policy forbids.
    tooltip: each(option.tooltip, (tooltip) => ({ ...tooltip, renderMode: 'richText' })),
    series: each(option.series, (series, at) => {
      const own = { color: colour(themed[series.itemStyle?.color] ?? `--series-${(at % 3) + 1}`) };
      return { ...series, itemStyle: { ...series.itemStyle, ...own }, lineStyle: series.lineStyle && { ...series.lineStyle, ...own }, label: series.label && { ...series.label, color: text.color, fontSize } };
    }),
    grid: option.grid ?? { top: 20, right: 44, bottom: 52, left: 8, outerBoundsMode: 'same', containLabel: true },
    toolbox: undefined,
    // The canvas has a label in the reader's terms, which ECharts' own would replace.
    aria: { enabled: false },
    // Each step would play it again.
    animation: false,
  };
}

/** The colour that an expression of the style sheet comes to now. */
function resolve(expression) {
  const probe = el('span', { hidden: true });
  probe.style.color = expression;
  document.body.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}

function each(part, change) {
  if (!part) return part;
  return Array.isArray(part) ? part.map(change) : change(part);
}
