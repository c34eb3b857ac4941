import { html } from 'hono/html';
import { isUuid } from '../../base/field.ts';
import {
  changeExistingUnits,
  type ExistingUnitChange,
  type ExistingUnitResult,
} from '../../inventory/existing-units.ts';
import { listPlaces } from '../../inventory/places.ts';
import type { UnitRow } from '../../inventory/unit-row.ts';
import { readUnitItems } from '../../inventory/unit-items.ts';
import { type ConsoleResponse, redirectTo, showPage } from '../response.ts';
import type { ConsoleDeps } from '../deps.ts';
import { linkButton } from '../parts/button.ts';
import { confirmPage } from '../parts/confirm-page.ts';
import { renderItemName, itemNameOf } from '../parts/item-text.ts';
import { type FormError, callout } from '../parts/notes.ts';
import { parseFormStockFilter, stockListPathOfForm } from '../parts/stock-filter.ts';
import { type Cell, table } from '../parts/table.ts';
import type { RequestContext } from '../request-context.ts';
import { type ConfirmedStatus, parseConfirmedStatus } from './confirmed-status.ts';
import {
  BULK_TRANSITIONS,
  bulkActionName,
  type BulkAction,
  parseBulkAction,
} from './bulk-actions.ts';
import { PAGE_UNITS, type StockSearch } from './find-stock.ts';
import { showStock } from './list-page.ts';
import { parsePlace } from './place-choice.ts';
import { type ChangeRefusal, refusalText } from './refusal-text.ts';
import {
  type BulkChange,
  currentValueOf,
  parseUndoForm,
  renderUndoButton,
  undoBulkChange,
  renderUndoCookies,
} from './undo-bulk.ts';
import { confirmationText } from './status-text.ts';
import { bulkMessages } from './messages/list.ts';
import { unitMessages } from './messages/unit.ts';

/**
 * Changes the ticked units of a page in one transaction. A unit that is refused is reported and
 * does not stop the others. If the form is incomplete, the list is shown again with the same boxes
 * ticked.
 */
export async function changeTickedUnits(
  deps: ConsoleDeps,
  search: StockSearch,
  context: RequestContext,
): Promise<ConsoleResponse> {
  const messages = bulkMessages[context.language];
  const ids = [...context.form.keys()]
    .filter((name) => name.startsWith('unit.'))
    .map((name) => name.slice('unit.'.length).toLowerCase())
    .filter(isUuid);
  const chosen = [...new Set(ids)].slice(0, PAGE_UNITS);
  const refuse = async (error: FormError): Promise<ConsoleResponse> =>
    await showStock(deps, search, context, parseFormStockFilter(context), {
      ticked: new Set(chosen),
      error,
    });
  if (chosen.length === 0) return await refuse({ field: null, text: messages.nothingChosen });
  const action = parseBulkAction(context.form.get('do'));
  const changes =
    action === null
      ? await readPlaceChanges(deps, context, chosen)
      : toStatusChanges(action, chosen);
  if (changes === null) return await refuse({ field: 'place', text: messages.noPlace });
  const statusToConfirm =
    action === null ? null : parseConfirmedStatus(BULK_TRANSITIONS[action].to);
  if (action !== null && statusToConfirm !== null && context.form.get('sure') !== '1') {
    return confirmBulkAction(context, { action, to: statusToConfirm, chosen });
  }
  const shop = { id: context.shop.id, currency: context.shop.currency, by: context.actor };
  const newValue =
    action === null ? (context.form.get('place') ?? '') : BULK_TRANSITIONS[action].to;
  const before = new Map<string, string>();
  const noted = changes.map(({ change, expects = () => true }) => ({
    change,
    expects: (row: UnitRow) => {
      before.set(change.id, currentValueOf(row, newValue));
      return expects(row);
    },
  }));
  const results = await deps.write(
    context.shop.id,
    async (tx) => await changeExistingUnits(tx, shop, noted, context.now),
  );
  const changed = chosen.filter((_, at) => results[at]?.kind === 'updated');
  const oldValues = new Map(changed.map((id) => [id, before.get(id) ?? newValue]));
  const undo = { newValue, oldValues };
  const refused = refusalsOf(chosen, results);
  if (refused.length > 0) return await showRefusedUnits(deps, context, results, refused, undo);
  const same = results.filter(({ kind }) => kind === 'unchanged').length;
  const what = action === null ? 'moved' : BULK_TRANSITIONS[action].to;
  return redirectTo(
    stockListPathOfForm(context),
    `units_${what}.${results.length - same}.${same}`,
    renderUndoCookies(undo, deps.publicUrl.startsWith('https:')),
  );
}

export async function undoBulk(
  deps: ConsoleDeps,
  context: RequestContext,
): Promise<ConsoleResponse> {
  const undo = parseUndoForm(context);
  const shop = { id: context.shop.id, currency: context.shop.currency, by: context.actor };
  const results = await deps.write(
    context.shop.id,
    async (tx) => await undoBulkChange(tx, shop, undo, context.now),
  );
  const refused = refusalsOf([...undo.oldValues.keys()], results);
  if (refused.length > 0) return await showRefusedUnits(deps, context, results, refused, null);
  const same = results.filter(({ kind }) => kind === 'unchanged').length;
  return redirectTo(
    stockListPathOfForm(context),
    results.length === same ? 'unchanged' : `units_undone.${results.length - same}.0`,
  );
}

function toStatusChanges(
  action: BulkAction,
  ids: readonly string[],
): readonly ExistingUnitChange[] {
  const { from, to } = BULK_TRANSITIONS[action];
  return ids.map((id) => ({
    change: { id, status: to },
    expects: ({ status }) => status === to || from.includes(status),
  }));
}

async function readPlaceChanges(
  { db }: ConsoleDeps,
  context: RequestContext,
  ids: readonly string[],
): Promise<readonly ExistingUnitChange[] | null> {
  const place = parsePlace(context.form.get('place'));
  if (context.form.get('do') !== 'move' || place === null) return null;
  const places = await listPlaces(db, context.shop.id);
  const isKnown = places.some(
    ({ siteId, locationId }) => siteId === place.siteId && locationId === place.locationId,
  );
  return isKnown ? ids.map((id) => ({ change: { id, ...place } })) : null;
}

/** Shows a page that asks for confirmation and then repeats the request. */
function confirmBulkAction(
  context: RequestContext,
  {
    action,
    to,
    chosen,
  }: {
    readonly action: BulkAction;
    readonly to: ConfirmedStatus;
    readonly chosen: readonly string[];
  },
): ConsoleResponse {
  const messages = bulkMessages[context.language];
  const href = stockListPathOfForm(context);
  return confirmPage(context, {
    title: messages.asks(chosen.length),
    section: 'stock',
    back: { href, label: messages.stock },
    content: confirmationText(to, messages.units(chosen.length), context.language),
    action: context.shopPath('/stock/bulk'),
    fields: {
      ...Object.fromEntries(chosen.map((id) => [`unit.${id}`, 'on'])),
      list: href,
      do: action,
      sure: '1',
    },
    button: bulkActionName(action, context.language),
    cancelLabel: unitMessages[context.language].cancel,
  });
}

interface RefusedUnit {
  readonly id: string;
  readonly refusal: ChangeRefusal;
}

function refusalsOf(ids: readonly string[], results: readonly ExistingUnitResult[]): RefusedUnit[] {
  return results.flatMap((result, at) => {
    if ('unitText' in result) return [];
    return [{ id: ids[at] ?? '', refusal: result }];
  });
}

async function showRefusedUnits(
  { db }: ConsoleDeps,
  context: RequestContext,
  results: readonly ExistingUnitResult[],
  refused: readonly RefusedUnit[],
  undo: BulkChange | null,
): Promise<ConsoleResponse> {
  const { language } = context;
  const messages = bulkMessages[language];
  const changed = results.filter(({ kind }) => kind === 'updated').length;
  const same = results.filter(({ kind }) => kind === 'unchanged').length;
  const items = await readUnitItems(
    db,
    context.shop.id,
    refused.map(({ id }) => id),
  );
  const nameCell = ({ id }: RefusedUnit): Cell => {
    const item = items.get(id);
    if (item === undefined) return id;
    const name = renderItemName(itemNameOf(item, language), language);
    return html`<a href="${context.shopPath(`/stock/${id}`)}">${name}</a>`;
  };
  return showPage({
    title: messages.title,
    section: 'stock',
    back: { href: stockListPathOfForm(context), label: messages.stock },
    content: html`${changed + same === 0 ? '' : callout('good', messages.done(changed, same))}
      ${renderUndoButton(context, undo, stockListPathOfForm(context))}
      ${callout('warn', messages.refused(refused.length))}
      <div class="sheet">
        ${table({
          caption: messages.refused(refused.length),
          rows: refused,
          columns: [
            [messages.unit, nameCell],
            [messages.reason, ({ refusal }) => refusalText(refusal, language)],
          ],
        })}
      </div>
      <div class="actions">
        ${linkButton({ href: stockListPathOfForm(context), label: messages.stock })}
      </div>`,
  });
}
