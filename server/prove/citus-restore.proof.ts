// Proves that all nodes of a Citus cluster can be restored to one common point, and that `restored`
// then lets every app continue (docs/scaling.md).
import assert from 'node:assert/strict';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { CITUS_SETTINGS, createOnNodes, findCitus, startCitusNode } from '../../scripts/citus.ts';
import { type Cluster, startCluster } from '../../scripts/postgres.ts';
import { copyCluster } from '../../scripts/standby.ts';
import { runCardport } from '../test/cardport.ts';
import { waitUntil } from '../test/wait-until.ts';
import { queryNode, CitusLoad, requireEqual } from './citus-load.ts';
import { FeedFollower } from './feed-follower.ts';
import { startServiceProcess } from './service-process.ts';

const NAME = 'restored';
const POINT = 'cardport';
const NODES = 3;
const WAIT_MS_MAX = 120_000;

interface ArchivedNode {
  readonly cluster: Cluster;
  readonly archive: string;
}

function databaseOf({ cluster }: ArchivedNode): string {
  return cluster.url.replace(/\/postgres$/, `/${NAME}`);
}

/** Waits until the archive of the node has all WAL that was written before the call. */
async function archiveWal({ cluster, archive }: ArchivedNode): Promise<void> {
  const [current] = await queryNode<{ file: string }>(
    cluster.url,
    'select pg_walfile_name(pg_current_wal_insert_lsn()) as file',
  );
  await queryNode(cluster.url, 'select pg_switch_wal()');
  await waitUntil(() => existsSync(join(archive, current?.file ?? '')), WAIT_MS_MAX);
}

describe('a Citus cluster that is restored (decision 0130)', () => {
  it(
    'the restored cluster has every write until the point of the restore, and its apps continue',
    {
      timeout: 1_800_000,
    },
    async (t) => {
      const binaries = findCitus();
      assert.ok(binaries !== null);
      await using stack = new AsyncDisposableStack();
      const folder = mkdtempSync(join(tmpdir(), 'cardport-citus-'));
      stack.defer(() => rmSync(folder, { recursive: true, force: true }));
      const nodes: ArchivedNode[] = [];
      for (let number = 0; number < NODES; number++) {
        const archive = join(folder, `archive-${number}`);
        mkdirSync(archive);
        // If root runs this, the server runs as another user, which must be able to write here.
        chmodSync(archive, 0o777);
        const settings = { archive_mode: 'on', archive_command: `cp %p ${archive}/%f` };
        const cluster = await startCitusNode(binaries, { isDurable: true, settings });
        stack.defer(async () => await cluster.stop());
        nodes.push({ cluster, archive });
      }
      const [coordinator, ...workers] = nodes;
      assert.ok(coordinator !== undefined);
      await createOnNodes(
        { coordinator: coordinator.cluster, workers: workers.map(({ cluster }) => cluster) },
        NAME,
      );
      const load = await CitusLoad.start(databaseOf(coordinator), { DATA_DIR: folder });
      stack.use(load);
      await load.goesOn();

      const copies: string[] = [];
      for (const { cluster } of nodes) copies.push(await copyCluster(cluster));
      await load.goesOn();
      const subjects = await Promise.all(
        load.shops.map(async ({ apps: [app] }) => {
          assert.ok(app !== undefined);
          return { app, tokens: await app.tokens() };
        }),
      );
      const kept = load.shops.map(({ writes }) => writes.acknowledged());
      await queryNode(databaseOf(coordinator), 'select citus_create_restore_point($1)', [POINT]);
      // The restore loses everything after this point: writes, and a refresh by each app.
      await load.goesOn();
      const lost = await Promise.all(
        subjects.map(async ({ app, tokens }) => {
          const refreshed = await app.refresh(tokens.refresh_token);
          assert.equal(refreshed.status, 200, refreshed.text);
          const read = await app.call('GET', '/inventory/changes', tokens.access_token);
          const page: { readonly nextCursor: string } = JSON.parse(read.text);
          return { token: refreshed.body.refresh_token ?? '', cursor: page.nextCursor };
        }),
      );
      for (const node of nodes) await archiveWal(node);
      t.diagnostic(await load.finish(databaseOf(coordinator)));
      await load[Symbol.asyncDispose]();
      for (const { cluster } of nodes) await cluster.kill();

      await Promise.all(
        nodes.map(async ({ cluster: { port }, archive }, number) => {
          const copy = copies[number] ?? '';
          writeFileSync(join(copy, 'data/recovery.signal'), '');
          const settings = {
            ...CITUS_SETTINGS,
            restore_command: `cp ${archive}/%f %p`,
            recovery_target_name: POINT,
            recovery_target_action: 'promote',
          };
          const options = { isDurable: true, settings, folder: copy, port };
          const restored = await startCluster(binaries, options);
          stack.defer(async () => await restored.stop());
          await waitUntil(async () => {
            const [state] = await queryNode<{ over: boolean }>(
              restored.url,
              'select not pg_is_in_recovery() as over',
            );
            return state?.over === true;
          }, WAIT_MS_MAX);
        }),
      );
      const run = await runCardport(['restored', '--yes'], { environment: load.environment });
      assert.equal(run.code, 0, run.stderr);

      const service = await startServiceProcess(load.environment);
      stack.defer(async () => await service.kill());
      let gone = 0;
      for (const [number, { app }] of subjects.entries()) {
        const { token = '', cursor = '' } = lost[number] ?? {};
        const refreshed = await app.refresh(token, {}, { 'idempotency-key': 'after the restore' });
        assert.equal(refreshed.status, 200, refreshed.text);
        const access = refreshed.body.access_token ?? '';
        const expired = await app.call('GET', `/inventory/changes?cursor=${cursor}`, access);
        assert.equal(expired.status, 410, expired.text);
        const follower = new FeedFollower(app.service.partnerUrl, access);
        await follower.read();
        await requireEqual(
          databaseOf(coordinator),
          app.seeded.shop.id,
          follower,
          kept[number] ?? new Map(),
        );
        for (const [id, price] of load.shops[number]?.writes.acknowledged() ?? []) {
          if (Number(follower.held.get(id) ?? 0) < price) gone += 1;
        }
      }
      assert.ok(gone > 0, 'what was written after the point of the restore is there');
    },
  );
});
