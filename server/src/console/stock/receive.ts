import { html } from 'hono/html';
import { isUuid } from '../../base/field.ts';
import { newId } from '../../base/secrets.ts';
import { listPlaces } from '../../inventory/places.ts';
import { findReceipt, receiveLines } from '../../receipts/receipt.ts';
import { type ConsoleResponse, redirectTo, showPage } from '../response.ts';
import { itemField, type PickedItem } from '../parts/item-field.ts';
import type { ConsoleDeps } from '../deps.ts';
import { countInput } from '../parts/form/fields.ts';
import { handleForm, type Form, type SaveResult, showInputs } from '../parts/form/form.ts';
import { linkButton } from '../parts/button.ts';
import { emptyState, type FormError } from '../parts/notes.ts';
import { renderReceiptNote } from '../parts/receipt-note.ts';
import { withQuery } from '../query.ts';
import type { RequestContext } from '../request-context.ts';
import { type BoostOffer, boostOfferField, chooseBoost } from './boost-offer.ts';
import { boostRefusal } from './buy.ts';
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
  readonly boost: BoostOffer;
}

/** Shows the form to receive units, with the grade and place that were used last. */
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
  const { card = '', product = '', grade = '', place = '', ownership = '' } = query;
  const kind = product === '' ? query['kind'] : 'product';
  const given = { kind: kind ?? 'card', card, grade, product, place, ownership, quantity: '1' };
  const inputs = new Map(Object.entries(given));
  const intro = await renderReceiptNote(context, deps, query['got'], 'stock');
  return await showInputs(context, { ...form, intro }, inputs);
}

/**
 * Receives the units and shows the form again with the same grade and place. Submitting the same form twice
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
  deps: ConsoleDeps,
  context: RequestContext,
  { batch }: ReceiveForm,
  { item, quantity, place, boost: offer, ...unit }: ReceiveValues,
): Promise<SaveResult<ReceiveValues>> {
  const { shop, now, language } = context;
  const isNumbered = unit.certNumber !== null || unit.serialNumber !== null;
  const refuse = (error: FormError): SaveResult<ReceiveValues> => {
    return { kind: 'refused', errors: [error] };
  };
  if (quantity > 1 && isNumbered) {
    const field = unit.certNumber === null ? 'serialNumber' : 'certNumber';
    return refuse({ field, text: receiveMessages[language].numbersOfOne });
  }
  const done = redirectTo(
    withQuery(context.shopPath('/stock/receive'), {
      place: placeValue(place),
      kind: item.kind === 'product' ? item.kind : null,
      grade: item.kind === 'card' ? item.gradeId : null,
      ownership: unit.ownership === 'consigned' ? unit.ownership : null,
      got: batch,
    }),
  );
  // A form that is sent twice may have taken the boost's last piece itself.
  if ((await findReceipt(deps.db, shop.id, batch)) !== undefined) return done;
  const choice = await chooseBoost(deps, context, item, offer);
  if (choice.kind === 'refused') return refuse(choice.error);
  const { boost } = choice;
  const change = {
    ...unitChange(unit),
    ...(boost === null ? {} : { costMinor: unit.cost ?? boost.priceMinor }),
    item,
    ...place,
    acquiredAt: unit.acquiredAt ?? now,
  };
  const units = Array.from({ length: quantity }, () => change);
  const receiver = {
    id: shop.id,
    currency: shop.currency,
    by: { kind: 'member' as const, accountId: context.account.id },
  };
  const result = await receiveLines(
    async (work) => await deps.write(shop.id, work),
    receiver,
    [{ id: batch, units, boostId: boost?.id ?? null }],
    now,
  );
  switch (result.kind) {
    case 'received':
    case 'known':
      return done;
    case 'unit_refused':
      return refuse({ field: null, text: refusalText(result.refusal, language) });
    case 'boost_refused':
      return refuse(await boostRefusal(deps, context, boost?.id ?? ''));
  }
}

/** The form that receives units. The id of their receipt is `batch`. */
interface ReceiveForm extends Form<ReceiveValues> {
  readonly batch: string;
}

function formOf(deps: ConsoleDeps, context: RequestContext, batch: string): ReceiveForm {
  const messages = receiveMessages[context.language];
  const item = itemField(context, deps, { label: messages.kind, noGrade: messages.noGrade });
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
      item,
      boost: boostOfferField(deps, context, item),
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
    layout: ({ item: itemInputs, boost, quantity, place, ...unit }) =>
      html`<h2>${messages.what}</h2>
        ${itemInputs} ${boost} ${quantity} ${place}
        <h2>${messages.details}</h2>
        ${Object.values(unit)}`,
    submit: messages.receive,
  };
}
