import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { AppClient, type TokenAnswer } from '../../test/app-client.ts';
import { seedShop, startTestService } from '../../test/service.ts';
import { openTestDatabase } from '../../test/test-database.ts';
import { statement } from '../database/statement.ts';

const ROUNDS = 6;

/** Finds rows of ended grants. Access tokens are kept, because they report that the grant ended. */
const selectOrphans = statement<{ readonly model: string }>(
  'select_orphans',
  `select t.model from oauth_artifact t
    where t.grant_hash is not null and t.model <> 'AccessToken'
      and not exists (select from oauth_artifact g where g.shop_id = t.shop_id
        and g.model = 'Grant' and g.id = t.grant_hash)`,
);
const selectAnswerOrphans = statement<{ readonly hash: string }>(
  'select_answer_orphans',
  `select a.grant_hash as hash from oauth_answer a
    where not exists (select from oauth_artifact g where g.shop_id = a.shop_id
      and g.model = 'Grant' and g.id = a.grant_hash)`,
);
const selectUnended = statement<{ readonly hash: string }>(
  'select_unended',
  `select p.grant_hash as hash from approval p
    where (p.ended_at is null) <>
      exists (select from oauth_artifact g where g.shop_id = p.shop_id
        and g.model = 'Grant' and g.id = p.grant_hash)`,
);

describe('concurrent refresh, revocation, reuse and end of the connection', () => {
  it('concurrent requests cause no 5xx, leave no rows behind, and issue no tokens after the end', async () => {
    await using base = await openTestDatabase();
    await using service = await startTestService(base);
    for (let round = 0; round < ROUNDS; round++) {
      const app = new AppClient(service, await seedShop(base));
      const [one, two, code] = [await app.tokens(), await app.tokens(), await app.code()];
      assert.equal((await app.call('POST', '/connection', one.access_token)).status, 201);
      const headers = { 'idempotency-key': 'k' };
      const answers: TokenAnswer[] = await Promise.all([
        app.refresh(one.refresh_token),
        app.refresh(one.refresh_token, {}, headers),
        app.refresh(two.refresh_token, {}, headers),
        app.exchange(code),
        app.exchange(code),
        app.revoke(one.access_token),
        app.revoke(two.refresh_token),
        app.call('POST', '/connection', two.access_token),
        app.call('DELETE', '/connection', two.access_token),
      ]);
      for (const { status, text } of answers) assert.ok(status < 500, `${status} ${text}`);
      for (const { body } of answers) {
        if (body.refresh_token === undefined) continue;
        const late = await app.refresh(body.refresh_token);
        assert.deepEqual([late.status, late.body.error], [400, 'invalid_grant']);
      }
      assert.deepEqual(await base.db.query(selectOrphans), []);
      assert.deepEqual(await base.db.query(selectAnswerOrphans), []);
      assert.deepEqual(await base.db.query(selectUnended), []);
    }
  });
});
