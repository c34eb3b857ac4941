import { CLEANED_ROWS_MAX, type Cleaner } from '../database/cleaner.ts';
import type { Database } from '../database/database.ts';
import { cleanStoredResponses } from '../approvals/stored-response.ts';
import { cleanArtifacts } from '../approvals/artifact.ts';
import { cleanAudit } from '../shops/audit-log.ts';
import { cleanInvitations } from '../shops/invitation.ts';
import { cleanChallenges } from '../shops/passkey-challenge.ts';
import { cleanPasswordResets } from '../shops/password-reset.ts';
import { cleanSessions } from '../shops/session.ts';
import { cleanSignInBursts, cleanSignInRecords } from '../shops/sign-in-record.ts';
import { cleanAttempts, cleanBudgets } from '../shops/sign-in-throttle.ts';

/** At 1,000 rows each, a run per minute deletes more rows than one node can create. */
const BATCHES_MAX = 100;

const CLEANERS: readonly Cleaner[] = [
  cleanArtifacts,
  cleanStoredResponses,
  cleanSessions,
  cleanAttempts,
  cleanBudgets,
  cleanSignInRecords,
  cleanSignInBursts,
  cleanInvitations,
  cleanPasswordResets,
  cleanChallenges,
  cleanAudit,
];

/**
 * The batches skip locked rows, so that all nodes may run this concurrently.
 *
 * @param others cleaners of modules that this module must not import
 */
export async function deleteExpiredRows(
  db: Database,
  now: Date,
  signal?: AbortSignal,
  others: readonly Cleaner[] = [],
): Promise<number> {
  let total = 0;
  for (const clean of [...CLEANERS, ...others]) {
    for (let batch = 0; batch < BATCHES_MAX && signal?.aborted !== true; batch++) {
      const deleted = await clean(db, now);
      total += deleted;
      if (deleted < CLEANED_ROWS_MAX) break;
    }
  }
  return total;
}
