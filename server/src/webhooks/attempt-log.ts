import type { Queryable } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import type { AttemptError } from './attempt.ts';

/** One POST of a notice, as the shop is shown it: never a body, neither the one sent nor the one answered. */
export interface LoggedAttempt {
  /** Counts the connection's attempts, across its webhooks. */
  readonly number: number;
  readonly eventId: string;
  /** Counts the attempts of the notice: `X-Service-Attempt`. */
  readonly attempt: number;
  readonly startedAt: Date;
  readonly result: 'in_progress' | 'delivered' | 'failed';
  /** The status of the answer; null when none came. */
  readonly status: number | null;
  readonly error: AttemptError | null;
  /**
   * Whole milliseconds to the answer's headers, the failure, or the instant at which a worker that stopped broke it off;
   * null while it is under way, and when its worker died.
   */
  readonly latencyMs: number | null;
}

/** A row of the log as statements read it. */
export interface AttemptRow {
  readonly number: number;
  readonly eventId: string;
  readonly attempt: number;
  readonly startedAt: Date;
  readonly status: number | null;
  readonly error: AttemptError | null;
  readonly latencyMs: number | null;
  /** True while a worker may still be at it. */
  readonly isLeased: boolean;
}

/** A page of the log, newest first. */
export interface AttemptPage {
  /** Only attempts of a lower number; null: from the newest. */
  readonly before: number | null;
  readonly limit: number;
}

// Only the newest attempt can be under way. Leases go by the database's clock.
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

export const hasConnectionRow = statement<{ readonly id: string }>(
  'has_connection',
  `select connection_id as id from connection where shop_id = $1 and connection_id = $2`,
);

/** Attempts of a connection, ended ones too, newest first; undefined when the shop has no such connection. */
export async function listAttempts(
  db: Queryable,
  shopId: string,
  connectionId: string,
  { before, limit }: AttemptPage,
): Promise<readonly LoggedAttempt[] | undefined> {
  const rows = await db.query(readAttempts, [shopId, connectionId, before, limit]);
  if (rows.length > 0) return rows.map(toLoggedAttempt);
  const isKnown = (await db.one(hasConnectionRow, [shopId, connectionId])) !== undefined;
  return isKnown ? [] : undefined;
}

/**
 * An attempt without a result is under way while its lease lives. Later its worker has died: it is told as interrupted
 * before the next claim has written so (decision 0003).
 */
export function toLoggedAttempt({ isLeased, ...row }: AttemptRow): LoggedAttempt {
  const { number, eventId, attempt, startedAt, status, latencyMs } = row;
  const error = row.error ?? (status === null && !isLeased ? 'interrupted' : null);
  const ended = error === null ? 'delivered' : 'failed';
  const result = status === null && error === null ? 'in_progress' : ended;
  return { number, eventId, attempt, startedAt, result, status, error, latencyMs };
}
