import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import pg from 'pg';
import { openTestDatabase, type TestDatabase } from '../../test/test-database.ts';
import { waitUntil } from '../../test/wait-until.ts';

/** What the service relies on in ordinary `pg` clients. */
describe('ordinary pg clients', () => {
  it('answer each of many named statements of several clients with its own row', async () => {
    await using base = await openTestDatabase();
    await withPool(base, async (pool) => {
      const asked = Array.from({ length: 200 }, async (_, i) => {
        const config = { name: 'echo', text: 'select $1::text as a', values: [String(i)] };
        return (await pool.query<{ a: string }>(config)).rows[0]?.a === String(i);
      });
      assert.ok((await Promise.all(asked)).every(Boolean));
    });
  });

  it('keep statements of one name and different text apart, and names of 63 bytes', async () => {
    await using base = await openTestDatabase();
    const name = 'n'.repeat(63);
    await withClients(base, 2, async (clients) => {
      const texts = ['select 1 as n', 'select 2 as n'];
      for (let round = 0; round < 3; round++) {
        for (const [i, client] of clients.entries()) {
          const { rows } = await client.query({ name, text: texts[i] ?? '' });
          assert.deepEqual(rows, [{ n: i + 1 }]);
        }
      }
      const other = `${'n'.repeat(62)}m`;
      assert.deepEqual((await clients[0]?.query({ name: other, text: 'select 3 as n' }))?.rows, [
        { n: 3 },
      ]);
    });
  });

  it('answer different unnamed statements at once, a 2 MB parameter beside small ones', async () => {
    await using base = await openTestDatabase();
    const big = 'x'.repeat(2_000_000);
    await withPool(base, async (pool) => {
      const asked = Array.from({ length: 60 }, async (_, i) => {
        const value = i % 3 === 0 ? big : String(i);
        const { rows } = await pool.query(`select length($1::text) as c${i}`, [value]);
        assert.deepEqual(rows, [{ [`c${i}`]: value.length }]);
      });
      await Promise.all(asked);
    });
  });

  it('carry 8 MB in and out, and 5,000 rows', async () => {
    await using base = await openTestDatabase();
    await withPool(base, async (pool) => {
      const text = 'ピ'.repeat(2_700_000);
      const { rows } = await pool.query<{ a: string }>('select $1::text as a', [text]);
      assert.ok(rows[0]?.a === text);
      const many = await pool.query('select g, repeat($1, 200) r from generate_series(1, 5000) g', [
        'x',
      ]);
      assert.equal(many.rows.length, 5000);
    });
  });

  it('never show a reader an uncommitted row', async () => {
    await using base = await openTestDatabase();
    await withPool(base, async (pool) => {
      await pool.query('create table seen (id int)');
      const writer = await pool.connect();
      await writer.query('begin');
      await writer.query('insert into seen values (1)');
      const count = pool.query<{ n: number }>('select count(*) as n from seen');
      await new Promise((resolve) => setImmediate(resolve));
      await writer.query('rollback');
      writer.release();
      assert.equal((await count).rows[0]?.n, 0);
    });
  });

  it('work pipelined beside a pool with transactions', async () => {
    await using base = await openTestDatabase();
    const lines = [0, 1].map(
      () => new pg.Client({ ...base.engine.clientConfig(), pipeline: true }),
    );
    await Promise.all(lines.map(async (line) => await line.connect()));
    await withPool(base, async (pool) => {
      await pool.query('create table busy (id int primary key)');
      const reads = Array.from({ length: 200 }, async (_, i) => {
        const answer = await lines[i % 2]?.query({
          name: 'n',
          text: 'select $1::int as a',
          values: [i],
        });
        assert.deepEqual(answer?.rows, [{ a: i }]);
      });
      const writes = Array.from({ length: 20 }, async (_, i) => {
        const client = await pool.connect();
        await client.query('begin');
        await client.query('insert into busy values ($1)', [i]);
        await new Promise((resolve) => setImmediate(resolve));
        await client.query('commit');
        client.release();
      });
      await Promise.all([...reads, ...writes]);
      const { rows } = await pool.query('select count(*) as n from busy');
      assert.deepEqual(rows, [{ n: 20 }]);
    });
    await Promise.all(lines.map(async (line) => await line.end()));
  });

  it('hear notifications on a client of their own and on one of the pool', async () => {
    await using base = await openTestDatabase();
    await withClients(base, 1, async ([own]) => {
      await withPool(base, async (pool) => {
        const heard: string[] = [];
        own?.on('notification', (note) => heard.push(`own ${note.payload}`));
        await own?.query('listen room');
        const pooled = await pool.connect();
        pooled.on('notification', (note) => heard.push(`pooled ${note.payload}`));
        await pooled.query('listen room');
        await pooled.query("select pg_notify('room', 'a')");
        await pooled.query('begin');
        await pooled.query("select pg_notify('room', 'rolled back')");
        await pooled.query('rollback');
        await pool.query("select pg_notify('room', 'b')");
        await waitUntil(() => heard.length >= 4);
        pooled.release();
        assert.deepEqual(heard.toSorted(), ['own a', 'own b', 'pooled a', 'pooled b']);
        assert.ok(heard.indexOf('own a') < heard.indexOf('own b'));
      });
    });
  });

  it('are rolled back when they leave inside a transaction', async () => {
    await using base = await openTestDatabase();
    await withPool(base, async (pool) => {
      await pool.query('create table gone (id int)');
      const client = await pool.connect();
      await client.query('begin');
      await client.query('insert into gone values (1)');
      client.release(true);
      await waitUntil(async () => {
        const { rows } = await pool.query('select count(*) as n from gone');
        assert.deepEqual(rows, [{ n: 0 }]);
        return true;
      });
    });
  });

  it('leave no statement behind', async () => {
    await using base = await openTestDatabase();
    await withClients(base, 1, async ([client]) => {
      await client?.query({ name: 'left', text: 'select 1 as n' });
    });
    await withClients(base, 1, async ([client]) => {
      const { rows } = (await client?.query('select name from pg_prepared_statements')) ?? {};
      assert.deepEqual(rows, []);
    });
  });

  it('get notices, the code of an error inside a script, and go on', async () => {
    await using base = await openTestDatabase();
    await withClients(base, 1, async ([client]) => {
      const notices: string[] = [];
      client?.on('notice', (notice) => notices.push(notice.message ?? ''));
      await client?.query('drop table if exists never_there');
      await client?.query("do $$ begin raise notice 'hello'; end $$");
      await assert.rejects(async () => await client?.query('select 1; select 1 / 0; select 2'), {
        code: '22012',
      });
      assert.deepEqual((await client?.query('select 1 as n'))?.rows, [{ n: 1 }]);
      assert.equal(notices.length, 2);
      assert.equal(notices[1], 'hello');
    });
  });

  it('get an error of a statement that cannot be prepared, and may prepare it when it can', async () => {
    await using base = await openTestDatabase();
    await withClients(base, 1, async ([client]) => {
      const late = { name: 'late', text: 'select id from late' };
      await assert.rejects(async () => await client?.query(late), { code: '42P01' });
      await client?.query('create table late (id int)');
      assert.deepEqual((await client?.query(late))?.rows, []);
    });
  });

  it('do not hold up the event loop while a long statement runs', async () => {
    await using base = await openTestDatabase();
    await withPool(base, async (pool) => {
      let ticks = 0;
      const timer = setInterval(() => {
        ticks += 1;
      }, 5);
      await pool.query('select count(*) from generate_series(1, 2000000)');
      clearInterval(timer);
      assert.ok(ticks >= 5, `${ticks} ticks`);
    });
  });

  it('speak UTF-8 and UTC, and sort by code point', async () => {
    await using base = await openTestDatabase();
    await withClients(base, 1, async ([client]) => {
      const { rows } =
        (await client?.query(`
        select current_setting('server_encoding') as server, current_setting('client_encoding') as client,
          array(select v from unnest(array['b', 'B', 'a', 'ä', 'ア']) v order by v) as sorted,
          lower('ÄÖ') as lower, length('ピカ') as length`)) ?? {};
      assert.deepEqual(rows, [
        {
          server: 'UTF8',
          client: 'UTF8',
          sorted: ['B', 'a', 'b', 'ä', 'ア'],
          lower: 'äö',
          length: 2,
        },
      ]);
      const instant = new Date('2026-03-29T00:30:00.123Z');
      const answer = await client?.query('select $1::timestamptz as at', [instant]);
      assert.deepEqual(answer?.rows, [{ at: instant }]);
    });
  });
});

async function withPool(base: TestDatabase, work: (pool: pg.Pool) => Promise<void>): Promise<void> {
  const pool = new pg.Pool({ ...base.engine.clientConfig(), max: 4 });
  try {
    await work(pool);
  } finally {
    await pool.end();
  }
}

async function withClients(
  base: TestDatabase,
  count: number,
  work: (clients: readonly pg.Client[]) => Promise<void>,
): Promise<void> {
  const clients = Array.from({ length: count }, () => new pg.Client(base.engine.clientConfig()));
  await Promise.all(clients.map(async (client) => await client.connect()));
  try {
    await work(clients);
  } finally {
    await Promise.all(clients.map(async (client) => await client.end()));
  }
}
