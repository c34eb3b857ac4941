import { html } from 'hono/html';
import { findStockUnit } from '../../inventory/stock-unit.ts';
import type { Markup } from '../../html/page.ts';
import { findReceipt, unitIdOf } from '../../receipts/receipt.ts';
import type { ConsoleDeps } from '../deps.ts';
import { parseUuid } from '../query.ts';
import type { RequestContext } from '../request-context.ts';
import { EDIT_BOOSTS_PERMISSIONS, EDIT_STOCK_PERMISSIONS } from '../section.ts';
import { actionButton } from './button.ts';
import { itemNameOf } from './item-text.ts';
import { receiptMessages } from './messages/receipt.ts';
import { callout } from './notes.ts';

/**
 * Renders a note about the latest purchase on a boost, with a button that undoes the purchase and
 * returns to the boost. Renders nothing after an undo.
 */
export async function renderReceiptNote(
  context: RequestContext,
  { db }: Pick<ConsoleDeps, 'db'>,
  receiptId: string | undefined,
): Promise<Markup> {
  const { shop, language, shopPath } = context;
  const id = parseUuid(receiptId);
  if (id === null || !EDIT_STOCK_PERMISSIONS.all.every(context.can)) return html``;
  const [receipt, unit] = await Promise.all([
    findReceipt(db, shop.id, id),
    findStockUnit(db, shop.id, unitIdOf(shop.id, id, 0), 1),
  ]);
  if (receipt === undefined || receipt.undoneAt !== null || unit === undefined) return html``;
  if (receipt.boostId === null || !EDIT_BOOSTS_PERMISSIONS.all.every(context.can)) return html``;
  const messages = receiptMessages[language];
  const { quantity } = receipt;
  return html`<div role="status">
      ${callout(
        'good',
        html`${messages.bought(quantity, itemNameOf(unit.item, language).text)}
          <a href="${shopPath(`/stock/${unit.id}`)}">${messages.open(quantity)}</a>`,
      )}
    </div>
    <div class="undo">
      ${actionButton(context, {
        action: shopPath(`/stock/receipts/${id}/undo`),
        label: messages.undo,
        fields: { back: 'boost' },
      })}
    </div>`;
}
