import { fromHex, verifyHmac, concatBytes, encodeUtf8 } from './hmac.ts';
import { headerValues, type NoticeHeaders } from './notice-headers.ts';
import { NoticeRefusedError } from './notice-refused.ts';

/**
 * A genuine notice: the stock of this shop has changed. It does not say what changed. Read the
 * change feed from your cursor.
 */
export interface Notice {
  /** `inventory.changed`. Ignore other values; later versions may send them. */
  readonly type: 'inventory.changed' | (string & {});
  /** The id of the connected shop: `tenant.id` of the connection. */
  readonly tenantId: string;
  /** The `id` of the connection. */
  readonly connectionId: string;
  /** The time of the newest change that the notice covers (ISO 8601). */
  readonly occurredAt: string;
  /**
   * The id of the event, which all attempts of one notice share; null when the service sends none.
   * It is not signed, so use it only in logs.
   */
  readonly eventId: string | null;
  /**
   * The number of the attempt, starting at 1; null when the service sends none. It is not signed,
   * so use it only in logs.
   */
  readonly attempt: number | null;
}

/** A signing secret, or several during a rotation. Without a secret, every notice is refused. */
export type NoticeSecrets = string | readonly string[] | null | undefined;

/**
 * The ids in a notice that is not verified yet. Anyone could have sent them. Use them only to look
 * up a secret, as a query parameter or as the key of a `Map`: the notice is genuine only if it was
 * signed with the secret of this connection.
 */
export interface ClaimedNotice {
  /** The `id` of the connection: 1 to 64 letters, digits, `-` and `_`. */
  readonly connectionId: string;
  /** The `tenant.id` of the connection, in the same format. */
  readonly tenantId: string;
}

/**
 * The secret from `registerWebhook`, or a function that looks it up. With a function, a new secret
 * takes effect immediately. The function is called only when everything except the signature is
 * valid. Errors that the function throws are passed to the caller.
 */
export type NoticeSecret =
  | NoticeSecrets
  | ((claimed: ClaimedNotice) => NoticeSecrets | Promise<NoticeSecrets>);

/** A received request that may be a notice. */
export interface ReceivedNotice {
  /**
   * The body **exactly as received**. Do not parse and serialize it: that changes the bytes, and
   * the signature no longer matches.
   */
  readonly body: string | Uint8Array;
  readonly headers: NoticeHeaders;
  readonly secret: NoticeSecret;
  /** Returns milliseconds since the Unix epoch. Defaults to `Date.now`. */
  readonly now?: () => number;
  /**
   * A notice is refused when its timestamp differs from your clock by this many seconds or more.
   * Defaults to 300.
   */
  readonly toleranceSeconds?: number;
}

/** spec 6: a difference of 299 seconds is accepted, 300 is not. */
const TOLERANCE_SECONDS = 300;
/** A timestamp has only digits. Eleven digits are enough until the year 5138. */
const TIMESTAMP = /^\d{1,11}$/;
const SIGNATURE = /^v1=([0-9a-f]{64})$/;
/** The format of an id that is safe as a lookup key. The ids of the service are UUIDs. */
const CLAIMED_ID = /^[\w-]{1,64}$/;
/** The prefix of every signing secret (spec 2.5). */
const SECRET_PREFIX = 'whsec_';

/**
 * Verifies a notice (spec 6) and returns it. The timestamp must differ from this clock by less than
 * 300 seconds, and the signature must be made with the secret over the exact bytes received.
 * Signatures are compared in constant time.
 *
 * @throws NoticeRefusedError when the notice is not genuine. Respond with `statusToAnswer` and
 * ignore the request.
 */
export async function verifyNotice(received: ReceivedNotice): Promise<Notice> {
  const { body, headers, now = Date.now, toleranceSeconds = TOLERANCE_SECONDS } = received;
  const { secret } = received;
  // Reports a misconfigured secret for every request, even an invalid one.
  const known = typeof secret === 'function' ? null : requireSecrets(secret);
  const bytes = rawBytes(body);
  const timestamp = single(headers, 'x-service-timestamp', 'timestamp');
  if (!TIMESTAMP.test(timestamp)) throw new NoticeRefusedError('timestamp_malformed');
  const differenceSeconds = Math.abs(now() / 1_000 - Number(timestamp));
  // The condition is negated so that NaN, from the clock or the tolerance, refuses every notice.
  if (!(differenceSeconds < toleranceSeconds)) throw new NoticeRefusedError('timestamp_too_far');
  const signature = single(headers, 'x-service-signature', 'signature');
  const hex = SIGNATURE.exec(signature)?.[1];
  if (hex === undefined) throw new NoticeRefusedError('signature_wrong');
  const secrets = known ?? (await lookUpSecrets(secret, bytes));
  const mac = fromHex(hex);
  const data = concatBytes(encodeUtf8(`${timestamp}.`), bytes);
  const verdicts = await Promise.all(
    secrets.map(async (one) => await verifyHmac(mac, encodeUtf8(one), data)),
  );
  if (!verdicts.includes(true)) throw new NoticeRefusedError('signature_wrong');
  return parseNotice(bytes, headers);
}

/** Returns the secrets of the connection that the body claims. */
async function lookUpSecrets(secret: NoticeSecret, bytes: Uint8Array): Promise<readonly string[]> {
  if (typeof secret !== 'function') return requireSecrets(secret);
  const { connectionId, tenantId } = parseBody(bytes);
  if (!isClaimedId(connectionId) || !isClaimedId(tenantId)) {
    throw new NoticeRefusedError('body_malformed');
  }
  return requireSecrets(await secret({ connectionId, tenantId }));
}

function isClaimedId(value: unknown): value is string {
  return typeof value === 'string' && CLAIMED_ID.test(value);
}

/** Returns the secrets. Throws if there is none, because anyone could sign with an empty secret. */
function requireSecrets(secret: NoticeSecrets): readonly string[] {
  const secrets: readonly unknown[] = Array.isArray(secret) ? secret : [secret ?? ''];
  if (secrets.every((one) => one === '')) throw new NoticeRefusedError('secret_missing');
  const known = secrets.filter(
    (one): one is string =>
      typeof one === 'string' && one.startsWith(SECRET_PREFIX) && one.length > SECRET_PREFIX.length,
  );
  if (known.length < secrets.length) {
    throw new TypeError(
      'secret must be the string from registerWebhook(), which begins with whsec_',
    );
  }
  return known;
}

function rawBytes(body: unknown): Uint8Array {
  if (typeof body === 'string') return encodeUtf8(body);
  // The most common mistake of JavaScript callers is to pass a body that was already parsed.
  if (body instanceof Uint8Array) return body;
  throw new NoticeRefusedError('body_not_raw');
}

function single(headers: NoticeHeaders, name: string, part: 'timestamp' | 'signature'): string {
  const [value, ...others] = headerValues(headers, name);
  if (value === undefined) throw new NoticeRefusedError(`${part}_missing`);
  if (others.length > 0) throw new NoticeRefusedError(`${part}_malformed`);
  return value;
}

function parseNotice(bytes: Uint8Array, headers: NoticeHeaders): Notice {
  const { type, tenantId, connectionId, occurredAt } = parseBody(bytes);
  if (
    typeof type !== 'string' ||
    typeof tenantId !== 'string' ||
    typeof connectionId !== 'string' ||
    typeof occurredAt !== 'string'
  ) {
    throw new NoticeRefusedError('body_malformed');
  }
  const [eventId = null] = headerValues(headers, 'x-service-event-id');
  const [attempt = ''] = headerValues(headers, 'x-service-attempt');
  return {
    type,
    tenantId,
    connectionId,
    occurredAt,
    eventId,
    attempt: /^\d{1,6}$/.test(attempt) ? Number(attempt) : null,
  };
}

function parseBody(bytes: Uint8Array): Readonly<Record<string, unknown>> {
  try {
    const parsed: unknown = JSON.parse(new TextDecoder().decode(bytes));
    // Anything but an object becomes an empty object, so that the caller reports missing fields.
    return typeof parsed === 'object' ? { ...parsed } : {};
  } catch {
    return {};
  }
}
