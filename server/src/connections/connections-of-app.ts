import type { Queryable } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import type { ConnectionEnd } from './connection.ts';

export interface ConnectionOfApp {
  readonly id: string;
  readonly status: 'active' | 'revoked';
  /** The member on whose behalf the app last sent POST /connection. */
  readonly user: { readonly id: string; readonly name: string };
  readonly connectedAt: Date;
  readonly endedAt: Date | null;
  readonly endReason: ConnectionEnd | null;
}

export interface ConnectionsOfAppPage {
  /** The id of the last connection on the previous page, or null to start with the newest. */
  readonly before: string | null;
  readonly limit: number;
}

interface Row extends Omit<ConnectionOfApp, 'user'> {
  readonly userId: string;
  readonly userName: string;
}

export const selectConnectionsOfApp = statement<Row>(
  'select_connections_of_app',
  `select c.connection_id as id, c.status, c.account_id as "userId", u.name as "userName",
          c.connected_at as "connectedAt", c.ended_at as "endedAt", c.end_reason as "endReason"
     from connection c
     join account u on u.account_id = c.account_id
    where c.shop_id = $1 and c.client_id = $2
      and ($3::uuid is null or (c.connected_at, c.connection_id) < (
        select b.connected_at, b.connection_id from connection b
         where b.shop_id = $1 and b.connection_id = $3))
    order by c.connected_at desc, c.connection_id desc limit $4`,
);

export async function listConnectionsOfApp(
  db: Queryable,
  shopId: string,
  clientId: string,
  { before, limit }: ConnectionsOfAppPage,
): Promise<ConnectionOfApp[]> {
  const rows = await db.query(selectConnectionsOfApp, [shopId, clientId, before, limit]);
  return rows.map(({ userId, userName, ...row }) => ({
    ...row,
    user: { id: userId, name: userName },
  }));
}
