import { fromHex, isHmac, concatBytes, utf8 } from './hmac.ts';
import { headerValues, type NoticeHeaders } from './notice-headers.ts';
import { NoticeRefusedError } from './notice-refused.ts';

/**
 * A genuine notice: this shop's stock has changed. It does not say what changed; read the changes
 * from your cursor.
 */
export interface Notice {
  /** `inventory.changed`. Ignore other values; later versions may send them. */
  readonly type: 'inventory.changed' | (string & {});
  /** The connected shop: `tenant.id` of the connection. */
  readonly tenantId: string;
  /** `id` of the connection. */
  readonly connectionId: string;
  /** When the newest change that the notice covers was made (ISO 8601). */
  readonly occurredAt: string;
  /**
   * The same for all attempts of one notice; null when the service sends none. It is not signed, so
   * use it only in logs.
   */
  readonly eventId: string | null;
  /**
   * 1 for the first attempt; null when the service sends none. It is not signed, so use it only in
   * logs.
   */
  readonly attempt: number | null;
}

/** A signing secret, or several during a rotation. If there is none, the notice is refused. */
export type NoticeSecrets = string | readonly string[] | null | undefined;

/**
 * What a notice claims before it is verified. Anyone could have written it: use it only to look up
 * a secret, as a value (a query parameter, a key of a `Map`). The notice is genuine only if the
 * secret of the claimed connection signed it.
 */
export interface ClaimedNotice {
  /** `id` of the connection: 1 to 64 letters, digits, `-` and `_`. */
  readonly connectionId: string;
  /** `tenant.id` of the connection, in the same format. */
  readonly tenantId: string;
}

/**
 * The secret from `registerWebhook`, or a function that looks it up, so that a new secret works at
 * once. The function is called when everything but the signature is valid; its errors are passed
 * on.
 */
export type NoticeSecret =
  | NoticeSecrets
  | ((claimed: ClaimedNotice) => NoticeSecrets | Promise<NoticeSecrets>);

/** The request to verify. */
export interface ReceivedNotice {
  /**
   * The body **exactly as received**. Parsing and serializing it again changes its bytes, and the
   * signature no longer matches.
   */
  readonly body: string | Uint8Array;
  readonly headers: NoticeHeaders;
  /**
   * The secret from `registerWebhook` (`whsec_…`), several during a rotation, or a function that
   * finds them.
   */
  readonly secret: NoticeSecret;
  /** Returns milliseconds since the Unix epoch. Defaults to `Date.now`. */
  readonly now?: () => number;
  /**
   * A notice is refused when its timestamp differs from your clock by this many seconds or more.
   * Defaults to 300.
   */
  readonly toleranceSeconds?: number;
}

/** Specification 6: a difference of 299 seconds is accepted, 300 is not. */
const TOLERANCE_SECONDS = 300;
/** Only digits. Eleven are enough until the year 5138. */
const TIMESTAMP = /^\d{1,11}$/;
const SIGNATURE = /^v1=([0-9a-f]{64})$/;
/** An id that is safe as a lookup key; the service's are UUIDs. */
const CLAIMED_ID = /^[\w-]{1,64}$/;
/** The prefix of every signing secret (specification 2.5). */
const SECRET_PREFIX = 'whsec_';

/**
 * Verifies a notice (specification 6) and returns it. Its timestamp must be less than 300 seconds
 * from this clock, and its signature must be made with the secret over the exact bytes received.
 * Signatures are compared in constant time.
 *
 * @throws NoticeRefusedError when it is not genuine. Respond with `statusToAnswer` and do nothing
 *   else.
 */
export async function verifyNotice(received: ReceivedNotice): Promise<Notice> {
  const { body, headers, now = Date.now, toleranceSeconds = TOLERANCE_SECONDS } = received;
  const { secret } = received;
  // Report a misconfigured secret for every request, valid or not.
  const known = typeof secret === 'function' ? null : requireSecrets(secret);
  const bytes = rawBytes(body);
  const timestamp = single(headers, 'x-service-timestamp', 'timestamp');
  if (!TIMESTAMP.test(timestamp)) throw new NoticeRefusedError('timestamp_malformed');
  const differenceSeconds = Math.abs(now() / 1_000 - Number(timestamp));
  // Written so that a NaN clock or tolerance refuses every notice.
  if (!(differenceSeconds < toleranceSeconds)) throw new NoticeRefusedError('timestamp_too_far');
  const signature = single(headers, 'x-service-signature', 'signature');
  const hex = SIGNATURE.exec(signature)?.[1];
  if (hex === undefined) throw new NoticeRefusedError('signature_wrong');
  const secrets = known ?? (await lookUpSecrets(secret, bytes));
  const mac = fromHex(hex);
  const data = concatBytes(utf8(`${timestamp}.`), bytes);
  const verdicts = await Promise.all(
    secrets.map(async (one) => await isHmac(mac, utf8(one), data)),
  );
  if (!verdicts.includes(true)) throw new NoticeRefusedError('signature_wrong');
  return parseNotice(bytes, headers);
}

/** The secrets of the connection that the body claims. */
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

/** Throws unless there is a secret. Anyone could sign with an empty one. */
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
  if (typeof body === 'string') return utf8(body);
  // Callers without types pass the body that their framework has parsed, which is the most common
  // mistake.
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
    // A value that is not an object becomes empty, and the caller reports the missing fields.
    return typeof parsed === 'object' ? { ...parsed } : {};
  } catch {
    return {};
  }
}
