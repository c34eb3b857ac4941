import assert from 'node:assert/strict';
import { chownSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import pg from 'pg';
import { type Cluster, startCluster } from '../../../scripts/postgres.ts';
import { promote, REPLICATION_SETTINGS, startStandby } from '../../../scripts/standby.ts';
import { temporaryFolder } from '../../test/cardport.ts';
import { makeAuthority } from '../../test/certificate.ts';
import { startFakePostgresql } from '../../test/fake-postgresql.ts';
import { openTcpProxy } from '../../test/tcp-proxy.ts';
import { holdTransaction } from '../../test/held-transaction.ts';
import { openTestDatabase } from '../../test/test-database.ts';
import { waitUntil } from '../../test/wait-until.ts';
import { findFreePort } from '../base/free-port.ts';
import { dumpDatabase } from './backup.ts';
import { type Database, DatabaseBusy } from './database.ts';
import type { Engine } from './engine.ts';
import { isDatabaseUnreachable } from './errors.ts';
import { NoPrimary } from './hosts.ts';
import { migrate } from './migrate.ts';
import { openChannel } from './open-channel.ts';
import { openDatabase } from './open-database.ts';
import { postgresqlEngine } from './postgresql-engine.ts';
import { ReadOnlyServer } from './read-only.ts';
import { hotRead, statement } from './statement.ts';

const PORT = `select current_setting('port')::int as port`;
const portOfPool = statement<{ port: number }>('test_hosts_port', PORT);
const portOfHotRead = hotRead<{ port: number }>('test_hosts_hot_port', PORT);
const write = statement<{ port: number }>(
  'test_hosts_write',
  `insert into written (port) values (current_setting('port')::int) returning port`,
);
const takeNoWrites = statement('test_hosts_take_no_writes', 'set transaction read only');
const pid = statement<{ pid: number }>('test_hosts_pid', 'select pg_backend_pid() as pid');
const BINARIES = {
  folder: process.env['TEST_POSTGRES_BIN'] ?? '',
  major: Number(process.env['TEST_POSTGRES_MAJOR']),
};

async function run(cluster: Cluster, text: string): Promise<readonly Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: cluster.url });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(text)).rows;
  } finally {
    await client.end();
  }
}

interface Opened extends AsyncDisposable {
  readonly engine: Engine;
  readonly db: Database;
}

function open(ports: readonly number[], options = ''): Opened {
  const hosts = ports.map((port) => `127.0.0.1:${port}`).join(',');
  const engine = postgresqlEngine(`postgres://postgres@${hosts}/postgres${options}`);
  const db = openDatabase(engine, { onFault: () => undefined });
  return { engine, db, [Symbol.asyncDispose]: async () => await db.close() };
}

const ways: readonly (readonly [string, (opened: Opened) => Promise<unknown>])[] = [
  ['a query of the pool', async ({ db }) => await db.query(portOfPool)],
  ['a hot read', async ({ db }) => await db.one(portOfHotRead)],
  ['a transaction', async ({ db }) => await db.transaction(async (tx) => await tx.query(write))],
  ['the migrations', async ({ engine }) => await migrate(engine)],
  [
    'a backup',
    async ({ engine }) => {
      for await (const _line of dumpDatabase(engine)) break;
    },
  ],
  [
    'the listening connection',
    async ({ engine }) => {
      const channel = await openChannel(engine, { onFault: () => undefined });
      await channel.close();
    },
  ],
];

async function failureOf(work: Promise<unknown>): Promise<unknown> {
  return await work.then(
    () => assert.fail('it was done'),
    (error: unknown) => (error instanceof DatabaseBusy ? error.cause : error),
  );
}

describe('hosts of a database (decision 0218)', () => {
  let primary: Cluster;
  let standby: Cluster;
  let refusingPort: number;

  before(async () => {
    primary = await startCluster(BINARIES, { isDurable: false, settings: REPLICATION_SETTINGS });
    await run(primary, 'create table written (port int)');
    await migrate(postgresqlEngine(primary.url));
    standby = await startStandby(BINARIES, primary, { isDurable: false });
    refusingPort = await findFreePort();
  });
  after(async () => {
    await Promise.all([standby.stop(), primary.stop()]);
  });

  for (const [way, work] of ways) {
    it(`a standby is never accepted as the primary: ${way}`, async () => {
      await using alone = open([standby.port]);
      const failure = await failureOf(work(alone));
      assert.ok(failure instanceof ReadOnlyServer, String(failure));
      assert.ok(isDatabaseUnreachable(failure), 'a start waits until the standby is promoted');
      assert.match(failure.message, new RegExp(`127.0.0.1:${standby.port}.*standby`));
      await using several = open([standby.port, refusingPort]);
      const reason = await failureOf(work(several));
      assert.ok(reason instanceof NoPrimary, String(reason));
      assert.ok(isDatabaseUnreachable(reason));
      assert.match(reason.message, /standby.*ECONNREFUSED/);
    });

    it(`the primary is found at any position in the list: ${way}`, async () => {
      await using opened = open([refusingPort, standby.port, primary.port]);
      await work(opened);
      await using first = open([primary.port, standby.port], '?target_session_attrs=read-write');
      await work(first);
    });
  }

  describe('hosts that do not respond', { concurrency: true }, () => {
    it('one host that does not respond does not delay the start', async () => {
      const silent = createServer();
      await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
      const address = silent.address();
      assert.ok(typeof address === 'object' && address !== null);
      silent.on('connection', (socket) => socket.on('error', () => undefined).resume());
      await using opened = open([address.port, standby.port, primary.port]);
      assert.deepEqual(await opened.db.query(portOfPool), [{ port: primary.port }]);
      await new Promise((resolve) => silent.close(resolve));
    });

    it('a pooler that accepts connections and does not respond does not delay the start', async () => {
      await using fake = await startFakePostgresql('hangs');
      await using opened = open([fake.port, standby.port]);
      const failure = await failureOf(migrate(opened.engine));
      assert.ok(failure instanceof NoPrimary, String(failure));
      const reasons = new RegExp(`127.0.0.1:${fake.port}: Query read timeout; .*standby`);
      assert.match(failure.message, reasons);
    });

    it('hosts are searched again before a silent listening connection connects again', async () => {
      await using one = await openTcpProxy(primary.port);
      await using other = await openTcpProxy(primary.port);
      other.disconnect();
      await using opened = open([one.port, other.port]);
      const channel = await openChannel(opened.engine, { onFault: () => undefined });
      await using closing = new AsyncDisposableStack();
      closing.defer(async () => await channel.close());
      await waitUntil(() => channel.isLive() && one.connections() === 1);
      other.reconnect();
      one.freeze();
      await waitUntil(() => !channel.isLive());
      await waitUntil(() => channel.isLive());
      // One connection is the stuck one, and one comes from the search. A third would mean that a
      // new connection went to the old primary without a check.
      assert.equal(one.connections(), 2);
    });
  });

  it('with sslmode, the certificate of each host must be valid for its name', async () => {
    using folder = temporaryFolder();
    const authority = makeAuthority();
    const { cert, key } = authority.issue(['localhost']);
    const owner = statSync(primary.data);
    const keyFile = join(primary.data, 'server.key');
    writeFileSync(join(primary.data, 'server.crt'), cert);
    writeFileSync(keyFile, key, { mode: 0o600 });
    chownSync(keyFile, owner.uid, owner.gid);
    await run(primary, 'alter system set ssl = on');
    await run(primary, 'select pg_reload_conf()');
    const ca = join(folder.path, 'ca.pem');
    writeFileSync(ca, authority.ca);
    const options = `/postgres?sslmode=verify-full&sslrootcert=${ca}`;
    const hosts = `127.0.0.1:${refusingPort},localhost:${primary.port}`;
    const db = openDatabase(postgresqlEngine(`postgres://postgres@${hosts}${options}`), {
      onFault: () => undefined,
    });
    const isEncrypted = statement<{ ssl: boolean }>(
      'test_hosts_ssl',
      'select ssl from pg_stat_ssl where pid = pg_backend_pid()',
    );
    await waitUntil(async () => (await db.query(isEncrypted).catch(() => []))[0]?.ssl === true);
    await db.close();
    const other = `127.0.0.1:${refusingPort},127.0.0.1:${primary.port}`;
    const refused = await failureOf(
      migrate(postgresqlEngine(`postgres://postgres@${other}${options}`)),
    );
    assert.ok(refused instanceof Error && 'code' in refused);
    assert.equal(refused.code, 'ERR_TLS_CERT_ALTNAME_INVALID');
    assert.ok(!isDatabaseUnreachable(refused));
  });

  it('a permanent error of one host is reported immediately', async () => {
    const engine = postgresqlEngine(
      `postgres://postgres@127.0.0.1:${refusingPort},127.0.0.1:${primary.port}/none`,
    );
    const failure = await failureOf(migrate(engine));
    assert.ok(failure instanceof pg.DatabaseError);
    assert.equal(failure.code, '3D000');
    assert.ok(!isDatabaseUnreachable(failure));
  });

  it('hosts may have names that do not resolve yet', async () => {
    const engine = postgresqlEngine('postgres://postgres@nowhere.invalid/none');
    assert.ok(isDatabaseUnreachable(await failureOf(migrate(engine))));
  });

  it('a primary that is set to read only is refused', async () => {
    await run(
      primary,
      `create role reader login; alter role reader set default_transaction_read_only = on`,
    );
    const engine = postgresqlEngine(`postgres://reader@127.0.0.1:${primary.port}/postgres`);
    await assert.rejects(migrate(engine), /default_transaction_read_only is on/);
  });

  it('every connection to a demoted primary is closed, and the promoted host is used', async () => {
    await using opened = open([primary.port, standby.port]);
    const { db, engine } = opened;
    const channel = await openChannel(engine, { onFault: () => undefined });
    await using closing = new AsyncDisposableStack();
    closing.defer(async () => await channel.close());
    const held = holdTransaction(db, async (tx) => await tx.query(write));
    await held.begun;
    assert.deepEqual(await db.query(write), [{ port: primary.port }]);
    assert.deepEqual(await db.one(portOfHotRead), { port: primary.port });
    held.release();
    await held.done;
    await run(primary, 'alter system set default_transaction_read_only = on');
    await run(primary, 'select pg_reload_conf()');
    // The test sends no query, so only a missing heartbeat can show that the server is read-only.
    const connections = `select from pg_stat_activity where application_name = 'cardport'`;
    await waitUntil(async () => (await run(primary, connections)).length === 0);
    assert.ok((await failureOf(db.query(write))) instanceof NoPrimary);
    await promote(standby);
    await waitUntil(async () => {
      const written = await db.query(write).catch(() => []);
      return written[0]?.port === standby.port;
    });
    assert.deepEqual(await db.one(portOfHotRead), { port: standby.port });
    await waitUntil(() => channel.isLive());
    // A search for the primary connects to every host for a moment. No connection may remain.
    await waitUntil(async () => (await run(primary, connections)).length === 0);
  });
});

describe('a connection on which a write was refused', () => {
  it('a connection on which a write was refused is not used again (SQLSTATE 25006)', async () => {
    await using base = await openTestDatabase();
    await using db = openOne(base.engine);
    const [before_] = await db.query(pid);
    await assert.rejects(
      db.transaction(async (tx) => {
        await tx.query(takeNoWrites);
        await tx.query(statement('test_hosts_create', 'create table refused (a int)'));
      }),
      DatabaseBusy,
    );
    const [after_] = await db.query(pid);
    assert.notEqual(after_?.pid, before_?.pid);
  });
});

function openOne(engine: Engine): Database & AsyncDisposable {
  const db = openDatabase(engine, { onFault: () => undefined, poolClientsMax: 1 });
  return Object.assign(db, { [Symbol.asyncDispose]: async () => await db.close() });
}
