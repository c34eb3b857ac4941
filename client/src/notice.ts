import { fromHex, verifyHmac, concatBytes, encodeUtf8 } from './hmac.ts';
import { headerValues, type NoticeHeaders } from './notice-headers.ts';
import { NoticeRefusedError } from './notice-refused.ts';

/** A genuine notice: something in this shop's stock has changed. Read the feed from your cursor. */
export interface Notice {
  /** `inventory.changed`. Ignore other values; later versions may send them. */
  readonly type: 'inventory.changed' | (string & {});
  /** The id of the connected shop: `tenant.id` of the connection. */
  readonly tenantId: string;
  readonly connectionId: string;
  /** The time of the newest change that the notice covers (ISO 8601). */
  readonly occurredAt: string;
  /** All attempts of one notice share it; null when not sent. Not signed: use it only in logs. */
  readonly eventId: string | null;
  /** Starts at 1; null when the service sends none. Not signed, so use it only in logs. */
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
 * The secret from `registerWebhook`, or a function that looks it up, so that a new one takes effect
 * immediately. Called when all but the signature is valid. Errors that it throws reach the caller.
 */
export type NoticeSecret =
  | NoticeSecrets
  | ((claimed: ClaimedNotice) => NoticeSecrets | Promise<NoticeSecrets>);

export interface ReceivedNotice {
  /** The body **exactly as received**: parsing and serializing it changes the signed bytes. */
  readonly body: string | Uint8Array;
  readonly headers: NoticeHeaders;
  readonly secret: NoticeSecret;
  /** Returns milliseconds since the Unix epoch. Defaults to `Date.now`. */
  readonly now?: () => number;
  /** Refuses timestamps that differ from `now()` by this many seconds or more. Defaults to 300. */
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
 * Verifies a notice (spec 6): the timestamp must differ from this clock by less than 300 seconds,
 * and the signature must cover the exact bytes received. Signatures are compared in constant time.
 *
 * @throws NoticeRefusedError Respond with its `statusToAnswer`, and ignore the request.
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
