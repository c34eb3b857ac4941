import assert from 'node:assert/strict';
import { PassThrough, Readable } from 'node:stream';
import { describe, it } from 'node:test';
import { pauseProcess, untilRecovered } from '../../test/paused-process.ts';
import { ApiError } from './errors.ts';
import { Spool } from './spool.ts';

function refusedWith(status: number): (error: unknown) => boolean {
  return (error) => error instanceof ApiError && error.statusCode === status;
}

describe('the body buffer of batches', () => {
  it('the buffer holds bodies up to its total limit, refuses further bodies (503), and releases bodies after use', async () => {
    const spool = new Spool({ heldBytesMax: 10 });
    const six = (): Readable => Readable.from([Buffer.alloc(4), Buffer.alloc(2)]);
    const outer = await spool.buffer('a', six(), async () => {
      await assert.rejects(
        spool.buffer('b', six(), async () => 'written'),
        refusedWith(503),
      );
      return await spool.buffer('b', Readable.from([Buffer.alloc(4)]), async () => 'fits');
    });
    assert.equal(outer, 'fits');
    const bytes = await spool.buffer('a', six(), async (pieces) => Buffer.concat(pieces).length);
    assert.equal(bytes, 6);
    await assert.rejects(
      spool.buffer('a', six(), async () => await Promise.reject(new Error('the database is away'))),
      /the database is away/,
    );
    const all = Readable.from([Buffer.alloc(10)]);
    assert.equal(await spool.buffer('a', all, async () => 'all'), 'all');
  });

  it('only the bodies of a shop that has reached the limit per shop are refused', async () => {
    const spool = new Spool({ heldBytesMax: 100, shopBytesMax: 10 });
    const six = (): Readable => Readable.from([Buffer.alloc(4), Buffer.alloc(2)]);
    await spool.buffer('a', six(), async () => {
      await assert.rejects(
        spool.buffer('a', six(), async () => 'written'),
        refusedWith(503),
      );
      assert.equal(await spool.buffer('b', six(), async () => 'other'), 'other');
      assert.equal(await spool.buffer('a', Readable.from([Buffer.alloc(4)]), async () => 1), 1);
    });
    assert.equal(await spool.buffer('a', six(), async () => 'again'), 'again');
  });

  it('small chunks are joined in order, however the body is split', async () => {
    const sent = Buffer.from(Array.from({ length: 70_000 }, (_, index) => index % 251));
    for (const sizes of [[1], [16_383], [16_384], [1, 16_384], [5_000, 20_000, 3], [70_000]]) {
      const cut: Buffer[] = [];
      for (let from = 0, turn = 0; from < sent.length; turn++) {
        const size = sizes[turn % sizes.length] ?? 1;
        cut.push(sent.subarray(from, from + size));
        from += size;
      }
      const spool = new Spool({ heldBytesMax: sent.length });
      const held = await spool.buffer('a', Readable.from(cut), async (pieces) => [...pieces]);
      assert.ok(Buffer.concat(held).equals(sent), sizes.join());
      assert.ok(held.length <= 9, `${held.length} pieces of ${sizes.join()}`);
    }
  });

  it('a body that arrives too slowly is refused (408), and its bytes are released', async () => {
    const spool = new Spool({ heldBytesMax: 10, progressBytesMin: 4, progressIntervalMs: 20 });
    const slow = new PassThrough();
    slow.write(Buffer.alloc(9));
    const work = async (): Promise<never> => await Promise.reject(new Error('was called'));
    await assert.rejects(spool.buffer('a', slow, work), refusedWith(408));
    assert.equal(slow.destroyed, false, 'the response is still to be sent on its connection');
    const whole = Readable.from([Buffer.alloc(10)]);
    assert.equal(await spool.buffer('a', whole, async () => 'all'), 'all');
    slow.destroy();
  });

  it('a body is not too slow because this process was paused', async () => {
    const spool = new Spool({ progressBytesMin: 2, progressIntervalMs: 50 });
    const body = new PassThrough();
    const buffered = spool.buffer('a', body, async (pieces) => Buffer.concat(pieces).toString());
    pauseProcess(1_500);
    // The progress check comes first, as it does if the bytes have arrived during the pause.
    setImmediate(() => body.end('body'));
    assert.equal(await buffered, 'body');
    await untilRecovered();
  });

  it('a body that ends early is refused (400)', async () => {
    async function* broken(): AsyncGenerator<Buffer> {
      yield Buffer.from('{}\n');
      throw new Error('aborted');
    }
    const spool = new Spool();
    const work = async (): Promise<never> => await Promise.reject(new Error('was called'));
    await assert.rejects(spool.buffer('a', Readable.from(broken()), work), refusedWith(400));
  });
});
