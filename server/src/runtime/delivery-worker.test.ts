import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { startServe, temporaryFolder } from '../../test/cardport.ts';
import { runCardportInProcess, environmentOf } from '../../test/cardport-in-process.ts';
import { type ShopWithWebhook, seedShopWithWebhook } from '../../test/shop-with-webhook.ts';
import { startHookReceiver } from '../../test/hook-receiver.ts';
import { startTestService, TEST_SECRET_KEY, testConfig } from '../../test/service.ts';
import { openTestDatabase, type TestDatabase } from '../../test/test-database.ts';
import { waitUntil } from '../../test/wait-until.ts';
import { openLog, silentLog } from '../base/log.ts';
import { newId } from '../base/secrets.ts';
import { statement } from '../database/statement.ts';
import { startDeliveryWorker } from './delivery-worker.ts';
import { putSite } from '../inventory/site.ts';

export const readDeliveredWebhook = statement<{
  readonly isLeased: boolean;
  readonly isAtHead: boolean;
}>(
  'test_read_delivered_webhook',
  `select lease_id is not null as "isLeased",
    (acknowledged_epoch, acknowledged_seq) = (head.epoch, head.seq) as "isAtHead"
  from webhook join feed_head head using (shop_id) where shop_id = $1`,
);

export const setUnknownSecretKey = statement(
  'test_move_webhook_secret',
  `update webhook set secret_key_id = 'of another key' where shop_id = $1`,
);

const SITE = { name: '本店', kind: 'store', countryCode: 'JP', timezone: 'Asia/Tokyo' };

/** Writes a new site through the Shop API. */
async function writeSite(url: string, { shopKey }: ShopWithWebhook): Promise<void> {
  const answer = await fetch(`${url}/shop/v1/sites/${newId()}`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${shopKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ ...SITE, code: newId().slice(0, 8) }),
  });
  assert.equal(answer.status, 201, await answer.text());
}

async function isToldOfAll({ db }: TestDatabase, { shop }: ShopWithWebhook): Promise<boolean> {
  const row = await db.one(readDeliveredWebhook, [shop.id]);
  return row?.isAtHead === true && !row.isLeased;
}

/** Returns the value of a metric on the metrics page. */
async function readSample(metricsUrl: string | null, name: string): Promise<number> {
  const page = await (await fetch(metricsUrl ?? '')).text();
  const line = page.split('\n').find((each) => each.startsWith(`${name} `));
  return Number(line?.slice(name.length + 1) ?? Number.NaN);
}

describe('a service with its own delivery worker', () => {
  it('a service sends and counts an event after a write, and finishes a running attempt before it stops', async () => {
    await using base = await openTestDatabase();
    await using receiver = await startHookReceiver();
    const environment = { METRICS_PORT: '0', ALLOW_LOOPBACK_WEBHOOKS: 'true' };
    await using service = await startTestService(base, { environment, delivers: true });
    const shop = await seedShopWithWebhook(base.db, receiver.url);
    const sample = async (name: string): Promise<number> =>
      await readSample(service.metricsUrl, `cardport_webhook_${name}`);
    assert.equal(await sample('failures_total{error="status"}'), 0, 'shown before the first');
    assert.equal(await sample('deliveries_total'), 0);
    await writeSite(service.url, shop);
    await waitUntil(async () => await isToldOfAll(base, shop));
    const [notice] = receiver.received;
    assert.equal(receiver.received.length, 1);
    assert.equal(JSON.parse(notice?.body ?? '').connectionId, shop.connectionId);
    assert.equal(await sample('deliveries_total'), 1);
    assert.equal(await sample('commit_to_receipt_seconds_count'), 1);
    receiver.respondWith(500);
    await writeSite(service.url, shop);
    await waitUntil(async () => (await sample('failures_total{error="status"}')) >= 1);
    assert.equal(await sample('deliveries_total'), 1);
    for (const gauge of ['due', 'in_flight', 'oldest_due_seconds', 'last_look_seconds']) {
      assert.ok((await sample(gauge)) >= 0, gauge);
    }
    await waitUntil(async () => (await sample('secrets_unreadable')) === 0);
    await waitUntil(async () => (await sample('failing')) >= 0);
    const other = await seedShopWithWebhook(base.db, receiver.url);
    receiver.respondWith(204, 300);
    await writeSite(service.url, other);
    // Retries for the other connection may arrive before the delivery that the test waits for.
    await waitUntil(() => receiver.received.some(({ body }) => body.includes(other.connectionId)));
    assert.equal(await service.close(), true);
    assert.ok(await isToldOfAll(base, other), 'the receiver answered while the service ended');
  });

  it('attempts are aborted at the drain deadline, and the next process repeats them', async () => {
    await using base = await openTestDatabase();
    await using receiver = await startHookReceiver();
    const environment = { ALLOW_LOOPBACK_WEBHOOKS: 'true', DRAIN_SECONDS: '0' };
    await using service = await startTestService(base, { environment, delivers: true });
    const shop = await seedShopWithWebhook(base.db, receiver.url);
    receiver.respondWith(204, 60_000);
    await writeSite(service.url, shop);
    await waitUntil(() => receiver.received.length === 1);
    assert.equal(await service.close(), true, 'no request was cut');
    const left = await base.db.one(readDeliveredWebhook, [shop.shop.id]);
    assert.deepEqual(left, { isLeased: false, isAtHead: false }, 'the lease was given up');
    receiver.respondWith(204);
    await using _next = await startTestService(base, { environment, delivers: true });
    await waitUntil(async () => await isToldOfAll(base, shop));
    const [first, second] = receiver.received.map(({ headers }) => headers);
    assert.equal(receiver.received.length, 2);
    assert.equal(second?.['x-service-event-id'], first?.['x-service-event-id']);
    assert.equal(second?.['x-service-attempt'], '2');
  });

  it('a service whose delivery is turned off sends no events and has no delivery metrics', async () => {
    await using base = await openTestDatabase();
    await using receiver = await startHookReceiver();
    const environment = { METRICS_PORT: '0', ALLOW_LOOPBACK_WEBHOOKS: 'true' };
    await using service = await startTestService(base, { environment, delivers: false });
    const shop = await seedShopWithWebhook(base.db, receiver.url);
    await writeSite(service.url, shop);
    const page = await (await fetch(service.metricsUrl ?? '')).text();
    assert.doesNotMatch(page, /webhook_(due|in_flight|deliveries)/);
    assert.match(page, /^cardport_webhook_secrets_under_previous_key (0|Nan)$/m);
    assert.deepEqual(receiver.received, []);
  });
});

describe('a process with another SECRET_KEY', () => {
  it('a process with another SECRET_KEY logs and counts secrets that it cannot decrypt, and sends no events for those webhooks', async () => {
    await using base = await openTestDatabase();
    await using receiver = await startHookReceiver();
    const [known, unknown] = [
      await seedShopWithWebhook(base.db, receiver.url),
      await seedShopWithWebhook(base.db, receiver.url),
    ];
    await base.db.query(setUnknownSecretKey, [unknown.shop.id]);
    const lines: string[] = [];
    const log = openLog({ level: 'warn', write: (text) => lines.push(text) });
    const environment = { METRICS_PORT: '0', ALLOW_LOOPBACK_WEBHOOKS: 'true' };
    await using service = await startTestService(base, { environment, log, delivers: true });
    await waitUntil(
      async () =>
        (await readSample(service.metricsUrl, 'cardport_webhook_secrets_unreadable')) === 1,
    );
    await writeSite(service.url, unknown);
    await writeSite(service.url, known);
    await waitUntil(async () => await isToldOfAll(base, known));
    assert.equal(receiver.received.length, 1);
    assert.equal(await isToldOfAll(base, unknown), false);
    log.close();
    assert.match(lines.join(), /secrets of some webhooks cannot be decrypted/);
  });
});

describe('a process that only delivers', () => {
  it('a process that only delivers is ready while it polls, and not while it drains', async () => {
    await using base = await openTestDatabase();
    await using receiver = await startHookReceiver();
    const environment = { METRICS_PORT: '0', ALLOW_LOOPBACK_WEBHOOKS: 'true' };
    const store = { engine: base.engine, db: base.db, secretKey: TEST_SECRET_KEY };
    const options = { store, log: silentLog() };
    await using deliverer = await startDeliveryWorker(testConfig(environment), options);
    const statusOf = async (path: string): Promise<number> =>
      (await fetch(new URL(path, deliverer.metricsUrl ?? ''))).status;
    assert.deepEqual([await statusOf('/livez'), await statusOf('/readyz')], [200, 200]);
    receiver.respondWith(204, 60_000);
    const { shop } = await seedShopWithWebhook(base.db, receiver.url);
    await base.db.transaction(async (tx) => {
      const place = {
        name: '店',
        kind: 'store',
        countryCode: 'JP',
        timezone: 'Asia/Tokyo',
      } as const;
      await putSite(tx, shop.id, newId(), { ...place, code: 'site' }, new Date());
    });
    await waitUntil(() => receiver.received.length === 1);
    const closed = deliverer.close();
    assert.deepEqual([await statusOf('/livez'), await statusOf('/readyz')], [200, 503]);
    // Close the receiver, so that the attempt ends and nothing has to be aborted.
    await receiver[Symbol.asyncDispose]();
    assert.equal(await closed, 0);
  });
});

describe('cardport deliver', () => {
  it('cardport deliver --help says where the settings are described', async () => {
    const { stdout } = await runCardportInProcess(['deliver', '--help']);
    assert.match(stdout, /settings from the environment.*operating\.md[^]*Usage: cardport deliver/);
  });

  it('cardport deliver refuses ALLOW_LOOPBACK_WEBHOOKS without a loopback PUBLIC_URL', async () => {
    using folder = temporaryFolder();
    const environment = {
      DATA_DIR: folder.path,
      // No server listens at this address. The settings are refused before the service tries to
      // connect.
      DATABASE_URL: 'postgres://127.0.0.1:1/none',
      SECRET_KEY: TEST_SECRET_KEY,
      ALLOW_LOOPBACK_WEBHOOKS: 'true',
    };
    const silent = await runCardportInProcess(['deliver'], { environment });
    assert.equal(silent.code, 1);
    assert.match(silent.stderr, /^cardport: ALLOW_LOOPBACK_WEBHOOKS.*PUBLIC_URL/);
    const PUBLIC_URL = 'https://cards.example';
    const open = await runCardportInProcess(['deliver'], {
      environment: { ...environment, PUBLIC_URL },
    });
    assert.notEqual(open.code, 0);
    assert.match(open.stderr, /ALLOW_LOOPBACK_WEBHOOKS.*PUBLIC_URL/);
  });

  it('cardport deliver sends events after API writes, imports and a restore, and drains on SIGTERM', async () => {
    await using base = await openTestDatabase();
    await using receiver = await startHookReceiver();
    using folder = temporaryFolder();
    const settings = { ALLOW_LOOPBACK_WEBHOOKS: 'true', DRAIN_NOTICE_SECONDS: '0' };
    const environment = { ...environmentOf(base), ...settings, DATA_DIR: folder.path };
    const beside = { ...environment, METRICS_PORT: '0', PUBLIC_URL: 'http://127.0.0.1' };
    const told = async (): Promise<void> =>
      await waitUntil(async () => await isToldOfAll(base, shop));
    const shop = await seedShopWithWebhook(base.db, receiver.url);
    await using served = await startTestService(base, { environment: settings });
    await using delivering = await startServe(beside, ['deliver']);
    await writeSite(served.url, shop);
    await told();
    assert.equal(await readSample(delivering.url, 'cardport_webhook_deliveries_total'), 1);
    assert.ok((await readSample(delivering.url, 'cardport_webhook_last_look_seconds')) < 30);
    const statusOf = async (path: string): Promise<number> =>
      (await fetch(new URL(path, delivering.url))).status;
    assert.deepEqual([await statusOf('/livez'), await statusOf('/readyz')], [200, 200]);
    const line = { kind: 'site', id: newId(), data: { ...SITE, code: 'imported' } };
    const order = ['inventory', 'import', '--shop', shop.shop.slug, '-'];
    const imported = await runCardportInProcess(order, {
      environment,
      stdin: JSON.stringify(line),
    });
    assert.equal(imported.code, 0, imported.stderr);
    await told();
    assert.equal(receiver.received.length, 2);
    const restored = await runCardportInProcess(['restored', '--yes'], { environment });
    assert.equal(restored.code, 0, restored.stderr);
    await told();
    assert.equal(receiver.received.length, 3);
    receiver.respondWith(204, 300);
    await writeSite(served.url, shop);
    await waitUntil(() => receiver.received.length === 4);
    assert.equal(await delivering.stop('SIGTERM'), 0, delivering.printed());
    assert.ok(await isToldOfAll(base, shop), 'the attempt was finished');
    assert.match(delivering.printed(), /SIGTERM: finishing the deliveries in progress/);
    assert.match(delivering.printed(), /cardport: stopped\n/);
    // An aborted attempt is reported, but does not count as a failure.
    receiver.respondWith(204, 60_000);
    const cutting = { ...beside, DRAIN_SECONDS: '0' };
    await using hasty = await startServe(cutting, ['deliver']);
    await writeSite(served.url, shop);
    await waitUntil(() => receiver.received.length === 5);
    assert.equal(await hasty.stop('SIGTERM'), 0);
    assert.match(
      hasty.printed(),
      /stopped; 1 delivery was aborted at the deadline and will be retried/,
    );
    const ids = receiver.received.map(({ headers }) => headers['x-service-event-id']);
    assert.equal(new Set(ids).size, 5, 'each event was sent once');
  });
});
