import { CardportError } from './errors.ts';

/** Why a notice was refused. */
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

/** Each reason with the status that is answered and the sentence that its developer reads. */
const REFUSALS: Readonly<Record<NoticeRefusal, readonly [status: number, message: string]>> = {
  // The receiver's own fault, not the sender's: the notice comes again and is taken when this is mended.
  body_not_raw: [
    500,
    'the body must be given as it came, as a text or as bytes, and here is something that was parsed before: what is ' +
      'parsed and written again is other bytes, and no signature fits them. node:http and Express: use ' +
      'nodeNoticeHandler of @cardport/client/node, in Express before express.json() or with ' +
      "express.raw({ type: 'application/json' }) on this route. Fastify: addContentTypeParser('application/json', " +
      "{ parseAs: 'buffer' }, …). Hono: noticeHandler with c.req.raw. Next: export const POST = noticeHandler(…)",
  ],
  body_malformed: [400, 'the body is no notice'],
  body_too_large: [413, 'the body is larger than any notice'],
  body_incomplete: [400, 'the body broke off, or was not here in time'],
  timestamp_missing: [400, 'the header X-Service-Timestamp is missing'],
  timestamp_malformed: [400, 'X-Service-Timestamp is not one count of whole seconds since 1970'],
  timestamp_too_far: [
    401,
    'its time is too far from the clock of this machine: it is an old one, or one of the clocks is wrong',
  ],
  signature_missing: [400, 'the header X-Service-Signature is missing'],
  signature_malformed: [400, 'there is more than one header X-Service-Signature'],
  signature_wrong: [
    401,
    'the signature is of another secret or of another body: every registerWebhook() makes a new secret',
  ],
  secret_missing: [
    401,
    'there is no secret that could have signed it: registerWebhook() answers it once, and it must be kept',
  ],
};

/** What arrived at the webhook's address is no notice of the service: answer `statusToAnswer` and do nothing. */
export class NoticeRefusedError extends CardportError {
  override name = 'NoticeRefusedError';
  /** Why, as a word. */
  readonly reason: NoticeRefusal;
  /** The status that tells it to the sender: 400, 401, 413, or 500 where the receiver is to blame. */
  readonly statusToAnswer: number;

  constructor(reason: NoticeRefusal) {
    const [statusToAnswer, message] = REFUSALS[reason];
    super('notice_refused', { message });
    this.reason = reason;
    this.statusToAnswer = statusToAnswer;
  }
}
