import type { Queryable } from '../database/database.ts';
import { listLiveBoosts } from './boost-row.ts';
import { type BoostInclude, isListed, nextListingAt, statusAt } from './boost-status.ts';
import { renderBoost } from './show-boost.ts';
import type { TargetTexts } from './target-texts.ts';

/** The body of GET /purchase-boosts: the list, which stays as it is, and its end, which says of which instant it is. */
export type BoostAnswer = readonly [list: Buffer, end: Buffer];

/** A list that was made once for many answers. */
export interface BoostList {
  /** What is answered while `generatedAt` may be the instant at which it was made. */
  readonly answer: BoostAnswer;
  /** Milliseconds of the clock: when what it shows was read. The list is of this instant, and of none before it. */
  readonly madeAtMs: number;
  /** The first millisecond at which a boost enters or leaves it; infinite when none does by itself. */
  readonly changesAtMs: number;
}

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
    answer: [ownBytes(`{"boosts":[${texts.join(',')}],"generatedAt":"`), endOf(now)],
    madeAtMs: now.getTime(),
    changesAtMs: Math.min(...changesAtMs),
  };
}

/** The end of a list that is of this instant: the same for the lists of all shops. */
export function endOf(instant: Date): Buffer {
  return ownBytes(`${instant.toISOString()}"}`);
}

/**
 * A text in memory of exactly its size. `Buffer.from` cuts short ones from 64 KiB that it shares with whatever else the
 * process makes, and one list that is kept would keep all of it: 10,000 lists of 2 kB took 670 MB.
 */
function ownBytes(text: string): Buffer {
  const bytes = Buffer.allocUnsafeSlow(Buffer.byteLength(text));
  bytes.write(text);
  return bytes;
}
