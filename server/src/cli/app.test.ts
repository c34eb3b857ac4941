import assert from 'node:assert/strict';
import { it } from 'node:test';
import { WebhookSecrets } from '../webhooks/webhook-secrets.ts';
import { cardportHere, deploy } from '../../test/cardport-here.ts';
import { onEachEngine } from '../../test/engines.ts';
import { PARTNER_SECRET_KEY } from '../../test/partner.ts';
import { putTestWebhook, seedConnectedParty, webhookRowOf } from '../../test/registered-webhook.ts';

onEachEngine('app set --redirect-uri', (open) => {
  it('replaces the redirect URIs under the rules of app add, and takes a lost webhook along', async () => {
    await using base = await open();
    await using deployment = await deploy(base);
    const { environment } = deployment;
    const party = await seedConnectedParty(base.db);
    const secrets = new WebhookSecrets(PARTNER_SECRET_KEY, null);
    await putTestWebhook(base.db, secrets, party, { url: 'https://app.example/hook' });
    const { clientId } = party.app;
    const set = async (who: string, ...uris: string[]): ReturnType<typeof cardportHere> => {
      const given = uris.flatMap((uri) => ['--redirect-uri', uri]);
      return await cardportHere(['app', 'set', '--app', who, ...given, '--json'], { environment });
    };
    assert.equal((await set(clientId)).code, 2);
    assert.equal((await set(clientId, 'http://app.example/cb')).code, 2);
    assert.equal((await set('app_nobody', 'https://app.example/cb')).code, 1);
    assert.equal((await webhookRowOf(base.db, party)).removalReason, null);

    const same = await set(clientId, 'https://app.example/new', 'https://b.example/cb');
    assert.equal(same.code, 0, same.stderr);
    assert.deepEqual(JSON.parse(same.stdout), {
      clientId,
      redirectUris: ['https://app.example/new', 'https://b.example/cb'],
      removedWebhookUrl: null,
    });
    const other = await set(clientId, 'https://b.example/cb');
    assert.deepEqual(JSON.parse(other.stdout), {
      clientId,
      redirectUris: ['https://b.example/cb'],
      removedWebhookUrl: 'https://app.example/hook',
    });
    assert.equal((await webhookRowOf(base.db, party)).removalReason, 'redirect_uri');
  });
});
