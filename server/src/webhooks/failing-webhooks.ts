import type { Database } from '../database/database.ts';
import { statement } from '../database/statement.ts';

// This uses an index that contains only failing webhooks.
export const countFailing = statement<{ readonly failing: number }>(
  'count_failing_webhooks',
  `select count(*) as failing from webhook where failures > 0 and removed_at is null`,
);

/** Counts the failing live webhooks of all shops, including those of disabled apps. */
export async function countFailingWebhooks(db: Database): Promise<number> {
  const row = await db.one(countFailing);
  if (row === undefined) throw new Error('a count has no row');
  return row.failing;
}
