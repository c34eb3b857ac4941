import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { holdTransaction } from '../../test/held-transaction.ts';
import { openTestDatabase, type TestDatabase } from '../../test/test-database.ts';
import { waitUntil } from '../../test/wait-until.ts';
import { DatabaseBusy } from './database.ts';
import { openDatabase } from './open-database.ts';
import { hotRead, statement } from './statement.ts';

const showJit = statement<{ readonly jit: string }>('test_fault_show_jit', 'show jit');
const selectNumber = statement<{ n: number }>('test_fault_number', 'select $1::bigint as n');
const add = statement('test_fault_add', 'insert into thing (id, v) values ($1, $2)');
const raise = statement('test_fault_raise', 'update thing set v = v + 1 where id = $1');
const readLocked = statement<{ v: number }>(
  'test_fault_read_locked',
  'select v from thing where id = $1 for update',
);
const readAll = statement<{ id: number; v: number }>(
  'test_fault_all',
  'select id, v from thing order by id',
);
const takeNoWrites = statement('test_fault_take_no_writes', 'set transaction read only');
/** Raises the error that PostgreSQL raises on a full disk, because no test really fills a disk. */
const fillDisk = statement(
  'test_fault_fill_disk',
  `do $$ begin raise exception 'No space left on device' using errcode = 'disk_full'; end $$`,
);
const ownPid = statement<{ pid: number }>('test_fault_pid', 'select pg_backend_pid() as pid');
const terminate = statement('test_fault_terminate', 'select pg_terminate_backend($1::int)');

async function makeThings(base: TestDatabase): Promise<void> {
  await base.db.runScript('create table thing (id int primary key, v int not null)');
}

describe('a database server', () => {
  it('the server does not JIT-compile statements', async () => {
    await using base = await openTestDatabase();
    assert.deepEqual(await base.db.query(showJit), [{ jit: 'off' }]);
  });

  it('the database is busy if a lock does not become free in time', async () => {
    await using base = await openTestDatabase();
    await makeThings(base);
    await base.db.query(add, [1, 0]);
    const config = base.engine.clientConfig();
    const hurried = openDatabase(
      { ...base.engine, clientConfig: () => ({ ...config, lock_timeout: 50 }) },
      { onFault: assert.ifError },
    );
    const held = holdTransaction(base.db, async (tx) => await tx.query(readLocked, [1]));
    await held.begun;
    await assert.rejects(
      hurried.transaction(async (tx) => await tx.query(raise, [1])),
      DatabaseBusy,
    );
    held.release();
    await held.done;
    await hurried.close();
  });

  it('the database is busy if it does not accept writes, like a standby', async () => {
    await using base = await openTestDatabase();
    await makeThings(base);
    const work = base.db.transaction(async (tx) => {
      await tx.query(takeNoWrites);
      await tx.query(add, [1, 1]);
    });
    await assert.rejects(work, DatabaseBusy);
    assert.deepEqual(await base.db.query(readAll), []);
  });

  it('the database is busy while its disk is full', async () => {
    await using base = await openTestDatabase();
    await assert.rejects(base.db.query(fillDisk), DatabaseBusy);
  });

  it('a transaction that was the victim of a deadlock is repeated', async () => {
    await using base = await openTestDatabase();
    await makeThings(base);
    await base.db.query(add, [1, 0]);
    await base.db.query(add, [2, 0]);
    let runs = 0;
    let met = 0;
    const lock = async (first: number, second: number): Promise<void> => {
      await base.db.transaction(async (tx) => {
        runs += 1;
        await tx.query(raise, [first]);
        met += 1;
        await waitUntil(() => met >= 2);
        await tx.query(raise, [second]);
      });
    };
    await Promise.all([lock(1, 2), lock(2, 1)]);
    // The transaction that the deadlock aborts runs twice. On a busy machine it may retry before
    // the other transaction has continued, and run a third time.
    assert.ok(runs >= 3, `${runs} runs`);
    assert.deepEqual(await base.db.query(readAll), [
      { id: 1, v: 2 },
      { id: 2, v: 2 },
    ]);
  });

  it('the database is busy if its connection is lost, and the process and the pool survive', async () => {
    await using base = await openTestDatabase();
    await makeThings(base);
    const ran: string[] = [];
    const work = base.db.transaction(async (tx) => {
      tx.afterCommit(() => ran.push('after'));
      await tx.query(add, [1, 0]);
      const own = await tx.one(ownPid);
      assert.ok(own);
      await assert.rejects(tx.query(terminate, [own.pid]));
      await tx.query(selectNumber, [1]);
    });
    await assert.rejects(work, DatabaseBusy);
    assert.deepEqual(ran, []);
    assert.deepEqual(await base.db.query(readAll), []);
  });

  it('a transaction reports its first error if the connection is lost before the rollback', async () => {
    await using base = await openTestDatabase();
    const work = base.db.transaction(async (tx) => {
      const own = await tx.one(ownPid);
      assert.ok(own);
      await outside(base, own.pid);
      throw new Error('the refusal itself');
    });
    await assert.rejects(work, /the refusal itself/);
    assert.deepEqual(await base.db.one(selectNumber, [1]), { n: 1 });
  });

  it('a lost pipelined connection is replaced', async () => {
    await using base = await openTestDatabase();
    const db = openDatabase(base.engine, { onFault: () => undefined });
    const hotPid = hotRead<{ pid: number }>('test_hot_pid', 'select pg_backend_pid() as pid');
    const askBoth = async (): Promise<readonly (number | undefined)[]> =>
      (await Promise.all([db.one(hotPid), db.one(hotPid)])).map((row) => row?.pid);
    const before = await askBoth();
    for (const pid of before) await base.db.query(terminate, [pid]);
    await waitUntil(async () => {
      const after = await askBoth().catch((error: unknown) => {
        assert.ok(error instanceof DatabaseBusy);
        return before;
      });
      return after.every((pid) => !before.includes(pid));
    });
    await db.close();
  });
});

// Terminates a backend through a second database object, because the first refuses queries while
// its transaction runs.
async function outside(base: TestDatabase, pid: number): Promise<void> {
  const db = openDatabase(base.engine, { onFault: assert.ifError });
  await db.query(terminate, [pid]);
  await db.close();
}
