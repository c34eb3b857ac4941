import { randomBytes } from 'node:crypto';

/** The probability that two of a thousand processes have the same value is below 10^-8. */
const PROCESS_BYTES = 6;

/** Generates `X-Request-Id` values that are unique in a deployment. Clients' values are ignored. */
export function createRequestIdGenerator(): () => string {
  const processId = randomBytes(PROCESS_BYTES).toString('hex');
  let count = 0;
  return () => `${processId}${(++count).toString(36).padStart(6, '0')}`;
}
