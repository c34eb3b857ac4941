import assert from 'node:assert/strict';
import { it } from 'node:test';
import pg from 'pg';
import { newId } from '../server/src/base/secrets.ts';
import type { Engine } from '../server/src/database/engine.ts';
import { openEmbedded, parkEmbedded } from '../server/test/embedded.ts';
import { onEachEngine } from '../server/test/engines.ts';
import { openDatabase } from '../server/src/database/open-database.ts';
import { importCards, newCard } from '../server/test/catalog.ts';
import { seedStock } from '../server/test/stock.ts';
import { copyDatabase } from './copy-database.ts';

/** Every table's rows as text, in one order, and where the sequence stands. */
async function contentOf(engine: Engine): Promise<Readonly<Record<string, string>>> {
  const client = new pg.Client(engine.clientConfig());
  await client.connect();
  try {
    const { rows } = await client.query<{ name: string; kind: string }>(
      `select relname as name, relkind::text as kind from pg_class
        where relnamespace = 'public'::regnamespace and relkind in ('r', 'S')
          and relname <> 'schema_migration' order by 1`,
    );
    const content: Record<string, string> = {};
    for (const { name, kind } of rows) {
      const row = kind === 'S' ? `last_value || ' ' || is_called` : 'to_jsonb(t)::text';
      const { rows: found } = await client.query<{ text: string | null }>(
        `select string_agg(${row}, chr(10) order by ${row}) as text from ${name} t`,
      );
      content[name] = found[0]?.text ?? '';
    }
    return content;
  } finally {
    await client.end();
  }
}

onEachEngine('copying a database (decision 0130)', (open) => {
  it('brings every row and the sequence over, and refuses a database that is in use', async () => {
    await using target = await open();
    await using stack = new AsyncDisposableStack();
    const source = stack.adopt(await openEmbedded(), parkEmbedded);
    const db = stack.adopt(openDatabase(source, { onFault: console.error }), async (opened) => {
      await opened.close();
    });
    const { shop, siteId } = await seedStock(db);
    await importCards(db, [newCard('"引用" \\ 符', { localizedNames: { en: 'a\u2028b' } })]);
    await db.script(`
      insert into cursor_key values ('0a0b0c0d', '\\x00ff10', '2026-01-02 03:04:05.678901+09');
      update feed_head set seq = 9007199254740993 where shop_id = '${shop.id}';
      insert into oauth_artifact (model, id, payload) values ('Grant', '${newId()}', '{"n":1e3,"z":"ſ"}')`);
    const before = await contentOf(source);
    assert.ok((before['site'] ?? '').includes(siteId));
    const copied = await copyDatabase(source, target.engine);
    assert.deepEqual(await contentOf(target.engine), before);
    assert.deepEqual(await contentOf(source), before, 'the source is only read');
    assert.ok(copied.some(({ table, rows }) => table === 'card' && rows === 3));
    await assert.rejects(copyDatabase(source, target.engine), /holds data already/);
    assert.deepEqual(await contentOf(target.engine), before);
  });
});
