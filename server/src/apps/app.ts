import { findEmailProblem, findNameProblem } from '../base/plain-text.ts';
import { hashSecret, newId, newSecret, newSecretOfShop, shopOfSecret } from '../base/secrets.ts';
import { announce } from '../database/channel.ts';
import type { Queryable, Transaction } from '../database/database.ts';
import { hotRead, statement } from '../database/statement.ts';
import { type Actor, type AuditAction, type AuditDetails, recordAudit } from '../shops/audit.ts';
import { describeRedirectUriProblem } from './redirect-uri.ts';
import type { Scope } from './scope.ts';

/** An external app of a shop. OAuth calls it a client. */
export interface App {
  readonly shopId: string;
  /** `app_` and 43 letters and digits, which contain the shop id (decision 0007). */
  readonly clientId: string;
  readonly name: string;
  readonly contactEmail: string | null;
  /** 1 to 20 URIs, compared exactly as typed. */
  readonly redirectUris: readonly string[];
  /** The scopes that the app may request. None is implied. */
  readonly scopes: readonly Scope[];
  /** True if the app may see units' cost; the approving member also needs `inventory.cost`. */
  readonly sharesCost: boolean;
  /** False if the shop has disabled the app: its calls get 403 `client_disabled`. */
  readonly isEnabled: boolean;
  readonly createdAt: Date;
  /** The row of a removed app stays, so that calls with its tokens get `connection_revoked`. */
  readonly removedAt: Date | null;
}

export interface NewApp {
  readonly name: string;
  readonly contactEmail: string | null;
  readonly redirectUris: readonly string[];
  readonly scopes: readonly Scope[];
  readonly sharesCost: boolean;
}

export type RegisterAppResult =
  | { readonly kind: 'registered'; readonly app: App; readonly secret: string }
  | { readonly kind: 'invalid'; readonly reason: string };

const REDIRECT_URIS_MAX = 20;

/** The secret (`cps_…`) appears only in this result; its SHA-256 is stored. */
export async function registerApp(
  tx: Transaction,
  shopId: string,
  app: NewApp,
  now: Date,
  by: Actor,
): Promise<RegisterAppResult> {
  const reason = findAppProblem(app);
  if (reason !== null) return { kind: 'invalid', reason };
  const secret = newSecret('cps');
  const clientId = newSecretOfShop('app', shopId);
  const scopes = [...new Set(app.scopes)];
  const { name, contactEmail, redirectUris, sharesCost } = app;
  const values = [shopId, clientId, name, contactEmail, [...redirectUris], scopes, sharesCost, now];
  const row = await tx.one(insertApp, values);
  if (row === undefined) throw new Error('an inserted app returned no row');
  await tx.count(insertAppSecret, [shopId, clientId, newId(), hashSecret(secret), now]);
  const details = { scopes, redirectUris: row.redirectUris, sharesCost };
  await recordAppAudit(tx, row, by, { action: 'app.registered', details }, now);
  return { kind: 'registered', app: row, secret };
}

export async function recordAppAudit(
  tx: Transaction,
  { shopId, clientId, name }: Pick<App, 'shopId' | 'clientId' | 'name'>,
  by: Actor,
  { action, details = {} }: { readonly action: AuditAction; readonly details?: AuditDetails },
  now: Date,
): Promise<void> {
  const subject = { kind: 'app', id: clientId, name } as const;
  await recordAudit(tx, shopId, by, { action, subject, details }, now);
}

export function findAppProblem(app: NewApp): string | null {
  const { name, contactEmail, redirectUris, scopes } = app;
  const problem =
    findNameProblem(name) ??
    (contactEmail === null ? null : findEmailProblem('contact email', contactEmail));
  if (problem !== null) return problem;
  const uriProblem = findRedirectUrisProblem(redirectUris);
  if (uriProblem !== null) return uriProblem;
  return scopes.length === 0 ? 'an app needs at least one scope' : null;
}

function findRedirectUrisProblem(redirectUris: readonly string[]): string | null {
  if (redirectUris.length < 1 || redirectUris.length > REDIRECT_URIS_MAX) {
    return `an app must have 1 to ${REDIRECT_URIS_MAX} redirect URIs`;
  }
  if (new Set(redirectUris).size !== redirectUris.length) {
    return 'a redirect URI must not be given twice';
  }
  for (const uri of redirectUris) {
    const uriProblem = describeRedirectUriProblem(uri);
    if (uriProblem !== null) return uriProblem;
  }
  return null;
}

export type SetRedirectUrisResult =
  | { readonly kind: 'set'; readonly app: App }
  | { readonly kind: 'invalid'; readonly reason: string }
  | { readonly kind: 'unknown' };

/** Call `changeRedirectUris` of the webhooks module instead: it also checks the webhook. */
export async function setRedirectUris(
  tx: Transaction,
  clientId: string,
  redirectUris: readonly string[],
  now: Date,
  by: Actor,
): Promise<SetRedirectUrisResult> {
  const reason = findRedirectUrisProblem(redirectUris);
  if (reason !== null) return { kind: 'invalid', reason };
  const before = await lockAppOfAnyShop(tx, clientId);
  if (before === undefined) return { kind: 'unknown' };
  const app = { ...before, redirectUris: [...redirectUris] };
  await tx.count(updateRedirectUris, [app.shopId, clientId, app.redirectUris, now]);
  await announce(tx, 'access', app.shopId);
  const added = redirectUris.filter((uri) => !before.redirectUris.includes(uri));
  const removed = before.redirectUris.filter((uri) => !redirectUris.includes(uri));
  if (added.length > 0 || removed.length > 0) {
    const event = { action: 'app.redirect_uris_changed', details: { added, removed } } as const;
    await recordAppAudit(tx, app, by, event, now);
  }
  return { kind: 'set', app };
}

export async function setAppEnabled(
  tx: Transaction,
  clientId: string,
  isEnabled: boolean,
  now: Date,
  by: Actor,
): Promise<App | undefined> {
  const before = await lockAppOfAnyShop(tx, clientId);
  if (before === undefined) return undefined;
  const app = { ...before, isEnabled };
  await tx.count(updateAppEnabled, [app.shopId, clientId, isEnabled, now]);
  await announce(tx, 'access', app.shopId);
  if (before.isEnabled !== isEnabled) {
    await recordAppAudit(tx, app, by, { action: isEnabled ? 'app.enabled' : 'app.disabled' }, now);
  }
  return app;
}

/** Deletes the secrets too. Returns false if the app does not exist or was already removed. */
export async function markAppRemoved(
  tx: Transaction,
  shopId: string,
  clientId: string,
  now: Date,
  by: Actor,
): Promise<boolean> {
  const removed = await tx.one(updateAppRemoved, [shopId, clientId, now]);
  if (removed === undefined) return false;
  await tx.count(deleteAppSecrets, [shopId, clientId]);
  await announce(tx, 'access', shopId);
  await recordAppAudit(tx, { shopId, clientId, ...removed }, by, { action: 'app.removed' }, now);
  return true;
}

/** Finds an app, even if it was removed. */
export async function findApp(db: Queryable, clientId: string): Promise<App | undefined> {
  return await askInShop(db, clientId, async (shopId) => {
    return await db.one(selectApp, [shopId, clientId]);
  });
}

/** An app with the SHA-256 (base64url) of each active secret, newest first. */
export interface AppWithSecrets extends App {
  readonly secretHashes: readonly string[];
}

export async function findAppWithSecrets(
  db: Queryable,
  clientId: string,
): Promise<AppWithSecrets | undefined> {
  return await askInShop(db, clientId, async (shopId) => {
    return await db.one(selectAppWithSecrets, [shopId, clientId]);
  });
}

/** Finds an app and locks it until the transaction ends. Undefined if the shop has no such app. */
export async function lockApp(
  tx: Transaction,
  shopId: string,
  clientId: string,
): Promise<App | undefined> {
  return await tx.one(lockAppToChange, [shopId, clientId]);
}

async function lockAppOfAnyShop(tx: Transaction, clientId: string): Promise<App | undefined> {
  return await askInShop(tx, clientId, async (shopId) => await lockApp(tx, shopId, clientId));
}

async function askInShop<T>(
  db: Queryable,
  clientId: string,
  ask: (shopId: string) => Promise<T | undefined>,
): Promise<T | undefined> {
  // Only client ids of the emulator do not contain their shop.
  const shopId = shopOfSecret(clientId) ?? (await db.one(selectShopOfApp, [clientId]))?.shopId;
  return shopId === undefined ? undefined : await ask(shopId);
}

/** Oldest first, without removed apps, starting after the app `after` if it is not null. */
export async function listApps(
  db: Queryable,
  shopId: string,
  limit: number,
  after: string | null = null,
): Promise<App[]> {
  return await db.query(selectApps, [shopId, limit, after]);
}

export const insertApp = statement<App>(
  'insert_app',
  `insert into app (shop_id, client_id, name, contact_email, redirect_uris, scopes, shares_cost, is_enabled,
          created_at, updated_at)
   values ($1, $2, $3, $4, $5, $6, $7, true, $8, $8)
   returning shop_id as "shopId", client_id as "clientId", name, contact_email as "contactEmail",
          redirect_uris as "redirectUris", scopes, shares_cost as "sharesCost", is_enabled as "isEnabled",
          created_at as "createdAt", removed_at as "removedAt"`,
);

export const insertAppSecret = statement(
  'insert_app_secret',
  `insert into app_secret (shop_id, client_id, secret_id, secret_hash, created_at)
   values ($1, $2, $3, $4, $5)`,
);

export const lockAppToChange = statement<App>(
  'lock_app_to_change',
  `select shop_id as "shopId", client_id as "clientId", name, contact_email as "contactEmail",
          redirect_uris as "redirectUris", scopes, shares_cost as "sharesCost", is_enabled as "isEnabled",
          created_at as "createdAt", removed_at as "removedAt"
     from app
    where shop_id = $1 and client_id = $2 and removed_at is null
      for no key update`,
);

export const updateAppEnabled = statement(
  'update_app_enabled',
  `update app set is_enabled = $3, updated_at = $4 where shop_id = $1 and client_id = $2`,
);

export const updateRedirectUris = statement(
  'update_redirect_uris',
  `update app set redirect_uris = $3, updated_at = $4 where shop_id = $1 and client_id = $2`,
);

export const updateAppRemoved = statement<{ readonly name: string }>(
  'update_app_removed',
  `update app set removed_at = $3, updated_at = $3
    where shop_id = $1 and client_id = $2 and removed_at is null
   returning name`,
);

export const deleteAppSecrets = statement(
  'delete_app_secrets',
  `delete from app_secret where shop_id = $1 and client_id = $2`,
);

export const selectApp = statement<App>(
  'select_app',
  `select shop_id as "shopId", client_id as "clientId", name, contact_email as "contactEmail",
          redirect_uris as "redirectUris", scopes, shares_cost as "sharesCost", is_enabled as "isEnabled",
          created_at as "createdAt", removed_at as "removedAt"
     from app where shop_id = $1 and client_id = $2`,
);

/** Reads the app and its secrets in one query, because this runs on every token request. */
export const selectAppWithSecrets = hotRead<AppWithSecrets>(
  'select_app_with_secrets',
  `select shop_id as "shopId", client_id as "clientId", name, contact_email as "contactEmail",
          redirect_uris as "redirectUris", scopes, shares_cost as "sharesCost", is_enabled as "isEnabled",
          created_at as "createdAt", removed_at as "removedAt",
          array(
            select s.secret_hash from app_secret s
             where s.shop_id = $1 and s.client_id = $2
             order by s.created_at desc limit 2) as "secretHashes"
     from app where shop_id = $1 and client_id = $2`,
);

export const selectShopOfApp = statement<{ readonly shopId: string }>(
  'select_shop_of_app',
  `select shop_id as "shopId" from app where client_id = $1`,
);

export const selectApps = statement<App>(
  'select_apps_of_shop',
  `select shop_id as "shopId", client_id as "clientId", name, contact_email as "contactEmail",
          redirect_uris as "redirectUris", scopes, shares_cost as "sharesCost", is_enabled as "isEnabled",
          created_at as "createdAt", removed_at as "removedAt"
     from app where shop_id = $1 and removed_at is null
      and ($3::text is null or (created_at, client_id) > (
        select a.created_at, a.client_id from app a where a.shop_id = $1 and a.client_id = $3))
    order by created_at, client_id limit $2`,
);
