import { CLEANED_ROWS_MAX, type Cleaner } from '../database/cleaner.ts';
import type { Database } from '../database/database.ts';
import { cleanAnswers } from '../grants/answer.ts';
import { cleanArtifacts } from '../grants/artifact.ts';
import { cleanAudit } from '../shops/audit-log.ts';
import { cleanInvitations } from '../shops/invitation.ts';
import { cleanChallenges } from '../shops/passkey-challenge.ts';
import { cleanSessions } from '../shops/session.ts';
import { cleanSignInBursts, cleanSignInRecords } from '../shops/sign-in-record.ts';
import { cleanAttempts, cleanBudgets } from '../shops/sign-in-throttle.ts';

/** Batches of one kind in one round: 100,000 rows a minute are more than a node can make. */
const BATCHES_MAX = 100;

const CLEANERS: readonly Cleaner[] = [
  cleanArtifacts,
  cleanAnswers,
  cleanSessions,
  cleanAttempts,
  cleanBudgets,
  cleanSignInRecords,
  cleanSignInBursts,
  cleanInvitations,
  cleanChallenges,
  cleanAudit,
];

/**
 * Deletes what has expired: codes, tokens, interactions, kept answers, sessions, counted attempts and failures, records of
 * sign-ins, invitations, challenges of passkeys and entries of the audit, in batches of 1,000 that wait for
 * nobody. Returns how many rows went. Safe on all nodes at once; `signal` stops it between two.
 */
export async function cleanUpSignIns(
  db: Database,
  now: Date,
  signal?: AbortSignal,
): Promise<number> {
  let total = 0;
  for (const clean of CLEANERS) {
    for (let batch = 0; batch < BATCHES_MAX && signal?.aborted !== true; batch++) {
      const deleted = await clean(db, now);
      total += deleted;
      // A batch that was not full was the last.
      if (deleted < CLEANED_ROWS_MAX) break;
    }
  }
  return total;
}
