import { VERSION } from '../base/version.ts';
import type { SignedNotice } from './attempt.ts';
import { houseSignature, standardSignature } from './signature.ts';

/** What a notice tells: that the stock of this connection's shop has changed, never what. */
export interface NoticeFacts {
  readonly shopId: string;
  readonly connectionId: string;
  /** The commit of the newest change that the notice covers. */
  readonly occurredAt: Date;
}

/**
 * The body of a notice: compact JSON with the four members of specification 6, `occurredAt` in UTC with milliseconds. The
 * same facts give the same bytes, so that every attempt of one event sends what the first one sent.
 */
export function renderNotice({ shopId, connectionId, occurredAt }: NoticeFacts): Buffer {
  return Buffer.from(
    JSON.stringify({
      type: 'inventory.changed',
      tenantId: shopId,
      connectionId,
      occurredAt: occurredAt.toISOString(),
    }),
  );
}

/** What one attempt of a notice is signed with. */
export interface AttemptFacts {
  readonly url: string;
  /** What `renderNotice` gave; sent and signed as these bytes. */
  readonly body: Buffer;
  /** A uuid, the same over all attempts of one event. */
  readonly eventId: string;
  /** 1 for the first attempt of the event. */
  readonly attempt: number;
  /** `whsec_…`; the previous one as long as a PUT has replaced it for less than 24 h. */
  readonly secrets: readonly [newest: string, previous?: string];
  /** The instant of the attempt. */
  readonly at: Date;
}

/**
 * A POST of a notice with all its headers. The house signature is one, made with the newest secret (specification 6), for
 * a receiver compares the whole header. Standard Webhooks has a place for several, newest first, so that its verifiers
 * know the notice by either secret; its id may be any text without a full stop, and is the event's.
 */
export function signNotice(facts: AttemptFacts): SignedNotice {
  const { url, body, eventId, attempt, secrets, at } = facts;
  const timestamp = String(Math.floor(at.getTime() / 1_000));
  const standard = secrets.flatMap((secret) =>
    secret === undefined ? [] : [standardSignature(secret, eventId, timestamp, body)],
  );
  return {
    url,
    body,
    headers: {
      'content-type': 'application/json',
      'user-agent': `Cardport/${VERSION}`,
      'X-Service-Timestamp': timestamp,
      'X-Service-Signature': houseSignature(secrets[0], timestamp, body),
      'X-Service-Event-Id': eventId,
      'X-Service-Attempt': String(attempt),
      'webhook-id': eventId,
      'webhook-timestamp': timestamp,
      'webhook-signature': standard.join(' '),
    },
  };
}
