import type { Queryable } from '../database/database.ts';
import { statement } from '../database/statement.ts';

/** The maximum number of summarized members, which is the same as in the list of members. */
const MEMBERS_MAX = 1_000;

/** The sign-ins of an active member. Shops cannot see this for deactivated members. */
export interface SignInSummary {
  readonly accountId: string;
  /** The last use of a stored session or of a passkey, or null if unknown. */
  readonly lastSeenAt: Date | null;
  readonly passkeys: number;
}

export async function readSignInSummaries(
  db: Queryable,
  shopId: string,
): Promise<ReadonlyMap<string, SignInSummary>> {
  const members = await db.query(selectActiveMembers, [shopId, MEMBERS_MAX]);
  const rows = await db.query(selectSignInSummaries, [members.map(({ accountId }) => accountId)]);
  return new Map(rows.map((row) => [row.accountId, row]));
}

export const selectActiveMembers = statement<{ readonly accountId: string }>(
  'select_active_members',
  `select account_id as "accountId" from member
    where shop_id = $1 and is_active order by account_id limit $2`,
);

// Sessions and passkeys belong to no shop, so Citus cannot join them with the members of a shop.
export const selectSignInSummaries = statement<SignInSummary>(
  'select_sign_in_summaries',
  `select m.account_id as "accountId",
          greatest(
            (select max(s.last_seen_at) from session s where s.account_id = m.account_id),
            (select max(p.last_used_at) from passkey p where p.account_id = m.account_id)
          ) as "lastSeenAt",
          (select count(*) from passkey p where p.account_id = m.account_id)::int as passkeys
     from unnest($1::uuid[]) as m (account_id)`,
);
