import { DatabaseBusy } from './database.ts';
import { toConnectionError } from './errors.ts';

export function isDatabaseUnavailable(error: unknown): boolean {
  return toConnectionError(error) instanceof DatabaseBusy || error instanceof DatabaseBusy;
}
