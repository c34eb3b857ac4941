import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { AppClient, signInOn } from '../../test/app-client.ts';
import { CONSENT, formTo, PlainBrowser } from '../../test/plain-browser.ts';
import { exchangeRaw } from '../../test/raw-socket.ts';
import { seedShop, startTestService, type TestService } from '../../test/service.ts';
import { openTestDatabase, type TestDatabase } from '../../test/test-database.ts';
import { ManualClock } from '../base/clock.ts';
import { statement } from '../database/statement.ts';

/** The number of concurrent requests. */
const TRIES = 8;
/** In later rounds, connections are already open, so the requests arrive closer together. */
const ROUNDS = 5;

const countCodes = statement<{ readonly rows: number }>(
  'count_codes',
  `select count(*)::int as rows from oauth_artifact where model = 'AuthorizationCode'`,
);

describe('an authorization request after the decision (spec 5.3)', () => {
  let base: TestDatabase;
  let service: TestService;
  let app: AppClient;
  const clock = new ManualClock(new Date());
  before(async () => {
    base = await openTestDatabase();
    service = await startTestService(base, { clock });
    app = new AppClient(service, await seedShop(base));
  });
  after(async () => {
    await service.close();
    await base.close();
  });

  /**
   * Opens the consent page in a browser. Returns functions that send a decision or resume the flow.
   */
  async function visitConsent(): Promise<{
    readonly press: (decision: 'allow' | 'deny') => Promise<Response>;
    readonly resume: (target: string) => Promise<Response>;
    readonly cookie: string;
  }> {
    const browser = new PlainBrowser(service.url);
    const page = await signInOn(browser, app.authorizationUrl(), app.seeded);
    const cookie = browser.cookies.map(({ name, value }) => `${name}=${value}`).join('; ');
    return {
      cookie,
      press: async (decision) => {
        const { action, fields } = formTo(page, CONSENT, { decision });
        return await fetch(new URL(action, service.url), {
          method: 'POST',
          redirect: 'manual',
          headers: { cookie },
          body: new URLSearchParams(fields),
        });
      },
      resume: async (target) =>
        await fetch(new URL(target, service.url), { redirect: 'manual', headers: { cookie } }),
    };
  }

  function answerIn(response: Response): URLSearchParams {
    const location = response.headers.get('location');
    return new URL(location ?? 'about:blank').searchParams;
  }

  async function codes(): Promise<number> {
    return (await base.db.one(countCodes))?.rows ?? -1;
  }

  it('the URL that resumes a request gives only one code for concurrent visits and different spellings', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const before_ = await codes();
      const { press, resume } = await visitConsent();
      const target = (await press('allow')).headers.get('location') ?? '';
      const uid = new URL(target, service.url).pathname.split('/').at(-1) ?? '';
      const spelled = `%${uid.charCodeAt(0).toString(16)}${uid.slice(1)}`;
      const targets = [target, target.replace(uid, spelled), target.replace(uid, 'another')];
      const answers = await Promise.all(
        Array.from({ length: TRIES }, async (_, index) => await resume(targets[index % 3] ?? '')),
      );
      const given = answers.map((answer) => answerIn(answer).get('code')).filter(Boolean);
      assert.equal(given.length, 1);
      assert.equal(await codes(), before_ + 1);
      const others = answers.filter((answer) => answerIn(answer).get('code') === null);
      assert.deepEqual(new Set(others.map(({ status }) => status)), new Set([400]));
      assert.equal((await app.exchange(given[0] ?? '')).status, 200);
      assert.equal((await resume(target)).status, 400);
    }
  });

  it('no code is issued if Deny was pressed before Allow', async () => {
    const before_ = await codes();
    const { press, resume } = await visitConsent();
    const target = (await press('deny')).headers.get('location') ?? '';
    assert.equal((await press('allow')).headers.get('location'), target);
    assert.equal(answerIn(await resume(target)).get('error'), 'access_denied');
    assert.equal(await codes(), before_);
  });

  it('only one response is sent if Allow and Deny are pressed concurrently', async () => {
    for (let round = 0; round < 4; round++) {
      const before_ = await codes();
      const { press, resume } = await visitConsent();
      const [one, two] = await Promise.all([press('allow'), press('deny')]);
      const target = one.headers.get('location') ?? '';
      assert.equal(two.headers.get('location'), target);
      const answers = [answerIn(await resume(target)), answerIn(await resume(target))];
      const told = answers.filter((answer) => answer.has('code') || answer.has('error'));
      assert.equal(told.length, 1);
      assert.equal(await codes(), before_ + (told[0]?.has('code') === true ? 1 : 0));
    }
  });

  it('a request target in absolute form gives a code (RFC 9112 §3.2.2)', async () => {
    const { press, cookie } = await visitConsent();
    const target = (await press('allow')).headers.get('location') ?? '';
    const path = new URL(target, service.url).pathname;
    const text = await exchangeRaw(
      Number(new URL(service.url).port),
      `GET http://evil.example${path} HTTP/1.1\r\nHost: evil.example\r\nCookie: ${cookie}\r\n` +
        `Connection: close\r\n\r\n`,
    );
    assert.match(String(text), /^HTTP\/1\.1 303 /);
    assert.match(String(text), /location: https:\/\/app\.example\/callback\?code=cpc_/i);
  });

  it('no code is issued if the member took longer than 15 minutes', async () => {
    const { press } = await visitConsent();
    clock.advance(15 * 60_000);
    assert.equal((await press('allow')).status, 400);
  });
});
