import type { Readable } from 'node:stream';

/**
 * Longest that a streamed body may take: a picture of 2 MB at 270 kbit/s. Each holds a descriptor or a connection to the
 * store; longer and slow readers hold many, shorter and a phone on a train gets no picture.
 */
const BODY_MS_MAX = 60_000;

/**
 * Cuts a body that is not taken in time, and with it the connection that it goes out on: its length was told, so that
 * the reader knows.
 */
export function withinTime(body: Readable, msMax: number = BODY_MS_MAX): Readable {
  const tooSlow = new Error(`a body was not taken within ${msMax} ms`);
  const timer = setTimeout(() => body.destroy(tooSlow), msMax);
  return body.once('close', () => clearTimeout(timer));
}
