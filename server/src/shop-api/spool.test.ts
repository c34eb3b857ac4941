import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { describe, it } from 'node:test';
import { ApiError } from '../http/errors.ts';
import { Spool } from './spool.ts';

function refusedWith(status: number): (error: unknown) => boolean {
  return (error) => error instanceof ApiError && error.statusCode === status;
}

describe('the spool of batches', () => {
  it('holds bodies up to its bound together, refuses one more (503), and lets go of all', async () => {
    const spool = new Spool(10);
    const six = (): Readable => Readable.from([Buffer.alloc(4), Buffer.alloc(2)]);
    const outer = await spool.hold(six(), async () => {
      await assert.rejects(
        spool.hold(six(), async () => 'written'),
        refusedWith(503),
      );
      return await spool.hold(Readable.from([Buffer.alloc(4)]), async () => 'fits');
    });
    assert.equal(outer, 'fits');
    const bytes = await spool.hold(six(), async (pieces) => Buffer.concat(pieces).length);
    assert.equal(bytes, 6);
    await assert.rejects(
      spool.hold(six(), async () => await Promise.reject(new Error('the database is away'))),
      /the database is away/,
    );
    assert.equal(await spool.hold(Readable.from([Buffer.alloc(10)]), async () => 'all'), 'all');
  });

  it('hands nothing on when the body breaks off (400)', async () => {
    async function* broken(): AsyncGenerator<Buffer> {
      yield Buffer.from('{}\n');
      throw new Error('aborted');
    }
    const spool = new Spool();
    const work = async (): Promise<never> => await Promise.reject(new Error('was called'));
    await assert.rejects(spool.hold(Readable.from(broken()), work), refusedWith(400));
  });
});
