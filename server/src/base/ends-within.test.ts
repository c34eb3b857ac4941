import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { endsWithin } from './ends-within.ts';

describe('endsWithin', () => {
  it('endsWithin returns whether the work ended in time, with a value or an error', async () => {
    const never = new Promise<void>(() => undefined);
    assert.equal(await endsWithin(never, 5), false);
    assert.equal(await endsWithin(Promise.resolve(), 3_600_000), true);
    assert.equal(await endsWithin(Promise.reject(new Error('broken')), 3_600_000), true);
  });

  it('endsWithin ignores an error that the work throws after the time limit', async () => {
    const work = Promise.withResolvers<void>();
    assert.equal(await endsWithin(work.promise, 1), false);
    work.reject(new Error('too late'));
  });
});
