import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { putTestWebhook, seedConnectedParty, webhookRowOf } from '../../test/registered-webhook.ts';
import { startTestService, TEST_SECRET_KEY } from '../../test/service.ts';
import { openTestDatabase } from '../../test/test-database.ts';
import { waitUntil } from '../../test/wait-until.ts';
import { openLog } from '../base/log.ts';
import { WebhookSecrets } from '../webhooks/webhook-secrets.ts';

const OLD = 'the old secret key, 32 characters or more';

describe('a service whose SECRET_KEY was changed (decision 0100)', () => {
  it('the service warns about secrets that it cannot decrypt, and re-encrypts them once it has the previous key', async () => {
    await using base = await openTestDatabase();
    const old = new WebhookSecrets(OLD, null);
    const party = await seedConnectedParty(base.db);
    const secret = await putTestWebhook(base.db, old, party);
    const before = await webhookRowOf(base.db, party);
    let told = '';
    const log = openLog({ level: 'warn', write: (lines) => void (told += lines) });
    const metricsOf = async (url: string | null): Promise<string> =>
      await (await fetch(url ?? '')).text();
    const environment = { METRICS_PORT: '0' };
    {
      await using service = await startTestService(base, { environment, log, delivers: false });
      await waitUntil(() => {
        log.flush();
        return told.includes('"webhooks":');
      });
      assert.match(told, /"level":"warn".*"webhooks":1,.*SECRET_KEY_PREVIOUS/);
      const page = await metricsOf(service.metricsUrl);
      assert.match(page, /^cardport_webhook_secrets_unreadable 1$/m);
      assert.match(page, /^cardport_webhook_secrets_under_previous_key 0$/m);
    }
    assert.deepEqual(await webhookRowOf(base.db, party), before);
    const changing = { ...environment, SECRET_KEY_PREVIOUS: OLD };
    await using service = await startTestService(base, {
      environment: changing,
      log,
      delivers: false,
    });
    const fresh = new WebhookSecrets(TEST_SECRET_KEY, null);
    await waitUntil(async () => (await webhookRowOf(base.db, party)).keyId === fresh.keyIds[0]);
    const { sealed, keyId, connectionId } = await webhookRowOf(base.db, party);
    assert.ok(sealed !== null && keyId !== null);
    assert.equal(fresh.unseal(sealed, keyId, party.shop.id, connectionId), secret);
    const page = await metricsOf(service.metricsUrl);
    assert.match(page, /^cardport_webhook_secrets_unreadable 0$/m);
    // The metric stays at 1 until the next run, because it counts secrets before re-encrypting
    // them.
    assert.match(page, /^cardport_webhook_secrets_under_previous_key 1$/m);
    log.close();
    assert.equal(told.match(/"level":"warn".*"webhooks":/g)?.length, 1);
    assert.equal(told.includes(OLD) || told.includes(secret.slice(6, 20)), false);
  });
});
