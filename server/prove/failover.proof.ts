// Proves that the service survives a failover: the primary is killed and its standby promoted,
// without any configuration change (decision 0218).
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { startCluster } from '../../scripts/postgres.ts';
import { promote, REPLICATION_SETTINGS, startStandby } from '../../scripts/standby.ts';
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
import { AcknowledgedWrites, type WriteTarget } from './acknowledged-writes.ts';
import { FeedFollower } from './feed-follower.ts';
import { type ServiceProcess, startServiceProcess } from './service-process.ts';

const BINARIES = {
  folder: process.env['TEST_POSTGRES_BIN'] ?? '',
  major: Number(process.env['TEST_POSTGRES_MAJOR']),
};
const ROUNDS = process.env['PROVE_FULL'] === '1' ? 5 : 2;
const DURABLE = { isDurable: true, settings: REPLICATION_SETTINGS };
const WRITERS_PER_NODE = 3;
/** The number of approvals whose tokens are refreshed again and again. */
const CHAINS = 4;
/** The number of operations that each kind of load completes between two kills. */
const DONE_BEFORE_KILL = 20;
/** The kill follows after `DONE_BEFORE_KILL` operations, at a random moment within this time. */
const KILL_WITHIN_MS = 300;
const BACK_WITHIN_MS = 60_000;
const RETRY_MS = 20;

describe('a failover with both hosts in DATABASE_URL', () => {
  it(
    `a failover loses no acknowledged write or token (${ROUNDS} failovers)`,
    { timeout: 1_800_000 },
    async (t) => {
      await using stack = new AsyncDisposableStack();
      const folder = mkdtempSync(join(tmpdir(), 'cardport-failover-'));
      stack.defer(() => rmSync(folder, { recursive: true, force: true }));
      let primary = await startCluster(BINARIES, DURABLE);
      stack.defer(async () => await primary.stop());
      let standby = await startStandby(BINARIES, primary, { isDurable: true });
      stack.defer(async () => await standby.stop());
      const hosts = `127.0.0.1:${primary.port},127.0.0.1:${standby.port}`;
      const url = `postgres://postgres@${hosts}/postgres?target_session_attrs=read-write`;
      const shared = { DATABASE_URL: url, SECRET_KEY: TEST_SECRET_KEY, DATA_DIR: folder };
      const seeded = await seed(shared);
      const nodes = await startNodes(shared, stack);
      const load = await Load.start(nodes, seeded);
      stack.defer(async () => await load.stop().catch(() => undefined));
      for (let round = 1; round <= ROUNDS; round++) {
        await load.waitForProgress();
        await pause(Math.random() * KILL_WITHIN_MS);
        const killedAtMs = performance.now();
        const killed = primary;
        await killed.kill();
        await promote(standby);
        const promotedAtMs = performance.now();
        primary = standby;
        await load.waitForProgress();
        const backAtMs = performance.now();
        t.diagnostic(
          `round ${round}: ${Math.round(promotedAtMs - killedAtMs)} ms from the kill to the promotion, ` +
            `then ${Math.round(backAtMs - promotedAtMs)} ms until each load had ${DONE_BEFORE_KILL} answers`,
        );
        standby = await startStandby(BINARIES, primary, { isDurable: true, port: killed.port });
      }
      await load.waitForProgress();
      await load.stop();
      await load.verify();
      t.diagnostic(`${ROUNDS} failovers: ${load.summary()}`);
      for (const node of nodes) assert.equal(await node.process.stop(), 0);
    },
  );
});

type Environment = Readonly<Record<string, string>>;

interface Node {
  readonly process: ServiceProcess;
  readonly url: string;
}

/**
 * Starts two nodes with one public address, as behind a load balancer. Requests go to each node
 * directly.
 */
async function startNodes(
  shared: Environment,
  stack: AsyncDisposableStack,
): Promise<readonly [Node, Node]> {
  const [first, second] = [await findFreePort(), await findFreePort()];
  const start = async (port: number): Promise<Node> => {
    const publicUrl = `http://127.0.0.1:${first}`;
    const own = { ...shared, PORT: String(port), PUBLIC_URL: publicUrl };
    const process = await startServiceProcess(own);
    stack.defer(async () => await process.kill());
    return { process, url: `http://127.0.0.1:${port}` };
  };
  return [await start(first), await start(second)];
}

interface Seeded {
  readonly shop: SeededShop;
  readonly target: WriteTarget;
}

async function seed(environment: Environment): Promise<Seeded> {
  await using store = await openConfiguredDatabase(testConfig(environment), assert.ifError);
  await migrate(store.engine);
  const shop = await seedShop(store);
  const [gameId, cardId, siteId] = [newId(), newId(), newId()];
  await store.db.transaction(async (tx) => {
    await tx.query(insertTestGame, [gameId]);
    await tx.query(insertTestCard, [cardId, gameId, '蒼天竜アルバ', '{"en":"Alba"}', '001']);
    const site = { code: 'main', name: '本店', kind: 'store' as const };
    const place = { countryCode: 'JP', timezone: 'Asia/Tokyo' };
    await putSite(tx, shop.shop.id, siteId, { ...site, ...place }, new Date());
  });
  return { shop, target: { shopKey: shop.shopKey, siteId, cardId } };
}

/** Runs writers and readers on both nodes, and token refreshes that alternate between the nodes. */
class Load {
  readonly #nodes: readonly [Node, Node];
  readonly #apps: readonly AppClient[];
  readonly #writes: readonly AcknowledgedWrites[];
  readonly #followers: readonly FeedFollower[];
  readonly #counts = { polls: 0, refreshes: 0, retries: 0 };
  readonly #chains: Promise<string>[] = [];
  readonly #running: Promise<unknown>[] = [];
  #isOver = false;
  #failure: Error | null = null;

  private constructor(
    nodes: readonly [Node, Node],
    apps: readonly AppClient[],
    target: WriteTarget,
    readToken: string,
  ) {
    this.#nodes = nodes;
    this.#apps = apps;
    this.#writes = nodes.map(() => new AcknowledgedWrites(target, WRITERS_PER_NODE));
    this.#followers = nodes.map(({ url }) => new FeedFollower(`${url}/partner/v1`, readToken));
  }

  static async start(nodes: readonly [Node, Node], { shop, target }: Seeded): Promise<Load> {
    const partnerUrl = `${nodes[0].url}/partner/v1`;
    const apps = nodes.map(
      ({ url }) => new AppClient({ url, authUrl: `${url}/auth`, partnerUrl }, shop),
    );
    const [app] = apps;
    assert.ok(app !== undefined);
    const read = await app.tokens();
    assert.equal((await app.call('POST', '/connection', read.access_token)).status, 201);
    const load = new Load(nodes, apps, target, read.access_token);
    for (let n = 0; n < CHAINS; n++) {
      const { refresh_token: token } = await app.tokens();
      load.#chains.push(load.#refreshOn(token));
    }
    for (const [n, { url }] of nodes.entries()) {
      const [writes, follower] = [load.#writes[n], load.#followers[n]];
      assert.ok(writes !== undefined && follower !== undefined);
      load.#running.push(writes.run(url, 'continue'), load.#readOn(follower));
    }
    for (const work of [...load.#running, ...load.#chains]) {
      work.catch((error: unknown) => {
        load.#failure ??= asError(error);
      });
    }
    return load;
  }

  /** Waits until each kind of load has succeeded `DONE_BEFORE_KILL` times. */
  async waitForProgress(): Promise<void> {
    const done = (): readonly number[] => [
      ...this.#writes.map(({ count }) => count),
      this.#counts.polls,
      this.#counts.refreshes,
    ];
    const before = done();
    await waitUntil(() => {
      if (this.#failure !== null) throw this.#failure;
      return done().every((count, n) => count >= (before[n] ?? 0) + DONE_BEFORE_KILL);
    }, BACK_WITHIN_MS);
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    for (const writes of this.#writes) writes.stop();
    // Wait for all loads, so that none continues if another failed.
    await Promise.allSettled([...this.#running, ...this.#chains]);
    if (this.#failure !== null) throw this.#failure;
  }

  /**
   * Checks that both nodes have everything that was acknowledged, and that every approval still
   * yields valid tokens.
   */
  async verify(): Promise<void> {
    for (const { url } of this.#nodes) {
      for (const writes of this.#writes) await writes.verify(url);
    }
    for (const follower of this.#followers) {
      const acknowledged = this.#acknowledged();
      await follower.read();
      requireRead(acknowledged, follower);
    }
    for (const [n, chain] of this.#chains.entries()) {
      const app = this.#apps[n % this.#apps.length];
      const answer = await app?.refresh(await chain);
      assert.equal(answer?.status, 200, answer?.text);
      const called = await app?.call('GET', '/connection', answer.body.access_token ?? '');
      // 403: the token is valid, but this approval has no open connection.
      assert.ok(called?.status === 200 || called?.status === 403, called?.text);
    }
  }

  summary(): string {
    const { polls, refreshes, retries } = this.#counts;
    const writes = this.#writes.reduce((sum, { count }) => sum + count, 0);
    return (
      `${writes} writes acknowledged, ${polls} polls, ${refreshes} refreshes ` +
      `(${retries} of them sent again); 0 writes lost, 0 reads missed, 0 approvals lost`
    );
  }

  /**
   * Checks that each poll returns everything that was acknowledged before the poll began, or
   * something newer.
   */
  async #readOn(follower: FeedFollower): Promise<void> {
    while (!this.#isOver) {
      const acknowledged = this.#acknowledged();
      await follower.read();
      requireRead(acknowledged, follower);
      this.#counts.polls += 1;
      await pause(RETRY_MS);
    }
  }

  async #refreshOn(first: string): Promise<string> {
    let token = first;
    while (!this.#isOver) {
      const headers = { 'idempotency-key': randomBytes(16).toString('hex') };
      const answer = await this.#untilAnswered(
        async (app) => await app.refresh(token, {}, headers),
      );
      assert.equal(answer.status, 200, answer.text);
      token = answer.body.refresh_token ?? '';
      this.#counts.refreshes += 1;
    }
    return token;
  }

  /** Sends the request to the nodes in turn until one responds. */
  async #untilAnswered(ask: (app: AppClient) => Promise<TokenAnswer>): Promise<TokenAnswer> {
    const endMs = performance.now() + BACK_WITHIN_MS;
    for (let n = 0; performance.now() < endMs; n++) {
      const app = this.#apps[n % this.#apps.length];
      assert.ok(app !== undefined);
      const answer = await ask(app).catch(() => null);
      if (answer !== null && answer.status !== 503) return answer;
      this.#counts.retries += 1;
      await pause(RETRY_MS);
    }
    throw new Error('the service did not come back');
  }

  #acknowledged(): ReadonlyMap<string, number> {
    return new Map(this.#writes.flatMap((writes) => [...writes.acknowledged()]));
  }
}

function requireRead(acknowledged: ReadonlyMap<string, number>, { held }: FeedFollower): void {
  for (const [id, price] of acknowledged) {
    const read = held.get(id);
    assert.ok(
      typeof read === 'number' && read >= price,
      `unit ${id}: the price ${price} was acknowledged, but a later poll shows ${String(read)}`,
    );
  }
}
