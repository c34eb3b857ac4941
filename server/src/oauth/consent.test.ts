import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { AppClient, signInOn } from '../../test/app-client.ts';
import { formTo, hasFormTo, PlainBrowser, SIGN_IN, CONSENT } from '../../test/plain-browser.ts';
import { seedShop, startTestService, type TestService } from '../../test/service.ts';
import { openTestDatabase, type TestDatabase } from '../../test/test-database.ts';
import { statement } from '../database/statement.ts';
import { listMigrations } from '../database/migrate.ts';
import { splitStatements } from '../database/split-statements.ts';
import { listInvitations } from '../shops/invitation.ts';
import { inviteMember } from '../shops/invite-member.ts';
import { addMember, findMember, setMember } from '../shops/member.ts';
import { OPERATOR } from '../shops/audit.ts';
import { PERMISSIONS } from '../shops/permission.ts';
import { assertSays } from '../../test/console-pages.ts';
import { signInMessages } from '../sign-in/messages.ts';
import { consentMessages, oauthErrorMessages } from './messages.ts';

const countApprovals = statement<{ readonly rows: number }>(
  'count_approvals_of_app',
  `select count(*)::int as rows from approval where client_id = $1`,
);

describe('the consent page (spec 5.3, step 3)', () => {
  let base: TestDatabase;
  let service: TestService;
  let app: AppClient;
  before(async () => {
    base = await openTestDatabase();
    service = await startTestService(base);
    app = new AppClient(service, await seedShop(base, { name: 'Kumo <Cards> & "Co"' }));
  });
  after(async () => {
    await service.close();
    await base.close();
  });

  async function approvals(client: AppClient): Promise<number> {
    return (await base.db.one(countApprovals, [client.seeded.app.clientId]))?.rows ?? -1;
  }

  it('the consent page shows app, shop, member and permissions, escaped, with a strict content security policy', async () => {
    const page = await signInOn(new PlainBrowser(service.url), app.authorizationUrl(), app.seeded);
    assert.equal(page.status, 200);
    for (const text of [
      'Stock Mirror',
      'Kumo &lt;Cards&gt; &amp; &quot;Co&quot;',
      '雲野 花',
      app.seeded.email,
      'purchase-boosts:read',
      'inventory:read',
      'offline_access',
      'openid',
      'profile',
      'https://app.example',
    ]) {
      assert.equal(page.text.includes(text), true, text);
    }
    assert.equal(page.text.includes('<Cards>'), false);
    assert.equal(page.text.includes('<script'), false);
    const policy = page.headers.get('content-security-policy') ?? '';
    assert.match(
      policy,
      /^default-src 'none'; style-src 'sha256-[^']+'; form-action 'self' https:\/\/app\.example;/,
    );
    assert.match(policy, /frame-ancestors 'none'/);
    assert.equal(page.headers.get('x-frame-options'), 'DENY');
    assert.equal(page.headers.get('referrer-policy'), 'same-origin');
    assert.equal(page.headers.get('cache-control'), 'no-store');
    assert.equal(page.text.includes('class="notice"'), false);
  });

  it('the consent page is in Japanese if the browser asks for it', async () => {
    const browser = new PlainBrowser(service.url, { 'accept-language': 'ja,en;q=0.8' });
    const first = await browser.visit(app.authorizationUrl());
    assert.match(first.text, /<html lang="ja">/);
    for (const field of ['email', 'password'] as const) {
      assert.ok(first.text.includes(`<label for="${field}">${signInMessages.ja[field]}</label>`));
    }
    const { email, password } = app.seeded;
    const page = await browser.submit(first, formTo(first, SIGN_IN), {
      email,
      password,
    });
    assert.match(page.text, /<html lang="ja">/);
    assert.equal(hasFormTo(page, CONSENT, { decision: 'deny' }), true);
    const { url } = await browser.submit(page, formTo(page, CONSENT, { decision: 'allow' }));
    assert.notEqual(new URL(url).searchParams.get('code'), null);
  });

  it('Deny returns access_denied with state and iss, and creates no approval', async () => {
    const before_ = await approvals(app);
    const browser = new PlainBrowser(service.url);
    const page = await signInOn(browser, app.authorizationUrl(), app.seeded);
    const { searchParams } = new URL(
      (await browser.submit(page, formTo(page, CONSENT, { decision: 'deny' }))).url,
    );
    assert.equal(searchParams.get('error'), 'access_denied');
    assert.equal(searchParams.get('state'), 'the state');
    assert.equal(searchParams.get('iss'), service.authUrl);
    assert.equal(searchParams.get('code'), null);
    assert.equal(await approvals(app), before_);
  });

  it('a member of another shop cannot allow, but can deny or use another account', async () => {
    const stranger = await seedShop(base);
    const browser = new PlainBrowser(service.url);
    const page = await signInOn(browser, app.authorizationUrl(), stranger);
    assert.equal(page.status, 403);
    assert.equal(hasFormTo(page, CONSENT, { decision: 'allow' }), false);
    assert.match(page.text, /role="alert"/);
    assert.match(page.text, /href="\/docs\/console\?lang=en#when-an-app-asks/);
    const denial = formTo(page, CONSENT, { decision: 'deny' });
    const before_ = await approvals(app);
    const forged = await browser.submit(page, denial, { decision: 'allow' });
    assert.equal(forged.status, 403);
    assert.equal(await approvals(app), before_);
    const signIn = await browser.submit(page, formTo(page, '/switch'));
    const { email, password } = app.seeded;
    const consent = await browser.submit(signIn, formTo(signIn, SIGN_IN), {
      email,
      password,
    });
    const { url } = await browser.submit(consent, formTo(consent, CONSENT, { decision: 'allow' }));
    assert.notEqual(new URL(url).searchParams.get('code'), null);
  });

  it('a deactivated member cannot allow, even if the page was already open', async () => {
    const client = new AppClient(service, await seedShop(base));
    const { shop, member } = client.seeded;
    const browser = new PlainBrowser(service.url);
    const page = await signInOn(browser, client.authorizationUrl(), client.seeded);
    const allow = formTo(page, CONSENT, { decision: 'allow' });
    // A member of another shop stays signed in. A deactivated member without another shop is signed
    // out (decision 0214).
    const other = await seedShop(base);
    const now = new Date();
    const set = async (shopId: string, isActive: boolean): Promise<void> =>
      await base.db.transaction(
        async (tx) =>
          void (await setMember(tx, shopId, member.account.id, { isActive }, now, OPERATOR)),
      );
    await base.db.transaction(async (tx) => {
      const person = { email: client.seeded.email, name: 'x', permissions: [], passwordHash: null };
      await addMember(tx, other.shop.id, person, now, OPERATOR);
    });
    await set(shop.id, false);
    assert.equal((await browser.submit(page, allow)).status, 403);
    assert.equal(await approvals(client), 0);
    const later = await browser.visit(client.authorizationUrl());
    assert.deepEqual(
      [later.status, hasFormTo(later, CONSENT, { decision: 'allow' })],
      [403, false],
    );
    await set(other.shop.id, false);
    const last = await browser.visit(client.authorizationUrl());
    assert.deepEqual(
      [hasFormTo(last, SIGN_IN), hasFormTo(last, CONSENT, { decision: 'allow' })],
      [true, false],
    );
    assert.equal(await approvals(client), 0);
  });

  it('a member without integrations.approve is told whom to ask, and a forged form is ignored', async () => {
    const held = ['inventory.read', 'purchases.read', 'integrations.approve'] as const;
    const client = new AppClient(service, await seedShop(base, { permissions: held }));
    const { shop, member } = client.seeded;
    const now = new Date();
    await base.db.transaction(async (tx) => {
      const person = { email: `owner@${shop.slug}.example`, name: '店長 <i>', passwordHash: 'x' };
      await addMember(tx, shop.id, { ...person, permissions: PERMISSIONS }, now, OPERATOR);
    });
    const browser = new PlainBrowser(service.url);
    const page = await signInOn(browser, client.authorizationUrl(), client.seeded);
    const allow = formTo(page, CONSENT, { decision: 'allow' });
    // The permission is revoked while the page is open.
    const change = { permissions: PERMISSIONS.filter((each) => each !== 'integrations.approve') };
    await base.db.transaction(async (tx) => {
      await setMember(tx, shop.id, member.account.id, change, now, OPERATOR);
    });
    const forged = await browser.submit(page, allow);
    const later = await browser.visit(client.authorizationUrl());
    for (const refused of [forged, later]) {
      assert.equal(refused.status, 403);
      assert.match(refused.text, /role="alert"/);
      assert.equal(hasFormTo(refused, CONSENT, { decision: 'allow' }), false);
      assert.ok(hasFormTo(refused, CONSENT, { decision: 'deny' }));
      assert.ok(refused.text.includes('店長 &lt;i&gt;'), refused.text);
    }
    assert.equal(await approvals(client), 0);
    const denied = await browser.submit(later, formTo(later, CONSENT, { decision: 'deny' }));
    assert.equal(new URL(denied.url).searchParams.get('error'), 'access_denied');
  });

  it('members and invitations from before integrations.approve existed get this permission', async () => {
    await using older = await openTestDatabase();
    const { shop, member } = await seedShop(older, { permissions: ['inventory.read'] });
    const now = new Date();
    const asked = {
      email: 'aki@x.example',
      permissions: [],
      language: 'en',
      provesAddress: true,
    } as const;
    await older.db.transaction(async (tx) => {
      await inviteMember(tx, shop.id, asked, now, OPERATOR);
    });
    const migration = listMigrations().find(({ name }) => name === 'approving_apps');
    for (const text of splitStatements(migration?.text ?? '')) await older.db.runScript(text);
    const after = await findMember(older.db, shop.id, member.account.id);
    assert.deepEqual(after?.permissions, ['inventory.read', 'integrations.approve']);
    const [invitation] = await listInvitations(older.db, shop.id, now);
    assert.deepEqual(invitation?.permissions, ['integrations.approve']);
  });

  it('the page warns before Allow if boosts are requested and purchases.read is missing', async () => {
    const client = new AppClient(
      service,
      await seedShop(base, { permissions: ['inventory.read', 'integrations.approve'] }),
    );
    const browser = new PlainBrowser(service.url);
    const page = await signInOn(browser, client.authorizationUrl(), client.seeded);
    assert.ok(page.text.includes(`class="notice" role="note">${consentMessages.en.noPurchases}<`));
    assert.equal(hasFormTo(page, CONSENT, { decision: 'allow' }), true);
    const without = await browser.visit(client.authorizationUrl({ scope: 'inventory:read' }));
    assert.equal(without.text.includes('class="notice"'), false);
  });

  it('the form creates one approval and one response even if it is sent twice', async () => {
    const client = new AppClient(service, await seedShop(base));
    const browser = new PlainBrowser(service.url);
    const page = await signInOn(browser, client.authorizationUrl(), client.seeded);
    const form = formTo(page, CONSENT, { decision: 'allow' });
    const cookie = browser.cookies.map(({ name, value }) => `${name}=${value}`).join('; ');
    const send = async (): Promise<Response> =>
      await fetch(new URL(form.action, service.url), {
        method: 'POST',
        redirect: 'manual',
        headers: { cookie },
        body: new URLSearchParams(form.fields),
      });
    const [one, two] = await Promise.all([send(), send()]);
    assert.equal(one.headers.get('location'), two.headers.get('location'));
    assert.equal(await approvals(client), 1);
  });

  it('a form without its token, with a wrong token, or from another site is ignored', async () => {
    const client = new AppClient(service, await seedShop(base));
    const browser = new PlainBrowser(service.url);
    const page = await signInOn(browser, client.authorizationUrl(), client.seeded);
    const form = formTo(page, CONSENT, { decision: 'allow' });
    for (const token of ['', 'x'.repeat(43)]) {
      const shown = await browser.submit(page, form, { form_token: token });
      assert.equal(hasFormTo(shown, CONSENT, { decision: 'allow' }), true);
    }
    const cookie = browser.cookies.map(({ name, value }) => `${name}=${value}`).join('; ');
    const foreign: readonly Readonly<Record<string, string>>[] = [
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { 'sec-fetch-site': 'cross-site' },
    ];
    for (const headers of foreign) {
      const answer = await fetch(new URL(form.action, service.url), {
        method: 'POST',
        redirect: 'manual',
        headers: { ...headers, cookie },
        body: new URLSearchParams(form.fields),
      });
      assert.match(answer.headers.get('location') ?? '', /^\/auth\/interaction\//);
    }
    assert.equal(await approvals(client), 0);
    assert.equal((await browser.submit(page, form)).url.startsWith('https://app.example/'), true);
  });

  it('the page works only in the browser that sent the request, and only until the member has decided', async () => {
    const browser = new PlainBrowser(service.url);
    const page = await signInOn(browser, app.authorizationUrl(), app.seeded);
    const stranger = await new PlainBrowser(service.url).visit(page.url);
    assert.deepEqual(
      [stranger.status, hasFormTo(stranger, CONSENT, { decision: 'allow' })],
      [400, false],
    );
    const form = formTo(page, CONSENT, { decision: 'allow' });
    await browser.submit(page, form);
    const again = await browser.submit(page, form);
    assert.equal(again.status, 400);
    assertSays(again, oauthErrorMessages.en.reasons.expired);
  });

  it('a sign-in creates a new session, so that a planted cookie is useless (session fixation)', async () => {
    const attacker = new PlainBrowser(service.url);
    await signInOn(attacker, app.authorizationUrl(), await seedShop(base));
    const planted = attacker.cookies.filter(({ name }) => name === 'cardport_session');
    assert.equal(planted.length, 1);
    const victim = new PlainBrowser(service.url);
    victim.cookies = [...planted];
    const refused = await victim.visit(app.authorizationUrl());
    const signIn = await victim.submit(refused, formTo(refused, '/switch'));
    const { email, password } = app.seeded;
    await victim.submit(signIn, formTo(signIn, SIGN_IN), { email, password });
    const session = victim.cookies.find(({ name }) => name === 'cardport_session');
    assert.notEqual(session?.value, planted[0]?.value);
    const before_ = await attacker.visit(`${service.url}/signin`);
    assert.equal(before_.text.includes(email), false);
  });
});
