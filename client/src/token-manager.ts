import { CardportError, type ConnectionRevokedError } from './errors.ts';
import { ApprovalNeededError, MalformedAnswerError } from './local-errors.ts';
import { InvalidGrantError } from './oauth-errors.ts';
import { idempotencyKeyOf, randomText } from './pkce.ts';
import type { Signal } from './platform.ts';
import { RefreshFailures, rememberEntry } from './refresh-failures.ts';
import { RefreshRetry } from './refresh-retry.ts';
import type { TokenResponse, TokenEndpoint } from './token-endpoint.ts';
import { type StoredTokens, validateStoredTokens, type TokenStore } from './tokens.ts';
import { KeyedQueue } from './keyed-queue.ts';
import { untilAborted } from './until-aborted.ts';
import { wait, type RetryEvent, type RetryPolicy } from './retry.ts';

export interface TokenManagerOptions {
  readonly store: TokenStore;
  readonly endpoint: TokenEndpoint;
  /** The idempotency key of a refresh is derived from this. */
  readonly clientSecret: string;
  readonly policy: RetryPolicy;
  readonly now: () => number;
  readonly onRetry?: ((retry: RetryEvent) => void) | undefined;
}

/**
 * A token with less time left is refreshed. A call takes at most 30 s, so its token does not expire
 * during the call. A longer margin would cause more refreshes; a shorter one would cause 401s.
 */
const REFRESH_MARGIN_MS = 60_000;
/** A token that is valid for less time than this might expire before a call arrives. */
const UNUSABLE_MS = 5_000;
/** After a refused refresh the store is read again: another process may be saving new tokens. */
const RECHECK_DELAYS_MS = [0, 100, 300];
/** A second refresh is needed if the first returns tokens that have already expired. */
const REFRESHES_MAX = 2;

/** A safeguard. The delays leave no time for this many attempts. */
const ATTEMPTS_MAX = 100;

interface EndedApproval {
  readonly accessToken: string;
  readonly error: ApprovalNeededError;
  readonly isConnectionEnded: boolean;
}

/**
 * Stores access tokens and keeps them valid (decision 0140). At most one refresh runs per store
 * key. The refresh is recorded in the store before its request is sent, and the request is repeated
 * with the same idempotency key until a response arrives. Callers get new tokens only after these
 * are saved. A refusal never removes tokens, because a disabled app may be enabled again and a
 * member may return. `token-source.ts` describes the methods.
 */
export class TokenManager {
  readonly #options: TokenManagerOptions;
  readonly #queue = new KeyedQueue();
  readonly #refreshing = new Map<string, Promise<StoredTokens>>();
  readonly #failures: RefreshFailures;
  /** The access tokens of ended approvals, and the error that callers get instead. */
  readonly #ended = new Map<string, EndedApproval>();
  /** New tokens that the store failed to save, and the refresh token that they replace. */
  readonly #unsaved = new Map<string, { readonly spent: string; readonly tokens: StoredTokens }>();

  constructor(options: TokenManagerOptions) {
    this.#options = options;
    this.#failures = new RefreshFailures(options.now);
  }

  async accessToken(key: string, signal?: Signal): Promise<string> {
    const tokens = await untilAborted(this.#load(key), signal);
    this.#throwIfEnded(key, tokens);
    if (this.#isFresh(tokens)) return tokens.accessToken;
    if (tokens.refreshToken === null && this.#leftMs(tokens) > 0) return tokens.accessToken;
    const fallback = this.#leftMs(tokens) > UNUSABLE_MS ? tokens.accessToken : undefined;
    const failure = this.#failures.recent(key, tokens.refreshToken);
    if (fallback !== undefined && isTemporary(failure?.error)) return fallback;
    if (failure?.isFinal === true) throw failure.error;
    try {
      return (await this.#refresh(key, null, signal)).accessToken;
    } catch (error) {
      // The pending refresh stays in the store and continues later.
      if (fallback !== undefined && isTemporary(error)) return fallback;
      throw error;
    }
  }

  async replaceRefused(key: string, accessToken: string, signal?: Signal): Promise<string> {
    const tokens = await untilAborted(this.#load(key), signal);
    if (tokens.accessToken === accessToken && tokens.refreshToken === null) {
      this.#setEnded(key, { accessToken, error: notRefreshable(), isConnectionEnded: false });
    }
    this.#throwIfEnded(key, tokens);
    const failure = this.#failures.recent(key, tokens.refreshToken);
    if (failure?.isFinal === true) throw failure.error;
    const other = await this.#refresh(key, accessToken, signal);
    return other.accessToken;
  }

  markRevoked(key: string, accessToken: string, { requestId, help }: ConnectionRevokedError): void {
    const message = 'the connection has ended: ask a member of the shop to approve the app again';
    const error = new ApprovalNeededError({ message, requestId, help });
    this.#setEnded(key, { accessToken, error, isConnectionEnded: true });
  }

  async mayLeaveConnection(key: string): Promise<boolean> {
    const tokens = await this.#loadStored(key);
    if (tokens?.refreshToken !== null) return false;
    const ended = this.#ended.get(key);
    return ended?.accessToken !== tokens.accessToken || !ended.isConnectionEnded;
  }

  /** Overwrites existing tokens with those of a new approval. */
  async saveNew(key: string, tokens: StoredTokens): Promise<void> {
    await this.#queue.run(key, async () => {
      this.#unsaved.delete(key);
      await this.#options.store.save(key, tokens);
      this.#failures.forget(key);
      this.#ended.delete(key);
    });
  }

  async remove(key: string): Promise<void> {
    await this.#queue.run(key, async () => {
      this.#unsaved.delete(key);
      await this.#options.store.remove(key);
      this.#failures.forget(key);
      this.#ended.delete(key);
    });
  }

  async revoke(key: string, signal?: Signal): Promise<void> {
    const tokens = await untilAborted(this.#loadStored(key), signal);
    if (tokens === null) return;
    const { refreshToken, accessToken } = await this.#withoutPendingRefresh(key, tokens, signal);
    await this.#options.endpoint.revoke(refreshToken ?? accessToken, signal);
    await untilAborted(this.remove(key), signal);
  }

  /** Finishes a pending refresh, because the service may have forgotten the tokens it replaces. */
  async #withoutPendingRefresh(
    key: string,
    tokens: StoredTokens,
    signal?: Signal,
  ): Promise<StoredTokens> {
    if (tokens.pendingRefresh === undefined) return tokens;
    try {
      return await this.#refresh(key, null, signal);
    } catch (error) {
      if (error instanceof ApprovalNeededError) return tokens;
      throw error;
    }
  }

  /** Joins the running refresh or starts one. An abort by one caller does not stop the refresh. */
  async #refresh(key: string, refused: string | null, signal?: Signal): Promise<StoredTokens> {
    const running = this.#refreshing.get(key);
    if (running !== undefined) {
      const tokens = await untilAborted(running, signal);
      if (tokens.accessToken !== refused) return tokens;
    }
    const refresh = this.#refreshing.get(key) ?? this.#startRefresh(key, refused);
    return await untilAborted(refresh, signal);
  }

  #startRefresh(key: string, refused: string | null): Promise<StoredTokens> {
    const refreshing = this.#refreshUntilDone(key, refused).finally(() => {
      this.#refreshing.delete(key);
    });
    this.#refreshing.set(key, refreshing);
    return refreshing;
  }

  async #refreshUntilDone(key: string, refused: string | null): Promise<StoredTokens> {
    // Not in the loop: discovery has its own retries, and a wrong address stays wrong.
    await this.#options.endpoint.discover();
    const retry = new RefreshRetry(this.#options);
    let refreshes = 0;
    for (let attempt = 1; ; attempt++) {
      // Another process may have refreshed; using the old token again would end the approval.
      const tokens = await this.#load(key);
      if (tokens.accessToken !== refused && this.#isFresh(tokens)) return tokens;
      try {
        const next = await this.#refreshOnce(key, tokens);
        refreshes++;
        // A repeated old response has an expired access token but a valid refresh token.
        if (this.#leftMs(next) > 0 || refreshes >= REFRESHES_MAX) return next;
      } catch (error) {
        if (error instanceof InvalidGrantError) {
          if (attempt < ATTEMPTS_MAX && (await this.#wereReplaced(key, tokens))) continue;
          const needed = approvalNeeded(error);
          this.#failures.remember(key, tokens.refreshToken, needed);
          throw needed;
        }
        if (!isTemporary(error) || attempt >= ATTEMPTS_MAX || !(await retry.waitForNext(error))) {
          this.#failures.remember(key, tokens.refreshToken, error);
          throw error;
        }
      }
    }
  }

  async #refreshOnce(key: string, given: StoredTokens): Promise<StoredTokens> {
    const { refreshToken } = given;
    if (refreshToken === null) {
      throw notRefreshable();
    }
    const tokens = await this.#markPending(key, given, refreshToken);
    const { pendingRefresh } = tokens;
    // Another process has already stored new tokens, from this refresh or from a new approval.
    if (pendingRefresh === undefined || tokens.refreshToken !== refreshToken) return tokens;
    const sentAt = this.#options.now();
    const response = await this.#options.endpoint.request(
      { grant_type: 'refresh_token', refresh_token: refreshToken },
      { idempotencyKey: pendingRefresh.idempotencyKey, isRetried: false },
    );
    // The response may be that of an earlier attempt, so count the lifetime from the first attempt.
    const startedAt = Date.parse(pendingRefresh.startedAt);
    const issuedAt = startedAt < sentAt ? startedAt : sentAt;
    const nextKey = pendingRefresh.nextKey ?? randomText();
    const next = toStoredTokens(response, { issuedAt, scope: tokens.scope, refreshToken, nextKey });
    this.#unsaved.set(key, { spent: refreshToken, tokens: next });
    return await this.#saveReceived(key);
  }

  /**
   * Records in the store that a refresh is pending. Returns the stored tokens, which another
   * process may have replaced.
   */
  async #markPending(
    key: string,
    tokens: StoredTokens,
    refreshToken: string,
  ): Promise<StoredTokens> {
    if (tokens.pendingRefresh !== undefined) return tokens;
    const { store, clientSecret, now } = this.#options;
    return await this.#queue.run(key, async () => {
      const stored = requireTokens(await this.#loadStored(key));
      if (stored.refreshToken !== refreshToken || stored.pendingRefresh !== undefined) {
        return stored;
      }
      // Prefer the stored value: during a rotation, processes may have different client secrets.
      const secret = stored.nextKey ?? clientSecret;
      const idempotencyKey = await idempotencyKeyOf('refresh', refreshId(stored), secret);
      const startedAt = new Date(now()).toISOString();
      // `nextKey` is generated before the request, so that every process that continues the refresh
      // stores the same value.
      const pendingRefresh = { idempotencyKey, startedAt, nextKey: randomText() };
      const pending = { ...stored, pendingRefresh };
      const isSaved = await store.save(key, pending, refreshToken);
      return isSaved === false ? requireTokens(await this.#loadStored(key)) : pending;
    });
  }

  /** Returns the stored tokens. If received tokens could not be saved, tries to save them first. */
  async #load(key: string): Promise<StoredTokens> {
    if (this.#unsaved.has(key)) return await this.#saveReceived(key);
    return requireTokens(await this.#loadStored(key));
  }

  async #loadStored(key: string): Promise<StoredTokens | null> {
    const tokens = await this.#options.store.load(key);
    return tokens === null || tokens === undefined ? null : validateStoredTokens(tokens);
  }

  /** Saves the received tokens. If the store has changed, returns the stored tokens instead. */
  async #saveReceived(key: string): Promise<StoredTokens> {
    return await this.#queue.run(key, async () => {
      const { store } = this.#options;
      const received = this.#unsaved.get(key);
      const stored = await this.#loadStored(key);
      if (received === undefined || stored?.refreshToken !== received.spent) {
        this.#unsaved.delete(key);
        return requireTokens(stored);
      }
      // If two processes recorded the refresh concurrently, both must store the same `nextKey`.
      const nextKey = stored.pendingRefresh?.nextKey ?? received.tokens.nextKey;
      const tokens = { ...received.tokens, ...(nextKey === undefined ? {} : { nextKey }) };
      const isSaved = await store.save(key, tokens, received.spent);
      this.#unsaved.delete(key);
      if (isSaved === false) return requireTokens(await this.#loadStored(key));
      this.#failures.forget(key);
      return tokens;
    });
  }

  /** Another process may still be saving the new tokens, so this reads the store several times. */
  async #wereReplaced(key: string, { refreshToken }: StoredTokens): Promise<boolean> {
    for (const delayMs of RECHECK_DELAYS_MS) {
      await wait(delayMs);
      const stored = await this.#load(key);
      if (stored.refreshToken !== refreshToken) return true;
    }
    return false;
  }

  #setEnded(key: string, ended: EndedApproval): void {
    // Keep the first error, so that all callers get the same one.
    if (this.#ended.get(key)?.accessToken === ended.accessToken) return;
    rememberEntry(this.#ended, key, ended);
  }

  #throwIfEnded(key: string, { accessToken }: StoredTokens): void {
    const ended = this.#ended.get(key);
    if (ended?.accessToken === accessToken) throw ended.error;
  }

  #isFresh(tokens: StoredTokens): boolean {
    return tokens.pendingRefresh === undefined && this.#leftMs(tokens) > REFRESH_MARGIN_MS;
  }

  #leftMs({ accessExpiresAt }: StoredTokens): number {
    return Date.parse(accessExpiresAt) - this.#options.now();
  }
}

export interface TokenIssue {
  /** Milliseconds since the Unix epoch. May be too early, but not too late. */
  readonly issuedAt: number;
  /** The requested scopes. */
  readonly scope: string;
  /** The refresh token that was exchanged; null for a code. */
  readonly refreshToken: string | null;
  readonly nextKey: string;
}

export function toStoredTokens(
  response: TokenResponse,
  { issuedAt, scope, refreshToken, nextKey }: TokenIssue,
): StoredTokens {
  return {
    accessToken: response.accessToken,
    accessExpiresAt: new Date(issuedAt + response.expiresInSeconds * 1_000).toISOString(),
    // A server without rotation sends no refresh token; the old one stays valid (RFC 6749 §6).
    refreshToken: response.refreshToken ?? refreshToken,
    scope: response.scope ?? scope,
    nextKey,
  };
}

/** Identifies the refresh of these tokens, even if the store drops `nextKey`. */
function refreshId({ refreshToken, accessToken, nextKey }: StoredTokens): string {
  const tokens = `${refreshToken} ${accessToken}`;
  return nextKey === undefined ? tokens : `${tokens} ${nextKey}`;
}

function notRefreshable(): ApprovalNeededError {
  const message =
    'the access token has expired, and the approval has no refresh token: ask for the scope offline_access in a new authorization';
  return new ApprovalNeededError({ message });
}

function requireTokens(tokens: StoredTokens | null): StoredTokens {
  if (tokens !== null) return tokens;
  throw new ApprovalNeededError({
    message:
      'no tokens are stored under this key: ask a member of the shop to approve the app first',
  });
}

function approvalNeeded({ requestId, help }: InvalidGrantError): ApprovalNeededError {
  const message =
    'the service refused the refresh token: the shop ended the connection, the member lost the permission, ' +
    'the token was unused for 90 days, or a lost refresh response was not fetched again in time. Ask a member of ' +
    'the shop to approve the app again';
  return new ApprovalNeededError({ message, requestId, help });
}

/** A retry is safe, because the service repeats its response to the same idempotency key. */
function isTemporary(error: unknown): boolean {
  return (
    error instanceof CardportError && (error.isRetryable || error instanceof MalformedAnswerError)
  );
}
