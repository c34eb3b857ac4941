import type { Queryable, Transaction } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import type { AttemptResult } from '../webhooks/attempt.ts';
import type { ClaimedDelivery, ClaimTarget } from './claim.ts';
import { toArrayLiteral } from './array-literal.ts';
import type { WebhookSpeed } from './due-deliveries.ts';
import { logAttemptResults } from './log-attempt-results.ts';
import { groupByShop, type ShopOnCitus, type ShopGroup } from './group-by-shop.ts';
import { type DeliveredAttempt, recordDelivered } from './record-delivered.ts';
import { removeWebhook } from '../webhooks/registration.ts';
import {
  type AfterAttempt,
  afterDelivery,
  unchangedState,
  settleAttempt,
  type WebhookProgress,
} from './schedule.ts';

export interface EndedAttempt {
  readonly delivery: ClaimedDelivery;
  readonly result: AttemptResult;
  readonly endedAt: Date;
}

export interface SettledAttempt {
  readonly after: AfterAttempt;
  /** The wait for the next event, at least the minimum interval. Null if there is no next event. */
  readonly waitMs: number | null;
}

export interface RecordedAttempts {
  /** The attempts that still held their lease, by connection id. */
  readonly settled: ReadonlyMap<string, SettledAttempt>;
  /** Connections with a locked webhook row. Their results must be recorded later. */
  readonly locked: ReadonlySet<string>;
}

export interface RecordOptions {
  /** Returns a number from 0 to 1, for the jitter of retries. */
  readonly random: () => number;
  /** The minimum time from recording an attempt to the next one, by the database's clock. */
  readonly minIntervalMs: number;
}

/** An attempt that takes this long counts as slow, because other deliveries wait for its slot. */
export const SLOW_MS = 2_000;

interface LeasedRow extends Omit<WebhookProgress, 'acknowledged' | 'covers'> {
  readonly leaseId: string;
  readonly registrationId: string;
  readonly isRemoved: boolean;
  readonly hasEvent: boolean;
  readonly acknowledgedEpoch: number;
  readonly acknowledgedSeq: number;
  readonly headEpoch: number;
  readonly headSeq: number;
}

// Finds only rows whose lease is still held; after that, the result comes too late. Skips locked
// rows, because waiting for them would hold up all other results. For an early attempt, `early_at`
// is returned only if another early attempt was requested after it started. As in `claim.ts`,
// `shop` is a parameter on Citus.
const lockLeasedIn = (shop: string): string =>
  `select w.lease_id as "leaseId", w.registration_id as "registrationId",
          w.removed_at is not null as "isRemoved", w.event_id is not null as "hasEvent",
          w.acknowledged_epoch as "acknowledgedEpoch", w.acknowledged_seq as "acknowledgedSeq",
          w.failures, w.failing_since as "failingSince", w.next_attempt_at as "nextAttemptAt",
          w.not_before as "notBefore",
          case when not w.is_early or w.early_at > w.last_attempt_at then w.early_at end as "earlyAt",
          coalesce(h.epoch, 1) as "headEpoch", coalesce(h.seq, 0) as "headSeq"
     from unnest($1::uuid[], $2::uuid[], $3::uuid[]) as held (shop_id, connection_id, lease_id)
     join webhook w on w.shop_id = ${shop} and w.connection_id = held.connection_id
      and w.lease_id = held.lease_id
     left join feed_head h on h.shop_id = ${shop}
    order by w.shop_id, w.connection_id
      for no key update of w skip locked`;
export const lockLeasedWebhooks = statement<LeasedRow>(
  'lock_leased_webhooks',
  lockLeasedIn('held.shop_id'),
);
export const lockLeasedWebhooksOfShop = statement<LeasedRow>(
  'lock_leased_webhooks_of_shop',
  lockLeasedIn('$4::uuid'),
);

// Reads without a lock: a row that only this statement finds is locked by another transaction.
const findLeasedIn = (shop: string): string =>
  `select w.lease_id as "leaseId"
     from unnest($1::uuid[], $2::uuid[], $3::uuid[]) as held (shop_id, connection_id, lease_id)
     join webhook w on w.shop_id = ${shop} and w.connection_id = held.connection_id
      and w.lease_id = held.lease_id`;
export const findLeasedWebhooks = statement<{ readonly leaseId: string }>(
  'find_leased_webhooks',
  findLeasedIn('held.shop_id'),
);
export const findLeasedWebhooksOfShop = statement<{ readonly leaseId: string }>(
  'find_leased_webhooks_of_shop',
  findLeasedIn('$4::uuid'),
);

// `paced_until` delays the next attempt, early or not. A row that is not failing keeps its values
// in the columns of the index `webhook_retry`, so that the update does not write this index.
const settleIn = (shop: string, clock: string): string =>
  `update webhook w
      set lease_id = null, leased_until = null,
          paced_until = ${clock} + $2::int * interval '1 millisecond',
          last_attempt_at = greatest(w.last_attempt_at, s."endedAt"),
          acknowledged_epoch = (s.acknowledged->>'epoch')::bigint, acknowledged_seq = (s.acknowledged->>'seq')::bigint,
          event_id = case when s."isEventKept" then w.event_id end,
          covers_epoch = case when s."isEventKept" then w.covers_epoch end,
          covers_seq = case when s."isEventKept" then w.covers_seq end,
          occurred_at = case when s."isEventKept" then w.occurred_at end,
          attempt = case when s."isEventKept" then w.attempt else 0 end,
          failures = s.failures, failing_since = s."failingSince",
          next_attempt_at = s."nextAttemptAt", not_before = s."notBefore", early_at = s."earlyAt",
          is_early = false,
          speed = coalesce(s.speed, w.speed)
     from jsonb_to_recordset($1::jsonb) as s ("shopId" uuid, "connectionId" uuid, "leaseId" uuid,
            acknowledged jsonb, "isEventKept" bool, failures int, "failingSince" timestamptz,
            "nextAttemptAt" timestamptz, "notBefore" timestamptz, "earlyAt" timestamptz,
            "endedAt" timestamptz, speed text)
    where w.shop_id = ${shop} and w.connection_id = s."connectionId" and w.lease_id = s."leaseId"`;
export const settleWebhooks = statement(
  'settle_webhooks',
  settleIn('s."shopId"', 'clock_timestamp()'),
);
export const settleWebhooksOfShop = statement(
  'settle_webhooks_of_shop',
  settleIn('$3::uuid', '$4::timestamptz'),
);

/**
 * Records results, ends the leases and starts the minimum intervals. A result for a registration
 * that has since been replaced is logged, but leaves the webhook's schedule unchanged. A locked row
 * and its row in the attempt log stay unchanged.
 */
export async function recordAttempts(
  tx: Transaction,
  attempts: readonly EndedAttempt[],
  terms: RecordOptions,
): Promise<RecordedAttempts> {
  const settled = new Map<string, SettledAttempt>();
  const locked = new Set<string>();
  for (const group of await groupByShop(tx, attempts, ({ delivery }) => delivery.shopId)) {
    await recordSuccesses(tx, group, terms, settled);
    const items = group.items.filter(({ delivery }) => !settled.has(delivery.connectionId));
    if (items.length === 0) continue;
    const skipped = await recordOthers(tx, { shop: group.shop, items }, terms, settled);
    for (const connectionId of skipped) locked.add(connectionId);
  }
  return { settled, locked };
}

/**
 * Records the successful deliveries in one statement, except those whose row is locked or whose
 * lease was lost, and adds them to `settled`. Plain PostgreSQL needs no transaction for this.
 */
export async function recordSuccesses(
  db: Queryable,
  { shop, items }: ShopGroup<EndedAttempt>,
  { minIntervalMs }: RecordOptions,
  settled: Map<string, SettledAttempt>,
): Promise<void> {
  const delivered = items.filter(isDelivered);
  if (delivered.length === 0) return;
  const behind = await recordDelivered(db, delivered, { minIntervalMs, slowMs: SLOW_MS }, shop);
  for (const { delivery } of delivered) {
    const isBehind = behind.get(delivery.leaseId);
    if (isBehind === undefined) continue;
    const after = afterDelivery({ epoch: delivery.coversEpoch, seq: delivery.coversSeq });
    settled.set(delivery.connectionId, { after, waitMs: isBehind ? minIntervalMs : null });
  }
}

function isDelivered(attempt: EndedAttempt): attempt is DeliveredAttempt {
  return attempt.result.kind === 'delivered';
}

/** Records the results that depend on the row. Returns the connections whose row is locked. */
async function recordOthers(
  tx: Transaction,
  { shop, items: attempts }: ShopGroup<EndedAttempt>,
  terms: RecordOptions,
  settled: Map<string, SettledAttempt>,
): Promise<ReadonlySet<string>> {
  const rows = new Map<string, LeasedRow>();
  const keys = keysOf(attempts);
  const leased =
    shop === null
      ? await tx.query(lockLeasedWebhooks, keys)
      : await tx.query(lockLeasedWebhooksOfShop, [...keys, shop.shopId]);
  for (const row of leased) rows.set(row.leaseId, row);
  const locked = await findLocked(tx, attempts, rows, shop);
  const updates: object[] = [];
  const removed: EndedWebhook[] = [];
  for (const attempt of attempts) {
    const { endedAt, delivery } = attempt;
    const { shopId, connectionId, leaseId } = delivery;
    const row = rows.get(leaseId);
    if (row === undefined) continue;
    const progress = progressOf(attempt, row);
    const after = settle(attempt, row, progress, terms.random);
    settled.set(connectionId, { after, waitMs: waitMsOf(after, row, attempt, terms) });
    const state = after.kind === 'removed' ? unchangedState(progress) : after;
    const speed = speedOf(attempt);
    updates.push({ ...state, shopId, connectionId, leaseId, endedAt, speed });
    if (after.kind === 'removed') removed.push({ shopId, connectionId, endedAt, after });
  }
  if (updates.length > 0) {
    const values = [JSON.stringify(updates), terms.minIntervalMs];
    if (shop === null) await tx.query(settleWebhooks, values);
    else await tx.query(settleWebhooksOfShop, [...values, shop.shopId, shop.at]);
  }
  for (const { shopId, connectionId, endedAt, after } of removed) {
    await removeWebhook(tx, shopId, connectionId, after.reason, endedAt);
  }
  const ended = attempts.filter(({ delivery }) => !locked.has(delivery.connectionId));
  await logAttemptResults(tx, ended, shop);
  return locked;
}

async function findLocked(
  tx: Transaction,
  attempts: readonly EndedAttempt[],
  rows: ReadonlyMap<string, LeasedRow>,
  shop: ShopOnCitus | null,
): Promise<ReadonlySet<string>> {
  const missed = attempts.filter(({ delivery }) => !rows.has(delivery.leaseId));
  if (missed.length === 0) return new Set();
  const held = new Set<string>();
  const keys = keysOf(missed);
  const leased =
    shop === null
      ? await tx.query(findLeasedWebhooks, keys)
      : await tx.query(findLeasedWebhooksOfShop, [...keys, shop.shopId]);
  for (const { leaseId } of leased) held.add(leaseId);
  const locked = missed.filter(({ delivery }) => held.has(delivery.leaseId));
  return new Set(locked.map(({ delivery }) => delivery.connectionId));
}

interface EndedWebhook extends ClaimTarget {
  readonly endedAt: Date;
  readonly after: Extract<AfterAttempt, { kind: 'removed' }>;
}

function settle(
  { delivery, result, endedAt }: EndedAttempt,
  row: LeasedRow,
  progress: WebhookProgress,
  random: () => number,
): AfterAttempt {
  const isObsolete = row.isRemoved || row.registrationId !== delivery.registrationId;
  return isObsolete
    ? unchangedState(progress)
    : settleAttempt(progress, delivery, result, endedAt, random);
}

/** Null keeps the stored value. Only a response in time shows that a receiver no longer hangs. */
function speedOf({ result }: EndedAttempt): WebhookSpeed | null {
  if (result.kind === 'failed' && result.error === 'interrupted') return null;
  if (result.latencyMs >= SLOW_MS) return 'slow';
  return result.status === null ? null : 'fast';
}

function progressOf({ delivery }: EndedAttempt, row: LeasedRow): WebhookProgress {
  return {
    acknowledged: { epoch: row.acknowledgedEpoch, seq: row.acknowledgedSeq },
    covers: { epoch: delivery.coversEpoch, seq: delivery.coversSeq },
    failures: row.failures,
    failingSince: row.failingSince,
    nextAttemptAt: row.nextAttemptAt,
    notBefore: row.notBefore,
    earlyAt: row.earlyAt,
  };
}

function waitMsOf(
  after: AfterAttempt,
  row: LeasedRow,
  { endedAt }: EndedAttempt,
  { minIntervalMs }: RecordOptions,
): number | null {
  if (after.kind === 'removed' || row.isRemoved) return null;
  const { epoch, seq } = after.acknowledged;
  const isBehind = row.headEpoch !== epoch || row.headSeq > seq;
  if (!isBehind && !(after.isEventKept && row.hasEvent)) return null;
  const nextMs = (after.nextAttemptAt ?? endedAt).getTime();
  const dueMs = Math.min(nextMs, after.earlyAt?.getTime() ?? nextMs);
  return Math.max(minIntervalMs, dueMs - endedAt.getTime());
}

function keysOf(attempts: readonly EndedAttempt[]): readonly string[] {
  return [
    toArrayLiteral(attempts.map(({ delivery }) => delivery.shopId)),
    toArrayLiteral(attempts.map(({ delivery }) => delivery.connectionId)),
    toArrayLiteral(attempts.map(({ delivery }) => delivery.leaseId)),
  ];
}
