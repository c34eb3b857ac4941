import { CardportError } from './errors.ts';

export type NoticeRefusal =
  | 'body_not_raw'
  | 'body_malformed'
  | 'body_too_large'
  | 'body_incomplete'
  | 'timestamp_missing'
  | 'timestamp_malformed'
  | 'timestamp_too_far'
  | 'signature_missing'
  | 'signature_malformed'
  | 'signature_wrong'
  | 'secret_missing';

const REFUSALS: Readonly<Record<NoticeRefusal, readonly [status: number, message: string]>> = {
  // 500, because the receiver is at fault: the service retries, and succeeds after the fix.
  body_not_raw: [
    500,
    'the body was already parsed, so its signature cannot be checked: pass the raw body as a string or bytes. ' +
      'node:http and Express: use ' +
      'nodeNoticeHandler of @cardport/client/node, in Express before express.json() or with ' +
      "express.raw({ type: 'application/json' }) on this route. Fastify: addContentTypeParser('application/json', " +
      "{ parseAs: 'buffer' }, …). Hono: noticeHandler with c.req.raw. Next: export const POST = noticeHandler(…)",
  ],
  body_malformed: [400, 'the body is not an inventory.changed event'],
  body_too_large: [413, 'the body is larger than any event'],
  body_incomplete: [400, 'the body was incomplete or arrived too late'],
  timestamp_missing: [400, 'the header X-Service-Timestamp is missing'],
  timestamp_malformed: [400, 'X-Service-Timestamp must be a whole number of seconds since 1970'],
  timestamp_too_far: [
    401,
    'the timestamp differs too much from the clock of this machine: the request is old, or a clock is wrong',
  ],
  signature_missing: [400, 'the header X-Service-Signature is missing'],
  signature_malformed: [400, 'the header X-Service-Signature was sent more than once'],
  signature_wrong: [
    401,
    'the signature does not match the body and the secret: check that the secret is from the latest registerWebhook()',
  ],
  secret_missing: [
    401,
    'there is no secret to verify the notice with: store the secret that registerWebhook() returns',
  ],
};

/** The request is not a genuine notice. Respond with `statusToAnswer` and ignore the request. */
export class NoticeRefusedError extends CardportError {
  override name = 'NoticeRefusedError';
  readonly reason: NoticeRefusal;
  /** The status to respond with: 400, 401, 413, or 500 when the receiver is at fault. */
  readonly statusToAnswer: number;

  constructor(reason: NoticeRefusal) {
    const [statusToAnswer, message] = REFUSALS[reason];
    super('notice_refused', { message });
    this.reason = reason;
    this.statusToAnswer = statusToAnswer;
  }
}
