import { html } from 'hono/html';
import type { BoostRow } from '../../boosts/boost-row.ts';
import {
  type BoostPurchase,
  listNewestPurchases,
  type PurchasePosition,
  sumPurchases,
} from '../../boosts/boost-purchases.ts';
import { isUuid } from '../../base/field.ts';
import type { Markup } from '../../pages/page.ts';
import type { ConsoleDeps } from '../deps.ts';
import { badge } from '../parts/badge.ts';
import { emptyState } from '../parts/notes.ts';
import { pager, withQuery } from '../parts/pager.ts';
import { table } from '../parts/table.ts';
import type { Visit } from '../visit.ts';
import { boostPurchaseMessages } from './messages/boost.ts';

const PAGE_PURCHASES = 20;

/** The purchases of a boost, the newest first, with their sum. */
export async function renderPurchases(
  visit: Visit,
  { db }: Pick<ConsoleDeps, 'db'>,
  row: BoostRow,
): Promise<Markup> {
  const { language, format, shop } = visit;
  const messages = boostPurchaseMessages[language];
  const after = readPosition(visit.query['after']);
  const page = { after, limit: PAGE_PURCHASES + 1 };
  const found = await listNewestPurchases(db, shop.id, row.id, page);
  const sum = await sumPurchases(db, shop.id, row.id);
  const shown = found.slice(0, PAGE_PURCHASES);
  const last = shown.at(-1);
  const href = visit.path(`/boosts/${row.id}`);
  const nextHref =
    found.length > PAGE_PURCHASES && last !== undefined
      ? `${withQuery(href, { after: writePosition(last) })}#purchases`
      : null;
  return html`<section class="sheet" id="purchases">
    <h2>${messages.title}</h2>
    ${
      shown.length === 0
        ? emptyState(messages.emptyTitle, messages.empty)
        : html`<p>${messages.sum(format.number(sum.quantity), format.number(sum.purchases))}</p>
            ${table({
              caption: messages.title,
              isCaptionUnseen: true,
              columns: [
                { label: messages.when },
                { label: messages.quantity, isNumber: true },
                { label: messages.state },
                { label: messages.id },
              ],
              rows: shown.map((purchase) => renderRow(purchase, visit)),
            })}`
    }
    ${pager(language, { firstHref: after === null ? null : `${href}#purchases`, nextHref })}
  </section>`;
}

function renderRow(
  { id, quantity, createdAt, cancelledAt }: BoostPurchase,
  { language, format }: Visit,
): readonly (string | Markup)[] {
  const messages = boostPurchaseMessages[language];
  const state =
    cancelledAt === null
      ? badge(messages.counted, 'good')
      : html`${badge(messages.cancelled)} ${format.dateTime(cancelledAt)}`;
  return [format.dateTime(createdAt), format.number(quantity), state, html`<code>${id}</code>`];
}

function writePosition({ createdAt, id }: PurchasePosition): string {
  return `${createdAt.getTime()}.${id}`;
}

/** Null for what is no position: the page then begins at its start. */
function readPosition(text: string | undefined): PurchasePosition | null {
  const [, ms = '', id] = /^(\d{1,15})\.([0-9a-f-]{36})$/.exec(text ?? '') ?? [];
  return isUuid(id) ? { createdAt: new Date(Number(ms)), id } : null;
}
