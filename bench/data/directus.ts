import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import type { Database } from '../../server/src/database/database.ts';
import { statement } from '../../server/src/database/statement.ts';
import type { Tenants } from './tenants.ts';

/** In version 12.4, rules about rows in permissions are off without a license. */
export const DIRECTUS_VERSION = '11.17.4';

const folder = new URL('../peers/directus/', import.meta.url).pathname;
export const DIRECTUS_PROGRAM = new URL('../peers/directus.mjs', import.meta.url).pathname;
const BOOTSTRAP_WITHIN_MS = 120_000;

/** @throws Error when Directus is not installed. */
export function checkDirectusIsInstalled(): void {
  if (existsSync(`${folder}node_modules`)) return;
  throw new Error(
    `Directus is not installed: run npm install --ignore-scripts --prefix bench/peers/directus directus@${DIRECTUS_VERSION}.`,
  );
}

/** The settings that the set-up and the servers share. */
export function directusSettings(databaseUrl: string): Readonly<Record<string, string>> {
  return {
    NODE_ENV: 'production',
    DB_CLIENT: 'pg',
    DB_CONNECTION_STRING: databaseUrl,
    SECRET: 'a secret of measurements, 32 characters or more',
    LOG_STYLE: 'raw',
    TELEMETRY: 'false',
    SERVE_APP: 'false',
    PM2_HOME: `${folder}pm2`,
  };
}

/**
 * Directus serves only tables whose primary key is a single column, so it gets a copy of the table
 * of boosts. Cards and games are Cardport's own tables.
 */
const COPY_BOOSTS = `
  create table shown_boost as table boost;
  alter table shown_boost add primary key (boost_id), add foreign key (card_id) references card;
  create index on shown_boost (shop_id, price_minor desc) where ended_at is null and not is_paused`;

/** One role for all apps. It reads the open boosts of the user's own shop, and the catalog. */
const GRANT_READING = `
  alter table directus_users add shop_id uuid;
  with role as (
    insert into directus_roles (id, name) values (gen_random_uuid(), 'Price Board') returning id
  ), policy as (
    insert into directus_policies (id, name, app_access, admin_access)
    values (gen_random_uuid(), 'Price Board', false, false) returning id
  ), access as (
    insert into directus_access (id, role, policy) select gen_random_uuid(), role.id, policy.id from role, policy
  )
  insert into directus_permissions (policy, collection, action, fields, permissions)
  select id, collection, 'read', '*', rule::json from policy, (values
    ('shown_boost', '{"shop_id":{"_eq":"$CURRENT_USER.shop_id"},"is_paused":{"_eq":false},"ended_at":{"_null":true}}'),
    ('card', '{}'), ('game', '{}')
  ) read (collection, rule)`;

export const insertDirectusUsers = statement(
  'insert_directus_users',
  `insert into directus_users (id, role, token, shop_id)
  select gen_random_uuid(), role.id, token, shop_id
  from directus_roles role, unnest($1::text[], $2::uuid[]) app (token, shop_id)
  where role.name = 'Price Board'`,
);

/** Installs Directus in a database with boosts: one user for each app, with the app's own token. */
export async function installDirectus(
  db: Database,
  databaseUrl: string,
  { tokens, shopIds }: Tenants,
): Promise<void> {
  await db.runScript(COPY_BOOSTS);
  const bootstrap = spawnSync(process.execPath, [DIRECTUS_PROGRAM, 'bootstrap', '--skipAdminInit'], {
    env: { PATH: process.env['PATH'], ...directusSettings(databaseUrl) },
    encoding: 'utf8',
    timeout: BOOTSTRAP_WITHIN_MS,
  });
  if (bootstrap.status !== 0) {
    throw new Error(`directus bootstrap failed:\n${bootstrap.stdout}${bootstrap.stderr}`);
  }
  await db.runScript(GRANT_READING);
  const shopOfToken = tokens.map((_, n) => shopIds[n % shopIds.length]);
  await db.query(insertDirectusUsers, [tokens, shopOfToken]);
}
