import { type Notice, type NoticeSecret, type ReceivedNotice, verifyNotice } from './notice.ts';
import { NoticeRefusedError } from './notice-refused.ts';
import { reportError } from './report-error.ts';

export interface NoticeHandlerOptions {
  /**
   * The secret from `registerWebhook`, or a function that looks it up: `({ connectionId }) =>
   * secretOf(connectionId)`. The function is called for each notice with the ids that the notice
   * claims. Without a secret (null, an empty string or list), the response is 401.
   */
  readonly secret: NoticeSecret;
  /**
   * Called for each genuine notice. It must be fast, because the service waits at most 15 seconds:
   * only wake the process that reads the change feed. If the function fails, the response is 500
   * and the service retries. A notice may arrive twice or late, so the function must be idempotent.
   */
  readonly onNotice: (notice: Notice) => void | Promise<void>;
  /**
   * Called with a `NoticeRefusedError`, or an error of `onNotice` or `secret`. By default, errors
   * of your code and configuration go to `console.error`, and refusals are not logged.
   */
  readonly onError?: (error: unknown) => void;
  /** Returns milliseconds since the Unix epoch. Defaults to `Date.now`. */
  readonly now?: () => number;
  /** Refuses timestamps that differ from `now()` by this many seconds or more. Defaults to 300. */
  readonly toleranceSeconds?: number;
}

export interface NoticeResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** The reason for the refusal, which the sender can log; null with 204. */
  readonly text: string | null;
}

/** The maximum size of a body. A notice has about 200 bytes, so a larger body is not buffered. */
export const NOTICE_BYTES_MAX = 16_384;

const NO_STORE = { 'cache-control': 'no-store' };
const TEXT = { ...NO_STORE, 'content-type': 'text/plain; charset=utf-8' };

export const METHOD_NOT_ALLOWED: NoticeResponse = {
  status: 405,
  headers: { ...TEXT, allow: 'POST' },
  text: 'method_not_allowed',
};

/** A notice fits in one packet, so a slower sender probably holds the connection deliberately. */
export const BODY_MS_MAX = 15_000;

/** Never throws. Pass null as the body if it was incomplete. */
export async function respondToNotice(
  options: NoticeHandlerOptions,
  received: Pick<ReceivedNotice, 'headers'> & { readonly body: unknown },
): Promise<NoticeResponse> {
  try {
    const { secret, onNotice, now, toleranceSeconds } = options;
    const body = requireRawBody(received.body);
    const notice = await verifyNotice({
      body,
      headers: received.headers,
      secret,
      ...(now === undefined ? {} : { now }),
      ...(toleranceSeconds === undefined ? {} : { toleranceSeconds }),
    });
    await onNotice(notice);
    return { status: 204, headers: NO_STORE, text: null };
  } catch (error) {
    return responseForError(options, error);
  }
}

function responseForError(
  { onError, secret }: NoticeHandlerOptions,
  error: unknown,
): NoticeResponse {
  const isRefused = error instanceof NoticeRefusedError;
  const status = isRefused ? error.statusToAnswer : 500;
  if (onError !== undefined) reportError(onError, error);
  else if (status === 500 || isUnset(error, secret)) console.error(error);
  return { status, headers: TEXT, text: isRefused ? error.message : 'failed' };
}

/** True if no secret is configured. If a function finds none, the request may be to blame. */
function isUnset(error: unknown, secret: NoticeSecret): boolean {
  if (typeof secret === 'function') return false;
  return error instanceof NoticeRefusedError && error.reason === 'secret_missing';
}

function requireRawBody(body: unknown): string | Uint8Array {
  if (body === null) throw new NoticeRefusedError('body_incomplete');
  if (typeof body !== 'string' && !(body instanceof Uint8Array)) {
    throw new NoticeRefusedError('body_not_raw');
  }
  if (body.length > NOTICE_BYTES_MAX) throw new NoticeRefusedError('body_too_large');
  return body;
}
