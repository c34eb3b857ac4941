/** What is kept of one approval. Plain JSON; whoever reads it can act for the shop, so keep it as you keep passwords. */
export interface StoredTokens {
  readonly accessToken: string;
  /** ISO 8601. A little early rather than late. */
  readonly accessExpiresAt: string;
  /** Null when the approval did not include `offline_access`. */
  readonly refreshToken: string | null;
  /** The scopes that were granted, with spaces between. */
  readonly scope: string;
  /**
   * Random; part of the `Idempotency-Key` of the next refresh, drawn before these tokens came. An old copy of the store does
   * not have it, so whoever uses one is found out. Keep it with the rest.
   */
  readonly nextKey?: string;
  /**
   * A refresh that was begun, saved before it is sent. Who finds it, after a crash or in another process, sends the same
   * request with the same `Idempotency-Key`, and the service answers with the same tokens.
   */
  readonly pendingRefresh?: {
    readonly idempotencyKey: string;
    /** ISO 8601: before the request was first sent. */
    readonly startedAt: string;
    /** The `nextKey` of the tokens that will come. */
    readonly nextKey?: string;
  };
}

/**
 * Where your app keeps tokens: a row a key. `save` returns when they are safe on disk, and replaces what was there whole
 * or not at all. Several processes may use one store; tokens that are in two stores are refreshed by two owners, and the
 * service takes the second one for a thief.
 */
export interface TokenStore {
  /** Null or undefined when there are none. */
  load(key: string): Promise<StoredTokens | null | undefined>;
  /**
   * With `replacing`, only while the refresh token that is kept under this key is that one; otherwise (another one, or none)
   * nothing is saved and the answer is false. In one step: `update … where key = $1 and refresh_token = $3`. A store that
   * does not know `replacing` is a store too; then a process may, in the moment between its `load` and its `save`, come over
   * what another one has just saved or removed.
   */
  save(key: string, tokens: StoredTokens, replacing?: string): Promise<boolean | void>;
  remove(key: string): Promise<void>;
}

/** A store that forgets when the process ends: for tests and trials. */
export function memoryTokenStore(): TokenStore {
  const kept = new Map<string, StoredTokens>();
  return {
    load: async (key) => kept.get(key) ?? null,
    save: async (key, tokens, replacing) => {
      if (replacing !== undefined && kept.get(key)?.refreshToken !== replacing) return false;
      kept.set(key, tokens);
      return true;
    },
    remove: async (key) => {
      kept.delete(key);
    },
  };
}

/** What can stand in an `Authorization` header (RFC 6750 §2.1). */
const TOKEN = /^[\w.~+/=-]{1,4096}$/u;

/** Whether this may be a token, or the key of a request: text that goes into a header as it is. */
export function isToken(value: unknown): value is string {
  return typeof value === 'string' && TOKEN.test(value);
}

/** Tokens as a store gave them back, or undefined when that is something else. */
export function parseStoredTokens(value: unknown): StoredTokens | undefined {
  const tokens = checkTokens(value);
  return typeof tokens === 'string' ? undefined : tokens;
}

/**
 * Tokens as a store gave them back. A column that is null counts as absent, and a `Date` as its text. Throws a `TypeError`
 * that names the member and what it must be, never its value: what no header takes would be quoted, token and all, by the
 * fault that it makes, and a time that is none would have the tokens refreshed at every call.
 */
export function tokensOfStore(value: unknown): StoredTokens {
  const tokens = checkTokens(value);
  if (typeof tokens !== 'string') return tokens;
  throw new TypeError(`the token store gave back what it was not given: ${tokens}`);
}

/** The tokens, or a sentence that says what is wrong with them. */
function checkTokens(value: unknown): StoredTokens | string {
  if (typeof value !== 'object' || value === null) return 'the tokens must be an object';
  const { accessToken, accessExpiresAt, refreshToken, scope, nextKey, pendingRefresh } =
    value as Readonly<Record<string, unknown>>;
  if (!isToken(accessToken)) return 'accessToken must be a token, whole';
  const expiresAt = instantOf(accessExpiresAt);
  if (expiresAt === undefined) return 'accessExpiresAt must be a time as ISO 8601 writes it';
  if (typeof scope !== 'string') return 'scope must be a text';
  const refresh = refreshToken ?? null;
  if (refresh !== null && !isToken(refresh)) return 'refreshToken must be a token, whole, or null';
  if (refreshToken === undefined && scope.split(' ').includes('offline_access')) {
    return 'refreshToken is missing, and must not be where the scope has offline_access';
  }
  if (!isTextOrNone(nextKey)) return 'nextKey must be a text, or null';
  const pending = checkPending(pendingRefresh ?? null);
  if (typeof pending === 'string') return pending;
  return {
    accessToken,
    accessExpiresAt: expiresAt,
    refreshToken: refresh,
    scope,
    ...(typeof nextKey === 'string' ? { nextKey } : {}),
    ...(pending === null ? {} : { pendingRefresh: pending }),
  };
}

function checkPending(value: unknown): Required<StoredTokens>['pendingRefresh'] | null | string {
  if (value === null) return null;
  if (typeof value !== 'object') return 'pendingRefresh must be an object, or null';
  const { idempotencyKey, startedAt, nextKey } = value as Readonly<Record<string, unknown>>;
  if (!isToken(idempotencyKey)) return 'pendingRefresh.idempotencyKey must be a text, whole';
  const at = instantOf(startedAt);
  if (at === undefined) return 'pendingRefresh.startedAt must be a time as ISO 8601 writes it';
  if (!isTextOrNone(nextKey)) return 'pendingRefresh.nextKey must be a text, or null';
  return { idempotencyKey, startedAt: at, ...(typeof nextKey === 'string' ? { nextKey } : {}) };
}

function instantOf(value: unknown): string | undefined {
  if (value instanceof Date && !Number.isNaN(value.getTime())) return value.toISOString();
  return typeof value === 'string' && !Number.isNaN(Date.parse(value)) ? value : undefined;
}

function isTextOrNone(value: unknown): value is string | null | undefined {
  return value === undefined || value === null || typeof value === 'string';
}
