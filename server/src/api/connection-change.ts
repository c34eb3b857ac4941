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
  const change = async (): Promise<T> => await db.transaction(work);
  const done = await connectionLimiter.run([shopId, clientId], change);
  if (done === undefined) throw serviceUnavailable();
  return done.value;
}
