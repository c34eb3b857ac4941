import type { Readable } from 'node:stream';

/**
 * Longest time for sending a streamed body: an image of 2 MB at 270 kbit/s. Longer lets slow
 * readers hold more descriptors and store connections; shorter fails on slow mobile connections.
 */
const BODY_MS_MAX = 60_000;

export function withBodyTimeout(body: Readable, msMax: number = BODY_MS_MAX): Readable {
  const tooSlow = new Error(`the client did not read the response body within ${msMax} ms`);
  const timer = setTimeout(() => body.destroy(tooSlow), msMax);
  return body.once('close', () => clearTimeout(timer));
}
