import { DatabaseBusy } from './database.ts';
import { toConnectionError } from './errors.ts';

/** Returns true if the database does not respond or is busy. The caller may try again (503). */
export function isDatabaseUnavailable(error: unknown): boolean {
  return toConnectionError(error) instanceof DatabaseBusy || error instanceof DatabaseBusy;
}
