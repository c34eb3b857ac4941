import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { pauseProcess, untilRecovered } from '../../test/paused-process.ts';
import { openTestDatabase } from '../../test/test-database.ts';
import { waitUntil } from '../../test/wait-until.ts';
import { announce, type Channel } from './channel.ts';
import type { Engine } from './engine.ts';
import { channelTimings, openChannel } from './open-channel.ts';
import { statement } from './statement.ts';

const findListener = statement<{ pid: number }>(
  'test_find_listener',
  `select pid from pg_stat_activity where datname = current_database() and query like '%pg_notify%' and pid <> pg_backend_pid()`,
);
const terminate = statement('test_terminate', 'select pg_terminate_backend($1::int)');

interface Listening extends AsyncDisposable {
  readonly channel: Channel;
  readonly heard: string[];
  readonly faults: Error[];
  resets: number;
}

async function listen(engine: Engine): Promise<Listening> {
  const heard: string[] = [];
  const faults: Error[] = [];
  const channel = await openChannel(engine, { onFault: (error) => faults.push(error) });
  const listening: Listening = {
    channel,
    heard,
    faults,
    resets: 0,
    [Symbol.asyncDispose]: async () => await channel.close(),
  };
  channel.subscribe('access', (payload) => heard.push(payload));
  channel.onReset(() => {
    listening.resets += 1;
  });
  return listening;
}

describe('the notification channel', () => {
  it('the channel becomes live with its first heartbeat', async () => {
    await using base = await openTestDatabase();
    await using listening = await listen(base.engine);
    await waitUntil(() => listening.channel.isLive());
  });

  it('messages are delivered in commit order, and not after a rollback', async () => {
    await using base = await openTestDatabase();
    await using listening = await listen(base.engine);
    await announce(base.db, 'access', 'first');
    await assert.rejects(
      base.db.transaction(async (tx) => {
        await announce(tx, 'access', 'rolled back');
        throw new Error('refused');
      }),
      /refused/,
    );
    for (let n = 0; n < 20; n++) {
      await base.db.transaction(async (tx) => await announce(tx, 'access', `n${n}`));
    }
    await waitUntil(() => listening.heard.length >= 21);
    assert.deepEqual(listening.heard, ['first', ...Array.from({ length: 20 }, (_, n) => `n${n}`)]);
  });

  it('the channel does not deliver a message before the commit', async () => {
    await using base = await openTestDatabase();
    await using listening = await listen(base.engine);
    await base.db.transaction(async (tx) => {
      await announce(tx, 'access', 'late');
      await new Promise((resolve) => setImmediate(resolve));
      assert.deepEqual(listening.heard, []);
    });
    await waitUntil(() => listening.heard.length === 1);
  });

  it('messages are delivered to every node, and only to the subscribers of their topic', async () => {
    await using base = await openTestDatabase();
    await using one = await listen(base.engine);
    await using two = await listen(base.engine);
    await announce(base.db, 'stock', 'unheard');
    await announce(base.db, 'access', 'shop: with a colon');
    await waitUntil(() => one.heard.length > 0 && two.heard.length > 0);
    assert.deepEqual(one.heard, ['shop: with a colon']);
    assert.deepEqual(two.heard, ['shop: with a colon']);
  });

  it('the channel continues when a subscriber throws', async () => {
    await using base = await openTestDatabase();
    await using listening = await listen(base.engine);
    listening.channel.subscribe('access', () => {
      throw new Error('a faulty subscriber');
    });
    await announce(base.db, 'access', 'one');
    await announce(base.db, 'access', 'two');
    await waitUntil(() => listening.heard.length === 2);
    assert.match(String(listening.faults[0]), /a faulty subscriber/);
  });

  it('the channel is not live after it was closed', async () => {
    await using base = await openTestDatabase();
    const { channel } = await listen(base.engine);
    await waitUntil(() => channel.isLive());
    await channel.close();
    assert.equal(channel.isLive(), false);
  });

  it('the channel connects again when its backend is lost, and drops the caches', async () => {
    await using base = await openTestDatabase();
    await using listening = await listen(base.engine);
    await waitUntil(() => listening.channel.isLive());
    const listener = await base.db.one(findListener);
    assert.ok(listener);
    await base.db.query(terminate, [listener.pid]);
    await waitUntil(() => !listening.channel.isLive());
    assert.equal(listening.resets, 0);
    await waitUntil(() => listening.channel.isLive());
    assert.equal(listening.resets, 1);
    assert.equal(listening.faults.length, 1);
    await announce(base.db, 'access', 'after');
    await waitUntil(() => listening.heard.includes('after'));
  });

  it('a pause of this process does not cut the connection, and ends with a new heartbeat', async () => {
    await using base = await openTestDatabase();
    await using listening = await listen(base.engine);
    await waitUntil(() => listening.channel.isLive());
    const listener = await base.db.one(findListener);
    assert.ok(listener);
    // Freeze the backend so that a heartbeat is under way when the pause begins.
    process.kill(listener.pid, 'SIGSTOP');
    await waitUntil(() => !listening.channel.isLive());
    process.kill(listener.pid, 'SIGCONT');
    pauseProcess(channelTimings.heartbeatTimeoutMs + 500);
    assert.equal(listening.channel.isLive(), false);
    await announce(base.db, 'access', 'after');
    await waitUntil(() => listening.channel.isLive() && listening.heard.includes('after'));
    assert.deepEqual([listening.faults, listening.resets], [[], 0]);
    await untilRecovered();
  });

  it('the channel is not live while its backend is frozen, and closes the connection', async () => {
    await using base = await openTestDatabase();
    await using listening = await listen(base.engine);
    await waitUntil(() => listening.channel.isLive());
    const listener = await base.db.one(findListener);
    assert.ok(listener);
    process.kill(listener.pid, 'SIGSTOP');
    try {
      await announce(base.db, 'access', 'unheard');
      await waitUntil(() => !listening.channel.isLive());
      assert.deepEqual(listening.heard, []);
      await waitUntil(() => listening.channel.isLive());
      assert.equal(listening.resets, 1);
    } finally {
      process.kill(listener.pid, 'SIGCONT');
    }
  });
});
