import type { Clock } from '../base/clock.ts';
import type { AttemptResult, WebhookSender } from '../webhooks/attempt.ts';
import type { ClaimedDelivery } from './claim.ts';
import { renderEvent, signRequest, type UnsignedRequest } from '../webhooks/event-request.ts';
import type { WebhookSecrets } from '../webhooks/webhook-secrets.ts';

/** A claim older than this is released unsent, because its lease may end soon. */
export const CLAIM_AGE_MS_MAX = 2_000;

export interface SenderDeps {
  readonly clock: Clock;
  readonly secrets: Pick<WebhookSecrets, 'signingKeys'>;
  readonly sender: WebhookSender;
  readonly onFault: (error: unknown) => void;
}

const UNSENT = {
  kind: 'failed',
  status: null,
  error: 'interrupted',
  latencyMs: 0,
  retryAfterSeconds: null,
} as const satisfies AttemptResult;

/**
 * Signs and sends an event claimed at `claimedAtMs` (`performance.now`, read before the claim).
 * Never rejects. The result is `interrupted` if `signal` aborts the attempt.
 */
export async function sendClaimed(
  delivery: ClaimedDelivery,
  claimedAtMs: number,
  { clock, secrets, sender, onFault }: SenderDeps,
  signal: AbortSignal,
): Promise<AttemptResult> {
  const at = clock.now();
  const { url, eventId, attempt } = delivery;
  try {
    const keys = openKeys(delivery, secrets, at);
    if (keys === undefined) {
      throw new Error(`cannot decrypt the webhook secret of connection ${delivery.connectionId}`);
    }
    const signed = signRequest({
      url,
      body: renderEvent(delivery),
      eventId,
      attempt,
      keys,
      at,
    });
    if (signal.aborted || performance.now() - claimedAtMs > CLAIM_AGE_MS_MAX) return UNSENT;
    return await sender.send(signed, signal);
  } catch (error) {
    // The receiver did not cause this, but if it counts as a failure, the schedule spaces out
    // retries.
    onFault(error);
    return { ...UNSENT, error: 'protocol' };
  }
}

function openKeys(
  delivery: ClaimedDelivery,
  secrets: SenderDeps['secrets'],
  at: Date,
): UnsignedRequest['keys'] | undefined {
  const { shopId, connectionId, secretSealed, secretKeyId } = delivery;
  const newest = secrets.signingKeys(secretSealed, secretKeyId, shopId, connectionId);
  if (newest === undefined) return undefined;
  const { previousSealed, previousKeyId, previousUntil } = delivery;
  const isOverlap = previousUntil !== null && at.getTime() < previousUntil.getTime();
  if (!isOverlap || previousSealed === null || previousKeyId === null) return [newest];
  const previous = secrets.signingKeys(previousSealed, previousKeyId, shopId, connectionId);
  return previous === undefined ? [newest] : [newest, previous];
}
