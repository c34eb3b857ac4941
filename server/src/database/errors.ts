import pg from 'pg';
import { errorCodeOf } from '../base/describe-error.ts';
import { DatabaseBusy, StaleRead } from './database.ts';
import { ReadOnlyServer } from './read-only.ts';

const DEADLOCK = '40P01';
const SERIALIZATION_FAILURE = '40001';
const DISK_FULL = '53100';
const LOST_WORKER = '08006';

/** SQLSTATEs after which the same request may succeed, so the response is 503, not 500. */
const temporaryErrors: ReadonlyMap<string, string> = new Map([
  [DEADLOCK, 'transactions conflicted'],
  [SERIALIZATION_FAILURE, 'transactions conflicted'],
  ['55P03', 'the row is locked by another transaction'],
  ['57014', 'the statement took too long'],
  ['25P03', 'the transaction was idle too long'],
  ['25006', 'the database does not accept writes: it is a standby that has not been promoted yet'],
  [DISK_FULL, 'no space is left on the disk of the database'],
  ['53300', 'the database has no free connections'],
  ['57P01', 'the database is shutting down'],
  ['57P02', 'the database has crashed and is restarting'],
  ['57P03', 'the database is starting'],
  // Reported by the coordinator of a Citus cluster.
  [LOST_WORKER, 'a node of the database does not respond'],
]);

/** Messages of Citus when it loses a worker. Their SQLSTATE does not show this. */
const lostWorkerPattern =
  /^(server closed the connection unexpectedly|failure on connection marked as essential|failed to COPY to shard|could not commit transaction for shard)/;

const lostConnectionCodes: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ENOENT',
]);

/** Messages of errors without a code, from `pg`, `pg-pool` and the code that checks connections. */
const lostConnectionPattern =
  /^(Connection terminated|timeout exceeded when trying to connect|timeout expired|Query read timeout|Client has encountered a connection error|Client was closed|Cannot use a pool after|[Tt]he listening connection (?:has ended|did not return a heartbeat)|lost the connection to the database)/;

/** Messages of Citus when a statement was planned before its shard was split. */
const splitShardPattern =
  /^could not find valid entry for shard|^relation "[^"]*_\d{6,}" does not exist$/;

export function isRetryable(error: unknown): boolean {
  if (error instanceof StaleRead || isOfSplitShard(error)) return true;
  const code = sqlState(error);
  return code === DEADLOCK || code === SERIALIZATION_FAILURE;
}

export function isLostConnection(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof ReadOnlyServer) return true;
  // When a host name has several addresses, `pg` reports the failures of all of them.
  if (error instanceof AggregateError) return error.errors.some((one) => isLostConnection(one));
  if (error instanceof pg.DatabaseError) {
    return error.severity === 'FATAL' || error.severity === 'PANIC';
  }
  return lostConnectionCodes.has(errorCodeOf(error)) || lostConnectionPattern.test(error.message);
}

/** A SQLSTATE class. PgBouncer responds with 08P01 while the server behind it is down. */
const CONNECTION_EXCEPTION = '08';
// The server has too many connections, is stopping, has crashed, or is starting.
const unreachableStates: ReadonlySet<string> = new Set(['53300', '57P01', '57P02', '57P03']);

/**
 * True for a temporary reason: no server runs or accepts writes, or a host name does not resolve.
 * False for a permanent reason, such as a wrong password or a missing database.
 */
export function isDatabaseUnreachable(error: unknown): boolean {
  const found = findCause(error, (each) => {
    const code = sqlState(each);
    if (code === undefined) return isLostConnection(each);
    if (isLostWorker(each)) return true;
    return code.startsWith(CONNECTION_EXCEPTION) || unreachableStates.has(code);
  });
  return found !== undefined;
}

// From `pg`: connecting took too long. From the channel: the database sent no heartbeat back.
const silentServerPattern =
  /^(timeout expired|Connection terminated due to connection timeout|the listening connection did not return a heartbeat)/;
// From `pg-pool`: no client became free in time. Usually the database is only busy.
const poolTimeoutPattern = /^timeout exceeded when trying to connect/;

/** `away`: the database does not respond. `lost`: one connection was lost, which is normal. */
export function classifyConnectionError(error: unknown): 'away' | 'lost' | null {
  if (!(error instanceof Error)) return null;
  if (error instanceof AggregateError) {
    return error.errors.some(isDatabaseUnreachable) ? 'away' : null;
  }
  if (error instanceof ReadOnlyServer || silentServerPattern.test(error.message)) return 'away';
  if ('syscall' in error && /^(connect|getaddrinfo)$/.test(String(error.syscall))) return 'away';
  const state = sqlState(error) ?? '';
  if (state.startsWith(CONNECTION_EXCEPTION) || /^57P0[23]$/.test(state)) return 'away';
  if (poolTimeoutPattern.test(error.message) || state === '53300') return null;
  return isLostConnection(error) ? 'lost' : null;
}

export function isDiskFull(error: unknown): boolean {
  return findCause(error, (each) => sqlState(each) === DISK_FULL) !== undefined;
}

export function findDatabaseBusy(error: unknown): DatabaseBusy | undefined {
  const found = findCause(error, (each) => each instanceof DatabaseBusy);
  return found instanceof DatabaseBusy ? found : undefined;
}

const CAUSES_MAX = 5;

function findCause(error: unknown, matches: (error: Error) => boolean): Error | undefined {
  let each = error;
  for (let depth = 0; depth <= CAUSES_MAX && each instanceof Error; depth++) {
    if (matches(each)) return each;
    each = each.cause;
  }
  return undefined;
}

/** Converts an error for the caller of `transaction`: a temporary fault becomes `DatabaseBusy`. */
export function toCallerError(error: unknown): unknown {
  if (error instanceof StaleRead) {
    return new DatabaseBusy('the data kept changing while it was read', { cause: error });
  }
  const state = isOfSplitShard(error) ? SERIALIZATION_FAILURE : sqlState(error);
  const reason = temporaryErrors.get(isLostWorker(error) ? LOST_WORKER : (state ?? ''));
  return reason === undefined ? error : new DatabaseBusy(reason, { cause: error });
}

function isOfSplitShard(error: unknown): boolean {
  return error instanceof pg.DatabaseError && splitShardPattern.test(error.message);
}

function isLostWorker(error: unknown): boolean {
  return error instanceof pg.DatabaseError && lostWorkerPattern.test(error.message);
}

/** Like `toCallerError`, for a single statement: a lost connection becomes `DatabaseBusy` too. */
export function toConnectionError(error: unknown): unknown {
  const callerError = toCallerError(error);
  if (callerError !== error || !isLostConnection(error)) return callerError;
  return new DatabaseBusy('no connection to the database', { cause: error });
}

/** The violation has also aborted the transaction. */
export function isUniqueViolation(error: unknown, constraint: string): boolean {
  return (
    error instanceof pg.DatabaseError && error.code === '23505' && error.constraint === constraint
  );
}

export function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}

function sqlState(error: unknown): string | undefined {
  return error instanceof pg.DatabaseError ? error.code : undefined;
}
