import type { Queryable } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import { isMemberElsewhere } from '../shops/change-member.ts';
import { countSessions } from '../shops/session-list.ts';

/** Connections that are named; a shop has tens of apps. */
const CONNECTIONS_NAMED_MAX = 500;

/** What the deactivation of a member ends, for whoever is about to do it. */
export interface Consequences {
  /** Apps whose connection the member posted last: their calls are forbidden (403) until another member approves. */
  readonly connections: readonly {
    readonly id: string;
    readonly clientId: string;
    readonly appName: string;
  }[];
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
  const connections = await db.query(selectConnectionsPostedBy, [
    shopId,
    accountId,
    CONNECTIONS_NAMED_MAX,
  ]);
  const sessions = await countSessions(db, accountId, now);
  const isElsewhere = await isMemberElsewhere(db, shopId, accountId);
  return { connections, sessions, isElsewhere };
}

export const selectConnectionsPostedBy = statement<Consequences['connections'][number]>(
  'select_connections_posted_by',
  `select c.connection_id as id, c.client_id as "clientId", a.name as "appName"
     from connection c join app a on a.shop_id = c.shop_id and a.client_id = c.client_id
    where c.shop_id = $1 and c.account_id = $2 and c.status = 'active'
    order by a.name, c.client_id
    limit $3`,
);
