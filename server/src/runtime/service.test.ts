import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { holdTransaction } from '../../test/held-transaction.ts';
import { startS3Server } from '../../test/s3-server.ts';
import { seedShop, startTestService } from '../../test/service.ts';
import { openTestDatabase } from '../../test/test-database.ts';
import { waitUntil } from '../../test/wait-until.ts';
import { openLog } from '../base/log.ts';

describe('the service', () => {
  it('the service is live and ready, and / lists its addresses', async () => {
    await using base = await openTestDatabase();
    await using service = await startTestService(base);
    assert.equal((await fetch(`${service.url}/livez`)).status, 200);
    assert.equal((await fetch(`${service.url}/readyz`)).status, 200);
    const welcome = await fetch(service.url);
    assert.equal(welcome.status, 200);
    assert.equal(welcome.headers.get('cache-control'), 'no-store');
    assert.match(await welcome.text(), /\/partner\/v1/);
  });

  it('a service whose pooled connections are all in use is ready', async () => {
    await using base = await openTestDatabase();
    await using service = await startTestService(base);
    const held = Array.from({ length: 9 }, () => holdTransaction(base.db));
    await waitUntil(() => base.db.poolState().waiting > 0);
    assert.equal((await fetch(`${service.url}/readyz`)).status, 200);
    for (const each of held) each.release();
    await Promise.all(held.map(async ({ done }) => await done));
  });

  it('two services can run on one database', async () => {
    await using base = await openTestDatabase();
    await using first = await startTestService(base);
    await using second = await startTestService(base);
    assert.notEqual(first.url, second.url);
    await seedShop(base);
    await seedShop(base);
    assert.equal((await fetch(`${second.url}/readyz`)).status, 200);
  });

  it('the service starts even if the photo bucket is unreachable or does not exist, and logs the problem', async () => {
    await using base = await openTestDatabase();
    await using s3 = await startS3Server();
    const store = (bucket: string): string => `s3://${bucket}?endpoint=${s3.endpoint}`;
    const warnings = async (bucket: string): Promise<string[]> => {
      const lines: string[] = [];
      const log = openLog({ level: 'warn', write: (text) => lines.push(text) });
      const environment = { PHOTO_STORE: store(bucket) };
      await using service = await startTestService(base, { log, environment });
      assert.equal((await fetch(`${service.url}/livez`)).status, 200);
      log.close();
      return lines.filter((line) => line.includes('PHOTO_STORE'));
    };
    assert.deepEqual(await warnings('cards'), []);
    assert.match((await warnings('no-such-bucket')).join(), /NoSuchBucket/);
    await s3.stop();
    assert.match((await warnings('cards')).join(), /ECONNREFUSED/);
  });

  it('the service has metrics for reads, decoding and clean-up of photos', async () => {
    await using base = await openTestDatabase();
    await using service = await startTestService(base, { environment: { METRICS_PORT: '0' } });
    const metrics = await (await fetch(service.metricsUrl ?? '')).text();
    const names = ['reads_open', 'reads_waiting', 'uploads_decoding', 'uploads_waiting', 'stale'];
    for (const name of names) assert.match(metrics, new RegExp(`^cardport_photo_${name} 0$`, 'm'));
  });

  it('closing the service frees its port, and returns true if no request was aborted', async () => {
    await using base = await openTestDatabase();
    const service = await startTestService(base);
    assert.equal(await service.close(), true);
    await assert.rejects(fetch(`${service.url}/livez`));
  });
});
