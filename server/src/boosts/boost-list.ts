import type { Queryable } from '../database/database.ts';
import { listLiveBoosts } from './boost-row.ts';
import { type BoostInclude, isListed, nextListingAt, statusAt } from './boost-status.ts';
import { readTargets } from './boost-target.ts';
import { renderBoost, targetOf } from './show-boost.ts';

/** Longest time that a list is sent again, so that `generatedAt` is never older. */
const VALID_MS_MAX = 1_000;

/** The whole answer of GET /purchase-boosts, made once for many. */
export interface BoostList {
  readonly body: Buffer;
  /** Milliseconds of the clock: when the list was made (`generatedAt`), the first at which it may be sent. */
  readonly madeAtMs: number;
  /** The first millisecond at which it may not: a boost enters or leaves it then, or it is a second old. */
  readonly endsAtMs: number;
}

/**
 * Makes the list of a shop's boosts as it stands at `now`: highest price first, then the newest change, then the id
 * (specification 4.4, decision 0070).
 */
export async function makeBoostList(
  db: Queryable,
  shopId: string,
  include: BoostInclude,
  now: Date,
): Promise<BoostList> {
  const live = await listLiveBoosts(db, shopId, now);
  const listed = live.filter((boost) => isListed(statusAt(boost, now), include));
  const resolve = await readTargets(db, shopId, listed);
  const texts = listed.map((boost) =>
    renderBoost(boost, targetOf(boost, resolve), statusAt(boost, now)),
  );
  const changesAtMs = live.map(
    (boost) => nextListingAt(boost, include, now)?.getTime() ?? Number.POSITIVE_INFINITY,
  );
  return {
    body: Buffer.from(`{"boosts":[${texts.join(',')}],"generatedAt":"${now.toISOString()}"}`),
    madeAtMs: now.getTime(),
    endsAtMs: Math.min(now.getTime() + VALID_MS_MAX, ...changesAtMs),
  };
}
