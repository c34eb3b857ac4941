import { CardportError, type ConnectionRevokedError } from './errors.ts';
import { ApprovalNeededError, MalformedAnswerError } from './local-errors.ts';
import { InvalidGrantError } from './oauth-errors.ts';
import { idempotencyKeyOf, randomText } from './pkce.ts';
import type { Signal } from './platform.ts';
import { RefreshFailures, setBounded } from './refresh-failures.ts';
import { RefreshPace } from './refresh-pace.ts';
import type { TokenAnswer, TokenEndpoint } from './token-endpoint.ts';
import { type StoredTokens, tokensOfStore, type TokenStore } from './tokens.ts';
import { Turns } from './turns.ts';
import { untilAborted } from './until-aborted.ts';
import { wait, type RetryNews, type RetryPolicy } from './retry.ts';

/** Where tokens are kept and refreshed. */
export interface TokenKeeperOptions {
  readonly store: TokenStore;
  readonly endpoint: TokenEndpoint;
  /** Part of the idempotency key of a refresh. */
  readonly clientSecret: string;
  readonly policy: RetryPolicy;
  readonly now: () => number;
  readonly onRetry?: ((retry: RetryNews) => void) | undefined;
}

/**
 * An access token is replaced when it has less than this left: a call that begins with it, 30 s long at most, ends before
 * it does. Longer would refresh more often, shorter would cost calls a 401 and a repetition.
 */
const MARGIN_MS = 60_000;
/** A token with less than this left opens nothing any more by the time that a call arrives. */
const DYING_MS = 5_000;
/** How often the store is read again after a refusal: another process may just be saving what it got instead. */
const SECOND_LOOKS_MS = [0, 100, 300];
/** Refreshes in a row for one caller: the second one when the first was answered with tokens that have ended meanwhile. */
const REFRESHES_MAX = 2;

/** Rounds of one refresh: more than its waits leave time for. */
const ROUNDS_MAX = 100;

interface Over {
  readonly accessToken: string;
  readonly error: ApprovalNeededError;
  readonly isConnectionOver: boolean;
}

/**
 * Keeps access tokens good (decision 0145). One refresh at a time for a key; it is noted in the store before it is sent,
 * named by a key that every process finds by itself, and repeated until its answer is here; new tokens are saved before
 * anybody gets them. Refusals never remove tokens: a disabled app is enabled again, a member comes back.
 */
export class TokenKeeper {
  readonly #options: TokenKeeperOptions;
  readonly #turns = new Turns();
  readonly #refreshing = new Map<string, Promise<StoredTokens>>();
  readonly #failures: RefreshFailures;
  /** Access tokens whose approval is over for good, and the error that is thrown instead of them. */
  readonly #over = new Map<string, Over>();
  /** New tokens that the store would not take, and the refresh token that they cost. */
  readonly #unsaved = new Map<string, { readonly spent: string; readonly tokens: StoredTokens }>();

  constructor(options: TokenKeeperOptions) {
    this.#options = options;
    this.#failures = new RefreshFailures(options.now);
  }

  /** An access token that is good for now. */
  async accessToken(key: string, signal?: Signal): Promise<string> {
    const tokens = await untilAborted(this.#load(key), signal);
    this.#throwIfOver(key, tokens);
    if (this.#isGood(tokens)) return tokens.accessToken;
    if (tokens.refreshToken === null && this.#leftMs(tokens) > 0) return tokens.accessToken;
    const spare = this.#leftMs(tokens) > DYING_MS ? tokens.accessToken : undefined;
    const failure = this.#failures.recent(key, tokens.refreshToken);
    if (failure !== undefined && spare !== undefined && isPassing(failure.error)) return spare;
    if (failure?.isFinal === true) throw failure.error;
    try {
      return (await this.#refreshed(key, null, signal)).accessToken;
    } catch (error) {
      // The refresh stays noted in the store and is taken up again.
      if (spare !== undefined && isPassing(error)) return spare;
      throw error;
    }
  }

  /** Another access token than this one, which the service has refused. */
  async refused(key: string, accessToken: string, signal?: Signal): Promise<string> {
    const tokens = await untilAborted(this.#load(key), signal);
    if (tokens.accessToken === accessToken && tokens.refreshToken === null) {
      this.#setOver(key, { accessToken, error: notRefreshable(), isConnectionOver: false });
    }
    this.#throwIfOver(key, tokens);
    const failure = this.#failures.recent(key, tokens.refreshToken);
    if (failure?.isFinal === true) throw failure.error;
    const other = await this.#refreshed(key, accessToken, signal);
    return other.accessToken;
  }

  /** The connection of this access token has ended, which only a new approval mends: nobody gets the token any more. */
  revoked(key: string, accessToken: string, { requestId, help }: ConnectionRevokedError): void {
    const message = 'the connection has ended; only a new approval makes another one';
    const error = new ApprovalNeededError({ message, requestId, help });
    this.#setOver(key, { accessToken, error, isConnectionOver: true });
  }

  /** After an {@link ApprovalNeededError}: false where a connection may stand that these tokens cannot end any more. */
  async isOver(key: string): Promise<boolean> {
    const tokens = await this.#kept(key);
    if (tokens?.refreshToken !== null) return true;
    const over = this.#over.get(key);
    return over?.accessToken === tokens.accessToken && over.isConnectionOver;
  }

  /** Keeps the tokens of a new approval in the place of whatever was there. */
  async keep(key: string, tokens: StoredTokens): Promise<void> {
    await this.#turns.take(key, async () => {
      this.#unsaved.delete(key);
      await this.#options.store.save(key, tokens);
      this.#failures.forget(key);
      this.#over.delete(key);
    });
  }

  async remove(key: string): Promise<void> {
    await this.#turns.take(key, async () => {
      this.#unsaved.delete(key);
      await this.#options.store.remove(key);
      this.#failures.forget(key);
      this.#over.delete(key);
    });
  }

  /** Has the service end the approval, then forgets its tokens. */
  async revoke(key: string, signal?: Signal): Promise<void> {
    const tokens = await untilAborted(this.#kept(key), signal);
    if (tokens === null) return;
    const { refreshToken, accessToken } = await this.#settled(key, tokens, signal);
    await this.#options.endpoint.revoke(refreshToken ?? accessToken, signal);
    await untilAborted(this.remove(key), signal);
  }

  /** The newest tokens, when a refresh was begun; the service may not know the spent ones any more. */
  async #settled(key: string, tokens: StoredTokens, signal?: Signal): Promise<StoredTokens> {
    if (tokens.pendingRefresh === undefined) return tokens;
    try {
      return await this.#refreshed(key, null, signal);
    } catch (error) {
      if (error instanceof ApprovalNeededError) return tokens;
      throw error;
    }
  }

  /** Joins the refresh that goes on, or begins one. Whoever stops waiting does not stop it. */
  async #refreshed(key: string, refused: string | null, signal?: Signal): Promise<StoredTokens> {
    const running = this.#refreshing.get(key);
    if (running !== undefined) {
      const tokens = await untilAborted(running, signal);
      if (tokens.accessToken !== refused) return tokens;
    }
    const begun = this.#refreshing.get(key) ?? this.#begin(key, refused);
    return await untilAborted(begun, signal);
  }

  #begin(key: string, refused: string | null): Promise<StoredTokens> {
    const refreshing = this.#untilDone(key, refused).finally(() => {
      this.#refreshing.delete(key);
    });
    this.#refreshing.set(key, refreshing);
    return refreshing;
  }

  async #untilDone(key: string, refused: string | null): Promise<StoredTokens> {
    // Before the tries, because it has its own: an address that is wrong is as wrong at the next one.
    await this.#options.endpoint.find();
    const pace = new RefreshPace(this.#options);
    let refreshes = 0;
    for (let round = 1; ; round++) {
      // Read before each try: another process may have the answer, and what it spent would end the grant if sent again.
      const tokens = await this.#load(key);
      if (tokens.accessToken !== refused && this.#isGood(tokens)) return tokens;
      try {
        const next = await this.#refreshOnce(key, tokens);
        refreshes++;
        // The answer to a request of long ago: its access token has ended, its refresh token has not.
        if (this.#leftMs(next) > 0 || refreshes >= REFRESHES_MAX) return next;
      } catch (error) {
        if (error instanceof InvalidGrantError) {
          if (round < ROUNDS_MAX && (await this.#hasMoved(key, tokens))) continue;
          const needed = approvalNeeded(error);
          this.#failures.remember(key, tokens.refreshToken, needed);
          throw needed;
        }
        if (!isPassing(error) || round >= ROUNDS_MAX || !(await pace.waits(error))) {
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
    const tokens = await this.#noted(key, given, refreshToken);
    const { pendingRefresh } = tokens;
    // Another process has new tokens already, or the app a new approval.
    if (pendingRefresh === undefined || tokens.refreshToken !== refreshToken) return tokens;
    const sentAt = this.#options.now();
    const answer = await this.#options.endpoint.request(
      { grant_type: 'refresh_token', refresh_token: refreshToken },
      { idempotencyKey: pendingRefresh.idempotencyKey, isRetried: false },
    );
    // It may be the answer to an earlier try, so its time counts from that.
    const startedAt = Date.parse(pendingRefresh.startedAt);
    const issuedAt = startedAt < sentAt ? startedAt : sentAt;
    const nextKey = pendingRefresh.nextKey ?? randomText();
    const next = storedTokens(answer, { issuedAt, scope: tokens.scope, refreshToken, nextKey });
    this.#unsaved.set(key, { spent: refreshToken, tokens: next });
    return await this.#saved(key);
  }

  /** The kept tokens, with a note that their refresh is under way, unless somebody has replaced them meanwhile. */
  async #noted(key: string, tokens: StoredTokens, refreshToken: string): Promise<StoredTokens> {
    if (tokens.pendingRefresh !== undefined) return tokens;
    const { store, clientSecret, now } = this.#options;
    return await this.#turns.take(key, async () => {
      const kept = found(await this.#kept(key));
      if (kept.refreshToken !== refreshToken || kept.pendingRefresh !== undefined) return kept;
      // By what is in the store: two processes may hold different client secrets while that is changed.
      const secret = kept.nextKey ?? clientSecret;
      const idempotencyKey = await idempotencyKeyOf('refresh', spentBy(kept), secret);
      const startedAt = new Date(now()).toISOString();
      // Drawn here and not with the answer, so that all who take up this note name the refresh after it alike.
      const pendingRefresh = { idempotencyKey, startedAt, nextKey: randomText() };
      const noted = { ...kept, pendingRefresh };
      const isNoted = await store.save(key, noted, refreshToken);
      return isNoted === false ? found(await this.#kept(key)) : noted;
    });
  }

  /** The kept tokens. Those that the store would not take before are offered to it first. */
  async #load(key: string): Promise<StoredTokens> {
    if (this.#unsaved.has(key)) return await this.#saved(key);
    return found(await this.#kept(key));
  }

  async #kept(key: string): Promise<StoredTokens | null> {
    const tokens = await this.#options.store.load(key);
    return tokens === null || tokens === undefined ? null : tokensOfStore(tokens);
  }

  /** Saves what was received, unless the store has gone on meanwhile: then that is what counts. */
  async #saved(key: string): Promise<StoredTokens> {
    return await this.#turns.take(key, async () => {
      const { store } = this.#options;
      const received = this.#unsaved.get(key);
      const kept = await this.#kept(key);
      if (received === undefined || kept?.refreshToken !== received.spent) {
        this.#unsaved.delete(key);
        return found(kept);
      }
      // Two processes may have noted the refresh at once: the note that stayed counts for both.
      const nextKey = kept.pendingRefresh?.nextKey ?? received.tokens.nextKey;
      const tokens = { ...received.tokens, ...(nextKey === undefined ? {} : { nextKey }) };
      const isSaved = await store.save(key, tokens, received.spent);
      this.#unsaved.delete(key);
      if (isSaved === false) return found(await this.#kept(key));
      this.#failures.forget(key);
      return tokens;
    });
  }

  /** Whether somebody else has replaced these tokens; another process may just be saving what it got for them. */
  async #hasMoved(key: string, { refreshToken }: StoredTokens): Promise<boolean> {
    for (const delayMs of SECOND_LOOKS_MS) {
      await wait(delayMs);
      const kept = await this.#load(key);
      if (kept.refreshToken !== refreshToken) return true;
    }
    return false;
  }

  #setOver(key: string, over: Over): void {
    // The first one stays, so that all who ask get the same error.
    if (this.#over.get(key)?.accessToken === over.accessToken) return;
    setBounded(this.#over, key, over);
  }

  #throwIfOver(key: string, { accessToken }: StoredTokens): void {
    const over = this.#over.get(key);
    if (over?.accessToken === accessToken) throw over.error;
  }

  #isGood(tokens: StoredTokens): boolean {
    return tokens.pendingRefresh === undefined && this.#leftMs(tokens) > MARGIN_MS;
  }

  #leftMs({ accessExpiresAt }: StoredTokens): number {
    return Date.parse(accessExpiresAt) - this.#options.now();
  }
}

/** What is kept beside the members of a token answer. */
export interface Issue {
  /** Milliseconds since 1970, early rather than late. */
  readonly issuedAt: number;
  /** The scopes that were asked for. */
  readonly scope: string;
  /** The refresh token that was spent; null for a code. */
  readonly refreshToken: string | null;
  readonly nextKey: string;
}

/** What is kept of a token answer. */
export function storedTokens(
  answer: TokenAnswer,
  { issuedAt, scope, refreshToken, nextKey }: Issue,
): StoredTokens {
  return {
    accessToken: answer.accessToken,
    accessExpiresAt: new Date(issuedAt + answer.expiresInSeconds * 1_000).toISOString(),
    // A server that does not rotate answers none, and the old one goes on (RFC 6749 §6).
    refreshToken: answer.refreshToken ?? refreshToken,
    scope: answer.scope ?? scope,
    nextKey,
  };
}

/** What names the refresh of these tokens. Those that a store gives back without `nextKey` are named all the same. */
function spentBy({ refreshToken, accessToken, nextKey }: StoredTokens): string {
  const tokens = `${refreshToken} ${accessToken}`;
  return nextKey === undefined ? tokens : `${tokens} ${nextKey}`;
}

function notRefreshable(): ApprovalNeededError {
  const message =
    'the access token has ended, and without the scope offline_access there is no refresh token';
  return new ApprovalNeededError({ message });
}

function found(tokens: StoredTokens | null): StoredTokens {
  if (tokens !== null) return tokens;
  throw new ApprovalNeededError({ message: 'no tokens are kept under this key' });
}

function approvalNeeded({ requestId, help }: InvalidGrantError): ApprovalNeededError {
  const message =
    'the service does not take the refresh token: the shop has ended the connection, the member may not act any more, ' +
    'the token was not used for 90 days, or an answer was lost for too long';
  return new ApprovalNeededError({ message, requestId, help });
}

/** What another try may mend. A broken answer too: the request has a name, so the same answer comes whole. */
function isPassing(error: unknown): boolean {
  return (
    error instanceof CardportError && (error.isRetryable || error instanceof MalformedAnswerError)
  );
}
