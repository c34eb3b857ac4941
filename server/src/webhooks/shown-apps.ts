import type { Queryable } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import { IS_APPROVED } from '../grants/approval-in-force.ts';

/** An app in its shop's list, with how it does. */
export interface ShownApp {
  readonly clientId: string;
  readonly name: string;
  readonly isEnabled: boolean;
  /** Null while it is not connected. */
  readonly connection: AppHealth | null;
  /** True when a connection of it has ended. */
  readonly wasConnected: boolean;
}

/** How a connected app does. */
export interface AppHealth {
  readonly connectionId: string;
  readonly connectedAt: Date;
  /** False when no approval opens anything to it any more. */
  readonly isApproved: boolean;
  /** Changes of the shop's feed that it has not read. */
  readonly lagChanges: number;
  readonly lastReadAt: Date | null;
  readonly hasWebhook: boolean;
  /** Null while its webhook does not fail. */
  readonly failingSince: Date | null;
}

/** A page of a shop's apps, by name. */
export interface ShownAppPage {
  /** Part of the name, in any case and width; null: all. */
  readonly name: string | null;
  /** The client id of the app behind which the page begins; null: from the first. */
  readonly after: string | null;
  readonly limit: number;
}

interface ShownAppRow {
  readonly clientId: string;
  readonly name: string;
  readonly isEnabled: boolean;
  readonly wasConnected: boolean;
  readonly connectionId: string | null;
  readonly connectedAt: Date | null;
  readonly isApproved: boolean;
  readonly lagChanges: number;
  readonly lastReadAt: Date | null;
  readonly hasWebhook: boolean;
  readonly failingSince: Date | null;
}

// The page is cut before anything is looked up for it. Names are few enough to be sorted: a shop has some hundreds.
export const readShownApps = statement<ShownAppRow>(
  'read_shown_apps',
  `with page as materialized (
     select a.shop_id, a.client_id, a.name, a.scopes, a.is_enabled, lower(normalize(a.name, nfkc)) collate "C" as folded
       from app a
      where a.shop_id = $1 and a.removed_at is null
        and ($3::text is null or strpos(lower(normalize(a.name, nfkc)), lower(normalize($3::text, nfkc))) > 0)
        and ($4::text is null or (lower(normalize(a.name, nfkc)) collate "C", a.client_id) > (
          select lower(normalize(b.name, nfkc)) collate "C", b.client_id
            from app b where b.shop_id = $1 and b.client_id = $4))
      order by folded, a.client_id limit $5
   )
   select a.client_id as "clientId", a.name, a.is_enabled as "isEnabled",
          exists (
            select from connection ended
             where ended.shop_id = a.shop_id and ended.client_id = a.client_id
               and ended.status <> 'active') as "wasConnected",
          c.connection_id as "connectionId", c.connected_at as "connectedAt",
          c.connection_id is not null and ${IS_APPROVED} as "isApproved",
          case when r.epoch = head.epoch and r.seq <= head.seq then head.seq - r.seq
            else coalesce(head.seq, 0) end as "lagChanges",
          r.read_at as "lastReadAt", w.connection_id is not null as "hasWebhook",
          w.failing_since as "failingSince"
     from page a
     left join connection c
       on c.shop_id = a.shop_id and c.client_id = a.client_id and c.status = 'active'
     left join feed_head head on head.shop_id = c.shop_id
     left join feed_read r on r.shop_id = c.shop_id and r.connection_id = c.connection_id
     left join webhook w
       on w.shop_id = c.shop_id and w.connection_id = c.connection_id and w.removed_at is null
    order by a.folded, a.client_id`,
);

/** Apps of a shop by name, without those that were removed, with the health of their connections. */
export async function listShownApps(
  db: Queryable,
  shopId: string,
  { name, after, limit }: ShownAppPage,
  now: Date,
): Promise<ShownApp[]> {
  const rows = await db.query(readShownApps, [shopId, now, name, after, limit]);
  return rows.map((row) => toShownApp(row));
}

function toShownApp(row: ShownAppRow): ShownApp {
  const { clientId, name, isEnabled, wasConnected, connectionId, connectedAt } = row;
  const app = { clientId, name, isEnabled, wasConnected };
  if (connectionId === null || connectedAt === null) return { ...app, connection: null };
  const { isApproved, lagChanges, lastReadAt, hasWebhook, failingSince } = row;
  const health = { isApproved, lagChanges, lastReadAt, hasWebhook, failingSince };
  return { ...app, connection: { connectionId, connectedAt, ...health } };
}
