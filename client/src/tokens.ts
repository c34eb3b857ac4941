/** One approval's tokens, as plain JSON. Protect them like passwords: they can act for the shop. */
export interface StoredTokens {
  readonly accessToken: string;
  /** ISO 8601. May be a little too early, but not too late. */
  readonly accessExpiresAt: string;
  /** Null when the approval did not include `offline_access`. */
  readonly refreshToken: string | null;
  /** The granted scopes, separated by spaces. */
  readonly scope: string;
  /**
   * A random value, generated before these tokens arrive; the next refresh's `Idempotency-Key` is
   * derived from it. Store it: an old copy of the store lacks it, so the service detects that copy.
   */
  readonly nextKey?: string;
  /**
   * A refresh, saved before its request is sent. A process that finds it, after a crash or at the
   * same time, repeats the request with the same `Idempotency-Key` and gets the same tokens.
   */
  readonly pendingRefresh?: {
    readonly idempotencyKey: string;
    /** ISO 8601. The time just before the request was first sent. */
    readonly startedAt: string;
    /** The `nextKey` for the new tokens. */
    readonly nextKey?: string;
  };
}

/**
 * Where your app stores tokens, for example one row per key. `save` replaces the old value
 * atomically and returns when the new one is safe on disk. Several processes may share one store.
 * Never keep the same tokens in two stores: the service would treat the second refresh as theft.
 */
export interface TokenStore {
  /** Returns the tokens, or null or undefined when none are stored. */
  load(key: string): Promise<StoredTokens | null | undefined>;
  /**
   * With `replacing`, saves only if the stored refresh token equals it; otherwise saves nothing and
   * returns false. Do this in one step: `update … where key = $1 and refresh_token = $3`. A store
   * that ignores `replacing` may overwrite what another process has saved or removed at the same
   * time.
   */
  save(key: string, tokens: StoredTokens, replacing?: string): Promise<boolean | void>;
  remove(key: string): Promise<void>;
}

/** Creates a store in memory, for tests and experiments. */
export function memoryTokenStore(): TokenStore {
  const tokensByKey = new Map<string, StoredTokens>();
  return {
    load: async (key) => tokensByKey.get(key) ?? null,
    save: async (key, tokens, replacing) => {
      if (replacing !== undefined && tokensByKey.get(key)?.refreshToken !== replacing) return false;
      tokensByKey.set(key, tokens);
      return true;
    },
    remove: async (key) => {
      tokensByKey.delete(key);
    },
  };
}

/** Characters and length allowed in an `Authorization` header (RFC 6750 §2.1). */
const TOKEN = /^[\w.~+/=-]{1,4096}$/u;

export function isToken(value: unknown): value is string {
  return typeof value === 'string' && TOKEN.test(value);
}

export function parseStoredTokens(value: unknown): StoredTokens | undefined {
  const tokens = checkTokens(value);
  return typeof tokens === 'string' ? undefined : tokens;
}

/**
 * A null column counts as absent, and a `Date` becomes text. Throws a `TypeError` that names the
 * member, but never its value. Otherwise the platform's error would contain an invalid token, and
 * an invalid time would cause a refresh at every call.
 */
export function validateStoredTokens(value: unknown): StoredTokens {
  const tokens = checkTokens(value);
  if (typeof tokens !== 'string') return tokens;
  throw new TypeError(`the token store did not return what was saved: ${tokens}`);
}

/** Returns the tokens, or a sentence that says what is wrong. */
function checkTokens(value: unknown): StoredTokens | string {
  if (typeof value !== 'object' || value === null) return 'the tokens must be an object';
  const { accessToken, accessExpiresAt, refreshToken, scope, nextKey, pendingRefresh } =
    value as Readonly<Record<string, unknown>>;
  if (!isToken(accessToken)) return 'accessToken must be a complete token';
  const expiresAt = instantOf(accessExpiresAt);
  if (expiresAt === undefined) return 'accessExpiresAt must be an ISO 8601 time';
  if (typeof scope !== 'string') return 'scope must be a string';
  const refresh = refreshToken ?? null;
  if (refresh !== null && !isToken(refresh)) return 'refreshToken must be a complete token or null';
  if (refreshToken === undefined && scope.split(' ').includes('offline_access')) {
    return 'refreshToken is missing although the scope has offline_access';
  }
  if (!isTextOrNone(nextKey)) return 'nextKey must be a string or null';
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
  if (typeof value !== 'object') return 'pendingRefresh must be an object or null';
  const { idempotencyKey, startedAt, nextKey } = value as Readonly<Record<string, unknown>>;
  if (!isToken(idempotencyKey)) return 'pendingRefresh.idempotencyKey must be a complete string';
  const at = instantOf(startedAt);
  if (at === undefined) return 'pendingRefresh.startedAt must be an ISO 8601 time';
  if (!isTextOrNone(nextKey)) return 'pendingRefresh.nextKey must be a string or null';
  return { idempotencyKey, startedAt: at, ...(typeof nextKey === 'string' ? { nextKey } : {}) };
}

function instantOf(value: unknown): string | undefined {
  if (value instanceof Date && !Number.isNaN(value.getTime())) return value.toISOString();
  return typeof value === 'string' && !Number.isNaN(Date.parse(value)) ? value : undefined;
}

function isTextOrNone(value: unknown): value is string | null | undefined {
  return value === undefined || value === null || typeof value === 'string';
}
