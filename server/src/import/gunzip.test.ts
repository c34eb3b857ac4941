import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { gunzipIfCompressed } from './gunzip.ts';

describe('unpacking gzip', () => {
  it('unpacking yields to the event loop between chunks, even if a few bytes decompress to many', async () => {
    const bytes = 8 * 1_048_576;
    const packed = gzipSync(Buffer.alloc(bytes));
    let unpacked = 0;
    let turns = 0;
    let heldUp = 0;
    const source = async function* (): AsyncGenerator<Uint8Array> {
      yield packed;
    };
    for await (const piece of gunzipIfCompressed(source())) {
      assert.ok(piece.length <= 65_536);
      unpacked += piece.length;
      // Other work must wait only while a single chunk is processed.
      if (turns === 0) heldUp += 1;
      turns = 0;
      setImmediate(() => {
        turns += 1;
      });
    }
    assert.equal(unpacked, bytes);
    assert.equal(heldUp, 1, 'only the first piece came without a turn before it');
  });
});
