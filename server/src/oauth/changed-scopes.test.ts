import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { AppClient } from '../../test/app-client.ts';
import { seedShop, startTestService, type TestService } from '../../test/service.ts';
import { openTestDatabase, type TestDatabase } from '../../test/test-database.ts';
import { changeApp } from '../apps/change-app.ts';
import { addAppSecret, listAppSecrets, removeAppSecret } from '../apps/app-secret.ts';
import { SCOPES, type Scope } from '../apps/scope.ts';
import { OPERATOR } from '../shops/audit.ts';

describe('an app whose scopes or secrets change (decision 0003)', () => {
  let base: TestDatabase;
  let service: TestService;
  let app: AppClient;
  before(async () => {
    base = await openTestDatabase();
    service = await startTestService(base);
    app = new AppClient(service, await seedShop(base));
  });
  after(async () => {
    await service.close();
    await base.close();
  });

  async function allow(scopes: readonly Scope[]): Promise<void> {
    const { shop, app: known } = app.seeded;
    const result = await base.db.transaction(
      async (tx) => await changeApp(tx, shop.id, known.clientId, { scopes }, new Date(), OPERATOR),
    );
    assert.equal(result.kind, 'changed');
  }

  function without(...taken: readonly Scope[]): readonly Scope[] {
    return SCOPES.filter((scope) => !taken.includes(scope));
  }

  it('an app loses a removed scope immediately, keeps the others, and can get it back', async () => {
    const first = await app.tokens();
    assert.equal((await app.call('POST', '/connection', first.access_token)).status, 201);
    await allow(without('inventory:read'));
    const refused = await app.call('GET', '/inventory/sites', first.access_token);
    assert.deepEqual(
      [refused.status, refused.text],
      [403, '{"error":"insufficient_scope","scope":"inventory:read"}'],
    );
    assert.equal((await app.call('GET', '/purchase-boosts', first.access_token)).status, 200);
    const narrow = await app.refresh(first.refresh_token);
    assert.equal(narrow.body.scope, 'openid profile offline_access purchase-boosts:read');
    const { access_token = '', refresh_token = '' } = narrow.body;
    assert.equal((await app.call('GET', '/inventory/sites', access_token)).status, 403);
    const asked = await app.approve({ scope: 'inventory:read offline_access' }).catch(String);
    assert.match(String(asked), /invalid_scope/);
    await allow(SCOPES);
    const wide = await app.refresh(refresh_token);
    assert.equal(wide.body.scope, SCOPES.join(' '));
    const again = await app.call('GET', '/inventory/sites', wide.body.access_token ?? '');
    assert.equal(again.status, 200, 'the member had consented to it');
  });

  it('an app cannot refresh with a removed scope, and the attempt consumes no token (spec 5.2)', async () => {
    const tokens = await app.tokens();
    await allow(without('inventory:read'));
    const wide = { scope: 'inventory:read offline_access' };
    const named = { 'idempotency-key': 'a refresh that names itself' };
    const refused = await app.refresh(tokens.refresh_token, wide, named);
    assert.deepEqual([refused.status, refused.body.error], [400, 'invalid_scope']);
    assert.equal(refused.body.access_token, undefined);
    const kept = { scope: 'purchase-boosts:read offline_access' };
    const next = await app.refresh(tokens.refresh_token, kept);
    assert.deepEqual([next.status, next.body.scope], [200, kept.scope], 'the edge: all is allowed');
    await allow(SCOPES);
    const back = await app.refresh(next.body.refresh_token ?? '', wide, named);
    assert.deepEqual([back.status, back.body.scope], [200, wide.scope]);
    await allow(without('inventory:read'));
    const again = await app.refresh(next.body.refresh_token ?? '', wide, named);
    assert.equal(again.text, back.text, 'what was answered before is answered again');
    await allow(SCOPES);
  });

  it('an app gets no token if none of its approved scopes is left', async () => {
    const code = await app.code({ scope: 'inventory:read' });
    await allow(['purchase-boosts:read']);
    const refused = await app.exchange(code);
    assert.deepEqual([refused.status, refused.body.error], [400, 'invalid_scope']);
    await allow(SCOPES);
    const exchanged = await app.exchange(code);
    assert.deepEqual([exchanged.status, exchanged.body.scope], [200, 'inventory:read']);
  });

  it('an app does not get an added scope until it is approved again', async () => {
    await allow(without('purchase-boosts:read'));
    const narrow = await app.tokens({ scope: 'offline_access inventory:read' });
    await allow(SCOPES);
    const next = await app.refresh(narrow.refresh_token);
    assert.equal(next.body.scope, 'offline_access inventory:read');
    const refused = await app.call('GET', '/purchase-boosts', next.body.access_token ?? '');
    assert.equal(refused.status, 403);
  });

  it('an app cannot refresh without offline_access, and the attempt consumes no token', async () => {
    const tokens = await app.tokens();
    const code = await app.code();
    await allow(without('offline_access'));
    const refused = await app.refresh(tokens.refresh_token);
    assert.deepEqual([refused.status, refused.body.error], [400, 'unauthorized_client']);
    const exchanged = await app.exchange(code);
    assert.equal(exchanged.status, 200);
    assert.equal(exchanged.body.refresh_token, undefined);
    assert.equal((await app.call('GET', '/connection', tokens.access_token)).status, 200);
    await allow(SCOPES);
    assert.equal((await app.refresh(tokens.refresh_token)).status, 200);
  });

  it('an app can replace one secret with another without interruption', async () => {
    const { shop, app: known } = app.seeded;
    const tokens = await app.tokens();
    const [old] = await listAppSecrets(base.db, shop.id, known.clientId);
    const added = await base.db.transaction(
      async (tx) => await addAppSecret(tx, shop.id, known.clientId, new Date(), OPERATOR),
    );
    assert.ok(added.kind === 'added' && old !== undefined);
    const authorization = app.basic(added.secret);
    const second = await app.refresh(tokens.refresh_token, {}, { authorization });
    assert.equal(second.status, 200);
    const third = await app.refresh(second.body.refresh_token ?? '');
    assert.equal(third.status, 200, 'the old one works as well');
    await base.db.transaction(
      async (tx) =>
        await removeAppSecret(tx, shop.id, known.clientId, old.id, new Date(), OPERATOR),
    );
    const late = await app.refresh(third.body.refresh_token ?? '');
    assert.deepEqual([late.status, late.body.error], [401, 'invalid_client']);
    const fourth = await app.refresh(third.body.refresh_token ?? '', {}, { authorization });
    assert.equal(fourth.status, 200, 'tokens outlive the secret by which they came');
  });
});
