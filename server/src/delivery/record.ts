import type { Transaction } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import type { AttemptResult } from '../webhooks/attempt.ts';
import type { ClaimedNotice, ClaimTarget } from './claim.ts';
import { columnOf } from './column.ts';
import { type DeliveredAttempt, recordDelivered } from './record-delivered.ts';
import { removeWebhook } from '../webhooks/registration.ts';
import {
  type AfterAttempt,
  afterDelivery,
  keepAsIs,
  settleAttempt,
  type WebhookProgress,
} from './schedule.ts';

/** An attempt and what it came to. */
export interface EndedAttempt {
  readonly notice: ClaimedNotice;
  readonly result: AttemptResult;
  readonly endedAt: Date;
}

/** What became of a webhook. */
export interface SettledAttempt {
  readonly after: AfterAttempt;
  /** How long it is until its next notice is due, the pace at least, in milliseconds; null when nothing waits to be told. */
  readonly waitMs: number | null;
}

/** What became of a batch. */
export interface RecordedAttempts {
  /** By connection; an attempt whose lease was lost is not among them. */
  readonly settled: ReadonlyMap<string, SettledAttempt>;
  /** Connections whose rows are locked: their results may be recorded later. */
  readonly locked: ReadonlySet<string>;
}

/** What results are recorded with. */
export interface RecordTerms {
  /** From 0 to 1, for the jitter of retries. */
  readonly random: () => number;
  /** From the end of an attempt to the begin of the next of its connection, by the database's clock. */
  readonly paceMs: number;
}

/** An attempt that takes so long takes the slots of others. */
export const SLOW_MS = 2_000;
/**
 * How long a webhook counts as slow after an attempt that was. Until its next attempt only, and one that hangs every
 * other time would have the slots of the fast; much longer, and a receiver that once paused would pay for it all day.
 */
const SLOW_FOR_MS = 600_000;

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

// A lease that has expired and was claimed by another worker is not found: its result comes too late. A locked row is not
// waited for: it would hold up the results of all others. What brought this attempt forward is over with it.
export const lockLeased = statement<LeasedRow>(
  'lock_leased_webhooks',
  `select w.lease_id as "leaseId", w.registration_id as "registrationId",
          w.removed_at is not null as "isRemoved", w.event_id is not null as "hasEvent",
          w.acknowledged_epoch as "acknowledgedEpoch", w.acknowledged_seq as "acknowledgedSeq",
          w.failures, w.failing_since as "failingSince", w.next_attempt_at as "nextAttemptAt",
          w.not_before as "notBefore",
          case when not w.is_early or w.early_at > w.last_attempt_at then w.early_at end as "earlyAt",
          coalesce(h.epoch, 1) as "headEpoch", coalesce(h.seq, 0) as "headSeq"
     from unnest($1::uuid[], $2::uuid[], $3::uuid[]) as held (shop_id, connection_id, lease_id)
     join webhook w on w.shop_id = held.shop_id and w.connection_id = held.connection_id
      and w.lease_id = held.lease_id
     left join feed_head h on h.shop_id = w.shop_id
    order by w.shop_id, w.connection_id
      for no key update of w skip locked`,
);

// Asked without a lock: a row that is found here and was not above is locked by another transaction.
export const findLeased = statement<{ readonly leaseId: string }>(
  'find_leased_webhooks',
  `select w.lease_id as "leaseId"
     from unnest($1::uuid[], $2::uuid[], $3::uuid[]) as held (shop_id, connection_id, lease_id)
     join webhook w on w.shop_id = held.shop_id and w.connection_id = held.connection_id
      and w.lease_id = held.lease_id`,
);

// The pace begins: all that is due waits for its end, early attempts too. A row that does not fail keeps what
// `webhook_retry` names as it is.
export const settleWebhooks = statement(
  'settle_webhooks',
  `update webhook w
      set lease_id = null, leased_until = null,
          paced_until = clock_timestamp() + $2::int * interval '1 millisecond',
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
          slow_until = greatest(w.slow_until, s."slowUntil")
     from jsonb_to_recordset($1::jsonb) as s ("shopId" uuid, "connectionId" uuid, "leaseId" uuid,
            acknowledged jsonb, "isEventKept" bool, failures int, "failingSince" timestamptz,
            "nextAttemptAt" timestamptz, "notBefore" timestamptz, "earlyAt" timestamptz,
            "endedAt" timestamptz, "slowUntil" timestamptz)
    where w.shop_id = s."shopId" and w.connection_id = s."connectionId" and w.lease_id = s."leaseId"`,
);

// Also where another worker holds the lease by now: what the receiver saw is what the log says.
export const recordResults = statement(
  'record_attempt_results',
  `update webhook_attempt t set status = r.status, error = r.error, latency_ms = r."latencyMs"
     from jsonb_to_recordset($1::jsonb) as r ("shopId" uuid, "connectionId" uuid, number bigint,
            status int, error text, "latencyMs" int)
    where t.shop_id = r."shopId" and t.connection_id = r."connectionId" and t.number = r.number`,
);

/**
 * Records what attempts came to, ends their leases and begins the pace. A result of a registration that was replaced
 * meanwhile does that alone. A locked row is left as it is, its row of the log too.
 */
export async function recordAttempts(
  tx: Transaction,
  attempts: readonly EndedAttempt[],
  terms: RecordTerms,
): Promise<RecordedAttempts> {
  const delivered = attempts.filter(isDelivered);
  const settled = new Map<string, SettledAttempt>();
  if (delivered.length > 0) {
    const { paceMs } = terms;
    const times = { paceMs, slowMs: SLOW_MS, slowForMs: SLOW_FOR_MS };
    const behind = await recordDelivered(tx, delivered, times);
    for (const { notice } of delivered) {
      const isBehind = behind.get(notice.leaseId);
      if (isBehind === undefined) continue;
      const after = afterDelivery({ epoch: notice.coversEpoch, seq: notice.coversSeq });
      settled.set(notice.connectionId, { after, waitMs: isBehind ? paceMs : null });
    }
  }
  const others = attempts.filter(({ notice }) => !settled.has(notice.connectionId));
  if (others.length === 0) return { settled, locked: new Set() };
  return { settled, locked: await recordOthers(tx, others, terms, settled) };
}

function isDelivered(attempt: EndedAttempt): attempt is DeliveredAttempt {
  return attempt.result.kind === 'delivered';
}

/** Records what depends on what the row says. Adds what became of it to `settled`; returns the connections whose rows are locked. */
async function recordOthers(
  tx: Transaction,
  attempts: readonly EndedAttempt[],
  terms: RecordTerms,
  settled: Map<string, SettledAttempt>,
): Promise<ReadonlySet<string>> {
  const rows = new Map<string, LeasedRow>();
  const keys = keysOf(attempts);
  for (const row of await tx.query(lockLeased, [...keys])) rows.set(row.leaseId, row);
  const locked = await findLocked(tx, attempts, rows);
  const kept: object[] = [];
  const removed: EndedWebhook[] = [];
  for (const attempt of attempts) {
    const { endedAt, notice } = attempt;
    const { shopId, connectionId, leaseId } = notice;
    const row = rows.get(leaseId);
    if (row === undefined) continue;
    const progress = progressOf(attempt, row);
    const after = settle(attempt, row, progress, terms.random);
    settled.set(connectionId, { after, waitMs: waitMsOf(after, row, attempt, terms) });
    const state = after.kind === 'removed' ? keepAsIs(progress) : after;
    const slowUntil = slowUntilOf(attempt);
    kept.push({ ...state, shopId, connectionId, leaseId, endedAt, slowUntil });
    if (after.kind === 'removed') removed.push({ shopId, connectionId, endedAt, after });
  }
  if (kept.length > 0) await tx.query(settleWebhooks, [JSON.stringify(kept), terms.paceMs]);
  for (const { shopId, connectionId, endedAt, after } of removed) {
    await removeWebhook(tx, shopId, connectionId, after.reason, endedAt);
  }
  const ended = attempts.filter(({ notice }) => !locked.has(notice.connectionId));
  const results = ended.map(({ notice: { shopId, connectionId, number }, result }) => {
    const { status, latencyMs } = result;
    const error = result.kind === 'failed' ? result.error : null;
    return { shopId, connectionId, number, status, error, latencyMs };
  });
  if (results.length > 0) await tx.query(recordResults, [JSON.stringify(results)]);
  return locked;
}

async function findLocked(
  tx: Transaction,
  attempts: readonly EndedAttempt[],
  rows: ReadonlyMap<string, LeasedRow>,
): Promise<ReadonlySet<string>> {
  const missed = attempts.filter(({ notice }) => !rows.has(notice.leaseId));
  if (missed.length === 0) return new Set();
  const held = new Set<string>();
  for (const { leaseId } of await tx.query(findLeased, [...keysOf(missed)])) held.add(leaseId);
  const locked = missed.filter(({ notice }) => held.has(notice.leaseId));
  return new Set(locked.map(({ notice }) => notice.connectionId));
}

interface EndedWebhook extends ClaimTarget {
  readonly endedAt: Date;
  readonly after: Extract<AfterAttempt, { kind: 'removed' }>;
}

function settle(
  { notice, result, endedAt }: EndedAttempt,
  row: LeasedRow,
  progress: WebhookProgress,
  random: () => number,
): AfterAttempt {
  const isOver = row.isRemoved || row.registrationId !== notice.registrationId;
  return isOver ? keepAsIs(progress) : settleAttempt(progress, notice, result, endedAt, random);
}

/** Null leaves what the row says: the attempt was fast, or was broken off and says nothing. */
function slowUntilOf({ result, endedAt }: EndedAttempt): Date | null {
  const isBrokenOff = result.kind === 'failed' && result.error === 'interrupted';
  if (isBrokenOff || result.latencyMs < SLOW_MS) return null;
  return new Date(endedAt.getTime() + SLOW_FOR_MS);
}

function progressOf({ notice }: EndedAttempt, row: LeasedRow): WebhookProgress {
  return {
    acknowledged: { epoch: row.acknowledgedEpoch, seq: row.acknowledgedSeq },
    covers: { epoch: notice.coversEpoch, seq: notice.coversSeq },
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
  { paceMs }: RecordTerms,
): number | null {
  if (after.kind === 'removed' || row.isRemoved) return null;
  const { epoch, seq } = after.acknowledged;
  const isBehind = row.headEpoch !== epoch || row.headSeq > seq;
  if (!isBehind && !(after.isEventKept && row.hasEvent)) return null;
  const nextMs = (after.nextAttemptAt ?? endedAt).getTime();
  const dueMs = Math.min(nextMs, after.earlyAt?.getTime() ?? nextMs);
  return Math.max(paceMs, dueMs - endedAt.getTime());
}

/** Shops, connections and leases, as three columns. */
function keysOf(attempts: readonly EndedAttempt[]): readonly string[] {
  return [
    columnOf(attempts.map(({ notice }) => notice.shopId)),
    columnOf(attempts.map(({ notice }) => notice.connectionId)),
    columnOf(attempts.map(({ notice }) => notice.leaseId)),
  ];
}
