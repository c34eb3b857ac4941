import { setImmediate as nextTurn } from 'node:timers/promises';
import { createGunzip, type Gunzip } from 'node:zlib';
import { errorCodeOf } from '../base/describe-error.ts';

/**
 * Passes bytes without the signature of gzip (RFC 1952 §2.3.1) unchanged. Yields all data before a
 * gzip error and then throws it; `describeGunzipError` tells it from an error of the source.
 */
export async function* gunzipIfCompressed(
  bytes: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array, void, undefined> {
  const source = bytes[Symbol.asyncIterator]();
  try {
    const head: Uint8Array[] = [];
    let headBytes = 0;
    let isAtEnd = false;
    // A client may send the first two bytes separately.
    while (headBytes < 2 && !isAtEnd) {
      const next = await source.next();
      if (next.done === true) isAtEnd = true;
      else {
        head.push(next.value);
        headBytes += next.value.length;
      }
    }
    const start = Buffer.concat(head);
    const all = continueWith(start, source, isAtEnd);
    if (start[0] === 0x1f && start[1] === 0x8b) yield* gunzip(all);
    else yield* all;
  } finally {
    await source.return?.();
  }
}

async function* continueWith(
  start: Uint8Array,
  rest: AsyncIterator<Uint8Array>,
  isAtEnd: boolean,
): AsyncGenerator<Uint8Array, void, undefined> {
  if (start.length > 0) yield start;
  while (!isAtEnd) {
    const next = await rest.next();
    if (next.done === true) return;
    yield next.value;
  }
}

/**
 * The number of bytes decompressed at a time, to at most 1,032 times as many (4 MiB). With larger
 * steps a zip bomb could fill the memory; smaller steps would spend most time switching threads.
 */
const COMPRESSED_CHUNK_BYTES = 4_096;

/**
 * Yields all data before an error, because it may contain valid lines; a stream that fails would
 * drop data not yet requested. Up to 16 KiB before the error are lost: zlib returns no incomplete
 * buffer.
 */
async function* gunzip(
  packed: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array, void, undefined> {
  const unpacked = createGunzip();
  let ready: Uint8Array[] = [];
  const faults: Error[] = [];
  unpacked.on('data', (chunk: Uint8Array) => ready.push(chunk));
  unpacked.on('error', (error) => faults.push(error));
  const step = async function* (
    begin: (done: () => void) => void,
  ): AsyncGenerator<Uint8Array, void, undefined> {
    await untilDoneOrClosed(unpacked, begin);
    const chunks = ready;
    ready = [];
    for (const [index, chunk] of chunks.entries()) {
      // Processing up to 4 MiB without a pause would block the event loop for seconds.
      if (index > 0) await nextTurn();
      yield chunk;
    }
    if (faults[0] !== undefined) throw faults[0];
  };
  try {
    for await (const chunk of packed) {
      for (let from = 0; from < chunk.length; from += COMPRESSED_CHUNK_BYTES) {
        const piece = chunk.subarray(from, from + COMPRESSED_CHUNK_BYTES);
        yield* step((done) => unpacked.write(piece, done));
      }
    }
    yield* step((done) => unpacked.once('end', done).end());
  } finally {
    unpacked.destroy();
  }
}

/** Also resolves when the stream closes, because a failing stream never calls the callback. */
async function untilDoneOrClosed(stream: Gunzip, begin: (done: () => void) => void): Promise<void> {
  await new Promise<void>((resolve) => {
    const done = (): void => {
      stream.off('close', done);
      resolve();
    };
    stream.once('close', done);
    begin(done);
  });
}

export function describeGunzipError(error: unknown): string | null {
  const code = errorCodeOf(error);
  if (code === 'Z_BUF_ERROR') return 'The gzip data ends early.';
  return code.startsWith('Z_') ? 'The gzip data is damaged.' : null;
}
