import { Type } from 'typebox';
import { type Field, integerField, orNull, accept, textField, uuidField } from '../base/field.ts';
import { instantField } from '../base/instant-field.ts';
import { itemField } from '../catalog/item-field.ts';
import { storedField } from '../database/columns.ts';
import { amountField, currencyField } from '../shops/amount-field.ts';

/** No maximum is specified. A billion fits in the 32-bit integers of clients (decision 0070). */
export const REMAINING_MAX = 1_000_000_000;
/** More than any shop buys at once: this rejects a code typed into the wrong field. */
const PURCHASE_PIECES_MAX = 1_000_000;
/** The maximum length in code points: one line for landing pages and posts (spec 2.3). */
const NOTE_CHARACTERS_MAX = 200;

const noteText = textField(NOTE_CHARACTERS_MAX, 'A short text for landing pages and posts.');

/** A note for landing pages. An empty or blank note is null. */
const note: Field<string | null> = {
  schema: Type.Union([
    Type.String({
      maxLength: NOTE_CHARACTERS_MAX,
      description:
        'A short text for landing pages and posts. An empty or blank note is stored as null.',
    }),
    Type.Null(),
  ]),
  responseSchema: Type.Unsafe({ type: ['string', 'null'], maxLength: NOTE_CHARACTERS_MAX }),
  defaultValue: null,
  parse: (name, value) =>
    value === null || isBlank(value) ? accept(null) : noteText.parse(name, value),
};

/** `textField` rejects other blank characters, which are control characters. */
function isBlank(value: unknown): boolean {
  return (
    typeof value === 'string' && value.length <= NOTE_CHARACTERS_MAX && /^\p{Zs}*$/u.test(value)
  );
}

/** The fields that spec 2.3 lists before `status`. */
export const OFFER_FIELDS = {
  target: itemField('A grade. Null or omitted means any grade.'),
  priceMinor: storedField('price_minor bigint', amountField('The price per piece.')),
  currency: storedField('currency text', currencyField),
  remainingQuantity: storedField(
    'remaining_quantity bigint',
    orNull(integerField(0, REMAINING_MAX, 'How many more the shop will buy. Null means no limit.')),
  ),
};

export const TERM_FIELDS = {
  startsAt: storedField(
    'starts_at timestamptz',
    orNull(instantField('The boost opens at this instant.')),
  ),
  endsAt: storedField(
    'ends_at timestamptz',
    orNull(instantField('The boost closes at this instant.')),
  ),
  note: storedField('note text', note),
};

/** The fields that a shop may write (spec 2.3, decision 0070). */
export const BOOST_FIELDS = { ...OFFER_FIELDS, ...TERM_FIELDS };

export const PURCHASE_FIELDS = {
  id: uuidField(
    'The id of the purchase in your own system. Repeating it does not record a second purchase.',
  ),
  quantity: integerField(1, PURCHASE_PIECES_MAX, 'The number of pieces bought.'),
};
