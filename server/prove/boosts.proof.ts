// Each node caches the serialized lists of boosts (decision 0013). Proves with two processes on one
// PostgreSQL that a write on one becomes and stays visible on the other, and that lists change at
// the exact instant at which a boost starts or ends. `npm run prove` prints how long writes took to
// become visible.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { newId } from '../src/base/secrets.ts';
import { createShopKey } from '../src/shops/shop-key.ts';
import { seedBuyersCatalog } from '../test/boost-node.ts';
import { seedGrant, seedParty, TEST_NOW } from '../test/partner.ts';
import { TEST_SECRET_KEY } from '../test/service.ts';
import { openTestDatabase, type TestDatabase } from '../test/test-database.ts';
import { waitUntil } from '../test/wait-until.ts';
import { type ServiceProcess, startServiceProcess } from './service-process.ts';
import { OPERATOR } from '../src/shops/audit.ts';

const WRITES = process.env['PROVE_FULL'] === '1' ? 2_000 : 200;
/**
 * The maximum staleness of another node (decision 0013). The test waits much longer before it
 * fails.
 */
const WINDOW_MS = 1_000;
/** The number of boosts that open and close while both nodes are queried continuously. */
const TIMED_BOOSTS = 5;

/** A node, and the access token of an app that calls it. */
interface Node {
  readonly process: ServiceProcess;
  readonly token: string;
}

interface Listed {
  readonly id: string;
  readonly priceMinor: number;
}

async function list({ process: { url }, token }: Node): Promise<readonly Listed[]> {
  const headers = { authorization: `Bearer ${token}` };
  const answer = await fetch(`${url}/partner/v1/purchase-boosts`, { headers });
  const text = await answer.text();
  assert.equal(answer.status, 200, text);
  const { boosts }: { boosts: Listed[] } = JSON.parse(text);
  return boosts;
}

/** Starts two processes on a database with a shop, and connects an app to each. */
async function startNodes(base: TestDatabase): Promise<{
  readonly nodes: readonly [Node, Node];
  readonly put: (id: string, body: object) => Promise<void>;
  readonly cardId: string;
}> {
  const environment = { DATABASE_URL: base.url, SECRET_KEY: TEST_SECRET_KEY };
  const party = await seedParty(base.db);
  const lifetimeSeconds = (Date.now() - TEST_NOW.getTime()) / 1_000 + 3_600;
  const start = async (): Promise<Node> => {
    const started = await startServiceProcess(environment);
    const resource = `${started.url}/partner/v1`;
    const { token } = await seedGrant(base.db, party, { lifetimeSeconds, resource });
    const headers = { authorization: `Bearer ${token}` };
    const posted = await fetch(`${resource}/connection`, { method: 'POST', headers });
    assert.ok(posted.ok, await posted.text());
    return { process: started, token };
  };
  const nodes = [await start(), await start()] as const;
  const made = await base.db.transaction(
    async (tx) => await createShopKey(tx, party.shop.id, 'till', new Date(), OPERATOR),
  );
  const key = made.kind === 'created' ? made.key : '';
  const put = async (id: string, body: object): Promise<void> => {
    const answer = await fetch(`${nodes[0].process.url}/shop/v1/boosts/${id}`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    assert.ok(answer.ok, await answer.text());
  };
  const { cardId } = await seedBuyersCatalog(base.db);
  return { nodes, put, cardId };
}

interface Timed {
  readonly id: string;
  readonly startMs: number;
  readonly endMs: number;
}

/**
 * Creates boosts that open and close soon. Both nodes have read all of them before the first opens.
 */
async function putTimed(
  nodes: readonly Node[],
  put: (id: string, body: object) => Promise<void>,
  cardId: string,
): Promise<readonly Timed[]> {
  const target = { kind: 'card', cardId };
  for (let leadMs = 500; ; leadMs *= 2) {
    const beginsMs = Date.now() + leadMs;
    const times = Array.from({ length: TIMED_BOOSTS }, (_, n) => ({
      id: newId(),
      startMs: beginsMs + n * 137,
      endMs: beginsMs + n * 137 + 611,
    }));
    for (const { id, startMs, endMs } of times) {
      await put(id, {
        target,
        startsAt: new Date(startMs),
        endsAt: new Date(endMs),
        priceMinor: 1,
      });
    }
    // Wait until both nodes list the last boost: that list was read after all earlier boosts were
    // written.
    const last = newId();
    await put(last, { target, priceMinor: 1 });
    for (const node of nodes) {
      await waitUntil(async () => (await list(node)).some(({ id }) => id === last));
    }
    if (Date.now() < beginsMs) return times;
  }
}

describe('lists of boosts on two processes', () => {
  it(`each of ${WRITES} writes is shown on both processes, and no older list after it`, async (t) => {
    await using base = await openTestDatabase();
    const { nodes, put, cardId } = await startNodes(base);
    try {
      const id = newId();
      await put(id, { target: { kind: 'card', cardId }, priceMinor: 0 });
      const delaysMs: number[] = [];
      let newest = 0;
      const look = async (): Promise<number> => {
        const [boost] = await list(nodes[1]);
        const price = boost?.priceMinor ?? -1;
        assert.ok(price >= newest, `${price} after ${newest}`);
        newest = price;
        return price;
      };
      await waitUntil(async () => (await list(nodes[1])).length === 1);
      for (let price = 1; price <= WRITES; price++) {
        await put(id, { priceMinor: price });
        const writtenAtMs = performance.now();
        assert.equal(
          (await list(nodes[0]))[0]?.priceMinor,
          price,
          'the process that wrote it shows it immediately',
        );
        while ((await look()) !== price) {
          assert.ok(performance.now() - writtenAtMs < 30_000, 'never shown');
        }
        delaysMs.push(performance.now() - writtenAtMs);
      }
      delaysMs.sort((a, b) => a - b);
      const at = (share: number): string => (delaysMs[Math.floor(WRITES * share)] ?? 0).toFixed(1);
      const longest = delaysMs.at(-1) ?? 0;
      t.diagnostic(`shown after ${at(0.5)} ms (p50), ${at(0.99)} ms (p99)`);
      t.diagnostic(`longest ${longest.toFixed(1)} ms; decision 0013 allows ${WINDOW_MS} ms`);
    } finally {
      for (const node of nodes) await node.process.kill();
    }
  });

  it('the lists contain a boost exactly from startsAt to endsAt, under constant reads', async (t) => {
    await using base = await openTestDatabase();
    const { nodes, put, cardId } = await startNodes(base);
    try {
      const times = await putTimed(nodes, put, cardId);
      const overMs = Math.max(...times.map(({ endMs }) => endMs)) + 100;
      const looks = await Promise.all(
        nodes.map(async (node) => {
          let count = 0;
          for (; Date.now() < overMs; count++) {
            const askedMs = Date.now();
            const shown = new Set((await list(node)).map(({ id }) => id));
            const answeredMs = Date.now();
            for (const { id, startMs, endMs } of times) {
              // The list was produced between request and response. A boost that was open all that
              // time must be in the list, and a boost that was closed all that time must not.
              if (askedMs >= startMs && answeredMs < endMs) assert.ok(shown.has(id));
              if (answeredMs < startMs || askedMs >= endMs) assert.ok(!shown.has(id));
            }
          }
          return count;
        }),
      );
      t.diagnostic(`${looks.join(' and ')} lists were checked`);
    } finally {
      for (const node of nodes) await node.process.kill();
    }
  });
});
