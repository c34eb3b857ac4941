import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FAKE_CITUS } from '../../test/fake-citus.ts';
import { openTestDatabase } from '../../test/test-database.ts';
import { waitUntil } from '../../test/wait-until.ts';
import { DatabaseBusy } from './database.ts';
import { openDatabase } from './open-database.ts';
import { SharedReads } from './shared-reads.ts';
import { sharedRead, statement } from './statement.ts';

interface Thing {
  readonly name: string;
  readonly v: number;
}

const findThing = sharedRead<Thing>(
  'test_find_thing',
  `select asked, name, v from unnest((select $1::text[])) with ordinality as ask (name, asked)
     join thing using (name)`,
);
const findPair = sharedRead<{ readonly pair: string }>(
  'test_find_pair',
  `select a || '-' || b as pair, asked
     from unnest((select $1::text[]), (select $2::text[])) with ordinality as ask (a, b, asked)`,
);
const divide = sharedRead<{ readonly n: number }>(
  'test_shared_quotient',
  `select asked, 12 / n::int as n from unnest((select $1::text[])) with ordinality as ask (n, asked)`,
);
const ownPid = sharedRead<{ readonly pid: number }>(
  'test_shared_pid',
  `select asked, pg_backend_pid() as pid
     from unnest((select $1::text[])) with ordinality as ask (name, asked)`,
);
const ownText = sharedRead<{ readonly name: string; readonly text: string }>(
  'test_shared_text',
  `select asked, name, current_query() as text
     from unnest((select $1::text[])) with ordinality as ask (name, asked)`,
);
const addThing = statement('test_add_thing', 'insert into thing (name, v) values ($1, $2)');
const terminate = statement('test_end_backend', 'select pg_terminate_backend($1::int)');
const MAKE_THINGS = `create table thing (name text primary key, v int not null);
  insert into thing select 'n' || n, n from generate_series(1, 1000) n where n % 10 > 0`;

describe('shared reads (decision 0124)', () => {
  it('each of 2,000 callers gets its row from shared reads, or undefined if there is no row', async () => {
    await using base = await openTestDatabase();
    await base.db.runScript(MAKE_THINGS);
    // The keys are in reverse order, each occurs twice, and there are more than fit into one
    // statement.
    const numbers = Array.from({ length: 2_000 }, (_, at) => 1_000 - (at % 1_000));
    const rows = await Promise.all(
      numbers.map(async (n) => await base.db.one(findThing, [`n${n}`])),
    );
    const wanted = numbers.map((n) => (n % 10 > 0 ? { name: `n${n}`, v: n } : undefined));
    assert.deepEqual(rows, wanted);
    assert.equal(await base.db.one(findThing, ['']), undefined);
    const hostile = ['{"a","b"}', 'NULL', '', '\\', "'; drop table thing", '"', 'リザードン'];
    const pairs = hostile.map(async (text) => await base.db.one(findPair, [text, `${text}2`]));
    const texts = hostile.map((text) => ({ pair: `${text}-${text}2` }));
    assert.deepEqual(await Promise.all(pairs), texts);
  });

  it('shared reads see everything that was committed before the call, even while other reads are in progress', async () => {
    await using base = await openTestDatabase();
    await base.db.runScript(MAKE_THINGS);
    const others: Promise<unknown>[] = [];
    for (let n = 0; n < 50; n++) {
      const name = `new ${n}`;
      others.push(base.db.one(findThing, [name]), base.db.one(findThing, ['n1']));
      await base.db.query(addThing, [name, n]);
      assert.deepEqual(await base.db.one(findThing, [name]), { name, v: n });
    }
    await Promise.all(others);
  });

  it('the shared reads of one batch fail together, while later reads succeed', async () => {
    await using base = await openTestDatabase();
    const failed = await Promise.allSettled(
      ['1', '0', '2'].map(async (n) => await base.db.one(divide, [n])),
    );
    for (const result of failed) {
      assert.match(String(result.status === 'rejected' && result.reason), /division by zero/);
    }
    assert.deepEqual(await base.db.one(divide, ['2']), { n: 6 });
  });

  it('shared reads run as separate statements in a transaction, and not on the database inside it', async () => {
    await using base = await openTestDatabase();
    await base.db.runScript(MAKE_THINGS);
    await base.db.transaction(async (tx) => {
      await tx.query(addThing, ['own', 7]);
      assert.equal((await tx.one(findThing, ['own']))?.v, 7);
      assert.equal(await tx.one(findThing, ['n10']), undefined);
      await assert.rejects(base.db.one(findThing, ['n1']), /inside a transaction/);
    });
  });

  it('shared reads are sent as one statement per key on Citus', async () => {
    await using base = await openTestDatabase();
    if (!(await base.db.isDistributed())) {
      assert.match((await base.db.one(ownText, ['a']))?.text ?? '', /unnest/);
    }
    await base.db.runScript(FAKE_CITUS);
    const db = openDatabase(base.engine, { onFault: assert.ifError });
    const rows = await Promise.all(
      ['a', "b'", 'a', 'c'].map(async (name) => await db.one(ownText, [name])),
    );
    assert.deepEqual(
      rows.map((row) => row?.name),
      ['a', "b'", 'a', 'c'],
    );
    for (const row of rows) {
      assert.match(row?.text ?? '', /from \(values \(\$1::text, 1::bigint\)\) as ask/);
    }
    assert.equal(await db.isDistributed(), true);
    await db.close();
  });

  it('shared reads fail with DatabaseBusy after the database was closed', async () => {
    await using base = await openTestDatabase();
    const db = openDatabase(base.engine, { onFault: assert.ifError });
    await db.one(findPair, ['a', 'b']);
    const last = db.one(findPair, ['c', 'd']);
    await Promise.all([db.close(), assert.rejects(last, DatabaseBusy)]);
    await assert.rejects(db.one(findPair, ['a', 'b']), DatabaseBusy);
  });

  it('shared reads fail with DatabaseBusy if their connection is lost, and later reads use another connection', async () => {
    await using base = await openTestDatabase();
    const faults: Error[] = [];
    const db = openDatabase(base.engine, { onFault: (error) => faults.push(error) });
    const pid = (await db.one(ownPid, ['']))?.pid;
    await base.db.query(terminate, [pid]);
    await waitUntil(() => faults.length > 0);
    const pids = new Set<number | undefined>();
    for (let n = 0; n < 4; n++) pids.add((await db.one(ownPid, ['']))?.pid);
    assert.equal(pids.has(pid), false);
    await db.close();
  });
});

/** A sent batch; the test supplies its response. */
interface Sent {
  readonly keys: readonly string[];
  readonly connection: number;
  readonly answer: PromiseWithResolvers<readonly object[]>;
}

function openByHand(): { readonly reads: SharedReads; readonly sent: Sent[] } {
  const sent: Sent[] = [];
  const send = async (
    _statement: object,
    columns: readonly (readonly string[])[],
    connection: number,
  ): Promise<readonly object[]> => {
    const answer = Promise.withResolvers<readonly object[]>();
    sent.push({ keys: columns[0] ?? [], connection, answer });
    return await answer.promise;
  };
  return { reads: new SharedReads(send, 2), sent };
}

const turn = async (): Promise<void> => await new Promise((resolve) => setImmediate(resolve));

describe('the statements of shared reads', () => {
  it('the statements are sent once per event-loop tick, with each key once', async () => {
    const { reads, sent } = openByHand();
    const asked = ['a', 'b', 'a'].map(async (key) => await reads.find(findThing, [key]));
    assert.equal(sent.length, 0, 'not before the turn is over');
    await turn();
    assert.deepEqual(
      sent.map(({ keys }) => keys),
      [['a', 'b']],
    );
    sent[0]?.answer.resolve([{ asked: 2, name: 'b', v: 2 }]);
    assert.deepEqual(await Promise.all(asked), [undefined, { name: 'b', v: 2 }, undefined]);
  });

  it('statements run one at a time on each connection, so that a stuck connection delays only its own reads', async () => {
    const { reads, sent } = openByHand();
    const ask = async (key: string): Promise<Thing | undefined> =>
      await reads.find(findThing, [key]);
    void ask('frozen');
    await turn();
    for (let n = 0; n < 5; n++) {
      const [first, second] = [ask('a'), ask('b')];
      await turn();
      const newest = sent.at(-1);
      assert.notEqual(newest?.connection, sent[0]?.connection);
      // A late caller must not share this response, because its statement was sent before the call.
      const late = ask('a');
      await turn();
      assert.equal(sent.at(-1), newest);
      newest?.answer.resolve([{ asked: 1, name: 'a', v: n }]);
      assert.deepEqual([await first, await second], [{ name: 'a', v: n }, undefined]);
      await waitUntil(() => sent.at(-1) !== newest);
      sent.at(-1)?.answer.resolve([{ asked: 1, name: 'a', v: -n }]);
      assert.deepEqual(await late, { name: 'a', v: -n });
    }
  });

  it('statements fail only with their own connection while another connection responds', async () => {
    const { reads, sent } = openByHand();
    const ask = async (key: string): Promise<unknown> =>
      await reads.find(findThing, [key]).catch((error: unknown) => String(error));
    const asked = [];
    for (const key of ['a', 'b', 'c']) {
      asked.push(ask(key));
      await turn();
    }
    assert.equal(sent.length, 2);
    sent[0]?.answer.reject(new Error('a fault of the statement'));
    assert.match(String(await asked[0]), /a fault of the statement/);
    await waitUntil(() => sent.length === 3);
    asked.push(ask('d'));
    await turn();
    assert.equal(sent.length, 3);
    sent[1]?.answer.reject(new Error('Query read timeout'));
    assert.match(String(await asked[1]), /Query read timeout/);
    await waitUntil(() => sent.length === 4);
    sent[3]?.answer.resolve([{ asked: 1, name: 'd', v: 2 }]);
    assert.deepEqual(await asked[3], { name: 'd', v: 2 });
    sent[2]?.answer.resolve([{ asked: 1, name: 'c', v: 1 }]);
    assert.deepEqual(await asked[2], { name: 'c', v: 1 });
  });

  it('if no connection responds, statements fail together with the waiting reads, and later reads are sent again', async () => {
    const { reads, sent } = openByHand();
    const ask = async (key: string): Promise<unknown> =>
      await reads.find(findThing, [key]).catch((error: unknown) => String(error));
    for (const key of ['a', 'b']) {
      void ask(key);
      await turn();
    }
    const waiting = ask('c');
    for (const at of [0, 1]) sent[at]?.answer.reject(new Error('Query read timeout'));
    assert.match(String(await waiting), /Query read timeout/);
    assert.equal(sent.length, 2, 'the waiting reads were not sent');
    const later = [ask('d')];
    await waitUntil(() => sent.length === 3);
    later.push(ask('e'));
    await waitUntil(() => sent.length === 4);
    later.push(ask('f'));
    // No connection has responded yet, so the first loss also fails the waiting reads.
    sent[2]?.answer.reject(new Error('Query read timeout'));
    assert.match(String(await later[2]), /Query read timeout/);
    sent[3]?.answer.resolve([{ asked: 1, name: 'e', v: 1 }]);
    assert.deepEqual(await later[1], { name: 'e', v: 1 });
  });

  it('a statement must return at most one row for each key', async () => {
    for (const rows of [[{ asked: 2 }], [{ asked: 0 }], [{}], [{ asked: 1 }, { asked: 1 }]]) {
      const { reads, sent } = openByHand();
      const asked = assert.rejects(
        reads.find(findThing, ['a']),
        /a key that was not requested|two rows for one key/,
      );
      await turn();
      sent[0]?.answer.resolve(rows);
      await asked;
    }
    const { reads } = openByHand();
    await assert.rejects(reads.find(findThing, [1]), /must be text/);
  });
});
