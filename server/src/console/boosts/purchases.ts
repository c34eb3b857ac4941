import { html } from 'hono/html';
import { isUuid } from '../../base/field.ts';
import {
  type BoostPurchase,
  listNewestPurchases,
  type PurchaseCursor,
  sumPurchases,
} from '../../boosts/boost-purchases.ts';
import type { BoostRow } from '../../boosts/boost-row.ts';
import type { Markup } from '../../html/page.ts';
import type { ConsoleDeps } from '../deps.ts';
import { badge } from '../parts/badge.ts';
import { trimToPage, pager } from '../parts/list.ts';
import { emptyState } from '../parts/notes.ts';
import { table } from '../parts/table.ts';
import type { RequestContext } from '../request-context.ts';
import { boostPurchaseMessages } from './messages/boost.ts';

const PAGE_PURCHASES = 20;

/** Renders the purchases of a boost, newest first, with their total. */
export async function renderPurchases(
  context: RequestContext,
  { db }: Pick<ConsoleDeps, 'db'>,
  row: BoostRow,
): Promise<Markup> {
  const { language, format, shop } = context;
  const messages = boostPurchaseMessages[language];
  const after = parsePosition(context.query['after']);
  const page = { after, limit: PAGE_PURCHASES + 1 };
  const found = await listNewestPurchases(db, shop.id, row.id, page);
  const sum = await sumPurchases(db, shop.id, row.id);
  const { rows, last } = trimToPage(found, PAGE_PURCHASES);
  return html`<section class="sheet" id="purchases">
    <h2>${messages.title}</h2>
    ${
      rows.length === 0
        ? ''
        : html`<p>${messages.sum(format.number(sum.quantity), format.number(sum.purchases))}</p>`
    }
    ${table({
      caption: messages.title,
      rows,
      columns: [
        [messages.when, ({ createdAt }) => format.dateTime(createdAt)],
        [messages.quantity, ({ quantity }) => format.number(quantity), 'number'],
        [messages.status, (purchase) => renderState(purchase, context)],
        [messages.id, ({ id }) => html`<code>${id}</code>`],
      ],
      empty: emptyState(messages.emptyTitle, messages.empty),
    })}
    ${pager(language, {
      path: context.shopPath(`/boosts/${row.id}`),
      name: 'after',
      here: after === null ? null : formatPosition(after),
      next: last === undefined ? null : formatPosition(last),
      anchor: 'purchases',
    })}
  </section>`;
}

function renderState({ cancelledAt }: BoostPurchase, { language, format }: RequestContext): Markup {
  const messages = boostPurchaseMessages[language];
  return cancelledAt === null
    ? badge(messages.counted, 'good')
    : html`${badge(messages.cancelled)} ${format.dateTime(cancelledAt)}`;
}

function formatPosition({ createdAt, id }: PurchaseCursor): string {
  return `${createdAt.getTime()}.${id}`;
}

/** Returns null for an invalid position. The list then starts at the newest purchase. */
function parsePosition(text: string | undefined): PurchaseCursor | null {
  const [, ms = '', id] = /^(\d{1,15})\.([0-9a-f-]{36})$/.exec(text ?? '') ?? [];
  return isUuid(id) ? { createdAt: new Date(Number(ms)), id } : null;
}
