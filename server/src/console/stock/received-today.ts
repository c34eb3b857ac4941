import { html } from 'hono/html';
import type { Markup } from '../../html/page.ts';
import { listReceiptsSince } from '../../receipts/list-receipts.ts';
import type { ConsoleDeps } from '../deps.ts';
import { startOfDay } from '../local-instant.ts';
import { actionButton } from '../parts/button.ts';
import { itemDetailsOf, itemNameOf, renderItemName } from '../parts/item-text.ts';
import { receiptMessages } from '../parts/messages/receipt.ts';
import { table } from '../parts/table.ts';
import type { RequestContext } from '../request-context.ts';
import { EDIT_BOOSTS_PERMISSIONS } from '../section.ts';
import { itemGradeText } from './item-cell.ts';
import { receivedTodayMessages } from './messages/receive.ts';

const RECEIPTS_MAX = 50;

/** Lists today's receipts in the shop's time zone, newest first, each with a button to undo it. */
export async function renderReceivedToday(
  { db }: Pick<ConsoleDeps, 'db'>,
  context: RequestContext,
): Promise<Markup> {
  const { shop, now, language, format, shopPath } = context;
  const messages = receivedTodayMessages[language];
  const { undo } = receiptMessages[language];
  const since = startOfDay(now, format.zone);
  const receipts = await listReceiptsSince(db, shop.id, since, RECEIPTS_MAX);
  const canUndoPurchase = EDIT_BOOSTS_PERMISSIONS.all.every(context.can);
  return html`<section class="sheet" id="received">
    <h2>${messages.title}</h2>
    ${table({
      caption: messages.title,
      rows: receipts,
      empty: html`<p class="hint">${messages.nothing}</p>`,
      columns: [
        [
          messages.item,
          ({ item, firstUnitId }) =>
            html`<a href="${shopPath(`/stock/${firstUnitId}`)}"
                >${renderItemName(itemNameOf(item, language), language)}</a
              >
              <span class="item-details">${itemDetailsOf(item, language)}</span>`,
        ],
        [
          messages.grade,
          ({ item }) =>
            item.kind === 'product' ? '–' : (itemGradeText(item) ?? messages.ungraded),
        ],
        [messages.quantity, ({ quantity }) => format.number(quantity), 'number'],
        [messages.by, ({ by }) => html`<bdi>${by}</bdi>`],
        [messages.when, ({ receivedAt }) => format.ago(receivedAt)],
        [
          undo,
          ({ id, boostId, undoneAt, item }) => {
            if (undoneAt !== null) return messages.undone;
            if (boostId !== null && !canUndoPurchase) return '';
            return actionButton(context, {
              action: shopPath(`/stock/receipts/${id}/undo`),
              label: undo,
              about: itemNameOf(item, language).text,
            });
          },
          'buttons',
        ],
      ],
    })}
    ${receipts.length === RECEIPTS_MAX ? html`<p class="hint">${messages.more(RECEIPTS_MAX)}</p>` : ''}
  </section>`;
}
