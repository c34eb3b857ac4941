import type Provider from 'oidc-provider';
import { findApp } from '../apps/app.ts';
import type { Scope } from '../apps/scope.ts';
import type { Clock } from '../base/clock.ts';
import { openConnection } from '../connections/connection.ts';
import type { Database, Transaction } from '../database/database.ts';
import { createApproval } from '../approvals/approval.ts';
import { RefreshTokens } from '../approvals/refresh-token.ts';
import { OPERATOR } from '../shops/audit.ts';
import { lockOpenShop } from '../shops/change-shop.ts';
import { findMember } from '../shops/member.ts';
import { addressesOf } from './addresses.ts';
import { GrantStore, REFRESH_TOKEN_SECONDS } from './grant-store.ts';
import { ACCESS_TOKEN_SECONDS, createProvider } from './provider.ts';
import { findSigningKey, makeSigningKey } from './signing-key.ts';

export interface IssueTokensRequest {
  readonly shopId: string;
  readonly clientId: string;
  /** The member who approves the app. */
  readonly accountId: string;
  /** At least one scope. The shop must allow the app every one of these scopes. */
  readonly scopes: readonly Scope[];
}

export type IssueTokensResult =
  | {
      readonly kind: 'issued';
      readonly accessToken: string;
      /** Null if the scopes do not include `offline_access`. */
      readonly refreshToken: string | null;
      readonly connectionId: string;
      /** The lifetime of the access token in seconds. */
      readonly expiresIn: number;
    }
  | { readonly kind: 'refused'; readonly reason: string };

export interface IssueTokensOptions {
  readonly db: Database;
  readonly clock: Clock;
  readonly publicUrl: string;
  readonly secretKey: string;
}

/** Creates an app's approval, connection and tokens without a browser, in one transaction. */
export async function issueTokens(
  options: IssueTokensOptions,
  request: IssueTokensRequest,
): Promise<IssueTokensResult> {
  const { db, clock, secretKey } = options;
  const addresses = addressesOf(options.publicUrl);
  const store = new GrantStore({ db, clock, refreshTokens: new RefreshTokens(secretKey) });
  const provider = createProvider({
    store,
    addresses,
    secretKey,
    // No id_token is signed here. Do not store a new key, because SECRET_KEY may be wrong.
    signingKey: (await findSigningKey(db, secretKey)) ?? (await makeSigningKey()),
    replay: 'never',
    countRequest: () => ({ waitSeconds: 0, headers: {} }),
    renderError: () => Promise.reject(new Error('no response is sent here')),
  });
  return await store.inTransaction(async (tx) => {
    const reason = await findRefusalReason(tx, request);
    if (reason !== null) return { kind: 'refused', reason };
    return await issue({ provider, store, tx }, request, addresses.resource, clock.now());
  });
}

async function findRefusalReason(
  tx: Transaction,
  request: IssueTokensRequest,
): Promise<string | null> {
  const app = await findApp(tx, request.clientId);
  if (app === undefined || app.shopId !== request.shopId || app.removedAt !== null) {
    return 'the shop has no such app';
  }
  if (!(await lockOpenShop(tx, request.shopId))) return 'the shop is closed';
  if (!app.isEnabled) return 'the app is disabled';
  const member = await findMember(tx, request.shopId, request.accountId);
  if (member?.isActive !== true) return 'the account is not an active member of the shop';
  if (request.scopes.length === 0) return 'at least one scope is required';
  const excess = request.scopes.find((scope) => !app.scopes.includes(scope));
  return excess === undefined ? null : `the shop has not allowed the scope ${excess} for this app`;
}

interface Issuer {
  readonly provider: Provider;
  readonly store: GrantStore;
  readonly tx: Transaction;
}

async function issue(
  { provider, store, tx }: Issuer,
  request: IssueTokensRequest,
  resource: string,
  now: Date,
): Promise<IssueTokensResult> {
  const { shopId, clientId, accountId, scopes } = request;
  const client = await provider.Client.find(clientId);
  if (client === undefined) throw new Error('the app exists, but no client was found for it');
  const resourceScope = scopes.filter((scope) => scope.includes(':')).join(' ');
  const grant = new provider.Grant({ accountId, clientId });
  grant.addOIDCScope(scopes.filter((scope) => !scope.includes(':')).join(' '));
  if (resourceScope !== '') grant.addResourceScope(resource, resourceScope);
  const grantId = await grant.save();
  const approval = { shopId, clientId, accountId, grantId, scopes };
  const approvalId = await createApproval(tx, approval, now, OPERATOR);
  const expiresAt = new Date(now.getTime() + REFRESH_TOKEN_SECONDS * 1_000);
  const common = {
    accountId,
    client,
    grantId,
    gty: 'authorization_code',
    expiresWithSession: false,
  };
  const access = new provider.AccessToken({ ...common });
  access.resourceServer = new provider.ResourceServer(resource, {
    scope: resourceScope,
    audience: resource,
    accessTokenTTL: ACCESS_TOKEN_SECONDS,
    accessTokenFormat: 'opaque',
  });
  access.scope = resourceScope;
  const accessToken = await access.save();
  const refresh = new provider.RefreshToken({
    ...common,
    jti: store.refreshTokens.issue({ shopId, approvalId, expiresAt }),
    resource,
    rotations: 0,
    scope: scopes.join(' '),
  });
  const refreshToken = scopes.includes('offline_access') ? await refresh.save() : null;
  const opened = await openConnection(
    tx,
    { shopId, clientId, approvalId, accountId },
    now,
    OPERATOR,
  );
  if (opened.kind === 'approval_ended') throw new Error('a new approval has ended');
  return {
    kind: 'issued',
    accessToken,
    refreshToken,
    connectionId: opened.connection.id,
    expiresIn: ACCESS_TOKEN_SECONDS,
  };
}
