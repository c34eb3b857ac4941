import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import pg from 'pg';
import { waitUntil } from '../../test/wait-until.ts';
import { DatabaseBusy } from './database.ts';
import { openDatabase } from './open-database.ts';
import { DurableFilesystem } from './pglite/durable-filesystem.ts';
import { keepHouse } from './pglite/housekeeping.ts';
import { FolderInUse, pgliteEngine, type PgliteEngine } from './pglite-engine.ts';
import { statement } from './statement.ts';

const one = statement<{ n: number }>('test_one', 'select 1 as n');
const count = statement<{ n: number }>('test_count', 'select count(*) as n from kept');
const countVacuums = statement<{ n: number }>(
  'test_count_vacuums',
  `select vacuum_count as n from pg_stat_all_tables where relname = 'much'`,
);
const insert = statement('test_insert', 'insert into kept values (1)');

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'cardport-embedded-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

describe('the data folder of the embedded engine', () => {
  it('keeps what was written, and is private', async () => {
    const first = await pgliteEngine({ folder });
    const db = openDatabase(first, { onFault: assert.ifError });
    await db.script('create table kept (id int)');
    await db.query(insert);
    await db.close();
    await first.close();

    await using again = await openIn(folder);
    assert.deepEqual(await again.db.one(count), { n: 1 });
    assert.equal(statSync(join(folder, 'cluster')).mode & 0o077, 0);
  });

  it('is refused to a second engine of this process and of another, naming the holder', async () => {
    const holder = await hold(folder);
    try {
      await assert.rejects(pgliteEngine({ folder }), (error) => {
        assert.ok(error instanceof FolderInUse);
        assert.equal(error.pid, holder.pid);
        assert.match(error.message, new RegExp(`${folder} is in use by process ${holder.pid}`));
        return true;
      });
    } finally {
      await kill(holder);
    }
    // The lock goes with its process, however that ended.
    await using mine = await openIn(folder);
    await assert.rejects(pgliteEngine({ folder }), { name: 'FolderInUse', pid: process.pid });
    assert.deepEqual(await mine.db.one(one), { n: 1 });
  });

  it('is made anew when the process was killed while it was made', async () => {
    mkdirSync(join(folder, 'cluster.new', 'base'), { recursive: true });
    writeFileSync(join(folder, 'cluster.new', 'PG_VERSION'), '18\n');
    await using base = await openIn(folder);
    assert.deepEqual(await base.db.one(one), { n: 1 });
    assert.ok(!existsSync(join(folder, 'cluster.new')));
  });

  it('of another version is refused in plain words, and given back', async () => {
    mkdirSync(join(folder, 'cluster'));
    writeFileSync(join(folder, 'cluster', 'PG_VERSION'), '16\n');
    for (let attempt = 0; attempt < 2; attempt++) {
      await assert.rejects(
        pgliteEngine({ folder }),
        /was made by PostgreSQL 16, this program brings 18/,
      );
    }
  });

  it('cannot be opened by a PGlite that hides its file operations', async () => {
    const filesystem = new DurableFilesystem(folder);
    const given: Parameters<DurableFilesystem['init']> = await nothing();
    const { emscriptenOpts } = await filesystem.init(...given);
    const first = emscriptenOpts.preRun?.[0];
    assert.throws(() => first?.({} as never), /no NODEFS to make durable/);
  });

  it('is checkpointed and vacuumed when it is due, and not when it is not', async () => {
    await using base = await openIn(folder);
    assert.deepEqual((await keepHouse(base.engine.clientConfig())).vacuumed, []);
    await base.db.script('create table much (id int primary key, v text)');
    await base.db.script(
      "insert into much select g, repeat('x', 900) from generate_series(1, 20000) g",
    );
    for (let round = 0; round < 4; round++) await base.db.script("update much set v = v || 'y'");
    // The engine looks by itself too: on a slow machine it was first.
    await waitUntil(async () => {
      await keepHouse(base.engine.clientConfig());
      return ((await base.db.one(countVacuums))?.n ?? 0) > 0;
    });
    assert.equal((await keepHouse(base.engine.clientConfig())).hasCheckpoint, false);
  });
});

describe('a transaction on the embedded engine', () => {
  const limits = { waitMs: 50, idleInTransactionMs: 150 };

  it('that keeps the session makes others busy, not wait for ever', async () => {
    // It may idle for as long as the test takes, on a busy machine too.
    const patient = { ...limits, idleInTransactionMs: 60_000 };
    const engine = await pgliteEngine({ folder: null, limits: patient });
    const client = new pg.Client(engine.clientConfig());
    await client.connect();
    await client.query('begin');
    const db = openDatabase(engine, { onFault: assert.ifError });
    await assert.rejects(db.one(one), DatabaseBusy);
    await client.query('commit');
    assert.deepEqual(await db.one(one), { n: 1 });
    await db.close();
    await client.end();
    await engine.close();
  });

  it('that idles too long is rolled back, and its client told and dismissed', async () => {
    const engine = await pgliteEngine({ folder: null, limits });
    const db = openDatabase(engine, { onFault: assert.ifError });
    await db.script('create table kept (id int)');
    const client = new pg.Client(engine.clientConfig());
    const errors: Error[] = [];
    client.on('error', (error) => errors.push(error));
    await client.connect();
    await client.query('begin');
    await client.query('insert into kept values (1)');
    await waitUntil(() => errors.length > 0);
    assert.match(String(errors[0]), /idled too long/);
    assert.deepEqual(await db.one(count), { n: 0 });
    await assert.rejects(client.query('select 1'));
    await db.close();
    await engine.close();
  });
});

describe('the death of the embedded engine', () => {
  it('is told once, and ends the statements under way', async () => {
    const deaths: Error[] = [];
    const engine = await pgliteEngine({ folder: null, onDeath: (error) => deaths.push(error) });
    await assert.rejects(killEngine(engine));
    await waitUntil(() => deaths.length === 1);
    assert.match(String(deaths[0]), /the embedded database has ended/);
    await engine.close();
  });

  it('ends the process when nobody takes it', async () => {
    const child = spawn(process.execPath, ['--input-type=module', '--eval', dyingProgram], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let text = '';
    child.stderr.setEncoding('utf8').on('data', (part: string) => {
      text += part;
    });
    const code = await new Promise((resolve) => child.once('exit', resolve));
    assert.notEqual(code, 0);
    assert.match(text, /Error: the embedded database has ended: /);
  });
});

const engineFile = JSON.stringify(new URL('./pglite-engine.ts', import.meta.url).href);
const pgFile = JSON.stringify(import.meta.resolve('pg'));

const dyingProgram = `
  import pg from ${pgFile};
  import { pgliteEngine } from ${engineFile};
  const engine = await pgliteEngine({ folder: null });
  const client = new pg.Client(engine.clientConfig());
  await client.connect();
  await client.query('copy pg_class from stdin').catch(() => {});
  setInterval(() => {}, 1000);`;

/** The session's end of input inside COPY is fatal to the engine: the nearest thing to a crash from outside. */
async function killEngine(engine: PgliteEngine): Promise<void> {
  const client = new pg.Client(engine.clientConfig());
  client.on('error', () => {
    // The statement rejects.
  });
  await client.connect();
  await client.query('copy pg_class from stdin');
}

interface Opened extends AsyncDisposable {
  readonly engine: PgliteEngine;
  readonly db: ReturnType<typeof openDatabase>;
}

async function openIn(data: string): Promise<Opened> {
  const engine = await pgliteEngine({ folder: data });
  const db = openDatabase(engine, { onFault: assert.ifError });
  const close = async (): Promise<void> => {
    await db.close();
    await engine.close();
  };
  return { engine, db, [Symbol.asyncDispose]: close };
}

/** Another process that has the folder. */
async function hold(data: string): Promise<ChildProcess> {
  const program = `
    import { lockFolder } from ${JSON.stringify(new URL('./pglite/folder-lock.ts', import.meta.url).href)};
    lockFolder(${JSON.stringify(data)});
    // What it returned is kept by nobody.
    gc();
    console.log('held');
    setInterval(() => {}, 1000);`;
  const args = ['--expose-gc', '--input-type=module', '--eval', program];
  const child = spawn(process.execPath, args, {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await new Promise((resolve) => child.stdout.once('data', resolve));
  return child;
}

async function kill(child: ChildProcess): Promise<void> {
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGKILL');
  await ended;
}

/** What PGlite gives its filesystem; this one only adds to the second. */
async function nothing(): Promise<Parameters<DurableFilesystem['init']>> {
  return [{} as never, { preRun: [] }];
}
