import { hash } from 'node:crypto';
import { html } from 'hono/html';
import { isUuid } from '../../base/field.ts';
import { newId } from '../../base/secrets.ts';
import { uuidOfHex } from '../../base/uuid.ts';
import { receiveUnits } from '../../inventory/existing-units.ts';
import { listPlaces } from '../../inventory/places.ts';
import { findStockUnit } from '../../inventory/stock-unit.ts';
import type { Markup } from '../../html/page.ts';
import { type ConsoleResponse, redirectTo, showPage } from '../response.ts';
import { itemField, type PickedItem } from '../parts/item-field.ts';
import type { ConsoleDeps } from '../deps.ts';
import { countInput } from '../parts/form/fields.ts';
import { handleForm, type Form, type SaveResult, showInputs } from '../parts/form/form.ts';
import { linkButton } from '../parts/button.ts';
import { emptyState, callout } from '../parts/notes.ts';
import { withQuery } from '../query.ts';
import type { RequestContext } from '../request-context.ts';
import { itemNameOf } from '../parts/item-text.ts';
import { type ChosenPlace, placeChoices, placeValue } from './place-choice.ts';
import { placeField } from './place-field.ts';
import { refusalText } from './refusal-text.ts';
import { unitChange, unitFields, type UnitValues } from './unit-fields.ts';
import { receiveMessages } from './messages/unit.ts';

/**
 * The maximum number of units in one form. Larger quantities come through the Shop API or a file
 * import.
 */
const QUANTITY_MAX = 100;

interface ReceiveValues extends UnitValues {
  readonly item: PickedItem;
  readonly quantity: number;
  readonly place: ChosenPlace;
}

/** Shows the form to receive units, with the place that was used last. */
export async function receivePage(
  deps: ConsoleDeps,
  context: RequestContext,
): Promise<ConsoleResponse> {
  const { query, shop, language } = context;
  const messages = receiveMessages[language];
  const form = formOf(deps, context, newId());
  const places = await listPlaces(deps.db, shop.id);
  if (placeChoices(places, query['place'] ?? '').length === 0) {
    const action = linkButton({ href: context.shopPath('/places/new'), label: messages.addPlace });
    const content = emptyState(messages.title, messages.noPlaces, action);
    return showPage({ ...form.page, content });
  }
  const { card = '', product = '', place = '', ownership = '' } = query;
  const kind = product === '' ? query['kind'] : 'product';
  const given = { kind: kind ?? 'card', card, product, place, ownership, quantity: '1' };
  const inputs = new Map(Object.entries(given));
  return await showInputs(context, { ...form, intro: await renderReceived(deps, context) }, inputs);
}

/**
 * Receives the units and shows the form again with the same place. Submitting the same form twice
 * creates no additional units.
 */
export async function receive(
  deps: ConsoleDeps,
  context: RequestContext,
): Promise<ConsoleResponse> {
  const batch = context.form.get('batch');
  const form = formOf(deps, context, isUuid(batch) ? batch.toLowerCase() : newId());
  return await handleForm(
    context,
    form,
    async ({ values }) => await receiveBatch(deps, context, form, values),
  );
}

async function receiveBatch(
  { write }: ConsoleDeps,
  context: RequestContext,
  { batch }: ReceiveForm,
  { item, quantity, place, ...unit }: ReceiveValues,
): Promise<SaveResult<ReceiveValues>> {
  const { shop, now, language, actor } = context;
  const isNumbered = unit.certNumber !== null || unit.serialNumber !== null;
  if (quantity > 1 && isNumbered) {
    const field = unit.certNumber === null ? 'serialNumber' : 'certNumber';
    return { kind: 'refused', errors: [{ field, text: receiveMessages[language].numbersOfOne }] };
  }
  const change = { ...unitChange(unit), item, ...place, acquiredAt: unit.acquiredAt ?? now };
  const changes = Array.from({ length: quantity }, (_, index) => ({
    id: idOfPiece(shop.id, batch, index),
    ...change,
  }));
  const by = { id: shop.id, currency: shop.currency, by: actor };
  const result = await write(shop.id, async (tx) => await receiveUnits(tx, by, changes, now));
  // All units of the form have the same values, so the first refusal applies to all of them.
  const first = result.kind === 'received' ? result.results[0] : undefined;
  if (first !== undefined && !('unitText' in first)) {
    return { kind: 'refused', errors: [{ field: null, text: refusalText(first, language) }] };
  }
  return redirectTo(
    withQuery(context.shopPath('/stock/receive'), {
      place: placeValue(place),
      kind: item.kind === 'product' ? item.kind : null,
      ownership: unit.ownership === 'consigned' ? unit.ownership : null,
      got: changes[0]?.id,
      units: quantity,
    }),
  );
}

/** The form that receives units. The ids of the units are derived from `batch`. */
interface ReceiveForm extends Form<ReceiveValues> {
  readonly batch: string;
}

function formOf(deps: ConsoleDeps, context: RequestContext, batch: string): ReceiveForm {
  const messages = receiveMessages[context.language];
  return {
    batch,
    page: {
      title: messages.title,
      section: 'stock',
      back: { href: context.shopPath('/stock'), label: messages.stock },
      scripts: ['card-picker'],
    },
    action: context.shopPath('/stock/receive'),
    hidden: { batch },
    fields: {
      item: itemField(context, deps, { label: messages.kind, noGrade: messages.noGrade }),
      quantity: countInput({
        label: messages.quantity,
        hint: messages.quantityHint,
        bounds: [1, QUANTITY_MAX],
        invalidMessage: messages.noQuantity,
        isRequired: true,
      }),
      place: placeField(deps, context),
      ...unitFields(context, context.shop.currency),
    },
    layout: ({ item, quantity, place, ...unit }) =>
      html`<h2>${messages.what}</h2>
        ${item} ${quantity} ${place}
        <h2>${messages.details}</h2>
        ${Object.values(unit)}`,
    submit: messages.receive,
  };
}

/**
 * Returns the id of a unit, derived from the form, so that submitting the form twice yields the
 * same ids.
 */
function idOfPiece(shopId: string, batch: string, index: number): string {
  return uuidOfHex(hash('sha256', `${shopId} ${batch} ${index}`, 'hex').slice(0, 32));
}

/** Renders the units that the previous form received. */
async function renderReceived(
  { db }: ConsoleDeps,
  { query, shop, language, shopPath }: RequestContext,
): Promise<Markup> {
  const { got, units: count = '' } = query;
  const unit = isUuid(got) ? await findStockUnit(db, shop.id, got.toLowerCase()) : undefined;
  if (unit === undefined) return html``;
  const messages = receiveMessages[language];
  const units = Number(/^\d{1,3}$/.exec(count)?.[0] ?? 1);
  return html`<div role="status">
    ${callout(
      'good',
      html`${messages.received(units, itemNameOf(unit.item, language).text)}
        <a href="${shopPath(`/stock/${unit.id}`)}">${messages.open(units)}</a>`,
    )}
  </div>`;
}
