import { hash } from 'node:crypto';
import { html } from 'hono/html';
import { isUuid } from '../../base/field.ts';
import { newId } from '../../base/secrets.ts';
import { uuidOfHex } from '../../base/uuid.ts';
import { receiveUnits } from '../../inventory/known-units.ts';
import { listPlaces } from '../../inventory/places.ts';
import { findStockUnit } from '../../inventory/stock-unit.ts';
import type { Markup } from '../../pages/page.ts';
import { type ConsoleAnswer, goTo, showPage } from '../answer.ts';
import { itemField, type PickedItem } from '../parts/item-field.ts';
import type { ConsoleDeps } from '../deps.ts';
import { countInput, oneInput } from '../parts/form/fields.ts';
import type { FormField } from '../parts/form/form-field.ts';
import { answerForm, type Form, type Saved, showInputs } from '../parts/form/form.ts';
import { linkButton } from '../parts/button.ts';
import { selectField } from '../parts/field.ts';
import { emptyState, note } from '../parts/notes.ts';
import { withQuery } from '../query.ts';
import type { Visit } from '../visit.ts';
import { nameOf } from '../parts/item-words.ts';
import { type ChosenPlace, parsePlace, placeChoices, placeValue } from './place-choice.ts';
import { refusalText } from './refusal-words.ts';
import { unitChange, unitFields, type UnitValues } from './unit-fields.ts';
import { receiveMessages } from './messages/unit.ts';

/** For one form: larger numbers come through the Shop API or a file. */
const QUANTITY_MAX = 100;

interface ReceiveValues extends UnitValues {
  readonly item: PickedItem;
  readonly quantity: number;
  readonly place: ChosenPlace;
}

/** Shows the form with the place used last. */
export async function receivePage(deps: ConsoleDeps, visit: Visit): Promise<ConsoleAnswer> {
  const { query, shop, language } = visit;
  const messages = receiveMessages[language];
  const form = formOf(deps, visit, newId());
  const places = await listPlaces(deps.db, shop.id);
  if (placeChoices(places, query['place'] ?? '').length === 0) {
    const action = linkButton({ href: visit.path('/places/new'), label: messages.addPlace });
    const content = emptyState(messages.title, messages.noPlaces, action);
    return showPage({ ...form.page, content });
  }
  const { card = '', product = '', place = '', ownership = '' } = query;
  const kind = product === '' ? query['kind'] : 'product';
  const given = { kind: kind ?? 'card', card, product, place, ownership, quantity: '1' };
  const inputs = new Map(Object.entries(given));
  return await showInputs(visit, { ...form, intro: await renderReceived(deps, visit) }, inputs);
}

/**
 * Receives the units and shows the form again with the same place. Submitting a form twice creates
 * no further units.
 */
export async function receive(deps: ConsoleDeps, visit: Visit): Promise<ConsoleAnswer> {
  const batch = visit.form.get('batch');
  const form = formOf(deps, visit, isUuid(batch) ? batch.toLowerCase() : newId());
  return await answerForm(visit, form, async ({ values }) => await take(deps, visit, form, values));
}

async function take(
  { write }: ConsoleDeps,
  visit: Visit,
  { batch }: ReceiveForm,
  { item, quantity, place, ...unit }: ReceiveValues,
): Promise<Saved<ReceiveValues>> {
  const { shop, now, language, actor } = visit;
  const isNumbered = unit.certNumber !== null || unit.serialNumber !== null;
  if (quantity > 1 && isNumbered) {
    const field = unit.certNumber === null ? 'serialNumber' : 'certNumber';
    return { kind: 'refused', faults: [{ field, text: receiveMessages[language].numbersOfOne }] };
  }
  const change = { ...unitChange(unit), item, ...place, acquiredAt: unit.acquiredAt ?? now };
  const changes = Array.from({ length: quantity }, (_, index) => ({
    id: idOfPiece(shop.id, batch, index),
    ...change,
  }));
  const by = { id: shop.id, currency: shop.currency, by: actor };
  const result = await write(shop.id, async (tx) => await receiveUnits(tx, by, changes, now));
  // All units of the form are alike, so the first refusal stands for all.
  const first = result.kind === 'received' ? result.results[0] : undefined;
  if (first !== undefined && !('unitText' in first)) {
    return { kind: 'refused', faults: [{ field: null, text: refusalText(first, language) }] };
  }
  return goTo(
    withQuery(visit.path('/stock/receive'), {
      place: placeValue(place),
      kind: item.kind === 'product' ? item.kind : null,
      ownership: unit.ownership === 'consigned' ? unit.ownership : null,
      got: changes[0]?.id,
      units: quantity,
    }),
  );
}

/** The ids of the units are derived from `batch`. */
interface ReceiveForm extends Form<ReceiveValues> {
  readonly batch: string;
}

function formOf(deps: ConsoleDeps, visit: Visit, batch: string): ReceiveForm {
  const messages = receiveMessages[visit.language];
  return {
    batch,
    page: {
      title: messages.title,
      section: 'stock',
      back: { href: visit.path('/stock'), label: messages.stock },
      scripts: ['card-picker'],
    },
    action: visit.path('/stock/receive'),
    hidden: { batch },
    fields: {
      item: itemField(visit, deps, { label: messages.kind, noGrade: messages.noGrade }),
      quantity: countInput({
        label: messages.quantity,
        hint: messages.quantityHint,
        bounds: [1, QUANTITY_MAX],
        wrong: messages.noQuantity,
        isRequired: true,
      }),
      place: placeField(deps, visit),
      ...unitFields(visit, visit.shop.currency),
    },
    layout: ({ item, quantity, place, ...unit }) =>
      html`<h2>${messages.what}</h2>
        ${item} ${quantity} ${place}
        <h2>${messages.details}</h2>
        ${Object.values(unit)}`,
    submit: messages.receive,
  };
}

function placeField({ db }: ConsoleDeps, { shop, language }: Visit): FormField<ChosenPlace> {
  const messages = receiveMessages[language];
  return oneInput({
    label: messages.place,
    show: placeValue,
    read: (text, refuse) => parsePlace(text) ?? refuse(messages.noPlace),
    render: async (state) => {
      const choices = placeChoices(await listPlaces(db, shop.id), state.value);
      // With a single place there is nothing to choose.
      const isAsked = state.value === '' && choices.length > 1;
      const none = isAsked ? [{ value: '', label: messages.choosePlace }] : [];
      return selectField({ ...state, choices: [...none, ...choices] });
    },
  });
}

/** Ids are derived from the form, so that submitting it twice names the same units. */
function idOfPiece(shopId: string, batch: string, index: number): string {
  return uuidOfHex(hash('sha256', `${shopId} ${batch} ${index}`, 'hex').slice(0, 32));
}

/** The units that the previous form received. */
async function renderReceived(
  { db }: ConsoleDeps,
  { query, shop, language, path }: Visit,
): Promise<Markup> {
  const { got, units: count = '' } = query;
  const unit = isUuid(got) ? await findStockUnit(db, shop.id, got.toLowerCase()) : undefined;
  if (unit === undefined) return html``;
  const messages = receiveMessages[language];
  const units = Number(/^\d{1,3}$/.exec(count)?.[0] ?? 1);
  return html`<div role="status">
    ${note(
      'good',
      html`${messages.received(units, nameOf(unit.item, language).text)}
        <a href="${path(`/stock/${unit.id}`)}">${messages.open(units)}</a>`,
    )}
  </div>`;
}
