import {
  authorizationRequest,
  type BegunAuthorization,
  validatePending,
  readCallbackCode,
  type PendingAuthorization,
} from './authorization.ts';
import { validateOptions, validateScopes, type PartnerAppOptions } from './app-options.ts';
import { addressesFromAuthUrl, discoverOnce, type ServerAddresses } from './discovery.ts';
import { type CallOptions, docsUrlOf } from './partner-api.ts';
import { idempotencyKeyOf } from './pkce.ts';
import { retryPolicy } from './retry.ts';
import type { Scope } from './scope.ts';
import { openShop, type Shop } from './shop.ts';
import { openSyncQueue } from './sync-queue.ts';
import { openTokenEndpoint } from './token-endpoint.ts';
import { toStoredTokens, TokenManager } from './token-manager.ts';
import { openTransport } from './transport.ts';
import type { Connection } from './types.ts';
import { untilAborted } from './until-aborted.ts';

export interface CompletedAuthorization {
  readonly shop: Shop;
  /** The response of `POST /connection`: the shop, the member who approved, and the feed's head. */
  readonly connection: Connection;
}

export interface BeginOptions extends CallOptions {
  /** The scopes of this authorization. Defaults to the scopes of the app. */
  readonly scopes?: readonly Scope[];
}

/** An app that shops can approve. */
export interface PartnerApp {
  /**
   * Begins an authorization. Redirect the browser to `url`, and store `pending` in its session.
   * Makes no request except one for the service's metadata, once per app.
   */
  beginAuthorization(options?: BeginOptions): Promise<BegunAuthorization>;
  /**
   * Completes an authorization when the browser returns to the redirect URI: checks that the
   * callback belongs to this session, saves the tokens under `key`, and opens the connection. Then
   * remove `pending` from the session. After a retryable failure (`error.isRetryable`) or an abort
   * it is safe to call this again within a minute.
   *
   * @param callbackUrl The address that the browser requested, or just node:http's `request.url`.
   * @param pending From `beginAuthorization`; null if the session has lost it, which throws.
   * @param key Your name for this shop or user in the token store. Defaults to `'default'`.
   * @param options Aborting its signal cancels the call, including its delays.
   * @throws StateMismatchError, AccessDeniedError and the other errors of a callback;
   * InvalidGrantError when the code was used or is older than a minute.
   */
  completeAuthorization(
    callbackUrl: string,
    pending: PendingAuthorization | null | undefined,
    key?: string,
    options?: CallOptions,
  ): Promise<CompletedAuthorization>;
  /** Returns the shop stored under `key` (`'default'` by default). Makes no request. */
  shop(key?: string): Shop;
}

const DEFAULT_SCOPES: readonly Scope[] = [
  'offline_access',
  'purchase-boosts:read',
  'inventory:read',
];
const DEFAULT_KEY = 'default';
/** The lifetime of a code, after which its exchange is not retried. */
const CODE_MS = 60_000;

/** Creates an app without making a request. Throws a `TypeError` for invalid options. */
export function openPartnerApp(options: PartnerAppOptions): PartnerApp {
  const { baseUrl, clientId, clientSecret, redirectUri, authUrl } = validateOptions(options);
  const docsUrl = docsUrlOf(baseUrl);
  const transport = openTransport({ ...options, docsUrl });
  const { now } = transport;
  const addresses =
    authUrl === undefined ? discoverOnce(transport, baseUrl) : knownAddresses(authUrl);
  const endpoint = openTokenEndpoint({
    transport,
    addresses,
    clientId,
    clientSecret,
    resource: baseUrl,
  });
  const manager = new TokenManager({
    store: options.tokens,
    endpoint,
    clientSecret,
    policy: retryPolicy(options.retry),
    now,
    onRetry: options.onRetry,
  });

  const syncQueueOf = openSyncQueue();

  function shop(key: string = DEFAULT_KEY): Shop {
    const tokens = {
      accessToken: manager.accessToken.bind(manager, key),
      replaceRefused: manager.replaceRefused.bind(manager, key),
      markRevoked: manager.markRevoked.bind(manager, key),
      mayLeaveConnection: manager.mayLeaveConnection.bind(manager, key),
      remove: manager.remove.bind(manager, key),
      revoke: manager.revoke.bind(manager, key),
    };
    return openShop({ baseUrl, transport, tokens, runExclusively: syncQueueOf(key) });
  }

  return {
    beginAuthorization: async ({ scopes = options.scopes ?? DEFAULT_SCOPES, signal } = {}) => {
      const request = {
        clientId,
        redirectUri,
        scope: validateScopes(scopes).join(' '),
        resource: baseUrl,
      };
      return await authorizationRequest(await untilAborted(addresses(), signal), {
        ...request,
        now: now(),
      });
    },
    completeAuthorization: async (callbackUrl, given, key = DEFAULT_KEY, { signal } = {}) => {
      const pending = validatePending(given);
      const server = await untilAborted(addresses(), signal);
      const code = readCallbackCode(callbackUrl, pending, server, now(), docsUrl);
      const startedAt = now();
      const response = await endpoint.request(
        {
          grant_type: 'authorization_code',
          code,
          redirect_uri: pending.redirectUri,
          code_verifier: pending.codeVerifier,
        },
        {
          idempotencyKey: await idempotencyKeyOf('code', code, clientSecret),
          isRetried: true,
          totalMsMax: CODE_MS,
          signal,
        },
      );
      // Derived from the code, so that a callback that is loaded twice gets the same key.
      const nextKey = await idempotencyKeyOf('next', code, clientSecret);
      const issue = { issuedAt: startedAt, scope: pending.scope, refreshToken: null, nextKey };
      // If the caller aborts here, the tokens are still saved.
      await untilAborted(manager.saveNew(key, toStoredTokens(response, issue)), signal);
      const approved = shop(key);
      return { shop: approved, connection: await approved.connect({ signal }) };
    },
    shop,
  };
}

function knownAddresses(authUrl: string): () => Promise<ServerAddresses> {
  return async () => addressesFromAuthUrl(authUrl);
}
