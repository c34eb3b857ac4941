import { html } from 'hono/html';
import type { Database } from '../../database/database.ts';
import { readSiteNames } from '../../inventory/site-names.ts';
import {
  readStockCounts,
  readStockMovements,
  type StockCount,
} from '../../inventory/stock-figures.ts';
import { isValueReused, type StockValue, type StockValues } from '../../inventory/stock-value.ts';
import { IN_STOCK_STATUSES, UNIT_STATUSES, type UnitStatus } from '../../inventory/unit-status.ts';
import type { MessagesOf } from '../../html/messages.ts';
import type { Markup } from '../../html/page.ts';
import { linkButton } from '../parts/button.ts';
import { emptyState } from '../parts/notes.ts';
import { describeTrend, plotTimes } from '../parts/plot-times.ts';
import { plot } from '../parts/plot.ts';
import { stockListPath } from '../parts/stock-filter.ts';
import { type Cell, type Column, table } from '../parts/table.ts';
import { statusName } from '../parts/unit-status.ts';
import type { RequestContext } from '../request-context.ts';
import { type StockDay, stockDays, stockDaysStart } from './stock-days.ts';
import { homeStockMessages } from './messages.ts';
import { renderStockValue } from './stock-value.ts';

/** The number of sites on Home. A shop with more sites gets a link to the list of sites. */
const SHOWN_SITES = 8;

/** The statuses that count as in stock, in display order. */
const STOCKED = UNIT_STATUSES.filter((status) => IN_STOCK_STATUSES.has(status));

export interface HomeStock {
  readonly counts: readonly StockCount[];
  /** The names of sites, by site id. */
  readonly names: ReadonlyMap<string, string>;
  readonly days: readonly StockDay[];
  readonly values: readonly StockValue[];
}

export async function readHomeStock(
  db: Database,
  stockValues: StockValues,
  context: RequestContext,
): Promise<HomeStock> {
  const { shop, now, format } = context;
  const [counts, names, movements] = await Promise.all([
    readStockCounts(db, shop.id),
    readSiteNames(db, shop.id),
    readStockMovements(db, shop.id, stockDaysStart(now, format.zone)),
  ]);
  const units = sumOf(counts.filter(({ status }) => IN_STOCK_STATUSES.has(status)));
  const values = await stockValues.read(shop.id, units, now);
  return { counts, names, days: stockDays(units, movements, now, format.zone), values };
}

/**
 * Renders the units by site and status with totals, each number with a link to its list, and a
 * chart of the last 30 days.
 */
export function renderStock(context: RequestContext, stock: HomeStock): Markup {
  const { counts, days } = stock;
  const messages = homeStockMessages[context.language];
  return html`<section class="sheet stock-of-home" aria-labelledby="stock">
    <h2 id="stock">${messages.stock}</h2>
    ${counts.length === 0 ? renderNone(context, messages) : renderCounts(context, stock, messages)}
    <p class="to-all"><a href="${context.shopPath('/stock')}">${messages.all}</a></p>
    ${days.every(({ units }) => units === 0) ? '' : renderPlot(context, days, messages)}
  </section>`;
}

function renderPlot(
  context: RequestContext,
  days: readonly StockDay[],
  messages: MessagesOf<typeof homeStockMessages>,
): Markup {
  const { format } = context;
  const values = days.map(({ units }) => units);
  return plot(format, {
    caption: messages.plot,
    summary: describeTrend(format, values),
    times: plotTimes(format),
    instants: days.map(({ at }) => at),
    label: messages.units,
    values,
    note: messages.today,
  });
}

function renderNone(
  context: RequestContext,
  messages: MessagesOf<typeof homeStockMessages>,
): Markup {
  const href = context.shopPath('/stock/receive');
  const receive = context.can('inventory.write')
    ? linkButton({ href, label: messages.receive })
    : '';
  return emptyState(messages.none, messages.noneText, receive);
}

function renderCounts(
  context: RequestContext,
  { counts, names, values }: HomeStock,
  messages: MessagesOf<typeof homeStockMessages>,
): Markup {
  const { format, language } = context;
  const stocked = counts.filter(({ status }) => IN_STOCK_STATUSES.has(status));
  const sites = [...Map.groupBy(stocked, ({ siteId }) => siteId)]
    .map(([siteId, ofSite]) => ({ siteId, ofSite, units: sumOf(ofSite) }))
    .toSorted((a, b) => b.units - a.units);
  const shown = sites.slice(0, SHOWN_SITES).map(({ siteId, ofSite }) => ({
    siteId,
    name: names.get(siteId) ?? '',
    counts: ofSite,
  }));
  const rows: SiteRow[] = [...shown, { siteId: null, name: messages.allSites, counts: stocked }];
  const left = sites.length - shown.length;
  const gone = UNIT_STATUSES.filter((status) => !IN_STOCK_STATUSES.has(status))
    .map((status) => ({ status, units: sumOf(counts.filter((each) => each.status === status)) }))
    .filter(({ units }) => units > 0);
  return html`${table({
    caption: messages.caption,
    rows,
    columns: [
      [
        messages.site,
        ({ siteId, name }) =>
          siteId === null
            ? name
            : html`<a href="${stockListPath(context, { siteId })}">${name}</a>`,
      ],
      ...STOCKED.map((status): Column<SiteRow> => [
        statusName(status, language),
        (row) => renderCount(context, row, status),
        'number',
      ]),
      [
        messages.total,
        (row) => html`<strong>${format.number(sumOf(row.counts))}</strong>`,
        'number',
      ],
    ],
  })}
  ${
    left > 0
      ? html`<p>
          <a href="${context.shopPath('/places')}">${messages.moreSites(format.number(left))}</a>
        </p>`
      : ''
  }
  ${renderStockValue(context, values, shown, isValueReused(sumOf(stocked)))}
  ${
    gone.length === 0
      ? ''
      : html`<h3>${messages.gone}</h3>
          <ul class="figures small">
            ${gone.map(
              ({ status, units }) =>
                html`<li>
                  <a href="${stockListPath(context, { status })}"
                    ><strong>${format.number(units)}</strong> ${statusName(status, language)}</a
                  >
                </li>`,
            )}
          </ul>`
  }`;
}

/** A row without a site id is the total of all sites. */
interface SiteRow {
  readonly siteId: string | null;
  readonly name: string;
  readonly counts: readonly StockCount[];
}

function renderCount(
  context: RequestContext,
  { siteId, name, counts }: SiteRow,
  status: UnitStatus,
): Cell {
  const { format, language } = context;
  const units = sumOf(counts.filter((each) => each.status === status));
  if (units === 0) return html`<span class="soft">0</span>`;
  const about = `${statusName(status, language)}${homeStockMessages[language].within(name)}`;
  return html`<a href="${stockListPath(context, { siteId, status })}"
    >${format.number(units)}<span class="unseen"> ${about}</span></a
  >`;
}

function sumOf(counts: readonly StockCount[]): number {
  return counts.reduce((sum, { units }) => sum + units, 0);
}
