import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setAppEnabled } from '../apps/app.ts';
import {
  type PartnerNode,
  seedGrant,
  seedParty,
  startPartnerNode,
  TEST_NOW,
} from '../../test/partner.ts';
import { openTestDatabase, type TestDatabase } from '../../test/test-database.ts';
import { OPERATOR } from '../shops/audit.ts';

const bucket = { perMinute: 60, burst: 3 };
const LIMITS = {
  api: bucket,
  search: bucket,
  photos: bucket,
  token: bucket,
  authorize: bucket,
  shop: bucket,
  console: bucket,
  failures: bucket,
};
const POLICY = '"api";q=60;w=60, "api-burst";q=3;w=3';

describe('the limit of a connection (decision 0008)', () => {
  let base: TestDatabase;
  let node: PartnerNode;
  before(async () => {
    base = await openTestDatabase();
    node = await startPartnerNode(base, { rateLimits: LIMITS });
  });
  after(async () => {
    await node[Symbol.asyncDispose]();
    await base.close();
  });

  it('every response states the remaining requests, and requests beyond the limit get 429 until the reset', async () => {
    const party = await seedParty(base.db);
    const { token } = await seedGrant(base.db, party);
    const sister = await seedGrant(base.db, party);
    for (const [method, path, status, left] of [
      ['POST', '/connection', 201, 2],
      ['GET', '/inventory/changes?limit=0', 400, 1],
      ['DELETE', '/connection', 204, 0],
    ] as const) {
      const answer = await node.call(method, path, { token });
      assert.equal(answer.status, status);
      assert.equal(answer.headers.get('ratelimit-policy'), POLICY);
      assert.match(
        answer.headers.get('ratelimit') ?? '',
        new RegExp(`^"api-burst";r=${left};t=\\d$`),
      );
    }
    for (const { token: either } of [{ token }, sister]) {
      const answer = await node.call('GET', '/inventory/sites', { token: either });
      assert.equal(answer.status, 429, 'the bucket is the connection’s, not the token’s');
      assert.equal(answer.text, '{"error":"rate_limited"}');
      assert.equal(answer.headers.get('retry-after'), '1');
      assert.equal(answer.headers.get('ratelimit'), '"api-burst";r=0;t=3');
    }
    node.clock.advance(999);
    assert.equal((await node.call('GET', '/inventory/sites', { token })).status, 429);
    node.clock.advance(1);
    assert.equal((await node.call('GET', '/inventory/sites', { token })).status, 403);
  });

  it('the rate limit is checked after the token and before everything else', async () => {
    const party = await seedParty(base.db);
    const { token } = await seedGrant(base.db, party);
    await base.db.transaction(
      async (tx) => await setAppEnabled(tx, party.app.clientId, false, TEST_NOW, OPERATOR),
    );
    for (let call = 0; call < 3; call++) {
      assert.equal((await node.call('GET', '/connection', { token })).status, 403);
    }
    assert.equal((await node.call('GET', '/connection', { token })).status, 429);
    const other = await seedGrant(base.db, await seedParty(base.db));
    assert.equal((await node.call('POST', '/connection', { token: other.token })).status, 201);
    for (let call = 0; call < 10; call++) {
      const answer = await node.call('GET', '/connection', { token: `${token}x` });
      assert.equal(answer.status, 401);
      assert.equal(answer.headers.get('ratelimit-policy'), POLICY);
      assert.equal(answer.headers.get('ratelimit'), '"api-burst";r=3;t=0');
    }
  });

  it('the rate limit can be switched off', async () => {
    await using free = await startPartnerNode(base);
    const { token } = await seedGrant(base.db, await seedParty(base.db));
    for (let call = 0; call < 20; call++) {
      const answer = await free.call('POST', '/connection', { token });
      assert.ok(answer.status < 300);
      assert.equal(answer.headers.get('ratelimit-policy'), null);
    }
  });
});
