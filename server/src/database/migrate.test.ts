import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import pg from 'pg';
import { openTestDatabase, type TestDatabase } from '../../test/test-database.ts';
import {
  DatabaseUnsuitable,
  listMigrations,
  migrate,
  type Migration,
  SchemaIsNewer,
} from './migrate.ts';
import { openDatabase } from './open-database.ts';
import { postgresqlEngine } from './postgresql-engine.ts';
import { statement } from './statement.ts';

const countApplied = statement<{ number: number; name: string }>(
  'test_applied',
  'select number, name from schema_migration order by number',
);
const findTables = statement<{ name: string }>(
  'test_tables',
  `select relname as name from pg_class where relkind = 'r' and relname ~ '^later' order by 1`,
);

const newest = listMigrations().at(-1)?.number ?? 0;

function later(index: number, text: string): Migration {
  return { number: newest + index, name: `later_${index}`, text };
}

describe('a migration run', () => {
  it('migrations are numbered from 1 without a gap', () => {
    const numbers = listMigrations().map((migration) => migration.number);
    assert.deepEqual(
      numbers,
      Array.from({ length: numbers.length }, (_, i) => i + 1),
    );
  });

  it('a migration run applies each missing migration once', async () => {
    await using base = await openTestDatabase();
    const all = [
      ...listMigrations(),
      later(1, 'create table later_1 (id int); create index on later_1 (id)'),
    ];
    assert.deepEqual((await migrate(base.engine, all)).applied, ['later_1']);
    assert.deepEqual((await migrate(base.engine, all)).applied, []);
    assert.deepEqual(
      await base.db.query(countApplied),
      all.map(({ number, name }) => ({ number, name })),
    );
  });

  it('a migration run rolls back a failed migration, keeps the earlier ones, and can be repeated', async () => {
    await using base = await openTestDatabase();
    const good = later(1, 'create table later_1 (id int)');
    const bad = later(2, 'create table later_2 (id int); select 1 / 0');
    await assert.rejects(
      migrate(base.engine, [...listMigrations(), good, bad]),
      /migration \d{4}_later_2\.sql failed: division by zero/,
    );
    assert.deepEqual(await base.db.query(findTables), [{ name: 'later_1' }]);
    const mended = later(2, 'create table later_2 (id int)');
    assert.deepEqual((await migrate(base.engine, [...listMigrations(), good, mended])).applied, [
      'later_2',
    ]);
  });

  it('each migration is applied once if several processes start at the same time', async () => {
    await using base = await openTestDatabase();
    const all = [
      ...listMigrations(),
      later(1, 'create table later_1 (id int); select pg_sleep(0.05)'),
      later(2, 'create table later_2 (id int)'),
    ];
    const done = await Promise.all(
      Array.from({ length: 4 }, async () => await migrate(base.engine, all)),
    );
    assert.deepEqual(done.flatMap(({ applied }) => applied).toSorted(), ['later_1', 'later_2']);
  });

  it('a migration run refuses a newer schema, naming both versions, and changes nothing', async () => {
    await using base = await openTestDatabase();
    const next = later(3, 'create table later_3 (id int)');
    await migrate(base.engine, [...listMigrations(), next]);
    await assert.rejects(migrate(base.engine), (error) => {
      assert.ok(error instanceof SchemaIsNewer);
      assert.match(
        error.message,
        new RegExp(`is at migration ${newest + 3}, but this program knows only ${newest}`),
      );
      return true;
    });
    assert.deepEqual(await base.db.query(findTables), [{ name: 'later_3' }]);
  });

  it('a migration run refuses a database that is not UTF-8', async () => {
    await using base = await openTestDatabase();
    const latin = await makeLatin(base);
    await assert.rejects(migrate(postgresqlEngine(latin)), DatabaseUnsuitable);
  });

  it('a migration is not limited by the statement timeout', async () => {
    await using base = await openTestDatabase();
    const config = base.engine.clientConfig();
    const hurried = { ...base.engine, clientConfig: () => ({ ...config, statement_timeout: 20 }) };
    const slow = later(1, 'create table later_1 (id int); select pg_sleep(0.1)');
    assert.deepEqual((await migrate(hurried, [...listMigrations(), slow])).applied, ['later_1']);
    const db = openDatabase(hurried, { onFault: assert.ifError });
    await assert.rejects(db.runScript('select pg_sleep(0.1)'));
    await db.close();
  });
});

async function makeLatin(base: TestDatabase): Promise<string> {
  const client = new pg.Client({ connectionString: base.url });
  await client.connect();
  const name = `${base.url.split('/').at(-1)}_latin`;
  await client.query(`create database ${name} encoding 'LATIN1' locale 'C' template template0`);
  await client.end();
  return base.url.replace(/[^/]+$/, name);
}
