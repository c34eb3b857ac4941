import { DatabaseBusy } from './database.ts';
import { toConnectionError } from './errors.ts';

/** The database is away or busy, so the caller may try again (503). */
export function isDatabaseUnavailable(error: unknown): boolean {
  return toConnectionError(error) instanceof DatabaseBusy || error instanceof DatabaseBusy;
}
