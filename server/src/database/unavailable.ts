import pg from 'pg';
import { DatabaseBusy } from './database.ts';

/** Failures of a socket to the database: it is away, or restarting. */
const SOCKET_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
]);
/** PostgreSQL: connection exceptions, too many connections, shutting down, starting up, a statement that took too long. */
const SQL_STATES = /^(08...|53300|57P0[1-4]|57014|25P03)$/;

/** True for a fault that passes by itself: the database is away or busy, so that the caller may try again (503). */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (error instanceof DatabaseBusy) return true;
  if (error instanceof pg.DatabaseError) return SQL_STATES.test(error.code ?? '');
  if (!(error instanceof Error)) return false;
  if ('code' in error && SOCKET_CODES.has(String(error.code))) return true;
  // `pg` gives these no code.
  return /^(Connection terminated|Client has encountered a connection error)/.test(error.message);
}
