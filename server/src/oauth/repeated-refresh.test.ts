import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { AppClient } from '../../test/app-client.ts';
import {
  seedShop,
  startTestService,
  TEST_SECRET_KEY,
  type TestService,
} from '../../test/service.ts';
import { openTestDatabase, type TestDatabase } from '../../test/test-database.ts';
import { addAppSecret } from '../apps/app-secret.ts';
import { ManualClock } from '../base/clock.ts';
import { listApprovals } from '../approvals/approval-list.ts';
import { OPERATOR } from '../shops/audit.ts';

describe('a refresh whose response was sent twice (decision 0007)', () => {
  let base: TestDatabase;
  let service: TestService;
  const clock = new ManualClock(new Date());
  before(async () => {
    base = await openTestDatabase();
    service = await startTestService(base, { clock });
  });
  after(async () => {
    await service.close();
    await base.close();
  });

  /** Creates an app whose first refresh was answered twice, so that two recipients know `token`. */
  async function repeated(): Promise<{
    readonly app: AppClient;
    readonly first: string;
    readonly token: string;
  }> {
    const app = new AppClient(service, await seedShop(base));
    const { refresh_token: first } = await app.tokens();
    const answer = await app.refresh(first, {}, named('first'));
    assert.equal((await app.refresh(first, {}, named('first'))).text, answer.text);
    return { app, first, token: answer.body.refresh_token ?? '' };
  }

  for (const [label, key] of [
    ['under another key', named('victim')],
    ['without a key', {}],
  ] as const) {
    it(`the approval ends if the token of the repeated response is used again ${label} after 10 s`, async () => {
      const { app, token } = await repeated();
      const thief = await app.refresh(token, {}, named('thief'));
      assert.equal(thief.status, 200);
      clock.advance(10_000);
      const victim = await app.refresh(token, {}, key);
      assert.deepEqual([victim.status, victim.body.error], [400, 'invalid_grant']);
      const next = await app.refresh(thief.body.refresh_token ?? '', {}, named('thief 2'));
      assert.deepEqual([next.status, next.body.error], [400, 'invalid_grant']);
      const call = await app.call('GET', '/connection', thief.body.access_token ?? '');
      assert.equal(call.status, 401);
    });
  }

  it('the approval does not end if the token is used twice within 10 s, as in a race', async () => {
    const { app, token } = await repeated();
    const one = await app.refresh(token, {}, named('one'));
    clock.advance(9_999);
    const late = await app.refresh(token, {}, named('two'));
    assert.deepEqual([late.status, late.body.error], [400, 'invalid_grant']);
    assert.equal((await app.refresh(one.body.refresh_token ?? '')).status, 200);
  });

  it('the approval does not end if the next request is repeated, immediately or later', async () => {
    const { app, token } = await repeated();
    const [one, two] = await Promise.all([
      app.refresh(token, {}, named('second')),
      app.refresh(token, {}, named('second')),
    ]);
    assert.equal(one.status, 200);
    assert.equal(two.text, one.text);
    const third = await app.refresh(one.body.refresh_token ?? '', {}, named('third'));
    assert.equal(third.status, 200);
    // The stored response is no longer sent, because the refresh token in it has been used.
    clock.advance(61_000);
    const late = await app.refresh(token, {}, named('second'));
    assert.equal(late.body.error, 'invalid_grant');
    assert.equal((await app.refresh(third.body.refresh_token ?? '')).status, 200);
  });

  it('the next request may be repeated with another valid secret of the app', async () => {
    const { app, token } = await repeated();
    const { clientId } = app.seeded.app;
    const added = await base.db.transaction(
      async (tx) => await addAppSecret(tx, app.seeded.shop.id, clientId, clock.now(), OPERATOR),
    );
    assert.ok(added.kind === 'added');
    const basic = Buffer.from(`${clientId}:${added.secret}`).toString('base64');
    const other = { ...named('second'), authorization: `Basic ${basic}` };
    const [one, two] = await Promise.all([
      app.refresh(token, {}, named('second')),
      app.refresh(token, {}, other),
    ]);
    assert.equal(one.status, 200);
    assert.equal(two.text, one.text);
    assert.equal((await app.refresh(one.body.refresh_token ?? '', {}, other)).status, 200);
  });

  for (const isKept of [true, false]) {
    it(`after SECRET_KEY was changed, a retry ${isKept ? 'gets the same bytes' : 'without the previous key does not end the approval'}`, async () => {
      const app = new AppClient(service, await seedShop(base));
      const { refresh_token: first } = await app.tokens();
      const answer = await app.refresh(first, {}, named('first'));
      clock.advance(120_000);
      await using changed = await startTestService(base, {
        clock,
        secretKey: 'another secret key of tests, 32 characters or more',
        environment: {
          PUBLIC_URL: service.publicUrl,
          ...(isKept ? { SECRET_KEY_PREVIOUS: TEST_SECRET_KEY } : {}),
        },
      });
      const addresses = {
        ...changed,
        authUrl: `${changed.url}/auth`,
        partnerUrl: service.partnerUrl,
      };
      const later = new AppClient(addresses, app.seeded);
      const again = await later.refresh(first, {}, named('first'));
      if (isKept) assert.equal(again.text, answer.text);
      else assert.equal(again.body.error, 'invalid_grant');
      assert.equal((await later.refresh(answer.body.refresh_token ?? '')).status, 200);
    });
  }

  it('if the response was sent once, reuse within 60 s does not end the approval', async () => {
    const app = new AppClient(service, await seedShop(base));
    const { refresh_token: first } = await app.tokens();
    const answer = await app.refresh(first, {}, named('one'));
    assert.equal((await app.refresh(first, {}, named('two'))).body.error, 'invalid_grant');
    assert.equal((await app.refresh(answer.body.refresh_token ?? '')).status, 200);
  });

  it('the shop sees the number and time of the repetitions of a refresh', async () => {
    const { app, first } = await repeated();
    clock.advance(5_000);
    const last = clock.now();
    await app.refresh(first, {}, named('first'));
    const page = { clientId: app.seeded.app.clientId, before: null, limit: 2 };
    const [approval] = await listApprovals(base.db, app.seeded.shop.id, page, clock.now());
    assert.deepEqual([approval?.repeats, approval?.lastRepeatAt], [2, last]);
  });
});

function named(key: string): Readonly<Record<string, string>> {
  return { 'idempotency-key': key };
}
