import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { AppClient, signInOn } from '../../test/app-client.ts';
import type { Run } from '../../test/cardport.ts';
import { environmentOf, runCardportInProcess } from '../../test/cardport-in-process.ts';
import { CONSENT, hasFormTo, PlainBrowser } from '../../test/plain-browser.ts';
import { seedShop, startTestService } from '../../test/service.ts';
import { seedShopWithWebhook } from '../../test/shop-with-webhook.ts';
import { openSignedIn } from '../../test/signed-in-browser.ts';
import { openTestDatabase, type TestDatabase } from '../../test/test-database.ts';
import { waitUntil } from '../../test/wait-until.ts';
import { refusalMessages } from '../console/messages.ts';
import { listAudit } from '../shops/audit-log.ts';
import { findShopBySlug } from '../shops/shop.ts';
import { createApproval } from '../approvals/approval.ts';
import { newId } from '../base/secrets.ts';
import { lockOpenShop } from '../shops/change-shop.ts';
import { OPERATOR } from '../shops/audit.ts';

type RunCommand = (...args: readonly string[]) => Promise<Run>;

function commandsOn(base: TestDatabase, more: Readonly<Record<string, string>> = {}): RunCommand {
  const environment = { ...environmentOf(base), ...more };
  return async (...args) => await runCardportInProcess(args, { environment });
}

function json(run: Run): Record<string, unknown> {
  assert.equal(run.code, 0, run.stderr);
  const parsed: unknown = JSON.parse(run.stdout);
  assert.ok(typeof parsed === 'object' && parsed !== null);
  return { ...parsed };
}

async function statusOf(url: string, bearer: unknown, method = 'GET'): Promise<string> {
  const headers = { authorization: `Bearer ${String(bearer)}` };
  const response = await fetch(url, { method, headers });
  const body: { readonly error?: string } = JSON.parse(await response.text());
  return `${response.status} ${body.error ?? ''}`.trim();
}

describe('shop close', () => {
  it('shop close ends connections and approvals, and refuses keys and members until shop reopen', async () => {
    await using base = await openTestDatabase();
    await using service = await startTestService(base);
    const { publicUrl } = service;
    const run = commandsOn(base, { PUBLIC_URL: publicUrl });
    const seeded = await seedShopWithWebhook(base.db, 'http://127.0.0.1:9/hook');
    const { shop, app, email, shopKey } = seeded;
    const { slug } = shop;
    const whose = ['--shop', slug, '--app', app.clientId, '--member', email];
    const scope = ['--scope', 'inventory:read offline_access', '--json'];
    const tokens = json(await run('token', ...whose, ...scope));
    const connection = `${publicUrl}/partner/v1/connection`;
    const sites = `${publicUrl}/shop/v1/sites`;
    const page = `${publicUrl}/console/shops/${slug}`;
    const browser = await openSignedIn(service, base.db, seeded.member.account.id);
    assert.equal(await statusOf(connection, tokens['accessToken']), '200');
    assert.equal(await statusOf(sites, shopKey), '200');
    assert.equal((await browser.visit(page)).status, 200);

    const expected = { connections: 1, approvals: 2, webhooks: 1, keys: 1, members: 1 };
    const dry = json(await run('shop', 'close', slug, '--dry-run', '--json'));
    assert.deepEqual(dry['effects'], expected);
    const unconfirmed = await run('shop', 'close', slug, '--json');
    assert.equal(unconfirmed.code, 1);
    const { error } = JSON.parse(unconfirmed.stderr);
    assert.equal(error.code, 'confirmation_needed');
    assert.match(error.message, /ends 1 connections, 2 approvals and 1 webhooks, .* Add --yes/);
    assert.equal(await statusOf(connection, tokens['accessToken']), '200');

    const closed = json(await run('shop', 'close', slug, '--yes', '--json'));
    assert.equal(closed['isNew'], true);
    // Another process made the change, so the service may respond from its cache for a second.
    await waitUntil(
      async () => (await statusOf(connection, tokens['accessToken'])) === '403 connection_revoked',
    );
    assert.equal(
      await statusOf(connection, tokens['accessToken'], 'POST'),
      '403 connection_revoked',
    );
    assert.equal(await statusOf(sites, shopKey), '401 invalid_token');
    const refresh = await new AppClient(service, seeded).refresh(String(tokens['refreshToken']));
    assert.equal(refresh.status, 400);
    const shown = await browser.visit(page);
    assert.equal(shown.status, 403);
    assert.ok(shown.text.includes(refusalMessages.en.shopClosedText(shop.name)));
    const listed = json(await run('connection', 'list', '--shop', slug, '--json'))['connections'];
    assert.ok(Array.isArray(listed) && listed.length === 1);
    assert.equal(listed[0].status, 'revoked');
    assert.equal(listed[0].webhook, null);
    const refused = await run('token', ...whose, ...scope);
    assert.equal(refused.code, 1);
    assert.equal(JSON.parse(refused.stderr).error.message, 'the shop is closed');

    const again = json(await run('shop', 'close', slug, '--json'));
    assert.equal(again['isNew'], false);
    assert.equal(again['closedAt'], closed['closedAt']);
    assert.match((await run('shop', 'list')).stdout, / {2}closed 20/);

    assert.equal(json(await run('shop', 'reopen', slug, '--json'))['isNew'], true);
    assert.equal(json(await run('shop', 'reopen', slug, '--json'))['isNew'], false);
    assert.equal(await statusOf(sites, shopKey), '200');
    assert.equal((await browser.visit(page)).status, 200);
    assert.equal(await statusOf(connection, tokens['accessToken']), '403 connection_revoked');
    const renewed = json(await run('token', ...whose, ...scope));
    assert.equal(await statusOf(connection, renewed['accessToken']), '200');

    const entries = await listAudit(base.db, shop.id, { before: null, limit: 100 });
    const actions = entries.map(({ action }) => action);
    assert.equal(actions.filter((action) => action === 'shop.closed').length, 1);
    assert.equal(actions.filter((action) => action === 'shop.reopened').length, 1);
    const ended = entries.find(({ action }) => action === 'connection.ended');
    assert.equal(ended?.details['reason'], 'shop_closed');
    assert.equal(ended.actor.kind, 'operator');
  });

  it('shop close does not affect other shops', async () => {
    await using base = await openTestDatabase();
    await using service = await startTestService(base);
    const [closed, other] = [await seedShop(base), await seedShop(base)];
    const run = commandsOn(base);
    json(await run('shop', 'close', closed.shop.slug, '--yes', '--json'));
    const sites = `${service.publicUrl}/shop/v1/sites`;
    assert.equal(await statusOf(sites, closed.shopKey), '401 invalid_token');
    assert.equal(await statusOf(sites, other.shopKey), '200');
    const browser = await openSignedIn(service, base.db, other.member.account.id);
    // To people who are not its members, a closed shop looks like any other shop.
    const page = await browser.visit(`${service.publicUrl}/console/shops/${closed.shop.slug}`);
    assert.equal(page.status, 404);
  });

  it('members of a closed shop cannot approve an app', async () => {
    await using base = await openTestDatabase();
    await using service = await startTestService(base);
    const app = new AppClient(service, await seedShop(base));
    json(await commandsOn(base)('shop', 'close', app.seeded.shop.slug, '--yes', '--json'));
    const page = await signInOn(new PlainBrowser(service.url), app.authorizationUrl(), app.seeded);
    assert.equal(page.status, 403);
    assert.ok(!hasFormTo(page, CONSENT, { decision: 'allow' }));
    assert.ok(hasFormTo(page, CONSENT, { decision: 'deny' }));
  });

  it('shop close ends an approval that is given at the same time', async () => {
    await using base = await openTestDatabase();
    const { shop, app, member } = await seedShop(base);
    const run = commandsOn(base);
    const closings: Promise<Run>[] = [];
    await base.db.transaction(async (tx) => {
      assert.ok(await lockOpenShop(tx, shop.id));
      closings.push(run('shop', 'close', shop.slug, '--yes', '--json'));
      const accountId = member.account.id;
      const { clientId } = app;
      const approval = { shopId: shop.id, clientId, accountId, grantId: newId(), scopes: [] };
      await createApproval(tx, approval, new Date(), OPERATOR);
    });
    const [closed] = await Promise.all(closings);
    assert.ok(closed !== undefined);
    assert.equal(json(closed)['isNew'], true);
    const { effects } = json(await run('shop', 'close', shop.slug, '--json'));
    assert.equal(effects, undefined);
    assert.equal(await base.db.transaction(async (tx) => await lockOpenShop(tx, shop.id)), false);
    json(await run('shop', 'reopen', shop.slug, '--json'));
    const after = json(await run('shop', 'close', shop.slug, '--dry-run', '--json'));
    assert.equal((after['effects'] as { approvals: number }).approvals, 0);
  });

  it('shop close asks on a terminal for the slug', async () => {
    await using base = await openTestDatabase();
    const { shop } = await seedShop(base);
    const environment = environmentOf(base);
    const questions: string[] = [];
    const answer = async (text: string): Promise<Run> =>
      await runCardportInProcess(['shop', 'close', shop.slug], {
        environment,
        ask: async (question) => {
          questions.push(question);
          return text;
        },
      });
    const refused = await answer('yes');
    assert.equal(refused.code, 1);
    assert.equal(refused.stderr, 'cardport: nothing was changed\n');
    assert.equal((await findShopBySlug(base.db, shop.slug))?.closedAt, null);
    assert.equal((await answer(shop.slug)).code, 0);
    assert.notEqual((await findShopBySlug(base.db, shop.slug))?.closedAt, null);
    assert.match(questions[0] ?? '', /^Closing .* refuses 1 Shop API keys and 1 members\.\nType /);
  });

  it('shop close, reopen and rename fail for an unknown shop', async () => {
    await using base = await openTestDatabase();
    const run = commandsOn(base);
    for (const args of [
      ['close', 'none', '--yes'],
      ['reopen', 'none'],
      ['rename', 'none', '--name', 'A'],
    ]) {
      const { code, stderr } = await run('shop', ...args);
      assert.equal(code, 1);
      assert.equal(stderr, 'cardport: there is no shop "none"\n');
    }
  });
});

describe('shop rename', () => {
  it('shop rename changes the name that apps and members see, and keeps the slug', async () => {
    await using base = await openTestDatabase();
    await using service = await startTestService(base);
    const { shop, app, email } = await seedShop(base);
    const run = commandsOn(base, { PUBLIC_URL: service.publicUrl });
    const whose = ['--shop', shop.slug, '--app', app.clientId, '--member', email];
    const tokens = json(await run('token', ...whose, '--scope', 'inventory:read', '--json'));
    const headers = { authorization: `Bearer ${String(tokens['accessToken'])}` };
    const tenant = async (): Promise<unknown> => {
      const response = await fetch(`${service.publicUrl}/partner/v1/connection`, { headers });
      return JSON.parse(await response.text()).tenant;
    };
    const { id, slug } = shop;
    assert.deepEqual(await tenant(), { id, name: shop.name, slug });
    const name = '雲カード <新店>';
    assert.deepEqual(json(await run('shop', 'rename', slug, '--name', name, '--json')), {
      id,
      name,
      slug,
    });
    await waitUntil(async () => JSON.stringify(await tenant()).includes(JSON.stringify(name)));
    for (const bad of ['', ' ', 'x'.repeat(201)]) {
      assert.equal((await run('shop', 'rename', slug, '--name', bad)).code, 2, bad);
    }
    assert.equal((await findShopBySlug(base.db, slug))?.name, name);
  });
});
