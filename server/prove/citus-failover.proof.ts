// Proves that a Citus cluster loses nothing when its coordinator and a worker are lost and their
// standbys promoted, while apps sync and shops write (docs/scaling.md).
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { CITUS_SETTINGS, createOnNodes, findCitus, startCitus } from '../../scripts/citus.ts';
import { promote, startStandby } from '../../scripts/standby.ts';
import { waitUntil } from '../test/wait-until.ts';
import { queryNode, CitusLoad } from './citus-load.ts';

const NAME = 'failover';
/** Citus resolves the prepared transactions of a lost coordinator only at intervals. */
const RECOVERED_MS_MAX = 180_000;

function databaseOf({ url }: { readonly url: string }): string {
  return url.replace(/\/postgres$/, `/${NAME}`);
}

describe('a fail-over on Citus under 16 writers and 4 readers (decision 0130)', () => {
  it(
    'a fail-over of a worker and of the coordinator loses no write',
    { timeout: 1_800_000 },
    async (t) => {
      const binaries = findCitus();
      assert.ok(binaries !== null);
      const options = { isDurable: true, settings: CITUS_SETTINGS };
      await using stack = new AsyncDisposableStack();
      const folder = mkdtempSync(join(tmpdir(), 'cardport-citus-'));
      stack.defer(() => rmSync(folder, { recursive: true, force: true }));
      const cluster = await startCitus(binaries, { isDurable: true });
      stack.defer(async () => await cluster.stop());
      const { coordinator, workers } = cluster;
      const [worker] = workers;
      assert.ok(worker !== undefined);
      await createOnNodes(cluster, NAME);
      const standby = await startStandby(binaries, coordinator, options);
      stack.defer(async () => await standby.stop());
      const workerStandby = await startStandby(binaries, worker, options);
      stack.defer(async () => await workerStandby.stop());

      await using load = await CitusLoad.start(databaseOf(coordinator), {
        DATA_DIR: folder,
        DATABASE_URL: databaseOf(coordinator).replace(
          /(?<=@)[^/]+/,
          `$&,127.0.0.1:${standby.port}`,
        ),
      });
      await load.goesOn();

      const step = async (name: string, work: () => Promise<void>): Promise<void> => {
        const startedMs = performance.now();
        await Promise.all([work(), load.revoke()]);
        await load.goesOn();
        t.diagnostic(`${name}: ${Math.round(performance.now() - startedMs)} ms until all went on`);
      };

      await step('a worker killed, its standby promoted', async () => {
        await worker.kill();
        await promote(workerStandby);
        await queryNode(
          databaseOf(coordinator),
          `select citus_update_node(nodeid, '127.0.0.1', $1, force => true)
           from pg_dist_node where nodeport = $2`,
          [workerStandby.port, worker.port],
        );
      });

      await step('the coordinator killed, its standby promoted', async () => {
        await coordinator.kill();
        await promote(standby);
        // Workers copy from the coordinator, so they must know its address.
        await queryNode(
          databaseOf(standby),
          `select citus_update_node(nodeid, '127.0.0.1', $1, force => true)
           from pg_dist_node where groupid = 0`,
          [standby.port],
        );
      });

      const nodes = [workerStandby, ...workers.slice(1)];
      await waitUntil(async () => {
        const open = await Promise.all(
          nodes.map(
            async (node) =>
              await queryNode(
                databaseOf(node),
                `select from pg_prepared_xacts where prepared < now() - interval '10 seconds'`,
              ),
          ),
        );
        return open.every((rows) => rows.length === 0);
      }, RECOVERED_MS_MAX);
      t.diagnostic(await load.finish(databaseOf(standby)));
    },
  );
});
