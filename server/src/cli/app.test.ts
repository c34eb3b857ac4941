import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { WebhookSecrets } from '../webhooks/webhook-secrets.ts';
import { runCardportInProcess, environmentOf } from '../../test/cardport-in-process.ts';
import { PARTNER_SECRET_KEY } from '../../test/partner.ts';
import { putTestWebhook, seedConnectedParty, webhookRowOf } from '../../test/registered-webhook.ts';
import { openTestDatabase } from '../../test/test-database.ts';

describe('app set --redirect-uri', () => {
  it('app set replaces the redirect URIs under the rules of app add, and removes a webhook at another origin', async () => {
    await using base = await openTestDatabase();
    const environment = environmentOf(base);
    const party = await seedConnectedParty(base.db);
    const secrets = new WebhookSecrets(PARTNER_SECRET_KEY, null);
    await putTestWebhook(base.db, secrets, party, { url: 'https://app.example/hook' });
    const { clientId } = party.app;
    const set = async (
      who: string,
      ...given: string[]
    ): ReturnType<typeof runCardportInProcess> => {
      const options = given.flatMap((each) =>
        each.startsWith('--') ? [each] : ['--redirect-uri', each],
      );
      return await runCardportInProcess(['app', 'set', '--app', who, ...options, '--json'], {
        environment,
      });
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
      removedRedirectUris: party.app.redirectUris,
      removedWebhookUrl: null,
    });
    const effects = {
      redirectUris: ['https://b.example/cb'],
      removedRedirectUris: ['https://app.example/new'],
      removedWebhookUrl: 'https://app.example/hook',
    };
    const unconfirmed = await set(clientId, 'https://b.example/cb');
    assert.equal(unconfirmed.code, 1);
    assert.match(unconfirmed.stderr, /confirmation_needed.*https:\/\/app\.example\/hook/);
    const dry = await set(clientId, 'https://b.example/cb', '--dry-run');
    assert.deepEqual(JSON.parse(dry.stdout), { clientId, effects });
    assert.equal((await webhookRowOf(base.db, party)).removalReason, null);
    const other = await set(clientId, 'https://b.example/cb', '--yes');
    assert.deepEqual(JSON.parse(other.stdout), { clientId, ...effects });
    assert.equal((await webhookRowOf(base.db, party)).removalReason, 'redirect_uri');
  });
});

describe('app list and connection list', () => {
  it('app list and connection list show a shop’s apps and the state of its webhooks, and nothing of another shop', async () => {
    await using base = await openTestDatabase();
    const environment = environmentOf(base);
    const party = await seedConnectedParty(base.db);
    const other = await seedConnectedParty(base.db);
    const secrets = new WebhookSecrets(PARTNER_SECRET_KEY, null);
    await putTestWebhook(base.db, secrets, party, { url: 'https://app.example/hook?key=hidden' });
    const run = async (
      words: string,
      ...more: string[]
    ): ReturnType<typeof runCardportInProcess> => {
      return await runCardportInProcess([...words.split(' '), '--shop', ...more], { environment });
    };
    const { app, shop, connectionId } = party;
    const listed = await run('app list', shop.slug, '--json');
    assert.equal(listed.code, 0, listed.stderr);
    assert.deepEqual(JSON.parse(listed.stdout), {
      apps: [
        {
          clientId: app.clientId,
          name: app.name,
          isEnabled: true,
          scopes: app.scopes,
          redirectUris: app.redirectUris,
          createdAt: app.createdAt.toISOString(),
        },
      ],
    });
    const connected = await run('connection list', shop.slug, '--json');
    assert.equal(connected.code, 0, connected.stderr);
    const at = { origin: 'https://app.example', state: 'idle', failures: 0 };
    const last = { failingSince: null, lastError: null, lastStatus: null };
    const { clientId, name: appName } = app;
    assert.deepEqual(JSON.parse(connected.stdout), {
      connections: [
        { id: connectionId, clientId, appName, status: 'active', webhook: { ...at, ...last } },
      ],
    });
    const disable = ['app', 'disable', '--app', app.clientId];
    assert.equal((await runCardportInProcess(disable, { environment })).code, 0);
    assert.match((await run('app list', shop.slug)).stdout, /^app_\w+ {2}disabled {2}/);
    const text = await run('connection list', shop.slug);
    assert.match(text.stdout, / active {3}https:\/\/app\.example paused /);
    assert.match((await run('connection list', other.shop.slug)).stdout, / no webhook /);
    assert.ok(!`${connected.stdout}${text.stdout}`.includes('hidden'));
    const remove = ['app', 'remove', '--app', app.clientId, '--yes'];
    assert.equal((await runCardportInProcess(remove, { environment })).code, 0);
    assert.match((await run('app list', shop.slug)).stdout, /^There are no apps yet\.$/m);
    assert.match((await run('connection list', shop.slug)).stdout, / revoked {2}no webhook /);
    for (const words of ['app list', 'connection list']) {
      assert.equal((await run(words, 'nobody')).code, 1);
    }
  });
});
