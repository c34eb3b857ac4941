// Proves that no acknowledged write is lost when a process is killed (-9) during writes.
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { type Cluster, startCluster } from '../../scripts/postgres.ts';
import { findPackagedBinaries } from '../src/database/packaged/binaries.ts';
import type { Database } from '../src/database/database.ts';
import { migrate } from '../src/database/migrate.ts';
import { statement } from '../src/database/statement.ts';
import { createShopKey } from '../src/shops/shop-key.ts';
import { openConfiguredDatabase } from '../src/runtime/configured-database.ts';
import { TEST_SECRET_KEY, testConfig } from '../test/service.ts';
import { seedStock } from '../test/stock.ts';
import { waitUntil } from '../test/wait-until.ts';
import { AcknowledgedWrites, type WriteTarget } from './acknowledged-writes.ts';
import { startServiceProcess } from './service-process.ts';
import { OPERATOR } from '../src/shops/audit.ts';

/** The PostgreSQL under test. */
const TESTED_POSTGRES = {
  folder: process.env['TEST_POSTGRES_BIN'] ?? '',
  major: Number(process.env['TEST_POSTGRES_MAJOR']),
};
const IS_PACKAGED = TESTED_POSTGRES.folder === findPackagedBinaries().folder;

const IS_FULL = process.env['PROVE_FULL'] === '1';
const KILLS = IS_FULL ? 50 : 6;
/** How often the service, the postmaster, and both together are killed on one data folder. */
const FOLDER_KILLS = IS_FULL
  ? { service: 50, database: 20, both: 10 }
  : { service: 3, database: 2, both: 2 };
/**
 * After the last process that uses the database is killed, all processes of the database must end
 * within this time.
 */
const ORPHAN_MS_MAX = 5_000;
const WRITERS = 6;
/** The number of acknowledged writes of a round before the kill. */
const WRITES_BEFORE_KILL = 30;
/** After `WRITES_BEFORE_KILL` writes, the process is killed at a random moment within this time. */
const KILL_WITHIN_MS = 150;
const RECOVERY_WITHIN_MS = 30_000;

const selectFeeds = statement<{ head: number; highest: number; rows: number; places: number }>(
  'prove_kills_feeds',
  `select h.seq as head, max(f.seq) as highest, count(*) as rows, count(distinct f.seq) as places
  from feed_head h
  join (select shop_id, seq from site union all select shop_id, seq from location
    union all select shop_id, seq from unit) f using (shop_id)
  group by h.shop_id, h.seq`,
);

describe('kill -9 during writes', () => {
  it(
    'no acknowledged write is lost with DATA_DIR, if the service, its database or both are killed',
    { skip: !IS_PACKAGED },
    async (t) => {
      const folder = mkdtempSync(join(tmpdir(), 'cardport-kills-'));
      const environment = { DATA_DIR: folder };
      try {
        const writes = new AcknowledgedWrites(await withDatabase(environment, seed), WRITERS);
        for (let kill = 0; kill < FOLDER_KILLS.service; kill++) {
          await killOnce(environment, writes);
          await waitUntil(() => !isUsed(folder), ORPHAN_MS_MAX);
        }
        const database = {
          crash: async () => killDatabase(folder),
          restart: async () => undefined,
        };
        for (let kill = 0; kill < FOLDER_KILLS.database; kill++) {
          await crashOnce(database, environment, writes);
          await waitUntil(() => !isUsed(folder), ORPHAN_MS_MAX);
        }
        for (let kill = 0; kill < FOLDER_KILLS.both; kill++) {
          await killOnce(environment, writes, () => killDatabase(folder));
          await waitUntil(() => !isUsed(folder), ORPHAN_MS_MAX);
        }
        const last = await startServiceProcess(environment);
        await writes.verify(last.url);
        assert.equal(await last.stop(), 0);
        await withDatabase(environment, requireWholeFeeds);
        const { service, database: postmaster, both } = FOLDER_KILLS;
        t.diagnostic(
          `${writes.count} writes acknowledged, ${service} kills of the service, ${postmaster} of the postmaster, ` +
            `${both} of both, none lost, no process left ${ORPHAN_MS_MAX} ms later`,
        );
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    },
  );

  it(`no acknowledged write is lost with an external PostgreSQL (${KILLS} kills)`, async (t) => {
    const cluster = await startCluster(TESTED_POSTGRES, { isDurable: true });
    try {
      const environment = { DATABASE_URL: cluster.url, SECRET_KEY: TEST_SECRET_KEY };
      const writes = new AcknowledgedWrites(await withDatabase(environment, seed), WRITERS);
      let crashes = 0;
      for (let kill = 0; kill < KILLS; kill++) {
        // Kill the service and the database alternately. After a kill of the database, the service
        // must reconnect without a restart.
        if (kill % 2 === 0) await killOnce(environment, writes);
        else {
          await crashOnce(cluster, environment, writes);
          crashes += 1;
        }
      }
      const last = await startServiceProcess(environment);
      await writes.verify(last.url);
      assert.equal(await last.stop(), 0);
      await withDatabase(environment, requireWholeFeeds);
      t.diagnostic(
        `${writes.count} writes acknowledged, ${KILLS} kills (${crashes} of the server), none lost`,
      );
    } finally {
      await cluster.stop();
    }
  });
});

/** Starts the service, verifies the data and writes, calls `killMore`, and kills the service. */
async function killOnce(
  environment: Environment,
  writes: AcknowledgedWrites,
  killMore: () => void = () => undefined,
): Promise<void> {
  const service = await startServiceProcess(environment);
  await writes.verify(service.url);
  const running = writes.run(service.url, 'stop');
  await writeSome(writes);
  killMore();
  await service.kill();
  await running;
}

/** Kills the postmaster of a folder. The other processes of the database then end. */
function killDatabase(folder: string): void {
  const file = readFileSync(join(folder, 'postgresql/data/postmaster.pid'), 'utf8');
  process.kill(Number(file.split('\n')[0]), 'SIGKILL');
}

/**
 * Returns whether a process on this machine has this folder in its command line, as PostgreSQL's
 * processes do.
 */
function isUsed(folder: string): boolean {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .some((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(folder);
      } catch {
        // The process has ended.
        return false;
      }
    });
}

/** Starts the service, writes, kills the database, and waits until the service writes again. */
async function crashOnce(
  cluster: Pick<Cluster, 'crash' | 'restart'>,
  environment: Environment,
  writes: AcknowledgedWrites,
): Promise<void> {
  const service = await startServiceProcess(environment);
  await writes.verify(service.url);
  const running = writes.run(service.url, 'continue');
  await writeSome(writes);
  await cluster.crash();
  await cluster.restart();
  const before = writes.count;
  await waitUntil(() => writes.count > before + WRITES_BEFORE_KILL, RECOVERY_WITHIN_MS);
  writes.stop();
  await running;
  await writes.verify(service.url);
  await service.kill();
}

async function writeSome(writes: AcknowledgedWrites): Promise<void> {
  const before = writes.count;
  await waitUntil(() => writes.count >= before + WRITES_BEFORE_KILL, RECOVERY_WITHIN_MS);
  await new Promise((resolve) => setTimeout(resolve, Math.random() * KILL_WITHIN_MS));
}

type Environment = Readonly<Record<string, string>>;

async function withDatabase<T>(
  environment: Environment,
  work: (db: Database) => Promise<T>,
): Promise<T> {
  await using store = await openConfiguredDatabase(testConfig(environment), assert.ifError);
  await migrate(store.engine);
  return await work(store.db);
}

async function seed(db: Database): Promise<WriteTarget> {
  const { shop, siteId, cardId } = await seedStock(db);
  const key = await db.transaction(
    async (tx) => await createShopKey(tx, shop.id, 'till', new Date(), OPERATOR),
  );
  assert.ok(key.kind === 'created');
  return { shopKey: key.key, siteId, cardId };
}

/** Checks that no position of the feed is used twice, and that the head is the highest position. */
async function requireWholeFeeds(db: Database): Promise<void> {
  const feeds = await db.query(selectFeeds);
  assert.equal(feeds.length, 1);
  for (const { head, highest, rows, places } of feeds) {
    assert.equal(head, highest);
    assert.equal(rows, places);
  }
}
