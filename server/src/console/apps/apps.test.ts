import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import {
  assertSays,
  formToken,
  openConsole,
  readText,
  says,
  type ConsolePages,
} from '../../../test/console-pages.ts';
import { formTo, type VisitedPage } from '../../../test/plain-browser.ts';
import {
  seedShop,
  type SeededShop,
  startTestService,
  type TestService,
} from '../../../test/service.ts';
import { openTestDatabase, type TestDatabase } from '../../../test/test-database.ts';
import { findApp, findAppWithSecrets, registerApp } from '../../apps/app.ts';
import { openLog } from '../../base/log.ts';
import { hashSecret } from '../../base/secrets.ts';
import { listAudit } from '../../shops/audit-log.ts';
import { OPERATOR } from '../../shops/audit.ts';
import { listShopKeys } from '../../shops/shop-key.ts';
import { flashText } from '../flash.ts';
import { formMessages } from '../parts/form/messages.ts';
import { scopeMessages } from '../parts/messages/apps.ts';
import { appListMessages } from './messages/app.ts';
import { appFormMessages, redirectUriMessages } from './messages/form.ts';
import { secretMessages, shownOnceMessages } from './messages/key.ts';

const NEW_APP = {
  name: 'Price <b>board</b>',
  contactEmail: 'developer@app.example',
  redirectUris: ' https://app.example/callback \r\n\r\nhttp://localhost:8090/callback',
  'scopes.inventory:read': 'on',
  'scopes.offline_access': 'on',
  sharesCost: 'on',
};

describe('the pages of a shop’s apps', () => {
  const lines: string[] = [];
  const log = openLog({ level: 'info', write: (text) => lines.push(text) });
  let base: TestDatabase;
  let service: TestService;
  let seeded: SeededShop;
  let pages: ConsolePages;
  before(async () => {
    base = await openTestDatabase();
    service = await startTestService(base, { log });
    seeded = await seedShop(base);
    pages = await openConsole(service, base.db, seeded);
  });
  after(async () => {
    await service.close();
    await base.close();
  });

  const register = async (
    fields: Readonly<Record<string, string>> = NEW_APP,
  ): Promise<VisitedPage> => await pages.post(await pages.open('/apps/new'), '/apps/new', fields);
  const clientIdOf = (page: VisitedPage): string =>
    /app_[A-Za-z0-9]{43}/.exec(page.url)?.[0] ?? assert.fail(page.url);
  const secretOf = (page: VisitedPage): string =>
    /cps_[A-Za-z0-9]{43}/.exec(page.text)?.[0] ?? assert.fail(page.text);
  const audit = async (): Promise<string> =>
    JSON.stringify(await listAudit(base.db, seeded.shop.id, { before: null, limit: 50 }));

  it('a page registers an app, and shows its secret once with everything that a developer needs', async () => {
    const page = await register();
    const clientId = clientIdOf(page);
    const secret = secretOf(page);
    assert.equal(page.url, pages.at(`/apps/${clientId}/secret`));
    assert.equal(page.headers.get('cache-control'), 'no-store');
    for (const line of [
      `CARDPORT_URL=${service.publicUrl}/partner/v1`,
      `AUTHORIZATION_URL=${service.publicUrl}/auth/oauth2/authorize`,
      `TOKEN_URL=${service.publicUrl}/auth/oauth2/token`,
      `CLIENT_ID=${clientId}`,
      `CLIENT_SECRET=${secret}`,
    ]) {
      assert.ok(readText(page).includes(line), line);
    }
    const app = await findAppWithSecrets(base.db, clientId);
    assert.deepEqual(app?.secretHashes, [hashSecret(secret)]);
    assert.equal(app.name, NEW_APP.name);
    assert.deepEqual(app.redirectUris, [
      'https://app.example/callback',
      'http://localhost:8090/callback',
    ]);
    assert.deepEqual(new Set(app.scopes), new Set(['inventory:read', 'offline_access']));
    assert.equal(app.sharesCost, true);
    assert.ok(!page.text.includes('<b>board</b>'));
  });

  it('the secret is not shown again on any page, in the audit log or in the service’s log', async () => {
    const page = await register();
    const secret = secretOf(page);
    const again = await pages.browser.visit(page.url);
    assert.equal(again.status, 200);
    assertSays(again, shownOnceMessages.en.gone);
    const everywhere = [again.text, (await pages.open(`/apps/${clientIdOf(page)}`)).text];
    everywhere.push((await pages.open('/apps')).text, await audit());
    log.flush();
    everywhere.push(lines.join('\n'));
    for (const text of everywhere) assert.ok(!text.includes(secret));
    assert.ok(lines.join('\n').includes('/secret'), 'the request is in the log');
    assert.match(await audit(), /app\.registered/);
  });

  it('the secret is carried in a cookie that is encrypted for one page and session', async () => {
    const form = await pages.open('/apps/new');
    const sent = await fetch(pages.at('/apps/new'), {
      method: 'POST',
      redirect: 'manual',
      headers: { cookie: cookieOf(pages) },
      body: new URLSearchParams({ ...NEW_APP, form_token: formToken(form) }),
    });
    const line = sent.headers.getSetCookie().find((each) => each.startsWith('cardport_once='));
    const path = new URL(sent.headers.get('location') ?? '', service.publicUrl).pathname;
    assert.match(line ?? '', new RegExp(`; Path=${path}; Max-Age=120; HttpOnly; SameSite=Strict$`));
    const [cookie = ''] = (line ?? '').split(';');
    assert.ok(!Buffer.from(cookie.slice(14), 'base64url').toString('latin1').includes('cps_'));
    // The cookie shows nothing in another session of the same person, nor on the page of another
    // app.
    const other = await openConsole(service, base.db, seeded);
    const elsewhere = clientIdOf(await register());
    for (const [browser, address] of [
      [other, `${service.publicUrl}${path}`],
      [pages, pages.at(`/apps/${elsewhere}/secret`)],
    ] as const) {
      const answer = await fetch(address, {
        headers: { cookie: `${cookieOf(browser)}; ${cookie}` },
      });
      assert.equal(answer.status, 200);
      assert.ok(!/cps_[A-Za-z0-9]{43}/.test(await answer.text()), address);
    }
  });

  it('an invalid app is rejected with the reason in both languages, and the typed values are kept', async () => {
    const before = await pages.open('/apps');
    const wrong = {
      name: ' ',
      contactEmail: 'nobody',
      redirectUris: 'https://app.example/cb\nhttp://app.example/cb\nhttps://app.example/cb',
      'scopes.offline_access': 'on',
    };
    const page = await register(wrong);
    assert.equal(page.status, 422);
    const uris = redirectUriMessages.en;
    assertSays(
      page,
      uris.line(2, 'http://app.example/cb', uris.faults.not_https),
      uris.line(3, 'https://app.example/cb', uris.twice),
      appFormMessages.en.badName,
      appFormMessages.en.emailFault,
      appFormMessages.en.scopesFault,
    );
    assert.ok(page.text.includes('value="nobody"'));
    assertSays(await register({ ...wrong, name: 'PayPal\u200b' }), appFormMessages.en.badName);
    assert.ok(page.text.includes('http://app.example/cb\n'));
    const japanese = await openConsole(service, base.db, seeded, { language: 'ja' });
    const form = await japanese.open('/apps/new');
    const told = await japanese.post(form, '/apps/new', wrong);
    const { line, faults } = redirectUriMessages.ja;
    assertSays(told, line(2, 'http://app.example/cb', faults.not_https));
    const unchanged = await pages.open('/apps');
    assert.equal(countApps(unchanged), countApps(before));
  });

  it('redirect URIs are checked while a member types them', async () => {
    const form = await pages.open('/apps/new');
    const check = async (redirectUris: string, clientId = ''): Promise<VisitedPage> =>
      await pages.browser.submit(form, {
        action: new URL(pages.at('/apps/redirect-uris')).pathname,
        fields: { redirectUris, client_id: clientId, form_token: formToken(form) },
      });
    assertSays(await check('https://a.example/cb'), redirectUriMessages.en.good(1));
    const wrong = await check('https://a.example/x/../cb');
    assertSays(wrong, redirectUriMessages.en.elsewhere('https://a.example/cb'));
    const evil = await check('<img src=x>');
    assert.ok(!evil.text.includes('<img'));
    const nothing = await check('');
    assert.equal(says(nothing, redirectUriMessages.en.good(0)), false);
    assert.equal(says(nothing, redirectUriMessages.en.none), false);
  });

  it('an app can be changed, and nothing is saved if no value differs', async () => {
    const clientId = clientIdOf(await register());
    const path = `/apps/${clientId}/edit`;
    const same = await pages.post(await pages.open(path), path, NEW_APP);
    assertSays(same, flashText('unchanged', 'en'));
    const { sharesCost: _, ...rest } = NEW_APP;
    const fields = { ...rest, name: 'Board 2', redirectUris: 'https://other.example/cb' };
    const saved = await pages.post(await pages.open(path), path, fields);
    assert.equal(saved.url, pages.at(`/apps/${clientId}`));
    assertSays(saved, flashText('saved', 'en'));
    const app = await findApp(base.db, clientId);
    assert.deepEqual(
      [app?.name, app?.redirectUris, app?.sharesCost],
      ['Board 2', ['https://other.example/cb'], false],
    );
    const refused = await pages.post(await pages.open(path), path, { ...fields, name: '' });
    assert.equal(refused.status, 422);
    assert.equal((await findApp(base.db, clientId))?.name, 'Board 2');
    // Use the maximum number of addresses and their maximum length: the form contains each twice.
    const addresses = Array.from(
      { length: 20 },
      (_, at) => `https://a.example/${at}${'x'.repeat(2_000)}`,
    );
    const long = { ...fields, redirectUris: addresses.join('\n') };
    await pages.post(await pages.open(path), path, long);
    const form = await pages.open(path);
    const again = await pages.browser.submit(form, formTo(form, path), { name: 'Long' });
    assertSays(again, flashText('saved', 'en'));
  });

  it('a form shows both values if another member has changed the app, and lets the member decide', async () => {
    const clientId = clientIdOf(await register());
    const path = `/apps/${clientId}/edit`;
    const wide = { ...NEW_APP, 'scopes.purchase-boosts:read': 'on' };
    await pages.post(await pages.open(path), path, wide);
    const older = await pages.open(path);
    // Another owner removes a scope, an address and the access to costs, and renames the app.
    const { sharesCost: _, 'scopes.offline_access': __, ...narrow } = NEW_APP;
    const taken = { ...narrow, name: 'Board 2', redirectUris: 'https://app.example/callback' };
    await pages.post(await pages.open(path), path, taken);
    const mine = { ...wide, 'scopes.openid': 'on', name: 'Board 3' };
    const stale = await pages.post(older, path, mine);
    assert.equal(stale.status, 409);
    const nameOf = (scope: keyof typeof scopeMessages.en): string => scopeMessages.en[scope].name;
    const was = [
      nameOf('inventory:read'),
      nameOf('purchase-boosts:read'),
      nameOf('offline_access'),
    ];
    const { name, scopes } = appFormMessages.en;
    assertSays(
      stale,
      formMessages.en.overtaken,
      formMessages.en.now(name, 'Board 2', NEW_APP.name),
      formMessages.en.now(scopes, nameOf('inventory:read'), was.join(', ')),
    );
    assert.ok(stale.text.includes('value="Board 3"'), 'the typed name is kept');
    // This edit keeps the other owner's changes to the addresses and to the access to costs.
    const theirs = ['https://app.example/callback'];
    const app = await findApp(base.db, clientId);
    assert.deepEqual([app?.name, app?.redirectUris, app?.sharesCost], ['Board 2', theirs, false]);
    const noMark = await pages.post(older, path, { ...mine, seen: '' });
    assert.equal(noMark.status, 409, 'a form without the values that it showed saves nothing');
    // Disabling the app changes nothing that the form shows, so it is not a conflict. A member who
    // has seen the conflict may save again.
    await pages.post(await pages.open(`/apps/${clientId}/disable`), `/apps/${clientId}/disable`);
    const saved = await pages.browser.submit(stale, formTo(stale, path));
    assert.equal(saved.url, pages.at(`/apps/${clientId}`));
    const after = await findApp(base.db, clientId);
    assert.deepEqual([after?.name, after?.redirectUris], ['Board 3', theirs]);
    assert.deepEqual([after?.scopes.length, after?.sharesCost], [4, false]);
  });

  it('a secret is rotated by adding a second and removing the old one: an app always has one or two secrets', async () => {
    const first = await register();
    const clientId = clientIdOf(first);
    const path = `/apps/${clientId}/secrets`;
    const hashes = async (): Promise<readonly string[] | undefined> =>
      (await findAppWithSecrets(base.db, clientId))?.secretHashes;
    const list = await pages.open(path);
    const second = await pages.post(list, path);
    assert.equal(second.url, pages.at(`/apps/${clientId}/secret`));
    assert.deepEqual(
      new Set(await hashes()),
      new Set([hashSecret(secretOf(first)), hashSecret(secretOf(second))]),
    );
    assert.ok(!(await pages.browser.visit(second.url)).text.includes(secretOf(second)));
    // This page was opened before the second secret was added. Its button must not create a third.
    const third = await pages.post(list, path);
    assert.equal(third.status, 422);
    assert.equal((await hashes())?.length, 2);
    const removals = [
      ...(await pages.open(path)).text.matchAll(/secrets\/([0-9a-f-]{36})\/remove/g),
    ];
    const [, newer] = removals[0] ?? [];
    const [, older] = removals[1] ?? [];
    const confirm = await pages.open(`${path}/${older}/remove`);
    assertSays(confirm, secretMessages.en.confirmButton);
    const removed = await pages.post(confirm, `${path}/${older}/remove`);
    assert.equal(removed.url, pages.at(path));
    assert.deepEqual(await hashes(), [hashSecret(secretOf(second))]);
    const last = await pages.post(
      await pages.open(`${path}/${newer}/remove`),
      `${path}/${newer}/remove`,
    );
    assert.equal(last.status, 422);
    assert.equal((await hashes())?.length, 1);
  });

  it('an app is deleted only if its name is typed', async () => {
    const clientId = clientIdOf(await register());
    const path = `/apps/${clientId}/delete`;
    const wrong = await pages.post(await pages.open(path), path, { name: 'Price board' });
    assert.equal(wrong.status, 422);
    assert.equal((await findApp(base.db, clientId))?.removedAt, null);
    const gone = await pages.post(wrong, path, { name: NEW_APP.name });
    assert.equal(gone.url, pages.at('/apps'));
    assert.notEqual((await findApp(base.db, clientId))?.removedAt, null);
    for (const sub of ['', '/edit', '/secrets', '/secret', '/delete', '/connections']) {
      assert.equal((await pages.open(`/apps/${clientId}${sub}`)).status, 404, sub);
    }
  });

  it('apps are found by part of the name in any letter case and width, and shown 50 per page', async () => {
    const many = await seedShop(base);
    await base.db.transaction(async (tx) => {
      for (let count = 0; count < 60; count++) {
        const name = count === 7 ? 'Ｋｕｍｏ 価格板' : `App ${String(count).padStart(2, '0')}`;
        const app = { ...many.app, name };
        await registerApp(tx, many.shop.id, app, new Date(), OPERATOR);
      }
    });
    const list = await openConsole(service, base.db, many);
    const first = await list.open('/apps');
    assert.equal(countApps(first), 50);
    const next = /href="([^"]*after=[^"]*)"/.exec(first.text)?.[1]?.replaceAll('&amp;', '&') ?? '';
    const second = await list.browser.visit(new URL(next, first.url).href);
    assert.equal(countApps(second), 11);
    assert.ok(!second.text.includes('App 00'));
    const found = await list.open(`/apps?name=${encodeURIComponent('kumo')}`);
    assert.equal(countApps(found), 1);
    assert.match(found.text, /Ｋｕｍｏ 価格板/);
    const none = await list.open('/apps?name=%25');
    assertSays(none, appListMessages.en.nothing);
  });

  it('the pages of apps are shown only to members of the app’s shop who may manage apps', async () => {
    const stranger = await seedShop(base);
    const clerk = await seedShop(base, { permissions: ['inventory.read', 'members.manage'] });
    const own = await openConsole(service, base.db, clerk);
    const foreign = await openConsole(service, base.db, stranger);
    const { clientId } = seeded.app;
    const [key] = await listShopKeys(base.db, seeded.shop.id);
    for (const sub of ['/apps', '/apps/new', '/apps/keys', '/apps/approvals']) {
      assert.equal((await own.open(sub)).status, 403, sub);
    }
    for (const sub of ['', '/edit', '/secrets', '/secret', '/disable', '/delete', '/connections']) {
      assert.equal((await own.open(`/apps/${clerk.app.clientId}${sub}`)).status, 403, sub);
      assert.equal((await foreign.open(`/apps/${clientId}${sub}`)).status, 404, sub);
    }
    assert.equal((await foreign.open(`/apps/approvals?app=${clientId}`)).status, 404);
    assert.equal((await foreign.open(`/apps/keys/${key?.id}/remove`)).status, 404);
    // Submit a form of one shop to the addresses of another shop's app.
    const form = await foreign.open('/apps/new');
    const fields = { form_token: formToken(form), name: seeded.app.name };
    for (const sub of ['edit', 'disable', 'enable', 'delete', 'secrets']) {
      const action = new URL(foreign.at(`/apps/${clientId}/${sub}`)).pathname;
      assert.equal((await foreign.browser.submit(form, { action, fields })).status, 404, sub);
    }
    const app = await findAppWithSecrets(base.db, clientId);
    assert.deepEqual([app?.isEnabled, app?.removedAt, app?.secretHashes.length], [true, null, 1]);
  });
});

function countApps(page: VisitedPage): number {
  return [...page.text.matchAll(/<th scope="row"/g)].length;
}

function cookieOf({ browser }: ConsolePages): string {
  return browser.cookies.map(({ name, value }) => `${name}=${value}`).join('; ');
}
