// Proves that processes start while a worker of the Citus cluster is lost, that the service warns
// until the worker is back, and that all of this works for a role without privileges
// (docs/scaling.md).
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { findCitus, installOnNodes, startCitus } from '../../scripts/citus.ts';
import type { CitusCluster, CitusNodes } from '../../scripts/citus.ts';
import { findFreePort } from '../src/base/free-port.ts';
import { openConfiguredDatabase } from '../src/runtime/configured-database.ts';
import { runCardport } from '../test/cardport.ts';
import { seedShop, TEST_SECRET_KEY, testConfig } from '../test/service.ts';
import { openTcpProxy, type TcpProxy } from '../test/tcp-proxy.ts';
import { waitUntil } from '../test/wait-until.ts';
import { queryNode } from './citus-load.ts';
import { startServiceProcess } from './service-process.ts';

/** Every table that is not on the coordinator only. */
const PLACED = 38;
const SHOPS_MAX = 100;
const BACK_MS_MAX = 120_000;
const ROLE = 'clerk';

describe('a Citus cluster with a lost worker (decision 0130)', { timeout: 900_000 }, () => {
  let cluster: CitusCluster;
  let proxy: TcpProxy;
  /** The coordinator reaches the second worker through the proxy. */
  let nodes: CitusNodes;

  before(async () => {
    const binaries = findCitus();
    assert.ok(binaries !== null);
    cluster = await startCitus(binaries, { isDurable: false });
    const [kept, lost] = cluster.workers;
    assert.ok(kept !== undefined && lost !== undefined);
    proxy = await openTcpProxy(lost.port);
    nodes = { ...cluster, workers: [kept, { url: lost.url, port: proxy.port }] };
    // One role per node: a new role is passed on only to the nodes of the database.
    for (const { url } of [cluster.coordinator, kept, lost]) {
      await queryNode(url, `create role ${ROLE} login`);
    }
  });
  after(async () => {
    await proxy[Symbol.asyncDispose]();
    await cluster.stop();
  });

  /** Creates a database on every node as a superuser, owned by the role of the service. */
  async function createDatabase(
    name: string,
    fill: (environment: Readonly<Record<string, string>>) => Promise<void> = async () => undefined,
  ): Promise<Readonly<Record<string, string>>> {
    for (const { url } of [nodes.coordinator, ...nodes.workers]) {
      await queryNode(url, `create database ${name} owner ${ROLE}`);
    }
    const url = nodes.coordinator.url
      .replace('postgres@', `${ROLE}@`)
      .replace(/\/postgres$/, `/${name}`);
    const environment = {
      DATABASE_URL: url,
      SECRET_KEY: TEST_SECRET_KEY,
      DATABASE_WAIT_SECONDS: '1',
    };
    await fill(environment);
    await installOnNodes(nodes, name);
    return environment;
  }

  async function readWarnings(url: string): Promise<readonly string[]> {
    const response = await fetch(`${url}/readyz`);
    assert.equal(response.status, 200);
    const { warnings = [] }: { warnings?: string[] } = JSON.parse(await response.text());
    return warnings.filter((warning) => warning.includes('Citus'));
  }

  /** Seeds a shop on each worker. Returns their keys, by the port of the worker. */
  async function seedEachWorker(
    environment: Readonly<Record<string, string>>,
  ): Promise<ReadonlyMap<number, string>> {
    await using store = await openConfiguredDatabase(testConfig(environment), assert.ifError);
    const keys = new Map<number, string>();
    for (let tried = 0; keys.size < nodes.workers.length; tried++) {
      assert.ok(tried < SHOPS_MAX);
      const { shop, shopKey } = await seedShop(store);
      const [found] = await queryNode<{ port: number }>(
        environment['DATABASE_URL'] ?? '',
        `select nodeport as port from citus_shards where table_name = 'feed_head'::regclass
            and shardid = get_shard_id_for_distribution_column('feed_head', $1::uuid)`,
        [shop.id],
      );
      keys.set(found?.port ?? 0, shopKey);
    }
    return keys;
  }

  async function statusOf(url: string, key: string | undefined): Promise<number> {
    const headers = { authorization: `Bearer ${key}` };
    return (await fetch(`${url}/shop/v1/sites`, { headers })).status;
  }

  async function examine(environment: Readonly<Record<string, string>>): Promise<string> {
    const { stdout } = await runCardport(['doctor'], { environment });
    return stdout
      .split(/\n(?! )/)
      .filter((line) => line.includes('Citus'))
      .join('\n');
  }

  it('serve and deliver start while a worker is lost, and /readyz warns until it is back', async () => {
    const environment = await createDatabase('outage');
    const { port } = proxy;
    const first = await runCardport(['migrate'], { environment });
    assert.equal(first.code, 0, first.stderr);
    assert.match(first.stdout, new RegExp(`Tables placed on the Citus cluster: ${PLACED}\\.`));
    const second = await runCardport(['migrate'], { environment });
    assert.equal(second.stdout, 'The schema is up to date.\n');
    const keys = await seedEachWorker(environment);
    assert.ok(!(await examine(environment)).includes('problem'));
    // The worker comes back without the settings, as a new one would.
    const onWorker = nodes.workers[1]?.url.replace(/\/postgres$/, '/outage') ?? '';
    const forget = `set citus.enable_alter_role_set_propagation = off;
      alter role ${ROLE} in database outage reset all`;
    await queryNode(onWorker, forget);
    assert.match(
      await examine(environment),
      new RegExp(`^problem +Citus worker 127.0.0.1:${port}: lock_timeout is not set`, 'm'),
    );

    const lose = async (how: 'disconnect' | 'freeze'): Promise<void> => {
      await queryNode(onWorker, forget);
      proxy[how]();
      assert.match(await examine(environment), new RegExp(`problem +Citus .*127.0.0.1:${port}`));
      const migrated = await runCardport(['migrate'], { environment });
      assert.equal(migrated.code, 1);
      assert.match(migrated.stderr, new RegExp(`^cardport: .*127.0.0.1:${port}.*\\n$`));
      const metrics = { METRICS_PORT: String(await findFreePort()) };
      const deliverer = await startServiceProcess({ ...environment, ...metrics }, ['deliver']);
      const service = await startServiceProcess(environment);
      try {
        await waitUntil(async () => (await readWarnings(service.url)).length === 1);
        for (const [worker, key] of keys) {
          assert.equal(await statusOf(service.url, key), worker === port ? 503 : 200);
        }
        proxy[how === 'freeze' ? 'thaw' : 'reconnect']();
        await waitUntil(
          async () =>
            (await readWarnings(service.url)).length === 0 &&
            (await statusOf(service.url, keys.get(port))) === 200,
          BACK_MS_MAX,
        );
        const [role] = await queryNode<{ settings: string }>(
          onWorker,
          `select setconfig::text as settings from pg_db_role_setting
            where setrole = '${ROLE}'::regrole`,
        );
        assert.match(role?.settings ?? '', /lock_timeout/);
        assert.ok(!(await examine(environment)).includes('problem'));
        // A worker that is lost later leads to a warning too.
        proxy[how]();
        await waitUntil(async () => (await readWarnings(service.url)).length === 1, BACK_MS_MAX);
        // The check of the nodes ends with the process.
        assert.equal(await service.stop(), 0);
        assert.equal(await deliverer.stop(), 0);
      } finally {
        await service.kill();
        await deliverer.kill();
        proxy[how === 'freeze' ? 'thaw' : 'reconnect']();
      }
    };
    await lose('disconnect');
    await lose('freeze');
  });

  it('a start that must place tables waits for the workers, and ends with one sentence', async () => {
    const environment = await createDatabase('unplaced', async (plain) => {
      const run = await runCardport(['migrate'], { environment: plain });
      assert.match(run.stdout, /^Migrations applied: \d+ \(shops, .*\)\.\n$/);
    });
    proxy.disconnect();
    const run = await runCardport(['serve'], { environment: { ...environment, PORT: '0' } });
    proxy.reconnect();
    assert.equal(run.code, 1);
    assert.match(run.stderr, /^cardport: waiting up to 1 s for the database: the tables cannot/m);
    const last = run.stderr.trimEnd().split('\n').at(-1) ?? '';
    assert.match(last, /^cardport: the database is unavailable: the tables cannot be placed/);
    const [, reason = ''] = /Citus cluster: (.*)$/.exec(last) ?? [];
    assert.equal(run.stderr.split(reason).length - 1, 2, 'the reason is in each line once');
    const migrated = await runCardport(['migrate'], { environment });
    assert.equal(migrated.code, 0, migrated.stderr);
    assert.equal(migrated.stdout, `Tables placed on the Citus cluster: ${PLACED}.\n`);
  });

  it('a worker that refuses the role is named in one sentence', async () => {
    const environment = await createDatabase('refused');
    const [, worker] = cluster.workers;
    assert.ok(worker !== undefined);
    const file = join(worker.data, 'pg_hba.conf');
    writeFileSync(file, `host all ${ROLE} 127.0.0.1/32 reject\n${readFileSync(file, 'utf8')}`);
    await queryNode(worker.url, 'select pg_reload_conf()');
    const run = await runCardport(['migrate'], { environment });
    assert.equal(run.code, 1);
    assert.match(run.stderr, /^cardport: [^\n]*pg_hba\.conf rejects[^\n]*\n$/);
  });
});
