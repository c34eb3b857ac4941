import {
  authorizationRequest,
  type BegunAuthorization,
  checkedPending,
  codeOf,
  type PendingAuthorization,
} from './authorization.ts';
import { checkedOptions, checkedScopes, type PartnerAppOptions } from './app-options.ts';
import { addressesUnder, discoverOnce, type ServerAddresses } from './discovery.ts';
import { type CallOptions, docsUrlOf } from './partner-api.ts';
import { idempotencyKeyOf } from './pkce.ts';
import { retryPolicy } from './retry.ts';
import type { Scope } from './scope.ts';
import { openShop, type Shop } from './shop.ts';
import { openSyncTurns } from './sync-turns.ts';
import { openTokenEndpoint } from './token-endpoint.ts';
import { storedTokens, TokenKeeper } from './token-keeper.ts';
import { openTransport } from './transport.ts';
import type { Connection } from './types.ts';
import { untilAborted } from './until-aborted.ts';

/** What an approval has opened. */
export interface CompletedAuthorization {
  readonly shop: Shop;
  /** The answer of `POST /connection`: which shop it is, who approved, and the head of its feed. */
  readonly connection: Connection;
}

/** How an approval is begun. */
export interface BeginOptions extends CallOptions {
  /** What is asked for this time, in the place of the app's own. */
  readonly scopes?: readonly Scope[];
}

/** An app that shops can approve. */
export interface PartnerApp {
  /**
   * Begins an approval: redirect the browser to `url`, and keep `pending` in its session. Asks the service nothing but,
   * once, for its metadata.
   */
  beginAuthorization(options?: BeginOptions): Promise<BegunAuthorization>;
  /**
   * Ends an approval, when the browser has come back to the redirect URI: checks that the answer belongs to this session,
   * fetches the tokens, saves them under `key`, and opens the connection. Take `pending` out of the session. When this
   * fails on its way (`error.isRetryable`), calling it again within a minute is safe.
   *
   * @param callbackUrl The address that the browser came to; `request.url` of node:http is enough.
   * @param pending What `beginAuthorization` gave; what is missing in a session may be handed in as it is.
   * @param key Under which the tokens are stored: your name for this shop or user. `'default'` unless given.
   * @param options Its signal ends the call and its waits; calling it again within a minute is as safe.
   * @throws StateMismatchError, AccessDeniedError and the other errors of an answer; InvalidGrantError when the code is
   *   used up or older than a minute.
   */
  completeAuthorization(
    callbackUrl: string,
    pending: PendingAuthorization | null | undefined,
    key?: string,
    options?: CallOptions,
  ): Promise<CompletedAuthorization>;
  /** The shop whose tokens are stored under `key` (`'default'` unless given). Asks nobody anything. */
  shop(key?: string): Shop;
}

const DEFAULT_SCOPES: readonly Scope[] = [
  'offline_access',
  'purchase-boosts:read',
  'inventory:read',
];
const DEFAULT_KEY = 'default';
/** A code lives for so long, in milliseconds: what is tried afterwards is refused for good. */
const CODE_MS = 60_000;

/** Opens an app. Asks nobody anything; options that cannot be right throw a `TypeError` that says why. */
export function openPartnerApp(options: PartnerAppOptions): PartnerApp {
  const { baseUrl, clientId, clientSecret, redirectUri, authUrl } = checkedOptions(options);
  const docsUrl = docsUrlOf(baseUrl);
  const transport = openTransport({ ...options, docsUrl });
  const { now } = transport;
  const addresses = authUrl === undefined ? discoverOnce(transport, baseUrl) : known(authUrl);
  const endpoint = openTokenEndpoint({
    transport,
    addresses,
    clientId,
    clientSecret,
    resource: baseUrl,
  });
  const keeper = new TokenKeeper({
    store: options.tokens,
    endpoint,
    clientSecret,
    policy: retryPolicy(options.retry),
    now,
    onRetry: options.onRetry,
  });

  const turnOf = openSyncTurns();

  function shop(key: string = DEFAULT_KEY): Shop {
    const tokens = {
      accessToken: keeper.accessToken.bind(keeper, key),
      refused: keeper.refused.bind(keeper, key),
      revoked: keeper.revoked.bind(keeper, key),
      isOver: keeper.isOver.bind(keeper, key),
      remove: keeper.remove.bind(keeper, key),
      revoke: keeper.revoke.bind(keeper, key),
    };
    return openShop({ baseUrl, transport, tokens, takeTurn: turnOf(key) });
  }

  return {
    beginAuthorization: async ({ scopes = options.scopes ?? DEFAULT_SCOPES, signal } = {}) => {
      const request = {
        clientId,
        redirectUri,
        scope: checkedScopes(scopes).join(' '),
        resource: baseUrl,
      };
      return await authorizationRequest(await untilAborted(addresses(), signal), {
        ...request,
        now: now(),
      });
    },
    completeAuthorization: async (callbackUrl, given, key = DEFAULT_KEY, { signal } = {}) => {
      const pending = checkedPending(given);
      const server = await untilAborted(addresses(), signal);
      const code = codeOf(callbackUrl, pending, server, now(), docsUrl);
      const startedAt = now();
      const answer = await endpoint.request(
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
      // A callback that is loaded twice keeps the same both times, also when its tokens are in use by then.
      const nextKey = await idempotencyKeyOf('next', code, clientSecret);
      const issue = { issuedAt: startedAt, scope: pending.scope, refreshToken: null, nextKey };
      // Who gives up here does not stop the tokens from being saved.
      await untilAborted(keeper.keep(key, storedTokens(answer, issue)), signal);
      const approved = shop(key);
      return { shop: approved, connection: await approved.connect({ signal }) };
    },
    shop,
  };
}

function known(authUrl: string): () => Promise<ServerAddresses> {
  return async () => addressesUnder(authUrl);
}
