import { Readable } from 'node:stream';
import { setImmediate as nextTick } from 'node:timers/promises';
import type { FastifyReply } from 'fastify';
import { FairLimiter, type LimiterOptions } from '../base/fair-limiter.ts';

/**
 * For all shops, a shop and a member. The largest export takes 10 MB of memory. The wait is enough
 * for two short exports of a member, one after the other.
 */
const FILES: LimiterOptions = {
  bounds: [
    { running: 16, waiting: 64 },
    { running: 2, waiting: 8 },
    { running: 1, waiting: 1 },
  ],
  waitMsMax: 2_000,
};
/**
 * Two, so that a slow query of one shop does not stop the files of all others. Only the files above
 * wait, and not after their client has disconnected.
 */
const TURNS: LimiterOptions = {
  bounds: [
    { running: 2, waiting: Infinity },
    { running: 1, waiting: Infinity },
  ],
  waitMsMax: Infinity,
};
const TURN_MS = 5;

/**
 * Streams files to members. All files take turns to read their next parts from the database; a
 * client that reads slowly holds only the place of its file.
 */
export class FileSender {
  readonly #files = new FairLimiter(FILES);
  readonly #turns = new FairLimiter(TURNS);

  /**
   * Returns false, having sent nothing, if too many files are being sent. `path` names the shop and
   * the member. The server cuts a response that takes too long, which frees its place.
   */
  async send(
    reply: FastifyReply,
    path: readonly string[],
    headers: Readonly<Record<string, string>>,
    text: AsyncIterable<string>,
  ): Promise<boolean> {
    const { signal } = reply.request;
    const sent = await this.#files.run(
      path,
      // The reply is settled when the response has ended, also if the client has disconnected.
      async () =>
        await reply.headers(headers).send(Readable.from(this.#inTurns(path, text, signal))),
      signal,
    );
    return sent !== undefined;
  }

  async *#inTurns(
    path: readonly string[],
    text: AsyncIterable<string>,
    signal: AbortSignal,
  ): AsyncGenerator<string> {
    const parts = text[Symbol.asyncIterator]();
    for (;;) {
      const turn = await this.#turns.run(path, async () => await readParts(parts), signal);
      if (turn === undefined) throw new Error('the client has disconnected');
      if (turn.value.text !== '') yield turn.value.text;
      if (turn.value.isLast) return;
    }
  }
}

interface ReadParts {
  readonly text: string;
  readonly isLast: boolean;
}

/** Reads parts for 5 ms, at least one, which may be empty. */
async function readParts(parts: AsyncIterator<string>): Promise<ReadParts> {
  const untilMs = performance.now() + TURN_MS;
  let text = '';
  do {
    const part = await parts.next();
    if (part.done === true) return { text, isLast: true };
    text += part.value;
  } while (performance.now() < untilMs);
  // Not every part waits for the database, so let other requests run.
  await nextTick();
  return { text, isLast: false };
}
