import { isObject } from './expect.ts';
import {
  array,
  boolean,
  byMember,
  currency,
  dateTime,
  email,
  integer,
  object,
  oneOf,
  optional,
  orNull,
  type Shape,
  type ShapeValue,
  string,
  stringThat,
  nonEmptyString,
  stringMap,
  uri,
  uuid,
} from './shape.ts';

// The tables of section 2 of the specification, field by field and in order. Fields without "req"
// in the table are `optional`.

const game = object({ id: optional(uuid), code: optional(string), name: optional(string) });
const rarity = object({ code: optional(string), name: optional(string) });

/** Specification 2.1. */
export const connection = object({
  id: uuid,
  tenant: object({ id: uuid, name: string, slug: string }),
  user: object({ id: string, name: string, email }),
  clientId: string,
  status: oneOf('active'),
  connectedAt: dateTime,
  webhook: optional(orNull(object({ url: uri, createdAt: dateTime }))),
  cursor: string,
});

/** Specification 2.2. */
export const card = object({
  id: optional(uuid),
  name: optional(string),
  localizedNames: optional(stringMap),
  cardNumber: optional(orNull(string)),
  setTotalRaw: optional(orNull(string)),
  janCode: optional(orNull(string)),
  languageCode: optional(string),
  variant: optional(orNull(string)),
  finish: optional(orNull(string)),
  imageUrl: optional(orNull(uri)),
  rarity: optional(orNull(rarity)),
  set: optional(
    orNull(
      object({
        id: optional(uuid),
        code: optional(string),
        name: optional(string),
        nameEn: optional(orNull(string)),
      }),
    ),
  ),
  game: optional(game),
});

/** Specification 4.8. */
export const cardList = object({ cards: array(card) });

/** BoostCard of specification 2.3. */
const boostCard = object({
  id: optional(uuid),
  name: optional(string),
  localizedNames: optional(stringMap),
  cardNumber: optional(orNull(string)),
  setTotalRaw: optional(orNull(string)),
  languageCode: optional(string),
  imageUrl: optional(orNull(uri)),
  rarity: optional(orNull(rarity)),
  set: optional(
    orNull(object({ id: optional(uuid), code: optional(string), name: optional(string) })),
  ),
  game: optional(game),
});

/** BoostProduct of specification 2.3. */
export const product = object({
  id: optional(uuid),
  name: optional(string),
  productKind: optional(nonEmptyString),
  janCode: optional(orNull(string)),
  languageCode: optional(string),
  imageUrl: optional(orNull(uri)),
  game: optional(game),
});

/** Grade of specification 2.3. */
export const grade = object({
  id: optional(uuid),
  code: optional(string),
  label: optional(string),
  serviceCode: optional(string),
  serviceName: optional(string),
  serviceKind: optional(oneOf('third_party', 'internal')),
});

/** The two target shapes of specification 2.3. */
const knownTarget = byMember('kind', {
  card: object({ kind: oneOf('card'), card: boostCard, grade: orNull(grade) }),
  product: object({ kind: oneOf('product'), product }),
});

/**
 * The target of a boost. Every kind except `card` is treated as `product` (decision 2), because the
 * specification does not show the value.
 */
const boostTarget: typeof knownTarget = {
  read: (value, path, isExact) => knownTarget.read(withProductKind(value), path, isExact),
};

function withProductKind(value: unknown): unknown {
  if (!isObject(value)) return value;
  const { kind } = value;
  const isProduct = typeof kind === 'string' && kind !== '' && kind !== 'card';
  return isProduct ? { ...value, kind: 'product' } : value;
}

/** Maximum length of a boost's note in characters (specification 2.3, 8). */
export const NOTE_CHARACTERS_MAX = 200;

/** Specification 2.3. */
export const purchaseBoost = object({
  id: uuid,
  target: boostTarget,
  priceMinor: integer(),
  currency,
  remainingQuantity: orNull(integer(0)),
  status: oneOf('open', 'filled'),
  startsAt: orNull(dateTime),
  endsAt: orNull(dateTime),
  note: orNull(
    stringThat(
      `a string of up to ${NOTE_CHARACTERS_MAX} characters`,
      (value) => [...value].length <= NOTE_CHARACTERS_MAX,
    ),
  ),
  updatedAt: dateTime,
});

/** Specification 4.4. */
export const boostList = object({ boosts: array(purchaseBoost), generatedAt: dateTime });

/** A storage location (specification 2.4). */
export const location = object({
  id: uuid,
  siteId: optional(uuid),
  code: optional(string),
  name: optional(string),
  kind: optional(nonEmptyString),
  isActive: boolean,
  createdAt: optional(dateTime),
  updatedAt: optional(dateTime),
});

/** Specification 2.4. Section 2.6 makes `id` and `isActive` required. */
export const site = object({
  id: uuid,
  code: optional(string),
  name: optional(string),
  kind: optional(nonEmptyString),
  countryCode: optional(string),
  timezone: optional(string),
  isActive: boolean,
  createdAt: optional(dateTime),
  updatedAt: optional(dateTime),
  locations: array(location),
});

/** Specification 4.5. */
export const siteList = object({ sites: array(site) });

/** The only part of a record that the specification shows (2.6). */
const knownRecord = object({ data: object({ id: uuid }) });

/** The part of a page's envelope that the specification shows. */
const envelope = object({ nextCursor: string, hasMore: boolean });
const knownRecords = array(knownRecord);

/**
 * Returns the shape of a feed page as specification 4.6 shows it. The specification does not name
 * the list of records, so `member` does.
 */
export function changePageOf(member: string): Shape<ChangePage> {
  return {
    read: (value, path) => {
      const known = envelope.read(value, path, false);
      if (known.kind === 'faults') return known;
      const list = isObject(value) ? value[member] : undefined;
      const changes = knownRecords.read(list, path === '' ? member : `${path}.${member}`, false);
      if (changes.kind === 'faults') return changes;
      const { nextCursor, hasMore } = known.value;
      return { kind: 'value', value: { changes: changes.value, nextCursor, hasMore } };
    },
  };
}

/** Specification 2.5. */
export const webhookRegistration = object({
  url: uri,
  secret: stringThat('a string that starts with whsec_', (value) => /^whsec_./.test(value)),
  createdAt: dateTime,
});

/** The body of an event (specification 6). */
export const notice = object({
  type: oneOf('inventory.changed'),
  tenantId: uuid,
  connectionId: uuid,
  occurredAt: dateTime,
});

export type PurchaseBoost = ShapeValue<typeof purchaseBoost>;
export interface ChangePage {
  readonly changes: ShapeValue<typeof knownRecords>;
  readonly nextCursor: string;
  readonly hasMore: boolean;
}
