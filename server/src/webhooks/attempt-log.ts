import type { Queryable } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import type { AttemptError } from './attempt.ts';

/** One POST of an event, as shown to the shop. The bodies are not stored. */
export interface LoggedAttempt {
  /** The number within the connection. It continues when the webhook is registered again. */
  readonly number: number;
  readonly eventId: string;
  /** The number of the attempt within its event, the same as in `X-Service-Attempt`. */
  readonly attempt: number;
  readonly startedAt: Date;
  readonly result: 'in_progress' | 'delivered' | 'failed';
  /** Null when no response came. */
  readonly status: number | null;
  readonly error: AttemptError | null;
  /** Time to the headers, failure or abort; null while in progress or if the worker died. */
  readonly latencyMs: number | null;
}

export interface AttemptRow {
  readonly number: number;
  readonly eventId: string;
  readonly attempt: number;
  readonly startedAt: Date;
  readonly status: number | null;
  readonly error: AttemptError | null;
  readonly latencyMs: number | null;
  /** True while a worker may still be making the attempt. */
  readonly isLeased: boolean;
}

export interface AttemptPage {
  /** Only attempts with a lower number are listed. Null starts with the newest attempt. */
  readonly before: number | null;
  readonly limit: number;
}

// Only the newest attempt can be in progress. Leases are measured by the database's clock.
export const readAttempts = statement<AttemptRow>(
  'read_webhook_attempts',
  `select a.number, a.event_id as "eventId", a.attempt, a.started_at as "startedAt", a.status, a.error,
          a.latency_ms as "latencyMs",
          coalesce(w.leased_until > clock_timestamp() and w.attempts_made = a.number, false) as "isLeased"
     from webhook_attempt a
     left join webhook w on w.shop_id = a.shop_id and w.connection_id = a.connection_id
    where a.shop_id = $1 and a.connection_id = $2 and a.number < coalesce($3::bigint, 9223372036854775807)
    order by a.number desc limit $4`,
);

export const selectConnectionId = statement<{ readonly id: string }>(
  'has_connection',
  `select connection_id as id from connection where shop_id = $1 and connection_id = $2`,
);

/** Newest first, even of an ended connection. Undefined if the shop has no such connection. */
export async function listAttempts(
  db: Queryable,
  shopId: string,
  connectionId: string,
  { before, limit }: AttemptPage,
): Promise<readonly LoggedAttempt[] | undefined> {
  const rows = await db.query(readAttempts, [shopId, connectionId, before, limit]);
  if (rows.length > 0) return rows.map(toLoggedAttempt);
  const isKnown = (await db.one(selectConnectionId, [shopId, connectionId])) !== undefined;
  return isKnown ? [] : undefined;
}

/**
 * An attempt without a result is in progress while its lease is valid. Afterwards its worker must
 * have died, so it is interrupted, even before the next claim records that (decision 0003).
 */
export function toLoggedAttempt({ isLeased, ...row }: AttemptRow): LoggedAttempt {
  const { number, eventId, attempt, startedAt, status, latencyMs } = row;
  const error = row.error ?? (status === null && !isLeased ? 'interrupted' : null);
  const ended = error === null ? 'delivered' : 'failed';
  const result = status === null && error === null ? 'in_progress' : ended;
  return { number, eventId, attempt, startedAt, result, status, error, latencyMs };
}
