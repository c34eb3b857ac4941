import type { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Clock } from '../base/clock.ts';
import { ImportReport } from '../import/import-report.ts';
import { type NdjsonLine, readNdjson } from '../import/ndjson.ts';
import { ApiError } from '../http/errors.ts';
import type { WrittenShop } from './authentication.ts';
import { BATCH_BYTES_MAX, type Spool, bodyTooLarge } from '../http/spool.ts';
import type { LimitedWrite } from '../http/write-limiter.ts';
import { UnitWriter } from './write-units.ts';

/**
 * The maximum number of lines (decision 0009). Blank lines do not count, but in total a body can
 * have at most ten times as many lines as this maximum.
 */
export const BATCH_LINES_MAX = 10_000;

export interface BatchContext {
  readonly write: LimitedWrite;
  readonly clock: Clock;
  readonly shop: WrittenShop;
  readonly spool: Spool;
}

/**
 * A body that is too large or incomplete writes nothing.
 *
 * @throws ApiError 413 beyond the limits of bytes and lines, 400 when a compressed body is damaged;
 * see `Spool`
 */
export async function writeBatch(context: BatchContext, body: Readable): Promise<string> {
  return await context.spool.buffer(context.shop.id, body, async (pieces) => {
    const limits = { bytesMax: BATCH_BYTES_MAX, linesMax: BATCH_LINES_MAX };
    // The first pass over the bytes checks the limits, the second writes the units.
    const counting = { ...limits, isCountOnly: true };
    for await (const line of readNdjson(yieldToEventLoop(pieces), counting)) refuseBroken(line);
    const report = new ImportReport(BATCH_LINES_MAX);
    const writer = new UnitWriter(context.write, context.shop, context.clock, report);
    for await (const line of readNdjson(yieldToEventLoop(pieces), limits)) {
      if (line.kind === 'value') await writer.add(line.number, line.value);
      else report.reject(line.number, 'invalid_request', line.reason);
    }
    await writer.flush();
    const { accepted, rejected } = report.result();
    return JSON.stringify({ accepted, rejected });
  });
}

function refuseBroken(line: NdjsonLine): void {
  if (line.kind !== 'broken') return;
  if (line.cause === 'too_large') throw bodyTooLarge(`${line.reason} Nothing was written.`);
  throw new ApiError(400, 'invalid_request', { detail: line.reason });
}

/** Yields after each piece, because parsing 16 MiB in one piece would block all other requests. */
async function* yieldToEventLoop(
  pieces: readonly Uint8Array[],
): AsyncGenerator<Uint8Array, void, undefined> {
  for (const piece of pieces) {
    yield piece;
    await nextTurn();
  }
}
