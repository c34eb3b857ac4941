import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { openTcpProxy } from '../../test/tcp-proxy.ts';
import { openTestDatabase } from '../../test/test-database.ts';
import { waitUntil } from '../../test/wait-until.ts';
import { openChannel } from './open-channel.ts';
import { openDatabase } from './open-database.ts';
import { postgresqlEngine } from './postgresql-engine.ts';
import { hotRead, statement } from './statement.ts';

const one = statement<{ n: number }>('test_closing_one', 'select 1 as n');
const hotOne = hotRead<{ n: number }>('test_closing_hot_one', 'select 1 as n');

describe('closing while the database is frozen', () => {
  it('closing takes 2 s while the database is frozen, and fails all waiting callers', async () => {
    await using base = await openTestDatabase();
    const behindWire = new URL(base.url);
    await using wire = await openTcpProxy(Number(behindWire.port));
    behindWire.port = String(wire.port);
    const engine = postgresqlEngine(behindWire.href);
    const faults: Error[] = [];
    const onFault = (error: Error): void => void faults.push(error);
    const channel = await openChannel(engine, { onFault });
    const db = openDatabase(engine, { onFault });
    await Promise.all([db.one(hotOne), db.one(hotOne), db.one(one), db.one(one)]);
    await waitUntil(() => channel.isLive());
    const begun = Promise.withResolvers<void>();
    const frozen = Promise.withResolvers<void>();
    const transaction = db.transaction(async (tx) => {
      await tx.one(one);
      begun.resolve();
      await frozen.promise;
      await tx.one(one);
    });
    await begun.promise;
    wire.freeze();
    frozen.resolve();
    const unanswered = [transaction, db.one(hotOne), db.one(one)].map(
      async (asked) => await assert.rejects(asked),
    );
    await Promise.all([channel.close(), db.close()]);
    // The server is still stuck, so only the time limit can have ended the wait.
    await Promise.all(unanswered);
    wire.thaw();
    await waitUntil(() => wire.connections() === 0);
    assert.deepEqual(faults, []);
  });
});
