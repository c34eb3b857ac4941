// @ts-check
// Draws the charts of parts/plot.ts, and collapses the tables of their values. Without this script,
// the tables stay open.
import uPlot from './uplot.js';

/** The data of a chart, from its attribute `data-plot`.
 *
 * @typedef {object} PlotData
 * @property {number[]} at The times of the points in seconds since 1970.
 * @property {string[]} labels The full dates of the points.
 * @property {string[]} ticks The short dates of the points, for the axis.
 * @property {string} label
 * @property {number[]} values
 */

const HEIGHT = 220;
/** The width for a label of the time axis in CSS pixels. The longest is a day with its month. */
const LABEL_SPACE = 68;
/** The possible steps of the value axis. They are whole numbers, because the axis counts units. */
const WHOLE_STEPS = Array.from({ length: 13 }, (_, i) => [1, 2, 5].map((n) => n * 10 ** i)).flat();
const LANGUAGE = document.documentElement.lang === 'ja' ? 'ja-JP' : 'en-GB';
const NUMBERS = new Intl.NumberFormat(LANGUAGE);

class Figure {
  /**
   * @readonly
   * @type {HTMLElement}
   */
  #figure;
  /**
   * @readonly
   * @type {PlotData}
   */
  #data;
  /**
   * @readonly
   * @type {HTMLElement}
   */
  #area;
  /**
   * @readonly
   * @type {HTMLElement}
   */
  #reading;
  /**
   * @readonly
   * @type {uPlot}
   */
  #plot;

  /**
   * @param {HTMLElement} figure
   * @param {HTMLElement} area
   * @param {HTMLElement} reading
   * @param {PlotData} data
   */
  constructor(figure, area, reading, data) {
    this.#figure = figure;
    this.#area = area;
    this.#reading = reading;
    this.#data = data;
    area.hidden = false;
    reading.hidden = false;
    this.#plot = new uPlot(this.#options(), [data.at, data.values], area);
    this.#read(null);
  }

  /** Draws the chart again with the page's current colors and width. */
  redraw() {
    const { width } = this.#size();
    if (width !== this.#plot.width) this.#plot.setSize(this.#size());
    else this.#plot.redraw(true);
  }

  #size() {
    return { width: Math.max(this.#area.clientWidth, 1), height: HEIGHT };
  }

  /** @returns {uPlot.Options} */
  #options() {
    const { at } = this.#data;
    const font = `13px ${getComputedStyle(this.#figure).fontFamily}`;
    return {
      ...this.#size(),
      legend: { show: false },
      cursor: { drag: { x: false, y: false }, y: false },
      scales: {
        x: { time: false, range: (_, low, high) => this.#timeRange(low, high) },
        y: { range: (_, low, high) => rangeOf(low, high) },
      },
      series: [
        {},
        { stroke: () => this.#color('strong'), width: 2, points: { show: at.length < 2 } },
      ],
      axes: [this.#timeAxis(font), this.#numberAxis(font)],
      hooks: { setCursor: [({ cursor: { idx } }) => this.#read(idx ?? null)] },
    };
  }

  /**
   * @param {string} font
   * @returns {uPlot.Axis}
   */
  #timeAxis(font) {
    const { at, ticks } = this.#data;
    return {
      font,
      stroke: () => this.#color('soft'),
      grid: { show: false },
      ticks: { stroke: () => this.#color('line'), size: 4 },
      size: 32,
      // Label only data points, counting back from the newest, so that the newest always has a
      // label.
      splits: (plot) => {
        const fitting = Math.max(1, Math.floor(plot.width / LABEL_SPACE));
        const step = Math.max(1, Math.ceil(at.length / fitting));
        return at.filter((_, index) => (at.length - 1 - index) % step === 0);
      },
      values: (_, splits) => splits.map((split) => ticks[at.indexOf(split)] ?? ''),
    };
  }

  /**
   * @param {string} font
   * @returns {uPlot.Axis}
   */
  #numberAxis(font) {
    return {
      font,
      stroke: () => this.#color('soft'),
      grid: { stroke: () => this.#color('line'), width: 1 },
      ticks: { show: false },
      incrs: WHOLE_STEPS,
      space: 36,
      size: (_, /** @type {string[] | null} */ values) => {
        // uPlot first calls this function without values.
        return 16 + 8 * Math.max(3, ...(values ?? []).map((text) => text.length));
      },
      values: (_, splits) => splits.map((split) => NUMBERS.format(split)),
    };
  }

  /** Adds half a step on both sides, so that the first and last labels fit.
   *
   * @param {number} low
   * @param {number} high
   * @returns {[number, number]}
   */
  #timeRange(low, high) {
    const count = this.#data.at.length;
    const half = count > 1 ? (high - low) / (count - 1) / 2 : 1;
    return [low - half, high + half];
  }

  /** @param {string} token */
  #color(token) {
    return getComputedStyle(this.#figure).getPropertyValue(`--${token}`).trim() || 'currentcolor';
  }

  /** Shows the value of a point, or of the newest point if `index` is null.
   *
   * @param {number | null} index
   */
  #read(index) {
    const { labels, label, values } = this.#data;
    const point = index ?? labels.length - 1;
    this.#reading.textContent = `${labels[point] ?? ''}: ${label} ${NUMBERS.format(values[point] ?? 0)}`;
  }
}

/** Adds space above and below the line. The range is never empty.
 *
 * @param {number | null} low
 * @param {number | null} high
 * @returns {[number, number]}
 */
function rangeOf(low, high) {
  const top = high ?? 0;
  const bottom = low ?? 0;
  const room = Math.max(2, (top - bottom) * 0.1);
  return [Math.max(0, Math.floor(bottom - room)), Math.ceil(top + room)];
}

/** Checks one property only, because the server has rendered the data.
 *
 * @param {unknown} data
 * @returns {data is PlotData}
 */
function isPlotData(data) {
  return typeof data === 'object' && data !== null && 'values' in data;
}

/** @type {Figure[]} */
const figures = [];
for (const figure of document.querySelectorAll('figure[data-plot]')) {
  const area = figure.querySelector('.plot-area');
  const reading = figure.querySelector('.plot-reading');
  const table = figure.querySelector('details');
  if (
    figure instanceof HTMLElement &&
    area instanceof HTMLElement &&
    reading instanceof HTMLElement
  ) {
    /** @type {unknown} */
    const data = JSON.parse(figure.dataset['plot'] ?? '');
    if (!isPlotData(data)) continue;
    figures.push(new Figure(figure, area, reading, data));
    if (table !== null) table.open = false;
  }
}

const scheme = matchMedia('(prefers-color-scheme: dark)');
scheme.addEventListener('change', () => {
  for (const figure of figures) figure.redraw();
});
let waiting = 0;
addEventListener('resize', () => {
  cancelAnimationFrame(waiting);
  waiting = requestAnimationFrame(() => {
    for (const figure of figures) figure.redraw();
  });
});
