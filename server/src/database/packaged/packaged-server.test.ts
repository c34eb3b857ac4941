import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import pg from 'pg';
import { temporaryFolder } from '../../../test/cardport.ts';
import { copyMigratedCluster, copyEmptyCluster } from '../../../test/new-cluster.ts';
import { waitUntil } from '../../../test/wait-until.ts';
import { findPackagedBinaries, linkLibraries } from './binaries.ts';
import { openPackaged, type PackagedServer } from './packaged-server.ts';

async function query(server: PackagedServer, text: string): Promise<readonly object[]> {
  const client = new pg.Client(server.clientConfig());
  client.on('error', () => undefined);
  try {
    await client.connect();
    return (await client.query<object>(text)).rows;
  } finally {
    await client.end();
  }
}

function isRunning(folder: string): boolean {
  return existsSync(join(folder, 'data/postmaster.pid'));
}

function processesOf(program: string, folder: string): readonly number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .map(Number)
    .filter((pid) => {
      try {
        const line = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
        return line.includes(program) && line.includes(`${folder}/data`);
      } catch {
        return false;
      }
    });
}

interface OtherUser extends AsyncDisposable {
  close(): Promise<unknown>;
  kill(): Promise<void>;
}

async function openElsewhere(folder: string): Promise<OtherUser> {
  const user = startElsewhere(folder);
  await user.opened;
  return user;
}

function startElsewhere(folder: string): OtherUser & { readonly opened: Promise<void> } {
  const program = `
    import { openPackaged } from '${new URL('packaged-server.ts', import.meta.url).href}';
    const server = await openPackaged({ folder: ${JSON.stringify(folder)} });
    process.on('SIGTERM', () => void server.close());
    console.log('open');`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  const waitUntilOpen = async (): Promise<void> => {
    await Promise.race([once(child.stdout, 'data'), ended]);
    assert.equal(child.exitCode, null);
  };
  const opened = waitUntilOpen();
  opened.catch(() => {
    // Only callers that wait for the end handle the error.
  });
  const stop = async (signal: 'SIGTERM' | 'SIGKILL'): Promise<unknown> => {
    child.kill(signal);
    return (await ended)[0];
  };
  const kill = async (): Promise<void> => void (await stop('SIGKILL'));
  return { opened, close: async () => await stop('SIGTERM'), kill, [Symbol.asyncDispose]: kill };
}

describe('the packaged PostgreSQL (decision 0210)', { concurrency: 4 }, () => {
  it('the packaged server keeps committed data, readable by its owner only, without TCP and without a superuser', async () => {
    using parent = temporaryFolder();
    const folder = join(parent.path, '雲 カード', 'x'.repeat(120));
    const first = await openPackaged({ folder });
    await query(first, `create table t as select '葉' as a`);
    const settings = await query(
      first,
      `select current_setting('listen_addresses') as tcp, current_setting('fsync') as fsync,
         current_setting('synchronous_commit') as synchronous,
         current_setting('server_encoding') as encoding, current_setting('timezone') as zone,
         usesuper as super, lower('É') as lower,
         array(select v from unnest(array['b', 'B', 'a', 'ä', 'ア']) v order by v) as sorted
       from pg_user where usename = current_user`,
    );
    const expected = {
      tcp: '',
      fsync: 'on',
      synchronous: 'on',
      encoding: 'UTF8',
      zone: 'UTC',
      super: false,
    };
    assert.deepEqual(settings, [{ ...expected, lower: 'é', sorted: ['B', 'a', 'b', 'ä', 'ア'] }]);
    await first.close();
    assert.ok(!isRunning(folder));
    assert.equal(statSync(folder).mode & 0o077, 0);
    assert.equal(statSync(join(folder, 'data')).mode & 0o077, 0);
    const second = await openPackaged({ folder });
    assert.deepEqual(await query(second, 'select a from t'), [{ a: '葉' }]);
    await second.close();
  });

  it('processes share the packaged server, which stops after the last of them, even if they were killed', async () => {
    using parent = temporaryFolder();
    const folder = join(parent.path, 'c');
    await copyMigratedCluster(folder);
    await using starter = await openElsewhere(folder);
    const server = await openPackaged({ folder });
    const { serverPid } = server;
    await starter.kill();
    assert.deepEqual(await query(server, 'select 1 as one'), [{ one: 1 }]);
    assert.equal(
      server.serverPid,
      serverPid,
      'it continues after the process that started it has ended',
    );
    await using second = await openElsewhere(folder);
    await server.close();
    assert.ok(isRunning(folder), 'the second process still uses it');
    await second.kill();
    await waitUntil(() => !isRunning(folder));
  });

  it('the packaged server is started only once if several processes open a new folder concurrently', async () => {
    using parent = temporaryFolder();
    const folder = join(parent.path, 'c');
    const opened = await Promise.all([openElsewhere(folder), openElsewhere(folder)]);
    assert.deepEqual(readdirSync(folder).toSorted(), ['data', 'users']);
    const codes = await Promise.all(opened.map(async (user) => await user.close()));
    assert.deepEqual(codes, [0, 0]);
    assert.ok(!isRunning(folder), 'the process that ended last has waited for the server');
  });

  it('the packaged server is started again after a kill, with all committed data', async () => {
    using parent = temporaryFolder();
    const faults: string[] = [];
    const folder = join(parent.path, 'c');
    await copyMigratedCluster(folder);
    const server = await openPackaged({
      folder,
      onFault: ({ message }) => faults.push(message),
    });
    await query(server, 'create table t as select 1 as a');
    const { serverPid } = server;
    assert.ok(serverPid !== null);
    process.kill(serverPid, 'SIGKILL');
    await waitUntil(() => server.serverPid !== serverPid && server.serverPid !== null);
    await waitUntil(async () => {
      return await query(server, 'select a from t').then(
        (rows) => rows.length === 1,
        () => false,
      );
    });
    assert.match(faults[0] ?? '', /^lost the connection to the database in .*; reconnecting$/);
    await server.close();
  });

  it('a cluster can be created after another process was killed while it created the cluster', async () => {
    using parent = temporaryFolder();
    const folder = join(parent.path, 'c');
    const unfinished = join(folder, 'new-abc');
    mkdirSync(join(unfinished, 'base'), { recursive: true });
    const anHourAgo = new Date(Date.now() - 3_600_000);
    utimesSync(unfinished, anHourAgo, anHourAgo);
    writeFileSync(join(folder, 'users'), '');
    const server = await openPackaged({ folder });
    await server.close();
    assert.deepEqual(readdirSync(folder).toSorted(), ['data', 'users']);
  });

  it('the packaged server is stopped by the last process that uses it if its watchdog was killed', async () => {
    using parent = temporaryFolder();
    const folder = join(parent.path, 'c');
    await copyMigratedCluster(folder);
    const server = await openPackaged({ folder });
    for (const pid of processesOf('run-server.sh', folder)) process.kill(pid, 'SIGKILL');
    await server.close();
    assert.ok(!isRunning(folder));
  });

  it('the packaged server does not keep running if its only process is closed while the server starts', async () => {
    using parent = temporaryFolder();
    const folder = join(parent.path, 'c');
    await copyMigratedCluster(folder);
    for (let attempt = 0; attempt < 5; attempt++) {
      const other = startElsewhere(folder);
      await waitUntil(() => processesOf('run-server.sh', folder).length > 0);
      await other.kill();
      await waitUntil(() => processesOf('', folder).length === 0);
    }
  });

  it('the packaged server has no superuser login, and refuses a folder that others may write to', async () => {
    using parent = temporaryFolder();
    const folder = join(parent.path, 'c');
    await copyMigratedCluster(folder);
    const server = await openPackaged({ folder });
    const superuser = new pg.Client({ ...server.clientConfig(), user: 'postgres' });
    await assert.rejects(superuser.connect(), /no pg_hba\.conf entry/);
    await server.close();
    chmodSync(folder, 0o777);
    await assert.rejects(
      openPackaged({ folder }),
      /other users may write to the folder: .* "chmod 700"/,
    );
  });

  it('the error names the process that holds the lock of the packaged server', async () => {
    using parent = temporaryFolder();
    const folder = join(parent.path, 'c');
    await copyMigratedCluster(folder);
    // PostgreSQL takes a process of another user for a new one with the same id.
    const { uid, gid } = statSync(join(folder, 'data'));
    const other = spawn('sleep', ['60'], process.getuid?.() === 0 ? { uid, gid } : {});
    writeFileSync(join(folder, 'data/postmaster.pid'), `${other.pid}\n${folder}/data\n1\n`);
    try {
      await assert.rejects(
        openPackaged({ folder, silentMsMax: 1_000 }),
        new RegExp(`in use: .*PID ${other.pid}.* remove .*postmaster\\.pid`),
      );
    } finally {
      other.kill();
    }
  });

  it('a cluster of another major version is refused, and the error says what to do', async () => {
    using parent = temporaryFolder();
    const folder = join(parent.path, 'c');
    await copyMigratedCluster(folder);
    writeFileSync(join(folder, 'data/PG_VERSION'), '17\n');
    for (let attempt = 0; attempt < 2; attempt++) {
      await assert.rejects(
        openPackaged({ folder }),
        /created by PostgreSQL 17, .* includes PostgreSQL \d+\. Run "cardport backup FILE" .* "cardport restore --keep-cursors FILE"/,
      );
    }
  });

  it('a copy of a stopped cluster can be opened, and a copy of a running cluster is refused', async () => {
    using parent = temporaryFolder();
    const [folder, running, stopped] = ['a', 'b', 'c'].map((name) => join(parent.path, name));
    assert.ok(folder !== undefined && running !== undefined && stopped !== undefined);
    const copy = (to: string): void => {
      const filter = (path: string): boolean => !/users$|\.s\.PGSQL/.test(path);
      cpSync(folder, to, { recursive: true, filter });
    };
    await copyMigratedCluster(folder);
    const server = await openPackaged({ folder });
    await query(server, 'create table t as select 1 as a');
    copy(running);
    await assert.rejects(
      openPackaged({ folder: running }),
      /a copy that was made while .* running/,
    );
    await server.close();
    copy(stopped);
    rmSync(join(running, 'data/postmaster.pid'));
    await assert.rejects(
      openPackaged({ folder: running }),
      /a copy that was made while .* running/,
    );
    const opened = await openPackaged({ folder: stopped });
    assert.deepEqual(await query(opened, 'select a from t'), [{ a: 1 }]);
    await opened.close();
  });

  it('the error says why the packaged server does not start', async () => {
    using parent = temporaryFolder();
    const folder = join(parent.path, 'c');
    await copyMigratedCluster(folder);
    const control = join(folder, 'data/global/pg_control');
    writeFileSync(control, readFileSync(control).fill(0, 300));
    rmSync(join(folder, 'data/pg_wal'), { recursive: true });
    await assert.rejects(openPackaged({ folder }), /does not start: FATAL: .*pg_wal/);
  });

  it('the folder of a temporary cluster is removed when its server closes', async () => {
    using parent = temporaryFolder();
    const folder = join(parent.path, 'c');
    await copyEmptyCluster(folder, findPackagedBinaries());
    const server = await openPackaged({ folder, isTemporary: true });
    await server.close();
    assert.ok(!existsSync(folder));
  });
});

describe('the programs of PostgreSQL', () => {
  it('the error names DATABASE_URL on a platform without packaged PostgreSQL', () => {
    assert.throws(
      () => findPackagedBinaries('plan9-mips'),
      /no packaged PostgreSQL for plan9-mips: set DATABASE_URL/,
    );
  });

  it('the libraries of PostgreSQL are linked, even if npm ran no install script', () => {
    using root = temporaryFolder();
    mkdirSync(join(root.path, 'native/lib'), { recursive: true });
    const links = [{ source: 'native/lib/libx.so.1.2', target: 'native/lib/libx.so.1' }];
    writeFileSync(join(root.path, 'native/pg-symlinks.json'), JSON.stringify(links));
    for (let start = 0; start < 2; start++) linkLibraries(root.path);
    assert.equal(readlinkSync(join(root.path, 'native/lib/libx.so.1')), 'libx.so.1.2');
  });
});
