import type { Log, LogFields } from '../base/log.ts';
import type { AttemptResult } from '../webhooks/attempt.ts';
import type { ClaimedDelivery } from './claim.ts';
import type { AfterAttempt } from './schedule.ts';

/** A webhook is logged as failing only after it has been failing for this long. */
const FAILING_LOGGED_AFTER_MS = 3_600_000;

export function logInterruption(log: Log, delivery: ClaimedDelivery, number: number): void {
  log.info(
    { ...webhookFields(delivery), number },
    'the worker of an attempt died or lost its database connection; sending the event again',
  );
}

/** Logs one attempt at debug level, without the path or query of its URL. */
export function logAttempt(log: Log, delivery: ClaimedDelivery, result: AttemptResult): void {
  const { shopId, connectionId, origin, number, eventId, attempt } = delivery;
  const { latencyMs } = result;
  const ids = { shopId, connectionId, origin, number, eventId, attempt };
  log.debug({ ...ids, ...resultFields(result), latencyMs }, 'a delivery attempt ended');
}

/** Logs the removal of a webhook, and once that it has failed for an hour. Omits path and query. */
export function logWebhookState(
  log: Log,
  delivery: ClaimedDelivery,
  { result, after, endedAt }: SettledResult,
): void {
  const { clientId, appName } = delivery;
  const webhook = { ...webhookFields(delivery), clientId, appName, ...resultFields(result) };
  if (after.kind === 'removed') {
    log.warn(webhook, REMOVAL_MESSAGES[after.reason]);
    return;
  }
  const { failures, failingSince } = after;
  if (
    failingSince === null ||
    failingSince.getTime() + FAILING_LOGGED_AFTER_MS > endedAt.getTime()
  ) {
    return;
  }
  // An earlier attempt has already logged that this webhook is failing.
  if (delivery.failedForMs !== null && delivery.failedForMs >= FAILING_LOGGED_AFTER_MS) return;
  log.warn({ ...webhook, failures, failingSince }, 'a webhook has been failing for an hour');
}

interface SettledResult {
  readonly result: AttemptResult;
  readonly after: AfterAttempt;
  readonly endedAt: Date;
}

const REMOVAL_MESSAGES = {
  gone: 'a webhook was removed because its receiver responded with 410 Gone',
  failing: 'a webhook was removed because its deliveries failed for 14 days',
} as const satisfies Record<Extract<AfterAttempt, { kind: 'removed' }>['reason'], string>;

function webhookFields({ shopId, connectionId, origin }: ClaimedDelivery): LogFields {
  return { shopId, connectionId, origin };
}

function resultFields(result: AttemptResult): LogFields {
  const { status } = result;
  return result.kind === 'failed' ? { status, reason: result.error } : { status };
}
