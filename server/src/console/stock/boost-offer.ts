import { html } from 'hono/html';
import type { BoostRow } from '../../boosts/boost-row.ts';
import { listOpenBoostsOfItem } from '../../boosts/open-boosts-of-item.ts';
import type { ConsoleDeps } from '../deps.ts';
import { checkboxField } from '../parts/field.ts';
import type { FormField } from '../parts/form/form-field.ts';
import { formMessages } from '../parts/form/messages.ts';
import type { PickedItem } from '../parts/item-field.ts';
import type { FormError } from '../parts/notes.ts';
import { parseUuid } from '../query.ts';
import type { RequestContext } from '../request-context.ts';
import { BUY_ON_BOOST } from '../section.ts';
import { boostOfferMessages } from './messages/buy.ts';

/** The boost that the form offered, and whether the member ticked it. */
export interface BoostOffer {
  readonly boostId: string | null;
  readonly isTicked: boolean;
}

type OfferChoice =
  | { readonly kind: 'chosen'; readonly boost: BoostRow | null }
  | { readonly kind: 'refused'; readonly error: FormError };

/** Creates the check box that counts the pieces on the open boost of the item, if there is one. */
export function boostOfferField(
  deps: ConsoleDeps,
  context: RequestContext,
  itemField: FormField<PickedItem>,
): FormField<BoostOffer> {
  const { language, format } = context;
  const messages = boostOfferMessages[language];
  const { yes, no } = formMessages[language];
  return {
    label: messages.label,
    names: () => ['boost', 'offered'],
    show: (_name, { boostId, isTicked }) => ({
      boost: isTicked ? 'on' : '',
      offered: boostId ?? '',
    }),
    read: (_name, inputs) => ({
      boostId: parseUuid(inputs.get('offered')),
      isTicked: inputs.get('boost') === 'on',
    }),
    say: (_name, inputs) => (inputs.get('boost') === 'on' ? yes : no),
    render: async (_name, { inputs, textOf }) => {
      const item = itemField.read('item', inputs, () => undefined);
      const [boost] = item === undefined ? [] : await listOffers(deps, context, item);
      if (boost === undefined) return html``;
      const left = boost.remainingQuantity;
      const price = format.money(boost.priceMinor, boost.currency);
      return html`${checkboxField({
          name: 'boost',
          label: messages.offer(price, left === null ? null : format.number(left)),
          hint: messages.hint,
          isTicked: textOf('boost') === 'on' && textOf('offered') === boost.id,
        })}<input type="hidden" name="offered" value="${boost.id}" />`;
    },
  };
}

/**
 * Returns the boost on which the item is counted, or null. Refuses if the item has an open boost
 * that the form has not offered yet, or if the ticked boost is not open for this item any more.
 */
export async function chooseBoost(
  deps: ConsoleDeps,
  context: RequestContext,
  item: PickedItem,
  { boostId, isTicked }: BoostOffer,
): Promise<OfferChoice> {
  const messages = boostOfferMessages[context.language];
  const offers = await listOffers(deps, context, item);
  if (isTicked) {
    const boost = offers.find(({ id }) => id === boostId);
    if (boost !== undefined) return { kind: 'chosen', boost };
    return { kind: 'refused', error: { field: null, text: messages.closed } };
  }
  const [best] = offers;
  if (best === undefined || best.id === boostId) return { kind: 'chosen', boost: null };
  return { kind: 'refused', error: { field: 'boost', text: messages.unanswered } };
}

/** Returns nothing if the member may not change boosts. */
async function listOffers(
  { db }: ConsoleDeps,
  { shop, now, can }: RequestContext,
  item: PickedItem,
): Promise<readonly BoostRow[]> {
  return BUY_ON_BOOST.all.every(can) ? await listOpenBoostsOfItem(db, shop, item, now) : [];
}
