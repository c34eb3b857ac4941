import { fromHex, isHmac, joined, utf8 } from './hmac.ts';
import { headerValues, type NoticeHeaders } from './notice-headers.ts';
import { NoticeRefusedError } from './notice-refused.ts';

/** What a genuine notice says: that this shop's stock has changed, never what. Read the changes from your cursor. */
export interface Notice {
  /** `inventory.changed`; pass over other values, which later versions may send. */
  readonly type: 'inventory.changed' | (string & {});
  /** The connected shop, `tenant.id` of the connection. */
  readonly tenantId: string;
  /** `id` of the connection. */
  readonly connectionId: string;
  /** When the newest change that the notice covers was made: ISO 8601. */
  readonly occurredAt: string;
  /** The same over all attempts of one notice; null when the service sends none. It is not signed: use it for logs. */
  readonly eventId: string | null;
  /** 1 for the first attempt; null when the service sends none. It is not signed: use it for logs. */
  readonly attempt: number | null;
}

/** A signing secret, or several while you change over. Nothing at all, in whatever form: the notice is refused. */
export type NoticeSecrets = string | readonly string[] | null | undefined;

/**
 * What a notice says of itself before it is verified: anybody may have written it. Use it to look a secret up, as a value (a
 * parameter of a query, a key of a `Map`), and for nothing else. A notice is genuine only when the secret of the connection
 * that it names has signed it.
 */
export interface ClaimedNotice {
  /** `id` of the connection: 1 to 64 letters, digits, `-` and `_`. */
  readonly connectionId: string;
  /** `tenant.id` of the connection, in the same form. */
  readonly tenantId: string;
}

/**
 * What `registerWebhook` gave, or a function that looks it up, so that a new one is known at once. It is asked when all but
 * the signature is right; what it throws is thrown.
 */
export type NoticeSecret =
  | NoticeSecrets
  | ((claimed: ClaimedNotice) => NoticeSecrets | Promise<NoticeSecrets>);

/** What `verifyNotice` looks at. */
export interface ReceivedNotice {
  /** The body **as it came**. What was parsed and written again is other bytes, and no signature fits them. */
  readonly body: string | Uint8Array;
  readonly headers: NoticeHeaders;
  /** The secret that `registerWebhook` gave (`whsec_…`), several while you change over, or a function that finds them. */
  readonly secret: NoticeSecret;
  /** Milliseconds since 1970; by default the clock of this machine. */
  readonly now?: () => number;
  /** A notice whose timestamp is this many seconds away from your clock, or more, is refused: 300 unless given. */
  readonly toleranceSeconds?: number;
}

/** Specification 6: 299 seconds pass, 300 do not. */
const TOLERANCE_SECONDS = 300;
/** Digits alone, as many as a timestamp in seconds has until the year 5138. */
const TIMESTAMP = /^\d{1,11}$/;
const SIGNATURE = /^v1=([0-9a-f]{64})$/;
/** An id as somebody looks it up; the service's are UUIDs. */
const CLAIMED_ID = /^[\w-]{1,64}$/;
/** What every signing secret begins with (specification 2.5). */
const SECRET_PREFIX = 'whsec_';

/**
 * Checks a notice (specification 6) and returns what it says. It is genuine when its timestamp is less than 300 seconds
 * away from this clock and its signature was made with the secret over the bytes that came; signatures are compared in
 * constant time.
 *
 * @throws NoticeRefusedError when it is not genuine. Answer 401 or 400 and do nothing else.
 */
export async function verifyNotice(received: ReceivedNotice): Promise<Notice> {
  const { body, headers, now = Date.now, toleranceSeconds = TOLERANCE_SECONDS } = received;
  const { secret } = received;
  // What this side has set wrongly is told whatever comes.
  const known = typeof secret === 'function' ? null : checkedSecrets(secret);
  const bytes = rawBytes(body);
  const timestamp = single(headers, 'x-service-timestamp', 'timestamp');
  if (!TIMESTAMP.test(timestamp)) throw new NoticeRefusedError('timestamp_malformed');
  const differenceSeconds = Math.abs(now() / 1_000 - Number(timestamp));
  // Written so that a clock or a tolerance that is no number lets nothing pass.
  if (!(differenceSeconds < toleranceSeconds)) throw new NoticeRefusedError('timestamp_too_far');
  const signature = single(headers, 'x-service-signature', 'signature');
  const hex = SIGNATURE.exec(signature)?.[1];
  if (hex === undefined) throw new NoticeRefusedError('signature_wrong');
  const secrets = known ?? (await lookedUp(secret, bytes));
  const mac = fromHex(hex);
  const data = joined(utf8(`${timestamp}.`), bytes);
  const verdicts = await Promise.all(
    secrets.map(async (one) => await isHmac(mac, utf8(one), data)),
  );
  if (!verdicts.includes(true)) throw new NoticeRefusedError('signature_wrong');
  return parseNotice(bytes, headers);
}

/** The secrets of the connection that the body names. */
async function lookedUp(secret: NoticeSecret, bytes: Uint8Array): Promise<readonly string[]> {
  if (typeof secret !== 'function') return checkedSecrets(secret);
  const { connectionId, tenantId } = parsedObject(bytes);
  if (!isClaimedId(connectionId) || !isClaimedId(tenantId)) {
    throw new NoticeRefusedError('body_malformed');
  }
  return checkedSecrets(await secret({ connectionId, tenantId }));
}

function isClaimedId(value: unknown): value is string {
  return typeof value === 'string' && CLAIMED_ID.test(value);
}

/** Throws unless there is a secret: signatures by an empty one could be made by anybody. */
function checkedSecrets(secret: NoticeSecrets): readonly string[] {
  const secrets: readonly unknown[] = Array.isArray(secret) ? secret : [secret ?? ''];
  if (secrets.every((one) => one === '')) throw new NoticeRefusedError('secret_missing');
  const known = secrets.filter(
    (one): one is string =>
      typeof one === 'string' && one.startsWith(SECRET_PREFIX) && one.length > SECRET_PREFIX.length,
  );
  if (known.length < secrets.length) {
    throw new TypeError(
      'secret must be what registerWebhook() answered: a text that begins with whsec_',
    );
  }
  return known;
}

function rawBytes(body: unknown): Uint8Array {
  if (typeof body === 'string') return utf8(body);
  // Callers without types hand over what their framework has parsed: the commonest mistake of all.
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
  const { type, tenantId, connectionId, occurredAt } = parsedObject(bytes);
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

function parsedObject(bytes: Uint8Array): Readonly<Record<string, unknown>> {
  try {
    const parsed: unknown = JSON.parse(new TextDecoder().decode(bytes));
    // Of what is no object nothing is taken, and the caller misses the members.
    return typeof parsed === 'object' ? { ...parsed } : {};
  } catch {
    return {};
  }
}
