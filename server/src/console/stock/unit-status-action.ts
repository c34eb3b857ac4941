import { html } from 'hono/html';
import { changeExistingUnits, type ExistingUnitChange } from '../../inventory/existing-units.ts';
import { findStockUnit } from '../../inventory/stock-unit.ts';
import { isUnitStatus, nextStatuses } from '../../inventory/unit-status.ts';
import { type ConsoleResponse, redirectTo, NOT_FOUND, showPage } from '../response.ts';
import type { ConsoleDeps } from '../deps.ts';
import type { FlashCode } from '../flash.ts';
import { linkButton } from '../parts/button.ts';
import { confirmPage } from '../parts/confirm-page.ts';
import { itemDetailsOf, itemNameOf } from '../parts/item-text.ts';
import { callout } from '../parts/notes.ts';
import type { RequestContext } from '../request-context.ts';
import { parseConfirmedStatus } from './confirmed-status.ts';
import { parsePlace } from './place-choice.ts';
import { refusalText } from './refusal-text.ts';
import { confirmationText, transitionName } from './status-text.ts';
import { unitMessages } from './messages/unit.ts';

/** The unit must still have the status that the member saw. */
export async function changeStatus(
  deps: ConsoleDeps,
  context: RequestContext,
  unitId: string,
): Promise<ConsoleResponse> {
  const [to, from] = [context.form.get('to') ?? '', context.form.get('from') ?? ''];
  if (!isUnitStatus(to) || !isUnitStatus(from)) return NOT_FOUND;
  return await changeOne(
    deps,
    context,
    {
      change: { id: unitId, status: to },
      expects: ({ status }) => status === from || status === to,
    },
    `unit_${to}`,
  );
}

export async function moveUnit(
  deps: ConsoleDeps,
  context: RequestContext,
  unitId: string,
): Promise<ConsoleResponse> {
  const place = parsePlace(context.form.get('place'));
  if (place === null) return NOT_FOUND;
  return await changeOne(deps, context, { change: { id: unitId, ...place } }, 'unit_moved');
}

async function changeOne(
  deps: ConsoleDeps,
  context: RequestContext,
  change: ExistingUnitChange,
  done: FlashCode,
): Promise<ConsoleResponse> {
  const { language } = context;
  const path = context.shopPath(`/stock/${change.change.id}`);
  const shop = { id: context.shop.id, currency: context.shop.currency, by: context.actor };
  const [result] = await deps.write(
    context.shop.id,
    async (tx) => await changeExistingUnits(tx, shop, [change], context.now),
  );
  if (result === undefined || result.kind === 'not_found') return NOT_FOUND;
  if ('unitText' in result) {
    return redirectTo(path, result.kind === 'unchanged' ? 'unchanged' : done);
  }
  const messages = unitMessages[language];
  return showPage({
    title: messages.change,
    section: 'stock',
    status: 422,
    back: { href: path, label: messages.details },
    content: html`<div role="alert">${callout('warn', refusalText(result, language))}</div>
      <div class="actions">${linkButton({ href: path, label: messages.details })}</div>`,
  });
}

/** Asks for confirmation before a unit gets a status that is hard to undo. */
export async function confirmStatus(
  { db }: ConsoleDeps,
  context: RequestContext,
  unitId: string,
): Promise<ConsoleResponse> {
  const to = parseConfirmedStatus(context.query['to']);
  const unit = await findStockUnit(db, context.shop.id, unitId);
  if (unit === undefined || to === null || !nextStatuses(unit.status).includes(to)) {
    return NOT_FOUND;
  }
  const { language } = context;
  const path = context.shopPath(`/stock/${unit.id}`);
  const name = itemNameOf(unit.item, language).text;
  const about = html`${name}<span class="item-details"
      >${itemDetailsOf(unit.item, language)}</span
    >`;
  return confirmPage(context, {
    title: unitMessages[language].asks[to],
    section: 'stock',
    back: { href: path, label: name },
    content: confirmationText(to, about, language),
    action: `${path}/status`,
    fields: { to, from: unit.status },
    button: transitionName(unit.status, to, language),
    cancelLabel: unitMessages[language].cancel,
  });
}
