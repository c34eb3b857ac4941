import { VERSION } from '../base/version.ts';
import type { SignedRequest } from './attempt.ts';
import { serviceSignature, type SigningKeys, standardSignature } from './signature.ts';

/** An event says that the stock of the connection's shop has changed, but not how (spec 6). */
export interface EventFields {
  readonly shopId: string;
  readonly connectionId: string;
  /** The commit time of the newest change that the event covers. */
  readonly occurredAt: Date;
}

/** Renders the same bytes for the same fields, so that all attempts send the same body. */
export function renderEvent({ shopId, connectionId, occurredAt }: EventFields): Buffer {
  return Buffer.from(
    JSON.stringify({
      type: 'inventory.changed',
      tenantId: shopId,
      connectionId,
      occurredAt: occurredAt.toISOString(),
    }),
  );
}

export interface UnsignedRequest {
  readonly url: string;
  /** From `renderEvent`; sent and signed unchanged. */
  readonly body: Buffer;
  /** A UUID, the same for all attempts of one event. */
  readonly eventId: string;
  readonly attempt: number;
  /** The previous secret's keys are given only for 24 h after a PUT has replaced it. */
  readonly keys: readonly [newest: SigningKeys, ...previous: SigningKeys[]];
  readonly at: Date;
}

/**
 * `X-Service-Signature` has one signature, with the newest secret (spec 6), because receivers
 * compare the whole header. `webhook-signature` has one for each secret; either may be verified.
 */
export function signRequest(facts: UnsignedRequest): SignedRequest {
  const { url, body, eventId, attempt, keys, at } = facts;
  const timestamp = String(Math.floor(at.getTime() / 1_000));
  const standard = keys.map((each) => standardSignature(each, eventId, timestamp, body));
  return {
    url,
    body,
    headers: {
      'content-type': 'application/json',
      'user-agent': `Cardport/${VERSION}`,
      'X-Service-Timestamp': timestamp,
      'X-Service-Signature': serviceSignature(keys[0], timestamp, body),
      'X-Service-Event-Id': eventId,
      'X-Service-Attempt': String(attempt),
      'webhook-id': eventId,
      'webhook-timestamp': timestamp,
      'webhook-signature': standard.join(' '),
    },
  };
}
