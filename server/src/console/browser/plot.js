// @ts-check
// Draws the figures whose values stand in a table (parts/plot.ts). Without it the table is open.
import uPlot from './uplot.js';

/**
 * What the page says of a figure.
 *
 * @typedef {object} PlotData
 * @property {'line' | 'bars'} kind
 * @property {number[]} at Seconds of UNIX time.
 * @property {string[]} labels Of the points, for who points at one.
 * @property {string[]} ticks The same in short, for the axis.
 * @property {{ label: string, tone: string, values: (number | null)[] }[]} series
 */

const HEIGHT = 220;
/** Between two labels of the time axis, in CSS pixels: the widest is a day with its month. */
const LABEL_SPACE = 68;
/** Steps between the lines of the other axis: pieces and notices are whole. */
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
    this.#plot = new uPlot(this.#options(), this.#columns(), area);
    this.#read(null);
  }

  /** Colours and space are what the page has now. */
  redraw() {
    const { width } = this.#size();
    if (width !== this.#plot.width) this.#plot.setSize(this.#size());
    else this.#plot.redraw(true);
  }

  /** @returns {uPlot.AlignedData} */
  #columns() {
    const { at, kind, series } = this.#data;
    if (kind === 'line') return [at, ...series.map(({ values }) => values)];
    // Bars stand on each other: the highest is drawn first, those below over it.
    const sums = series.map((_, index) =>
      at.map((__, point) =>
        series.slice(0, index + 1).reduce((sum, { values }) => sum + (values[point] ?? 0), 0),
      ),
    );
    return [at, ...sums.toReversed()];
  }

  #size() {
    return { width: Math.max(this.#area.clientWidth, 1), height: HEIGHT };
  }

  /** @returns {uPlot.Options} */
  #options() {
    const { kind, series } = this.#data;
    const drawn = kind === 'bars' ? series.toReversed() : series;
    const font = `13px ${getComputedStyle(this.#figure).fontFamily}`;
    return {
      ...this.#size(),
      legend: { show: false },
      cursor: { drag: { x: false, y: false }, y: false, points: { show: kind === 'line' } },
      scales: {
        x: { time: false, range: (_, low, high) => this.#timeRange(low, high) },
        y: { range: (_, low, high) => rangeOf(kind, low, high) },
      },
      series: [{}, ...drawn.map(({ tone }) => this.#series(tone))],
      axes: [this.#timeAxis(font), this.#numberAxis(font)],
      hooks: { setCursor: [({ cursor: { idx } }) => this.#read(idx ?? null)] },
    };
  }

  /**
   * @param {string} tone
   * @returns {uPlot.Series}
   */
  #series(tone) {
    const colour = () => this.#colour(tone);
    if (this.#data.kind === 'line') {
      return { stroke: colour, width: 2, points: { show: this.#data.at.length < 2 } };
    }
    const bars = uPlot.paths.bars?.({ size: [0.8, 48, 1] });
    return {
      stroke: colour,
      width: 1,
      fill: () => (tone === 'bad' ? hatched(colour(), this.#colour('paper')) : colour()),
      points: { show: false },
      ...(bars === undefined ? {} : { paths: bars }),
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
      stroke: () => this.#colour('soft'),
      grid: { show: false },
      ticks: { stroke: () => this.#colour('line'), size: 4 },
      size: ticks.some((text) => text.includes('\n')) ? 48 : 32,
      // Only at points, and counted from the newest: it always has its label.
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
      stroke: () => this.#colour('soft'),
      grid: { stroke: () => this.#colour('line'), width: 1 },
      ticks: { show: false },
      incrs: WHOLE_STEPS,
      space: 36,
      size: (_, /** @type {string[] | null} */ values) => {
        // Asked once before there are any.
        return 16 + 8 * Math.max(3, ...(values ?? []).map((text) => text.length));
      },
      values: (_, splits) => splits.map((split) => NUMBERS.format(split)),
    };
  }

  /**
   * Half a step on both sides, so that the first and the last bar are whole.
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
  #colour(token) {
    return getComputedStyle(this.#figure).getPropertyValue(`--${token}`).trim() || 'currentcolor';
  }

  /**
   * Says the values of a point; without one, those of the newest.
   *
   * @param {number | null} index
   */
  #read(index) {
    const { labels, series } = this.#data;
    const point = index ?? labels.length - 1;
    const parts = series.map(({ label, values }) => {
      const value = values[point] ?? null;
      return `${label} ${value === null ? '–' : NUMBERS.format(value)}`;
    });
    this.#reading.textContent = `${labels[point] ?? ''}: ${parts.join(' · ')}`;
  }
}

/**
 * Bars stand on 0; a line has some room around it and never a range of nothing.
 *
 * @param {'line' | 'bars'} kind
 * @param {number | null} low
 * @param {number | null} high
 * @returns {[number, number]}
 */
function rangeOf(kind, low, high) {
  const top = high ?? 0;
  if (kind === 'bars') return [0, Math.max(4, top * 1.05)];
  const bottom = low ?? 0;
  const room = Math.max(2, (top - bottom) * 0.1);
  return [Math.max(0, Math.floor(bottom - room)), Math.ceil(top + room)];
}

/**
 * Stripes, so that the colour is not alone.
 *
 * @param {string} colour
 * @param {string} ground
 */
function hatched(colour, ground) {
  const tile = document.createElement('canvas');
  tile.width = 6;
  tile.height = 6;
  const context = tile.getContext('2d');
  if (context === null) return colour;
  context.fillStyle = ground;
  context.fillRect(0, 0, 6, 6);
  context.strokeStyle = colour;
  context.lineWidth = 2.5;
  context.beginPath();
  for (const from of [-6, 0, 6]) {
    context.moveTo(from, 6);
    context.lineTo(from + 6, 0);
  }
  context.stroke();
  return context.createPattern(tile, 'repeat') ?? colour;
}

/**
 * The page is ours: what has series is whole.
 *
 * @param {unknown} data
 * @returns {data is PlotData}
 */
function isPlotData(data) {
  return typeof data === 'object' && data !== null && 'series' in data;
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
