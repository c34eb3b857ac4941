import type { Queryable } from '../database/database.ts';
import { listLiveBoosts } from './boost-row.ts';
import { type BoostInclude, isListed, nextListingAt, statusAt } from './boost-status.ts';
import { renderBoost } from './show-boost.ts';
import type { TargetTexts } from './target-texts.ts';

/** The whole answer of GET /purchase-boosts, made once for many. */
export interface BoostList {
  readonly body: Buffer;
  /** Milliseconds of the clock: when what it shows was read. */
  readonly madeAtMs: number;
  /** Milliseconds of the clock: what `generatedAt` says. The list is of this instant, and of none before it. */
  readonly datedAtMs: number;
  /** The first millisecond at which a boost enters or leaves it; infinite when none does by itself. */
  readonly changesAtMs: number;
}

/** The form of `generatedAt`: how long it is, and what follows it. */
const DATE_BYTES = '2026-06-01T12:00:00.000Z'.length;
const END = '"}';

/**
 * Makes the list of a shop's boosts as it stands at `now`: highest price first, then the newest change, then the id
 * (specification 4.4, decision 0070). `targets`: what is kept of what boosts are for, and whether it may be used.
 */
export async function makeBoostList(
  db: Queryable,
  shopId: string,
  include: BoostInclude,
  now: Date,
  targets: { readonly texts: TargetTexts; readonly isTrusted: boolean },
): Promise<BoostList> {
  const live = await listLiveBoosts(db, shopId, now);
  const listed = live.filter((boost) => isListed(statusAt(boost, now), include));
  const textOf = await targets.texts.find(db, shopId, listed, targets.isTrusted);
  const texts = listed.map((boost) => renderBoost(boost, textOf(boost), statusAt(boost, now)));
  const changesAtMs = live.map(
    (boost) => nextListingAt(boost, include, now)?.getTime() ?? Number.POSITIVE_INFINITY,
  );
  return {
    body: Buffer.from(`{"boosts":[${texts.join(',')}],"generatedAt":"${now.toISOString()}${END}`),
    madeAtMs: now.getTime(),
    datedAtMs: now.getTime(),
    changesAtMs: Math.min(...changesAtMs),
  };
}

/** The same list as of a later instant, at which it was known to be still the same. The bytes of before stay as they are. */
export function dateList(list: BoostList, instant: Date): BoostList {
  // The bytes of before may be on their way to a slow reader.
  const body = Buffer.allocUnsafe(list.body.length);
  list.body.copy(body);
  body.write(instant.toISOString(), body.length - END.length - DATE_BYTES, 'latin1');
  return { ...list, body, datedAtMs: instant.getTime() };
}
