import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
import { createServer, type Server } from 'node:net';
import { describe, it } from 'node:test';
import { type Answer, decode, encode } from 'dns-packet';
import { registerApp } from '../apps/app.ts';
import { systemClock } from '../base/clock.ts';
import { silentLog } from '../base/log.ts';
import { newId } from '../base/secrets.ts';
import { openConnection } from '../connections/connection.ts';
import type { Database, Transaction } from '../database/database.ts';
import { openChannel } from '../database/open-channel.ts';
import { statement } from '../database/statement.ts';
import { createApproval } from '../approvals/approval.ts';
import { INTERNAL_ADDRESSES } from '../../test/internal-addresses.ts';
import { seedParty, TEST_NOW, type TestParty } from '../../test/partner.ts';
import { addTestSite } from '../../test/registered-webhook.ts';
import { TEST_SECRET_KEY } from '../../test/service.ts';
import { openTestDatabase } from '../../test/test-database.ts';
import { waitUntil } from '../../test/wait-until.ts';
import { listAttempts } from '../webhooks/attempt-log.ts';
import { startDeliveryWorker } from './delivery-loop.ts';
import { openGuardedSender } from './guarded-sender.ts';
import { resolveHost } from './resolve-host.ts';
import { newWebhookSecret, WebhookSecrets } from '../webhooks/webhook-secrets.ts';
import { OPERATOR } from '../shops/audit.ts';

/**
 * Host names that resolve to an internal address. No connection to them is allowed, even if a name
 * also resolves to a public address.
 */
const INWARD_NAMES: ReadonlyMap<string, readonly string[]> = new Map([
  ['loopback.example', ['127.0.0.1']],
  ['loopback6.example', ['::1']],
  ['metadata.example', ['169.254.169.254']],
  ['private.example', ['10.0.0.1', '192.168.1.1']],
  ['mapped.example', ['::ffff:127.0.0.1']],
  ['nat64.example', ['64:ff9b::7f00:1']],
  ['mixed.example', ['1.1.1.1', '127.0.0.1']],
  ['mixed6.example', ['2606:4700:4700::1111', 'fd00::1']],
]);

// Inserts webhooks without the checks of registration, which would refuse all these URLs.
export const insertUncheckedWebhooks = statement(
  'test_insert_unchecked_webhooks',
  `insert into webhook (shop_id, connection_id, registration_id, url, origin, created_at, secret_sealed,
    secret_key_id, acknowledged_epoch, acknowledged_seq)
  select $1, g.connection_id, gen_random_uuid(), g.url, g.url, $2, g.sealed, g.key_id, 1, 0
    from unnest($3::uuid[], $4::text[], $5::bytea[], $6::text[]) as g (connection_id, url, sealed, key_id)`,
);

describe('the address guard in the log', () => {
  it('every spelling and host name of an internal address is refused and logged', async () => {
    await using base = await openTestDatabase();
    const party = await seedParty(base.db);
    await addTestSite(base.db, party);
    await using canary = await openCanary();
    await using names = await openNameServer();
    const hosts = [...INTERNAL_ADDRESSES.map(({ host }) => host), ...INWARD_NAMES.keys()];
    const urls = hosts.map((host) => `https://${host}:${canary.port}/notices`);
    const secrets = new WebhookSecrets(TEST_SECRET_KEY, null);
    const connectionIds = await insertWebhooks(base.db, party, secrets, urls);
    const onFault = assert.ifError;
    await using channel = disposable(await openChannel(base.engine, { onFault }));
    await using sender = disposable(
      openGuardedSender({
        allowsLoopback: false,
        resolve: async (host, signal) => await resolveHost(host, signal, [names.address]),
      }),
    );
    const delivery = startDeliveryWorker({
      db: base.db,
      channel: channel.it,
      clock: systemClock,
      log: silentLog(),
      secrets,
      sender: sender.it,
      onFault,
      meters: { delivered: () => undefined, failed: () => undefined, receiptTime: () => undefined },
    });
    try {
      const told = async (): Promise<(string | undefined)[]> =>
        await Promise.all(
          connectionIds.map(async (id) => {
            const attempts = await listAttempts(base.db, party.shop.id, id, {
              before: null,
              limit: 10,
            });
            return attempts?.map(({ result, error }) => `${result} ${error}`).join();
          }),
        );
      const isOver = (one: string | undefined): boolean => !/^$|in_progress/.test(one ?? '');
      await waitUntil(async () => (await told()).every(isOver));
      assert.deepEqual(
        (await told()).map((one, n) => `${hosts[n]}: ${one}`),
        hosts.map((host) => `${host}: failed blocked_address`),
      );
    } finally {
      await delivery.close(1_000);
    }
    assert.equal(canary.connections(), 0);
    assert.ok(hosts.length >= 60);
  });
});

/** Opens a connection of a separate app for each URL and inserts its webhook without checks. */
async function insertWebhooks(
  db: Database,
  { shop, accountId }: TestParty,
  secrets: WebhookSecrets,
  urls: readonly string[],
): Promise<string[]> {
  return await db.transaction(async (tx) => {
    const ids: string[] = [];
    for (let app = 0; app < urls.length; app++) ids.push(await connect(tx, shop.id, accountId));
    const sealed = ids.map((id) => secrets.seal(newWebhookSecret(), shop.id, id));
    await tx.query(insertUncheckedWebhooks, [
      shop.id,
      TEST_NOW,
      ids,
      [...urls],
      sealed.map((one) => one.sealed),
      sealed.map(({ keyId }) => keyId),
    ]);
    return ids;
  });
}

async function connect(tx: Transaction, shopId: string, accountId: string): Promise<string> {
  const scopes = ['inventory:read'] as const;
  const app = { name: 'Reader', contactEmail: null, scopes, sharesCost: false };
  const redirectUris = ['https://app.example/callback'];
  const registered = await registerApp(tx, shopId, { ...app, redirectUris }, TEST_NOW, OPERATOR);
  assert.ok(registered.kind === 'registered');
  const { clientId } = registered.app;
  const approval = { shopId, clientId, accountId, grantId: newId(), scopes: [...scopes] };
  const approvalId = await createApproval(tx, approval, TEST_NOW, OPERATOR);
  const opened = await openConnection(
    tx,
    { shopId, clientId, approvalId, accountId },
    TEST_NOW,
    OPERATOR,
  );
  assert.ok(opened.kind === 'created');
  return opened.connection.id;
}

/** Starts a server that counts connections on 127.0.0.1 and, if this machine has IPv6, on ::1. */
async function openCanary(): Promise<
  AsyncDisposable & { readonly port: number; readonly connections: () => number }
> {
  let connections = 0;
  const count = (): Server =>
    createServer((socket) => {
      connections += 1;
      socket.destroy();
    });
  const [first, second] = [count(), count()];
  await new Promise<void>((resolve) => {
    first.listen(0, '127.0.0.1', resolve);
  });
  const address = first.address();
  assert.ok(address !== null && typeof address === 'object');
  const { port } = address;
  await new Promise<void>((resolve) => {
    // A machine without IPv6 cannot listen on ::1.
    second.once('error', () => resolve());
    second.listen(port, '::1', resolve);
  });
  const close = async (server: Server): Promise<void> =>
    await new Promise((resolve) => {
      server.close(() => resolve());
    });
  return {
    port,
    connections: () => connections,
    [Symbol.asyncDispose]: async () => {
      await close(first);
      if (second.listening) await close(second);
    },
  };
}

/** Starts a DNS server that resolves only `INWARD_NAMES`. */
async function openNameServer(): Promise<AsyncDisposable & { readonly address: string }> {
  const socket = createSocket('udp4');
  socket.on('message', (message, from) => {
    const { id = 0, questions = [] } = decode(message);
    const [question] = questions;
    if (question === undefined) return;
    const { name, type } = question;
    const wanted = (INWARD_NAMES.get(name) ?? []).filter(
      (address) => address.includes(':') === (type === 'AAAA'),
    );
    const answers = wanted.map((data): Answer => {
      return { type: type === 'AAAA' ? 'AAAA' : 'A', name, ttl: 0, data };
    });
    socket.send(encode({ type: 'response', id, questions, answers }), from.port, from.address);
  });
  await new Promise<void>((resolve) => {
    socket.bind(0, '127.0.0.1', resolve);
  });
  return {
    address: `127.0.0.1:${socket.address().port}`,
    [Symbol.asyncDispose]: async () => {
      await new Promise<void>((resolve) => {
        socket.close(resolve);
      });
    },
  };
}

function disposable<T extends { close(): Promise<void> }>(
  closable: T,
): AsyncDisposable & { readonly it: T } {
  return { it: closable, [Symbol.asyncDispose]: async () => await closable.close() };
}
