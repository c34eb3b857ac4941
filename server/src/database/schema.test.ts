import assert from 'node:assert/strict';
import { it } from 'node:test';
import { onEachEngine } from '../../test/engines.ts';
import { statement } from './statement.ts';

const findUniqueIndexes = statement<{ table: string; index: string; first: string }>(
  'test_unique_indexes',
  `select t.relname as table, i.relname as index,
     coalesce((select a.attname from pg_attribute a where a.attrelid = t.oid and a.attnum = x.indkey[0]), '') as first
   from pg_index x
   join pg_class i on i.oid = x.indexrelid
   join pg_class t on t.oid = x.indrelid
   where x.indisunique and t.relnamespace = 'public'::regnamespace
     and exists (select from pg_attribute a where a.attrelid = t.oid and a.attname = 'shop_id')
   order by 1, 2`,
);

const findTablesOfShops = statement<{ table: string; hasKey: boolean }>(
  'test_tables_of_shops',
  `select t.relname as table,
     exists (select from pg_index x where x.indrelid = t.oid and x.indisprimary) as "hasKey"
   from pg_class t
   join pg_attribute a on a.attrelid = t.oid and a.attname = 'shop_id'
   where t.relkind = 'r' and t.relnamespace = 'public'::regnamespace
   order by 1`,
);

const findTriggers = statement<{ name: string }>(
  'test_triggers',
  'select tgname as name from pg_trigger where not tgisinternal',
);

/** Foreign keys between two tables of shops, with the columns of both sides. */
const findForeignKeys = statement<{ name: string; from: string[]; to: string[] }>(
  'test_foreign_keys',
  `select c.conname as name,
     array(select a.attname::text from unnest(c.conkey) k join pg_attribute a on a.attrelid = c.conrelid and a.attnum = k) as from,
     array(select a.attname::text from unnest(c.confkey) k join pg_attribute a on a.attrelid = c.confrelid and a.attnum = k) as to
   from pg_constraint c
   where c.contype = 'f'
     and exists (select from pg_attribute a where a.attrelid = c.conrelid and a.attname = 'shop_id')
     and exists (select from pg_attribute a where a.attrelid = c.confrelid and a.attname = 'shop_id')`,
);

const findCheckless = statement<{ name: string }>(
  'test_unvalidated',
  'select conname as name from pg_constraint where not convalidated',
);

// So that the schema can be distributed by `shop_id` as it is (ARCHITECTURE: the database).
onEachEngine('the schema', (open) => {
  it('has shop_id first in every primary key and unique index of a table of shops', async () => {
    await using base = await open();
    const tables = await base.db.query(findTablesOfShops);
    assert.ok(tables.length > 10);
    assert.deepEqual(
      tables.filter(({ hasKey }) => !hasKey),
      [],
    );
    // The list of the shops themselves is the one place where a name is unique among all of them.
    const indexes = (await base.db.query(findUniqueIndexes)).filter(
      ({ index }) => index !== 'shop_slug_key',
    );
    assert.deepEqual(
      indexes.filter(({ first }) => first !== 'shop_id'),
      [],
    );
  });

  it('has no triggers', async () => {
    await using base = await open();
    assert.deepEqual(await base.db.query(findTriggers), []);
  });

  it('has no foreign key from one shop to another', async () => {
    await using base = await open();
    const keys = await base.db.query(findForeignKeys);
    assert.ok(keys.length > 5);
    assert.deepEqual(
      keys.filter(({ from, to }) => !from.includes('shop_id') || !to.includes('shop_id')),
      [],
    );
  });

  it('has every constraint in force', async () => {
    await using base = await open();
    assert.deepEqual(await base.db.query(findCheckless), []);
  });
});
