import { changeKnownUnits } from '../../inventory/known-units.ts';
import { findStockUnit, type StockUnitDetails } from '../../inventory/stock-unit.ts';
import type { UnitRow } from '../../inventory/unit-row.ts';
import { type ConsoleAnswer, goTo, NOT_FOUND } from '../answer.ts';
import type { ConsoleDeps } from '../deps.ts';
import { answerForm, type Form, showForm } from '../parts/form/form.ts';
import { nameOf } from '../parts/item-words.ts';
import type { Visit } from '../visit.ts';
import { refusalText } from './refusal-words.ts';
import { unitChange, unitFields, type UnitValues } from './unit-fields.ts';
import { unitEditMessages } from './messages/unit.ts';

export async function editUnitPage(
  { db }: ConsoleDeps,
  visit: Visit,
  unitId: string,
): Promise<ConsoleAnswer> {
  const unit = await findStockUnit(db, visit.shop.id, unitId);
  if (unit === undefined) return NOT_FOUND;
  return await showForm(visit, formOf(visit, unit), valuesOf(visit, unit));
}

export async function saveUnit(
  { db, write }: ConsoleDeps,
  visit: Visit,
  unitId: string,
): Promise<ConsoleAnswer> {
  const { shop, now, language } = visit;
  const unit = await findStockUnit(db, shop.id, unitId);
  if (unit === undefined) return NOT_FOUND;
  return await answerForm(visit, formOf(visit, unit), async ({ change, isOvertaken }) => {
    const known = {
      change: { id: unitId, ...unitChange(change) },
      // Amounts were read in the currency that the form was made with.
      expects: (row: UnitRow) =>
        row.currency === unit.currency && !isOvertaken(valuesOf(visit, row)),
    };
    const by = { id: shop.id, currency: shop.currency, by: visit.actor };
    const [result] = await write(
      shop.id,
      async (tx) => await changeKnownUnits(tx, by, [known], now),
    );
    if (result === undefined || result.kind === 'not_found') return NOT_FOUND;
    if (result.kind === 'changed_meanwhile') {
      return { kind: 'overtaken', now: valuesOf(visit, result.row) };
    }
    if ('unitText' in result) {
      const flash = result.kind === 'unchanged' ? 'unchanged' : 'saved';
      return goTo(visit.path(`/stock/${unitId}`), flash);
    }
    const text = refusalText(result, language);
    return { kind: 'refused', faults: [{ field: null, text }] };
  });
}

function formOf(
  visit: Visit,
  { id, item, currency }: Pick<StockUnitDetails, 'id' | 'item' | 'currency'>,
): Form<UnitValues> {
  const href = visit.path(`/stock/${id}`);
  return {
    page: {
      title: unitEditMessages[visit.language].title,
      section: 'stock',
      back: { href, label: nameOf(item, visit.language).text },
    },
    action: `${href}/edit`,
    fields: unitFields(visit, currency),
  };
}

function valuesOf(
  visit: Visit,
  unit: Pick<
    UnitRow,
    'priceMinor' | 'costMinor' | 'certNumber' | 'serialNumber' | 'ownership' | 'acquiredAt'
  >,
): UnitValues {
  const { priceMinor: price, costMinor: cost, certNumber, serialNumber } = unit;
  const { ownership, acquiredAt } = unit;
  return {
    price,
    ...(visit.may('inventory.cost') ? { cost } : {}),
    certNumber,
    serialNumber,
    ownership,
    acquiredAt,
  };
}
