import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { openTestDatabase } from '../../test/test-database.ts';
import { ApiError } from './errors.ts';
import { createWriteLimiter } from './write-limiter.ts';

describe('the write limiter of a shop', () => {
  it('a write is refused with 503 and Retry-After, and does not run, if too many writes wait', async () => {
    await using base = await openTestDatabase();
    const write = createWriteLimiter(base.db, {
      bounds: [{ running: 1, waiting: 1 }],
      waitMsMax: 60_000,
    });
    const end = Promise.withResolvers<string>();
    const taken = [1, 2].map(async () => await write('shop', async () => await end.promise));
    const run = async (): Promise<never> => await Promise.reject(new Error('was run'));
    await assert.rejects(
      async () => await write('shop', run),
      (error) =>
        error instanceof ApiError &&
        error.statusCode === 503 &&
        error.headers['retry-after'] === '2',
    );
    end.resolve('written');
    assert.deepEqual(await Promise.all(taken), ['written', 'written']);
    assert.equal(await write('shop', async () => await Promise.resolve('again')), 'again');
  });
});
