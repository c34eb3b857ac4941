import { type Notice, type NoticeSecret, type ReceivedNotice, verifyNotice } from './notice.ts';
import { NoticeRefusedError } from './notice-refused.ts';
import { tell } from './tell.ts';

/** What a handler of notices is made of. */
export interface NoticeHandlerOptions {
  /**
   * What `registerWebhook` gave. A function is asked at each notice, with the connection that the notice claims to be of:
   * `({ connectionId }) => secretOf(connectionId)`. None at all (null, an empty text or list) answers 401.
   */
  readonly secret: NoticeSecret;
  /**
   * Told of each genuine notice. Keep it short (the service waits 15 seconds at most): wake whatever reads the changes. When
   * it fails, 500 is answered and the notice comes again. A notice may come twice or late, so do nothing that may be done
   * only once.
   */
  readonly onNotice: (notice: Notice) => void | Promise<void>;
  /**
   * Told why a request was refused (a `NoticeRefusedError`) and what `onNotice` or `secret` threw. Without it faults of
   * this side (a secret that is not set is one) go to `console.error`, and what strangers send is passed over.
   */
  readonly onError?: (error: unknown) => void;
  /** Milliseconds since 1970; by default the clock of this machine. */
  readonly now?: () => number;
  /** A notice whose timestamp is this many seconds away from your clock, or more, is refused: 300 unless given. */
  readonly toleranceSeconds?: number;
}

/** What to answer. */
export interface NoticeAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** A word for the sender's log; null with 204. */
  readonly text: string | null;
}

/** A notice has some 200 bytes; a body beyond this is none, and is not kept in memory. */
export const NOTICE_BYTES_MAX = 16_384;

const NO_STORE = { 'cache-control': 'no-store' };
const TEXT = { ...NO_STORE, 'content-type': 'text/plain; charset=utf-8' };

/** The answer to a method that no notice has. */
export const NOT_A_POST: NoticeAnswer = {
  status: 405,
  headers: { ...TEXT, allow: 'POST' },
  text: 'method_not_allowed',
};

/** A notice comes in one packet; who has not sent it after so many milliseconds keeps a connection busy on purpose. */
export const BODY_MS_MAX = 15_000;

/** Verifies, tells `onNotice`, and says what to answer. Never throws. A body that is null has not come whole. */
export async function answerNotice(
  options: NoticeHandlerOptions,
  received: Pick<ReceivedNotice, 'headers'> & { readonly body: unknown },
): Promise<NoticeAnswer> {
  try {
    const { secret, onNotice, now, toleranceSeconds } = options;
    const body = notTooLarge(received.body);
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
    return refusal(options, error);
  }
}

function refusal({ onError, secret }: NoticeHandlerOptions, error: unknown): NoticeAnswer {
  const isRefused = error instanceof NoticeRefusedError;
  const status = isRefused ? error.statusToAnswer : 500;
  if (onError !== undefined) tell(onError, error);
  else if (status === 500 || isUnset(error, secret)) console.error(error);
  return { status, headers: TEXT, text: isRefused ? error.message : 'failed' };
}

/** A secret that was never set is this side's fault; one that is not found may be a stranger's question. */
function isUnset(error: unknown, secret: NoticeSecret): boolean {
  if (typeof secret === 'function') return false;
  return error instanceof NoticeRefusedError && error.reason === 'secret_missing';
}

function notTooLarge(body: unknown): string | Uint8Array {
  if (body === null) throw new NoticeRefusedError('body_incomplete');
  if (typeof body !== 'string' && !(body instanceof Uint8Array)) {
    throw new NoticeRefusedError('body_not_raw');
  }
  if (body.length > NOTICE_BYTES_MAX) throw new NoticeRefusedError('body_too_large');
  return body;
}
