import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { startCluster } from '../../scripts/postgres.ts';
import { cardport, cleanEnvironment, program, temporaryFolder } from '../test/cardport.ts';
import { TEST_SECRET_KEY } from '../test/service.ts';
import { waitUntil } from '../test/wait-until.ts';
import { findFreePort } from './base/free-port.ts';

const BINARIES = {
  folder: process.env['TEST_POSTGRES_BIN'] ?? '',
  major: Number(process.env['TEST_POSTGRES_MAJOR']),
};
/** The database comes so long after the process. */
const LATE_MS = 3_000;

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
  /** Waits until it has printed these words; rejects when it ends before. */
  hasPrinted(words: string): Promise<void>;
  /** SIGTERM; resolves with the exit code and the signal that it ended with. */
  stop(): Promise<readonly unknown[]>;
}

function start(command: string, environment: Readonly<Record<string, string>>): Started {
  const child = spawn(program, [command], { env: cleanEnvironment(environment) });
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

describe('a start while the database is away', () => {
  for (const [command, more] of [
    ['serve', {}],
    ['deliver', { METRICS_PORT: '0' }],
  ] as const) {
    it(`waits for it: ${command}`, async () => {
      using folder = temporaryFolder();
      const port = await findFreePort();
      const environment = { ...environmentOf(port, folder.path), ...more };
      await using running = start(command, environment);
      await running.hasPrinted('waiting up to 60 s for the database');
      await pause(LATE_MS);
      const cluster = await startCluster(BINARIES, { isDurable: false, port });
      try {
        await running.hasPrinted('Cardport ');
        assert.equal(countOf(running.printed(), 'waiting'), 1);
        assert.equal(countOf(running.printed(), 'the database answers'), 1);
        assert.deepEqual(await running.stop(), [0, null]);
      } finally {
        await cluster.stop();
      }
    });

    it(`ends with 0 on SIGTERM meanwhile: ${command}`, async () => {
      using folder = temporaryFolder();
      const environment = environmentOf(await findFreePort(), folder.path);
      await using running = start(command, environment);
      await running.hasPrinted('waiting');
      assert.deepEqual(await running.stop(), [0, null], running.printed());
    });
  }

  for (const seconds of ['0', '1']) {
    it(`ends with 1 when it has waited for ${seconds} s`, async () => {
      using folder = temporaryFolder();
      const environment = environmentOf(await findFreePort(), folder.path);
      const run = await cardport(['serve'], {
        environment: { ...environment, DATABASE_WAIT_SECONDS: seconds },
      });
      assert.equal(run.code, 1);
      assert.match(run.stderr, /no database answers at DATABASE_URL: .*ECONNREFUSED/);
      assert.equal(countOf(run.stderr, 'waiting'), seconds === '0' ? 0 : 1);
    });
  }

  it('does not keep a command at a terminal waiting', async () => {
    using folder = temporaryFolder();
    const environment = environmentOf(await findFreePort(), folder.path);
    const run = await cardport(['shop', 'list'], { environment });
    assert.equal(run.code, 1);
    assert.ok(!run.stderr.includes('waiting'), run.stderr);
  });

  it('ends at once where waiting helps nothing: a wrong password, a missing database', async () => {
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
      const refused = await cardport(['serve'], { environment: settings });
      assert.equal(refused.code, 1);
      assert.match(refused.stderr, /password authentication failed for user "locked"/);
      assert.ok(!refused.stderr.includes('waiting'), refused.stderr);
      const none = { ...settings, DATABASE_URL: `${cluster.url}-none` };
      const missing = await cardport(['serve'], { environment: none });
      assert.equal(missing.code, 1);
      assert.match(missing.stderr, /database "postgres-none" does not exist/);
      assert.ok(!missing.stderr.includes('waiting'), missing.stderr);
    } finally {
      await cluster.stop();
    }
  });
});
