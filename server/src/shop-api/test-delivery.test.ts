import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { verifyNotice } from '@cardport/client';
import { ManualClock } from '../base/clock.ts';
import { newId } from '../base/secrets.ts';
import { seedGrant, TEST_NOW } from '../../test/partner.ts';
import { seedShop, startTestService } from '../../test/service.ts';
import { openTestDatabase } from '../../test/test-database.ts';
import { waitUntil } from '../../test/wait-until.ts';
import { respondWith, startReceiver } from '../../test/webhook-fixture.ts';

interface Answer {
  readonly status: number;
  readonly text: string;
}

describe('a test delivery and a read', () => {
  it('a test delivery and a read each send a signed event immediately, which is in the list of attempts', async () => {
    await using base = await openTestDatabase();
    await using receiver = await startReceiver();
    const clock = new ManualClock(TEST_NOW);
    const environment = { ALLOW_LOOPBACK_WEBHOOKS: 'true' };
    await using service = await startTestService(base, { clock, environment, delivers: true });
    const redirectUris = [`${receiver.origin}/callback`];
    const seeded = await seedShop(base, { redirectUris, now: TEST_NOW });
    const { shop, app, member, email, shopKey } = seeded;
    const party = { shop, app, email, accountId: member.account.id };
    const { token } = await seedGrant(base.db, party, { resource: service.partnerUrl });
    const ask = async (
      bearer: string,
      url: string,
      method = 'GET',
      body?: object,
    ): Promise<Answer> => {
      const headers = { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' };
      const sent = body === undefined ? {} : { body: JSON.stringify(body) };
      const response = await fetch(url, { method, headers, ...sent });
      return { status: response.status, text: await response.text() };
    };
    const connected = await ask(token, `${service.partnerUrl}/connection`, 'POST');
    assert.equal(connected.status, 201, connected.text);
    const { id }: { id: string } = JSON.parse(connected.text);
    const url = `${receiver.origin}/hook`;
    const put = await ask(token, `${service.partnerUrl}/webhook`, 'PUT', { url });
    assert.equal(put.status, 200, put.text);
    const { secret }: { secret: string } = JSON.parse(put.text);
    const path = `${service.shopUrl}/connections/${id}`;
    const trial = async (): Promise<string> => {
      const asked = await ask(shopKey, `${path}/notice`, 'POST');
      assert.equal(asked.status, 202, asked.text);
      const { eventId }: { eventId: string } = JSON.parse(asked.text);
      return eventId;
    };
    const newest = async (): Promise<Readonly<Record<string, unknown>>> => {
      const { text } = await ask(shopKey, `${path}/attempts?limit=1`);
      const page: { attempts: readonly Readonly<Record<string, unknown>>[] } = JSON.parse(text);
      return page.attempts[0] ?? {};
    };
    const eventId = await trial();
    await waitUntil(() => receiver.notices.length === 1);
    const [notice] = receiver.notices;
    assert.ok(notice !== undefined);
    assert.equal(notice.headers['x-service-event-id'], eventId);
    const { body: text, headers } = notice;
    const body = Buffer.from(text);
    await verifyNotice({ body, headers, secret, now: () => TEST_NOW.getTime() });
    const { type, connectionId } = JSON.parse(text);
    assert.deepEqual([type, connectionId], ['inventory.changed', id]);
    await waitUntil(async () => (await newest())['result'] === 'delivered');
    const first = { number: 1, eventId, attempt: 1, result: 'delivered', status: 204, error: null };
    const { startedAt: _, latencyMs, ...logged } = await newest();
    assert.deepEqual(logged, first);
    assert.equal(typeof latencyMs, 'number');
    // A failed test delivery is logged. It is not retried, and does not count as a failure.
    receiver.handle = respondWith(500);
    clock.advance(1_000);
    const failedId = await trial();
    assert.notEqual(failedId, eventId);
    await waitUntil(async () => {
      const { eventId: seen, error } = await newest();
      return seen === failedId && error === 'status';
    });
    await waitUntil(async () => {
      const { webhook } = JSON.parse((await ask(shopKey, path)).text);
      return webhook.state === 'idle' && webhook.failures === 0;
    });
    // A failed delivery is retried after some seconds, or as soon as the app reads the feed.
    clock.advance(1_000);
    const site = {
      code: 'main',
      name: '本店',
      kind: 'store',
      countryCode: 'JP',
      timezone: 'Asia/Tokyo',
    };
    const sitePath = `${service.shopUrl}/sites/${newId()}`;
    assert.equal((await ask(shopKey, sitePath, 'PUT', site)).status, 201);
    await waitUntil(async () => {
      const { webhook } = JSON.parse((await ask(shopKey, path)).text);
      return webhook.state === 'retrying' && webhook.lastAttempt.result === 'failed';
    });
    assert.equal(receiver.notices.length, 3);
    receiver.handle = respondWith(204);
    clock.advance(1_000);
    const read = await ask(token, `${service.partnerUrl}/inventory/changes`);
    assert.equal(read.status, 200, read.text);
    await waitUntil(() => receiver.notices.length === 4);
    await waitUntil(async () => {
      const { webhook } = JSON.parse((await ask(shopKey, path)).text);
      return webhook.state === 'idle' && webhook.failures === 0;
    });
    assert.equal(receiver.notices[3]?.headers['x-service-attempt'], '2');
    assert.equal((await ask(shopKey, path, 'DELETE')).status, 204);
    const refused = await ask(token, `${service.partnerUrl}/connection`);
    assert.deepEqual([refused.status, refused.text], [403, '{"error":"connection_revoked"}']);
    assert.equal(receiver.notices.length, 4);
  });
});
