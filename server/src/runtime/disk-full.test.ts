import assert from 'node:assert/strict';
import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import pg from 'pg';
import { startServe } from '../../test/cardport.ts';
import { runCardportInProcess } from '../../test/cardport-in-process.ts';
import { copyMigratedCluster } from '../../test/new-cluster.ts';
import { makeNoisyImage } from '../../test/images.ts';
import { seedShop, startTestService } from '../../test/service.ts';
import { mountSmallDisk, type SmallDisk } from '../../test/small-disk.ts';
import { seedStock } from '../../test/stock.ts';
import { openTestDatabase } from '../../test/test-database.ts';
import { waitUntil } from '../../test/wait-until.ts';
import { findFreePort } from '../base/free-port.ts';
import { newId } from '../base/secrets.ts';

const SITE = { kind: 'store', countryCode: 'JP', timezone: 'Asia/Tokyo', name: '本店' };
const BUSY = { error: 'temporarily_unavailable' };

/** Mounts a small disk. Skips the test and returns null where that is not allowed. */
function mountOrSkip(test: TestContext, megabytes: number): SmallDisk | null {
  const disk = mountSmallDisk(megabytes);
  if (disk === null) test.skip('this user may not mount a small disk');
  return disk;
}

/** Writes to PostgreSQL's WAL until the disk is full. */
async function fillLog(host: string): Promise<void> {
  const client = new pg.Client({ host, port: 5432, user: 'cardport', database: 'cardport' });
  client.on('error', () => undefined);
  await client.connect();
  const emit = `select pg_logical_emit_message(true, 'test', repeat('x', 1000000))`;
  await assert.rejects(async () => {
    for (let megabyte = 0; megabyte < 100; megabyte++) await client.query(emit);
  });
  await client.end().catch(() => undefined);
}

describe('a node whose disk is full', { concurrency: true }, () => {
  it('a node whose disk is full refuses writes with 503, serves reads, logs the problem, and recovers', async (test) => {
    using disk = mountOrSkip(test, 200);
    if (disk === null) return;
    const environment = { DATA_DIR: join(disk.path, 'data'), DRAIN_NOTICE_SECONDS: '0' };
    await copyMigratedCluster(join(disk.path, 'data/postgresql'));
    const shop = ['shop', 'add', '--name', 'Kumo', '--slug', 'kumo'];
    assert.equal((await runCardportInProcess(shop, { environment })).code, 0);
    const made = await runCardportInProcess(['key', 'add', '--shop', 'kumo', '--json'], {
      environment,
    });
    const { key }: { key: string } = JSON.parse(made.stdout);
    const metricsPort = String(await findFreePort());
    const node = await startServe({ ...environment, METRICS_PORT: metricsPort });
    await using _node = node;
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const putSite = async (): Promise<Response> =>
      await fetch(`${node.url}/shop/v1/sites/${newId()}`, {
        method: 'PUT',
        headers,
        body: JSON.stringify({ ...SITE, code: newId().slice(0, 8) }),
      });
    const sites = async (): Promise<number> => {
      const answer = await fetch(`${node.url}/shop/v1/sites`, { headers });
      assert.equal(answer.status, 200);
      const { sites: shown }: { sites: readonly object[] } = JSON.parse(await answer.text());
      return shown.length;
    };
    let written = 0;
    while ((await putSite()).status === 201 && written < 3) written++;
    disk.fill(0);
    let refused = await putSite();
    for (; refused.status === 201; refused = await putSite()) written++;
    written++;
    assert.equal(refused.status, 503);
    assert.ok(refused.headers.get('retry-after'));
    assert.equal(Reflect.get(Object(await refused.json()), 'error'), BUSY.error);
    assert.equal(await sites(), written, 'reads go on, and nothing of the refused write is there');
    const ready = await fetch(`${node.url}/readyz`);
    assert.equal(ready.status, 200, 'a balancer must not take away what still reads');
    assert.match(await ready.text(), /"status":"ready","warnings":\["no space left .*DATA_DIR/);
    const metrics = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
    assert.match(metrics, /^cardport_database_writes_refused_total [1-9]/m);
    assert.match(metrics, /^cardport_folder_free_bytes\{folder="data"\} 0$/m);
    const told = node
      .printed()
      .match(/"reason":"[^"]*(?:\\"[^"]*)*No space left on device","place":"DATA_DIR/g);
    assert.equal(told?.length, 1, node.printed());
    disk.empty();
    assert.equal((await putSite()).status, 201);

    // PostgreSQL stops when it cannot write its WAL, and starts again once the disk has space.
    disk.fill(1_000_000);
    await fillLog(join(disk.path, 'data/postgresql/data'));
    await waitUntil(() => node.printed().includes('cannot be used: no space left on device'));
    const answer = await fetch(`${node.url}/shop/v1/sites`, { headers });
    assert.equal(answer.status, 503);
    const again = await runCardportInProcess(['shop', 'list'], { environment });
    assert.equal(again.code, 1);
    const sentence =
      /^cardport: the database in \S+ cannot be used: no space left on device\. [^\n]+\n$/;
    assert.match(again.stderr, sentence);
    disk.empty();
    await waitUntil(async () => (await putSite()).status === 201);
    assert.equal(await sites(), written + 2);
    const reasons = node.printed().match(/cannot be used: no space left on device/g);
    assert.equal(reasons?.length, 1, 'told once, not with each attempt');
  });

  it('only photos are refused if the photo folder is full, and no partial file is left', async (test) => {
    using disk = mountOrSkip(test, 1);
    if (disk === null) return;
    await using base = await openTestDatabase();
    const path = join(disk.path, 'photos');
    mkdirSync(path);
    await using service = await startTestService(base, { environment: { PHOTO_STORE: path } });
    const { shop, shopKey } = await seedShop(base);
    const { cardId } = await seedStock(base.db);
    const headers = { authorization: `Bearer ${shopKey}` };
    const put = async (to: string, body: object | Uint8Array): Promise<Response> =>
      await fetch(`${service.shopUrl}${to}`, {
        method: 'PUT',
        headers: {
          ...headers,
          'content-type': body instanceof Uint8Array ? 'image/jpeg' : 'application/json',
        },
        body: body instanceof Uint8Array ? new Uint8Array(body) : JSON.stringify(body),
      });
    const [siteId, unitId] = [newId(), newId()];
    assert.ok(shop.id);
    assert.equal((await put(`/sites/${siteId}`, { ...SITE, code: 'a' })).status, 201);
    const unit = { siteId, item: { kind: 'card', cardId } };
    assert.equal((await put(`/units/${unitId}`, unit)).status, 201);
    const picture = await makeNoisyImage(400, 300, 'jpeg');
    disk.fill(0);
    const refused = await put(`/units/${unitId}/photos/front`, picture);
    assert.equal(refused.status, 503, await refused.text());
    assert.ok(refused.headers.get('retry-after'));
    const files = readdirSync(path, { recursive: true, withFileTypes: true });
    assert.deepEqual(
      files.filter((entry) => entry.isFile()).map(({ name }) => name),
      [],
    );
    const shown = await (await fetch(`${service.shopUrl}/units/${unitId}`, { headers })).text();
    assert.match(shown, /"photos":\[\]/);
    assert.equal((await put(`/units/${unitId}`, { priceMinor: 100 })).status, 200);
    const ready = await (await fetch(`${service.url}/readyz`)).text();
    assert.match(ready, /"warnings":\["only 0 MB free in PHOTO_STORE"\]/);
    disk.empty();
    assert.equal((await put(`/units/${unitId}/photos/front`, picture)).status, 201);
  });
});
