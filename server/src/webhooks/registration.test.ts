import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setAppEnabled } from '../apps/app.ts';
import { endConnection } from '../connections/connection.ts';
import { PARTNER_SECRET_KEY, TEST_NOW } from '../../test/partner.ts';
import {
  addTestSite,
  type ConnectedParty,
  failTestWebhook,
  putTestWebhook,
  seedConnectedParty,
  webhookRowOf,
} from '../../test/registered-webhook.ts';
import { useTestDatabase } from '../../test/shared.ts';
import {
  endConnectionAndWebhook,
  removeAppAndWebhooks,
  removeEndedWebhooks,
} from './end-connection.ts';
import { changeRedirectUris, type ChangeRedirectUrisResult } from './change-redirect-uris.ts';
import {
  putWebhook,
  readConnectionState,
  type RemovalReason,
  removeWebhook,
} from './registration.ts';
import { WebhookSecrets } from './webhook-secrets.ts';
import { OPERATOR } from '../shops/audit.ts';
import { listAudit } from '../shops/audit-log.ts';

const HOUR_MS = 3_600_000;
const HOOK = 'https://app.example/hook';
const secrets = new WebhookSecrets(PARTNER_SECRET_KEY, null);

describe('the registration of a webhook (decision 0100)', () => {
  const base = useTestDatabase();

  it('a registration starts at the feed’s head, and another PUT keeps position and lease and clears failures', async () => {
    const party = await seedConnectedParty(base.db);
    await addTestSite(base.db, party);
    await putTestWebhook(base.db, secrets, party);
    assert.equal((await webhookRowOf(base.db, party)).acknowledgedSeq, 1);
    await addTestSite(base.db, party);
    await base.db.query(failTestWebhook, [party.shop.id, TEST_NOW]);
    const failing = await webhookRowOf(base.db, party);
    await putTestWebhook(base.db, secrets, party);
    const row = await webhookRowOf(base.db, party);
    assert.deepEqual(
      [row.acknowledgedSeq, row.eventId, row.failures, row.attemptsMade],
      [1, null, 0, 3],
    );
    assert.deepEqual([failing.notBefore, failing.earlyAt], [TEST_NOW, TEST_NOW]);
    assert.deepEqual([row.nextAttemptAt, row.notBefore, row.earlyAt], [null, null, null]);
    assert.deepEqual([row.leaseId, row.leasedUntil], [failing.leaseId, failing.leasedUntil]);
    assert.notEqual(row.registrationId, failing.registrationId);
  });

  it('after any number of PUTs, the previous secret is that of the previous PUT', async () => {
    const party = await seedConnectedParty(base.db);
    const made: string[] = [];
    for (let hour = 0; hour < 3; hour++) {
      const now = new Date(TEST_NOW.getTime() + hour * HOUR_MS);
      made.push(await putTestWebhook(base.db, secrets, party, { now }));
      const row = await webhookRowOf(base.db, party);
      const { id } = party.shop;
      const open = (sealed: Buffer | null, keyId: string | null): string | null =>
        sealed === null || keyId === null
          ? null
          : (secrets.unseal(sealed, keyId, id, party.connectionId) ?? null);
      assert.equal(open(row.sealed, row.keyId), made.at(-1));
      assert.equal(open(row.previousSealed, row.previousKeyId), made.at(-2) ?? null);
      const until = made.length === 1 ? null : new Date(now.getTime() + 24 * HOUR_MS);
      assert.deepEqual(row.previousUntil, until);
    }
  });

  it('a new or replaced webhook wakes the delivery workers', async () => {
    const party = await seedConnectedParty(base.db);
    await addTestSite(base.db, party);
    let heard = 0;
    base.db.onAnnouncement((topic, payload) => {
      if (topic === 'webhooks' && payload === party.shop.id) heard += 1;
    });
    await putTestWebhook(base.db, secrets, party);
    assert.equal(heard, 1);
    await putTestWebhook(base.db, secrets, party);
    assert.equal(heard, 2);
  });

  it('a registration for an ended connection or an unacceptable URL is refused, and writes nothing', async () => {
    const party = await seedConnectedParty(base.db);
    const { shop, app, connectionId } = party;
    const asked = { shopId: shop.id, clientId: app.clientId, connectionId, allowsLoopback: false };
    const put = async (url: string): Promise<string> => {
      const result = await base.db.transaction(
        async (tx) => await putWebhook(tx, secrets, { ...asked, url }, TEST_NOW),
      );
      return result.kind;
    };
    assert.equal(await put('https://other.example/hook'), 'unacceptable');
    await base.db.transaction(
      async (tx) => await endConnection(tx, shop.id, app.clientId, 'shop', TEST_NOW, OPERATOR),
    );
    assert.equal(await put(HOOK), 'connection_ended');
    const state = await base.db.one(readConnectionState, [shop.id, connectionId]);
    assert.deepEqual(state, { epoch: 1, seq: 0, url: null, createdAt: null });
  });

  it('a webhook can be removed once, which changes the registration id under an attempt in progress', async () => {
    const party = await seedConnectedParty(base.db);
    const { shop, connectionId } = party;
    await putTestWebhook(base.db, secrets, party);
    await base.db.query(failTestWebhook, [shop.id, TEST_NOW]);
    const before = await webhookRowOf(base.db, party);
    const remove = async (): Promise<boolean> =>
      await base.db.transaction(
        async (tx) => await removeWebhook(tx, shop.id, connectionId, 'gone', TEST_NOW),
      );
    assert.deepEqual([await remove(), await remove()], [true, false]);
    const row = await webhookRowOf(base.db, party);
    assert.deepEqual([row.removalReason, row.sealed, row.eventId], ['gone', null, null]);
    assert.deepEqual([before.earlyAt, row.earlyAt], [TEST_NOW, null]);
    assert.equal(row.leaseId, before.leaseId);
    assert.notEqual(row.registrationId, before.registrationId);
  });

  async function entries({ shop, connectionId }: ConnectedParty): Promise<readonly string[]> {
    const all = await listAudit(base.db, shop.id, { before: null, limit: 20 });
    const told = all.filter(({ action }) => action.startsWith('webhook.')).toReversed();
    for (const { subject, details } of told) {
      const { connection, origin } = details;
      assert.deepEqual([connection, origin], [connectionId, 'https://app.example']);
      assert.deepEqual([subject.kind, subject.name], ['app', 'Reader']);
      assert.doesNotMatch(JSON.stringify(details), /hook|whsec_/);
    }
    return told.map(({ action, actor, details: { reason } }) =>
      [action, 'by', actor.kind, reason].filter(Boolean).join(' '),
    );
  }

  it('the audit log shows that a webhook was set, replaced or removed, without the path of its URL', async () => {
    const party = await seedConnectedParty(base.db);
    const { shop, connectionId } = party;
    const remove = async (reason: RemovalReason): Promise<boolean> =>
      await base.db.transaction(
        async (tx) => await removeWebhook(tx, shop.id, connectionId, reason, TEST_NOW),
      );
    assert.equal(await remove('app'), false);
    assert.deepEqual(await entries(party), [], 'nothing was there');
    await putTestWebhook(base.db, secrets, party);
    await putTestWebhook(base.db, secrets, party);
    for (const reason of ['app', 'gone', 'failing'] as const) {
      await putTestWebhook(base.db, secrets, party);
      assert.deepEqual([await remove(reason), await remove(reason)], [true, false]);
    }
    await putTestWebhook(base.db, secrets, party);
    await change(party.app.clientId, ['https://app.example/other']);
    await change(party.app.clientId, ['https://new.example/cb']);
    const put = 'webhook.registered by app';
    assert.deepEqual((await entries(party)).toSorted(), [
      ...Array.from<string>({ length: 6 }).fill(put),
      'webhook.removed by app app',
      'webhook.removed by operator redirect_uri',
      'webhook.removed by service failing',
      'webhook.removed by service gone',
    ]);
  });

  it('a webhook loses its secrets in the transaction that ends the connection or removes the app', async () => {
    const ended = await seedConnectedParty(base.db);
    const removed = await seedConnectedParty(base.db);
    const bystander = await seedConnectedParty(base.db);
    for (const each of [ended, removed, bystander]) await putTestWebhook(base.db, secrets, each);
    const end = async (connectionId: string): Promise<string> =>
      await base.db.transaction(
        async (tx) =>
          await endConnectionAndWebhook(
            tx,
            ended.shop.id,
            connectionId,
            'shop',
            TEST_NOW,
            OPERATOR,
          ),
      );
    assert.equal(await end(bystander.connectionId), 'not_found');
    const { connectionId } = ended;
    assert.deepEqual([await end(connectionId), await end(connectionId)], ['ended', 'ended_before']);
    const { clientId } = removed.app;
    const remove = async (): Promise<boolean> =>
      await base.db.transaction(
        async (tx) => await removeAppAndWebhooks(tx, clientId, TEST_NOW, OPERATOR),
      );
    assert.deepEqual([await remove(), await remove()], [true, false]);
    for (const each of [ended, removed]) {
      const row = await webhookRowOf(base.db, each);
      assert.deepEqual([row.removalReason, row.sealed], ['connection_ended', null]);
      assert.deepEqual(
        await entries(each),
        ['webhook.registered by app'],
        'one entry for one deed',
      );
    }
    assert.notEqual((await webhookRowOf(base.db, bystander)).sealed, null);
  });

  async function change(
    clientId: string,
    redirectUris: readonly string[],
  ): Promise<ChangeRedirectUrisResult> {
    return await base.db.transaction(
      async (tx) => await changeRedirectUris(tx, clientId, redirectUris, TEST_NOW, OPERATOR),
    );
  }

  it('a webhook is removed if no redirect URI has its origin any longer, even if the app is disabled', async () => {
    const [party, bystander] = [
      await seedConnectedParty(base.db),
      await seedConnectedParty(base.db),
    ];
    for (const each of [party, bystander]) await putTestWebhook(base.db, secrets, each);
    const { clientId } = party.app;
    await base.db.transaction(
      async (tx) => await setAppEnabled(tx, clientId, false, TEST_NOW, OPERATOR),
    );
    const kept = await change(clientId, ['https://new.example/cb', 'https://app.example/other']);
    assert.ok(kept.kind === 'changed' && kept.removedWebhookUrl === null);
    assert.equal((await webhookRowOf(base.db, party)).removalReason, null);
    const faults = [
      [],
      ['http://app.example/cb'],
      ['https://app.example/cb#'],
      ['https://a.example/cb', 'https://a.example/cb'],
    ];
    for (const uris of faults) assert.equal((await change(clientId, uris)).kind, 'invalid');
    assert.equal((await change('app_nobody', ['https://new.example/cb'])).kind, 'unknown');
    assert.equal((await webhookRowOf(base.db, party)).removalReason, null);
    const lost = await change(clientId, ['https://app.example:8443/cb', 'https://new.example/cb']);
    assert.ok(lost.kind === 'changed' && lost.removedWebhookUrl === HOOK);
    assert.deepEqual(lost.app.redirectUris, [
      'https://app.example:8443/cb',
      'https://new.example/cb',
    ]);
    const row = await webhookRowOf(base.db, party);
    assert.deepEqual([row.removalReason, row.sealed, row.keyId], ['redirect_uri', null, null]);
    assert.equal((await webhookRowOf(base.db, bystander)).removalReason, null);
  });

  it('a webhook is never kept for an origin that is removed concurrently', async () => {
    for (let round = 0; round < 10; round++) {
      const party = await seedConnectedParty(base.db);
      await putTestWebhook(base.db, secrets, party);
      await Promise.all([
        putTestWebhook(base.db, secrets, party).catch((error: unknown) => {
          assert.match(String(error), /unacceptable/);
        }),
        change(party.app.clientId, ['https://new.example/cb']),
      ]);
      assert.equal((await webhookRowOf(base.db, party)).removalReason, 'redirect_uri');
    }
  });

  it('the clean-up removes the secrets of a webhook whose connection has ended, and no others', async () => {
    const [ended, active] = [await seedConnectedParty(base.db), await seedConnectedParty(base.db)];
    for (const each of [ended, active]) await putTestWebhook(base.db, secrets, each);
    const { shop, app } = ended;
    await base.db.transaction(
      async (tx) => await endConnection(tx, shop.id, app.clientId, 'shop', TEST_NOW, OPERATOR),
    );
    const clean = async (signal: AbortSignal): Promise<number> =>
      await removeEndedWebhooks(base.db, TEST_NOW, signal);
    assert.equal(await clean(AbortSignal.abort()), 0);
    assert.notEqual((await webhookRowOf(base.db, ended)).sealed, null);
    const { signal } = new AbortController();
    assert.deepEqual([await clean(signal), await clean(signal)], [1, 0]);
    const row = await webhookRowOf(base.db, ended);
    assert.deepEqual([row.removalReason, row.sealed], ['connection_ended', null]);
    assert.notEqual((await webhookRowOf(base.db, active)).sealed, null);
  });
});
