import assert from 'node:assert/strict';
import { it } from 'node:test';
import { onEachEngine } from '../test/engines.ts';
import { seedShop, startTestService } from '../test/service.ts';

onEachEngine('the service', (open) => {
  it('is live and ready, and / says what is here', async () => {
    await using base = await open();
    await using service = await startTestService(base);
    assert.equal((await fetch(`${service.url}/livez`)).status, 200);
    assert.equal((await fetch(`${service.url}/readyz`)).status, 200);
    const welcome = await fetch(service.url);
    assert.equal(welcome.status, 200);
    assert.equal(welcome.headers.get('cache-control'), 'no-store');
    assert.match(await welcome.text(), /\/partner\/v1/);
  });

  it('runs twice over one database', async () => {
    await using base = await open();
    await using first = await startTestService(base);
    await using second = await startTestService(base);
    assert.notEqual(first.url, second.url);
    await seedShop(base);
    await seedShop(base);
    assert.equal((await fetch(`${second.url}/readyz`)).status, 200);
  });

  it('closes clean: the port is free and nothing was cut', async () => {
    await using base = await open();
    const service = await startTestService(base);
    assert.equal(await service.close(), true);
    await assert.rejects(fetch(`${service.url}/livez`));
  });
});
