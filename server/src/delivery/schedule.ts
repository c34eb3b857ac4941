import type { FeedPosition } from '../inventory/cursor.ts';
import type { AttemptResult } from '../webhooks/attempt.ts';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/**
 * Waits after the first, second … failure in a row; past the last one, that one again. The first few outlive a restart
 * of the receiver, the middle a night, the daily ones a holiday (decision 0104).
 */
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
/** Share by which a wait is shortened or lengthened, so that those who failed together do not come back together. */
const JITTER = 0.2;
/** Longest that a receiver may put us off with Retry-After. */
const RETRY_AFTER_MS_MAX = DAY_MS;
/** A webhook that fails for so long is tried once more, and removed. */
const FAILING_MS_MAX = 14 * DAY_MS;

/** What a webhook's row says when the result of an attempt is recorded. */
export interface WebhookProgress {
  readonly acknowledged: FeedPosition;
  /** What the attempt told of. */
  readonly covers: FeedPosition;
  /** Failures in a row that took a step. */
  readonly failures: number;
  /** Since when; null exactly when `failures` is 0. */
  readonly failingSince: Date | null;
  /** Before which only what comes early is tried; null when nothing was put off. */
  readonly nextAttemptAt: Date | null;
  /** What a Retry-After asked for. */
  readonly notBefore: Date | null;
  /** An earlier instant: a trial was asked for, or the app showed signs of life. */
  readonly earlyAt: Date | null;
}

/** When and why an attempt was made. */
export interface AttemptBegin {
  /** The instant of its claim. */
  readonly startedAt: Date;
  /** True when it came before its regular instant. */
  readonly isEarly: boolean;
}

/** What becomes of a webhook after an attempt. */
export type AfterAttempt =
  | {
      readonly kind: 'waiting';
      readonly acknowledged: FeedPosition;
      /** False: nothing is pending any more, because it was delivered, or because it was a trial and failed. */
      readonly isEventKept: boolean;
      readonly failures: number;
      readonly failingSince: Date | null;
      readonly nextAttemptAt: Date | null;
      readonly notBefore: Date | null;
      readonly earlyAt: Date | null;
    }
  | { readonly kind: 'removed'; readonly reason: 'gone' | 'failing' };

/**
 * The next state of a webhook whose attempt has ended `now` (decision 0104). `random` gives a number from 0 to 1. The pace
 * between two attempts is not among it: the database's clock measures it.
 */
export function settleAttempt(
  progress: WebhookProgress,
  begin: AttemptBegin,
  result: AttemptResult,
  now: Date,
  random: () => number,
): AfterAttempt {
  if (result.kind === 'delivered') return afterDelivery(progress.covers);
  if (result.error === 'gone') return { kind: 'removed', reason: 'gone' };
  if (result.error === 'interrupted' || result.isStale === true) {
    return afterInterruption(progress, begin, now);
  }
  const notBefore = notBeforeOf(progress, result.retryAfterSeconds, now);
  const earlyAt = progress.earlyAt === null ? null : later(progress.earlyAt, notBefore);
  const { acknowledged, failures, failingSince } = progress;
  const unchanged = { kind: 'waiting' as const, acknowledged, failures, failingSince, notBefore };
  if (isSamePosition(progress.covers, acknowledged)) {
    const nextAttemptAt = laterOrNull(progress.nextAttemptAt, notBefore);
    return { ...unchanged, isEventKept: false, nextAttemptAt, earlyAt: null };
  }
  if (begin.isEarly) {
    const regular = laterOrNull(progress.nextAttemptAt, notBefore);
    const nextAttemptAt = regular === null ? null : capped(regular, failingSince);
    return { ...unchanged, isEventKept: true, nextAttemptAt, earlyAt };
  }
  if (failingSince !== null && begin.startedAt.getTime() >= lastInstantMs(failingSince)) {
    return { kind: 'removed', reason: 'failing' };
  }
  const since = failingSince ?? now;
  const retryAt = new Date(now.getTime() + waitMs(failures, random()));
  const nextAttemptAt = capped(later(retryAt, notBefore), since);
  const step = { failures: failures + 1, failingSince: since, nextAttemptAt };
  return { ...unchanged, ...step, isEventKept: true, earlyAt };
}

/** What remains when an attempt means nothing any more (another registration, a removal): everything. */
export function keepAsIs(progress: WebhookProgress): Extract<AfterAttempt, { kind: 'waiting' }> {
  const { acknowledged, failures, failingSince, nextAttemptAt, notBefore, earlyAt } = progress;
  const failing = { failures, failingSince, nextAttemptAt, notBefore, earlyAt };
  return { kind: 'waiting', acknowledged, isEventKept: true, ...failing };
}

/** True when both are the same place of the same epoch. */
function isSamePosition(one: FeedPosition, other: FeedPosition): boolean {
  return one.epoch === other.epoch && one.seq === other.seq;
}

/** What a delivery leaves of a webhook: it has what the attempt told of, and nothing is put off. */
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

/**
 * The receiver saw the notice or did not: it is told again after the pace, and the table takes no step. A
 * kept connection that had died before any byte of an answer is one of these. It cannot go on for long: each is found
 * dead once, none is kept for more than seconds, and a new one that is reset is a failure.
 */
function afterInterruption(
  progress: WebhookProgress,
  { isEarly }: AttemptBegin,
  now: Date,
): AfterAttempt {
  // What brought the attempt forward was used up by its claim.
  return { ...keepAsIs(progress), earlyAt: progress.earlyAt ?? (isEarly ? now : null) };
}

/** The wait after the failure that follows `failures` others. `chance` is from 0 to 1. */
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
    const waitedMs = Math.min(retryAfterSeconds * SECOND_MS, RETRY_AFTER_MS_MAX);
    return new Date(now.getTime() + waitedMs);
  }
  // A trial goes out although the receiver had put us off: what it asked for then still holds.
  const { notBefore } = progress;
  return notBefore !== null && notBefore.getTime() > now.getTime() ? notBefore : null;
}

function lastInstantMs(failingSince: Date): number {
  return failingSince.getTime() + FAILING_MS_MAX;
}

/** The last attempt is made on day 14, also when the table or the receiver say later. */
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
