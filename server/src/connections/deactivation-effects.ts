import type { Queryable } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import { isActiveElsewhere } from '../shops/member.ts';
import { countSessions } from '../shops/session-list.ts';

/** The maximum number of listed apps. A shop has tens of apps. */
const APPS_NAMED_MAX = 500;
/** The maximum number of listed keys. A shop has a few keys. */
const KEYS_NAMED_MAX = 100;

/** A connected app that uses, or used, an approval of the member. */
export interface AppOfMember {
  readonly clientId: string;
  readonly name: string;
  /**
   * The name of another active member whose approval keeps the app working. Null if there is none.
   */
  readonly otherApprover: string | null;
}

export interface KeyOfMember {
  readonly id: string;
  readonly name: string;
}

/** The effects of deactivating a member, shown before the deactivation. */
export interface DeactivationEffects {
  /** The apps, sorted by name. Their calls with tokens from the member's approvals will get 403. */
  readonly apps: readonly AppOfMember[];
  /** Keys that the member created in the last two years, newest first. They remain valid. */
  readonly keys: readonly KeyOfMember[];
  /** The number of the member's sessions. They end unless `isElsewhere` is true. */
  readonly sessions: number;
  /**
   * True if the person is also an active member of another shop. The sessions then remain, but lose
   * access to this shop.
   */
  readonly isElsewhere: boolean;
}

export async function readDeactivationEffects(
  db: Queryable,
  shopId: string,
  accountId: string,
  now: Date,
): Promise<DeactivationEffects> {
  const apps = await db.query(selectAppsOfApprover, [shopId, accountId, now, APPS_NAMED_MAX]);
  const keys = await db.query(selectKeysOfCreator, [shopId, accountId, KEYS_NAMED_MAX]);
  const sessions = await countSessions(db, accountId, now);
  const isElsewhere = await isActiveElsewhere(db, shopId, accountId);
  return { apps, keys, sessions, isElsewhere };
}

// A call has the permissions of the member who approved its token (spec 5.5), not of the
// connection's `user`. `select_live_approval` defines which approvals are live.
export const selectAppsOfApprover = statement<AppOfMember>(
  'select_apps_of_approver',
  `with live as (
     select p.client_id, p.account_id
       from approval p
      where p.shop_id = $1 and p.ended_at is null
        and exists (
          select from oauth_artifact t
           where t.shop_id = $1 and t.grant_hash = p.grant_hash
             and t.model in ('AuthorizationCode', 'RefreshToken', 'AccessToken')
             and t.consumed_at is null and t.expires_at > $3))
   select c.client_id as "clientId", a.name,
          (select min(whose.name)
             from live l
             join member m on m.shop_id = $1 and m.account_id = l.account_id and m.is_active
             join account whose on whose.account_id = m.account_id
            where l.client_id = c.client_id and l.account_id <> $2) as "otherApprover"
     from connection c
     join app a on a.shop_id = c.shop_id and a.client_id = c.client_id
    where c.shop_id = $1 and c.status = 'active'
      and exists (select from live l where l.client_id = c.client_id and l.account_id = $2)
    order by a.name, c.client_id
    limit $4`,
);

// Only the audit log says who created a key.
export const selectKeysOfCreator = statement<KeyOfMember>(
  'select_keys_of_creator',
  `select k.key_id as id, k.name
     from shop_key k
    where k.shop_id = $1
      and exists (
        select from audit_event e
         where e.shop_id = $1 and e.actor_id = $2::uuid::text and e.action = 'shop_key.created'
           and e.subject_id = k.key_id::text)
    order by k.created_at desc, k.key_id
    limit $3`,
);
