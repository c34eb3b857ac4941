import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { openTestDatabase, type TestDatabase } from '../../test/test-database.ts';
import { waitUntil } from '../../test/wait-until.ts';
import { Announcer } from './announcer.ts';
import { announceSoon } from './channel.ts';
import { type Database, StaleRead } from './database.ts';
import { openChannel } from './open-channel.ts';
import { openDatabase } from './open-database.ts';

async function write(db: Database, ...payloads: readonly string[]): Promise<void> {
  await db.transaction(async (tx) => {
    await Promise.resolve();
    for (const payload of payloads) announceSoon(tx, 'stock', payload);
  });
}

async function listen(
  base: TestDatabase,
): Promise<{ readonly afar: string[]; readonly here: string[] } & AsyncDisposable> {
  const afar: string[] = [];
  const here: string[] = [];
  const channel = await openChannel(base.engine, { onFault: (error) => assert.fail(error) });
  channel.subscribe('stock', (payload) => afar.push(payload));
  base.db.onAnnouncement((topic, payload) => here.push(`${topic} ${payload}`));
  return { afar, here, [Symbol.asyncDispose]: async () => await channel.close() };
}

describe('an announcement after the commit', () => {
  it('an announcement reaches the listeners of this process before the caller continues, each message once', async () => {
    await using base = await openTestDatabase();
    await using heard = await listen(base);
    await base.db.transaction(async (tx) => {
      announceSoon(tx, 'stock', 'a');
      announceSoon(tx, 'stock', 'a: with a colon');
      announceSoon(tx, 'stock', 'a');
      await new Promise((resolve) => setImmediate(resolve));
      assert.deepEqual(heard.here, [], 'nothing before the commit');
    });
    assert.deepEqual(heard.here, ['stock a', 'stock a: with a colon']);
  });

  it('an announcement is not sent after a rollback, and only once after a repeated transaction', async () => {
    await using base = await openTestDatabase();
    await using heard = await listen(base);
    const refused = base.db.transaction(async (tx) => {
      announceSoon(tx, 'stock', 'rolled back');
      throw await Promise.resolve(new Error('refused'));
    });
    await assert.rejects(refused, /refused/);
    let runs = 0;
    await base.db.transaction(async (tx) => {
      runs += 1;
      announceSoon(tx, 'stock', `run ${runs}`);
      if (runs < 3) throw await Promise.resolve(new StaleRead('again'));
    });
    assert.deepEqual(heard.here, ['stock run 3']);
    await write(base.db, 'last');
    await waitUntil(() => heard.afar.includes('last'));
    assert.deepEqual(heard.afar, ['run 3', 'last']);
  });

  it('an announcement reaches the other nodes, at the latest when the database closes', async () => {
    await using base = await openTestDatabase();
    await using heard = await listen(base);
    const brief = openDatabase(base.engine, { onFault: (error) => assert.fail(error) });
    await write(brief, 'first');
    await write(brief, 'second');
    await brief.close();
    await waitUntil(() => heard.afar.includes('second'));
    assert.deepEqual(heard.afar, ['first', 'second']);
    assert.deepEqual(heard.here, [], 'the writer was another process');
  });

  it('an announcement that cannot be sent neither delays its writer nor makes it fail', async () => {
    await using base = await openTestDatabase();
    const faults: Error[] = [];
    const db = openDatabase(base.engine, {
      onFault: (error) => faults.push(error),
      poolClientsMax: 1,
      checkoutTimeoutMs: 500,
    });
    await write(db, 'unsent');
    // The transaction holds the only connection, so the notification cannot be sent.
    await db.transaction(async () => await waitUntil(() => faults.length > 0));
    assert.match(String(faults[0]), /timeout/);
    await db.close();
  });
});

function holdAnnouncer(): {
  readonly announcer: Announcer;
  readonly sent: (readonly string[])[];
  readonly faults: unknown[];
  release: (error?: Error) => void;
} {
  const sent: (readonly string[])[] = [];
  const faults: unknown[] = [];
  const held: { release: (error?: Error) => void } = { release: () => undefined };
  const announcer = new Announcer({
    onFault: (error) => faults.push(error),
    send: async (messages) => {
      sent.push(messages);
      await new Promise<void>((resolve, reject) => {
        held.release = (error): void => (error === undefined ? resolve() : reject(error));
      });
    },
  });
  return { announcer, sent, faults, release: (error) => held.release(error) };
}

describe('an announcer', () => {
  it('an announcer runs one statement at a time, and messages that arrive during it are sent by the next statement', async () => {
    const { announcer, sent, release } = holdAnnouncer();
    announcer.add('a');
    await waitUntil(() => sent.length === 1);
    // `a` is sent again, because the data that it announces may have changed after the first
    // statement was sent.
    for (const message of ['a', 'b', 'a', 'c', 'b']) announcer.add(message);
    assert.equal(sent.length, 1);
    release();
    await waitUntil(() => sent.length === 2);
    assert.deepEqual(sent, [['a'], ['a', 'b', 'c']]);
    release();
    await announcer.close();
    assert.equal(sent.length, 2);
  });

  it('an announcer starts a statement 10 ms after the end of the previous one', async () => {
    const { announcer, sent, release } = holdAnnouncer();
    announcer.add('a');
    await waitUntil(() => sent.length === 1);
    announcer.add('b');
    const endedAtMs = performance.now();
    release();
    await waitUntil(() => sent.length === 2);
    // A timer may fire a fraction of a millisecond early.
    assert.ok(performance.now() - endedAtMs >= 9);
    release();
    await announcer.close();
  });

  it('an announcer holds 10,000 messages, drops further messages, and reports that once', async () => {
    const { announcer, sent, faults, release } = holdAnnouncer();
    announcer.add('first');
    await waitUntil(() => sent.length === 1);
    for (let n = 1; n <= 10_002; n++) announcer.add(`n${n}`);
    announcer.add('n1');
    assert.equal(faults.length, 1);
    assert.match(String(faults[0]), /10000 notifications are already waiting/);
    release();
    await waitUntil(() => sent.length === 2);
    assert.equal(sent[1]?.length, 10_000);
    release();
    await announcer.close();
  });

  it('an announcer continues after failures, reports only the first failure, and sends waiting messages when it closes', async () => {
    const { announcer, sent, faults, release } = holdAnnouncer();
    for (const message of ['a', 'b']) {
      announcer.add(message);
      await waitUntil(() => sent.at(-1)?.includes(message) === true);
      release(new Error('the database is away'));
    }
    announcer.add('c');
    const closed = announcer.close();
    announcer.add('too late');
    await waitUntil(() => sent.length === 3);
    release();
    await closed;
    assert.deepEqual(sent, [['a'], ['b'], ['c']]);
    assert.equal(faults.length, 1);
  });
});
