import { html } from 'hono/html';
import type { BoostRow } from '../../boosts/boost-row.ts';
import {
  type BoostPurchase,
  listNewestPurchases,
  type PurchasePosition,
  sumPurchases,
} from '../../boosts/boost-purchases.ts';
import { isUuid } from '../../base/field.ts';
import type { Language } from '../../pages/language.ts';
import type { Markup } from '../../pages/page.ts';
import type { ConsoleDeps } from '../deps.ts';
import { badge } from '../parts/badge.ts';
import { emptyState } from '../parts/notes.ts';
import { pager, withQuery } from '../parts/pager.ts';
import { table } from '../parts/table.ts';
import type { Visit } from '../visit.ts';

interface Words {
  readonly title: string;
  readonly sum: (quantity: string, purchases: string) => string;
  readonly when: string;
  readonly quantity: string;
  readonly state: string;
  readonly id: string;
  readonly counted: string;
  readonly cancelled: string;
  readonly emptyTitle: string;
  readonly empty: string;
}

export const WORDS: Readonly<Record<Language, Words>> = {
  en: {
    title: 'Purchases',
    sum: (quantity, purchases) =>
      purchases === '1'
        ? `Bought so far: ${quantity} (in 1 purchase)`
        : `Bought so far: ${quantity} (in ${purchases} purchases)`,
    when: 'When',
    quantity: 'Pieces',
    state: 'Status',
    id: 'Till reference',
    counted: 'Counted',
    cancelled: 'Cancelled',
    emptyTitle: 'No purchases yet',
    empty: 'What the till buys on this buy boost is listed here.',
  },
  ja: {
    title: '買取の記録',
    sum: (quantity, purchases) => `これまでの買取：${quantity} 点（${purchases} 件）`,
    when: '日時',
    quantity: '点数',
    state: '状態',
    id: 'レジの取引番号',
    counted: '有効',
    cancelled: '取消済み',
    emptyTitle: '買取の記録はまだありません',
    empty: 'この買取強化でレジが買い取ったものが、ここに表示されます。',
  },
};

const PAGE_PURCHASES = 20;

/** The purchases of a boost, the newest first, with their sum. */
export async function renderPurchases(
  visit: Visit,
  { db }: Pick<ConsoleDeps, 'db'>,
  row: BoostRow,
): Promise<Markup> {
  const { language, format, shop } = visit;
  const text = WORDS[language];
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
    <h2>${text.title}</h2>
    ${
      shown.length === 0
        ? emptyState(text.emptyTitle, text.empty)
        : html`<p>${text.sum(format.number(sum.quantity), format.number(sum.purchases))}</p>
            ${table({
              caption: text.title,
              isCaptionUnseen: true,
              columns: [
                { label: text.when },
                { label: text.quantity, isNumber: true },
                { label: text.state },
                { label: text.id },
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
  const text = WORDS[language];
  const state =
    cancelledAt === null
      ? badge(text.counted, 'good')
      : html`${badge(text.cancelled)} ${format.dateTime(cancelledAt)}`;
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
