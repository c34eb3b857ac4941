import { html } from 'hono/html';
import type { Markup } from '../../pages/page.ts';
import type { Format } from '../format.ts';

/** Points of a figure at most: what a table of the same values can still be read at, and a page carries in some kilobytes. */
const POINTS_MAX = 400;

/** The token of the stylesheet in which a series is drawn; `bad` is striped too where it is an area. */
export type PlotTone = 'strong' | 'good' | 'bad' | 'soft';

/** One value for each instant; null where there is none. */
export interface PlotSeries {
  readonly label: string;
  readonly tone: PlotTone;
  readonly values: readonly (number | null)[];
}

/** How the instants of a figure are written. */
export interface PlotTimes {
  /** Of the table's column. */
  readonly heading: string;
  /** Whole, in the table. */
  readonly label: (instant: Date) => string;
  /** Short, at the axis; a line feed begins a second line. */
  readonly tick: (instant: Date) => string;
}

export interface PlotOptions {
  readonly caption: string;
  /** What the figure shows, in a sentence or two: who does not see it reads this. */
  readonly summary: string;
  /** `line`: levels. `bars`: counts of spans, the series on each other. */
  readonly kind: 'line' | 'bars';
  readonly times: PlotTimes;
  /** In their order, at most 400. */
  readonly instants: readonly Date[];
  readonly series: readonly PlotSeries[];
  /** Up to when it is known, for example. */
  readonly note?: string;
}

interface Words {
  readonly table: string;
  readonly none: string;
}

export const WORDS: Readonly<Record<Format['language'], Words>> = {
  en: { table: 'Show the values as a table', none: 'no value' },
  ja: { table: '値を表で表示', none: '値なし' },
};

/**
 * A figure over time with its caption and the same values as a table. The script `plot` draws it, from what `data-plot`
 * holds, and closes the table; a page that shows one names it in `scripts`.
 */
export function plot(format: Format, options: PlotOptions): Markup {
  const { caption, summary, kind, times, instants, series, note } = options;
  if (instants.length > POINTS_MAX) throw new Error(`${instants.length} points of a figure`);
  const labels = instants.map((instant) => times.label(instant));
  const data = {
    kind,
    at: instants.map((instant) => instant.getTime() / 1_000),
    labels,
    ticks: instants.map((instant) => times.tick(instant)),
    series,
  };
  return html`<figure class="plot" data-plot="${JSON.stringify(data)}">
    <figcaption>
      <strong>${caption}</strong>
      <span class="plot-summary">${summary}</span>
    </figcaption>
    ${series.length > 1 ? legend(series) : ''}
    <div class="plot-area" role="img" aria-label="${`${caption}: ${summary}`}" hidden></div>
    <p class="plot-reading" aria-hidden="true" hidden></p>
    ${note === undefined ? '' : html`<p class="soft small">${note}</p>`}
    <details open>
      <summary>${WORDS[format.language].table}</summary>
      ${valuesTable(format, options, labels)}
    </details>
  </figure>`;
}

/** Its words stand in the table's head too. */
function legend(series: readonly PlotSeries[]): Markup {
  return html`<ul class="plot-legend" aria-hidden="true">
    ${series.map(({ label, tone }) => html`<li><span class="swatch ${tone}"></span>${label}</li>`)}
  </ul>`;
}

function valuesTable(
  format: Format,
  { caption, times, series }: PlotOptions,
  labels: readonly string[],
): Markup {
  const { none } = WORDS[format.language];
  const cell = (value: number | null | undefined): Markup | string =>
    value === null || value === undefined
      ? html`<span aria-hidden="true">–</span><span class="unseen">${none}</span>`
      : format.number(value);
  return html`<div class="plot-values" tabindex="0" role="region" aria-label="${caption}">
    <table>
      <caption class="unseen">
        ${caption}
      </caption>
      <thead>
        <tr>
          <th scope="col">${times.heading}</th>
          ${series.map(({ label }) => html`<th scope="col" class="number">${label}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${labels.map(
          (label, index) =>
            html`<tr>
              <th scope="row">${label}</th>
              ${series.map(({ values }) => html`<td class="number">${cell(values[index])}</td>`)}
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
}
