import { randomBytes } from 'node:crypto';

/** With this length, two of a thousand processes share a value in one of 10^8 deployments. */
const PROCESS_BYTES = 6;

/**
 * Creates `X-Request-Id` values, unique in the deployment and not secret. Those of clients are
 * ignored.
 */
export function makeRequestIds(): () => string {
  const processId = randomBytes(PROCESS_BYTES).toString('hex');
  let count = 0;
  return () => `${processId}${(++count).toString(36).padStart(6, '0')}`;
}
