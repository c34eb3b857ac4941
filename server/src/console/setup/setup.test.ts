import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { installAxe, findViolations } from '../../../test/axe.ts';
import { environmentOf, runCardportInProcess } from '../../../test/cardport-in-process.ts';
import { CHROMIUM_PATH, withChromium } from '../../../test/chromium.ts';
import { assertSays } from '../../../test/console-pages.ts';
import { digestDatabase } from '../../../test/database-digest.ts';
import { holdTransaction } from '../../../test/held-transaction.ts';
import { formTo, PlainBrowser, SIGN_IN, type VisitedPage } from '../../../test/plain-browser.ts';
import { startTestService, type TestService } from '../../../test/service.ts';
import { openTestDatabase, type TestDatabase } from '../../../test/test-database.ts';
import { waitUntil } from '../../../test/wait-until.ts';
import { ManualClock } from '../../base/clock.ts';
import { newSecret } from '../../base/secrets.ts';
import { statement } from '../../database/statement.ts';
import { findAccountByEmail } from '../../shops/account.ts';
import { listAudit } from '../../shops/audit-log.ts';
import { findMember } from '../../shops/member.ts';
import { PERMISSIONS } from '../../shops/permission.ts';
import { issueSetupCode, selectSetupCode } from '../../shops/setup-code.ts';
import { findShopSettings } from '../../shops/shop-settings.ts';
import { createShop, listShops } from '../../shops/shop.ts';
import { flashText } from '../flash.ts';
import { newPasswordMessages, refusalMessages } from '../messages.ts';
import { setupMessages } from './messages.ts';

const DAY_MS = 24 * 3_600_000;
const PASSWORD = 'a sentence that is long';
const messages = setupMessages.en;

const countWaitsForCode = statement<{ readonly count: number }>(
  'test_count_waits_for_setup_code',
  `select count(*)::int as count from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'
      and query like '%delete from setup_code%'`,
);

describe('the set-up page', () => {
  let base: TestDatabase;
  let clock: ManualClock;
  let service: TestService;
  let code: string;
  beforeEach(async () => {
    base = await openTestDatabase();
    clock = new ManualClock(new Date());
    service = await startTestService(base, { clock, environment: { RATE_LIMITS: 'failures=2' } });
    code = await issue();
  });
  afterEach(async () => {
    await service.close();
    await base.close();
  });

  async function issue(): Promise<string> {
    const issued = await issueSetupCode(base.db, clock.now());
    if (issued.kind !== 'issued') throw new Error(issued.kind);
    return issued.code;
  }

  const at = (path: string): string => `${service.publicUrl}${path}`;
  const plain = (headers: Readonly<Record<string, string>> = {}): PlainBrowser =>
    new PlainBrowser(service.publicUrl, { 'accept-language': 'en', ...headers });
  const values = (): Readonly<Record<string, string>> => ({
    code,
    shopName: 'Kumo Cards',
    timezone: 'Asia/Tokyo',
    ownerName: 'Hana Sato',
    email: 'boss@kumo.example',
    language: 'ja',
    new: PASSWORD,
    again: PASSWORD,
  });
  const send = async (
    fields: Readonly<Record<string, string>> = {},
    browser = plain(),
  ): Promise<VisitedPage> => {
    const page = await browser.visit(at('/console/setup'));
    return await browser.submit(page, formTo(page, '/console/setup'), { ...values(), ...fields });
  };

  it('the set-up page is linked from the console and the sign-in page, and creates a shop with a signed-in owner', async () => {
    const browser = plain();
    for (const path of ['/console', '/signin', '/signin?next=%2Fconsole%2Faccount']) {
      const led = await browser.visit(at(path));
      assert.equal(new URL(led.url).pathname, '/console/setup', path);
      assert.equal(led.status, 200);
    }
    const done = await send({ code: ` ${code} ` }, browser);
    assert.equal(new URL(done.url).pathname, '/console/shops/kumo-cards');
    assertSays(done, flashText('set_up', 'ja'), 'Kumo Cards');
    const [shop, ...others] = await listShops(base.db);
    assert.ok(shop !== undefined);
    assert.deepEqual(others, []);
    const { timezone, currency } = (await findShopSettings(base.db, shop.id)) ?? {};
    assert.deepEqual([timezone, currency], ['Asia/Tokyo', 'JPY']);
    const account = await findAccountByEmail(base.db, 'boss@kumo.example');
    assert.deepEqual([account?.name, account?.language], ['Hana Sato', 'ja']);
    const member = await findMember(base.db, shop.id, account?.id ?? '');
    assert.deepEqual(member?.permissions, PERMISSIONS);
    const audit = await listAudit(base.db, shop.id, { before: null, limit: 10 });
    assert.deepEqual(audit.map(({ action, actor }) => [action, actor.kind]).toReversed(), [
      ['shop.set_up', 'operator'],
      ['shop.changed', 'operator'],
      ['member.added', 'operator'],
    ]);
    const other = plain();
    const signIn = await other.visit(at('/signin'));
    const signedIn = await other.submit(signIn, formTo(signIn, SIGN_IN), {
      email: 'boss@kumo.example',
      password: PASSWORD,
    });
    assert.equal(new URL(signedIn.url).pathname, '/console/shops/kumo-cards');
  });

  it('the set-up page is 404 once it has been used, even for a form that was opened before', async () => {
    const early = plain();
    const open = await early.visit(at('/console/setup'));
    await send();
    const before = await digestDatabase(base.db);
    const late = await early.submit(open, formTo(open, '/console/setup'), {
      ...values(),
      shopName: 'Second',
      email: 'second@kumo.example',
    });
    for (const page of [late, await plain().visit(at('/console/setup'))]) {
      assert.equal(page.status, 404);
      assertSays(page, refusalMessages.en.notFound);
    }
    assert.deepEqual(await issueSetupCode(base.db, clock.now()), { kind: 'closed' });
    assert.deepEqual(await digestDatabase(base.db), before);
  });

  it('the set-up page rejects wrong, missing, replaced and expired codes with the same error, and changes nothing', async () => {
    const before = await listShops(base.db);
    for (const wrong of ['', 'x', code.slice(0, -1), `${code}a`, newSecret('cpo'), "' or 1=1 --"]) {
      const page = await send({ code: wrong });
      assert.equal(page.status, 422, wrong);
      assertSays(page, messages.wrongCode);
    }
    clock.advance(DAY_MS - 1);
    assert.equal((await issueSetupCode(base.db, clock.now())).kind, 'valid');
    clock.advance(1);
    const expired = await send();
    assert.equal(expired.status, 422);
    assertSays(expired, messages.wrongCode);
    const old = code;
    code = await issue();
    assert.notEqual(code, old);
    assertSays(await send({ code: old }), messages.wrongCode);
    assert.deepEqual(await listShops(base.db), before);
    assert.equal(await findAccountByEmail(base.db, 'boss@kumo.example'), undefined);
    const done = await send();
    assertSays(done, flashText('set_up', 'ja'));
  });

  it('the set-up page shows each error beneath its field, and keeps the code', async () => {
    const { faults } = newPasswordMessages.en;
    for (const [wrong, sentence] of [
      [{ shopName: ' ' }, messages.badName],
      [{ shopName: 'a\u2028b' }, messages.badName],
      [{ shopName: 'x'.repeat(201) }, messages.badName],
      [{ slug: 'Kumo Cards' }, messages.badSlug],
      [{ slug: 'kumo--cards' }, messages.badSlug],
      [{ slug: 'x'.repeat(64) }, messages.badSlug],
      [{ timezone: 'Mars/Base' }, messages.noTimezone],
      [{ timezone: '+09:00' }, messages.noTimezone],
      [{ ownerName: '' }, messages.badName],
      [{ ownerName: 'a\u202eb' }, messages.badName],
      [{ email: 'nobody' }, messages.noEmail],
      [{ email: `${'x'.repeat(250)}@a.example` }, messages.noEmail],
      [{ language: 'fr' }, messages.noLanguage],
      [{ new: 'short', again: 'short' }, faults.too_short],
      [{ new: 'hana sato', again: 'hana sato' }, faults.personal],
      [{ again: 'another sentence' }, faults.different],
    ] as const) {
      const page = await send(wrong);
      assert.equal(page.status, 422, JSON.stringify(wrong));
      assertSays(page, sentence);
      const { fields } = formTo(page, '/console/setup');
      assert.deepEqual([fields['code'], fields['new']], [code, '']);
    }
    assert.deepEqual(await listShops(base.db), []);
    const done = await send({ timezone: '', shopName: '雲カード', email: ' Boss@Kumo.example ' });
    assert.equal(new URL(done.url).pathname, '/console/shops/shop');
    const [shop] = await listShops(base.db);
    const settings = await findShopSettings(base.db, shop?.id ?? '');
    assert.deepEqual([settings?.name, settings?.timezone], ['雲カード', null]);
    assert.ok((await findAccountByEmail(base.db, 'boss@kumo.example')) !== undefined);
  });

  it('the set-up page escapes typed values, and stores them unchanged', async () => {
    const hostile = `"><script>alert('&amp;')</script>`;
    const typed = { shopName: hostile, ownerName: hostile };
    const all = { ...typed, timezone: hostile, email: hostile, language: hostile, code: hostile };
    for (const fields of [all, { ...all, code }]) {
      const page = await send(fields);
      assert.equal(page.status, 422);
      assert.equal(page.text.includes('<script>alert'), false);
      assert.equal(formTo(page, '/console/setup').fields['shopName'], hostile);
    }
    const done = await send({ ...typed, slug: 'my-shop' });
    assert.equal(done.status, 200);
    assert.equal(new URL(done.url).pathname, '/console/shops/my-shop');
    assert.equal(done.text.includes('<script>alert'), false);
    assert.deepEqual(
      (await listShops(base.db)).map(({ name, slug }) => [name, slug]),
      [[hostile, 'my-shop']],
    );
  });

  it('the set-up page rejects forms from another site or browser, and forms without a token', async () => {
    const page = await plain().visit(at('/console/setup'));
    const form = formTo(page, '/console/setup');
    const own = plain();
    await own.visit(at('/console/setup'));
    const foreign = plain({ 'sec-fetch-site': 'cross-site' });
    const shown = await foreign.visit(at('/console/setup'));
    for (const answer of [
      await own.submit(page, form, values()),
      await plain().submit(page, form, values()),
      await foreign.submit(shown, formTo(shown, '/console/setup'), values()),
      await own.submit(page, { ...form, fields: {} }, values()),
    ]) {
      assert.equal(answer.status, 403);
      assertSays(answer, messages.stale);
    }
    assert.deepEqual(await listShops(base.db), []);
    assert.equal((await base.db.query(selectSetupCode)).length, 1);
  });

  it('wrong set-up codes from a network are limited like failed sign-ins, and correct codes are not counted', async () => {
    for (let tries = 0; tries < 12; tries++) {
      assert.equal((await send({ shopName: '' })).status, 422, 'the code is correct');
    }
    // `failures=2` allows 10 attempts for an address.
    for (let tries = 0; tries < 10; tries++) assert.equal((await send({ code: 'x' })).status, 422);
    const blocked = await send();
    assert.equal(blocked.status, 429);
    assert.equal(blocked.headers.get('retry-after'), '60');
    assertSays(blocked, messages.throttledText(60));
    assert.deepEqual(await listShops(base.db), []);
    clock.advance(60_000);
    assertSays(await send(), flashText('set_up', 'ja'));
  });

  it('only one shop is created if several forms are sent to two nodes at the same time', async () => {
    await using second = await startTestService(base, { clock });
    const attempts = ['a', 'b', 'c', 'd'].map(async (name, index) => {
      const origin = index % 2 === 0 ? service.publicUrl : second.publicUrl;
      const browser = new PlainBrowser(origin, { 'accept-language': 'en' });
      const page = await browser.visit(`${origin}/console/setup`);
      const typed = { ...values(), shopName: name, email: `${name}@kumo.example` };
      return await browser.submit(page, formTo(page, '/console/setup'), typed);
    });
    const statuses = (await Promise.all(attempts)).map(({ status }) => status);
    assert.deepEqual(
      statuses.toSorted((a, b) => a - b),
      [200, 404, 404, 404],
    );
    assert.equal((await listShops(base.db)).length, 1);
    assert.equal((await base.db.query(selectSetupCode)).length, 0);
  });

  it('the set-up page waits for a transaction that creates a shop, and is then 404', async () => {
    const values = { name: 'By command', slug: 'command', currency: 'JPY' };
    const held = holdTransaction(base.db, async (tx) => await createShop(tx, values, clock.now()));
    await held.begun;
    const sent = send();
    await waitUntil(async () => (await base.db.one(countWaitsForCode))?.count === 1);
    held.release();
    await held.done;
    assert.equal((await sent).status, 404);
    assert.deepEqual(
      (await listShops(base.db)).map(({ slug }) => slug),
      ['command'],
    );
  });

  it('the set-up page is 404 after `cardport shop add`', async () => {
    const add = ['shop', 'add', '--name', 'Kumo', '--slug', 'kumo'];
    const made = await runCardportInProcess(add, { environment: environmentOf(base) });
    assert.equal(made.code, 0, made.stderr);
    assert.equal((await plain().visit(at('/console/setup'))).status, 404);
    assert.equal(new URL((await plain().visit(at('/signin'))).url).pathname, '/signin');
    assert.equal((await base.db.query(selectSetupCode)).length, 0);
  });

  it(
    'the set-up page is accessible at 320 px in both languages, and works without scripts',
    { skip: CHROMIUM_PATH === undefined },
    async () => {
      for (const locale of ['en-GB', 'ja-JP'] as const) {
        await withChromium({ locale, width: 320 }, async (context) => {
          await installAxe(context);
          const page = await context.newPage();
          await page.goto(at('/console/setup'));
          const text = setupMessages[locale === 'ja-JP' ? 'ja' : 'en'].intro;
          for (const step of ['empty', 'refused']) {
            assert.ok((await page.innerText('main')).includes(text), `${locale} ${step}`);
            const wide: number = await page.evaluate('document.documentElement.scrollWidth');
            assert.ok(wide <= 320, `${locale} ${step}: ${wide} px`);
            assert.deepEqual(await findViolations(page, 'all'), [], `${locale} ${step}`);
            if (step === 'empty') {
              for (const [name, value] of Object.entries({ ...values(), code: 'x' })) {
                const field = page.locator(`[name="${name}"]`);
                if (name === 'language') await field.selectOption(value);
                else await field.fill(value);
              }
              await page.locator('form button[type=submit]').click();
            }
          }
        });
      }
      await withChromium({ locale: 'ja-JP', width: 320, hasScripts: false }, async (context) => {
        const page = await context.newPage();
        await page.goto(at('/console'));
        assert.equal(await page.locator('[name="language"]').inputValue(), 'ja');
        for (const [name, value] of Object.entries(values())) {
          if (name !== 'language') await page.locator(`[name="${name}"]`).fill(value);
        }
        await page.locator('form button[type=submit]').click();
        await page.waitForURL('**/console/shops/kumo-cards');
      });
    },
  );
});
