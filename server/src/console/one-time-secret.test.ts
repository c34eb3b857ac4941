import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { seedShop } from '../../test/service.ts';
import { openTestDatabase, type TestDatabase } from '../../test/test-database.ts';
import { newSecret } from '../base/secrets.ts';
import { startSession } from '../shops/session.ts';
import { setOneTimeSecret, clearOneTimeSecret, readOneTimeSecret } from './one-time-secret.ts';

const PATH = '/console/shops/kumo/apps/app_1/secret';
const NOW = new Date('2026-06-01T12:00:00.000Z');

describe('a secret that is shown once (decision 0194)', () => {
  let base: TestDatabase;
  let accountId: string;
  before(async () => {
    base = await openTestDatabase();
    accountId = (await seedShop(base)).member.account.id;
  });
  after(async () => await base.close());

  const secret = newSecret('cps');

  /** Opens a session and seals a secret for it at `NOW`. `read` reads the secret at `PATH`. */
  async function carried(): Promise<{
    readonly cookie: string;
    readonly sessionSecret: string;
    readonly read: (change?: {
      path?: string;
      session?: string;
      afterMs?: number;
      line?: string;
    }) => Promise<string | null>;
  }> {
    const { secret: sessionSecret } = await startSession(base.db, accountId, NOW);
    const [cookie = ''] = setOneTimeSecret({ sessionSecret, now: NOW }, PATH, secret, true).split(
      ';',
    );
    return {
      cookie,
      sessionSecret,
      read: async (change = {}) =>
        await readOneTimeSecret(
          base.db,
          {
            sessionSecret: change.session ?? sessionSecret,
            now: new Date(NOW.getTime() + (change.afterMs ?? 0)),
            request: { headers: { cookie: `a=b; ${change.line ?? cookie}` } },
          },
          change.path ?? PATH,
        ),
    };
  }

  it('a one-time secret can be read by its page for 120 s, and not a millisecond longer', async () => {
    assert.equal(await (await carried()).read({ afterMs: 120_000 }), secret);
    assert.equal(await (await carried()).read({ afterMs: 120_001 }), null);
  });

  it('a one-time secret can be read once, even if the browser keeps the cookie, and so can the next secret', async () => {
    const { read, sessionSecret } = await carried();
    assert.equal(await read(), secret);
    assert.equal(await read(), null);
    const now = new Date(NOW.getTime() + 1);
    const [line = ''] = setOneTimeSecret({ sessionSecret, now }, PATH, 'next', true).split(';');
    assert.equal(await read({ line }), 'next');
    assert.equal(await read({ line }), null);
  });

  it('a one-time secret cannot be read by another page or session, or after its cookie was changed', async () => {
    const { read, cookie } = await carried();
    const { secret: session } = await startSession(base.db, accountId, NOW);
    assert.equal(await read({ path: `${PATH}2` }), null);
    assert.equal(await read({ session }), null);
    assert.equal(await read({ line: `${cookie.slice(0, -2)}AA` }), null);
    assert.equal(await read({ line: 'cardport_once=' }), null);
    assert.equal(await read({ line: 'other=1' }), null);
    assert.equal(await read(), secret);
  });

  it('a one-time secret is encrypted in a cookie that only its page receives, and that can be cleared', () => {
    const line = setOneTimeSecret(
      { sessionSecret: newSecret('cpw'), now: NOW },
      PATH,
      secret,
      true,
    );
    assert.match(line, /; Max-Age=120; HttpOnly; SameSite=Strict; Secure$/);
    assert.ok(!line.includes(secret));
    assert.equal(
      clearOneTimeSecret(PATH, true),
      `cardport_once=; Path=${PATH}; Max-Age=0; HttpOnly; SameSite=Strict; Secure`,
    );
  });
});
