// Proves that the service notices a restored database, whatever was used to restore it, and that
// no app skips a change or loses its approval (decision 0238).
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import pg from 'pg';
import { type Cluster, makeClusterFolder, startCluster } from '../../scripts/postgres.ts';
import { copyCluster, promote, REPLICATION_SETTINGS, startStandby } from '../../scripts/standby.ts';
import { findFreePort } from '../src/base/free-port.ts';
import { runCardport } from '../test/cardport.ts';
import { waitUntil } from '../test/wait-until.ts';
import { Trial, WAIT_MS_MAX } from './restored-trial.ts';

const BINARIES = {
  folder: process.env['TEST_POSTGRES_BIN'] ?? '',
  major: Number(process.env['TEST_POSTGRES_MAJOR']),
};
const NAME = 'shop';

describe('a restored database (decision 0238)', () => {
  it('a logical dump in another database: cursors get 503 until "cardport restored"', async () => {
    await using stack = new AsyncDisposableStack();
    const cluster = await openCluster(stack);
    await query(cluster.url, `create database ${NAME}`);
    const trial = await Trial.open(stack, { DATABASE_URL: urlOf(cluster, NAME) });
    const load = await dump(cluster, trial.folder);
    await trial.losesChanges();
    await trial.stop();
    await load();
    await trial.start();
    await trial.isHeld();
    await trial.isDecided('restored', '--yes');
  });

  it('a logical dump as a move, without loss: "restored --same-data" keeps the cursors', async () => {
    await using stack = new AsyncDisposableStack();
    const cluster = await openCluster(stack);
    await query(cluster.url, `create database ${NAME}`);
    const trial = await Trial.open(stack, { DATABASE_URL: urlOf(cluster, NAME) });
    await trial.stop();
    const load = await dump(cluster, trial.folder);
    await load();
    await trial.start();
    await trial.isHeld();
    await trial.run('restored', '--same-data', '--yes');
    await trial.untilReady(/^\{"status":"ready"\}$/);
    assert.equal(await trial.read(trial.cursor), 200);
    await trial.stop();
    await trial.start();
    assert.equal(await trial.read(trial.cursor), 200);
  });

  it('a copied DATA_DIR: cursors get 503 until "cardport restored"', async () => {
    await using stack = new AsyncDisposableStack();
    const trial = await Trial.open(stack, {});
    await trial.stop();
    cpSync(trial.dataDir, `${trial.folder}/copy`, { recursive: true });
    await trial.start();
    await trial.losesChanges();
    await trial.stop();
    rmSync(trial.dataDir, { recursive: true });
    cpSync(`${trial.folder}/copy`, trial.dataDir, { recursive: true });
    chmodSync(join(trial.dataDir, 'postgresql/data'), 0o700);
    await trial.start();
    await trial.isHeld();
    await trial.isDecided('restored', '--yes');
  });

  for (const proof of ['refresh token', 'cursor'] as const) {
    it(`a copied folder of a server, which nothing distinguishes: the first ${proof} from the lost time ends the epoch`, async () => {
      await using stack = new AsyncDisposableStack();
      const cluster = await openCluster(stack);
      const trial = await Trial.open(stack, { DATABASE_URL: cluster.url });
      const folder = copyStopped(cluster);
      await trial.losesChanges();
      await trial.stop();
      await cluster.kill();
      await openCluster(stack, { folder, port: cluster.port });
      await trial.start();
      if (proof === 'refresh token') await trial.isTokenHeld();
      else assert.equal(await trial.read(trial.lostCursor), 410);
      await trial.untilReady(/lacks changes that apps have seen/);
      await trial.writes(40);
      assert.equal(await trial.read(trial.lostCursor), 410);
      assert.equal(await trial.read(trial.cursor), 410);
      await trial.isTokenHeld();
      await trial.isDecided('restored', '--yes');
    });
  }

  it('a point-in-time restore under a running service: cursors get 503 until "cardport restored"', async () => {
    await using stack = new AsyncDisposableStack();
    const archive = mkdtempSync(join(tmpdir(), 'cardport-archive-'));
    stack.defer(() => rmSync(archive, { recursive: true, force: true }));
    // If root runs this, the server runs as another user, which must be able to write here.
    chmodSync(archive, 0o777);
    const archiving = { archive_mode: 'on', archive_command: `cp %p ${archive}/%f` };
    const cluster = await openCluster(stack, { settings: archiving });
    const trial = await Trial.open(stack, { DATABASE_URL: cluster.url });
    const folder = await copyCluster(cluster);
    await query(cluster.url, `select pg_create_restore_point('point')`);
    await trial.losesChanges();
    const [last] = await query(
      cluster.url,
      'select pg_walfile_name(pg_current_wal_insert_lsn()) as file',
    );
    await query(cluster.url, 'select pg_switch_wal()');
    await waitUntil(() => existsSync(join(archive, String(last?.['file']))), WAIT_MS_MAX);
    await cluster.kill();
    writeFileSync(join(folder, 'data/recovery.signal'), '');
    const settings = {
      restore_command: `cp ${archive}/%f %p`,
      recovery_target_name: 'point',
      recovery_target_action: 'promote',
    };
    await openCluster(stack, { folder, port: cluster.port, settings });
    await trial.isHeld();
    await trial.isDecided('restored', '--yes');
  });

  it('a promoted standby, with one host in DATABASE_URL, counts as a restore', async () => {
    await using stack = new AsyncDisposableStack();
    const cluster = await openCluster(stack);
    const trial = await Trial.open(stack, { DATABASE_URL: cluster.url });
    const standby = await startStandby(BINARIES, cluster, { isDurable: true });
    stack.defer(async () => await standby.stop());
    await trial.stop();
    await cluster.kill();
    await promote(standby);
    trial.environment['DATABASE_URL'] = standby.url;
    await trial.start();
    await trial.isHeld();
    await trial.run('restored', '--same-data', '--yes');
    await trial.untilReady(/^\{"status":"ready"\}$/);
    assert.equal(await trial.read(trial.cursor), 200);
  });

  for (const [name, several, settings] of [
    ['with two hosts in DATABASE_URL', true, {}],
    ['behind one address with DATABASE_FAILS_OVER', false, { DATABASE_FAILS_OVER: 'true' }],
  ] as const) {
    it(`a promoted standby, ${name}, is only a warning: cursors and tokens go on`, async () => {
      await using stack = new AsyncDisposableStack();
      const cluster = await openCluster(stack);
      const port = await findFreePort();
      const hosts = `127.0.0.1:${cluster.port},127.0.0.1:${port}`;
      const url = `postgres://postgres@${hosts}/postgres`;
      const trial = await Trial.open(stack, {
        DATABASE_URL: several ? url : cluster.url,
        ...settings,
      });
      const standby = await startStandby(BINARIES, cluster, { isDurable: true, port });
      stack.defer(async () => await standby.stop());
      await trial.losesChanges();
      if (!several) await trial.stop();
      await cluster.kill();
      await promote(standby);
      if (!several) {
        trial.environment['DATABASE_URL'] = standby.url;
        await trial.start();
      }
      await trial.untilReady(/another server has become the primary/);
      const refreshed = await trial.app.refresh(trial.lostToken);
      assert.equal(refreshed.status, 200, refreshed.text);
      trial.access = refreshed.body.access_token ?? '';
      assert.equal(await trial.read(trial.cursor), 200);
      assert.equal(await trial.read(trial.lostCursor), 200);
      await trial.run('restored', '--same-data', '--yes');
      await trial.untilReady(/^\{"status":"ready"\}$/);
      assert.equal(await trial.read(trial.lostCursor), 200);
    });
  }

  it('a role that may not read the system identifier: doctor says so, and a new oid is still noticed', async () => {
    await using stack = new AsyncDisposableStack();
    const cluster = await openCluster(stack);
    await query(cluster.url, 'create role plain login');
    await query(cluster.url, `create database ${NAME} owner plain`);
    await query(
      urlOf(cluster, NAME),
      'revoke execute on function pg_control_system(), pg_walfile_name(pg_lsn) from public',
    );
    const database = urlOf(cluster, NAME).replace('postgres@', 'plain@');
    const trial = await Trial.open(stack, { DATABASE_URL: database });
    assert.equal(await trial.read(trial.cursor), 200);
    const doctor = await runCardport(['doctor'], { environment: trial.environment });
    assert.match(doctor.stdout, /warning +database identity: .* as far as its role may read/);
    await trial.stop();
    await query(cluster.url, `create database other template ${NAME} owner plain`);
    trial.environment['DATABASE_URL'] = database.replace(`/${NAME}`, '/other');
    await trial.start();
    await trial.isHeld();
  });
});

async function openCluster(
  stack: AsyncDisposableStack,
  options: Partial<Parameters<typeof startCluster>[1]> = {},
): Promise<Cluster> {
  const settings = { ...REPLICATION_SETTINGS, ...options.settings };
  const cluster = await startCluster(BINARIES, { isDurable: true, ...options, settings });
  stack.defer(async () => await cluster.stop());
  return cluster;
}

function urlOf({ url }: Cluster, name: string): string {
  return url.replace(/\/postgres$/, `/${name}`);
}

async function query(url: string, text: string): Promise<readonly Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(text)).rows;
  } finally {
    await client.end();
  }
}

/**
 * Returns a function that replaces the database by its dump. The packaged PostgreSQL has no
 * pg_dump: there a copy of the database, which has the same rows and another oid, replaces it.
 */
async function dump(cluster: Cluster, folder: string): Promise<() => Promise<void>> {
  const file = join(folder, 'dump');
  const program = join(BINARIES.folder, 'pg_dump');
  const hasDump = existsSync(program);
  if (hasDump) execFileSync(program, ['-Fc', '-f', file, urlOf(cluster, NAME)]);
  else await copyDatabase(cluster);
  return async () => {
    await query(cluster.url, `drop database ${NAME} with (force)`);
    if (hasDump) {
      await query(cluster.url, `create database ${NAME}`);
      execFileSync(join(BINARIES.folder, 'pg_restore'), ['-d', urlOf(cluster, NAME), file]);
    } else await query(cluster.url, `alter database copy rename to ${NAME}`);
  };
}

/** A running service reconnects, so no connection may be allowed during the copy. */
async function copyDatabase(cluster: Cluster): Promise<void> {
  await query(cluster.url, `alter database ${NAME} allow_connections false`);
  await query(
    cluster.url,
    `select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = '${NAME}'`,
  );
  await query(cluster.url, `create database copy template ${NAME}`);
  await query(cluster.url, `alter database ${NAME} allow_connections true`);
  await query(cluster.url, `alter database copy allow_connections true`);
}

/** Copies all files of a server whose processes stand still: the state after a crash. */
function copyStopped({ data }: Cluster): string {
  const postmaster = Number(readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n')[0]);
  const children = readFileSync(`/proc/${postmaster}/task/${postmaster}/children`, 'utf8');
  const processes = [
    postmaster,
    ...children
      .split(' ')
      .map(Number)
      .filter((pid) => pid > 0),
  ];
  const folder = makeClusterFolder();
  for (const pid of processes) process.kill(pid, 'SIGSTOP');
  try {
    cpSync(data, join(folder, 'data'), { recursive: true });
  } finally {
    for (const pid of processes) process.kill(pid, 'SIGCONT');
  }
  rmSync(join(folder, 'data/postmaster.pid'));
  chmodSync(join(folder, 'data'), 0o700);
  const { ino } = statSync(join(folder, 'data'), { bigint: true });
  writeFileSync(join(folder, 'data/cardport.inode'), String(ino));
  return folder;
}
