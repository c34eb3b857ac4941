import { randomBytes } from 'node:crypto';

/** Random bytes that tell one process from another: two of a thousand processes share them once in 10^8 fleets. */
const PROCESS_BYTES = 6;

/** Makes `X-Request-Id` values: unique in the fleet, letters and digits, no secret. The caller's own are not believed. */
export function makeRequestIds(): () => string {
  const processId = randomBytes(PROCESS_BYTES).toString('hex');
  let count = 0;
  return () => `${processId}${(++count).toString(36).padStart(6, '0')}`;
}
