import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import pg from 'pg';
import { newId } from '../server/src/base/secrets.ts';
import type { Engine } from '../server/src/database/engine.ts';
import { openEmbedded, parkEmbedded } from '../server/test/embedded.ts';
import { cleanEnvironment, temporaryFolder } from '../server/test/cardport.ts';
import { onEachEngine } from '../server/test/engines.ts';
import { lockFolder } from '../server/src/database/pglite/folder-lock.ts';
import { openDatabase } from '../server/src/database/open-database.ts';
import { importCards, newCard } from '../server/test/catalog.ts';
import { seedStock, type TestStock } from '../server/test/stock.ts';
import { copyDatabase } from './copy-database.ts';

/** One row at least of every table that stock leaves empty, with values that a copy could spoil. */
function rowOfEveryTable({ shop, siteId, locationId, cardId }: TestStock): string {
  const [account, approval, connection, boost] = [newId(), newId(), newId(), newId()];
  const instant = `'2026-01-02 03:04:05.678901+09'`;
  const picture = JSON.stringify([{ id: newId(), note: '"\u2028\\' }]);
  return `
    insert into cursor_key values ('0a0b0c0d', '\\x00ff10', ${instant});
    update feed_head set seq = 9007199254740993 where shop_id = '${shop.id}';
    insert into oauth_artifact (model, id, payload)
      values ('Grant', '${newId()}', '{"n":1e3,"z":"ſ"}');
    insert into oauth_answer values ('\\x00', 'g', 's', '\\x5c78ff', ${instant});
    insert into account values ('${account}', 'a@example.com', '空 "N"', 'h', ${instant});
    insert into member values ('${shop.id}', '${account}', '{inventory.read,members.manage}',
      true, ${instant}, ${instant});
    insert into session values ('h', '${account}', ${instant}, ${instant}, 'infinity');
    insert into sign_in_attempt values ('k', ${instant}, 3);
    insert into shop_key values ('${shop.id}', '${newId()}', '', 'h', ${instant}, null);
    insert into app values ('${shop.id}', 'c', 'C', null, array['https://a.example/{,}"'], '{openid}',
      true, true, ${instant}, ${instant}, null);
    insert into app_secret values ('${shop.id}', 'c', '${newId()}', 'h', ${instant});
    insert into approval values ('${shop.id}', '${approval}', 'c', '${account}', 'g', '{openid}',
      ${instant}, null, null);
    insert into connection values ('${shop.id}', '${connection}', 'c', '${account}', 'active',
      ${instant}, null, null);
    insert into feed_read values ('${shop.id}', '${connection}', 1, 9007199254740993, ${instant});
    insert into webhook (shop_id, connection_id, registration_id, url, origin, created_at,
        secret_sealed, secret_key_id, acknowledged_epoch, acknowledged_seq)
      values ('${shop.id}', '${connection}', '${newId()}', 'https://a.example/h', 'https://a.example',
        ${instant}, '\\x00015cff', 'k', 1, 9007199254740993);
    insert into webhook_attempt values ('${shop.id}', '${connection}', 1, '${newId()}', 1, ${instant},
      12, null, 'dns');
    insert into signing_key values ('current', '\\x00ff', ${instant}, '{"n":1e3}');
    insert into boost values ('${shop.id}', '${boost}', '${cardId}', null, null, 1000000000000,
      'JPY', null, ${instant}, 'infinity', E'\\\\ "\\n', false, null, ${instant}, ${instant});
    insert into boost_purchase values ('${shop.id}', '${boost}', '${newId()}', 2, 2, ${instant}, null);
    insert into stale_photo values ('${shop.id}', '${newId()}', ${instant}, 2);
    insert into shop_grade values ('${shop.id}', '${newId()}', 'A', 'A', 's', 'S', ${instant}, 1);
    insert into renamed_game select game_id, 'card', '${cardId}' from game;
    insert into unit (shop_id, unit_id, status, site_id, location_id, card_id, ownership, currency,
        photos, status_changed_at, created_at, updated_at, catalog_position, seq, doc)
      values ('${shop.id}', '${newId()}', 'in_stock', '${siteId}', '${locationId}', '${cardId}',
        'owned', 'JPY', '${picture}', ${instant}, ${instant}, ${instant}, 1, 9, '{"a": 1,  "a": 2}');
    insert into stock_count values ('${shop.id}', '${siteId}', 'in_stock', 9007199254740993);
    insert into stock_movement values ('${shop.id}', ${instant}, -9007199254740993);
    insert into unit_status_change values ('${shop.id}', '${newId()}', 9, ${instant}, 'sold', 'in_stock',
      'operator', null);
    insert into audit_event values ('${shop.id}', '${newId()}', ${instant}, 'member', '${account}', '空 "N"',
      'app.changed', 'app', 'c', null, '{"n":1e3,"list":["\u2028","\\\\"]}');
    insert into invitation values ('${shop.id}', '${newId()}', 'b@example.com', '{inventory.read}', 'ja',
      'h', '${account}', ${instant}, 'infinity');
    insert into invitation_pace values ('${shop.id}', ${instant}, 3);
    insert into passkey values ('${account}', '${newId()}', 'id', '\\x00ff5c', 9007199254740993,
      '{internal,"a b"}', true, '鍵 "N"', ${instant}, null);
    insert into passkey_challenge values ('h', '${account}', ${instant});
    insert into notice_hour values ('${shop.id}', ${instant}, 9007199254740993, 0);
    insert into lag_sample values ('${shop.id}', '${connection}', ${instant}, 9007199254740993);
  `;
}

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
    await assert.rejects(copyDatabase(source, target.engine), /no shop and no account/);
    const stock = await seedStock(db);
    await importCards(db, [newCard('"引用" \\ 符', { localizedNames: { en: 'a\u2028b' } })]);
    await db.script(rowOfEveryTable(stock));
    const before = await contentOf(source);
    const empty = Object.keys(before).filter((name) => before[name] === '');
    assert.deepEqual(empty, [], 'what is compared holds rows');
    assert.ok((before['site'] ?? '').includes(stock.siteId));
    const copied = await copyDatabase(source, target.engine);
    assert.deepEqual(await contentOf(target.engine), before);
    assert.deepEqual(await contentOf(source), before, 'the source is only read');
    assert.ok(copied.some(({ table, rows }) => table === 'card' && rows === 3));
    await assert.rejects(copyDatabase(source, target.engine), /holds data already/);
    assert.deepEqual(await contentOf(target.engine), before);
  });
});

describe('the move to PostgreSQL (decision 0130)', () => {
  const script = new URL('move-to-postgresql.ts', import.meta.url).pathname;
  async function move(folder: string): Promise<string> {
    // Nobody answers there: a folder that is refused is refused before.
    const env = cleanEnvironment({ DATA_DIR: folder, DATABASE_URL: 'postgres://127.0.0.1:1/x' });
    const child = spawn(process.execPath, [script], { env, stdio: ['ignore', 'pipe', 'pipe'] });
    let said = '';
    child.stdout.on('data', (chunk) => (said += String(chunk)));
    child.stderr.on('data', (chunk) => (said += String(chunk)));
    const [code] = await once(child, 'close');
    return `${code} ${said}`;
  }

  it('refuses a folder that is no database and makes none', async () => {
    using folder = temporaryFolder();
    const mistyped = join(folder.path, 'dtaa');
    assert.equal(
      await move(mistyped),
      `1 Nothing was copied: DATA_DIR ${mistyped} holds no database\n`,
    );
    assert.ok(!existsSync(mistyped));
  });

  it('says in a sentence that a service has the folder', async () => {
    using folder = temporaryFolder();
    mkdirSync(join(folder.path, 'cluster'));
    const unlock = lockFolder(folder.path);
    const said = await move(folder.path);
    unlock();
    assert.match(said, /^1 Nothing was copied: .* is in use by process \d+: stop it first.*\n$/);
    assert.ok(!said.includes('    at '));
  });
});
