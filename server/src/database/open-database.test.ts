import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { holdTransaction } from '../../test/held-transaction.ts';
import { openTestDatabase, type TestDatabase } from '../../test/test-database.ts';
import { waitUntil } from '../../test/wait-until.ts';
import { DatabaseBusy, StaleRead } from './database.ts';
import { isUniqueViolation } from './errors.ts';
import { openDatabase } from './open-database.ts';
import { hotRead, statement } from './statement.ts';

const selectNumber = statement<{ n: number }>('test_number', 'select $1::bigint as n');
const hotNumber = hotRead<{ n: number }>('test_hot_number', 'select $1::int as n');
const hotQuotient = hotRead<{ n: number }>('test_hot_quotient', 'select 12 / $1::int as n');
const divide = statement('test_divide', 'select 1 / $1::int');
const two = statement<{ n: number }>('test_two', 'select n from (values (1), (2)) v (n)');
const add = statement('test_add', 'insert into thing (id, v) values ($1, $2)');
const raise = statement('test_raise', 'update thing set v = v + 1 where id = $1');
const read = statement<{ v: number }>('test_read', 'select v from thing where id = $1');
const readLocked = statement<{ v: number }>(
  'test_read_locked',
  'select v from thing where id = $1 for update',
);
const readAll = statement<{ id: number; v: number }>(
  'test_all',
  'select id, v from thing order by id',
);

async function makeThings(base: TestDatabase): Promise<void> {
  await base.db.runScript('create table thing (id int primary key, v int not null)');
}

describe('the database', () => {
  it('the database returns bigint as number', async () => {
    await using base = await openTestDatabase();
    assert.deepEqual(await base.db.one(selectNumber, [7]), { n: 7 });
  });

  it('a query for one row throws if there are two, and returns undefined if there is none', async () => {
    await using base = await openTestDatabase();
    await makeThings(base);
    await assert.rejects(base.db.one(two), /returned 2 rows/);
    assert.equal(await base.db.one(read, [1]), undefined);
  });

  it('the database counts the rows that a statement wrote', async () => {
    await using base = await openTestDatabase();
    await makeThings(base);
    assert.equal(await base.db.count(add, [1, 0]), 1);
    assert.equal(await base.db.count(raise, [2]), 0);
  });

  it('the error of a pipelined read is reported only to its caller', async () => {
    await using base = await openTestDatabase();
    const reads = Array.from({ length: 60 }, async (_, i) =>
      i % 3 === 0 ? await base.db.one(hotQuotient, [0]) : await base.db.one(hotNumber, [i]),
    );
    for (const [i, result] of (await Promise.allSettled(reads)).entries()) {
      if (i % 3 !== 0) assert.deepEqual(result, { status: 'fulfilled', value: { n: i } });
      else assert.match(String(result.status === 'rejected' && result.reason), /division by zero/);
    }
  });

  it('a closed database throws DatabaseBusy', async () => {
    await using base = await openTestDatabase();
    const db = openDatabase(base.engine, { onFault: assert.ifError });
    await db.one(hotNumber, [1]);
    await db.close();
    await assert.rejects(db.one(hotNumber, [1]), DatabaseBusy);
    await assert.rejects(db.one(selectNumber, [1]), DatabaseBusy);
    await db.close();
  });
});

describe('a transaction', () => {
  it('a transaction commits what its work wrote, and only then runs the after-commit work', async () => {
    await using base = await openTestDatabase();
    await makeThings(base);
    const order: string[] = [];
    const value = await base.db.transaction(async (tx) => {
      tx.afterCommit(() => order.push('after'));
      await tx.query(add, [1, 5]);
      order.push('work');
      return 'done';
    });
    assert.equal(value, 'done');
    assert.deepEqual(order, ['work', 'after']);
    assert.deepEqual(await base.db.one(read, [1]), { v: 5 });
  });

  it('a transaction rolls back if its work throws, and runs no after-commit work', async () => {
    await using base = await openTestDatabase();
    await makeThings(base);
    const refusal = new Error('refused');
    const ran: string[] = [];
    const work = base.db.transaction(async (tx) => {
      tx.afterCommit(() => ran.push('after'));
      await tx.query(add, [1, 5]);
      throw refusal;
    });
    await assert.rejects(work, (error) => error === refusal);
    assert.deepEqual(await base.db.query(readAll), []);
    assert.deepEqual(ran, []);
  });

  it('a transaction whose work throws commits if the work has called commitOnRefusal', async () => {
    await using base = await openTestDatabase();
    await makeThings(base);
    const ran: string[] = [];
    const work = base.db.transaction(async (tx) => {
      tx.afterCommit(() => ran.push('after'));
      tx.commitOnRefusal();
      await tx.query(add, [1, 5]);
      throw new Error('revoked');
    });
    await assert.rejects(work, /revoked/);
    assert.deepEqual(await base.db.one(read, [1]), { v: 5 });
    assert.deepEqual(ran, ['after']);
  });

  it('a transaction is not committed in part if a statement failed and the work continued', async () => {
    await using base = await openTestDatabase();
    await makeThings(base);
    const ran: string[] = [];
    const work = base.db.transaction(async (tx) => {
      tx.afterCommit(() => ran.push('after'));
      tx.commitOnRefusal();
      await tx.query(add, [1, 5]);
      await tx.query(divide, [0]).catch(() => 'overlooked');
    });
    await assert.rejects(work, /the commit was refused/);
    assert.deepEqual(await base.db.query(readAll), []);
    assert.deepEqual(ran, []);
    assert.deepEqual(await base.db.one(selectNumber, [1]), { n: 1 });
  });

  it('selects are pipelined, and each sees the earlier writes', async () => {
    await using base = await openTestDatabase();
    await makeThings(base);
    await base.db.count(add, [1, 5]);
    const answers = await base.db.transaction(
      async (tx) => await Promise.all([tx.query(readLocked, [1]), tx.queryPipelined(readAll, [])]),
    );
    assert.deepEqual(answers, [[{ v: 5 }], [{ id: 1, v: 5 }]]);
    const failing = base.db.transaction(
      async (tx) => await Promise.all([tx.query(divide, [0]), tx.queryPipelined(readAll, [])]),
    );
    await assert.rejects(failing, /division by zero/);
    assert.deepEqual(await base.db.query(readAll), [{ id: 1, v: 5 }]);
  });

  it('a select is never sent before the writes that precede it', async () => {
    await using base = await openTestDatabase();
    await makeThings(base);
    await base.db.count(add, [1, 5]);
    const seen = await base.db.transaction(async (tx) => {
      const [, first] = await Promise.all([tx.query(raise, [1]), tx.queryPipelined(read, [1])]);
      const [, second, third] = await Promise.all([
        tx.query(raise, [1]),
        tx.queryPipelined(read, [1]),
        tx.queryPipelined(readAll, []),
      ]);
      const [, , fourth] = await Promise.all([
        tx.query(readLocked, [1]),
        tx.query(raise, [1]),
        tx.queryPipelined(read, [1]),
      ]);
      return [first, second, third, fourth];
    });
    assert.deepEqual(seen, [[{ v: 6 }], [{ v: 7 }], [{ id: 1, v: 7 }], [{ v: 8 }]]);
    const failing = base.db.transaction(async (tx) => {
      await tx.query(readLocked, [1]);
      await Promise.all([tx.query(add, [1, 0]), tx.queryPipelined(readAll, [])]);
    });
    await assert.rejects(failing, (error) => isUniqueViolation(error, 'thing_pkey'));
    assert.deepEqual(await base.db.query(readAll), [{ id: 1, v: 8 }]);
  });

  it('the last statement is sent together with the commit, and not sent if the work throws', async () => {
    await using base = await openTestDatabase();
    await makeThings(base);
    await base.db.transaction(async (tx) => {
      await tx.count(add, [1, 0]);
      tx.queryWithCommit(add, [2, 0], 1);
    });
    assert.equal((await base.db.query(readAll)).length, 2);
    let followed = 0;
    const failing = base.db.transaction(async (tx) => {
      await tx.count(add, [3, 0]);
      tx.afterCommit(() => void (followed += 1));
      tx.queryWithCommit(add, [2, 0], 1);
    });
    await assert.rejects(failing, (error) => isUniqueViolation(error, 'thing_pkey'));
    const thrown = base.db.transaction(async (tx) => {
      tx.queryWithCommit(add, [4, 0], 1);
      tx.commitOnRefusal();
      throw new Error('no');
    });
    await assert.rejects(thrown, /^Error: no$/);
    const wrong = base.db.transaction(async (tx) => tx.queryWithCommit(raise, [9], 1));
    await assert.rejects(wrong, /wrote 0 rows/);
    assert.deepEqual([(await base.db.query(readAll)).length, followed], [2, 0]);
  });

  it('a unique violation is identified by its constraint', async () => {
    await using base = await openTestDatabase();
    await makeThings(base);
    await base.db.query(add, [1, 1]);
    await assert.rejects(
      base.db.transaction(async (tx) => await tx.query(add, [1, 2])),
      (error) => isUniqueViolation(error, 'thing_pkey') && !isUniqueViolation(error, 'other'),
    );
  });

  it('a query on the database and a nested transaction are refused inside a transaction', async () => {
    await using base = await openTestDatabase();
    await assert.rejects(
      base.db.transaction(async () => await base.db.query(selectNumber, [1])),
      /inside a transaction/,
    );
    await assert.rejects(
      base.db.transaction(async () => await base.db.transaction(async () => 1)),
      /inside a transaction/,
    );
  });

  it('a query on the database is allowed in after-commit work', async () => {
    await using base = await openTestDatabase();
    let asked: Promise<unknown> = Promise.reject(new Error('never asked'));
    asked.catch(() => 'replaced below');
    await base.db.transaction(async (tx) => {
      tx.afterCommit(() => {
        asked = base.db.one(selectNumber, [3]);
      });
    });
    assert.deepEqual(await asked, { n: 3 });
  });

  it('a transaction reports after-commit work that throws, and still returns', async () => {
    await using base = await openTestDatabase();
    const faults: Error[] = [];
    const db = openDatabase(base.engine, { onFault: (error) => faults.push(error) });
    const ran: string[] = [];
    await db.transaction(async (tx) => {
      tx.afterCommit(() => {
        throw new Error('a faulty listener');
      });
      tx.afterCommit(() => ran.push('the next'));
    });
    assert.match(String(faults), /a faulty listener/);
    assert.deepEqual(ran, ['the next']);
    await db.close();
  });

  it('no statement runs after the end of a transaction', async () => {
    await using base = await openTestDatabase();
    let late: () => Promise<unknown> = async () => 'not set';
    await base.db.transaction(async (tx) => {
      late = async () => await tx.query(selectNumber, [1]);
    });
    await assert.rejects(late(), /after the end of its transaction/);
  });

  it('a transaction runs again after a stale read, at most five times in all', async () => {
    await using base = await openTestDatabase();
    await makeThings(base);
    let runs = 0;
    const value = await base.db.transaction(async (tx) => {
      runs += 1;
      await tx.query(add, [runs, 0]);
      if (runs < 5) throw new StaleRead('it moved');
      return runs;
    });
    assert.equal(value, 5);
    assert.deepEqual(await base.db.query(readAll), [{ id: 5, v: 0 }]);

    runs = 0;
    const hopeless = base.db.transaction(async (tx) => {
      runs += 1;
      tx.commitOnRefusal();
      await tx.query(add, [100 + runs, 0]);
      throw new StaleRead('it always moves');
    });
    await assert.rejects(hopeless, DatabaseBusy);
    assert.equal(runs, 5);
    assert.deepEqual(await base.db.query(readAll), [{ id: 5, v: 0 }]);
  });

  it('transactions that write one row are isolated', async () => {
    await using base = await openTestDatabase();
    await makeThings(base);
    await base.db.query(add, [1, 0]);
    const writers = Array.from({ length: 20 }, async (_, i) => {
      await base.db.transaction(async (tx) => {
        await tx.query(readLocked, [1]);
        await new Promise((resolve) => setImmediate(resolve));
        await tx.query(raise, [1]);
        if (i % 5 === 4) throw new Error('every fifth is refused');
      });
    });
    const results = await Promise.allSettled(writers);
    assert.equal(results.filter((result) => result.status === 'rejected').length, 4);
    assert.deepEqual(await base.db.one(read, [1]), { v: 16 });
  });

  it('the database is busy if no connection becomes free in time, and works when a connection is free', async () => {
    await using base = await openTestDatabase();
    const db = openDatabase(base.engine, {
      onFault: assert.ifError,
      poolClientsMax: 1,
      checkoutTimeoutMs: 50,
    });
    // Connect first, which may take longer than the timeout. The test is only about the wait for a
    // connection that is in use.
    await waitUntil(async () => {
      const result = await db.one(selectNumber, [1]).catch(() => null);
      return result !== null;
    });
    const held = holdTransaction(db);
    await held.begun;
    await assert.rejects(
      db.transaction(async () => 1),
      DatabaseBusy,
    );
    await assert.rejects(db.one(selectNumber, [1]), DatabaseBusy);
    held.release();
    await held.done;
    assert.deepEqual(await db.one(selectNumber, [1]), { n: 1 });
    await db.close();
  });
});
