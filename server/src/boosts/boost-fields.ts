import { Type } from 'typebox';
import { type Field, integerField, orNull, read, textField, uuidField } from '../base/field.ts';
import { instantField } from '../base/instant-field.ts';
import { itemField } from '../catalog/item-field.ts';
import { kept } from '../database/columns.ts';
import { amountField, currencyField } from '../shops/amount-field.ts';

/**
 * Pieces that a boost may have left (decision 0070). The specification sets no maximum; a billion still fits the 32 bits in which the
 * narrowest readers of JSON hold a whole number (2,147,483,647).
 */
export const REMAINING_MAX = 1_000_000_000;
/** Pieces of one purchase: more than any till buys at once, so a code scanned into the wrong field is noticed. */
const PURCHASE_PIECES_MAX = 1_000_000;
/** Specification 2.3: a line for landing pages and posts. */
const NOTE_CHARACTERS_MAX = 200;

const noteText = textField(NOTE_CHARACTERS_MAX, 'A line for landing pages and posts.');

/** Up to 200 code points: an empty or blank one is none. */
const note: Field<string | null> = {
  schema: Type.Union([
    Type.String({
      maxLength: NOTE_CHARACTERS_MAX,
      description: 'A line for landing pages and posts. An empty or blank one is none (null).',
    }),
    Type.Null(),
  ]),
  shown: Type.Unsafe({ type: ['string', 'null'], maxLength: NOTE_CHARACTERS_MAX }),
  initial: null,
  read: (name, value) =>
    value === null || isBlank(value) ? read(null) : noteText.read(name, value),
};

/** Spaces of any width. Other blank characters are control characters, and refused as such. */
function isBlank(value: unknown): boolean {
  return (
    typeof value === 'string' && value.length <= NOTE_CHARACTERS_MAX && /^\p{Zs}*$/u.test(value)
  );
}

/** What a boost buys, at which price, and how many; its state follows in the order of specification 2.3. */
export const OFFER_FIELDS = {
  target: itemField('A grade; null or left out: any grade.'),
  priceMinor: kept('price_minor bigint', amountField('The price of each piece.')),
  currency: kept('currency text', currencyField),
  remainingQuantity: kept(
    'remaining_quantity bigint',
    orNull(integerField(0, REMAINING_MAX, 'How many more are bought; null: no limit.')),
  ),
};

/** When a boost is open, and what its shop says to it. */
export const TERM_FIELDS = {
  startsAt: kept('starts_at timestamptz', orNull(instantField('The boost opens at this instant.'))),
  endsAt: kept('ends_at timestamptz', orNull(instantField('The boost closes at this instant.'))),
  note: kept('note text', note),
};

/** A buy boost (specification 2.3): what its shop may write (decision 0070), and what is kept and shown of it. */
export const BOOST_FIELDS = { ...OFFER_FIELDS, ...TERM_FIELDS };

/** What a till says of a purchase on a boost. */
export const PURCHASE_FIELDS = {
  id: uuidField("The till's own id of the purchase: the same one again is no second purchase."),
  quantity: integerField(1, PURCHASE_PIECES_MAX, 'How many pieces were bought.'),
};
