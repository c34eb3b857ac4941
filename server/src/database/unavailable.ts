import { DatabaseBusy } from './database.ts';
import { toConnectionError } from './errors.ts';

/** The database does not respond or is busy: the caller may try again (503). */
export function isDatabaseUnavailable(error: unknown): boolean {
  return toConnectionError(error) instanceof DatabaseBusy || error instanceof DatabaseBusy;
}
