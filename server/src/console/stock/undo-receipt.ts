import { html } from 'hono/html';
import { findReceipt, undoReceipt } from '../../receipts/receipt.ts';
import { type ConsoleResponse, redirectTo, NOT_FOUND, showPage } from '../response.ts';
import type { ConsoleDeps } from '../deps.ts';
import { linkButton } from '../parts/button.ts';
import { receiptMessages } from '../parts/messages/receipt.ts';
import { callout } from '../parts/notes.ts';
import { parseUuid } from '../query.ts';
import { ConsoleRefusal } from '../refusal.ts';
import type { RequestContext } from '../request-context.ts';
import { EDIT_BOOSTS_PERMISSIONS } from '../section.ts';

/** Undoes the receipt of one line, and returns to the boost or to the receiving form. */
export async function undoReceiptAction(
  deps: ConsoleDeps,
  context: RequestContext,
): Promise<ConsoleResponse> {
  const { shop, now, language } = context;
  const id = parseUuid(context.params['id']);
  const receipt = id === null ? undefined : await findReceipt(deps.db, shop.id, id);
  if (id === null || receipt === undefined) return NOT_FOUND;
  const { boostId } = receipt;
  if (boostId !== null && !EDIT_BOOSTS_PERMISSIONS.all.every(context.can)) {
    throw new ConsoleRefusal({ kind: 'no_permission', needed: EDIT_BOOSTS_PERMISSIONS.all });
  }
  const receiver = { id: shop.id, currency: shop.currency, by: context.actor };
  const result = await undoReceipt(
    async (work) => await deps.write(shop.id, work),
    receiver,
    id,
    now,
  );
  const isBoost = boostId !== null && context.form.get('back') === 'boost';
  const back = context.shopPath(isBoost ? `/boosts/${boostId}` : '/stock/receive');
  const messages = receiptMessages[language];
  switch (result.kind) {
    case 'not_found':
      return NOT_FOUND;
    case 'undone':
      return redirectTo(back, boostId === null ? 'receipt_undone' : 'purchase_undone');
    case 'undone_before':
      return redirectTo(back, 'unchanged');
    case 'boost_ended':
    case 'unit_changed': {
      const unit = result.kind === 'unit_changed' ? result.row.id : null;
      const label = isBoost ? messages.boost : messages.receive;
      return showPage({
        title: messages.undo,
        section: isBoost ? 'boosts' : 'stock',
        status: 422,
        back: { href: back, label },
        content: html`<div role="alert">${callout('warn', messages.refused[result.kind])}</div>
          <div class="actions">
            ${
              unit === null
                ? ''
                : linkButton({ href: context.shopPath(`/stock/${unit}`), label: messages.unit })
            }
            ${linkButton({ href: back, label })}
          </div>`,
      });
    }
  }
}
