import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import pg from 'pg';
import { startCluster } from '../../../scripts/postgres.ts';
import {
  runCardport,
  cleanEnvironment,
  CARDPORT_PROGRAM,
  temporaryFolder,
} from '../../test/cardport.ts';
import { runCardportInProcess } from '../../test/cardport-in-process.ts';
import { TEST_SECRET_KEY, testConfig } from '../../test/service.ts';
import { startFakePostgresql } from '../../test/fake-postgresql.ts';
import { openTcpProxy } from '../../test/tcp-proxy.ts';
import { openTestDatabase } from '../../test/test-database.ts';
import { waitUntil } from '../../test/wait-until.ts';
import { findFreePort } from '../base/free-port.ts';
import { silentLog } from '../base/log.ts';
import { waitForDatabase } from './database-wait.ts';
import { DatabaseClock } from './database-clock.ts';
import { openDatabase } from './open-database.ts';
import { postgresqlEngine } from './postgresql-engine.ts';
import { openImageStore } from '../images/open-image-store.ts';
import { startService } from '../runtime/service.ts';

const BINARIES = {
  folder: process.env['TEST_POSTGRES_BIN'] ?? '',
  major: Number(process.env['TEST_POSTGRES_MAJOR']),
};
const FAILED_ATTEMPTS = 3;

function environmentOf(port: number, folder: string, user = 'postgres'): Record<string, string> {
  return {
    DATABASE_URL: `postgres://${user}@127.0.0.1:${port}/postgres`,
    SECRET_KEY: TEST_SECRET_KEY,
    DATA_DIR: folder,
    DRAIN_NOTICE_SECONDS: '0',
    PORT: '0',
  };
}

function countOf(text: string, words: string): number {
  return text.split(words).length - 1;
}

interface Started extends AsyncDisposable {
  printed(): string;
  /** Waits until the process has printed these words. Rejects if the process ends first. */
  hasPrinted(words: string): Promise<void>;
  /** Sends SIGTERM, and resolves with the exit code and the signal that ended the process. */
  stop(): Promise<readonly unknown[]>;
}

function start(command: string, environment: Readonly<Record<string, string>>): Started {
  const child = spawn(CARDPORT_PROGRAM, [command], { env: cleanEnvironment(environment) });
  const ended = once(child, 'exit');
  let printed = '';
  const take = (part: Buffer): void => {
    printed += part.toString();
  };
  child.stdout.on('data', take);
  child.stderr.on('data', take);
  return {
    printed: () => printed,
    hasPrinted: async (words) => {
      await waitUntil(() => printed.includes(words) || child.exitCode !== null, 60_000);
      assert.ok(printed.includes(words), printed);
    },
    stop: async () => {
      child.kill('SIGTERM');
      return await ended;
    },
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

describe('a start while the database is unavailable', { concurrency: 4 }, () => {
  for (const [command, more] of [
    ['serve', {}],
    ['deliver', { METRICS_PORT: '0' }],
  ] as const) {
    it(`${command} waits for the database, also behind a pooler (PgBouncer, 08P01)`, async () => {
      using folder = temporaryFolder();
      await using fake = await startFakePostgresql('pooler_alone');
      const { port } = fake;
      const environment = { ...environmentOf(port, folder.path), ...more };
      await using running = start(command, environment);
      await waitUntil(() => fake.connections() >= FAILED_ATTEMPTS);
      await running.hasPrinted(
        'waiting up to 60 s for the database: server login has been failing',
      );
      await fake[Symbol.asyncDispose]();
      const cluster = await startCluster(BINARIES, { isDurable: false, port });
      try {
        await running.hasPrinted('Cardport ');
        // Each wait prints one line when it begins and one when it ends. On a busy machine the new
        // server may be slow enough to cause a second one, or an outage, which the log reports.
        const waits = countOf(running.printed(), 'waiting up to');
        assert.equal(waits, countOf(running.printed(), 'the database responds\n'));
        assert.ok(waits < FAILED_ATTEMPTS, running.printed());
        assert.deepEqual(await running.stop(), [0, null]);
      } finally {
        await cluster.stop();
      }
    });

    it(`${command} exits with 0 on SIGTERM while it waits for the database`, async () => {
      using folder = temporaryFolder();
      const environment = environmentOf(await findFreePort(), folder.path);
      await using running = start(command, environment);
      await running.hasPrinted('waiting');
      assert.deepEqual(await running.stop(), [0, null], running.printed());
    });
  }

  it('a start pauses between attempts even if connecting succeeds, and logs the wait once', async () => {
    using folder = temporaryFolder();
    await using fake = await startFakePostgresql('drops');
    const environment = { ...environmentOf(fake.port, folder.path), DATABASE_WAIT_SECONDS: '2' };
    const run = await runCardportInProcess(['serve'], { environment });
    assert.equal(run.code, 1);
    assert.equal(countOf(run.stderr, 'waiting'), 1, run.stderr);
    assert.equal(countOf(run.stderr, 'the database responds'), 0);
    assert.match(
      run.stderr,
      /\ncardport: the database is unavailable: Connection terminated unexpectedly\n$/,
    );
    // The pauses between attempts are 0.1, 0.2, 0.4 and 0.8 s, and then 1 s each.
    assert.ok(fake.connections() <= 8, `${fake.connections()} connections`);
  });

  it('a start exits with 0 on SIGTERM during the first attempt', async () => {
    using folder = temporaryFolder();
    await using fake = await startFakePostgresql('silent');
    await using running = start('serve', environmentOf(fake.port, folder.path));
    await waitUntil(() => fake.connections() > 0);
    assert.deepEqual(await running.stop(), [0, null], running.printed());
  });

  it('a start counts the first attempt in its waiting time, and reports the host that does not respond', async () => {
    using folder = temporaryFolder();
    await using fake = await startFakePostgresql('silent');
    const environment = { ...environmentOf(fake.port, folder.path), DATABASE_WAIT_SECONDS: '1' };
    await using other = await startFakePostgresql('silent');
    const whole = {
      ...environmentOf(other.port, folder.path),
      DATABASE_WAIT_SECONDS: '0',
    };
    const runs = await Promise.all(
      [environment, whole].map(
        async (each) => await runCardportInProcess(['serve'], { environment: each }),
      ),
    );
    for (const [number, { port }] of [fake, other].entries()) {
      const run = runs[number];
      assert.equal(run?.code, 1);
      const sentence = `\ncardport: no database responds at DATABASE_URL: 127.0.0.1:${port}: timeout expired`;
      assert.ok(run.stderr.includes(sentence), run.stderr);
    }
    // The first attempt took longer than the time limit, so there was no second attempt.
    assert.equal(fake.connections(), 1);
  });

  it('a start also waits if the connection is lost after the migration', async () => {
    await using base = await openTestDatabase();
    const url = new URL(base.url);
    await using wire = await openTcpProxy(Number(url.port));
    url.port = String(wire.port);
    const engine = postgresqlEngine(url.href);
    const db = openDatabase(engine, { onFault: () => undefined });
    const told: string[] = [];
    const onProgress = (sentence: string): void => {
      told.push(sentence);
      if (sentence.startsWith('waiting')) wire.reconnect();
    };
    const clock = new DatabaseClock({ log: silentLog() });
    await clock.read(db);
    wire.disconnect();
    await waitForDatabase(async () => await clock.read(db), { seconds: 60, onProgress });
    assert.equal(told.length, 2, told.join());
    const config = testConfig();
    const images = await openImageStore(config.photoStore);
    // The start checks the images after the migration and before the server's first reads. Lose the
    // connection at that moment.
    images.check = async () => await Promise.resolve(wire.disconnect());
    const store = { engine, db, secretKey: TEST_SECRET_KEY };
    await using _service = await startService(config, { store, images, onProgress });
    assert.equal(told.length, 4, told.join());
    await db.close();
  });

  for (const seconds of ['0', '1']) {
    it(`a start exits with 1 after ${seconds} s without a database`, async () => {
      using folder = temporaryFolder();
      const environment = environmentOf(await findFreePort(), folder.path);
      // One of the two cases runs a real process, to show that the process ends.
      const runOne = seconds === '1' ? runCardport : runCardportInProcess;
      const run = await runOne(['serve'], {
        environment: { ...environment, DATABASE_WAIT_SECONDS: seconds },
      });
      assert.equal(run.code, 1);
      const sentence =
        /no database responds at DATABASE_URL: 127.0.0.1:\d+: .*ECONNREFUSED.*\. Check/;
      assert.match(run.stderr, sentence);
      assert.equal(countOf(run.stderr, '    at '), 0, run.stderr);
      assert.equal(countOf(run.stderr, 'waiting'), seconds === '0' ? 0 : 1);
    });
  }

  it('other commands, such as shop list, do not wait for the database', async () => {
    using folder = temporaryFolder();
    const environment = environmentOf(await findFreePort(), folder.path);
    const run = await runCardportInProcess(['shop', 'list'], { environment });
    assert.equal(run.code, 1);
    assert.ok(!run.stderr.includes('waiting'), run.stderr);
    const several = environment['DATABASE_URL']?.replace('@', '@nowhere.invalid:5432,');
    const settings = { ...environment, DATABASE_URL: several ?? '' };
    const migrated = await runCardportInProcess(['migrate'], { environment: settings });
    const sentence =
      /^cardport: no database responds at DATABASE_URL: nowhere.invalid:5432: .*; 127.0.0.1:\d+: .*\. Check/;
    assert.match(migrated.stderr, sentence);
  });

  it('a start exits immediately if the password is wrong or the database is missing', async () => {
    using folder = temporaryFolder();
    const cluster = await startCluster(BINARIES, { isDurable: false });
    try {
      const rules = join(cluster.data, 'pg_hba.conf');
      const before = readFileSync(rules, 'utf8');
      writeFileSync(rules, `host all locked 127.0.0.1/32 scram-sha-256\n${before}`);
      const client = new pg.Client({ connectionString: cluster.url });
      await client.connect();
      await client.query(`create role locked login password 'right'`);
      await client.query('select pg_reload_conf()');
      await client.end();
      const settings = environmentOf(cluster.port, folder.path, 'locked:wrong');
      const refused = await runCardportInProcess(['serve'], { environment: settings });
      assert.equal(refused.code, 1);
      assert.match(refused.stderr, /password authentication failed for user "locked"/);
      assert.ok(!refused.stderr.includes('waiting'), refused.stderr);
      const none = { ...settings, DATABASE_URL: `${cluster.url}-none` };
      const missing = await runCardportInProcess(['serve'], { environment: none });
      assert.equal(missing.code, 1);
      assert.match(missing.stderr, /database "postgres-none" does not exist/);
      assert.ok(!missing.stderr.includes('waiting'), missing.stderr);
    } finally {
      await cluster.stop();
    }
  });
});
