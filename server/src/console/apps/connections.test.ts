import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { AppClient } from '../../../test/app-client.ts';
import { CHROMIUM_PATH, withChromium } from '../../../test/chromium.ts';
import { signInContext } from '../../../test/console-crawl.ts';
import { insertTestAttempt } from '../../../test/connection-scene.ts';
import {
  assertSays,
  formToken,
  openConsole,
  says,
  type ConsolePages,
} from '../../../test/console-pages.ts';
import { type HookReceiver, startHookReceiver } from '../../../test/hook-receiver.ts';
import { seedShopWithWebhook } from '../../../test/shop-with-webhook.ts';
import type { VisitedPage } from '../../../test/plain-browser.ts';
import {
  seedShop,
  type SeededShop,
  startTestService,
  type TestService,
} from '../../../test/service.ts';
import { openTestDatabase, type TestDatabase } from '../../../test/test-database.ts';
import { waitUntil } from '../../../test/wait-until.ts';
import { findApp } from '../../apps/app.ts';
import { newId } from '../../base/secrets.ts';
import { listAudit } from '../../shops/audit-log.ts';
import { flashText } from '../flash.ts';
import {
  attemptMessages,
  healthMessages,
  webhookStateMessages,
  scopeMessages,
} from '../parts/messages/apps.ts';
import { appListMessages, appMessages, editAppMessages } from './messages/app.ts';
import { attemptStripMessages } from './messages/attempt.ts';
import {
  approvalMessages,
  connectionEndMessages,
  connectionListMessages,
  connectionMessages,
  endConnectionMessages,
} from './messages/connection.ts';
import { testDeliveryMessages, deliveryProgressMessages } from './messages/delivery.ts';

const { upToDate: UP_TO_DATE, never: NEVER } = healthMessages.en;
const [STOCK, STAYS] = [
  scopeMessages.en['inventory:read'].name,
  scopeMessages.en.offline_access.name,
];

describe('the pages of an app’s connection', () => {
  let base: TestDatabase;
  let receiver: HookReceiver;
  let service: TestService;
  let seeded: SeededShop;
  let pages: ConsolePages;
  /** The client of an app that was registered in the console, approved and connected. */
  let client: AppClient;
  let token: string;
  let clientId: string;
  let connectionId: string;

  before(async () => {
    base = await openTestDatabase();
    receiver = await startHookReceiver();
    const environment = { ALLOW_LOOPBACK_WEBHOOKS: 'true' };
    service = await startTestService(base, { delivers: true, environment });
    seeded = await seedShop(base);
    pages = await openConsole(service, base.db, seeded);
    const redirectUri = new URL('/callback', receiver.url).href;
    const shown = await pages.post(await pages.open('/apps/new'), '/apps/new', {
      name: 'Board <i>',
      redirectUris: redirectUri,
      'scopes.inventory:read': 'on',
      'scopes.offline_access': 'on',
    });
    const clientSecret = /cps_[A-Za-z0-9]{43}/.exec(shown.text)?.[0] ?? assert.fail(shown.text);
    clientId = /app_[A-Za-z0-9]{43}/.exec(shown.url)?.[0] ?? assert.fail(shown.url);
    const app = await findApp(base.db, clientId);
    assert.ok(app !== undefined);
    client = new AppClient(service, { ...seeded, app, clientSecret, redirectUri });
    await connect();
  });
  after(async () => {
    await service.close();
    await receiver[Symbol.asyncDispose]();
    await base.close();
  });

  async function connect(): Promise<void> {
    const scope = 'offline_access inventory:read';
    const tokens = await client.tokens({ scope });
    token = tokens.access_token;
    const connected = await client.call('POST', '/connection', token);
    assert.equal(connected.status, 201, connected.text);
    ({ id: connectionId } = JSON.parse(connected.text) as { id: string });
    const answer = await fetch(`${service.partnerUrl}/webhook`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ url: receiver.url }),
    });
    assert.equal(answer.status, 200);
  }
  const errorOf = async (): Promise<string> =>
    (await client.call('GET', '/connection', token)).text;
  const path = (): string => `/connections/${connectionId}`;
  const log = async (
    number: number,
    result: { status?: number; error?: string; latencyMs?: number },
  ): Promise<void> => {
    const { status = null, error = null, latencyMs = null } = result;
    const values = [seeded.shop.id, connectionId, number, newId(), new Date(), status, error];
    await base.db.query(insertTestAttempt, [...values, latencyMs]);
  };

  it('the page of a connection shows who approved the app, for which scopes, and its lag', async () => {
    const page = await pages.open(path());
    assert.equal(page.status, 200);
    assert.ok(!page.text.includes('<i>'));
    assertSays(
      page,
      connectionMessages.en.title('Board <i>'),
      `${connectionMessages.en.by} 雲野 花`,
      [connectionMessages.en.lag, UP_TO_DATE, connectionMessages.en.lastRead, NEVER].join(' '),
      `${STOCK} inventory:read`,
      `${STAYS} offline_access`,
      receiver.url,
    );
    assert.equal(says(page, 'purchase-boosts:read'), false);
    assert.ok(!/whsec_|cpa_|cpr_/.test(page.text));
    const app = await pages.open(`/apps/${clientId}`);
    assertSays(app, `${appMessages.en.by} 雲野 花`);
    const list = await pages.open('/apps');
    assertSays(
      list,
      ['Board <i>', healthMessages.en.names.good, UP_TO_DATE, NEVER, appListMessages.en.works].join(
        ' ',
      ),
    );
    const approvals = await pages.open(`/apps/approvals?app=${clientId}`);
    assertSays(approvals, `雲野 花 ${STOCK}, ${STAYS} ${approvalMessages.en.active}`);
  });

  it('the page shows how often the token response of an approval was resent', async () => {
    const scope = 'offline_access inventory:read';
    const { refresh_token: first } = await client.tokens({ scope });
    for (const _ of [1, 2, 3]) await client.refresh(first, {}, { 'idempotency-key': 'one' });
    const { text } = await pages.open(`/apps/approvals?app=${clientId}`);
    assert.match(text, /data-testid="repeats">[^<]*\b2\b/);
    assert.equal(text.split('data-testid="repeats"').length, 2);
  });

  it('a test delivery reaches the receiver, and its outcome is shown', async () => {
    const before = receiver.received.length;
    const asked = await pages.post(await pages.open(path()), `${path()}/notice`);
    const eventId = new URL(asked.url).searchParams.get('notice') ?? '';
    const source = `${path()}/notice?event=${eventId}`;
    let fragment = await pages.open(source);
    await waitUntil(async () => {
      fragment = await pages.open(source);
      return fragment.text.includes('data-done');
    });
    const delivered = deliveryProgressMessages.en.delivered('204', '…').split('…');
    assertSays(fragment, ...delivered);
    assert.equal(receiver.received.length, before + 1);
    assert.equal(receiver.received.at(-1)?.headers['x-service-event-id'], eventId);
    const shown = await pages.open(`${path()}?notice=${eventId}`);
    assertSays(shown, ...delivered);
    assert.ok(!shown.text.includes('inventory.changed'), 'no body is shown');
  });

  it('after a test delivery, the state and the list of attempts agree with its result', async (t) => {
    if (CHROMIUM_PATH === undefined) {
      t.skip();
      return;
    }
    await withChromium({ locale: 'en-GB', width: 390 }, async (context) => {
      const { publicUrl } = service;
      await signInContext(context, publicUrl, base.db, seeded.member.account.id);
      const page = await context.newPage();
      await page.goto(`${publicUrl}/console/shops/${seeded.shop.slug}${path()}`);
      await page.locator(`form[action$="${path()}/notice"] button`).click();
      await page.locator('#notice [data-done]').waitFor();
      const webhook = page.locator('#webhook');
      const { name } = webhookStateMessages.en.states.idle;
      await webhook.locator('.badge', { hasText: name }).waitFor();
      assert.equal(await webhook.locator('.strip .in_progress').count(), 0);
      assert.equal(await page.locator('#notice').count(), 1);
    });
  });

  it('each attempt has a symbol and words, newest last, and its error and the remedy are explained', async () => {
    // Start above the attempt numbers that the previous test used.
    await log(101, { status: 200, latencyMs: 12 });
    await log(102, { status: 500, error: 'status', latencyMs: 1_234 });
    await log(103, { error: 'dns', latencyMs: 5 });
    const page = await pages.open(path());
    const marks = [
      ...page.text.matchAll(/class="mark (\w+)"\s+href="[^"]*attempt=(\d+)#attempt"/g),
    ];
    assert.deepEqual(
      marks.slice(-3).map(([, result, number]) => [result, number]),
      [
        ['delivered', '101'],
        ['failed', '102'],
        ['failed', '103'],
      ],
    );
    assertSays(page, `✕ ${attemptMessages.en.result.failed}, `);
    // The newest attempt failed, so the page shows its details without a click.
    const failed = attemptMessages.en.error.dns;
    assertSays(
      page,
      attemptStripMessages.en.number('103'),
      `${failed.what} ${attemptStripMessages.en.todo}: `,
    );
    const chosen = await pages.open(`${path()}?attempt=102`);
    const took = `${attemptStripMessages.en.latency} ${attemptStripMessages.en.milliseconds('1,234')}`;
    assertSays(
      chosen,
      attemptStripMessages.en.number('102'),
      `${attemptStripMessages.en.status} 500 ${took}`,
    );
    for (const attempt of ['0', 'x', '99999999999999999999']) {
      assert.equal((await pages.open(`${path()}?attempt=${attempt}`)).status, 200);
    }
  });

  it('all attempts are listed, 50 per page, and the last 60 are shown as marks', async () => {
    for (let number = 201; number <= 320; number++) {
      await log(number, { status: 204, latencyMs: 1 });
    }
    const marks = [...(await pages.open(path())).text.matchAll(/class="mark \w+"\s+href/g)];
    assert.equal(marks.length, 60);
    const first = await pages.open(`${path()}/attempts`);
    assert.equal([...first.text.matchAll(/<th scope="row"/g)].length, 50);
    const next = /href="([^"]*before=271)"/.exec(first.text)?.[1] ?? assert.fail(first.text);
    const second = await pages.browser.visit(new URL(next, first.url).href);
    assert.equal([...second.text.matchAll(/<th scope="row"/g)].length, 50);
    const oldest = await pages.open(`${path()}/attempts?before=104`);
    assertSays(
      oldest,
      attemptMessages.en.error.dns.what,
      `${attemptMessages.en.result.failed} 500 ${attemptStripMessages.en.milliseconds('1,234')}`,
    );
    assert.equal((await pages.open(`${path()}/attempts?before=x`)).status, 200);
  });

  it('a change of redirect URIs that removes the webhook is saved only after a warning and confirmation', async () => {
    const edit = `/apps/${clientId}/edit`;
    const fields = {
      name: 'Board <i>',
      redirectUris: 'https://elsewhere.example/cb',
      'scopes.inventory:read': 'on',
      'scopes.offline_access': 'on',
    };
    const form = await pages.open(edit);
    const checked = await pages.browser.submit(form, {
      action: new URL(pages.at('/apps/redirect-uris')).pathname,
      fields: { ...fields, client_id: clientId, form_token: formToken(form) },
    });
    assertSays(checked, editAppMessages.en.lost(receiver.url));
    const warned = await pages.post(form, edit, fields);
    assert.equal(warned.status, 422);
    assertSays(warned, editAppMessages.en.lost(receiver.url));
    assert.match(await errorOf(), /"webhook":\{/);
    const back = { ...fields, redirectUris: client.seeded.redirectUri };
    await pages.post(form, edit, back);
    const lost = await pages.post(warned, edit, { ...fields, lose_webhook: 'on' });
    assertSays(lost, flashText('webhook_lost', 'en'));
    assert.match(await errorOf(), /"webhook":null/);
    assertSays(await pages.open(path()), webhookStateMessages.en.removed.redirect_uri);
    await pages.post(await pages.open(edit), edit, back);
    const refused = await pages.browser.submit(form, {
      action: new URL(pages.at(`${path()}/notice`)).pathname,
      fields: { form_token: formToken(form) },
    });
    assert.equal(refused.status, 422);
    assertSays(refused, testDeliveryMessages.en.refused.no_webhook);
  });

  it('an app is disabled immediately, and continues after it is enabled again', async () => {
    const confirm = await pages.open(`/apps/${clientId}/disable`);
    assert.equal((await client.call('GET', '/connection', token)).status, 200);
    const disabled = await pages.post(confirm, `/apps/${clientId}/disable`);
    assert.equal(await errorOf(), '{"error":"client_disabled"}');
    assertSays(disabled, appMessages.en.disabled);
    await pages.post(disabled, `/apps/${clientId}/enable`);
    assert.equal((await client.call('GET', '/connection', token)).status, 200);
  });

  it('a connection ends immediately, and its page shows how it ended and lists it beside the next connection', async () => {
    const confirm = await pages.open(`${path()}/end`);
    assertSays(confirm, endConnectionMessages.en.after);
    const ended = await pages.post(confirm, `${path()}/end`);
    assert.equal(await errorOf(), '{"error":"connection_revoked"}');
    assertSays(
      ended,
      `${connectionMessages.en.why} ${connectionEndMessages.en.connection.shop}`,
      `雲野 花 ${STOCK}, ${STAYS} ${approvalMessages.en.ended}`,
    );
    const again = await pages.post(confirm, `${path()}/end`);
    assertSays(again, flashText('unchanged', 'en'));
    const entries = await listAudit(base.db, seeded.shop.id, { before: null, limit: 5 });
    assert.deepEqual(
      entries.filter(({ action }) => action === 'connection.ended').map(({ actor }) => actor.kind),
      ['member'],
    );
    const first = connectionId;
    await connect();
    const list = await pages.open(`/apps/${clientId}/connections`);
    const order = [...list.text.matchAll(/\/connections\/([0-9a-f-]{36})"/g)].map(([, id]) => id);
    assert.deepEqual(order, [connectionId, first]);
    assertSays(
      list,
      `${connectionListMessages.en.active} – –`,
      connectionListMessages.en.ended,
      connectionEndMessages.en.connection.shop,
    );
  });

  it('an app is deleted immediately, its token is rejected, and its connection ends', async () => {
    const remove = `/apps/${clientId}/delete`;
    await pages.post(await pages.open(remove), remove, { name: 'Board <i>' });
    assert.equal(await errorOf(), '{"error":"connection_revoked"}');
    assertSays(await pages.open(path()), connectionEndMessages.en.connection.app_deleted);
    const refreshed = await client.refresh('cpr_x');
    assert.equal(refreshed.body.error, 'invalid_client');
  });

  it('the pages of a connection are not shown for another shop, or without the permission', async () => {
    const hooked = await seedShopWithWebhook(base.db, receiver.url);
    const clerk = await seedShop(base, { permissions: ['inventory.read'] });
    const strangers: readonly (readonly [ConsolePages, number])[] = [
      [pages, 404],
      [await openConsole(service, base.db, clerk), 403],
    ];
    const before = receiver.received.length;
    for (const [stranger, status] of strangers) {
      const visits: VisitedPage[] = [];
      for (const sub of ['', '/attempts', '/end', `/notice?event=${newId()}`]) {
        visits.push(await stranger.open(`/connections/${hooked.connectionId}${sub}`));
      }
      const form = await stranger.open('/nowhere');
      for (const sub of ['/end', '/notice']) {
        const action = new URL(stranger.at(`/connections/${hooked.connectionId}${sub}`)).pathname;
        const token = formToken(
          await stranger.browser.visit(`${service.publicUrl}/console/account`),
        );
        const fields = { form_token: token };
        visits.push(await stranger.browser.submit(form, { action, fields }));
      }
      assert.deepEqual(
        visits.map((page) => page.status),
        visits.map(() => status),
      );
    }
    for (const id of ['x', newId(), `${newId()}0`]) {
      assert.equal((await pages.open(`/connections/${id}`)).status, 404);
    }
    assert.equal(receiver.received.length, before);
    const own = await openConsole(service, base.db, hooked);
    const { state, active } = connectionMessages.en;
    assertSays(await own.open(`/connections/${hooked.connectionId}`), `${state} ${active}`);
  });
});
