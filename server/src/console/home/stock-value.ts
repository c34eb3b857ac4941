import { html } from 'hono/html';
import type { StockValue } from '../../inventory/stock-value.ts';
import type { Markup } from '../../html/page.ts';
import { table } from '../parts/table.ts';
import type { RequestContext } from '../request-context.ts';
import { homeStockMessages } from './messages.ts';

interface ValueRow extends Omit<StockValue, 'siteId'> {
  readonly name: string;
}

/**
 * Renders the total asking price of the stock by currency, at each of these sites and in the whole
 * shop, and the total cost for members who may see costs.
 */
export function renderStockValue(
  context: RequestContext,
  values: readonly StockValue[],
  sites: readonly { readonly siteId: string; readonly name: string }[],
  isReused: boolean,
): Markup | '' {
  const { format } = context;
  const messages = homeStockMessages[context.language];
  const ofSites = sites.flatMap(({ siteId, name }) =>
    values.filter((value) => value.siteId === siteId).map((value) => ({ ...value, name })),
  );
  const totals = [...Map.groupBy(values, ({ currency }) => currency)].map(([currency, all]) => ({
    name: messages.allSites,
    currency,
    priceMinor: all.reduce((sum, { priceMinor }) => sum + priceMinor, 0),
    costMinor: all.reduce((sum, { costMinor }) => sum + costMinor, 0),
  }));
  const rows: readonly ValueRow[] = [...ofSites, ...totals];
  if (rows.length === 0) return '';
  return html`<h3>${messages.value}</h3>
    ${table({
      caption: messages.value,
      rows,
      columns: [
        [messages.site, ({ name }) => name],
        [
          messages.askingPrice,
          ({ priceMinor, currency }) => format.money(priceMinor, currency),
          'number',
        ],
        context.can('inventory.cost')
          ? [
              messages.cost,
              ({ costMinor, currency }) => format.money(costMinor, currency),
              'number',
            ]
          : null,
      ],
    })}
    <p class="hint">${messages.valueHint} ${isReused ? messages.valueReused : ''}</p>`;
}
