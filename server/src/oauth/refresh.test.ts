import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { AppClient, type TokenAnswer } from '../../test/app-client.ts';
import { seedShop, startTestService, type TestService } from '../../test/service.ts';
import { openTestDatabase, type TestDatabase } from '../../test/test-database.ts';
import { ManualClock } from '../base/clock.ts';
import { hashSecret } from '../base/secrets.ts';
import type { Database } from '../database/database.ts';
import { openDatabase } from '../database/open-database.ts';
import { statement } from '../database/statement.ts';
import { setAppEnabled } from '../apps/app.ts';
import { setMember } from '../shops/member.ts';
import { OPERATOR } from '../shops/audit.ts';

const key = { 'idempotency-key': '"8e03978e-40d5-43dd-bc93-6894a57f9324"' };

/** How long a refresh with an `Idempotency-Key` may be repeated (decision 0007). */
const SEVEN_DAYS_MS = 7 * 24 * 60 * 60 * 1_000;

const countRows = statement<{ readonly rows: number }>(
  'count_artifacts_of_grant',
  `select count(*)::int as rows from oauth_artifact where grant_hash =
     (select grant_hash from oauth_artifact where model = 'RefreshToken' and id = $1)`,
);

const selectAnswers = statement<{ readonly sealed: Buffer }>(
  'select_answers',
  `select sealed from oauth_answer`,
);

describe('the refresh of tokens (spec 5.4, decision 0007)', () => {
  let base: TestDatabase;
  let service: TestService;
  let other: TestService;
  let otherDb: Database;
  const clock = new ManualClock(new Date());
  before(async () => {
    base = await openTestDatabase();
    service = await startTestService(base, { clock });
    // A second node with a separate connection pool.
    otherDb = openDatabase(base.engine, { onFault: () => undefined });
    other = await startTestService(
      { ...base, db: otherDb },
      { clock, environment: { PUBLIC_URL: service.publicUrl } },
    );
  });
  after(async () => {
    await other.close();
    await otherDb.close();
    await service.close();
    await base.close();
  });

  /**
   * Creates an app with tokens. `twin` is the same app, but sends its requests to the other node.
   */
  async function approved(changes: Readonly<Record<string, string>> = {}): Promise<{
    readonly app: AppClient;
    readonly twin: AppClient;
    readonly first: string;
    readonly access: string;
  }> {
    const seeded = await seedShop(base);
    const app = new AppClient(service, seeded);
    const tokens = await app.tokens(changes);
    const twin = new AppClient(
      { ...other, authUrl: `${other.url}/auth`, partnerUrl: service.partnerUrl },
      seeded,
    );
    return { app, twin, first: tokens.refresh_token, access: tokens.access_token };
  }

  it('a token that is used again is refused, and after 60 s this also ends the grant', async () => {
    const { app, first } = await approved();
    const second = (await app.refresh(first)).body;
    clock.advance(59_999);
    const accident = await app.refresh(first);
    assert.deepEqual([accident.status, accident.body.error], [400, 'invalid_grant']);
    const third = await app.refresh(second.refresh_token ?? '');
    assert.equal(third.status, 200);
    assert.equal(
      (await app.call('POST', '/connection', third.body.access_token ?? '')).status,
      201,
    );
    clock.advance(1);
    const reuse = await app.refresh(first);
    assert.deepEqual([reuse.status, reuse.body.error], [400, 'invalid_grant']);
    assert.equal((await app.refresh(third.body.refresh_token ?? '')).body.error, 'invalid_grant');
    assert.equal((await app.call('GET', '/connection', third.body.access_token ?? '')).status, 401);
  });

  it('the connection remains if reuse ends the grant, and a new approval resumes it', async () => {
    const { app, first, access } = await approved();
    const before_ = await app.call('POST', '/connection', access);
    await app.refresh(first);
    clock.advance(60_000);
    assert.equal((await app.refresh(first)).status, 400);
    const again = await app.tokens();
    const resumed = await app.call('GET', '/connection', again.access_token);
    assert.equal(resumed.status, 200);
    assert.equal(idOf(resumed), idOf(before_));
  });

  for (const count of [2, 50]) {
    it(`one of ${count} concurrent requests without Idempotency-Key on two nodes succeeds, and the grant remains`, async () => {
      const { app, twin, first } = await approved();
      const answers = await atOnce(count, (index) => (index % 2 === 0 ? app : twin).refresh(first));
      const won = answers.filter(({ status }) => status === 200);
      assert.equal(won.length, 1);
      for (const answer of answers) {
        if (answer.status !== 200) assert.equal(answer.text.includes('invalid_grant'), true);
      }
      assert.equal((await app.refresh(won[0]?.body.refresh_token ?? '')).status, 200);
    });

    it(`${count} concurrent requests with the same Idempotency-Key on two nodes get the same bytes`, async () => {
      const { app, twin, first } = await approved();
      const answers = await atOnce(count, (index) =>
        (index % 2 === 0 ? app : twin).refresh(first, {}, key),
      );
      assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]));
      assert.equal(new Set(answers.map(({ text }) => text)).size, 1);
      // One Grant, one code, two access tokens and two refresh tokens.
      assert.equal((await base.db.one(countRows, [hashSecret(first)]))?.rows, 6);
    });
  }

  it('for 7 days, a retry with the same Idempotency-Key gets the same bytes', async () => {
    const { app, twin, first } = await approved();
    const answer = await app.refresh(first, {}, key);
    clock.advance(59_999);
    assert.equal((await twin.refresh(first, {}, key)).text, answer.text);
    clock.advance(SEVEN_DAYS_MS - 60_000);
    assert.equal((await twin.refresh(first, {}, key)).text, answer.text);
    const next = await app.refresh(answer.body.refresh_token ?? '', {}, key);
    assert.equal(next.status, 200);
  });

  it('a token that is used again with another key after 60 s ends the grant and its stored response', async () => {
    const { app, first } = await approved();
    const answer = await app.refresh(first, {}, key);
    clock.advance(60_000);
    const reuse = await app.refresh(first, {}, { 'idempotency-key': 'another' });
    assert.equal(reuse.body.error, 'invalid_grant');
    assert.equal((await app.refresh(first, {}, key)).body.error, 'invalid_grant');
    assert.equal((await app.refresh(answer.body.refresh_token ?? '')).body.error, 'invalid_grant');
  });

  it('a retry after 7 days ends the grant', async () => {
    const { app, first } = await approved();
    const answer = await app.refresh(first, {}, key);
    clock.advance(SEVEN_DAYS_MS);
    assert.equal((await app.refresh(first, {}, key)).body.error, 'invalid_grant');
    assert.equal((await app.refresh(answer.body.refresh_token ?? '')).body.error, 'invalid_grant');
  });

  it('a request with another key, other parameters or a wrong secret does not get the stored response', async () => {
    const { app, first } = await approved();
    const answer = await app.refresh(first, {}, key);
    const others = [
      await app.refresh(first, {}, { 'idempotency-key': 'another' }),
      await app.refresh(first, {}),
      await app.refresh(first, { scope: 'inventory:read' }, key),
    ];
    for (const { status, body } of others) {
      assert.deepEqual([status, body.error], [400, 'invalid_grant']);
    }
    const wrong = await app.refresh(first, {}, { ...key, authorization: app.basic('cps_wrong') });
    assert.deepEqual([wrong.status, wrong.body.error], [401, 'invalid_client']);
    assert.equal((await app.refresh(first, {}, key)).text, answer.text);
  });

  it('a malformed Idempotency-Key is refused, and consumes no token', async () => {
    const { app, first } = await approved();
    // `fetch` trims the space, so the header is empty.
    for (const wrong of ['k'.repeat(256), ' ', '竜']) {
      const headers = { 'idempotency-key': Buffer.from(wrong).toString('latin1') };
      const answer = await app.refresh(first, {}, headers);
      assert.deepEqual([answer.status, answer.body.error], [400, 'invalid_request'], wrong);
    }
    assert.equal(
      (await app.refresh(first, {}, { 'idempotency-key': 'k'.repeat(255) })).status,
      200,
    );
  });

  it('the stored response cannot be read in the database', async () => {
    const { app, first } = await approved();
    const { body } = await app.refresh(first, {}, key);
    for (const { sealed } of await base.db.query(selectAnswers)) {
      assert.equal(sealed.includes(body.refresh_token ?? ''), false);
      assert.equal(sealed.includes('access_token'), false);
    }
  });

  it('a disabled app gets unauthorized_client, also for retries, and consumes no token', async () => {
    const { app, first } = await approved();
    const answer = await app.refresh(first, {}, key);
    const set = async (isEnabled: boolean): Promise<void> => {
      await base.db.transaction(
        async (tx) =>
          void (await setAppEnabled(tx, app.seeded.app.clientId, isEnabled, clock.now(), OPERATOR)),
      );
    };
    await set(false);
    const refused = await app.refresh(first, {}, key);
    assert.deepEqual([refused.status, refused.body.error], [400, 'unauthorized_client']);
    await set(true);
    assert.equal((await app.refresh(first, {}, key)).text, answer.text);
  });

  it('a deactivated member’s app gets no tokens and no stored response, and consumes no token', async () => {
    const { app, first } = await approved();
    const answer = await app.refresh(first, {}, key);
    const { shop, member } = app.seeded;
    const set = async (isActive: boolean): Promise<void> => {
      await base.db.transaction(
        async (tx) =>
          void (await setMember(
            tx,
            shop.id,
            member.account.id,
            { isActive },
            clock.now(),
            OPERATOR,
          )),
      );
    };
    await set(false);
    assert.equal((await app.refresh(first, {}, key)).body.error, 'invalid_grant');
    assert.equal((await app.refresh(answer.body.refresh_token ?? '')).body.error, 'invalid_grant');
    await set(true);
    assert.equal((await app.refresh(answer.body.refresh_token ?? '')).status, 200);
  });

  it('after the connection has ended, no refresh token is accepted and no stored response is sent', async () => {
    const { app, first } = await approved();
    const answer = await app.refresh(first, {}, key);
    const token = answer.body.access_token ?? '';
    assert.equal((await app.call('POST', '/connection', token)).status, 201);
    assert.equal((await app.call('DELETE', '/connection', token)).status, 204);
    assert.equal((await app.refresh(first, {}, key)).body.error, 'invalid_grant');
    assert.equal((await app.refresh(answer.body.refresh_token ?? '')).body.error, 'invalid_grant');
    assert.equal(
      (await app.call('GET', '/connection', token)).text,
      '{"error":"connection_revoked"}',
    );
  });

  it('a refresh may request fewer scopes; additional scopes get invalid_scope, and no token is consumed', async () => {
    const { app, first } = await approved({ scope: 'offline_access inventory:read' });
    const more = await app.refresh(first, { scope: 'inventory:read purchase-boosts:read' });
    assert.deepEqual([more.status, more.body.error], [400, 'invalid_scope']);
    assert.deepEqual(Object.keys(more.body).toSorted(), ['error', 'error_description']);
    const fewer = await app.refresh(first, { scope: 'offline_access' });
    assert.equal(fewer.body.scope, 'offline_access');
    const full = await app.refresh(fewer.body.refresh_token ?? '');
    assert.equal(full.body.scope, 'offline_access inventory:read');
  });

  it('a resource that is not a URL gets invalid_target, and no token is consumed (RFC 8707)', async () => {
    const { app, first } = await approved();
    for (const resource of ['nonsense', '']) {
      const { status, body } = await app.refresh(first, { resource });
      assert.deepEqual([status, body.error], [400, 'invalid_target']);
    }
    assert.equal((await app.refresh(first)).status, 200);
  });

  it('another app’s refresh token gets invalid_grant, and stays valid', async () => {
    const { app, first } = await approved();
    const thief = await approved();
    assert.equal((await thief.app.refresh(first)).body.error, 'invalid_grant');
    const next = await app.refresh(first);
    assert.equal(next.status, 200);
    clock.advance(61_000);
    assert.equal((await thief.app.refresh(first)).body.error, 'invalid_grant');
    assert.equal((await app.refresh(next.body.refresh_token ?? '')).status, 200);
  });

  it('refresh tokens are valid for exactly 90 days', async () => {
    const { first } = await approved();
    const row = statement<{ readonly days: number }>(
      'days_of_refresh_token',
      `select extract(epoch from expires_at - $2)::float / 86400 as days
         from oauth_artifact where model = 'RefreshToken' and id = $1`,
    );
    const { days = 0 } = (await base.db.one(row, [hashSecret(first), clock.now()])) ?? {};
    assert.ok(Math.abs(days - 90) < 0.001, `${days} days`);
  });
});

describe('REFRESH_REPLAY', () => {
  let base: TestDatabase;
  before(async () => {
    base = await openTestDatabase();
  });
  after(async () => {
    await base.close();
  });

  it('with “always”, a retry without Idempotency-Key gets the same bytes for 60 s', async () => {
    const clock = new ManualClock(new Date());
    await using service = await startTestService(base, {
      clock,
      environment: { REFRESH_REPLAY: 'always' },
    });
    const app = new AppClient(service, await seedShop(base));
    const { refresh_token: first } = await app.tokens();
    const [one, two] = await Promise.all([app.refresh(first), app.refresh(first)]);
    assert.equal(one.status, 200);
    assert.equal(one.text, two.text);
    clock.advance(59_999);
    assert.equal((await app.refresh(first)).text, one.text);
    clock.advance(1);
    assert.equal((await app.refresh(first)).body.error, 'invalid_grant');
  });

  it('with “never”, Idempotency-Key is ignored', async () => {
    await using service = await startTestService(base, {
      environment: { REFRESH_REPLAY: 'never' },
    });
    const app = new AppClient(service, await seedShop(base));
    const { refresh_token: first } = await app.tokens();
    assert.equal((await app.refresh(first, {}, key)).status, 200);
    assert.equal((await app.refresh(first, {}, key)).body.error, 'invalid_grant');
  });
});

async function atOnce(
  count: number,
  ask: (index: number) => Promise<TokenAnswer>,
): Promise<TokenAnswer[]> {
  return await Promise.all(Array.from({ length: count }, async (_, index) => await ask(index)));
}

function idOf(answer: TokenAnswer): unknown {
  const body: unknown = JSON.parse(answer.text);
  return typeof body === 'object' && body !== null && 'id' in body ? body.id : undefined;
}
