import { isApprovedIn, IS_APPROVED } from '../approvals/approval-in-force.ts';
import type { Queryable } from '../database/database.ts';
import { statement } from '../database/statement.ts';

/** `webhook`: deliveries fail. `approval`: no approval gives the app access any longer. */
export type HealthProblem = 'webhook' | 'approval';

/** A mail that is due, claimed by this process until `leasedUntil`. */
export interface HealthNotice {
  readonly shopId: string;
  readonly connectionId: string;
  readonly problem: HealthProblem;
  readonly isOver: boolean;
  readonly appName: string;
  readonly contactEmail: string | null;
  readonly leasedUntil: Date;
}

/** No mail is sent about a problem that ends sooner than this. */
const TOLD_AFTER_MS = 3_600_000;
/** How often one of the processes looks for problems. */
const WATCH_EVERY_MS = 300_000;
/** Longer than sending all mails usually takes. After this time another process tries again. */
const LEASE_MS = 600_000;
const SHOPS_PER_BATCH = 100;
const CONNECTIONS_PER_SHOP_MAX = 1_000;
const BEFORE_ALL_SHOPS = '00000000-0000-0000-0000-000000000000';

/** Returns true to only one process in each `WATCH_EVERY_MS`. */
export async function claimHealthWatch(db: Queryable, now: Date): Promise<boolean> {
  const nextAt = new Date(now.getTime() + WATCH_EVERY_MS);
  return (await db.count(upsertHealthWatch, [nextAt, now])) > 0;
}

/** Yields the shops that have a problem, or had a problem that may have ended. */
export async function* listShopsToCheck(db: Queryable, now: Date): AsyncGenerator<string> {
  let after = BEFORE_ALL_SHOPS;
  const failingBefore = new Date(now.getTime() - TOLD_AFTER_MS);
  for (;;) {
    const values = [after, now, failingBefore, SHOPS_PER_BATCH];
    const shops = await db.query(selectShopsToCheck, values);
    for (const { shopId } of shops) yield shopId;
    const last = shops.at(-1);
    if (last === undefined || shops.length < SHOPS_PER_BATCH) return;
    after = last.shopId;
  }
}

/** Records the problems in a shop, and claims the mails that are due. */
export async function claimHealthNotices(
  db: Queryable,
  shopId: string,
  now: Date,
): Promise<readonly HealthNotice[]> {
  const claimed: HealthNotice[] = [];
  const rows = await db.query(selectConnectionHealth, [shopId, now, CONNECTIONS_PER_SHOP_MAX]);
  for (const row of rows) {
    for (const problem of ['webhook', 'approval'] as const) {
      const isDue = await recordHealth(db, shopId, row, problem, now);
      if (isDue === null) continue;
      const { connectionId, appName, contactEmail } = row;
      const leasedUntil = new Date(now.getTime() + LEASE_MS);
      const key = [shopId, connectionId, problem];
      const values = [...key, leasedUntil, now, isDue.isOver];
      if ((await db.count(leaseHealthNotice, values)) === 0) continue;
      const { isOver } = isDue;
      claimed.push({ shopId, connectionId, problem, isOver, appName, contactEmail, leasedUntil });
    }
  }
  return claimed;
}

export async function finishHealthNotice(
  db: Queryable,
  { shopId, connectionId, problem, isOver, leasedUntil }: HealthNotice,
  now: Date,
): Promise<void> {
  const key = [shopId, connectionId, problem];
  if (isOver) await db.query(deleteHealthNotice, key);
  else await db.query(updateHealthNoticeSent, [...key, now, leasedUntil]);
}

/** Records the state of one problem. Returns the mail that is due, or null. */
async function recordHealth(
  db: Queryable,
  shopId: string,
  row: ConnectionHealthRow,
  problem: HealthProblem,
  now: Date,
): Promise<{ readonly isOver: boolean } | null> {
  const key = [shopId, row.connectionId, problem];
  const state = stateOf(row, problem);
  const since = problem === 'webhook' ? row.webhookSince : row.approvalSince;
  const toldAt = problem === 'webhook' ? row.webhookToldAt : row.approvalToldAt;
  if (since === null) {
    if (state !== 'broken') return null;
    const begun = problem === 'webhook' ? (row.failingSince ?? now) : now;
    await db.query(insertHealthNotice, [...key, begun]);
    return isOld(begun, now) ? { isOver: false } : null;
  }
  if (state === 'broken') return toldAt === null && isOld(since, now) ? { isOver: false } : null;
  if (toldAt !== null && state === 'works') return { isOver: true };
  await db.query(deleteHealthNotice, key);
  return null;
}

function isOld(since: Date, now: Date): boolean {
  return now.getTime() - since.getTime() >= TOLD_AFTER_MS;
}

/** `unwatched`: the shop or the app intended this state, or the connection has ended. */
function stateOf(
  { isWatched, hasWebhook, failingSince, isApproved, isLasting }: ConnectionHealthRow,
  problem: HealthProblem,
): 'broken' | 'works' | 'unwatched' {
  if (!isWatched) return 'unwatched';
  if (problem === 'approval') {
    if (isApproved) return 'works';
    return isLasting ? 'broken' : 'unwatched';
  }
  if (!hasWebhook) return 'unwatched';
  return failingSince === null ? 'works' : 'broken';
}

interface ConnectionHealthRow {
  readonly connectionId: string;
  readonly appName: string;
  readonly contactEmail: string | null;
  readonly isWatched: boolean;
  readonly hasWebhook: boolean;
  readonly failingSince: Date | null;
  readonly isApproved: boolean;
  /** False if no approval has `offline_access`: approvals then end with their access tokens. */
  readonly isLasting: boolean;
  readonly webhookSince: Date | null;
  readonly webhookToldAt: Date | null;
  readonly approvalSince: Date | null;
  readonly approvalToldAt: Date | null;
}

const isLastingIn = (shop: '$1' | 'a.shop_id'): string => `exists (
            select from approval l
             where l.shop_id = ${shop} and l.client_id = a.client_id
               and 'offline_access' = any(l.scopes))`;

export const upsertHealthWatch = statement(
  'upsert_health_watch',
  `insert into health_watch as w (slot, next_at) values ('current', $1)
   on conflict (slot) do update set next_at = $1 where w.next_at <= $2`,
);

// One process runs this over all shops every five minutes. On Citus the tables are colocated, so
// each node finds its own shops.
export const selectShopsToCheck = statement<{ readonly shopId: string }>(
  'select_shops_to_check',
  `select shop_id as "shopId" from (
     select w.shop_id from webhook w
      where w.failures > 0 and w.removed_at is null and w.failing_since <= $3
     union
     select n.shop_id from health_notice n
     union
     select a.shop_id from connection c
       join app a on a.shop_id = c.shop_id and a.client_id = c.client_id
      where c.status = 'active' and a.is_enabled and ${isLastingIn('a.shop_id')}
        and not ${isApprovedIn('a.shop_id')}) found
    where shop_id > $1
    order by shop_id limit $4`,
);

export const selectConnectionHealth = statement<ConnectionHealthRow>(
  'select_connection_health',
  `select c.connection_id as "connectionId", a.name as "appName", a.contact_email as "contactEmail",
          c.status = 'active' and a.is_enabled as "isWatched",
          w.connection_id is not null and w.removed_at is null as "hasWebhook",
          case when w.removed_at is null then w.failing_since end as "failingSince",
          ${IS_APPROVED} as "isApproved", ${isLastingIn('$1')} as "isLasting",
          hook.since as "webhookSince", hook.told_at as "webhookToldAt",
          granted.since as "approvalSince", granted.told_at as "approvalToldAt"
     from connection c
     join app a on a.shop_id = $1 and a.client_id = c.client_id
     left join webhook w on w.shop_id = $1 and w.connection_id = c.connection_id
     left join health_notice hook on hook.shop_id = $1 and hook.connection_id = c.connection_id
       and hook.problem = 'webhook'
     left join health_notice granted on granted.shop_id = $1
       and granted.connection_id = c.connection_id and granted.problem = 'approval'
    where c.shop_id = $1
      and (c.status = 'active' or hook.since is not null or granted.since is not null)
    order by c.connection_id limit $3`,
);

export const insertHealthNotice = statement(
  'insert_health_notice',
  `insert into health_notice (shop_id, connection_id, problem, since) values ($1, $2, $3, $4)
   on conflict (shop_id, connection_id, problem) do nothing`,
);

export const leaseHealthNotice = statement(
  'lease_health_notice',
  `update health_notice set leased_until = $4
    where shop_id = $1 and connection_id = $2 and problem = $3
      and (leased_until is null or leased_until <= $5) and (told_at is not null) = $6`,
);

export const updateHealthNoticeSent = statement(
  'update_health_notice_told',
  `update health_notice set told_at = $4, leased_until = null
    where shop_id = $1 and connection_id = $2 and problem = $3 and leased_until = $5`,
);

export const deleteHealthNotice = statement(
  'delete_health_notice',
  `delete from health_notice where shop_id = $1 and connection_id = $2 and problem = $3`,
);
