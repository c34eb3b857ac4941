import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { after, before, describe, it } from 'node:test';
import {
  formTo,
  hasFormTo,
  PlainBrowser,
  type VisitedPage,
  SIGN_IN,
} from '../../test/plain-browser.ts';
import { seedShop, startTestService, type TestService } from '../../test/service.ts';
import { openTestDatabase, type TestDatabase } from '../../test/test-database.ts';
import { ManualClock } from '../base/clock.ts';
import { setAccountLanguage } from '../shops/account.ts';
import { signInMessages } from './messages.ts';

describe('/signin', () => {
  let base: TestDatabase;
  let service: TestService;
  const clock = new ManualClock(new Date());
  before(async () => {
    base = await openTestDatabase();
    service = await startTestService(base, { clock, environment: { RATE_LIMITS: 'default' } });
  });
  after(async () => {
    await service.close();
    await base.close();
  });

  it('a person can sign in, see who is signed in, and sign out', async () => {
    const { email, password } = await seedShop(base);
    const browser = new PlainBrowser(service.url);
    const form = await browser.visit(`${service.url}/signin`);
    const inside = await browser.submit(form, formTo(form, SIGN_IN), { email, password });
    assert.equal(isConsole(inside), true);
    const page = await browser.visit(`${service.url}/signin`);
    assert.equal(page.text.includes(email), true);
    assert.match(page.text, /<a href="\/console">/);
    const cookie = page.headers.getSetCookie();
    assert.deepEqual(cookie, []);
    const out = await browser.submit(page, formTo(page, '/signin/out'));
    assert.equal(hasFormTo(out, SIGN_IN), true);
  });

  it('a wrong password and an unknown email address get the same page and no session', async () => {
    const { email } = await seedShop(base);
    const pages: string[] = [];
    for (const name of [email, 'nobody@nowhere.example', `${'x'.repeat(300)}@x.example`]) {
      const browser = new PlainBrowser(service.url);
      const form = await browser.visit(`${service.url}/signin`);
      const page = await browser.submit(form, formTo(form, SIGN_IN), {
        email: name,
        password: 'wrong',
      });
      assert.equal(page.status, 400);
      if (name === email) assert.match(page.text, /id="password"[^>]*\sautofocus/);
      assert.equal(
        browser.cookies.some(({ name: cookie }) => cookie.includes('session')),
        false,
      );
      pages.push(page.text.replaceAll(name, '').replaceAll(/value="[^"]*"/g, ''));
    }
    assert.equal(new Set(pages).size, 1);
  });

  it('60 wrong passwords a minute are allowed per name and address, then even the right password gets 429', async () => {
    const { email, password } = await seedShop(base);
    const other = await seedShop(base);
    const browser = new PlainBrowser(service.url);
    const form = await browser.visit(`${service.url}/signin`);
    const button = formTo(form, SIGN_IN);
    const wrong = { email, password: 'wrong' };
    const tries = await Promise.all(
      Array.from({ length: 60 }, async () => (await browser.submit(form, button, wrong)).status),
    );
    assert.deepEqual(new Set(tries), new Set([400]));
    const blocked = await browser.submit(form, button, { email, password });
    assert.deepEqual([blocked.status, blocked.headers.get('retry-after')], [429, '60']);
    assert.equal(blocked.text.includes(signInMessages.en.throttled(60)), true);
    const another = { email: other.email, password: other.password };
    assert.equal((await browser.submit(form, button, another)).status, 200);
    // After 90 s, the account's budget allows one more attempt.
    clock.advance(90_000);
    const fresh = new PlainBrowser(service.url);
    const again = await fresh.visit(`${service.url}/signin`);
    const page = await fresh.submit(again, formTo(again, SIGN_IN), { email, password });
    assert.equal(isConsole(page), true);
  });

  it('all spellings of a name are counted together: spaces, case, letters that a database folds', async () => {
    // Six attempts need only a tenth of the hashes that sixty attempts would need.
    await using one = await startTestService(base, {
      clock,
      environment: { RATE_LIMITS: 'failures=6' },
    });
    const { email, password } = await seedShop(base, { email: 'i@spelled.example' });
    const browser = new PlainBrowser(one.url);
    const form = await browser.visit(`${one.url}/signin`);
    const button = formTo(form, SIGN_IN);
    const attempt = async (name: string, secret: string): Promise<number> =>
      (await browser.submit(form, button, { email: name, password: secret })).status;
    // This is a different address for the service, even if the database's `lower()` maps both to
    // the same text.
    assert.equal(await attempt('İ@spelled.example', password), 400);
    for (let count = 0; count < 6; count++) {
      const spelled = count % 2 === 0 ? `${' '.repeat(count)}${email} ` : email.toUpperCase();
      assert.equal(await attempt(spelled, 'wrong'), 400);
    }
    for (const name of [email, `${' '.repeat(254)}${email}`, 'I@SPELLED.example']) {
      assert.equal(await attempt(name, password), 429, name);
    }
    clock.advance(60_000);
    for (const name of [`${' '.repeat(254)}${email}`, ' I@SPELLED.example ']) {
      assert.equal(isConsole(await signInAs(one, name, password)), true);
    }
  });

  it('five times as many wrong passwords are allowed per address for all names, then 429', async () => {
    await using one = await startTestService(base, {
      clock,
      environment: { RATE_LIMITS: 'failures=2' },
    });
    const { email, password } = await seedShop(base);
    const browser = new PlainBrowser(one.url);
    const form = await browser.visit(`${one.url}/signin`);
    const button = formTo(form, SIGN_IN);
    clock.advance(60_000);
    // `failures=2` allows 2 attempts for a name and 10 for an address.
    for (let count = 0; count < 10; count++) {
      const guess = { email: `p${count}@spray.example`, password };
      assert.equal((await browser.submit(form, button, guess)).status, 400);
    }
    const blocked = await browser.submit(form, button, { email, password });
    assert.deepEqual([blocked.status, blocked.headers.get('retry-after')], [429, '60']);
    clock.advance(60_000);
    // Repeated attempts for one blocked name do not block other names, and successful sign-ins are
    // not counted.
    const wrong = { email: 'p0@spray.example', password: 'wrong' };
    for (let count = 0; count < 12; count++) await browser.submit(form, button, wrong);
    for (let count = 0; count < 12; count++) {
      assert.equal((await browser.submit(form, button, { email, password })).status, 200);
    }
  });

  it('at most 66 of 200 concurrent requests are admitted, and the others get 503 immediately', async () => {
    await using free = await startTestService(base, { clock });
    const form = await new PlainBrowser(free.url).visit(`${free.url}/signin`);
    const cookie = form.headers.getSetCookie()[0]?.split(';')[0] ?? '';
    const { fields } = formTo(form, SIGN_IN);
    const answers = await Promise.all(
      Array.from({ length: 200 }, async (_, index) => {
        const body = new URLSearchParams({
          ...fields,
          email: `q${index}@x.example`,
          password: 'x',
        });
        return await fetch(`${free.url}/signin`, { method: 'POST', headers: { cookie }, body });
      }),
    );
    const busy = answers.filter(({ status }) => status === 503);
    assert.ok(busy.every(({ headers }) => headers.get('retry-after') === '2'));
    assert.equal(answers.filter(({ status }) => status === 400).length, 200 - busy.length);
    // Some places become free while the first passwords are checked, but far fewer than there are
    // requests.
    assert.ok(busy.length >= 60, `${busy.length} were refused`);
  });

  it('requests of disconnected browsers leave the queue', async () => {
    await using free = await startTestService(base, { clock });
    const { email, password } = await seedShop(base);
    const browser = new PlainBrowser(free.url);
    const form = await browser.visit(`${free.url}/signin`);
    const cookie = browser.cookies.map(({ name, value }) => `${name}=${value}`).join('; ');
    const button = formTo(form, SIGN_IN);
    const headers = { cookie, 'content-type': 'application/x-www-form-urlencoded' };
    const leaving = Array.from({ length: 66 }, (_, index) => {
      const body = new URLSearchParams({
        ...button.fields,
        email: `g${index}@x.example`,
        password,
      });
      const sent = httpRequest(`${free.url}/signin`, { method: 'POST', headers, agent: false });
      sent.on('error', () => undefined);
      return sent.end(body.toString());
    });
    // Once the first response arrives, the other requests are waiting.
    await Promise.race(leaving.map(async (sent) => await once(sent, 'response')));
    for (const sent of leaving) sent.destroy();
    const page = await browser.submit(form, button, { email, password });
    assert.equal(isConsole(page), true);
  });

  async function signInAs(
    { url }: TestService,
    email: string,
    password: string,
  ): Promise<VisitedPage> {
    const browser = new PlainBrowser(url);
    const form = await browser.visit(`${url}/signin`);
    return await browser.submit(form, formTo(form, SIGN_IN), { email, password });
  }

  it('pages are in the account’s language after the sign-in', async () => {
    const { email, password, member } = await seedShop(base);
    await setAccountLanguage(base.db, member.account.id, 'ja');
    const browser = new PlainBrowser(service.url, { 'accept-language': 'en' });
    const form = await browser.visit(`${service.url}/signin`);
    assert.match(form.text, /<html lang="en">/);
    await browser.submit(form, formTo(form, SIGN_IN), { email, password });
    const page = await browser.visit(`${service.url}/signin`);
    const out = await browser.submit(page, formTo(page, '/signin/out'));
    for (const { text } of [page, out]) assert.match(text, /<html lang="ja">/);
    assert.equal(hasFormTo(out, SIGN_IN), true);
  });

  it('the sign-in redirects only to paths of the service', async () => {
    const { email, password } = await seedShop(base);
    for (const [next, path] of [
      ['/signin?next=/', '/'],
      ['https://evil.example/', '/console/'],
      ['//evil.example/', '/console/'],
      ['/\\evil.example', '/console/'],
      ['/livez', '/livez'],
    ] as const) {
      const browser = new PlainBrowser(service.url);
      const form = await browser.visit(`${service.url}/signin?next=${encodeURIComponent(next)}`);
      const page = await browser.submit(form, formTo(form, SIGN_IN), { email, password });
      assert.equal(new URL(page.url).origin, service.url);
      // `/console` redirects to the person's only shop.
      const { pathname } = new URL(page.url);
      assert.equal(path === '/console/' ? pathname.startsWith(path) : pathname === path, true);
    }
  });

  it('no passkeys are offered at an IP address, where browsers do not support them', async () => {
    await using plain = await startTestService(base, { clock });
    const page = await new PlainBrowser(plain.url).visit(`${plain.url}/signin`);
    assert.equal(hasFormTo(page, '/signin/passkey'), false);
    assert.equal(page.text.includes('<script'), false);
  });

  it('a form without its token (login CSRF) or with malformed fields does not sign in', async () => {
    const { email, password } = await seedShop(base);
    const browser = new PlainBrowser(service.url);
    const form = await browser.visit(`${service.url}/signin`);
    const button = formTo(form, SIGN_IN);
    const forged = await browser.submit(form, button, { email, password, form_token: 'x' });
    assert.equal(forged.status, 403);
    const nul = await browser.submit(form, button, { email: 'a\0b', password });
    assert.equal(nul.status, 403);
    const large = await browser.submit(form, button, { email, password: 'x'.repeat(17_000) });
    assert.equal(large.status, 413);
    assert.match(large.headers.get('content-type') ?? '', /^text\/html/);
    assert.equal(
      browser.cookies.some(({ name }) => name.includes('session')),
      false,
    );
  });

  it('failed passkeys are counted like wrong passwords of their network: 300, then 429', async () => {
    clock.advance(60_000);
    const one = await startTestService(base, {
      clock,
      environment: { RATE_LIMITS: 'failures=2', PUBLIC_URL: 'http://localhost:9' },
    });
    const browser = new PlainBrowser(one.url);
    const page = await browser.visit(`${one.url}/signin`);
    const form = formTo(page, '/passkey');
    const statuses: number[] = [];
    for (let count = 0; count < 11; count++) {
      statuses.push((await browser.submit(page, form, { credential: '{}' })).status);
    }
    assert.deepEqual(statuses, [...Array.from({ length: 10 }, () => 400), 429]);
    await one.close();
  });

  it('passkeys are requested only by the service’s page, under a policy that allows no other script', async () => {
    const one = await startTestService(base, {
      clock,
      environment: { PUBLIC_URL: 'http://localhost:9' },
    });
    const browser = new PlainBrowser(one.url);
    const page = await browser.visit(`${one.url}/signin`);
    const policy = page.headers.get('content-security-policy') ?? '';
    assert.match(policy, /script-src 'self'; connect-src 'self'; form-action 'self'/);
    const form = formTo(page, '/passkey');
    const fields = { form_token: 'x' };
    assert.equal((await browser.submit(page, form, fields)).status, 403);
    const options = { ...form, action: '/signin/passkey/options' };
    assert.equal((await browser.submit(page, options, fields)).status, 403);
    const script = /<script type="module" src="([^"]+)"/.exec(page.text)?.[1] ?? '';
    const sent = await browser.visit(new URL(script, one.url).href);
    assert.match(sent.headers.get('content-type') ?? '', /^text\/javascript/);
    await one.close();
  });
});

/** Returns true if the page is the destination of a sign-in without `next`. */
function isConsole({ status, url }: VisitedPage): boolean {
  return status === 200 && new URL(url).pathname.startsWith('/console');
}
