import { html } from 'hono/html';
import type { Markup } from '../../html/page.ts';
import type { Formatter } from '../format.ts';

/**
 * The maximum number of points, so that the table of the same values stays readable and adds only a
 * few kilobytes to the page.
 */
const POINTS_MAX = 400;

/** Formats the instants of a chart. */
export interface PlotTimes {
  /** The heading of the table's column of instants. */
  readonly heading: string;
  /** Formats an instant in full, for the table. */
  readonly label: (instant: Date) => string;
  /** Formats an instant briefly, for the axis. */
  readonly tick: (instant: Date) => string;
}

export interface PlotOptions {
  readonly caption: string;
  /** The summary in a sentence or two, for people who cannot see the chart. */
  readonly summary: string;
  readonly times: PlotTimes;
  /** The instants in ascending order, at most 400. */
  readonly instants: readonly Date[];
  readonly label: string;
  /** The values, one for each instant. */
  readonly values: readonly number[];
  /** A note below the chart, for example how recent the data is. */
  readonly note?: string;
}

const TABLE_LABELS: Readonly<Record<Formatter['language'], string>> = {
  en: 'Show as table',
  ja: '表で表示',
};

/**
 * Renders a chart over time with a caption and a table of the same values. The script `plot` draws
 * the chart from `data-plot` and collapses the table. A page with a chart must list the script in
 * `scripts`.
 */
export function plot(format: Formatter, options: PlotOptions): Markup {
  const { caption, summary, times, instants, label, values, note } = options;
  if (instants.length > POINTS_MAX) {
    throw new Error(`a chart has at most ${POINTS_MAX} points, not ${instants.length}`);
  }
  const labels = instants.map((instant) => times.label(instant));
  const data = {
    at: instants.map((instant) => instant.getTime() / 1_000),
    labels,
    ticks: instants.map((instant) => times.tick(instant)),
    label,
    values,
  };
  return html`<figure class="plot" data-plot="${JSON.stringify(data)}">
    <figcaption>
      <strong>${caption}</strong>
      <span class="plot-summary">${summary}</span>
    </figcaption>
    <div class="plot-area" role="img" aria-label="${`${caption}: ${summary}`}" hidden></div>
    <p class="plot-reading" aria-hidden="true" hidden></p>
    ${note === undefined ? '' : html`<p class="soft small">${note}</p>`}
    <details open>
      <summary>${TABLE_LABELS[format.language]}</summary>
      ${valuesTable(format, options, labels)}
    </details>
  </figure>`;
}

function valuesTable(
  format: Formatter,
  { caption, times, label, values }: PlotOptions,
  labels: readonly string[],
): Markup {
  return html`<div class="plot-values" tabindex="0" role="region" aria-label="${caption}">
    <table>
      <caption class="unseen">
        ${caption}
      </caption>
      <thead>
        <tr>
          <th scope="col">${times.heading}</th>
          <th scope="col" class="number">${label}</th>
        </tr>
      </thead>
      <tbody>
        ${labels.map(
          (instant, index) =>
            html`<tr>
              <th scope="row">${instant}</th>
              <td class="number">${format.number(values[index] ?? 0)}</td>
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
}
