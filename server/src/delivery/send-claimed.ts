import type { Clock } from '../base/clock.ts';
import type { AttemptResult, NoticeSender } from '../webhooks/attempt.ts';
import type { ClaimedNotice } from './claim.ts';
import { renderNotice, signNotice } from '../webhooks/notice.ts';
import type { WebhookSecrets } from '../webhooks/webhook-secrets.ts';

/**
 * A claim that is older was held up with its process, which may have been frozen in between: its lease may be over soon,
 * so it is given back rather than sent.
 */
export const CLAIM_AGE_MS_MAX = 2_000;

/** What a claimed notice is sent with. */
export interface SendingTools {
  readonly clock: Clock;
  readonly secrets: Pick<WebhookSecrets, 'open'>;
  readonly sender: NoticeSender;
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
 * Signs and sends a notice that was claimed at `claimedAtMs` (`performance.now`, before the claim was asked for). Never
 * throws. What is broken off by `signal` is `interrupted`.
 */
export async function sendClaimed(
  notice: ClaimedNotice,
  claimedAtMs: number,
  { clock, secrets, sender, onFault }: SendingTools,
  signal: AbortSignal,
): Promise<AttemptResult> {
  const at = clock.now();
  const { url, eventId, attempt } = notice;
  try {
    const known = openSecrets(notice, secrets, at);
    if (known === undefined) throw new Error(`a secret does not open: ${notice.connectionId}`);
    const signed = signNotice({
      url,
      body: renderNotice(notice),
      eventId,
      attempt,
      secrets: known,
      at,
    });
    // The last thing before the first byte.
    if (signal.aborted || performance.now() - claimedAtMs > CLAIM_AGE_MS_MAX) return UNSENT;
    return await sender.send(signed, signal);
  } catch (error) {
    // Our own fault: the table's next step keeps it from being tried again and again.
    onFault(error);
    return { ...UNSENT, error: 'protocol' };
  }
}

function openSecrets(
  notice: ClaimedNotice,
  secrets: SendingTools['secrets'],
  at: Date,
): readonly [newest: string, previous?: string] | undefined {
  const { shopId, connectionId, secretSealed, secretKeyId } = notice;
  const newest = secrets.open(secretSealed, secretKeyId, shopId, connectionId);
  if (newest === undefined) return undefined;
  const { previousSealed, previousKeyId, previousUntil } = notice;
  const isOverlap = previousUntil !== null && at.getTime() < previousUntil.getTime();
  if (!isOverlap || previousSealed === null || previousKeyId === null) return [newest];
  const previous = secrets.open(previousSealed, previousKeyId, shopId, connectionId);
  return previous === undefined ? [newest] : [newest, previous];
}
