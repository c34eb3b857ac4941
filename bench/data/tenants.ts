import { hashSecret, newSecretOfShop } from '../../server/src/base/secrets.ts';
import type { Database } from '../../server/src/database/database.ts';
import { statement } from '../../server/src/database/statement.ts';
import { makeCards } from '../../server/src/demo/cards.ts';
import { fillCards } from '../search-database.ts';

/**
 * The public origin of every measured service, to which tokens are bound. It is https, as in
 * production.
 */
export const BENCH_PUBLIC_URL = 'https://cards.example';

export interface Tenants {
  /**
   * One access token per connected app. The tokens of one shop's apps are `shopIds.length` apart.
   */
  readonly tokens: readonly string[];
  readonly shopIds: readonly string[];
}

export interface TenantsOptions {
  readonly tokens: number;
  readonly shops: number;
  /** Open boosts per shop. Defaults to 0. */
  readonly boosts?: number;
}

/** The creation date of all rows. The tokens stay valid until long after any run. */
const MADE_AT = '2026-06-01T12:00:00Z';
const TOKENS_END_AT = '2099-01-01T00:00:00Z';

const uuidOf = (kind: string, n: string): string =>
  `overlay(overlay(md5('${kind} ' || ${n}) placing '8' from 13) placing 'a' from 17)::uuid`;

export const insertBenchShops = statement(
  'insert_bench_shops',
  `with made as (
    select n, ${uuidOf('shop', 'n')} as shop_id, ${uuidOf('account', 'n')} as account_id
    from generate_series(0, $1::int - 1) n
  ), shops as (
    insert into shop (shop_id, slug, name, currency, created_at)
    select shop_id, 'shop-' || n, 'カードショップ ' || n, 'JPY', $2 from made
  ), accounts as (
    insert into account (account_id, email, name, password_hash, created_at)
    select account_id, 'member-' || n || '@cards.example', '田中 葵', 'none', $2 from made
  ), members as (
    insert into member (shop_id, account_id, permissions, is_active, created_at, updated_at)
    select shop_id, account_id, '{purchases.read}', true, $2, $2 from made
  )
  insert into feed_head (shop_id, epoch, seq, changed_at) select shop_id, 1, 1000, $2 from made`,
);

export const insertBenchApps = statement(
  'insert_bench_apps',
  `with made as (
    select n, 'app_bench_' || n as client_id, hash, ${uuidOf('approval', 'n')} as approval_id,
      ${uuidOf('connection', 'n')} as connection_id, ${uuidOf('shop', 'n % $1::int')} as shop_id,
      ${uuidOf('account', 'n % $1::int')} as account_id, encode(sha256(('grant ' || n)::bytea), 'hex') as grant_hash
    from (select hash, $2::int + ord::int - 1 as n from unnest($3::text[]) with ordinality t(hash, ord)) token
  ), apps as (
    insert into app (shop_id, client_id, name, redirect_uris, scopes, shares_cost, is_enabled,
      created_at, updated_at)
    select shop_id, client_id, 'Price Board', '{https://app.example/callback}',
      '{purchase-boosts:read,inventory:read,offline_access}', false, true, $4, $4 from made
  ), approvals as (
    insert into approval (shop_id, approval_id, client_id, account_id, grant_hash, scopes, created_at)
    select shop_id, approval_id, client_id, account_id, grant_hash,
      '{purchase-boosts:read,inventory:read}', $4 from made
  ), connections as (
    insert into connection (shop_id, connection_id, client_id, account_id, status, connected_at)
    select shop_id, connection_id, client_id, account_id, 'active', $4 from made
  ), grants as (
    insert into oauth_artifact (shop_id, model, id, payload, grant_hash)
    select shop_id, 'Grant', grant_hash, '{}', grant_hash from made
  )
  insert into oauth_artifact (shop_id, model, id, payload, grant_hash, expires_at)
  select shop_id, 'AccessToken', hash,
    jsonb_build_object('scope', 'purchase-boosts:read inventory:read', 'aud', $5::text), grant_hash, $6
  from made`,
);

export const insertBenchBoosts = statement(
  'insert_bench_boosts',
  `insert into boost (shop_id, boost_id, card_id, price_minor, currency, remaining_quantity, note,
    is_paused, created_at, updated_at)
  select ${uuidOf('shop', 'shop')}, ${uuidOf('boost', `shop || ' ' || n`)}, ids[1 + (shop * 7 + n) % cardinality(ids)],
    1000 + (shop * 131 + n * 977) % 90000, 'JPY', 1 + n % 9, '強化買取中です。状態Aのみ、お一人様3枚まで。',
    false, $3, $3
  from generate_series(0, $1::int - 1) shop, generate_series(1, $2::int) n,
    (select array_agg(card_id order by card_id) as ids from card) cards`,
);

export const selectBenchShops = statement<{ readonly id: string }>(
  'select_bench_shops',
  `select shop_id as id from shop order by substr(slug, 6)::int`,
);

/**
 * The number of apps per statement, large enough to make the fixed cost of a statement negligible.
 */
const BATCH_APPS = 10_000;

/**
 * Creates shops with one member each, and apps with a token and an open connection, distributed
 * evenly over the shops.
 */
export async function fillTenants(db: Database, options: TenantsOptions): Promise<Tenants> {
  const { shops, boosts = 0 } = options;
  await db.query(insertBenchShops, [shops, MADE_AT]);
  const shopIds = (await db.query(selectBenchShops)).map(({ id }) => id);
  const tokens = Array.from({ length: options.tokens }, (_, n) =>
    newSecretOfShop('cpa', shopIds[n % shops] ?? ''),
  );
  const resource = `${BENCH_PUBLIC_URL}/partner/v1`;
  for (let from = 0; from < tokens.length; from += BATCH_APPS) {
    const hashes = tokens.slice(from, from + BATCH_APPS).map(hashSecret);
    await db.query(insertBenchApps, [shops, from, hashes, MADE_AT, resource, TOKENS_END_AT]);
  }
  if (boosts > 0) {
    await fillCards(
      db,
      makeCards().map(({ of }) => of),
    );
    await db.query(insertBenchBoosts, [shops, boosts, MADE_AT]);
  }
  return { tokens, shopIds };
}
