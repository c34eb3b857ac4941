import { createSecretKey, hash as hashOf, hkdfSync, type KeyObject } from 'node:crypto';
import { errors, type KoaContextWithOIDC } from 'oidc-provider';
import { type LimiterOptions, FairLimiter } from '../base/fair-limiter.ts';
import { hashSecret, shopOfSecret } from '../base/secrets.ts';
import { DatabaseBusy, type Transaction } from '../database/database.ts';
import { type StoredResponse, recordReplay } from '../approvals/stored-response.ts';
import { type TokenToExchange, lockTokenToExchange } from '../approvals/artifact.ts';
import type { RefreshTokenClaims } from '../approvals/refresh-token.ts';
import { toPayload } from './adapter.ts';
import { invalidScope } from './authorization-policy.ts';
import { allowedScopes, isEnabled, shopOfClient } from './client-metadata.ts';
import { type GrantStore, REFRESH_TOKEN_SECONDS, unavailable } from './grant-store.ts';
import { seal, unseal } from '../base/seal.ts';
import { renderTokenResponse } from './token-response.ts';
import type { TokenTransaction } from './token-transaction.ts';

/**
 * Which clients get the identical response to a repeated request: those that send
 * `Idempotency-Key`, all, or none.
 */
export type RefreshReplay = 'header' | 'always' | 'never';

/**
 * A second use of a refresh token within this time is not treated as theft (decision 0007). A
 * longer time would help thieves, and a shorter one would lock out slow clients.
 */
const REUSE_GRACE_SECONDS = 60;
/**
 * Replaces `REUSE_GRACE_SECONDS` if the response that issued the refresh token was itself sent
 * twice, because one of the two recipients may be a thief. It is long enough for processes of one
 * app that race each other, and too short for most thieves (decision 0007).
 */
const RACE_GRACE_SECONDS = 10;
/**
 * A refresh with an `Idempotency-Key` can be repeated for this long, unless the refresh token that
 * it issued is used first. An app that was down over the longest holidays still gets its tokens
 * (decision 0007).
 */
const IDEMPOTENT_REFRESH_SECONDS = 7 * 24 * 60 * 60;
/**
 * Requests with the same token run one after the other, so that they never use more than one pooled
 * connection of this process. A faulty client may send dozens concurrently; a thousand are an
 * attack.
 */
const TOKEN_BOUNDS: LimiterOptions = {
  bounds: [
    { running: 8, waiting: 5_000 },
    { running: 6, waiting: 1_000 },
    { running: 1, waiting: 99 },
  ],
  waitMsMax: 30_000,
};
/** Matches a valid `Idempotency-Key`: printable ASCII, with or without the IETF draft's quotes. */
const IDEMPOTENCY_KEY = /^[\u0020-\u007e]{1,255}$/;

export interface RateLimitResult {
  /** The seconds to wait, or 0 if the request may proceed. */
  readonly waitSeconds: number;
  /** `RateLimit-Policy` and `RateLimit`, or nothing without a limit. */
  readonly headers: Record<string, string>;
}

export interface TokenRequestOptions {
  readonly store: GrantStore;
  readonly resource: string;
  readonly replay: RefreshReplay;
  /** Derived from `SECRET_KEY` and `SECRET_KEY_PREVIOUS`. They encrypt stored responses. */
  readonly responseKeys: readonly [Buffer, ...Buffer[]];
  readonly countRequest: (clientId: string) => RateLimitResult;
}

type Handler = () => Promise<void>;

const grantTypes = {
  authorization_code: { parameter: 'code', model: 'AuthorizationCode' },
  refresh_token: { parameter: 'refresh_token', model: 'RefreshToken' },
} as const;

export type GrantType = keyof typeof grantTypes;

export const GRANT_TYPES: readonly string[] = Object.keys(grantTypes);

export function isGrantType(name: string): name is GrantType {
  return Object.hasOwn(grantTypes, name);
}

/**
 * Wraps the library's handler of a grant type (spec 5.3, step 4; 5.4). Each token request is one
 * transaction, which locks the Grant's row first. A repeated request gets the identical response
 * (decision 0007). The caller has authenticated the client and parsed the parameters.
 */
export class TokenRequestHandler {
  readonly #options: TokenRequestOptions;
  readonly #limiter = new FairLimiter(TOKEN_BOUNDS);

  constructor(options: TokenRequestOptions) {
    this.#options = options;
  }

  async handle(ctx: KoaContextWithOIDC, grantType: GrantType, handler: Handler): Promise<void> {
    const { client, params } = ctx.oidc;
    if (client === undefined || !isEnabled(client)) {
      throw new errors.UnauthorizedClient('the shop has disabled this app');
    }
    const { waitSeconds, headers } = this.#options.countRequest(client.clientId);
    ctx.set(headers);
    if (waitSeconds > 0) {
      ctx.set('retry-after', String(waitSeconds));
      throw tooMany();
    }
    checkResource(params?.['resource'], this.#options.resource);
    if (grantType === 'refresh_token' && !allowedScopes(client).has('offline_access')) {
      throw new errors.UnauthorizedClient('the shop no longer allows this app to refresh tokens');
    }
    const { parameter, model } = grantTypes[grantType];
    const secret = params?.[parameter];
    if (typeof secret !== 'string' || secret === '') {
      throw new errors.InvalidRequest(`missing required parameter '${parameter}'`);
    }
    const retry = this.#retryOf(ctx, grantType, client.clientId, secret);
    const { clientId } = client;
    // A stolen code may be sent by an app of another shop. The approval of the code must then end,
    // so use the shop that the code names.
    const shopId = shopOfSecret(secret) ?? shopOfClient(client);
    const source: Source = { shopId, model, secret, hash: hashSecret(secret), clientId, retry };
    const done = await this.#limiter.run([shopOfClient(client), source.hash], async () => {
      await this.#handleWithSlot(ctx, source, handler);
    });
    if (done === undefined) throw unavailable('too many concurrent requests with this token');
  }

  async #handleWithSlot(ctx: KoaContextWithOIDC, source: Source, handler: Handler): Promise<void> {
    try {
      const body = await this.#options.store.inTokenTransaction(
        source.shopId,
        async (token) => await this.#run(ctx, source, handler, token),
      );
      ctx.body = body;
      ctx.type = 'json';
    } catch (error) {
      if (error instanceof DatabaseBusy) {
        throw unavailable('another request is using this grant; try again later', error);
      }
      throw error;
    }
  }

  async #run(
    ctx: KoaContextWithOIDC,
    source: Source,
    handler: Handler,
    token: TokenTransaction,
  ): Promise<string> {
    const { tx } = token;
    const now = this.#options.store.clock.now();
    const requestHash = source.retry?.hash ?? NO_REQUEST;
    const { shopId, model, hash } = source;
    const query = { shopId, model, hash, requestHash };
    let row = await lockTokenToExchange(tx, query, now);
    if (row === undefined && (await this.#recoverLostToken(tx, source))) {
      row = await lockTokenToExchange(tx, query, now);
    }
    const member = row === undefined ? null : memberOf(row);
    token.member = member;
    if (row !== undefined) {
      const stored = member === null ? undefined : openStoredResponse(row, source.retry);
      if (stored !== undefined) {
        await recordReplay(tx, shopId, stored, now);
        return stored.body;
      }
      preloadRows(token, source, row);
      token.nextRefresh = nextRefreshOf(source, row, now);
      token.isReuseAllowed = isAccidentalReuse(source, row, now);
      // Do not refuse a consumed token here: it may be stolen, so the library must end the Grant.
      const isUsable = row.consumedAt === null || token.isReuseAllowed;
      if (member !== null && model === 'RefreshToken' && isUsable) checkScopes(ctx);
    }
    try {
      await handler();
    } catch (error) {
      const grantHash = row?.grantHash ?? null;
      if (grantHash !== null && member !== null && isMisusedCode(source, error)) {
        await this.#options.store.endGrant({ shopId, grantHash });
      }
      throw error;
    }
    const body = renderTokenResponse(ctx);
    await token.write(toStoredResponse(ctx, source.retry, body, now), now);
    return body;
  }

  async #recoverLostToken(tx: Transaction, { model, secret, clientId }: Source): Promise<boolean> {
    return (
      model === 'RefreshToken' && (await this.#options.store.recoverLostToken(tx, secret, clientId))
    );
  }

  /** Undefined if the response must not be replayed. */
  #retryOf(
    ctx: KoaContextWithOIDC,
    grantType: GrantType,
    clientId: string,
    token: string,
  ): Retry | undefined {
    const { replay, responseKeys } = this.#options;
    const idempotencyKey = ctx.get('idempotency-key');
    const isGiven = ctx.req.headers['idempotency-key'] !== undefined;
    if (isGiven && !IDEMPOTENCY_KEY.test(idempotencyKey)) {
      throw new errors.InvalidRequest(
        'Idempotency-Key must have 1 to 255 printable ASCII characters',
      );
    }
    // Without the header, only a refresh can be repeated: a code sent twice counts as stolen.
    const isRepeatable = isGiven || (replay === 'always' && grantType === 'refresh_token');
    if (replay === 'never' || !isRepeatable) return undefined;
    const { client_id: _, ...params } = ctx.oidc.params ?? {};
    const sorted = Object.entries(params)
      .filter(([, value]) => value !== undefined)
      .toSorted(([a], [b]) => (a < b ? -1 : 1));
    // The hash excludes the client secret, which processes may not share during a rotation.
    const text = JSON.stringify([clientId, idempotencyKey, sorted]);
    const hash = hashOf('sha256', text, 'buffer');
    const isIdempotentRefresh = idempotencyKey !== '' && grantType === 'refresh_token';
    const replaySeconds = isIdempotentRefresh ? IDEMPOTENT_REFRESH_SECONDS : REUSE_GRACE_SECONDS;
    const [key, ...former] = responseKeys;
    const others = former.map((each) => deriveSealKey(token, each));
    return { hash, keys: [deriveSealKey(token, key), ...others], replaySeconds };
  }
}

interface Source {
  readonly shopId: string;
  readonly model: 'AuthorizationCode' | 'RefreshToken';
  readonly secret: string;
  readonly hash: string;
  readonly clientId: string;
  readonly retry: Retry | undefined;
}

/** Identifies repetitions of a request, and decrypts the response that they get. */
interface Retry {
  readonly hash: Buffer;
  /** The first key encrypts new responses. The others only decrypt older responses. */
  readonly keys: readonly [KeyObject, ...KeyObject[]];
  /** How long the response is stored. */
  readonly replaySeconds: number;
}

/** The token is an input, so that stored data alone is not enough to derive the key. */
function deriveSealKey(token: string, responseKey: Buffer): KeyObject {
  const key = hkdfSync('sha256', token, responseKey, 'token answer', 32);
  return createSecretKey(new Uint8Array(key));
}

const NO_REQUEST = Buffer.alloc(0);

/** Throws `invalid_target` before a code or token is consumed (spec 5.1, RFC 8707 §2.2). */
function checkResource(given: unknown, resource: string): void {
  if (given === undefined) throw new errors.InvalidTarget('resource is required');
  if (given !== resource) {
    throw new errors.InvalidTarget('resource must be the URL of an API of this server');
  }
}

/** Throws `invalid_scope` if the shop no longer allows the app a requested scope (spec 5.2). */
function checkScopes({ oidc }: KoaContextWithOIDC): void {
  const allowed = allowedScopes(oidc.client ?? {});
  for (const scope of oidc.requestParamScopes) {
    if (!allowed.has(scope)) {
      throw invalidScope('the shop does not allow one of the scopes for this app');
    }
  }
}

/** Returns the approving member, or null if the approval has ended or the member is deactivated. */
function memberOf(row: TokenToExchange): TokenTransaction['member'] {
  const { accountId, accountName: name } = row;
  if (accountId === null || name === null || row.isMemberActive !== true) return null;
  return { accountId, name };
}

function openStoredResponse(
  { sealed, successorHash, grantHash, grantPayload }: TokenToExchange,
  retry: Retry | undefined,
):
  | { readonly body: string; readonly successorHash: string; readonly grantHash: string }
  | undefined {
  if (sealed === null || successorHash === null) return undefined;
  if (grantHash === null || grantPayload === null) return undefined;
  const body = retry?.keys
    .map((key) => unseal(sealed, key, retry.hash))
    .find((opened) => opened !== undefined);
  return body === undefined ? undefined : { body, successorHash, grantHash };
}

/** Stores the rows that were read under the lock, so that the library does not query them again. */
function preloadRows(token: TokenTransaction, source: Source, row: TokenToExchange): void {
  const payload = toPayload(source.secret, row.payload, row.consumedAt);
  token.preload(source.model, source.secret, payload);
  const { grantId } = payload;
  if (grantId !== undefined && row.grantPayload !== null) {
    token.preload('Grant', grantId, toPayload(grantId, row.grantPayload, null));
  }
}

/**
 * Returns the claims of the next refresh token. The newest token of an approval is the one that
 * expires last (decision 0215). So even if clocks differ, the next token must expire later than the
 * token that it replaces, and later than all tokens from before a restore.
 */
function nextRefreshOf(
  { shopId, model }: Source,
  { approvalId, expiresAt, restoredAt }: TokenToExchange,
  now: Date,
): RefreshTokenClaims | null {
  if (approvalId === null) return null;
  const madeAtMs = Math.max(now.getTime(), restoredAt === null ? 0 : restoredAt.getTime() + 1);
  const endsMs = madeAtMs + REFRESH_TOKEN_SECONDS * 1_000;
  const afterMs = model === 'RefreshToken' ? expiresAt.getTime() + 1 : 0;
  return { shopId, approvalId, expiresAt: new Date(Math.max(endsMs, afterMs)) };
}

/**
 * Reuse within 60 s of the first use is probably a duplicate request, or the first response was
 * lost. If the response that issued this token was itself sent twice, the limit is 10 s, because
 * one recipient may be a thief. An identical request may be repeated for the whole retention period
 * of its response, even if the response was deleted early or cannot be decrypted. Codes have no
 * grace period.
 */
function isAccidentalReuse(source: Source, row: TokenToExchange, now: Date): boolean {
  if (source.model !== 'RefreshToken' || row.consumedAt === null) return false;
  const isSame = row.isSpentBySame && source.retry !== undefined;
  const other = row.isRepeated ? RACE_GRACE_SECONDS : REUSE_GRACE_SECONDS;
  const seconds = isSame ? source.retry.replaySeconds : other;
  return now.getTime() - row.consumedAt.getTime() < seconds * 1_000;
}

/**
 * Returns whether a code was sent with a wrong verifier or redirect URI, or by another app. It may
 * be stolen, so the code and its tokens end (decision 0007). A malformed request does not count.
 */
function isMisusedCode({ model }: Source, error: unknown): boolean {
  return model === 'AuthorizationCode' && error instanceof errors.InvalidGrant;
}

/** Null if the response must not be replayed. */
function toStoredResponse(
  ctx: KoaContextWithOIDC,
  retry: Retry | undefined,
  body: string,
  now: Date,
): StoredResponse | null {
  const { grantId, successor } = outcomeOf(ctx);
  if (retry === undefined) return null;
  return {
    requestHash: retry.hash,
    grantHash: hashSecret(grantId),
    successorHash: hashSecret(successor),
    sealed: seal(body, retry.keys[0], retry.hash),
    expiresAt: new Date(now.getTime() + retry.replaySeconds * 1_000),
  };
}

function outcomeOf(ctx: KoaContextWithOIDC): {
  readonly grantId: string;
  readonly successor: string;
} {
  const { RefreshToken, AccessToken, Grant } = ctx.oidc.entities;
  const successor = RefreshToken?.jti ?? AccessToken?.jti;
  const grantId = Grant?.jti;
  if (successor === undefined || grantId === undefined) throw new Error('a grant issued no token');
  return { grantId, successor };
}

function tooMany(): Error {
  const error = new errors.CustomOIDCProviderError('rate_limited', 'too many token requests');
  error.status = 429;
  error.statusCode = 429;
  return error;
}
