import { randomBytes } from 'node:crypto';

/**
 * Random bytes that identify a process: among a thousand processes, two collide once in 10^8
 * fleets.
 */
const PROCESS_BYTES = 6;

/**
 * Generates `X-Request-Id` values: unique in the fleet, letters and digits, not secret. Clients'
 * own values are ignored.
 */
export function makeRequestIds(): () => string {
  const processId = randomBytes(PROCESS_BYTES).toString('hex');
  let count = 0;
  return () => `${processId}${(++count).toString(36).padStart(6, '0')}`;
}
