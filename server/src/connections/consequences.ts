import type { Queryable } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import { isMemberElsewhere } from '../shops/member.ts';
import { countSessions } from '../shops/session-list.ts';

/** Apps that are named; a shop has tens of them. */
const APPS_NAMED_MAX = 500;
/** Keys that are named; a shop has a few. */
const KEYS_NAMED_MAX = 100;

/** A connected app that works, or worked, by an approval of the member. */
export interface AppOfMember {
  readonly clientId: string;
  readonly name: string;
  /** Another active member who has approved it too: it goes on with the tokens of that approval. Null: nobody. */
  readonly otherApprover: string | null;
}

/** A Shop API key that the member has made. */
export interface KeyOfMember {
  readonly id: string;
  readonly name: string;
}

/** What the deactivation of a member ends, for whoever is about to do it. */
export interface Consequences {
  /** Apps that hold tokens of the member's approvals: calls with them are forbidden (403). By name. */
  readonly apps: readonly AppOfMember[];
  /** Shop API keys that the member has made and may have kept: they go on. Newest first; of two years. */
  readonly keys: readonly KeyOfMember[];
  /** Open sessions of the account: they end, unless it is `isElsewhere`. */
  readonly sessions: number;
  /** True when it is an active member of another shop: its sessions stay, but reach nothing of this one. */
  readonly isElsewhere: boolean;
}

/** Tells what the deactivation of a member ends. Changes nothing. */
export async function consequencesOf(
  db: Queryable,
  shopId: string,
  accountId: string,
  now: Date,
): Promise<Consequences> {
  const apps = await db.query(selectAppsOfApprover, [shopId, accountId, now, APPS_NAMED_MAX]);
  const keys = await db.query(selectKeysOfMaker, [shopId, accountId, KEYS_NAMED_MAX]);
  const sessions = await countSessions(db, accountId, now);
  const isElsewhere = await isMemberElsewhere(db, shopId, accountId);
  return { apps, keys, sessions, isElsewhere };
}

// A call's permission is that of its token's approver, whoever has posted the connection last. What makes an approval live
// is said in `select_live_approval`.
export const selectAppsOfApprover = statement<AppOfMember>(
  'select_apps_of_approver',
  `with live as (
     select p.client_id, p.account_id
       from approval p
      where p.shop_id = $1 and p.ended_at is null
        and exists (
          select from oauth_artifact t
           where t.grant_hash = p.grant_hash
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

// Who has made a key stands in the audit alone, under the key's id.
export const selectKeysOfMaker = statement<KeyOfMember>(
  'select_keys_of_maker',
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
