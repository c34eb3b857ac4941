import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { assertSays, says } from '../../test/console-pages.ts';
import { formTo, type PlainBrowser, SIGN_IN, type VisitedPage } from '../../test/plain-browser.ts';
import { openStockConsole, type StockConsole } from '../../test/stock-console.ts';
import { openSignedIn } from '../../test/signed-in-browser.ts';
import { openTestDatabase, type TestDatabase } from '../../test/test-database.ts';
import { listShownSites } from '../inventory/site-list.ts';
import { addMember } from '../shops/member.ts';
import { hashPassword } from '../shops/password.ts';
import { OPERATOR } from '../shops/audit.ts';
import { endSession, startSession } from '../shops/session.ts';
import { signInMessages } from '../sign-in/messages.ts';
import { saveFormDraft, readFormDraft } from './form-draft.ts';
import { formMessages } from './parts/form/messages.ts';

const NOTE = 'A name that <b>was typed for long';

describe('a form posted after the session has ended', () => {
  let base: TestDatabase;
  let desk: StockConsole;
  let browser: PlainBrowser;
  let page: VisitedPage;
  let path: string;
  before(async () => {
    base = await openTestDatabase();
    desk = await openStockConsole(base);
    path = `/console/shops/${desk.seeded.shop.slug}/places/new`;
  });
  after(async () => {
    await desk[Symbol.asyncDispose]();
    await base.close();
  });
  beforeEach(async () => {
    browser = await openSignedIn(desk.service, base.db, desk.seeded.member.account.id);
    page = await browser.visit(`${desk.service.publicUrl}${path}`);
    const secret = browser.cookies.find(({ name }) => name === 'cardport_session')?.value ?? '';
    await endSession(base.db, secret);
  });

  const post = async (fields: Readonly<Record<string, string>> = {}): Promise<VisitedPage> =>
    await browser.submit(page, formTo(page, path), { name: NOTE, code: 'kept', ...fields });
  const signIn = async (
    at: VisitedPage,
    email: string,
    password = desk.seeded.password,
  ): Promise<VisitedPage> => await browser.submit(at, formTo(at, SIGN_IN), { email, password });
  const kept = (): boolean => browser.cookies.some(({ name }) => name === 'cardport_kept');
  const codes = async (): Promise<readonly string[]> =>
    (await listShownSites(base.db, desk.seeded.shop.id)).map(({ code }) => code);
  /** Signs the browser in without the sign-in page, as if in another tab. */
  const startSessionOf = async (accountId: string): Promise<void> => {
    const { secret } = await startSession(base.db, accountId, new Date());
    browser.cookies = browser.cookies.filter(({ name }) => name !== 'cardport_session');
    browser.cookies.push({ name: 'cardport_session', value: secret, path: '/' });
  };

  it('a form posted after the session has ended is shown again after sign-in, and can then be sent', async () => {
    const signInPage = await post();
    assert.ok(signInPage.url.includes('/signin?next='), signInPage.url);
    assert.equal(signInPage.text.includes('typed for long'), false);
    assertSays(signInPage, signInMessages.en.sessionEnded);
    const shown = await signIn(signInPage, desk.seeded.email);
    assert.deepEqual([shown.status, new URL(shown.url).pathname], [200, path]);
    assertSays(shown, formMessages.en.kept);
    const form = formTo(shown, path);
    assert.deepEqual([form.fields['name'], form.fields['code']], [NOTE, 'kept']);
    assert.notEqual(form.fields['form_token'], formTo(page, path).fields['form_token']);
    assert.equal((await codes()).includes('kept'), false);
    assert.equal(kept(), false);
    const saved = await browser.submit(shown, form);
    assert.equal(saved.status, 200);
    assert.ok((await codes()).includes('kept'));
    const next = await browser.visit(page.url);
    assert.equal(formTo(next, path).fields['name'], '');
  });

  it('the forms of every section are shown again after sign-in', async () => {
    const unitId = await desk.makeUnit();
    const shop = `/console/shops/${desk.seeded.shop.slug}`;
    for (const [sub, field] of [
      [`/places/${desk.siteId}/edit`, 'code'],
      [`/places/${desk.siteId}/locations/new`, 'code'],
      ['/settings', 'contactEmails'],
      ['/boosts/new', 'note'],
      ['/stock/receive', 'scan'],
      [`/stock/${unitId}/edit`, 'certNumber'],
      ['/apps/new', 'redirectUris'],
    ] as const) {
      await startSessionOf(desk.seeded.member.account.id);
      const opened = await browser.visit(`${desk.service.publicUrl}${shop}${sub}`);
      const form = formTo(opened, sub);
      assert.ok(field in form.fields, `${sub}: ${Object.keys(form.fields).join()}`);
      browser.cookies = browser.cookies.filter(({ name }) => name !== 'cardport_session');
      await browser.submit(opened, form, { [field]: NOTE });
      await startSessionOf(desk.seeded.member.account.id);
      const shown = await browser.visit(opened.url);
      assertSays(shown, formMessages.en.kept);
      assert.equal(formTo(shown, sub).fields[field], NOTE, sub);
    }
  });

  it('the draft of a form is deleted, and not shown, if another member signs in with the same browser', async () => {
    const signInPage = await post();
    assert.equal(kept(), true);
    const password = 'the long words of another member';
    const permissions = ['inventory.read', 'inventory.write'] as const;
    const passwordHash = await hashPassword(password);
    const person = { email: 'other@kept.example', name: 'Other', permissions, passwordHash };
    await base.db.transaction(async (tx) => {
      await addMember(tx, desk.seeded.shop.id, person, new Date(), OPERATOR);
    });
    const shown = await signIn(signInPage, person.email, password);
    assert.equal(new URL(shown.url).pathname, path);
    assert.equal(formTo(shown, path).fields['name'], '');
    assert.equal(says(shown, formMessages.en.kept), false);
    assert.equal(kept(), false);
  });

  it('a form is never shown again if another site sent it, or without the form token of this member', async () => {
    const { fields } = formTo(page, path);
    const forged = { ...fields, name: NOTE };
    const before = [...browser.cookies];
    for (const headers of [
      { origin: 'https://evil.example' },
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
    ]) {
      const answer = await fetch(page.url, {
        method: 'POST',
        redirect: 'manual',
        headers: {
          ...headers,
          cookie: before.map((each) => `${each.name}=${each.value}`).join('; '),
        },
        body: new URLSearchParams(forged),
      });
      assert.equal(answer.headers.get('location'), '/signin?ended=1', JSON.stringify(headers));
      assert.deepEqual(answer.headers.getSetCookie(), []);
    }
    const token = fields['form_token'] ?? '';
    const [first = ''] = token.split('.');
    for (const wrong of ['', first, `${first}.`, `${first}.${'A'.repeat(43)}`]) {
      await post({ form_token: wrong });
      await startSessionOf(desk.seeded.member.account.id);
      const shown = await browser.visit(page.url);
      assert.equal(formTo(shown, path).fields['name'], '', wrong);
      const secret = browser.cookies.find(({ name }) => name === 'cardport_session')?.value ?? '';
      await endSession(base.db, secret);
    }
  });

  it('the draft of a form expires after half an hour, and can be read only with its path and key', () => {
    const now = new Date('2026-06-01T12:00:00.000Z');
    const later = (ms: number): Date => new Date(now.getTime() + ms);
    const fields = new Map([
      ['seen', ''],
      ['name', NOTE],
    ]);
    const body = new URLSearchParams([...fields, ['form_token', 'a.key']]);
    const line = saveFormDraft('/console/x', Buffer.from(body.toString()), now, true) ?? '';
    assert.match(line, /; Path=\/console\/x; Max-Age=1800; HttpOnly; SameSite=Lax; Secure$/);
    const [cookie = ''] = line.split(';');
    const read = (path: string, key: string, at: Date): ReadonlyMap<string, string> | null =>
      readFormDraft(path, cookie, key, at, true)?.fields ?? null;
    assert.deepEqual(read('/console/x', 'key', later(1_799_999)), fields);
    assert.equal(read('/console/x', 'key', later(1_800_000)), null);
    assert.equal(read('/console/y', 'key', now), null);
    assert.equal(read('/console/x', 'other', now), null);
  });

  it('the draft of a form is lost if it is too large for a cookie', async () => {
    const noise = Array.from({ length: 2_000 }, () => Math.random().toString(36)).join('');
    const signInPage = await post({ name: noise });
    assert.equal(kept(), false);
    assert.equal(new URL(signInPage.url).search, '?ended=1');
  });
});
