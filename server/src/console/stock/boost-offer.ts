import type { BoostRow } from '../../boosts/boost-row.ts';
import { listOpenBoostsOfItem } from '../../boosts/open-boosts-of-item.ts';
import type { Markup } from '../../html/page.ts';
import type { ConsoleDeps } from '../deps.ts';
import { checkboxField } from '../parts/field.ts';
import type { PickedItem } from '../parts/item-field.ts';
import type { RequestContext } from '../request-context.ts';
import { BUY_ON_BOOST_PERMISSIONS } from '../section.ts';
import { boostOfferMessages } from './messages/buy.ts';

/** The boost that the form offered for a line, and whether the member ticked it. */
export interface BoostOffer {
  readonly boostId: string | null;
  readonly isTicked: boolean;
}

type OfferChoice =
  | { readonly kind: 'chosen'; readonly boost: BoostRow | null }
  | { readonly kind: 'refused'; readonly text: string };

/** Renders the checkbox that records the units of a line as a purchase on their open boost. */
export function renderBoostOffer(
  { language, format }: RequestContext,
  boost: BoostRow,
  { name, isTicked }: { readonly name: string; readonly isTicked: boolean },
): Markup {
  const messages = boostOfferMessages[language];
  const left = boost.remainingQuantity;
  const price = format.money(boost.priceMinor, boost.currency);
  return checkboxField({
    name,
    label: messages.offer(price, left === null ? null : format.number(left)),
    hint: messages.hint,
    isTicked,
  });
}

/**
 * Returns the boost to record a purchase on, or null. Refuses if the item has an open boost that
 * the form has not offered yet, or if the ticked boost is no longer open for the item.
 */
export async function resolveBoostOffer(
  deps: Pick<ConsoleDeps, 'db'>,
  context: RequestContext,
  item: PickedItem,
  { boostId, isTicked }: BoostOffer,
): Promise<OfferChoice> {
  const messages = boostOfferMessages[context.language];
  const offers = await listBoostOffers(deps, context, item);
  if (isTicked) {
    const boost = offers.find(({ id }) => id === boostId);
    return boost === undefined
      ? { kind: 'refused', text: messages.closed }
      : { kind: 'chosen', boost };
  }
  const [best] = offers;
  if (best === undefined || best.id === boostId) return { kind: 'chosen', boost: null };
  return { kind: 'refused', text: messages.unanswered };
}

/** Best match first; none if the member may not buy on boosts. */
export async function listBoostOffers(
  { db }: Pick<ConsoleDeps, 'db'>,
  { shop, now, can }: RequestContext,
  item: PickedItem,
): Promise<readonly BoostRow[]> {
  return BUY_ON_BOOST_PERMISSIONS.all.every(can)
    ? await listOpenBoostsOfItem(db, shop, item, now)
    : [];
}
