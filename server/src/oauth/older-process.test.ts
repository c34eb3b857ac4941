import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { AppClient, signInOn } from '../../test/app-client.ts';
import { IS_ON_CITUS } from '../../test/citus-nodes.ts';
import { PlainBrowser } from '../../test/plain-browser.ts';
import { seedShop, startTestService, type TestService } from '../../test/service.ts';
import { openTestDatabase, type TestDatabase } from '../../test/test-database.ts';
import { hashSecret, newSecret } from '../base/secrets.ts';
import { listMigrations } from '../database/migrate.ts';
import { statement } from '../database/statement.ts';

/** The columns that a process from before migration 0023 writes. */
const ARTIFACT = 'model, id, payload, grant_hash, consumed_at, expires_at';
const ANSWER = 'request_hash, grant_hash, successor_id, sealed, expires_at';

const rewriteArtifacts = statement(
  'test_rewrite_artifacts',
  `with written as (delete from oauth_artifact returning *)
   insert into oauth_artifact (${ARTIFACT}) select ${ARTIFACT} from written`,
);
const rewriteAnswers = statement(
  'test_rewrite_answers',
  `with written as (delete from oauth_answer returning *)
   insert into oauth_answer (${ANSWER}) select ${ANSWER} from written`,
);
const selectShops = statement<{ readonly kind: string; readonly shopId: string | null }>(
  'test_select_shops_of_artifacts',
  `select model as kind, shop_id as "shopId" from oauth_artifact
    union all select 'answer', shop_id from oauth_answer
    order by kind`,
);
const renameArtifact = statement(
  'test_rename_artifact',
  `update oauth_artifact set id = $3 where model = $1 and id = $2`,
);

/** The reason to skip a test, or false. */
const ON_CITUS = IS_ON_CITUS && 'no older process may write to a distributed database';

describe('tokens, codes and rows of a process from before migration 0023', () => {
  let base: TestDatabase;
  let service: TestService;
  before(async () => {
    base = await openTestDatabase();
    service = await startTestService(base);
  });
  after(async () => {
    await service.close();
    await base.close();
  });

  async function rewrite(): Promise<void> {
    await base.db.query(rewriteArtifacts);
    await base.db.query(rewriteAnswers);
  }

  /** Replaces a code or token with one in the former format, which does not contain a shop id. */
  async function toFormer(
    model: 'AuthorizationCode' | 'AccessToken' | 'RefreshToken',
    secret: string,
  ): Promise<string> {
    const former = newSecret(
      ({ AuthorizationCode: 'cpc', AccessToken: 'cpa', RefreshToken: 'cpr' } as const)[model],
    );
    const values = [model, hashSecret(secret), hashSecret(former)];
    assert.equal(await base.db.count(renameArtifact, values), 1);
    return former;
  }

  it(
    'tokens, codes and rows of an older process are stored with the shop of their app',
    { skip: ON_CITUS },
    async () => {
      const app = new AppClient(service, await seedShop(base));
      await signInOn(new PlainBrowser(app.service.url), app.authorizationUrl(), app.seeded);
      await app.code();
      const { refresh_token: first } = await app.tokens();
      assert.equal((await app.refresh(first, {}, { 'idempotency-key': 'k' })).status, 200);
      await rewrite();
      const rows = await base.db.query(selectShops);
      assert.deepEqual(
        new Set(rows.map(({ kind }) => kind)),
        new Set([
          'answer',
          'AccessToken',
          'AuthorizationCode',
          'Grant',
          'Interaction',
          'RefreshToken',
        ]),
      );
      for (const { kind, shopId } of rows) assert.equal(shopId, app.seeded.shop.id, kind);
    },
  );

  it(
    'codes and tokens of an older process can be exchanged, refreshed, repeated, reused and revoked',
    { skip: ON_CITUS },
    async () => {
      const app = new AppClient(service, await seedShop(base));
      const key = { 'idempotency-key': 'k' };
      const code = await app.code({ scope: 'offline_access inventory:read' });
      await rewrite();
      const { body: issued } = await app.exchange(code);
      await rewrite();
      const access = issued.access_token ?? '';
      assert.equal((await app.call('POST', '/connection', access)).status, 201);
      const refreshed = await app.refresh(issued.refresh_token ?? '', {}, key);
      assert.equal(refreshed.status, 200);
      await rewrite();
      const repeated = await app.refresh(issued.refresh_token ?? '', {}, key);
      assert.equal(repeated.text, refreshed.text);
      assert.equal((await app.call('GET', '/connection', access)).status, 200);
      assert.equal((await app.exchange(code)).body.error, 'invalid_grant', 'the code came twice');
      assert.equal((await app.call('GET', '/connection', access)).status, 401);
      const { body: second } = await app.exchange(await app.code({ scope: 'inventory:read' }));
      await rewrite();
      assert.equal((await app.revoke(second.access_token ?? '')).status, 200);
      assert.equal((await app.call('GET', '/connection', second.access_token ?? '')).status, 401);
    },
  );

  it('codes and tokens work although they do not contain the shop id', async () => {
    const app = new AppClient(service, await seedShop(base));
    const code = await app.code({ scope: 'offline_access inventory:read' });
    const { body } = await app.exchange(await toFormer('AuthorizationCode', code));
    const access = await toFormer('AccessToken', body.access_token ?? '');
    assert.equal((await app.call('POST', '/connection', access)).status, 201);
    const refresh = await toFormer('RefreshToken', body.refresh_token ?? '');
    assert.equal((await app.refresh(refresh)).status, 200);
    assert.equal((await app.call('GET', '/connection', access)).status, 200);
    assert.equal((await app.revoke(access)).status, 200);
    assert.equal((await app.call('GET', '/connection', access)).status, 401);
  });

  it(
    'rows of an older process get their shop from migration 0024',
    { skip: ON_CITUS },
    async () => {
      await using older = await openTestDatabase();
      await using node = await startTestService(older);
      const app = new AppClient(node, await seedShop(older));
      await signInOn(new PlainBrowser(app.service.url), app.authorizationUrl(), app.seeded);
      const { refresh_token: first } = await app.tokens();
      const { body } = await app.refresh(first, {}, { 'idempotency-key': 'k' });
      await older.db.runScript(
        'update oauth_artifact set shop_id = null; update oauth_answer set shop_id = null',
      );
      assert.equal((await app.refresh(body.refresh_token ?? '')).body.error, 'invalid_grant');
      const { text } = listMigrations().find(({ number }) => number === 24) ?? assert.fail();
      await older.db.runScript(text);
      const rows = await older.db.query(selectShops);
      assert.equal(rows.length, 8);
      for (const { kind, shopId } of rows) assert.equal(shopId, app.seeded.shop.id, kind);
      assert.equal((await app.refresh(body.refresh_token ?? '')).status, 200);
    },
  );
});
