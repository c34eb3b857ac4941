import { html } from 'hono/html';
import { changeKnownUnits, type KnownChange } from '../../inventory/known-units.ts';
import { findStockUnit } from '../../inventory/stock-unit.ts';
import { isUnitStatus, nextStatuses } from '../../inventory/unit-status.ts';
import { type ConsoleAnswer, goTo, NOT_FOUND, showPage } from '../answer.ts';
import type { ConsoleDeps } from '../deps.ts';
import type { FlashCode } from '../flash.ts';
import { linkButton } from '../parts/button.ts';
import { confirmPage } from '../parts/confirm-page.ts';
import { detailsOf, nameOf } from '../parts/item-words.ts';
import { note } from '../parts/notes.ts';
import type { Visit } from '../visit.ts';
import { askedStatus } from './asked-status.ts';
import { parsePlace } from './place-choice.ts';
import { refusalText } from './refusal-words.ts';
import { askedText, moveName } from './status-words.ts';
import { unitMessages } from './messages/unit.ts';

/** Moves a unit to the status in the form, if it still has the status that the member saw. */
export async function changeStatus(
  deps: ConsoleDeps,
  visit: Visit,
  unitId: string,
): Promise<ConsoleAnswer> {
  const [to, from] = [visit.form.get('to') ?? '', visit.form.get('from') ?? ''];
  if (!isUnitStatus(to) || !isUnitStatus(from)) return NOT_FOUND;
  return await changeOne(
    deps,
    visit,
    {
      change: { id: unitId, status: to },
      expects: ({ status }) => status === from || status === to,
    },
    `unit_${to}`,
  );
}

export async function moveUnit(
  deps: ConsoleDeps,
  visit: Visit,
  unitId: string,
): Promise<ConsoleAnswer> {
  const place = parsePlace(visit.form.get('place'));
  if (place === null) return NOT_FOUND;
  return await changeOne(deps, visit, { change: { id: unitId, ...place } }, 'unit_moved');
}

async function changeOne(
  deps: ConsoleDeps,
  visit: Visit,
  change: KnownChange,
  done: FlashCode,
): Promise<ConsoleAnswer> {
  const { language } = visit;
  const path = visit.path(`/stock/${change.change.id}`);
  const shop = { id: visit.shop.id, currency: visit.shop.currency, by: visit.actor };
  const [result] = await deps.write(
    visit.shop.id,
    async (tx) => await changeKnownUnits(tx, shop, [change], visit.now),
  );
  if (result === undefined || result.kind === 'not_found') return NOT_FOUND;
  if ('unitText' in result) {
    return goTo(path, result.kind === 'unchanged' ? 'unchanged' : done);
  }
  const messages = unitMessages[language];
  return showPage({
    title: messages.change,
    section: 'stock',
    status: 422,
    back: { href: path, label: messages.details },
    content: html`<div role="alert">${note('warn', refusalText(result, language))}</div>
      <div class="actions">${linkButton({ href: path, label: messages.details })}</div>`,
  });
}

/** Asks for confirmation before a unit gets a status that is hard to undo. */
export async function confirmStatus(
  { db }: ConsoleDeps,
  visit: Visit,
  unitId: string,
): Promise<ConsoleAnswer> {
  const to = askedStatus(visit.query['to']);
  const unit = await findStockUnit(db, visit.shop.id, unitId);
  if (unit === undefined || to === null || !nextStatuses(unit.status).includes(to)) {
    return NOT_FOUND;
  }
  const { language } = visit;
  const path = visit.path(`/stock/${unit.id}`);
  const name = nameOf(unit.item, language).text;
  const about = html`${name}<span class="item-details">${detailsOf(unit.item, language)}</span>`;
  return confirmPage(visit, {
    title: unitMessages[language].asks[to],
    section: 'stock',
    back: { href: path, label: name },
    content: askedText(to, about, language),
    action: `${path}/status`,
    fields: { to, from: unit.status },
    button: moveName(unit.status, to, language),
    keep: unitMessages[language].cancel,
  });
}
