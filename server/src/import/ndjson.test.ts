import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { constants, gunzipSync, gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { LINE_BYTES_MAX, type NdjsonLimits, type NdjsonLine, readNdjson } from './ndjson.ts';

async function* inChunks(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let from = 0; from < bytes.length; from += size) yield bytes.subarray(from, from + size);
}

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

/** Returns the size of the array buffers that are still referenced. */
function heldBytes(): number {
  // V8 frees array buffers in the background: the second collection waits until those from the
  // first are free.
  collectGarbage();
  collectGarbage();
  return process.memoryUsage().arrayBuffers;
}

async function linesOf(
  data: string | Uint8Array,
  limits?: NdjsonLimits,
  chunkSize = 65_536,
): Promise<NdjsonLine[]> {
  return await collect(readNdjson(inChunks(Buffer.from(data), chunkSize), limits));
}

async function collect(source: AsyncIterable<NdjsonLine>): Promise<NdjsonLine[]> {
  const lines: NdjsonLine[] = [];
  for await (const line of source) lines.push(line);
  return lines;
}

/** Returns `{"a":"…"}` with a length of exactly `bytes`. */
function lineOfBytes(bytes: number): string {
  return `{"a":"${'x'.repeat(bytes - 8)}"}`;
}

describe('reading NDJSON', () => {
  it('all lines are numbered from 1, and blank lines are skipped', async () => {
    assert.deepEqual(await linesOf('1\n\n  \r\n2\r\n3'), [
      { kind: 'value', number: 1, value: 1 },
      { kind: 'value', number: 4, value: 2 },
      { kind: 'value', number: 5, value: 3 },
    ]);
    assert.deepEqual(await linesOf(''), []);
    assert.deepEqual(await linesOf('\n'), []);
  });

  it('a file may have up to ten times as many lines as the limit if most of them are blank', async () => {
    for (const blank of ['', '\r', ' \t ', '\t\r']) {
      const nineteen = `${blank}\n`.repeat(19);
      for (const chunkSize of [1, 7, 65_536]) {
        const fits = await linesOf(`${nineteen}1`, { linesMax: 2 }, chunkSize);
        assert.deepEqual(fits, [{ kind: 'value', number: 20, value: 1 }]);
        const over = await linesOf(`${nineteen}${blank}\n1`, { linesMax: 2 }, chunkSize);
        const reason = 'The body has more than 20 lines, including blank ones.';
        assert.deepEqual(over, [{ kind: 'broken', number: 21, reason, cause: 'too_large' }]);
        assert.equal((await linesOf(`${nineteen}${blank}\n1`, {}, chunkSize)).length, 1);
      }
    }
  });

  it('with isCountOnly, the same lines are counted, and reading stops at the same line', async () => {
    const pieces = [
      '1',
      '{"a":2}',
      '{',
      '',
      ' ',
      '\t\r',
      '\ufeff',
      '\u3000',
      '\u00a0 ',
      '\u007f',
      '"棚"',
      '\0',
    ];
    const asked = fc.array(fc.constantFrom(...pieces), { maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(asked, fc.integer({ min: 1, max: 6 }), async (lines, linesMax) => {
        const text = lines.join('\n');
        const numbers = async (isCountOnly: boolean): Promise<unknown> =>
          (await linesOf(text, { linesMax, isCountOnly })).map(({ kind, number }) => [
            kind === 'broken',
            number,
          ]);
        assert.deepEqual(await numbers(true), await numbers(false));
      }),
    );
  });

  // An algorithm that is quadratic in the number of lines would never finish.
  it('millions of blank lines are skipped', async () => {
    const packed = gzipSync(Buffer.alloc(16 * 1024 * 1024, '\n'));
    assert.deepEqual(await linesOf(packed), []);
    const [broken] = await linesOf(packed, { linesMax: 10_000 });
    assert.deepEqual([broken?.kind, broken?.number], ['broken', 100_001]);
  });

  it('a byte order mark is skipped only at the start', async () => {
    const [first, second] = await linesOf('\ufeff{"a":1}\n\ufeff{"a":1}');
    assert.deepEqual(first, { kind: 'value', number: 1, value: { a: 1 } });
    assert.equal(second?.kind, 'refused');
  });

  it('a line that is not JSON or not UTF-8 is refused, and reading continues', async () => {
    const bytes = Buffer.concat([
      Buffer.from('{\n'),
      Buffer.from([0x22, 0xff, 0x22, 0x0a]),
      Buffer.from('"é"\n'),
    ]);
    assert.deepEqual(await linesOf(bytes, {}, 1), [
      { kind: 'refused', number: 1, reason: 'The line is not valid JSON.' },
      { kind: 'refused', number: 2, reason: 'The line is not valid UTF-8.' },
      { kind: 'value', number: 3, value: 'é' },
    ]);
  });

  it('a line of 16,384 bytes is accepted and a line of 16,385 is refused, with any line break', async () => {
    const text = `${lineOfBytes(16_384)}\n${lineOfBytes(16_384)}\r\n${lineOfBytes(16_385)}\n7`;
    for (const chunkSize of [1_000, 65_536]) {
      const lines = await linesOf(text, {}, chunkSize);
      assert.deepEqual(
        lines.map((line) => line.kind),
        ['value', 'value', 'refused', 'value'],
      );
    }
    assert.equal(LINE_BYTES_MAX, 16_384);
  });

  it('reading stops at the maximum number of lines, not counting blank lines', async () => {
    assert.equal((await linesOf('1\n\n2\n\n3\n\n', { linesMax: 3 })).length, 3);
    assert.deepEqual((await linesOf('1\n\n2\n3\n4\n5', { linesMax: 3 })).at(-1), {
      kind: 'broken',
      number: 5,
      reason: 'The body has more than 3 lines.',
      cause: 'too_large',
    });
  });

  it('reading stops at the maximum number of bytes, counted after decompression', async () => {
    assert.equal((await linesOf('1\n2\n', { bytesMax: 4 })).length, 2);
    const over = await linesOf('1\n22\n', { bytesMax: 4 });
    assert.deepEqual(over.at(-1)?.kind, 'broken');
    const packed = await linesOf(gzipSync('1\n'.repeat(5_000)), { bytesMax: 5_000 });
    assert.deepEqual(packed.at(-1)?.kind, 'broken');
  });

  it('gzip is recognized by its first bytes, even if they arrive one by one', async () => {
    for (const size of [1, 7, 65_536]) {
      assert.equal((await linesOf(gzipSync('1\n2\n3'), {}, size)).length, 3);
    }
  });

  it('a truncated or damaged gzip is reported after the lines before the damage', async () => {
    const text = Array.from({ length: 20_000 }, () => String(Math.random())).join('\n');
    const packed = gzipSync(text);
    const cut = await linesOf(packed.subarray(0, packed.length - 1_000));
    assert.ok(cut.length > 1_000);
    assert.deepEqual(cut.at(-1), {
      kind: 'broken',
      number: cut.length,
      reason: 'The gzip data ends early.',
      cause: 'gzip',
    });
    const damaged = Buffer.from(packed);
    damaged.fill(0xff, 5_000, 5_200);
    const last = (await linesOf(damaged)).at(-1);
    assert.deepEqual(last?.kind === 'broken' && last.reason, 'The gzip data is damaged.');
  });

  it('every line before an error is returned, even to a slow reader', async () => {
    const text = Array.from({ length: 5_000 }, (_, n) => `[${n},"${Math.random()}"]`).join('\n');
    const packed = gzipSync(text).subarray(0, 20_000);
    const finishFlush = constants.Z_SYNC_FLUSH;
    const whole = gunzipSync(packed, { finishFlush }).toString().split('\n').length - 1;
    let taken = 0;
    for await (const line of readNdjson(inChunks(packed, 65_536))) {
      if (line.kind === 'value') taken += 1;
      else assert.deepEqual([line.kind, line.number], ['broken', whole + 1]);
      // Pause for as long as writing a batch would take. During the pause the decompression fails.
      if (line.number % 100 === 0) await new Promise((resolve) => setTimeout(resolve, 2));
    }
    assert.equal(taken, whole);
  });

  it('at most one line of a gzip bomb is in memory, and reading stops at an endless line', async () => {
    const packed = gzipSync(Buffer.alloc(66 * 1024 * 1024, 0x20));
    assert.ok(packed.length < 100_000);
    const before = heldBytes();
    const held: number[] = [];
    async function* measured(): AsyncGenerator<Uint8Array> {
      // Each chunk decompresses to about 10 MB.
      for await (const chunk of inChunks(packed, 10_000)) {
        held.push(heldBytes() - before);
        yield chunk;
      }
    }
    const lines = await collect(readNdjson(measured()));
    assert.ok(held.length > 5);
    assert.equal(lines.length, 1);
    assert.equal(lines[0]?.kind, 'broken');
    assert.ok(Math.max(...held) < 32 * 1024 * 1024, `${held.join()} bytes`);
  });

  it('an error of the source is thrown to the caller', async () => {
    async function* failing(): AsyncGenerator<Uint8Array> {
      yield Buffer.from('1\n');
      throw new Error('the disk is gone');
    }
    await assert.rejects(collect(readNdjson(failing())), /the disk is gone/);
  });

  it('the lines do not depend on where the bytes are split', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.jsonValue(), { maxLength: 20 }),
        fc.integer({ min: 1, max: 50 }),
        fc.boolean(),
        async (values, size, isPacked) => {
          const text = values.map((value) => JSON.stringify(value)).join('\n');
          const lines = await linesOf(isPacked ? gzipSync(text) : text, {}, size);
          assert.deepEqual(
            lines.map((line) => (line.kind === 'value' ? JSON.stringify(line.value) : line)),
            text === '' ? [] : text.split('\n').map((line) => JSON.stringify(JSON.parse(line))),
          );
        },
      ),
      { numRuns: 60 },
    );
  });
});
