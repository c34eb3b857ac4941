import type { Readable } from 'node:stream';

/**
 * Enough for an image of 2 MB at 270 kbit/s. With a longer limit, slow readers hold more
 * descriptors and store connections; with a shorter limit, slow mobile connections fail.
 */
const BODY_MS_MAX = 60_000;

export function withBodyTimeout(body: Readable, msMax: number = BODY_MS_MAX): Readable {
  const tooSlow = new Error(`the client did not read the response body within ${msMax} ms`);
  const timer = setTimeout(() => body.destroy(tooSlow), msMax);
  return body.once('close', () => clearTimeout(timer));
}
