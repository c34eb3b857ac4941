import { VERSION } from '../base/version.ts';
import type { SignedRequest } from './attempt.ts';
import { serviceSignature, standardSignature } from './signature.ts';

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
  /** `whsec_…`. The previous secret is given only for 24 h after a PUT has replaced it. */
  readonly secrets: readonly [newest: string, previous?: string];
  readonly at: Date;
}

/**
 * `X-Service-Signature` has one signature, with the newest secret (spec 6), because receivers
 * compare the whole header. `webhook-signature` has one for each secret; either may be verified.
 */
export function signRequest(facts: UnsignedRequest): SignedRequest {
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
      'X-Service-Signature': serviceSignature(secrets[0], timestamp, body),
      'X-Service-Event-Id': eventId,
      'X-Service-Attempt': String(attempt),
      'webhook-id': eventId,
      'webhook-timestamp': timestamp,
      'webhook-signature': standard.join(' '),
    },
  };
}
