import { newId } from '../base/secrets.ts';
import { findTextFault } from '../base/plain-text.ts';
import type { Queryable, Transaction } from '../database/database.ts';
import { statement } from '../database/statement.ts';

/** A shop; the wire says `tenant`. */
export interface Shop {
  readonly id: string;
  /** Lower-case letters, digits and single hyphens, at most 63 characters, unique in the service. */
  readonly slug: string;
  readonly name: string;
  /** ISO 4217. What its prices are in unless a unit says otherwise. */
  readonly currency: string;
  readonly createdAt: Date;
}

/** What a new shop is made of. `currency` is an ISO 4217 code. */
export interface NewShop {
  readonly name: string;
  readonly slug: string;
  readonly currency: string;
}

export type CreateShopResult =
  | { readonly kind: 'created'; readonly shop: Shop }
  | { readonly kind: 'slug_taken' }
  | { readonly kind: 'invalid'; readonly reason: string };

/** Bounds of the schema (0001_shops.sql). */
const NAME_CODE_POINTS_MAX = 200;
const SLUG_LENGTH_MAX = 63;
/** A list of all shops is an operator's: beyond this many, ask by slug. */
const SHOPS_LISTED_MAX = 100_000;

const currencies = new Set(Intl.supportedValuesOf('currency'));

/** True when `code` is a currency of ISO 4217, in capitals. */
export function isCurrency(code: string): boolean {
  return currencies.has(code);
}

/** Creates a shop. A slug that another shop has, or a value outside its bounds, is refused as a value. */
export async function createShop(
  tx: Transaction,
  shop: NewShop,
  now: Date,
): Promise<CreateShopResult> {
  const reason = findFault(shop);
  if (reason !== null) return { kind: 'invalid', reason };
  const row = await tx.one(insertShop, [newId(), shop.slug, shop.name, shop.currency, now]);
  return row === undefined ? { kind: 'slug_taken' } : { kind: 'created', shop: row };
}

function findFault({ name, slug, currency }: NewShop): string | null {
  const fault = findTextFault('name', name, NAME_CODE_POINTS_MAX);
  if (fault !== null) return fault;
  if (!/^[a-z0-9]+(-[a-z0-9]+)*$/.test(slug) || slug.length > SLUG_LENGTH_MAX) {
    return `slug is not 1 to ${SLUG_LENGTH_MAX} lower-case letters, digits and single hyphens`;
  }
  return isCurrency(currency) ? null : 'currency is no code of ISO 4217, such as JPY';
}

/** The shop of a slug, or undefined. */
export async function findShopBySlug(db: Queryable, slug: string): Promise<Shop | undefined> {
  return await db.one(selectShopBySlug, [slug]);
}

/** The shop of an id, or undefined. */
export async function findShop(db: Queryable, id: string): Promise<Shop | undefined> {
  return await db.one(selectShop, [id]);
}

/** Every shop, by slug. */
export async function listShops(db: Queryable): Promise<Shop[]> {
  return await db.query(selectShops, [SHOPS_LISTED_MAX]);
}

export const insertShop = statement<Shop>(
  'insert_shop',
  `insert into shop (shop_id, slug, name, currency, created_at) values ($1, $2, $3, $4, $5)
   on conflict (slug) do nothing
   returning shop_id as id, slug, name, currency, created_at as "createdAt"`,
);

export const selectShopBySlug = statement<Shop>(
  'select_shop_by_slug',
  `select shop_id as id, slug, name, currency, created_at as "createdAt" from shop where slug = $1`,
);

export const selectShop = statement<Shop>(
  'select_shop',
  `select shop_id as id, slug, name, currency, created_at as "createdAt" from shop where shop_id = $1`,
);

export const selectShops = statement<Shop>(
  'select_shops',
  `select shop_id as id, slug, name, currency, created_at as "createdAt" from shop order by slug limit $1`,
);
