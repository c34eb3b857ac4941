import type { Transaction } from '../src/database/database.ts';
import { hashSecret, newSecret } from '../src/base/secrets.ts';
import { saveArtifact } from '../src/approvals/artifact.ts';

/** Ten years, so that the token stays valid in tests that advance their clock. */
const LIFETIME_MS = 10 * 365 * 24 * 3_600_000;

/** Adds a refresh token to a grant, only to keep the grant's approval valid. */
export async function saveLongLivedToken(
  tx: Transaction,
  { shopId, grantId }: { readonly shopId: string; readonly grantId: string },
  now: Date,
): Promise<void> {
  await saveArtifact(tx, shopId, {
    model: 'RefreshToken',
    hash: hashSecret(newSecret('cpr')),
    payload: {},
    grantHash: hashSecret(grantId),
    expiresAt: new Date(now.getTime() + LIFETIME_MS),
  });
}
