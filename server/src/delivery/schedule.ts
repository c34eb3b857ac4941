import type { FeedPosition } from '../inventory/cursor.ts';
import type { AttemptResult } from '../webhooks/attempt.ts';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

// The delay after each consecutive failure; the last one repeats. The first few cover a restart of
// the receiver, the middle ones a night, the daily ones a holiday (decision 0104).
const RETRY_STEPS_MS = [
  5 * SECOND_MS,
  30 * SECOND_MS,
  2 * MINUTE_MS,
  10 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
  14 * HOUR_MS,
  20 * HOUR_MS,
  DAY_MS,
] as const;
/** A share of the delay, so that webhooks that failed together do not retry together. */
const JITTER = 0.2;
const RETRY_AFTER_MS_MAX = DAY_MS;
/** A webhook that has failed for this long gets one last attempt and is then removed. */
const FAILING_MS_MAX = 14 * DAY_MS;

/** The state of the webhook's row when the result of an attempt is recorded. */
export interface WebhookProgress {
  readonly acknowledged: FeedPosition;
  /** The feed position that the attempt announced. */
  readonly covers: FeedPosition;
  /** Consecutive failures that advanced the retry schedule. */
  readonly failures: number;
  /** Null exactly when `failures` is 0. */
  readonly failingSince: Date | null;
  /** Null when no retry is scheduled. Before this time, only early attempts are made. */
  readonly nextAttemptAt: Date | null;
  /** The earliest time for a retry that the receiver's `Retry-After` allows. */
  readonly notBefore: Date | null;
  /** When a test delivery, or the app's read of the feed, requested an early attempt. */
  readonly earlyAt: Date | null;
}

export interface AttemptStart {
  /** When the attempt was claimed. */
  readonly startedAt: Date;
  readonly isEarly: boolean;
}

export type AfterAttempt =
  | {
      readonly kind: 'waiting';
      readonly acknowledged: FeedPosition;
      /** False when no event is pending: it was delivered, or was a failed test delivery. */
      readonly isEventKept: boolean;
      readonly failures: number;
      readonly failingSince: Date | null;
      readonly nextAttemptAt: Date | null;
      readonly notBefore: Date | null;
      readonly earlyAt: Date | null;
    }
  | { readonly kind: 'removed'; readonly reason: 'gone' | 'failing' };

/**
 * Decides what follows an attempt that ended at `now` (decision 0104). `random` returns 0 to 1. The
 * result does not contain the minimum interval, which the database's clock measures.
 */
export function settleAttempt(
  progress: WebhookProgress,
  start: AttemptStart,
  result: AttemptResult,
  now: Date,
  random: () => number,
): AfterAttempt {
  if (result.kind === 'delivered') return afterDelivery(progress.covers);
  if (result.error === 'gone') return { kind: 'removed', reason: 'gone' };
  if (result.error === 'interrupted' || result.isStale === true) {
    return afterInterruption(progress, start, now);
  }
  const notBefore = notBeforeOf(progress, result.retryAfterSeconds, now);
  const earlyAt = progress.earlyAt === null ? null : later(progress.earlyAt, notBefore);
  const { acknowledged, failures, failingSince } = progress;
  const unchanged = { kind: 'waiting' as const, acknowledged, failures, failingSince, notBefore };
  if (isSamePosition(progress.covers, acknowledged)) {
    const nextAttemptAt = laterOrNull(progress.nextAttemptAt, notBefore);
    return { ...unchanged, isEventKept: false, nextAttemptAt, earlyAt: null };
  }
  if (start.isEarly) {
    const regular = laterOrNull(progress.nextAttemptAt, notBefore);
    const nextAttemptAt = regular === null ? null : capped(regular, failingSince);
    return { ...unchanged, isEventKept: true, nextAttemptAt, earlyAt };
  }
  if (failingSince !== null && start.startedAt.getTime() >= lastInstantMs(failingSince)) {
    return { kind: 'removed', reason: 'failing' };
  }
  const since = failingSince ?? now;
  const retryAt = new Date(now.getTime() + waitMs(failures, random()));
  const nextAttemptAt = capped(later(retryAt, notBefore), since);
  const step = { failures: failures + 1, failingSince: since, nextAttemptAt };
  return { ...unchanged, ...step, isEventKept: true, earlyAt };
}

/**
 * The state after an attempt that was interrupted or no longer matters (after a new registration or
 * a removal).
 */
export function unchangedState(
  progress: WebhookProgress,
): Extract<AfterAttempt, { kind: 'waiting' }> {
  const { acknowledged, failures, failingSince, nextAttemptAt, notBefore, earlyAt } = progress;
  const failing = { failures, failingSince, nextAttemptAt, notBefore, earlyAt };
  return { kind: 'waiting', acknowledged, isEventKept: true, ...failing };
}

function isSamePosition(one: FeedPosition, other: FeedPosition): boolean {
  return one.epoch === other.epoch && one.seq === other.seq;
}

export function afterDelivery(covers: FeedPosition): AfterAttempt {
  return {
    kind: 'waiting',
    acknowledged: covers,
    isEventKept: false,
    failures: 0,
    failingSince: null,
    nextAttemptAt: null,
    notBefore: null,
    earlyAt: null,
  };
}

// We cannot know whether the receiver got the event, so it is sent again after the minimum interval
// without advancing the schedule. An attempt on a reused connection that died before the first byte
// of a response is treated the same way. This cannot repeat for long: each dead connection breaks
// only one attempt, no connection stays idle for more than 10 s, and a reset of a new connection is
// a failure.
function afterInterruption(
  progress: WebhookProgress,
  { isEarly }: AttemptStart,
  now: Date,
): AfterAttempt {
  // The claim of an early attempt has used up `earlyAt`, so it is restored.
  return { ...unchangedState(progress), earlyAt: progress.earlyAt ?? (isEarly ? now : null) };
}

/** Returns the delay after `failures` earlier failures. `chance` is from 0 to 1. */
function waitMs(failures: number, chance: number): number {
  const step = RETRY_STEPS_MS[failures] ?? DAY_MS;
  return Math.round(step * (1 - JITTER + 2 * JITTER * chance));
}

function notBeforeOf(
  progress: WebhookProgress,
  retryAfterSeconds: number | null,
  now: Date,
): Date | null {
  if (retryAfterSeconds !== null) {
    const requestedMs = Math.min(retryAfterSeconds * SECOND_MS, RETRY_AFTER_MS_MAX);
    return new Date(now.getTime() + requestedMs);
  }
  // A test delivery is sent despite an earlier `Retry-After`, which then still applies to retries.
  const { notBefore } = progress;
  return notBefore !== null && notBefore.getTime() > now.getTime() ? notBefore : null;
}

function lastInstantMs(failingSince: Date): number {
  return failingSince.getTime() + FAILING_MS_MAX;
}

/** The last attempt is made on day 14, even if the schedule or the receiver says later. */
function capped(instant: Date, failingSince: Date | null): Date {
  if (failingSince === null) return instant;
  return new Date(Math.min(instant.getTime(), lastInstantMs(failingSince)));
}

function later(instant: Date, other: Date | null): Date {
  return other !== null && other.getTime() > instant.getTime() ? other : instant;
}

function laterOrNull(instant: Date | null, other: Date | null): Date | null {
  return instant === null ? other : later(instant, other);
}
