import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { AppClient } from '../../test/app-client.ts';
import { seedShop, startTestService } from '../../test/service.ts';
import { openTestDatabase, type TestDatabase } from '../../test/test-database.ts';
import { hashSecret } from '../base/secrets.ts';
import { openDatabase } from '../database/open-database.ts';
import { startSession } from '../shops/session.ts';
import { lockGrantOfArtifact } from '../approvals/artifact.ts';

describe('the authorization server as part of the service', () => {
  let base: TestDatabase;
  before(async () => {
    base = await openTestDatabase();
  });
  after(async () => {
    await base.close();
  });

  it('nothing is printed during a complete flow with refused requests', async (t) => {
    const printed: unknown[] = [];
    for (const name of ['log', 'info', 'warn', 'error'] as const) {
      t.mock.method(console, name, (...words: unknown[]) => void printed.push(words));
    }
    await using service = await startTestService(base);
    const app = new AppClient(service, await seedShop(base));
    const { refresh_token: token } = await app.tokens();
    await app.refresh(token);
    await app.refresh(token);
    await app.send('token', '{}', { 'content-type': 'application/json' });
    await app.revoke(token);
    await fetch(app.authorizationUrl({ response_type: 'token' }), { redirect: 'manual' });
    await fetch(app.authorizationUrl({ client_id: null }));
    assert.deepEqual(printed, []);
  });

  it('all cookies over https are Secure, and have the prefix __Host- if their path is /', async () => {
    await using service = await startTestService(base, {
      environment: { PUBLIC_URL: 'https://cards.example' },
    });
    const seeded = await seedShop(base);
    const app = new AppClient(
      {
        url: service.url,
        authUrl: `${service.url}/auth`,
        partnerUrl: 'https://cards.example/partner/v1',
      },
      seeded,
    );
    const { secret } = await startSession(base.db, seeded.member.account.id, new Date());
    const started = await fetch(app.authorizationUrl(), {
      redirect: 'manual',
      headers: { cookie: `__Host-cardport_session=${secret}` },
    });
    assert.match(started.headers.get('location') ?? '', /^\/auth\/interaction\//);
    const cookies = started.headers.getSetCookie();
    assert.equal(cookies.length, 4);
    for (const cookie of cookies) {
      assert.match(cookie, /^__Secure-cardport_(interaction|resume)(\.sig)?=/);
      assert.match(cookie, /; secure/i);
      assert.match(cookie, /; httponly/i);
      assert.match(cookie, /; samesite=lax/i);
    }
    const page = await fetch(`${service.url}/signin`);
    assert.match(page.headers.getSetCookie()[0] ?? '', /^__Host-cardport_form=.*; Secure$/);
    assert.match(page.headers.get('strict-transport-security') ?? '', /^max-age=/);
    const metadata = await fetch(`${service.url}/auth/.well-known/oauth-authorization-server`);
    assert.equal((await metadata.text()).includes('127.0.0.1'), false);
  });

  it('a request gets 503 with Retry-After while its grant is locked, and consumes no token', async (t) => {
    // These connections differ from those of the service only in their lock timeout.
    const clientConfig = (): ReturnType<typeof base.engine.clientConfig> => ({
      ...base.engine.clientConfig(),
      lock_timeout: 300,
    });
    const engine = { ...base.engine, clientConfig };
    const db = openDatabase(engine, { onFault: () => undefined });
    t.after(async () => await db.close());
    await using service = await startTestService({ ...base, engine, db });
    const app = new AppClient(service, await seedShop(base));
    const { refresh_token: token } = await app.tokens();
    const other = openDatabase(base.engine, { onFault: () => undefined });
    await other.transaction(async (tx) => {
      await tx.query(lockGrantOfArtifact, [app.seeded.shop.id, 'RefreshToken', hashSecret(token)]);
      const answer = await app.refresh(token);
      assert.deepEqual([answer.status, answer.body.error], [503, 'temporarily_unavailable']);
      assert.equal(answer.headers.get('retry-after'), '2');
      assert.equal(answer.headers.get('cache-control'), 'no-store');
    });
    await other.close();
    assert.equal((await app.refresh(token)).status, 200);
  });
});
