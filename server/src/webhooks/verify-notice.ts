import { isSameSecret } from '../base/secrets.ts';
import { houseSignature } from './signature.ts';

/** What a receiver has at hand. Header names in lower case, as node:http gives them. */
export interface ReceivedNotice {
  /** The bytes as they came. What has been parsed and written again is other bytes. */
  readonly body: Uint8Array;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

/** What came of looking at a notice. Only `genuine` may be acted upon. */
export type NoticeVerdict =
  | { readonly kind: 'genuine'; readonly timestamp: number }
  | {
      readonly kind: 'refused';
      /** `body_not_raw`: something else than bytes was given, so that nothing can be said of what came. */
      readonly reason:
        | 'body_not_raw'
        | 'timestamp_missing'
        | 'timestamp_malformed'
        | 'timestamp_too_far'
        | 'signature_missing'
        | 'signature_wrong';
    };

/** A notice whose timestamp is this many seconds away from the receiver's clock, or more, is rejected (specification 6). */
export const TOLERANCE_SECONDS = 300;

/** Digits alone, as many as a timestamp may have until the year 5138. */
const TIMESTAMP = /^\d{1,11}$/;

/**
 * The receiver's check of a notice, as specification 6 asks for it: the timestamp is whole unix seconds less than 300 s
 * away from `now`, before or after, and the signature is `v1=` and the HMAC-SHA256 of `<timestamp>.<raw body>`, keyed with
 * the whole secret string that `PUT /webhook` gave. Compared in constant time.
 */
export function verifyNotice(
  { body, headers }: ReceivedNotice,
  secret: string,
  now: Date,
): NoticeVerdict {
  // Callers without types hand over what their framework has parsed: the commonest mistake, so it has an answer.
  if (!isBytes(body)) return refused('body_not_raw');
  const timestamp = headers['x-service-timestamp'];
  if (timestamp === undefined) return refused('timestamp_missing');
  if (typeof timestamp !== 'string' || !TIMESTAMP.test(timestamp)) {
    return refused('timestamp_malformed');
  }
  const seconds = Number(timestamp);
  const difference = Math.abs(now.getTime() / 1_000 - seconds);
  if (difference >= TOLERANCE_SECONDS) return refused('timestamp_too_far');
  const signature = headers['x-service-signature'];
  if (signature === undefined) return refused('signature_missing');
  const expected = houseSignature(secret, timestamp, body);
  if (typeof signature !== 'string' || !isSameSecret(signature, expected)) {
    return refused('signature_wrong');
  }
  return { kind: 'genuine', timestamp: seconds };
}

function isBytes(body: unknown): boolean {
  return body instanceof Uint8Array;
}

function refused(reason: Extract<NoticeVerdict, { kind: 'refused' }>['reason']): NoticeVerdict {
  return { kind: 'refused', reason };
}
