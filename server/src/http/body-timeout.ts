import type { Readable } from 'node:stream';

/**
 * Longest time for sending a streamed body: a picture of 2 MB at 270 kbit/s. Each holds a
 * descriptor or a connection to the store. A longer limit lets slow readers hold many of them; a
 * shorter one fails on slow mobile connections.
 */
const BODY_MS_MAX = 60_000;

/**
 * Cuts a body that is read too slowly, and with it the connection. The client notices, because it
 * knows the length.
 */
export function withBodyTimeout(body: Readable, msMax: number = BODY_MS_MAX): Readable {
  const tooSlow = new Error(`the client did not read the response body within ${msMax} ms`);
  const timer = setTimeout(() => body.destroy(tooSlow), msMax);
  return body.once('close', () => clearTimeout(timer));
}
