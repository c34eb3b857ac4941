import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Turns } from './turns.ts';

describe('turns of requests with one token', () => {
  it('come one after the other, also after one that failed; other tokens do not wait', async () => {
    const turns = new Turns();
    const seen: string[] = [];
    const first = Promise.withResolvers<void>();
    const work = async (name: string, wait?: Promise<void>): Promise<string> => {
      seen.push(`${name} begins`);
      await wait;
      seen.push(`${name} ends`);
      return name;
    };
    const one = turns.take('token', async () => await work('one', first.promise));
    const failing = turns.take('token', async () => await Promise.reject(new Error('on purpose')));
    const two = turns.take('token', async () => await work('two'));
    await turns.take('other', async () => await work('other'));
    assert.deepEqual(seen, ['one begins', 'other begins', 'other ends']);
    first.resolve();
    assert.deepEqual(await one, { value: 'one' });
    await assert.rejects(failing, /on purpose/);
    assert.deepEqual(await two, { value: 'two' });
    assert.deepEqual(seen.slice(3), ['one ends', 'two begins', 'two ends']);
  });

  it('are at most 100; the next is told so and not run', async () => {
    const turns = new Turns();
    const held = Promise.withResolvers<void>();
    const taken = Array.from(
      { length: 100 },
      async () => await turns.take('token', async () => await held.promise),
    );
    assert.equal(
      await turns.take('token', async () => await Promise.reject(new Error('run'))),
      undefined,
    );
    held.resolve();
    assert.equal((await Promise.all(taken)).length, 100);
    assert.deepEqual(await turns.take('token', async () => await Promise.resolve(1)), { value: 1 });
  });
});
