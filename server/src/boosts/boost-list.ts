import type { Queryable } from '../database/database.ts';
import { listLiveBoosts } from './boost-row.ts';
import { type BoostInclude, isListed, nextListingAt, statusAt } from './boost-status.ts';
import { renderBoost } from './show-boost.ts';
import type { TargetTexts } from './target-texts.ts';

/**
 * The body of GET /purchase-boosts in two parts: the list, which stays the same, and the end with
 * `generatedAt`.
 */
export type BoostAnswer = readonly [list: Buffer, end: Buffer];

/** A rendered list that serves many responses. */
export interface BoostList {
  /** The body while `generatedAt` may be `madeAtMs`. */
  readonly answer: BoostAnswer;
  /**
   * When its data was read, in milliseconds since the epoch. The list is not valid for any earlier
   * instant.
   */
  readonly madeAtMs: number;
  /**
   * The first millisecond at which a boost enters or leaves the list over time; infinity if none
   * does.
   */
  readonly changesAtMs: number;
}

/**
 * Renders the list of a shop's boosts at `now`: highest price first, then newest change, then id
 * (specification 4.4, decision 0070). `targets`: cached target texts, and whether the cache may be
 * used.
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

/** The end of a list generated at `instant`; it is the same for all shops. */
export function endOf(instant: Date): Buffer {
  return ownBytes(`${instant.toISOString()}"}`);
}

/**
 * Allocates exactly the size of the text. `Buffer.from` cuts short texts from a shared 64 KiB pool,
 * and one cached list would keep the whole pool in memory: 10,000 lists of 2 kB took 670 MB.
 */
function ownBytes(text: string): Buffer {
  const bytes = Buffer.allocUnsafeSlow(Buffer.byteLength(text));
  bytes.write(text);
  return bytes;
}
