import type { Log } from '../base/log.ts';
import type { ClaimedNotice } from './claim.ts';
import type { AfterAttempt } from './schedule.ts';

/** From when on a webhook that fails is told of. */
const TOLD_AFTER_MS = 3_600_000;

/** Tells that an attempt before this one was left without a result. */
export function tellOfInterruption(log: Log, notice: ClaimedNotice, number: number): void {
  const { shopId, connectionId, origin } = notice;
  log.info(
    { shopId, connectionId, origin, number },
    'the worker of an attempt has died, or lost its database: the notice is sent again',
  );
}

/** Tells once that a webhook has been failing for an hour, and that one was removed. Never its path or its query. */
export function tellOfAttempt(
  log: Log,
  notice: ClaimedNotice,
  after: AfterAttempt,
  endedAt: Date,
): void {
  const { shopId, connectionId, origin } = notice;
  const webhook = { shopId, connectionId, origin };
  if (after.kind === 'removed') {
    const { reason } = after;
    log.info({ ...webhook, reason }, 'a webhook was removed: its receiver is gone or kept failing');
    return;
  }
  const { failures, failingSince } = after;
  if (failingSince === null || failingSince.getTime() + TOLD_AFTER_MS > endedAt.getTime()) return;
  // At the attempt before this one it was not an hour yet, so this is the first that can tell.
  if (notice.failedForMs !== null && notice.failedForMs >= TOLD_AFTER_MS) return;
  log.info({ ...webhook, failures, failingSince }, 'a webhook has been failing for an hour');
}
