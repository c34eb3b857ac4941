import { ElementCutter } from './element-cutter.ts';
import { gunzipFault, gunzipIfPacked } from './gunzip.ts';
import type { JsonElement } from './json-element.ts';

/** Bytes of a chunk that are taken in at a time, as many as Node reads of a file. */
const PIECE_BYTES = 65_536;

/**
 * Cuts the elements of a JSON file out of its bytes (gzip is recognised) and parses each by itself: those of a top-level
 * array, of the array in the member `data` of a top-level object, or top-level values one after the other (NDJSON,
 * several arrays). Holds one element and one piece of bytes. A bad element costs itself alone: one whose end cannot be
 * told is passed over up to the next line that begins as elements do. Faults of the source itself are thrown.
 */
export async function* readJsonElements(
  bytes: AsyncIterable<Uint8Array>,
): AsyncGenerator<JsonElement, void, undefined> {
  const cutter = new ElementCutter('data');
  try {
    for await (const chunk of gunzipIfPacked(bytes)) {
      for (let from = 0; from < chunk.length && !cutter.isOver; from += PIECE_BYTES) {
        yield* cutter.take(chunk.subarray(from, from + PIECE_BYTES));
      }
      if (cutter.isOver) return;
    }
  } catch (error) {
    const reason = gunzipFault(error);
    if (reason === null) throw error;
    yield* cutter.giveUp(reason);
    return;
  }
  yield* cutter.finish();
}
