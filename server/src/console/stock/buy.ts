import { html } from 'hono/html';
import { isUuid } from '../../base/field.ts';
import { newId } from '../../base/secrets.ts';
import { type BoostRow, selectBoostRow } from '../../boosts/boost-row.ts';
import { type CatalogTarget, readCatalogTargets } from '../../boosts/boost-target.ts';
import { targetOf } from '../../boosts/render-boost.ts';
import type { UnitChange } from '../../inventory/unit.ts';
import { receiveLines } from '../../receipts/receipt.ts';
import { type ConsoleResponse, redirectTo, NOT_FOUND } from '../response.ts';
import type { ConsoleDeps } from '../deps.ts';
import { describeTarget, gradeOfTarget } from '../parts/boost-text.ts';
import { amountInput, countInput, nullable, singleInput } from '../parts/form/fields.ts';
import type { FieldsOf, FormField } from '../parts/form/form-field.ts';
import { type Form, handleForm, type SaveResult, showForm } from '../parts/form/form.ts';
import { selectField } from '../parts/field.ts';
import { gradeChoices } from '../parts/grade-choices.ts';
import { descriptionList, type FormError } from '../parts/notes.ts';
import { parseUuid, withQuery } from '../query.ts';
import type { RequestContext } from '../request-context.ts';
import { certificatesPerUnit, certificatesField, QUANTITY_MAX } from './certificates-field.ts';
import { findLastPlace } from './last-place.ts';
import { type ChosenPlace, parsePlace } from './place-choice.ts';
import { placeField } from './place-field.ts';
import { refusalText } from './refusal-text.ts';
import { buyMessages } from './messages/buy.ts';
import { certificateMessages, receiveMessages } from './messages/unit.ts';

interface BuyValues {
  readonly quantity: number;
  /** Absent if the member may not see costs. The cost is then the boost's price. */
  readonly cost?: number | null;
  /** Absent unless the boost is for any grade of a card. */
  readonly grade?: string | null;
  /** Absent for a product. */
  readonly certificates?: readonly string[];
  readonly place: ChosenPlace;
}

interface Purchase {
  readonly boost: BoostRow;
  readonly target: CatalogTarget;
  /** The id of the purchase and of its receipt, so that a form sent twice buys once. */
  readonly id: string;
}

export async function buyPage(
  deps: ConsoleDeps,
  context: RequestContext,
): Promise<ConsoleResponse> {
  const purchase = await findPurchaseByPath(deps, context);
  if (purchase === undefined) return NOT_FOUND;
  const { boost } = purchase;
  if (boost.endedAt !== null) return redirectTo(context.shopPath(`/boosts/${boost.id}`));
  const place = parsePlace(context.query['place']) ?? (await findLastPlace(deps, context));
  const values = { quantity: 1, cost: boost.priceMinor, ...(place === null ? {} : { place }) };
  return await showForm(context, formOf(deps, context, purchase), values);
}

/** Records the purchase and creates its units in one transaction. */
export async function buy(deps: ConsoleDeps, context: RequestContext): Promise<ConsoleResponse> {
  const purchase = await findPurchaseByPath(deps, context);
  if (purchase === undefined) return NOT_FOUND;
  const form = formOf(deps, context, purchase);
  return await handleForm(
    context,
    form,
    async ({ values }) => await savePurchase(deps, context, purchase, values),
  );
}

async function savePurchase(
  deps: ConsoleDeps,
  context: RequestContext,
  { boost, id }: Purchase,
  values: BuyValues,
): Promise<SaveResult<BuyValues>> {
  const { shop, now, language } = context;
  const refuse = (field: string | null, text: string): SaveResult<BuyValues> => {
    return { kind: 'refused', errors: [{ field, text }] };
  };
  const { quantity, certificates = [], cost = boost.priceMinor, grade = boost.gradeId } = values;
  const numbers = certificatesPerUnit(quantity, certificates);
  if (numbers === null) {
    const text = certificateMessages[language].count(certificates.length, quantity);
    return refuse('certificates', text);
  }
  const unit = {
    item: itemOf(boost, grade),
    ...values.place,
    costMinor: cost,
    currency: boost.currency,
    acquiredAt: now,
  };
  const line = {
    id,
    units: numbers.map((certNumber) => ({ ...unit, certNumber })),
    boostId: boost.id,
  };
  const receiver = { id: shop.id, currency: shop.currency, by: context.actor };
  const result = await receiveLines(
    async (work) => await deps.write(shop.id, work),
    receiver,
    [line],
    now,
  );
  switch (result.kind) {
    case 'received':
    case 'known':
      return redirectTo(withQuery(context.shopPath(`/boosts/${boost.id}`), { bought: id }));
    case 'unit_refused':
      return refuse(null, refusalText(result.refusal, language));
    case 'boost_refused':
      return { kind: 'refused', errors: [await describeBoostRefusal(deps, context, boost.id)] };
  }
}

/** Returns the error for a boost that refused a purchase: it has ended, or fewer units remain. */
export async function describeBoostRefusal(
  { db }: ConsoleDeps,
  { shop, language, format }: RequestContext,
  boostId: string,
): Promise<FormError> {
  const current = await db.one(selectBoostRow, [shop.id, boostId]);
  const left = current?.endedAt === null ? current.remainingQuantity : null;
  const messages = buyMessages[language];
  return left === null
    ? { field: null, text: messages.ended }
    : { field: 'quantity', text: messages.fewerLeft(format.number(left)) };
}

function itemOf({ cardId, productId }: BoostRow, gradeId: string | null): UnitChange['item'] {
  return productId === null
    ? { kind: 'card', cardId: cardId ?? '', gradeId }
    : { kind: 'product', productId };
}

async function findPurchaseByPath(
  { db }: ConsoleDeps,
  { shop, params, form }: RequestContext,
): Promise<Purchase | undefined> {
  const boostId = parseUuid(params['id']);
  const boost = boostId === null ? undefined : await db.one(selectBoostRow, [shop.id, boostId]);
  if (boost === undefined) return undefined;
  const target = targetOf(boost, await readCatalogTargets(db, shop.id, [boost]));
  return { boost, target, id: parseUuid(form.get('batch')) ?? newId() };
}

function formOf(
  deps: ConsoleDeps,
  context: RequestContext,
  { boost, target, id }: Purchase,
): Form<BuyValues> {
  const { language, format } = context;
  const messages = buyMessages[language];
  const href = context.shopPath(`/boosts/${boost.id}`);
  const grade = gradeOfTarget(target, language);
  const { remainingQuantity: left } = boost;
  return {
    page: { title: messages.title, section: 'boosts', back: { href, label: messages.boost } },
    action: `${href}/buy`,
    hidden: { batch: id },
    intro: html`<section class="sheet">
      ${descriptionList([
        [messages.what, describeTarget(target, language)],
        ...(grade === null ? [] : [[messages.grade, grade] as const]),
        [messages.priceEach, format.money(boost.priceMinor, boost.currency)],
        [messages.left, left === null ? messages.noLimit : format.number(left)],
      ])}
    </section>`,
    fields: buyFields(deps, context, boost, target),
    submit: messages.buy,
  };
}

function buyFields(
  deps: ConsoleDeps,
  context: RequestContext,
  boost: BoostRow,
  target: CatalogTarget,
): FieldsOf<BuyValues> {
  const { language } = context;
  const messages = buyMessages[language];
  const { quantity, noQuantity } = receiveMessages[language];
  const isCard = target.kind === 'card';
  // Cards with the shop's own grade have no certificates.
  const mayBeSlab = isCard && target.grade?.serviceKind !== 'internal';
  return {
    quantity: countInput({
      label: quantity,
      hint: messages.quantityHint,
      bounds: [1, QUANTITY_MAX],
      invalidMessage: noQuantity,
      isRequired: true,
    }),
    ...(context.can('inventory.cost')
      ? {
          cost: nullable(
            amountInput(language, {
              label: messages.costEach,
              hint: messages.costHint(boost.currency),
              currency: boost.currency,
              isShort: true,
            }),
          ),
        }
      : {}),
    ...(isCard && boost.gradeId === null ? { grade: gradeField(deps, context) } : {}),
    ...(mayBeSlab ? { certificates: certificatesField(context) } : {}),
    place: placeField(deps, context),
  };
}

export function gradeField(
  { db }: Pick<ConsoleDeps, 'db'>,
  { shop, language }: RequestContext,
): FormField<string | null> {
  const { grade: label, ungraded } = buyMessages[language];
  return singleInput<string | null>({
    label,
    show: (gradeId) => gradeId ?? '',
    read: (text) => (isUuid(text) ? text.toLowerCase() : null),
    render: async (state) =>
      selectField({
        ...state,
        choices: [{ value: '', label: ungraded }, ...(await gradeChoices(db, shop.id))],
      }),
  });
}
