import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { atMost } from './at-most.ts';

describe('waiting for at most some time', () => {
  it('ends with the work, or without it when it takes longer', async () => {
    const never = new Promise<void>(() => undefined);
    await atMost(5, never);
    await atMost(3_600_000, Promise.resolve());
    await assert.rejects(atMost(3_600_000, Promise.reject(new Error('broken'))), /broken/);
  });

  it('is not concerned with what the work throws afterwards', async () => {
    const work = Promise.withResolvers<void>();
    await atMost(1, work.promise);
    work.reject(new Error('too late to be told'));
  });
});
