import type { Clock } from '../base/clock.ts';
import { type Fields, type Members, parseMembers } from '../base/field.ts';
import { BOOST_FIELDS } from '../boosts/boost-fields.ts';
import { recordBoostEdit } from '../boosts/last-boost-edit.ts';
import { putBoost } from '../boosts/put-boost.ts';
import { putShopGrade, SHOP_GRADE_FIELDS } from '../catalog/shop-grade.ts';
import type { Transaction } from '../database/database.ts';
import { putLocation } from '../inventory/location.ts';
import { LOCATION_FIELDS, SITE_FIELDS } from '../inventory/place-field.ts';
import { putSite } from '../inventory/site.ts';
import { putUnits } from '../inventory/unit.ts';
import { UNIT_FIELDS } from '../inventory/unit-fields.ts';
import type { WrittenShop } from './authentication.ts';
import {
  type WireRefusal,
  toWireRefusal,
  parseErrorToWireRefusal,
  type WriteRefusal,
} from './refusal.ts';
import type { LimitedWrite } from '../http/write-limiter.ts';

/** `text` is the object's current JSON. */
export type WriteOutcome =
  | { readonly kind: 'created' | 'updated' | 'unchanged'; readonly text: string }
  | { readonly kind: 'refused'; readonly refusal: WireRefusal };

export interface WriteContext {
  readonly write: LimitedWrite;
  readonly clock: Clock;
  readonly shop: WrittenShop;
}

/** Each write is one transaction. */
export type WriteObject = (
  context: WriteContext,
  id: string,
  body: unknown,
) => Promise<WriteOutcome>;

type PutResult =
  | { readonly kind: 'created' | 'updated' | 'unchanged'; readonly text: string }
  | WriteRefusal;

export const writeSite = writer(
  'site',
  SITE_FIELDS,
  async (tx, shop, id, site, now) => await putSite(tx, shop.id, id, site, now),
);

export const writeLocation = writer(
  'location',
  LOCATION_FIELDS,
  async (tx, shop, id, location, now) => await putLocation(tx, shop.id, id, location, now),
);

export const writeGrade = writer('grade', SHOP_GRADE_FIELDS, async (tx, shop, id, grade, now) => {
  const result = await putShopGrade(tx, shop.id, id, grade, now);
  return 'grade' in result ? { kind: result.kind, text: JSON.stringify(result.grade) } : result;
});

export const writeUnit = writer('unit', UNIT_FIELDS, async (tx, shop, id, unit, now) => {
  const [result] = await putUnits(tx, shop, [{ id, ...unit }], now);
  if (result === undefined) throw new Error('no result for the unit');
  return 'unitText' in result ? { kind: result.kind, text: result.unitText } : result;
});

export const writeBoost = writer('boost', BOOST_FIELDS, async (tx, shop, id, boost, now) => {
  const result = await putBoost(tx, shop, id, boost, now);
  if (result.kind === 'created' || result.kind === 'updated') {
    await recordBoostEdit(tx, shop.id, id, shop.by, now);
  }
  return 'boostText' in result ? { kind: result.kind, text: result.boostText } : result;
});

function writer<F extends Fields>(
  noun: string,
  fields: F,
  put: (
    tx: Transaction,
    shop: WrittenShop,
    id: string,
    members: Members<F>,
    now: Date,
  ) => Promise<PutResult>,
): WriteObject {
  return async ({ write, clock, shop }, id, body) => {
    const reading = parseMembers(fields, body, 'refuse');
    if (!reading.ok) return { kind: 'refused', refusal: parseErrorToWireRefusal(reading) };
    const now = clock.now();
    const result = await write(shop.id, async (tx) => await put(tx, shop, id, reading.value, now));
    return 'text' in result ? result : { kind: 'refused', refusal: toWireRefusal(result, noun) };
  };
}
