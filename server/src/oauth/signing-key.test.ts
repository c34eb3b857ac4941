import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { AppClient } from '../../test/app-client.ts';
import { seedShop, startTestService, TEST_SECRET_KEY } from '../../test/service.ts';
import { openTestDatabase } from '../../test/test-database.ts';
import { ManualClock } from '../base/clock.ts';
import { deriveKey } from '../base/keys.ts';
import { statement } from '../database/statement.ts';
import { issueTokens } from './issue-tokens.ts';
import { seal } from '../base/seal.ts';
import { listPublicKeys, loadSigningKey, makeSigningKey } from './signing-key.ts';

const NOW = new Date('2026-06-01T12:00:00.000Z');

const countKeys = statement<{ readonly rows: number }>(
  'count_signing_keys',
  `select count(*)::int as rows from signing_key`,
);
const insertFirst = statement(
  'insert_first_signing_key',
  `insert into signing_key (slot, sealed, created_at) values ('current', $1, $2)`,
);

describe('the key that signs id_tokens', () => {
  it('all nodes use the same key, even if they start concurrently', async () => {
    await using base = await openTestDatabase();
    const keys = await Promise.all(
      Array.from({ length: 4 }, async () => await loadSigningKey(base.db, 'a secret', NOW)),
    );
    assert.equal(new Set(keys.map(({ n }) => n)).size, 1);
    assert.equal(keys[0]?.alg, 'RS256');
    assert.equal((await base.db.one(countKeys))?.rows, 1);
  });

  it('the key remains when a new SECRET_KEY adds another, and both are published', async () => {
    await using base = await openTestDatabase();
    const one = await loadSigningKey(base.db, 'a secret', NOW);
    const two = await loadSigningKey(base.db, 'another secret', new Date(NOW.getTime() + 1));
    assert.notEqual(one.n, two.n);
    assert.equal((await loadSigningKey(base.db, 'a secret', NOW)).kid, one.kid);
    assert.equal((await loadSigningKey(base.db, 'another secret', NOW)).kid, two.kid);
    for (const [own, other] of [
      [one, two],
      [two, one],
    ] as const) {
      const published = await listPublicKeys(base.db, own);
      const parts = [own, other].map(({ kty, use, alg, kid, n, e }) => ({
        kty,
        use,
        alg,
        kid,
        n,
        e,
      }));
      assert.deepEqual(published, parts);
    }
  });

  it('a node’s key is among the at most ten published keys, even if ten others are newer', async () => {
    await using base = await openTestDatabase();
    const keys = [];
    for (let index = 0; index < 12; index++) {
      const now = new Date(NOW.getTime() + index);
      keys.push(await loadSigningKey(base.db, `secret ${index}`, now));
    }
    const [oldest] = keys;
    assert.ok(oldest !== undefined);
    const published = await listPublicKeys(base.db, oldest);
    const kids = published.map((key) => ('kid' in key ? key.kid : null));
    const newest = keys.toReversed().map(({ kid }) => kid);
    assert.deepEqual(kids, [oldest.kid, ...newest.slice(0, 9)]);
  });

  it('a key that an early version stored remains in use, and is published', async () => {
    await using base = await openTestDatabase();
    const first = await makeSigningKey();
    const context = Buffer.from('cardport signing key');
    const sealed = seal(JSON.stringify(first), deriveKey('a secret', 'signing key seal'), context);
    await base.db.query(insertFirst, [sealed, NOW]);
    assert.equal((await loadSigningKey(base.db, 'a secret', NOW)).kid, first.kid);
    const two = await loadSigningKey(base.db, 'another secret', new Date(NOW.getTime() + 1));
    assert.equal((await listPublicKeys(base.db, two)).length, 2);
  });

  it('no key is created or changed when the operator issues tokens, even with a wrong SECRET_KEY', async () => {
    await using base = await openTestDatabase();
    const seeded = await seedShop(base);
    const { shop, app, member } = seeded;
    const order = {
      shopId: shop.id,
      clientId: app.clientId,
      accountId: member.account.id,
      scopes: app.scopes,
    };
    const options = { db: base.db, clock: new ManualClock(NOW), publicUrl: 'http://127.0.0.1:1' };
    const issued = await issueTokens({ ...options, secretKey: 'a wrong secret' }, order);
    assert.equal(issued.kind, 'issued');
    assert.equal((await base.db.one(countKeys))?.rows, 0);
    await using service = await startTestService(base);
    const known = await loadSigningKey(base.db, TEST_SECRET_KEY, NOW);
    await issueTokens({ ...options, secretKey: 'a wrong secret' }, order);
    assert.equal((await base.db.one(countKeys))?.rows, 1);
    const jwks = await (await fetch(`${service.authUrl}/oauth2/jwks`)).text();
    const { id_token: token = '' } = await new AppClient(service, seeded).tokens();
    const header = Buffer.from(token.split('.')[0] ?? '', 'base64url').toString();
    assert.match(header, new RegExp(known.kid ?? '-'));
    assert.match(jwks, new RegExp(`"kid":"${known.kid}"`));
    assert.doesNotMatch(jwks, /"[dpq]":/);
    // Another node with another SECRET_KEY adds a key, and this node publishes it immediately.
    const other = await loadSigningKey(base.db, 'the next secret', new Date());
    const later = await (await fetch(`${service.authUrl}/oauth2/jwks`)).text();
    assert.match(later, new RegExp(`"kid":"${other.kid}"`));
  });
});
