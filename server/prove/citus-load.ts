import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { findFreePort } from '../src/base/free-port.ts';
import { newId } from '../src/base/secrets.ts';
import { asError } from '../src/database/errors.ts';
import { migrate } from '../src/database/migrate.ts';
import { putSite } from '../src/inventory/site.ts';
import { openConfiguredDatabase } from '../src/runtime/configured-database.ts';
import { AppClient, type TokenAnswer } from '../test/app-client.ts';
import { type SeededShop, seedShop, TEST_SECRET_KEY, testConfig } from '../test/service.ts';
import { insertTestCard, insertTestGame } from '../test/stock.ts';
import { waitUntil } from '../test/wait-until.ts';
import { AcknowledgedWrites } from './acknowledged-writes.ts';
import { FeedFollower } from './feed-follower.ts';
import { type ServiceProcess, startServiceProcess } from './service-process.ts';

/** The number of writers per shop. With four shops, there are 16 writers and 4 readers. */
const WRITERS = 4;
const NODES = 2;
/**
 * How long writers and readers rest after each operation, so that the servers get CPU time to move
 * shards.
 */
const REST_MS = 150;
/** The load counts as continuing after this many writes of each shop and reads of each reader. */
const DONE = 10;
const GOES_ON_MS_MAX = 120_000;
/** The service promises that a revoked token is refused after this time. */
const REVOKED_WITHIN_MS = 1_000;
const RETRY_MS = 50;
/** The maximum number of shops to create. Far fewer are enough to put a shop on each shard. */
const SHOPS_TRIED_MAX = 100;

interface LoadedShop {
  readonly seeded: SeededShop;
  readonly shard: string;
  /** One client of the app per service process. */
  readonly apps: readonly AppClient[];
  readonly writes: AcknowledgedWrites;
  readonly follower: FeedFollower;
}

/** Runs SQL on the coordinator, in its own session. */
export async function queryNode<Row extends object>(
  url: string,
  text: string,
  values: readonly unknown[] = [],
): Promise<readonly Row[]> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query<Row>(text, [...values])).rows;
  } finally {
    await client.end();
  }
}

/**
 * Two service processes on a Citus cluster. Each shop is on a separate shard, and has writers that
 * call one process and a reader that calls the other.
 */
export class CitusLoad implements AsyncDisposable {
  readonly shops: readonly LoadedShop[];
  /** The environment of the first service process, whose address is the public address. */
  readonly environment: Readonly<Record<string, string>>;
  readonly #nodes: readonly ServiceProcess[];
  readonly #running: Promise<void>[] = [];
  readonly #reads: number[];
  #isOver = false;
  #failure: Error | null = null;

  private constructor(
    nodes: readonly ServiceProcess[],
    shops: readonly LoadedShop[],
    environment: Readonly<Record<string, string>>,
  ) {
    this.#nodes = nodes;
    this.environment = environment;
    this.shops = shops;
    this.#reads = shops.map(() => 0);
  }

  /**
   * Migrates the database and seeds a shop for each shard.
   *
   * @param url the database on the coordinator
   * @param environment for the service; `DATABASE_URL` may name more hosts than `url`
   */
  static async start(
    url: string,
    environment: Readonly<Record<string, string>>,
  ): Promise<CitusLoad> {
    const ports = [await findFreePort(), await findFreePort()];
    const publicUrl = `http://127.0.0.1:${ports[0]}`;
    const shared = {
      DATABASE_URL: url,
      SECRET_KEY: TEST_SECRET_KEY,
      PUBLIC_URL: publicUrl,
      ...environment,
    };
    const seeded = await seedEachShard(url, shared);
    const nodes: ServiceProcess[] = [];
    try {
      for (let node = 0; node < NODES; node++) {
        nodes.push(await startServiceProcess({ ...shared, PORT: String(ports[node]) }));
      }
      const urls = ports.map((port) => `http://127.0.0.1:${port}`);
      const shops: LoadedShop[] = [];
      for (const shop of seeded) shops.push(await load(shop, urls));
      const citusLoad = new CitusLoad(nodes, shops, { ...shared, PORT: String(ports[0]) });
      citusLoad.#run(urls);
      return citusLoad;
    } catch (error) {
      for (const node of nodes) await node.kill();
      throw error;
    }
  }

  #run(urls: readonly string[]): void {
    for (const [n, shop] of this.shops.entries()) {
      const url = urls[n % NODES] ?? '';
      for (const work of [shop.writes.run(url, 'continue'), this.#readOn(n, shop)]) {
        this.#running.push(work);
        work.catch((error: unknown) => {
          this.#failure ??= asError(error);
        });
      }
    }
  }

  /** Waits until each shop has been written and read several times since the call. */
  async goesOn(): Promise<void> {
    const done = (): readonly number[] => [
      ...this.shops.map(({ writes }) => writes.count),
      ...this.#reads,
    ];
    const before = done();
    await waitUntil(() => {
      if (this.#failure !== null) throw this.#failure;
      return done().every((count, n) => count >= (before[n] ?? 0) + DONE);
    }, GOES_ON_MS_MAX);
  }

  /**
   * Revokes a token of each shop at one process, and checks that the other process, which knew the
   * token, no longer accepts it after the promised time.
   */
  async revoke(): Promise<void> {
    await Promise.all(
      this.shops.map(async ({ apps: [first, second] }) => {
        assert.ok(first !== undefined && second !== undefined);
        const { access_token: token } = await untilAnswered(async () => await first.tokens());
        assert.equal((await untilCalled(second, token)).status, 200);
        const revoked = await untilAnswered(async () => await first.revoke(token));
        assert.equal(revoked.status, 200, revoked.text);
        await pause(REVOKED_WITHIN_MS);
        const { status } = await second.call('GET', '/connection', token);
        assert.ok(status === 401 || status === 503, `a revoked token was answered ${status}`);
        assert.equal((await untilCalled(second, token)).status, 401);
      }),
    );
  }

  /**
   * Ends the load, and compares the acknowledged writes and the readers' units with the database.
   */
  async finish(url: string): Promise<string> {
    this.#isOver = true;
    for (const { writes } of this.shops) writes.stop();
    await Promise.allSettled(this.#running);
    if (this.#failure !== null) throw this.#failure;
    let units = 0;
    for (const { seeded, writes, follower } of this.shops) {
      await follower.read();
      units += await requireEqual(url, seeded.shop.id, follower, writes.acknowledged());
    }
    const count = this.shops.reduce((sum, { writes }) => sum + writes.count, 0);
    const reads = this.#reads.reduce((sum, one) => sum + one, 0);
    return (
      `${this.shops.length * WRITERS} writers, ${this.shops.length} readers: ${count} writes ` +
      `acknowledged, 0 lost; ${reads} reads, every reader equals the database (${units} units)`
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isOver = true;
    for (const { writes } of this.shops) writes.stop();
    for (const node of this.#nodes) await node.kill();
  }

  async #readOn(n: number, { writes, follower }: LoadedShop): Promise<void> {
    while (!this.#isOver) {
      const acknowledged = writes.acknowledged();
      await follower.read();
      for (const [id, price] of acknowledged) {
        const held = follower.held.get(id);
        assert.ok(
          typeof held === 'number' && held >= price,
          `unit ${id}: ${price} was acknowledged, a poll that began later shows ${String(held)}`,
        );
      }
      this.#reads[n] = (this.#reads[n] ?? 0) + 1;
      await pause(REST_MS);
    }
  }
}

interface Seeded {
  readonly shop: SeededShop;
  readonly shard: string;
  readonly siteId: string;
  readonly cardId: string;
}

async function seedEachShard(
  url: string,
  environment: Readonly<Record<string, string>>,
): Promise<readonly Seeded[]> {
  await using store = await openConfiguredDatabase(testConfig(environment), assert.ifError);
  await migrate(store.engine);
  const [shards] = await queryNode<{ count: number }>(
    url,
    `select count(*)::int as count from pg_dist_shard where logicalrelid = 'feed_head'::regclass`,
  );
  const seeded = new Map<string, Seeded>();
  const [gameId, cardId] = [newId(), newId()];
  await store.db.transaction(async (tx) => {
    await tx.query(insertTestGame, [gameId]);
    await tx.query(insertTestCard, [cardId, gameId, '蒼天竜アルバ', '{"en":"Alba"}', '001']);
  });
  for (let tried = 0; seeded.size < (shards?.count ?? 0); tried++) {
    assert.ok(tried < SHOPS_TRIED_MAX);
    const shop = await seedShop(store);
    const [found] = await queryNode<{ shard: string }>(
      url,
      `select get_shard_id_for_distribution_column('feed_head', $1::uuid)::text as shard`,
      [shop.shop.id],
    );
    assert.ok(found !== undefined);
    if (seeded.has(found.shard)) continue;
    const siteId = newId();
    await store.db.transaction(async (tx) => {
      const site = { code: 'main', name: '本店', kind: 'store' as const };
      const place = { countryCode: 'JP', timezone: 'Asia/Tokyo' };
      await putSite(tx, shop.shop.id, siteId, { ...site, ...place }, new Date());
    });
    seeded.set(found.shard, { shop, shard: found.shard, siteId, cardId });
  }
  return [...seeded.values()];
}

async function load(
  { shop, shard, siteId, cardId }: Seeded,
  urls: readonly string[],
): Promise<LoadedShop> {
  const partnerUrl = `${urls[0]}/partner/v1`;
  const apps = urls.map((url) => new AppClient({ url, authUrl: `${url}/auth`, partnerUrl }, shop));
  const [app] = apps;
  assert.ok(app !== undefined);
  const { access_token: token } = await app.tokens();
  assert.equal((await app.call('POST', '/connection', token)).status, 201);
  const target = { shopKey: shop.shopKey, siteId, cardId };
  const writes = new AcknowledgedWrites(target, WRITERS, REST_MS);
  // The reader calls the process that the shop's writers do not call.
  const follower = new FeedFollower(`${urls[1]}/partner/v1`, token);
  return { seeded: shop, shard, apps, writes, follower };
}

/**
 * Checks that the reader's units equal those in the database, and that the database contains every
 * acknowledged write.
 *
 * @returns the number of units
 */
export async function requireEqual(
  url: string,
  shopId: string,
  { held }: FeedFollower,
  acknowledged: ReadonlyMap<string, number>,
): Promise<number> {
  const rows = await queryNode<{ id: string; price: number }>(
    url,
    'select unit_id as id, price_minor::int as price from unit where shop_id = $1',
    [shopId],
  );
  const stored = new Map(rows.map(({ id, price }) => [id, price]));
  assert.deepEqual(held, stored);
  for (const [id, price] of acknowledged) {
    assert.ok((stored.get(id) ?? -1) >= price, `unit ${id}: ${price} was acknowledged`);
  }
  return stored.size;
}

/** Repeats a request that failed because a worker was lost. */
async function untilAnswered<T>(ask: () => Promise<T>): Promise<T> {
  const endMs = performance.now() + GOES_ON_MS_MAX;
  for (;;) {
    try {
      const answer = await ask();
      if (!isUnavailable(answer)) return answer;
    } catch (error) {
      if (performance.now() > endMs) throw error;
    }
    assert.ok(performance.now() < endMs, 'the service did not come back');
    await pause(RETRY_MS);
  }
}

async function untilCalled(app: AppClient, token: string): Promise<TokenAnswer> {
  return await untilAnswered(async () => await app.call('GET', '/connection', token));
}

function isUnavailable(answer: unknown): boolean {
  return (
    typeof answer === 'object' && answer !== null && 'status' in answer && answer.status === 503
  );
}
