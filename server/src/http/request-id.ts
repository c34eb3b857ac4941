import { randomBytes } from 'node:crypto';

/** Among a thousand processes, two get the same bytes once in 10^8 fleets. */
const PROCESS_BYTES = 6;

/** `X-Request-Id`: unique in the fleet, not secret. Clients' own values are ignored. */
export function makeRequestIds(): () => string {
  const processId = randomBytes(PROCESS_BYTES).toString('hex');
  let count = 0;
  return () => `${processId}${(++count).toString(36).padStart(6, '0')}`;
}
