import type { Log, LogFields } from '../base/log.ts';
import type { AttemptResult } from '../webhooks/attempt.ts';
import type { ClaimedNotice } from './claim.ts';
import type { AfterAttempt } from './schedule.ts';

/** How long a webhook must have been failing before it is logged. */
const TOLD_AFTER_MS = 3_600_000;

/** Logs that an earlier attempt ended without a result. */
export function tellOfInterruption(log: Log, notice: ClaimedNotice, number: number): void {
  log.info(
    { ...whoseOf(notice), number },
    'the worker of an attempt died or lost its database connection; sending the event again',
  );
}

/** Logs one attempt at debug level, without the path or query of its URL. */
export function tellOfAttempt(log: Log, notice: ClaimedNotice, result: AttemptResult): void {
  const { shopId, connectionId, origin, number, eventId, attempt } = notice;
  const { latencyMs } = result;
  const ids = { shopId, connectionId, origin, number, eventId, attempt };
  log.debug({ ...ids, ...outcomeOf(result), latencyMs }, 'a delivery attempt ended');
}

/**
 * Logs once that a webhook has been failing for an hour, and logs its removal. Never logs the path
 * or query.
 */
export function tellOfState(
  log: Log,
  notice: ClaimedNotice,
  { result, after, endedAt }: SettledResult,
): void {
  const { clientId, appName } = notice;
  const webhook = { ...whoseOf(notice), clientId, appName, ...outcomeOf(result) };
  if (after.kind === 'removed') {
    log.warn(webhook, REMOVALS[after.reason]);
    return;
  }
  const { failures, failingSince } = after;
  if (failingSince === null || failingSince.getTime() + TOLD_AFTER_MS > endedAt.getTime()) return;
  // Already failing for an hour at the previous attempt: logged then.
  if (notice.failedForMs !== null && notice.failedForMs >= TOLD_AFTER_MS) return;
  log.warn({ ...webhook, failures, failingSince }, 'a webhook has been failing for an hour');
}

/** A recorded attempt. */
interface SettledResult {
  readonly result: AttemptResult;
  readonly after: AfterAttempt;
  readonly endedAt: Date;
}

const REMOVALS = {
  gone: 'a webhook was removed because its receiver responded with 410 Gone',
  failing: 'a webhook was removed because it failed for 14 days',
} as const satisfies Record<Extract<AfterAttempt, { kind: 'removed' }>['reason'], string>;

function whoseOf({ shopId, connectionId, origin }: ClaimedNotice): LogFields {
  return { shopId, connectionId, origin };
}

/** Named `reason` because the log uses `error` for thrown values. */
function outcomeOf(result: AttemptResult): LogFields {
  const { status } = result;
  return result.kind === 'failed' ? { status, reason: result.error } : { status };
}
