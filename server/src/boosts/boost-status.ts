/** All statuses of a boost. Apps see only the first two (decision 0070). */
export const BOOST_STATUSES = [
  'open',
  'filled',
  'scheduled',
  'paused',
  'expired',
  'ended',
] as const;

export type BoostStatus = (typeof BOOST_STATUSES)[number];

/** Which boosts a list contains: open boosts, or filled boosts too (spec 4.4). */
export const BOOST_INCLUDES = ['open', 'filled'] as const;

export type BoostInclude = (typeof BOOST_INCLUDES)[number];

/** The values that determine a boost's status. Instants have millisecond precision. */
export interface BoostCondition {
  /** The start, or null if the boost has been open since its creation. */
  readonly startsAt: Date | null;
  /** The end, or null if the boost never expires. */
  readonly endsAt: Date | null;
  readonly isPaused: boolean;
  /** When the shop ended the boost permanently, or null. */
  readonly endedAt: Date | null;
  /** The number of pieces that are left, or null without a limit. */
  readonly remainingQuantity: number | null;
}

/**
 * The order of the checks decides: a paused boost with nothing left is paused, and never listed. A
 * boost is already open at `startsAt` and no longer open at `endsAt`.
 */
export function statusAt(boost: BoostCondition, now: Date): BoostStatus {
  if (boost.endedAt !== null) return 'ended';
  if (boost.endsAt !== null && now >= boost.endsAt) return 'expired';
  if (boost.startsAt !== null && now < boost.startsAt) return 'scheduled';
  if (boost.isPaused) return 'paused';
  return boost.remainingQuantity === 0 ? 'filled' : 'open';
}

/** Returns whether a list contains boosts of this status (spec 3.2). */
export function isListed(status: BoostStatus, include: BoostInclude): boolean {
  return status === 'open' || (status === 'filled' && include === 'filled');
}

/** The next instant at which the boost enters or leaves the list without a write, or null. */
export function nextListingChange(
  boost: BoostCondition,
  include: BoostInclude,
  now: Date,
): Date | null {
  const isListedAt = (instant: Date): boolean => isListed(statusAt(boost, instant), include);
  const isListedNow = isListedAt(now);
  // The instants are in chronological order, because a boost never ends before it starts.
  for (const instant of [boost.startsAt, boost.endsAt]) {
    if (instant !== null && instant > now && isListedAt(instant) !== isListedNow) return instant;
  }
  return null;
}

export function isLive(boost: BoostCondition, now: Date): boolean {
  const status = statusAt(boost, now);
  return status !== 'ended' && status !== 'expired';
}
