import type { Queryable } from '../database/database.ts';
import { listLiveBoosts } from './boost-row.ts';
import { type BoostInclude, isListed, nextListingChange, statusAt } from './boost-status.ts';
import { renderBoost } from './render-boost.ts';
import type { TargetCache } from './target-cache.ts';

/** A body in two parts, so that its end, which contains `generatedAt`, can be replaced. */
export type BoostListBody = readonly [list: Buffer, end: Buffer];

export interface BoostList {
  /** The body with `readAtMs` as `generatedAt`. */
  readonly body: BoostListBody;
  /** When the data was read, in milliseconds since the epoch. The list is not valid before then. */
  readonly readAtMs: number;
  /** When the next boost starts or ends, in milliseconds since the epoch; else infinity. */
  readonly validUntilMs: number;
}

/** Highest price first, then newest change, then id (spec 4.4, decision 0070). */
export async function renderBoostList(
  db: Queryable,
  shopId: string,
  include: BoostInclude,
  now: Date,
  targets: { readonly texts: TargetCache; readonly canUseCache: boolean },
): Promise<BoostList> {
  const live = await listLiveBoosts(db, shopId, now);
  const listed = live.filter((boost) => isListed(statusAt(boost, now), include));
  const textOf = await targets.texts.find(db, shopId, listed, targets.canUseCache);
  const texts = listed.map((boost) => renderBoost(boost, textOf(boost), statusAt(boost, now)));
  const validUntilMs = live.map(
    (boost) => nextListingChange(boost, include, now)?.getTime() ?? Number.POSITIVE_INFINITY,
  );
  return {
    body: [unpooledBytes(`{"boosts":[${texts.join(',')}],"generatedAt":"`), renderListEnd(now)],
    readAtMs: now.getTime(),
    validUntilMs: Math.min(...validUntilMs),
  };
}

export function renderListEnd(instant: Date): Buffer {
  return unpooledBytes(`${instant.toISOString()}"}`);
}

// Allocates exactly the size of the text. `Buffer.from` takes short texts from a shared pool of 64
// KiB, and each cached list would keep its pool in memory: 10,000 lists of 2 kB took 670 MB.
function unpooledBytes(text: string): Buffer {
  const bytes = Buffer.allocUnsafeSlow(Buffer.byteLength(text));
  bytes.write(text);
  return bytes;
}
