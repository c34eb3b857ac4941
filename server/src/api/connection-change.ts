import type { Transaction } from '../database/database.ts';
import type { Access } from '../approvals/access.ts';
import { serviceUnavailable } from '../http/errors.ts';
import type { PartnerDeps } from './endpoint.ts';

/** Changes of a connection or its webhook run one at a time. Throws a 503 if too many wait. */
export async function changeConnection<T>(
  { db, connectionLimiter }: PartnerDeps,
  { shopId, clientId }: Access,
  work: (tx: Transaction) => Promise<T>,
): Promise<T> {
  const key = `${shopId} ${clientId}`;
  const done = await connectionLimiter.run(key, async () => await db.transaction(work));
  if (done === undefined) throw serviceUnavailable();
  return done.value;
}
