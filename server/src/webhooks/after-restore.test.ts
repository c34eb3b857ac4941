import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { seedShopWithWebhook } from '../../test/shop-with-webhook.ts';
import { openTestDatabase } from '../../test/test-database.ts';
import { statement } from '../database/statement.ts';
import { removeWebhook } from './registration.ts';
import { makeWebhooksDue } from './after-restore.ts';

export const delayTestWebhook = statement(
  'test_delay_webhook',
  `update webhook set failures = 7, failing_since = $2, last_attempt_at = $2, next_attempt_at = $3, not_before = $4
    where shop_id = $1`,
);
export const readTestWebhook = statement<{
  readonly earlyAt: Date | null;
  readonly nextAttemptAt: Date | null;
  readonly failures: number;
}>(
  'test_read_webhook',
  `select early_at as "earlyAt", next_attempt_at as "nextAttemptAt", failures from webhook where shop_id = $1`,
);

const NOW = new Date('2026-06-01T12:00:00.000Z');
const YESTERDAY = new Date('2026-05-31T12:00:00.000Z');
const TOMORROW = new Date('2026-06-02T12:00:00.000Z');
const IN_AN_HOUR = new Date('2026-06-01T13:00:00.000Z');

describe('webhooks of a restored database', () => {
  it('webhooks are due immediately, or after a pending Retry-After, and removed webhooks stay removed', async () => {
    await using base = await openTestDatabase();
    const { db } = base;
    const url = 'http://127.0.0.1:9/hook';
    const shops = [];
    for (let n = 0; n < 4; n++) shops.push((await seedShopWithWebhook(db, url, YESTERDAY)).shop.id);
    const [failing = '', asked = '', healthy = '', removed = ''] = shops;
    await db.query(delayTestWebhook, [failing, YESTERDAY, TOMORROW, null]);
    await db.query(delayTestWebhook, [asked, YESTERDAY, TOMORROW, IN_AN_HOUR]);
    await db.query(delayTestWebhook, [removed, YESTERDAY, TOMORROW, null]);
    await db.transaction(async (tx) => {
      const connection = await tx.one(findTestConnection, [removed]);
      await removeWebhook(tx, removed, connection?.id ?? '', 'app', YESTERDAY);
    });
    const woken: string[] = [];
    db.onAnnouncement((topic, payload) => woken.push(`${topic} ${payload}`));
    await db.transaction(async (tx) => await makeWebhooksDue(tx, NOW));
    const live = [failing, asked, healthy].map((id) => `webhooks ${id}`);
    assert.deepEqual(woken.toSorted(), live.toSorted(), 'each shop with a webhook, once');
    const read = async (id: string): Promise<unknown> => await db.one(readTestWebhook, [id]);
    const waiting = { nextAttemptAt: TOMORROW, failures: 7 };
    assert.deepEqual(await read(failing), { earlyAt: NOW, ...waiting });
    assert.deepEqual(await read(asked), { earlyAt: IN_AN_HOUR, ...waiting });
    assert.deepEqual(await read(removed), { earlyAt: null, ...waiting });
    assert.deepEqual(await read(healthy), {
      earlyAt: null,
      nextAttemptAt: null,
      failures: 0,
    });
  });
});

export const findTestConnection = statement<{ readonly id: string }>(
  'test_find_webhook_connection',
  'select connection_id as id from webhook where shop_id = $1',
);
