import { html } from 'hono/html';
import { hashSecret } from '../../base/secrets.ts';
import { changeKnownUnits } from '../../inventory/known-units.ts';
import { findStockUnit, type StockUnitDetails } from '../../inventory/stock-unit.ts';
import type { UnitRow } from '../../inventory/unit-row.ts';
import type { Language } from '../../pages/language.ts';
import { amountText } from '../amount-text.ts';
import { type ConsoleAnswer, goTo, NOT_FOUND, showPage } from '../answer.ts';
import type { ConsoleDeps } from '../deps.ts';
import { localTextOf } from '../local-instant.ts';
import { linkButton, submitButton } from '../parts/button.ts';
import { nameOf } from '../parts/item-words.ts';
import { faultSummary, type FormFault } from '../parts/notes.ts';
import type { Visit } from '../visit.ts';
import { refusalText } from './refusal-words.ts';
import {
  readUnitFields,
  renderUnitFields,
  textsOfForm,
  UNIT_FIELDS,
  type UnitFieldName,
  type UnitFieldTexts,
} from './unit-fields.ts';
import { unitEditMessages, unitMessages } from './messages/unit.ts';

/** What of a unit the form shows. */
type Edited = Pick<
  UnitRow,
  | 'priceMinor'
  | 'costMinor'
  | 'currency'
  | 'certNumber'
  | 'serialNumber'
  | 'ownership'
  | 'acquiredAt'
>;

/** Shows the form of a unit as it stands. */
export async function editUnitPage(
  { db }: ConsoleDeps,
  visit: Visit,
  unitId: string,
): Promise<ConsoleAnswer> {
  const unit = await findStockUnit(db, visit.shop.id, unitId);
  if (unit === undefined) return NOT_FOUND;
  return renderForm(visit, unit, { texts: textsOf(visit, unit), faults: [], meanwhile: {} });
}

/**
 * Saves the form. What others have changed in the same fields since it was shown is not lost: then the form comes back
 * with both values.
 */
export async function saveUnit(
  deps: ConsoleDeps,
  visit: Visit,
  unitId: string,
): Promise<ConsoleAnswer> {
  const { db } = deps;
  const unit = await findStockUnit(db, visit.shop.id, unitId);
  if (unit === undefined) return NOT_FOUND;
  const texts = textsOfForm(visit.form);
  const { values, faults } = readUnitFields(visit, texts, unit.currency, unit.acquiredAt);
  if (faults.length > 0) return renderForm(visit, unit, { texts, faults, meanwhile: {} });
  const seen = visit.form.get('seen') ?? '';
  const shop = { id: visit.shop.id, currency: visit.shop.currency, by: visit.actor };
  const [result] = await deps.write(
    visit.shop.id,
    async (tx) =>
      await changeKnownUnits(
        tx,
        shop,
        [
          {
            change: { id: unitId, ...values },
            expects: (row) => markOf(visit, row) === seen,
          },
        ],
        visit.now,
      ),
  );
  if (result === undefined || result.kind === 'not_found') return NOT_FOUND;
  if (result.kind === 'changed_meanwhile') {
    const now = textsOf(visit, result.row);
    const stale = { field: null, text: unitEditMessages[visit.language].stale };
    const meanwhile = differences(visit, texts, now);
    return renderForm(visit, { ...unit, ...result.row }, { texts, faults: [stale], meanwhile });
  }
  const path = visit.path(`/stock/${unitId}`);
  if ('unitText' in result) {
    return goTo(path, result.kind === 'unchanged' ? 'unchanged' : 'saved');
  }
  const refused = { field: null, text: refusalText(result, visit.language) };
  return renderForm(visit, unit, { texts, faults: [refused], meanwhile: {} });
}

interface FormState {
  readonly texts: UnitFieldTexts;
  readonly faults: readonly FormFault[];
  readonly meanwhile: Readonly<Partial<Record<UnitFieldName, string>>>;
}

function renderForm(
  visit: Visit,
  unit: Edited & Pick<StockUnitDetails, 'id' | 'item'>,
  { texts, faults, meanwhile }: FormState,
): ConsoleAnswer {
  const messages = unitEditMessages[visit.language];
  const path = visit.path(`/stock/${unit.id}`);
  const name = nameOf(unit.item, visit.language).text;
  const changed = Object.entries(meanwhile).map(([field, text]) => ({ field, text }));
  return showPage({
    title: messages.title,
    section: 'stock',
    status: faults.length === 0 ? 200 : 422,
    back: { href: path, label: name },
    content: html`${faultSummary(messages.faults, [...faults, ...changed])}
      <div class="sheet">
        <form class="stack" method="post" action="${path}/edit">
          ${visit.formToken}
          <input type="hidden" name="seen" value="${markOf(visit, unit)}" />
          ${renderUnitFields(visit, texts, { currency: unit.currency, faults, meanwhile })}
          <div class="actions">
            ${submitButton(messages.save)}
            ${linkButton({ href: path, label: unitMessages[visit.language].cancel })}
          </div>
        </form>
      </div>`,
  });
}

function textsOf(visit: Visit, unit: Edited): UnitFieldTexts {
  const { acquiredAt, currency } = unit;
  return {
    price: amountText(unit.priceMinor, currency),
    cost: visit.may('inventory.cost') ? amountText(unit.costMinor, currency) : '',
    certNumber: unit.certNumber ?? '',
    serialNumber: unit.serialNumber ?? '',
    ownership: unit.ownership,
    acquiredAt: acquiredAt === null ? '' : localTextOf(acquiredAt, visit.format.zone),
  };
}

/** Stands for the fields as they are: other changes of a unit (its status, its photos) are no reason to ask again. */
function markOf(visit: Visit, unit: Edited): string {
  return hashSecret(JSON.stringify(textsOf(visit, unit))).slice(0, 22);
}

function differences(
  visit: Visit,
  typed: UnitFieldTexts,
  now: UnitFieldTexts,
): Readonly<Partial<Record<UnitFieldName, string>>> {
  const messages = unitEditMessages[visit.language];
  return Object.fromEntries(
    UNIT_FIELDS.filter((name) => typed[name] !== now[name]).map((name) => [
      name,
      messages.now(shownValue(visit.language, name, now[name]) || messages.empty),
    ]),
  );
}

function shownValue(language: Language, name: UnitFieldName, text: string): string {
  if (name !== 'ownership') return text;
  return text === 'consigned' ? unitMessages[language].consigned : unitMessages[language].owned;
}
