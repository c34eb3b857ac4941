import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { AppClient } from '../../test/app-client.ts';
import { seedShop, startTestService, TEST_SECRET_KEY } from '../../test/service.ts';
import { openTestDatabase, type TestDatabase } from '../../test/test-database.ts';
import { systemClock } from '../base/clock.ts';
import { issueTokens } from './issue-tokens.ts';

describe('tokens that the operator issues', () => {
  let base: TestDatabase;
  before(async () => {
    base = await openTestDatabase();
  });
  after(async () => {
    await base.close();
  });

  it('issued tokens can be used to connect, refreshed and revoked, like tokens of the browser flow', async () => {
    await using service = await startTestService(base);
    const seeded = await seedShop(base);
    const app = new AppClient(service, seeded);
    const options = {
      db: base.db,
      clock: systemClock,
      publicUrl: service.publicUrl,
      secretKey: TEST_SECRET_KEY,
    };
    const order = {
      shopId: seeded.shop.id,
      clientId: seeded.app.clientId,
      accountId: seeded.member.account.id,
      scopes: ['offline_access', 'inventory:read'],
    } as const;
    const issued = await issueTokens(options, order);
    assert.ok(issued.kind === 'issued');
    assert.equal(issued.expiresIn, 900);
    const called = await app.call('GET', '/connection', issued.accessToken);
    assert.equal(called.status, 200);
    assert.equal(called.text.includes(issued.connectionId), true);
    const { status, body } = await app.refresh(issued.refreshToken ?? '');
    assert.deepEqual([status, body.scope], [200, 'offline_access inventory:read']);
    assert.equal((await app.revoke(body.refresh_token ?? '')).status, 200);
    assert.equal((await app.call('GET', '/connection', issued.accessToken)).status, 401);

    const without = await issueTokens(options, { ...order, scopes: ['inventory:read'] });
    assert.ok(without.kind === 'issued' && without.refreshToken === null);
  });

  it('no tokens are issued, and nothing changes, if the browser flow would refuse the app', async () => {
    const seeded = await seedShop(base, { scopes: ['inventory:read'] });
    const other = await seedShop(base);
    const options = {
      db: base.db,
      clock: systemClock,
      publicUrl: 'http://127.0.0.1:1',
      secretKey: TEST_SECRET_KEY,
    };
    const order = {
      shopId: seeded.shop.id,
      clientId: seeded.app.clientId,
      accountId: seeded.member.account.id,
      scopes: ['inventory:read'],
    } as const;
    for (const change of [
      { clientId: other.app.clientId },
      { accountId: other.member.account.id },
      { scopes: ['offline_access'] as const },
      { scopes: [] },
    ]) {
      assert.equal((await issueTokens(options, { ...order, ...change })).kind, 'refused');
    }
  });
});
