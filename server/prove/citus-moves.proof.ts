// Proves that shards can be moved, workers added and lost, and a shop isolated, while apps sync and
// shops write (docs/scaling.md).
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import {
  createOnNodes,
  findCitus,
  installOnNode,
  startCitus,
  startCitusNode,
} from '../../scripts/citus.ts';
import type { Cluster } from '../../scripts/postgres.ts';
import { migrate } from '../src/database/migrate.ts';
import { postgresqlEngine } from '../src/database/postgresql-engine.ts';
import { queryNode, CitusLoad } from './citus-load.ts';

const DURABLE = { isDurable: true };
const NAME = 'moves';

interface Placement {
  readonly shard: string;
  readonly port: number;
}

/**
 * Returns the shards of `feed_head` and the ports of their workers. The shops' other tables are
 * colocated with it.
 */
async function placementsOf(url: string): Promise<readonly Placement[]> {
  return await queryNode<Placement>(
    url,
    `select shardid::text as shard, nodeport as port from citus_shards
      where table_name = 'feed_head'::regclass order by 1`,
  );
}

async function moveShard(url: string, { shard, port }: Placement, target: number): Promise<void> {
  await queryNode(
    url,
    `select citus_move_shard_placement($1, '127.0.0.1', $2, '127.0.0.1', $3, 'force_logical')`,
    [shard, port, target],
  );
}

describe('a Citus cluster under 16 writers and 4 readers (decision 0130)', () => {
  it(
    'no write is lost when shards move and workers are added and removed',
    { timeout: 1_800_000 },
    async (t) => {
      const binaries = findCitus();
      assert.ok(binaries !== null);
      await using stack = new AsyncDisposableStack();
      const folder = mkdtempSync(join(tmpdir(), 'cardport-citus-'));
      stack.defer(() => rmSync(folder, { recursive: true, force: true }));
      const cluster = await startCitus(binaries, DURABLE);
      stack.defer(async () => await cluster.stop());
      await createOnNodes(cluster, NAME);
      const url = cluster.coordinator.url.replace(/\/postgres$/, `/${NAME}`);
      await using load = await CitusLoad.start(url, { DATA_DIR: folder });
      await load.goesOn();

      const step = async (name: string, work: () => Promise<void>): Promise<void> => {
        const startedMs = performance.now();
        await Promise.all([work(), load.revoke()]);
        const tookMs = Math.round(performance.now() - startedMs);
        await load.goesOn();
        t.diagnostic(`${name}: ${tookMs} ms`);
      };

      await step('a shard moved to the other worker', async () => {
        const [moved] = await placementsOf(url);
        const target = cluster.workers.find(({ port }) => port !== moved?.port);
        assert.ok(moved !== undefined && target !== undefined);
        await moveShard(url, moved, target.port);
        assert.ok(
          (await placementsOf(url)).some(
            ({ shard, port }) => shard === moved.shard && port === target.port,
          ),
        );
      });

      await step('a worker killed, and back', async () => {
        const [worker] = cluster.workers;
        assert.ok(worker !== undefined);
        await worker.crash();
        await worker.restart();
      });

      let added: Cluster | undefined;
      await step('a worker added, and shards rebalanced', async () => {
        const node = await startCitusNode(binaries, DURABLE);
        added = node;
        stack.defer(async () => await node.stop());
        const { port } = node;
        await installOnNode(node.url, NAME);
        await queryNode(url, `select citus_add_node('127.0.0.1', $1)`, [port]);
        await migrate(postgresqlEngine(url));
        await queryNode(
          url,
          `select rebalance_table_shards(shard_transfer_mode := 'force_logical')`,
        );
        assert.ok((await placementsOf(url)).some((placement) => placement.port === port));
      });

      await step('a big shop isolated on a worker of its own', async () => {
        assert.ok(added !== undefined);
        const { port: own } = added;
        const [big] = load.shops;
        assert.ok(big !== undefined);
        // Without blocking writes, Citus 13 hangs if a row of the shard is updated during its copy.
        const [isolated] = await queryNode<{ shard: string }>(
          url,
          `select isolate_tenant_to_new_shard('feed_head', $1::uuid, 'CASCADE',
           shard_transfer_mode := 'block_writes')::text as shard`,
          [big.seeded.shop.id],
        );
        const [other] = cluster.workers;
        assert.ok(isolated !== undefined && other !== undefined);
        for (const placement of await placementsOf(url)) {
          const isBig = placement.shard === isolated.shard;
          if (isBig && placement.port !== own) await moveShard(url, placement, own);
          if (!isBig && placement.port === own) await moveShard(url, placement, other.port);
        }
        const there = (await placementsOf(url)).filter(({ port }) => port === own);
        assert.deepEqual(
          there.map(({ shard }) => shard),
          [isolated.shard],
        );
      });

      t.diagnostic(await load.finish(url));
    },
  );
});
