import type { Queryable } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import type { AttemptResult } from '../webhooks/attempt.ts';
import type { ClaimedDelivery } from './claim.ts';
import type { ShopOnCitus } from './group-by-shop.ts';

const recordResultsIn = (shop: string): string => `
   update webhook_attempt t set status = r.status, error = r.error, latency_ms = r."latencyMs"
     from jsonb_to_recordset($1::jsonb) as r ("shopId" uuid, "connectionId" uuid, number bigint,
            status int, error text, "latencyMs" int)
    where t.shop_id = ${shop} and t.connection_id = r."connectionId" and t.number = r.number`;

// Writes the result even after the lease was lost: the log shows what the receiver saw.
export const recordAttemptResults = statement(
  'record_attempt_results',
  recordResultsIn('r."shopId"'),
);
export const recordAttemptResultsOfShop = statement(
  'record_attempt_results_of_shop',
  recordResultsIn('$2::uuid'),
);

interface LoggedResult {
  readonly delivery: ClaimedDelivery;
  readonly result: AttemptResult;
}

/** On Citus all attempts belong to `shop`; on plain PostgreSQL `shop` is null. */
export async function logAttemptResults(
  db: Queryable,
  attempts: readonly LoggedResult[],
  shop: ShopOnCitus | null,
): Promise<void> {
  if (attempts.length === 0) return;
  const results = attempts.map(({ delivery: { shopId, connectionId, number }, result }) => {
    const { status, latencyMs } = result;
    const error = result.kind === 'failed' ? result.error : null;
    return { shopId, connectionId, number, status, error, latencyMs };
  });
  const json = JSON.stringify(results);
  if (shop === null) await db.query(recordAttemptResults, [json]);
  else await db.query(recordAttemptResultsOfShop, [json, shop.shopId]);
}
