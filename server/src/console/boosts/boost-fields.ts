import { html } from 'hono/html';
import { textField as textReader } from '../../base/field.ts';
import type { BoostRow } from '../../boosts/boost-row.ts';
import type { BoostChange } from '../../boosts/put-boost.ts';
import { REMAINING_MAX } from '../../boosts/raise-boost.ts';
import { isCurrency } from '../../shops/shop.ts';
import { amountText } from '../../shops/amount-text.ts';
import { itemField, type PickedItem } from '../parts/item-field.ts';
import type { ConsoleDeps } from '../deps.ts';
import { countInput, instantInput, nullable, readAmount, textInput } from '../parts/form/fields.ts';
import { type FieldsOf, type FormField, inputsOf, readFields } from '../parts/form/form-field.ts';
import { textField } from '../parts/field.ts';
import type { RequestContext } from '../request-context.ts';
import { boostFormMessages, boostErrorMessages } from './messages/form.ts';

/** The maximum length of a note in code points (spec 2.3). */
const NOTE_CHARACTERS_MAX = 200;
const noteReader = textReader(NOTE_CHARACTERS_MAX, 'A note.');

interface Price {
  readonly priceMinor: number;
  readonly currency: string;
}

interface Period {
  readonly startsAt: Date | null;
  readonly endsAt: Date | null;
}

export interface BoostValues {
  readonly target: PickedItem;
  readonly price: Price;
  readonly left: number | null;
  readonly period: Period;
  readonly note: string | null;
}

export function boostFields(context: RequestContext, deps: ConsoleDeps): FieldsOf<BoostValues> {
  const messages = boostFormMessages[context.language];
  return {
    target: itemField(context, deps, {
      label: messages.kind,
      gradeHint: messages.gradeHint,
      noGrade: messages.anyGrade,
    }),
    price: priceField(context),
    left: nullable(
      countInput({
        label: messages.left,
        hint: messages.leftHint,
        bounds: [0, REMAINING_MAX],
        invalidMessage: boostErrorMessages[context.language].left,
      }),
    ),
    period: periodField(context),
    note: nullable(noteField(context)),
  };
}

export function valuesOfBoost({
  cardId,
  gradeId,
  productId,
  priceMinor,
  currency,
  remainingQuantity: left,
  startsAt,
  endsAt,
  note,
}: BoostRow): BoostValues {
  const target: PickedItem =
    productId === null
      ? { kind: 'card', cardId: cardId ?? '', gradeId }
      : { kind: 'product', productId };
  const price = { priceMinor, currency };
  // Ignore spaces that an API client stored around a note.
  return { target, price, left, period: { startsAt, endsAt }, note: note?.trim() ?? null };
}

export function boostChange(values: BoostValues): Required<BoostChange>;
export function boostChange(values: Partial<BoostValues>): BoostChange;
export function boostChange({
  target,
  price,
  left,
  period,
  note,
}: Partial<BoostValues>): BoostChange {
  return { target, ...price, remainingQuantity: left, ...period, note };
}

function priceField({ language, shop }: RequestContext): FormField<Price> {
  const messages = boostFormMessages[language];
  return {
    label: messages.price,
    names: () => ['price', 'currency'],
    show: (_name, { priceMinor, currency }) => ({
      price: amountText(priceMinor, currency),
      currency,
    }),
    read: (_name, inputs, refuse) => {
      const currency = (inputs.get('currency') ?? '').trim().toUpperCase();
      if (!isCurrency(currency)) {
        return refuse('currency', boostErrorMessages[language].currency);
      }
      const text = inputs.get('price') ?? '';
      const minor = readAmount(text, currency, language, (why) => refuse('price', why));
      return minor === undefined ? undefined : { priceMinor: minor, currency };
    },
    say: (_name, inputs) => `${inputs.get('price') ?? ''} ${inputs.get('currency') ?? ''}`.trim(),
    render: (_name, { inputs, textOf, errorOf }) => {
      const currency = inputs.get('currency') ?? shop.currency;
      const isUsual = currency === shop.currency && errorOf('currency') === null;
      return html`${textField({
          name: 'price',
          label: messages.price,
          hint: messages.priceHint(currency),
          value: textOf('price'),
          error: errorOf('price'),
          inputMode: 'decimal',
          maxLength: 24,
          autocomplete: 'off',
        })}
        <details class="field" ${isUsual ? '' : html` open`}>
          <summary>${messages.otherCurrency}</summary>
          ${textField({
            name: 'currency',
            label: messages.currency,
            hint: messages.currencyHint,
            value: currency,
            error: errorOf('currency'),
            maxLength: 3,
            isShort: true,
            autocomplete: 'off',
          })}
        </details>`;
    },
  };
}

/** Start and end are one field, because an end chosen for one start may not suit another. */
function periodField({ language, format: { zone } }: RequestContext): FormField<Period> {
  const messages = boostFormMessages[language];
  const ofZone = messages.zone(zone);
  const fields: FieldsOf<{ readonly starts: Date | null; readonly ends: Date | null }> = {
    starts: nullable(
      instantInput(language, { label: messages.starts, hint: messages.startsHint + ofZone, zone }),
    ),
    ends: nullable(
      instantInput(language, { label: messages.ends, hint: messages.endsHint + ofZone, zone }),
    ),
  };
  return {
    label: messages.period,
    names: () => ['starts', 'ends'],
    show: (_name, { startsAt: starts, endsAt: ends }) =>
      Object.fromEntries(inputsOf(fields, { starts, ends })),
    read: (_name, inputs, refuse) => {
      const period = readFields(fields, inputs, refuse);
      if (period === null) return undefined;
      const { starts: startsAt, ends: endsAt } = period;
      if (startsAt !== null && endsAt !== null && endsAt <= startsAt) {
        return refuse('ends', boostErrorMessages[language].endsFirst);
      }
      return { startsAt, endsAt };
    },
    say: async (_name, inputs) => {
      const starts = await fields.starts.say('starts', inputs);
      const ends = await fields.ends.say('ends', inputs);
      return `${starts || messages.atOnce} – ${ends || messages.noEnd}`;
    },
    render: async (_name, shown) =>
      html`<div class="side-by-side">
        ${await fields.starts.render('starts', shown)} ${await fields.ends.render('ends', shown)}
      </div>`,
  };
}

function noteField({ language }: RequestContext): FormField<string> {
  const messages = boostFormMessages[language];
  const errorMessages = boostErrorMessages[language];
  const field = textInput({
    label: messages.note,
    hint: messages.noteHint(NOTE_CHARACTERS_MAX),
    accepts: (text) => noteReader.parse('note', text).ok,
    invalidMessage: (text) =>
      [...text].length > NOTE_CHARACTERS_MAX
        ? errorMessages.longNote(NOTE_CHARACTERS_MAX)
        : errorMessages.note,
    // A code point takes at most two UTF-16 units, which `maxLength` counts.
    maxLength: 2 * NOTE_CHARACTERS_MAX,
    autocomplete: 'off',
  });
  return {
    ...field,
    render: async (name, shown) =>
      html`${await field.render(name, shown)}
        <p
          class="counter"
          data-counter="${name}"
          data-max="${NOTE_CHARACTERS_MAX}"
          aria-hidden="true"
        ></p>`,
  };
}
