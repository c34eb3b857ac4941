import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ALL_SCOPES, AppClient } from '../../test/app-client.ts';
import { seedBuyersCatalog } from '../../test/boost-node.ts';
import { type ServeProcess, startServe } from '../../test/cardport.ts';
import { startHookReceiver } from '../../test/hook-receiver.ts';
import { seedShopWithWebhook } from '../../test/shop-with-webhook.ts';
import { seedShop, TEST_SECRET_KEY } from '../../test/service.ts';
import { openTestDatabase, type TestDatabase } from '../../test/test-database.ts';
import { waitUntil } from '../../test/wait-until.ts';
import { findFreePort } from '../base/free-port.ts';
import { newId } from '../base/secrets.ts';

const MINUTE_MS = 60_000;
/**
 * The accepted difference between two times: longer than a response, shorter than the clock
 * offsets.
 */
const CLOSE_MS = 120_000;
const PRELOAD = new URL('../../test/shifted-clock.ts', import.meta.url).href;

interface Node extends AsyncDisposable {
  readonly url: string;
  readonly process: ServeProcess;
}

/** Starts a node on a machine with a clock that is off by `shiftedSeconds`. */
async function startNode(
  base: TestDatabase,
  publicUrl: string,
  port: number,
  shiftedSeconds: number,
): Promise<Node> {
  const process = await startServe({
    DATABASE_URL: base.url,
    SECRET_KEY: TEST_SECRET_KEY,
    PUBLIC_URL: publicUrl,
    PORT: String(port),
    ALLOW_LOOPBACK_WEBHOOKS: 'true',
    DRAIN_NOTICE_SECONDS: '0',
    NODE_OPTIONS: `--import=${PRELOAD}`,
    SHIFTED_SECONDS: String(shiftedSeconds),
  });
  const dispose = async (): Promise<void> => await process[Symbol.asyncDispose]();
  return { url: `http://127.0.0.1:${port}`, process, [Symbol.asyncDispose]: dispose };
}

interface Shown {
  readonly id: string;
  readonly status: string;
  readonly updatedAt: string;
}

async function send(
  node: Node,
  path: string,
  credential: string,
  body?: object,
): Promise<{ readonly status: number; readonly text: string }> {
  const answer = await fetch(`${node.url}${path}`, {
    method: body === undefined ? 'GET' : 'PUT',
    headers: { authorization: `Bearer ${credential}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: answer.status, text: await answer.text() };
}

function isClose(instant: string | number): boolean {
  return Math.abs(new Date(instant).getTime() - Date.now()) < CLOSE_MS;
}

describe('two nodes whose clocks are 10 minutes apart (decision 0219)', () => {
  it('the nodes show the same boosts, and use the database time for dates, codes and events', async () => {
    await using base = await openTestDatabase();
    await using receiver = await startHookReceiver();
    const [portA, portB] = [await findFreePort(), await findFreePort()];
    const publicUrl = `http://127.0.0.1:${portA}`;
    const hooked = await seedShopWithWebhook(base.db, receiver.url);
    const site = { kind: 'store', countryCode: 'JP', timezone: 'Asia/Tokyo', name: '本店' };
    const change = async (node: Node): Promise<void> => {
      const body = { ...site, code: newId().slice(0, 8) };
      const put = await send(node, `/shop/v1/sites/${newId()}`, hooked.shopKey, body);
      assert.equal(put.status, 201, put.text);
    };
    const isNoticed = async (count: number): Promise<void> => {
      await waitUntil(() => receiver.received.length >= count);
      const { headers } = receiver.received[count - 1] ?? {};
      const sentAt = Number(headers?.['x-service-timestamp'] ?? headers?.['webhook-timestamp']);
      assert.ok(isClose(sentAt * 1_000), JSON.stringify(headers));
    };

    await using behind = await startNode(base, publicUrl, portA, -300);
    await change(behind);
    await isNoticed(1);
    await using ahead = await startNode(base, publicUrl, portB, 300);

    // A code is valid for 60 s, so this code has expired by the clock of the node that is ahead.
    const { cardId } = await seedBuyersCatalog(base.db);
    const seeded = await seedShop(base);
    const app = { authUrl: `${publicUrl}/auth`, partnerUrl: `${publicUrl}/partner/v1` };
    const client = new AppClient({ ...app, url: publicUrl }, seeded);
    const code = await client.code({ scope: ALL_SCOPES });
    const there = { ...app, url: ahead.url, authUrl: `${ahead.url}/auth` };
    const { verifier } = client;
    const taken = await new AppClient(there, seeded).exchange(code, { code_verifier: verifier });
    assert.equal(taken.status, 200, taken.text);
    const token = taken.body.access_token ?? '';
    const [, claims = ''] = (taken.body.id_token ?? '').split('.');
    const { iat } = JSON.parse(Buffer.from(claims, 'base64url').toString()) as { iat: number };
    assert.ok(isClose(iat * 1_000), `iat ${iat}`);
    assert.equal((await client.call('POST', '/connection', token)).status, 201);

    const ends = newId();
    const begins = newId();
    const soon = new Date(Date.now() + 4 * MINUTE_MS).toISOString();
    const target = { kind: 'card', cardId };
    let last = '';
    for (const [node, id, priceMinor, times] of [
      [ahead, ends, 1, { endsAt: soon }],
      [behind, begins, 1, { startsAt: soon }],
      [behind, ends, 2, {}],
      [ahead, ends, 3, {}],
      [behind, ends, 4, {}],
    ] as const) {
      const body = { target, priceMinor, ...times };
      const put = await send(node, `/shop/v1/boosts/${id}`, seeded.shopKey, body);
      assert.ok([200, 201].includes(put.status), put.text);
      const { updatedAt }: Shown = JSON.parse(put.text);
      assert.ok(isClose(updatedAt) && updatedAt >= last, `${last} ${updatedAt}`);
      last = updatedAt;
    }
    const shown = async (node: Node): Promise<readonly Shown[]> => {
      const { status, text } = await send(node, '/partner/v1/purchase-boosts', token);
      assert.equal(status, 200, text);
      const list: { generatedAt: string; boosts: readonly Shown[] } = JSON.parse(text);
      assert.ok(isClose(list.generatedAt), list.generatedAt);
      return list.boosts;
    };
    await waitUntil(async () => (await shown(ahead))[0]?.updatedAt === last);
    const boosts = await shown(behind);
    assert.deepEqual(await shown(ahead), boosts);
    assert.deepEqual(
      boosts.map(({ id, status }) => [id, status]),
      [[ends, 'open']],
    );
    for (const node of [behind, ahead]) {
      assert.equal((await fetch(`${node.url}/readyz`)).status, 200);
    }

    assert.equal(await behind.process.stop('SIGTERM'), 0);
    await change(ahead);
    await isNoticed(2);
    await waitUntil(() =>
      /clock of this machine is 300\.\d s ahead of/.test(ahead.process.printed()),
    );
  });
});
