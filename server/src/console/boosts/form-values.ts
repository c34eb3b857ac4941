import { findTextFault } from '../../base/plain-text.ts';
import type { BoostRow } from '../../boosts/boost-row.ts';
import type { BoostChange, BoostTargetChange } from '../../boosts/put-boost.ts';
import { REMAINING_MAX } from '../../boosts/raise-boost.ts';
import type { Language } from '../../pages/language.ts';
import { isUuid } from '../../base/field.ts';
import { isCurrency } from '../../shops/shop.ts';
import { amountText, parseAmount } from '../amount-text.ts';
import { parseCount } from '../count-text.ts';
import { localTextOf, parseLocalInstant } from '../local-instant.ts';
import type { FormFault } from '../parts/notes.ts';
import type { MessagesOf } from '../../pages/messages.ts';
import { boostFaultMessages } from './messages/form.ts';

/** What a member sees and types of a boost: texts, as the fields of the form hold them. */
export interface BoostTexts {
  readonly kind: string;
  readonly card: string;
  readonly grade: string;
  readonly product: string;
  readonly price: string;
  readonly currency: string;
  readonly left: string;
  readonly starts: string;
  readonly ends: string;
  readonly note: string;
}

/** Fields that mean one thing together: what is decided about when two have changed a boost. */
export const FIELD_GROUPS = {
  target: ['kind', 'card', 'grade', 'product'],
  price: ['price', 'currency'],
  left: ['left'],
  starts: ['starts'],
  ends: ['ends'],
  note: ['note'],
} as const satisfies Readonly<Record<string, readonly (keyof BoostTexts)[]>>;
export type FieldGroup = keyof typeof FIELD_GROUPS;
export const GROUP_NAMES = Object.keys(FIELD_GROUPS).filter(isGroup);

/** Specification 2.3: code points of a note. */
export const NOTE_CHARACTERS_MAX = 200;

/** What of a boost's row its form shows. */
export type ShownColumns = Omit<
  BoostRow,
  'id' | 'isPaused' | 'endedAt' | 'createdAt' | 'updatedAt'
>;

/** A boost as its form shows it. */
export function textsOf(row: ShownColumns, zone: string): BoostTexts {
  return {
    kind: row.productId === null ? 'card' : 'product',
    card: row.cardId ?? '',
    grade: row.gradeId ?? '',
    product: row.productId ?? '',
    price: amountText(row.priceMinor, row.currency),
    currency: row.currency,
    left: row.remainingQuantity === null ? '' : String(row.remainingQuantity),
    starts: localText(row.startsAt, zone),
    ends: localText(row.endsAt, zone),
    // Around a note, spaces of another writer are not seen.
    note: row.note?.trim() ?? '',
  };
}

/** A form that nothing was typed into yet. */
export function emptyTexts(currency: string): BoostTexts {
  const empty = { card: '', grade: '', product: '', price: '', left: '', starts: '', ends: '' };
  return { ...empty, kind: 'card', currency, note: '' };
}

/** The texts of a posted form; `prefix` is that of what the member was shown (`was_`). */
export function readTexts(form: ReadonlyMap<string, string>, prefix = ''): BoostTexts {
  const text = (name: keyof BoostTexts): string => form.get(`${prefix}${name}`) ?? '';
  const kind = text('kind') === 'product' ? 'product' : 'card';
  return {
    kind,
    // What belongs to the other kind is of no account.
    card: kind === 'card' ? text('card').toLowerCase() : '',
    grade: kind === 'card' ? text('grade').toLowerCase() : '',
    product: kind === 'product' ? text('product').toLowerCase() : '',
    price: text('price').trim(),
    currency: text('currency').trim().toUpperCase(),
    left: text('left').trim(),
    starts: text('starts').trim(),
    ends: text('ends').trim(),
    note: text('note').trim(),
  };
}

/** The groups in which two forms of a boost differ. */
export function differingGroups(a: BoostTexts, b: BoostTexts): readonly FieldGroup[] {
  return GROUP_NAMES.filter((group) => FIELD_GROUPS[group].some((name) => a[name] !== b[name]));
}

/** `texts` with the groups of `other` in place of its own. */
export function withGroups(
  texts: BoostTexts,
  other: BoostTexts,
  groups: readonly FieldGroup[],
): BoostTexts {
  const names: readonly (keyof BoostTexts)[] = groups.flatMap((group) => [...FIELD_GROUPS[group]]);
  const taken = names.map((name) => [name, other[name]] as const);
  return { ...texts, ...Object.fromEntries(taken) };
}

/** What a form says of a boost, or what is wrong with it, each fault with the field that it belongs to. */
export type ReadBoost =
  | { readonly kind: 'change'; readonly change: Required<BoostChange> }
  | { readonly kind: 'faults'; readonly faults: readonly FormFault[] };

/** Reads every field of a form, in the member's language and the shop's zone. */
export function readBoost(texts: BoostTexts, language: Language, zone: string): ReadBoost {
  const messages = boostFaultMessages[language];
  const faults: FormFault[] = [];
  const fail = (field: string, text: string): null => {
    faults.push({ field, text });
    return null;
  };
  const target =
    readTarget(texts) ?? fail(texts.kind, texts.kind === 'card' ? messages.card : messages.product);
  const currency = isCurrency(texts.currency)
    ? texts.currency
    : fail('currency', messages.currency);
  const priceMinor = currency === null ? null : readPrice(texts.price, currency, messages, fail);
  const left = texts.left === '' ? null : parseCount(texts.left, 0, REMAINING_MAX);
  if (left === null && texts.left !== '') fail('left', messages.left);
  const startsAt = parseLocalInstant(texts.starts, zone);
  if (startsAt === null && texts.starts !== '') fail('starts', messages.time);
  const endsAt = parseLocalInstant(texts.ends, zone);
  if (endsAt === null && texts.ends !== '') fail('ends', messages.time);
  if (startsAt !== null && endsAt !== null && endsAt <= startsAt) fail('ends', messages.endsFirst);
  if ([...texts.note].length > NOTE_CHARACTERS_MAX) {
    fail('note', messages.longNote(NOTE_CHARACTERS_MAX));
  } else if (texts.note !== '' && findTextFault('note', texts.note, NOTE_CHARACTERS_MAX) !== null) {
    fail('note', messages.note);
  }
  if (faults.length > 0 || target === null || currency === null || priceMinor === null) {
    return { kind: 'faults', faults };
  }
  const note = texts.note === '' ? null : texts.note;
  const remainingQuantity = left;
  const change = { target, priceMinor, currency, remainingQuantity, startsAt, endsAt, note };
  return { kind: 'change', change };
}

/** What was typed as the form would show it: `1,200` is `1200`. */
export function settledTexts(change: Required<BoostChange>, zone: string): BoostTexts {
  const { target, priceMinor = 0, currency = '' } = change;
  const { remainingQuantity = null, startsAt = null, endsAt = null, note = null } = change;
  const isCard = target?.kind === 'card';
  return textsOf(
    {
      cardId: isCard ? target.cardId : null,
      gradeId: isCard ? (target.gradeId ?? null) : null,
      productId: target?.kind === 'product' ? target.productId : null,
      priceMinor,
      currency,
      remainingQuantity,
      startsAt,
      endsAt,
      note,
    },
    zone,
  );
}

/** Only what differs from what the member was shown: the rest stays as it is, whatever it is by now. */
export function changeOfGroups(
  {
    target,
    priceMinor,
    currency,
    remainingQuantity,
    startsAt,
    endsAt,
    note,
  }: Required<BoostChange>,
  groups: readonly FieldGroup[],
): BoostChange {
  const parts: Readonly<Record<FieldGroup, BoostChange>> = {
    target: { target },
    price: { priceMinor, currency },
    left: { remainingQuantity },
    starts: { startsAt },
    ends: { endsAt },
    note: { note },
  };
  let change: BoostChange = {};
  for (const group of groups) change = { ...change, ...parts[group] };
  return change;
}

/** The sentence for an end that is not later than the start, where only the database could tell. */
export function endsFirstFault(language: Language): FormFault {
  return { field: 'ends', text: boostFaultMessages[language].endsFirst };
}

function readPrice(
  text: string,
  currency: string,
  messages: MessagesOf<typeof boostFaultMessages>,
  fail: (field: string, text: string) => null,
): number | null {
  const typed = parseAmount(text, currency);
  switch (typed.kind) {
    case 'amount':
      return typed.minor;
    case 'empty':
    case 'no_amount':
      return fail('price', messages.noPrice);
    case 'too_large':
      return fail('price', messages.largePrice);
    case 'digits':
      return fail('price', messages.finePrice(typed.digits, currency));
  }
}

function readTarget({ kind, card, grade, product }: BoostTexts): BoostTargetChange | null {
  if (kind === 'product') return isUuid(product) ? { kind: 'product', productId: product } : null;
  if (!isUuid(card) || !(grade === '' || isUuid(grade))) return null;
  return { kind: 'card', cardId: card, gradeId: grade === '' ? null : grade };
}

function localText(instant: Date | null, zone: string): string {
  return instant === null ? '' : localTextOf(instant, zone);
}

function isGroup(name: string): name is FieldGroup {
  return Object.hasOwn(FIELD_GROUPS, name);
}
