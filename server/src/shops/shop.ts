import { newId } from '../base/secrets.ts';
import { findNameProblem } from '../base/plain-text.ts';
import type { Queryable, Transaction } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import { endSetupCode } from './setup-code.ts';

/** A shop, which the API calls a `tenant`. */
export interface Shop {
  readonly id: string;
  /** Lower-case letters, digits and single hyphens, at most 63, unique in the service. */
  readonly slug: string;
  readonly name: string;
  /** The ISO 4217 currency of the shop's prices, unless a unit has a different one. */
  readonly currency: string;
  readonly createdAt: Date;
  /** Null if open. A closed shop keeps its data, but members, keys and apps have no access. */
  readonly closedAt: Date | null;
}

export interface NewShop {
  readonly name: string;
  readonly slug: string;
  readonly currency: string;
}

export type CreateShopResult =
  | { readonly kind: 'created'; readonly shop: Shop }
  | { readonly kind: 'slug_taken' }
  | { readonly kind: 'invalid'; readonly reason: string };

export const SLUG_LENGTH_MAX = 63;
/** Only operators see this list. In a larger service, they look up a shop by its slug. */
const SHOPS_LISTED_MAX = 100_000;

const currencies = new Set(Intl.supportedValuesOf('currency'));

export function isCurrency(code: string): boolean {
  return currencies.has(code);
}

export async function createShop(
  tx: Transaction,
  shop: NewShop,
  now: Date,
): Promise<CreateShopResult> {
  const reason = findShopProblem(shop);
  if (reason !== null) return { kind: 'invalid', reason };
  await endSetupCode(tx);
  const row = await tx.one(insertShop, [newId(), shop.slug, shop.name, shop.currency, now]);
  return row === undefined ? { kind: 'slug_taken' } : { kind: 'created', shop: row };
}

export function isSlug(text: string): boolean {
  return /^[a-z0-9]+(-[a-z0-9]+)*$/.test(text) && text.length <= SLUG_LENGTH_MAX;
}

function findShopProblem({ name, slug, currency }: NewShop): string | null {
  const problem = findNameProblem(name);
  if (problem !== null) return problem;
  if (!isSlug(slug)) {
    return `slug must be 1 to ${SLUG_LENGTH_MAX} lower-case letters, digits and single hyphens`;
  }
  return isCurrency(currency) ? null : 'currency must be an ISO 4217 code, such as JPY';
}

export async function findShopBySlug(db: Queryable, slug: string): Promise<Shop | undefined> {
  return await db.one(selectShopBySlug, [slug]);
}

export async function findShop(db: Queryable, id: string): Promise<Shop | undefined> {
  return await db.one(selectShop, [id]);
}

export async function listShops(db: Queryable): Promise<Shop[]> {
  return await db.query(selectShops, [SHOPS_LISTED_MAX]);
}

const COLUMNS = `shop_id as id, slug, name, currency, created_at as "createdAt",
          closed_at as "closedAt"`;

export const insertShop = statement<Shop>(
  'insert_shop',
  `insert into shop (shop_id, slug, name, currency, created_at) values ($1, $2, $3, $4, $5)
   on conflict (slug) do nothing
   returning ${COLUMNS}`,
);

export const selectShopBySlug = statement<Shop>(
  'select_shop_by_slug',
  `select ${COLUMNS} from shop where slug = $1`,
);

export const selectShop = statement<Shop>(
  'select_shop',
  `select ${COLUMNS} from shop where shop_id = $1`,
);

export const selectShops = statement<Shop>(
  'select_shops',
  `select ${COLUMNS} from shop order by slug limit $1`,
);
