import type { Queryable } from '../database/database.ts';
import { statement } from '../database/statement.ts';

/** Members of one shop that are told of at most, as in the list of members. */
const MEMBERS_MAX = 1_000;

/** What is known of how and when a member signs in. Of one who is deactivated it is no business of the shop any more. */
export interface MemberPresence {
  readonly accountId: string;
  /** When a session that is still kept was last used, or a passkey; null: not known. */
  readonly lastSeenAt: Date | null;
  readonly passkeys: number;
}

/** How and when the active members of a shop sign in, by account; at most 1,000. */
export async function readMemberPresence(
  db: Queryable,
  shopId: string,
): Promise<ReadonlyMap<string, MemberPresence>> {
  const rows = await db.query(selectMemberPresence, [shopId, MEMBERS_MAX]);
  return new Map(rows.map((row) => [row.accountId, row]));
}

export const selectMemberPresence = statement<MemberPresence>(
  'select_member_presence',
  `select m.account_id as "accountId",
          greatest(
            (select max(s.last_seen_at) from session s where s.account_id = m.account_id),
            (select max(p.last_used_at) from passkey p where p.account_id = m.account_id)
          ) as "lastSeenAt",
          (select count(*) from passkey p where p.account_id = m.account_id)::int as passkeys
     from member m
    where m.shop_id = $1 and m.is_active
    order by m.account_id
    limit $2`,
);
