import { changeExistingUnits } from '../../inventory/existing-units.ts';
import { findStockUnit, type StockUnitDetails } from '../../inventory/stock-unit.ts';
import type { UnitRow } from '../../inventory/unit-row.ts';
import { type ConsoleResponse, redirectTo, NOT_FOUND } from '../response.ts';
import type { ConsoleDeps } from '../deps.ts';
import { handleForm, type Form, showForm } from '../parts/form/form.ts';
import { itemNameOf } from '../parts/item-text.ts';
import type { RequestContext } from '../request-context.ts';
import { refusalText } from './refusal-text.ts';
import { unitChange, unitFields, type UnitValues } from './unit-fields.ts';
import { unitEditMessages } from './messages/unit.ts';

export async function editUnitPage(
  { db }: ConsoleDeps,
  context: RequestContext,
  unitId: string,
): Promise<ConsoleResponse> {
  const unit = await findStockUnit(db, context.shop.id, unitId);
  if (unit === undefined) return NOT_FOUND;
  return await showForm(context, formOf(context, unit), valuesOf(context, unit));
}

export async function saveUnit(
  { db, write }: ConsoleDeps,
  context: RequestContext,
  unitId: string,
): Promise<ConsoleResponse> {
  const { shop, now, language } = context;
  const unit = await findStockUnit(db, shop.id, unitId);
  if (unit === undefined) return NOT_FOUND;
  return await handleForm(context, formOf(context, unit), async ({ change, hasConflict }) => {
    const edit = {
      change: { id: unitId, ...unitChange(change) },
      // Amounts were parsed in the currency of the form, so a change of currency is a conflict too.
      expects: (row: UnitRow) =>
        row.currency === unit.currency && !hasConflict(valuesOf(context, row)),
    };
    const by = { id: shop.id, currency: shop.currency, by: context.actor };
    const [result] = await write(
      shop.id,
      async (tx) => await changeExistingUnits(tx, by, [edit], now),
    );
    if (result === undefined || result.kind === 'not_found') return NOT_FOUND;
    if (result.kind === 'changed_meanwhile') {
      return { kind: 'overtaken', now: valuesOf(context, result.row) };
    }
    if ('unitText' in result) {
      const flash = result.kind === 'unchanged' ? 'unchanged' : 'saved';
      return redirectTo(context.shopPath(`/stock/${unitId}`), flash);
    }
    const text = refusalText(result, language);
    return { kind: 'refused', errors: [{ field: null, text }] };
  });
}

function formOf(
  context: RequestContext,
  { id, item, currency }: Pick<StockUnitDetails, 'id' | 'item' | 'currency'>,
): Form<UnitValues> {
  const href = context.shopPath(`/stock/${id}`);
  return {
    page: {
      title: unitEditMessages[context.language].title,
      section: 'stock',
      back: { href, label: itemNameOf(item, context.language).text },
    },
    action: `${href}/edit`,
    fields: unitFields(context, currency),
  };
}

function valuesOf(
  context: RequestContext,
  unit: Pick<
    UnitRow,
    'priceMinor' | 'costMinor' | 'certNumber' | 'serialNumber' | 'ownership' | 'acquiredAt'
  >,
): UnitValues {
  const { priceMinor: price, costMinor: cost, certNumber, serialNumber } = unit;
  const { ownership, acquiredAt } = unit;
  return {
    price,
    ...(context.can('inventory.cost') ? { cost } : {}),
    certNumber,
    serialNumber,
    ownership,
    acquiredAt,
  };
}
