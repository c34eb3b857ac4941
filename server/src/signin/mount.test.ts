import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { onEachEngine, type TestDatabase } from '../../test/engines.ts';
import { formWithButton, hasButton, PlainBrowser } from '../../test/plain-browser.ts';
import { seedShop, startTestService, type TestService } from '../../test/service.ts';
import { HeldClock } from '../base/clock.ts';

onEachEngine('/signin', (open) => {
  let base: TestDatabase;
  let service: TestService;
  const clock = new HeldClock(new Date());
  before(async () => {
    base = await open();
    service = await startTestService(base, { clock, environment: { RATE_LIMITS: 'default' } });
  });
  after(async () => {
    await service.close();
    await base.close();
  });

  it('signs in, tells who is signed in, and signs out', async () => {
    const { email, password } = await seedShop(base);
    const browser = new PlainBrowser(service.url);
    const form = await browser.visit(`${service.url}/signin`);
    const page = await browser.submit(form, formWithButton(form, 'Sign in'), { email, password });
    assert.equal(page.text.includes(email), true);
    const cookie = page.headers.getSetCookie();
    assert.deepEqual(cookie, []);
    const out = await browser.submit(page, formWithButton(page, 'Sign out'));
    assert.equal(hasButton(out, 'Sign in'), true);
  });

  it('a wrong password and an unknown e-mail get one and the same page, and no session', async () => {
    const { email } = await seedShop(base);
    const pages: string[] = [];
    for (const name of [email, 'nobody@nowhere.example', `${'x'.repeat(300)}@x.example`]) {
      const browser = new PlainBrowser(service.url);
      const form = await browser.visit(`${service.url}/signin`);
      const page = await browser.submit(form, formWithButton(form, 'Sign in'), {
        email: name,
        password: 'wrong',
      });
      assert.equal(page.status, 400);
      assert.equal(
        browser.cookies.some(({ name: cookie }) => cookie.includes('session')),
        false,
      );
      pages.push(page.text.replaceAll(name, '').replaceAll(/value="[^"]*"/g, ''));
    }
    assert.equal(new Set(pages).size, 1);
  });

  it('60 wrong passwords a minute for a name and address, then 429, with the right one too', async () => {
    const { email, password } = await seedShop(base);
    const other = await seedShop(base);
    const browser = new PlainBrowser(service.url);
    const form = await browser.visit(`${service.url}/signin`);
    const button = formWithButton(form, 'Sign in');
    const wrong = { email, password: 'wrong' };
    const tries = await Promise.all(
      Array.from({ length: 60 }, async () => (await browser.submit(form, button, wrong)).status),
    );
    assert.deepEqual(new Set(tries), new Set([400]));
    const blocked = await browser.submit(form, button, { email, password });
    assert.deepEqual([blocked.status, blocked.headers.get('retry-after')], [429, '60']);
    assert.equal(blocked.text.includes('60 seconds'), true);
    const another = { email: other.email, password: other.password };
    assert.equal((await browser.submit(form, button, another)).status, 200);
    clock.advance(60_000);
    const fresh = new PlainBrowser(service.url);
    const again = await fresh.visit(`${service.url}/signin`);
    const page = await fresh.submit(again, formWithButton(again, 'Sign in'), { email, password });
    assert.equal(page.text.includes(email), true);
  });

  it('goes on only to a path of its own', async () => {
    const { email, password } = await seedShop(base);
    for (const [next, path] of [
      ['/signin?next=/', '/signin'],
      ['https://evil.example/', '/signin'],
      ['//evil.example/', '/signin'],
      ['/\\evil.example', '/signin'],
      ['/livez', '/livez'],
    ] as const) {
      const browser = new PlainBrowser(service.url);
      const form = await browser.visit(`${service.url}/signin?next=${encodeURIComponent(next)}`);
      const page = await browser.submit(form, formWithButton(form, 'Sign in'), { email, password });
      assert.equal(new URL(page.url).origin, service.url);
      assert.equal(new URL(page.url).pathname, next.startsWith('/signin') ? '/' : path);
    }
  });

  it('a form without its token signs nobody in (login CSRF), nor does one with broken fields', async () => {
    const { email, password } = await seedShop(base);
    const browser = new PlainBrowser(service.url);
    const form = await browser.visit(`${service.url}/signin`);
    const button = formWithButton(form, 'Sign in');
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
});
