import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setAppEnabled } from '../apps/app.ts';
import { newId } from '../base/secrets.ts';
import { endConnection, removeApp } from '../connections/connection.ts';
import { statement } from '../database/statement.ts';
import { removeWebhook } from '../webhooks/registration.ts';
import { errorOf } from '../../test/shop-api-boosts.ts';
import {
  type ConnectionScene,
  logTestAttempt,
  SCENE_URL,
  useConnectionScene,
} from '../../test/connection-scene.ts';
import { TEST_NOW } from '../../test/partner.ts';
import { waitUntil } from '../../test/wait-until.ts';
import { OPERATOR } from '../shops/audit.ts';

export const setTestProgress = statement(
  'test_set_webhook_progress',
  `update webhook set event_id = connection_id, failures = $3, failing_since = $4, next_attempt_at = $5, early_at = $6
   where shop_id = $1 and connection_id = $2`,
);
export const leaseTestWebhook = statement(
  'test_lease_webhook',
  `update webhook set attempts_made = $3, lease_id = connection_id,
     leased_until = now() + $4::int * interval '1 second'
   where shop_id = $1 and connection_id = $2`,
);
export const readTestTrial = statement<{ eventId: string | null; earlyAt: Date | null }>(
  'test_read_trial',
  `select event_id as "eventId", early_at as "earlyAt" from webhook where shop_id = $1 and connection_id = $2`,
);

const NOW = TEST_NOW.toISOString();
const NOT_FOUND = [404, 'not_found', 'The shop has no connection with this id.'];

function later(ms: number): Date {
  return new Date(TEST_NOW.getTime() + ms);
}

async function show(scene: ConnectionScene): Promise<Readonly<Record<string, unknown>>> {
  const { status, body, text } = await scene.call('GET', `/connections/${scene.connectionId}`);
  assert.equal(status, 200, text);
  return body;
}

describe('connections as their shop sees them', () => {
  const openScene = useConnectionScene();

  it('connections show app, member, webhook and lag, and why the webhook was removed', async () => {
    const scene = await openScene();
    const { db, party, shopId, connectionId } = scene;
    const { clientId } = party.app;
    const user = { id: party.accountId, name: 'Aoi Tanaka', email: party.email };
    const lag = { changes: 0, lastReadAt: null, minutesSinceRead: null };
    const plain = {
      id: connectionId,
      status: 'active',
      app: { clientId, name: 'Reader', isEnabled: true },
      user,
      connectedAt: NOW,
      endedAt: null,
      endReason: null,
      webhook: null,
      removedWebhook: null,
      lag,
    };
    assert.deepEqual(await show(scene), plain);
    await scene.putWebhook();
    const idle = {
      url: SCENE_URL,
      createdAt: NOW,
      state: 'idle',
      failingSince: null,
      failures: 0,
      nextAttemptAt: null,
      lastAttempt: null,
    };
    assert.deepEqual(await show(scene), { ...plain, webhook: idle });
    await scene.changeStock();
    const behind = { ...plain, lag: { ...lag, changes: 1 } };
    const due = { ...idle, state: 'due', nextAttemptAt: NOW };
    assert.deepEqual(await show(scene), { ...behind, webhook: due });
    const failing = { startedAt: later(-5_000), status: 500, error: 'status', latencyMs: 12 };
    const eventId = await logTestAttempt(scene, { number: 7, ...failing });
    const retry = [2, later(-60_000), later(60_000), later(30_000)];
    await db.query(setTestProgress, [shopId, connectionId, ...retry]);
    const startedAt = later(-5_000).toISOString();
    const retrying = {
      ...idle,
      state: 'retrying',
      failingSince: later(-60_000).toISOString(),
      failures: 2,
      nextAttemptAt: later(30_000).toISOString(),
      lastAttempt: { number: 7, eventId, attempt: 1, ...failing, startedAt, result: 'failed' },
    };
    assert.deepEqual(await show(scene), { ...behind, webhook: retrying });
    await db.transaction(
      async (tx) => await setAppEnabled(tx, clientId, false, TEST_NOW, OPERATOR),
    );
    assert.deepEqual(await show(scene), {
      ...behind,
      app: { ...plain.app, isEnabled: false },
      webhook: { ...retrying, state: 'paused', nextAttemptAt: null },
    });
    await db.transaction(async (tx) => await setAppEnabled(tx, clientId, true, TEST_NOW, OPERATOR));
    await db.transaction(
      async (tx) => await removeWebhook(tx, shopId, connectionId, 'gone', later(1)),
    );
    const removedAt = later(1).toISOString();
    const removedWebhook = { url: SCENE_URL, removedAt, reason: 'gone' };
    assert.deepEqual(await show(scene), { ...behind, removedWebhook });
    await scene.putWebhook();
    await db.transaction(async (tx) => await removeApp(tx, clientId, later(2), OPERATOR));
    const endedAt = later(2).toISOString();
    assert.deepEqual(await show(scene), {
      ...behind,
      status: 'revoked',
      app: { ...plain.app, isEnabled: false },
      endedAt,
      endReason: 'app_deleted',
      removedWebhook: { url: SCENE_URL, removedAt: endedAt, reason: 'connection_ended' },
    });
  });

  it('a connection shows the app’s lag, measured from the cursor of its last read', async () => {
    const scene = await openScene();
    const { token, node, shopApi } = scene;
    for (let change = 0; change < 3; change++) await scene.changeStock();
    const lag = async (): Promise<unknown> => (await show(scene))['lag'];
    const read = async (query: string): Promise<string> => {
      const answer = await node.call('GET', `/inventory/changes?${query}`, { token });
      assert.ok([200, 410].includes(answer.status), answer.text);
      const { nextCursor }: { nextCursor: string } = JSON.parse(answer.text);
      return nextCursor;
    };
    const shows = async (changes: number, minutesSinceRead: number | null): Promise<void> => {
      const lastReadAt = node.clock.now().toISOString();
      const expected = { changes, lastReadAt, minutesSinceRead };
      await waitUntil(async () => {
        const { changes: seen, lastReadAt: at } = Object(await lag());
        return seen === changes && at === lastReadAt;
      });
      assert.deepEqual(await lag(), expected);
    };
    assert.deepEqual(await lag(), { changes: 3, lastReadAt: null, minutesSinceRead: null });
    const middle = await read('limit=2');
    await shows(3, 0);
    node.clock.advance(1);
    shopApi.clock.advance(1);
    const head = await read(`cursor=${middle}`);
    await shows(1, 0);
    node.clock.advance(1);
    shopApi.clock.advance(1);
    await read(`cursor=${head}`);
    await shows(0, 0);
    const lastReadAt = node.clock.now().toISOString();
    shopApi.clock.advance(119_999);
    assert.deepEqual(await lag(), { changes: 0, lastReadAt, minutesSinceRead: 1 });
    shopApi.clock.advance(1);
    await scene.changeStock();
    assert.deepEqual(await lag(), { changes: 1, lastReadAt, minutesSinceRead: 2 });
    node.clock.advance(120_000);
    const past = node.cursors.encode(scene.shopId, { epoch: 1, seq: 99 });
    await read(`cursor=${past}`);
    await shows(4, 0);
  });

  it('connections are listed in pages, optionally of one status, and only for their own shop', async () => {
    const scene = await openScene();
    const { db, party, shopId, connectionId } = scene;
    await db.transaction(
      async (tx) => await endConnection(tx, shopId, party.app.clientId, 'app', TEST_NOW, OPERATOR),
    );
    const { id: newer } = await scene.connect();
    const idsOf = async (query: string): Promise<unknown> => {
      const { status, body, text } = await scene.call('GET', `/connections${query}`);
      assert.equal(status, 200, text);
      const { connections }: { connections?: readonly { readonly id: string }[] } = body;
      return connections?.map(({ id }) => id);
    };
    const both = [connectionId, newer].toSorted();
    assert.deepEqual(await idsOf(''), both);
    assert.deepEqual(await idsOf('?status=active'), [newer]);
    assert.deepEqual(await idsOf('?status=revoked'), [connectionId]);
    const first = await scene.call('GET', '/connections?limit=1');
    assert.deepEqual(Object.keys(first.body), ['connections', 'nextCursor', 'hasMore']);
    assert.equal(first.body['hasMore'], true);
    const next = String(first.body['nextCursor']);
    assert.deepEqual(await idsOf(`?limit=1&cursor=${next}`), both.slice(1));
    for (const query of ['status=ended', 'status=', 'status=active&status=active', 'cursor=x']) {
      const { status } = await scene.call('GET', `/connections?${query}`);
      assert.equal(status, 400, query);
    }
    const other = { key: scene.shopApi.otherKey };
    const foreign = await scene.call('GET', '/connections', other);
    assert.deepEqual(foreign.body, { connections: [], nextCursor: null, hasMore: false });
    for (const id of [connectionId, newId(), 'no-uuid']) {
      const answer = await scene.call('GET', `/connections/${id}`, other);
      assert.deepEqual(errorOf(answer), NOT_FOUND);
    }
  });

  it('attempts are listed newest first in pages, even those of ended connections', async () => {
    const scene = await openScene();
    const { db, shopId, connectionId, party } = scene;
    const path = `/connections/${connectionId}/attempts`;
    const empty = await scene.call('GET', path);
    assert.deepEqual(empty.body, { attempts: [], nextCursor: null, hasMore: false });
    await scene.putWebhook();
    const ids = [
      await logTestAttempt(scene, { number: 8, error: 'dns', latencyMs: 3 }),
      await logTestAttempt(scene, { number: 9 }),
      await logTestAttempt(scene, { number: 10, status: 204, latencyMs: 40 }),
      await logTestAttempt(scene, { number: 11 }),
      // The worker of attempt 7 was stopped and recorded the duration. The worker of attempt 9
      // crashed.
      await logTestAttempt(scene, { number: 7, error: 'interrupted', latencyMs: 15 }),
    ];
    const base11 = { attempt: 1, startedAt: NOW };
    const none = { status: null, error: null, latencyMs: null };
    const shown = [
      { number: 11, eventId: ids[3], ...base11, result: 'in_progress', ...none },
      {
        number: 10,
        eventId: ids[2],
        ...base11,
        result: 'delivered',
        status: 204,
        error: null,
        latencyMs: 40,
      },
      { number: 9, eventId: ids[1], ...base11, result: 'failed', ...none, error: 'interrupted' },
      {
        number: 8,
        eventId: ids[0],
        ...base11,
        result: 'failed',
        status: null,
        error: 'dns',
        latencyMs: 3,
      },
      {
        number: 7,
        eventId: ids[4],
        ...base11,
        result: 'failed',
        status: null,
        error: 'interrupted',
        latencyMs: 15,
      },
    ];
    await db.query(leaseTestWebhook, [shopId, connectionId, 11, 60]);
    const first = await scene.call('GET', `${path}?limit=2`);
    assert.deepEqual(first.body['attempts'], shown.slice(0, 2));
    assert.equal(first.body['hasMore'], true);
    const second = await scene.call('GET', `${path}?cursor=${String(first.body['nextCursor'])}`);
    const rest = { attempts: shown.slice(2), nextCursor: null, hasMore: false };
    assert.deepEqual(second.body, rest);
    assert.equal(Object(await show(scene))['webhook']['lastAttempt']['result'], 'in_progress');
    // The worker has crashed, and no other worker has claimed the delivery since.
    await db.query(leaseTestWebhook, [shopId, connectionId, 11, -1]);
    const interrupted = { ...shown[0], result: 'failed', error: 'interrupted' };
    await db.transaction(
      async (tx) => await endConnection(tx, shopId, party.app.clientId, 'shop', TEST_NOW, OPERATOR),
    );
    const ended = await scene.call('GET', path);
    assert.deepEqual(ended.body['attempts'], [interrupted, ...shown.slice(1)]);
    for (const query of ['limit=0', 'limit=1001', 'cursor=x', 'cursor=__________8']) {
      assert.equal((await scene.call('GET', `${path}?${query}`)).status, 400, query);
    }
    const foreign = await scene.call('GET', path, { key: scene.shopApi.otherKey });
    assert.deepEqual(errorOf(foreign), NOT_FOUND);
    const unknown = await scene.call('GET', `/connections/${newId()}/attempts`);
    assert.deepEqual(errorOf(unknown), NOT_FOUND);
  });
});

describe('the shop’s actions on its connections', () => {
  const openScene = useConnectionScene();

  it('an action requests a test delivery, and repeating it before the event is sent returns the same event', async () => {
    const scene = await openScene();
    const { db, shopId, connectionId, party } = scene;
    const path = `/connections/${connectionId}/notice`;
    const told: string[] = [];
    db.onAnnouncement((topic, payload) => {
      if (topic === 'webhooks') told.push(payload);
    });
    const state = async (): Promise<unknown> => await db.one(readTestTrial, [shopId, connectionId]);
    assert.deepEqual(errorOf(await scene.call('POST', path)), [
      409,
      'conflict',
      'The connection has no webhook.',
    ]);
    await scene.putWebhook();
    assert.deepEqual(told.splice(0), [shopId]);
    const asked = await scene.call('POST', path);
    assert.equal(asked.status, 202, asked.text);
    assert.deepEqual(Object.keys(asked.body), ['eventId']);
    const { eventId } = asked.body;
    assert.deepEqual(await state(), { eventId, earlyAt: TEST_NOW });
    scene.shopApi.clock.advance(700);
    const again = await scene.call('POST', path, { body: {} });
    assert.deepEqual([again.status, again.body], [202, { eventId }]);
    assert.deepEqual(await state(), { eventId, earlyAt: TEST_NOW });
    assert.deepEqual(told, [shopId, shopId]);
    const refused: readonly [path: string, call: object, expected: readonly unknown[]][] = [
      [path, { key: scene.shopApi.otherKey }, NOT_FOUND],
      [`/connections/${newId()}/notice`, {}, NOT_FOUND],
      [
        path,
        { body: { now: true } },
        [400, 'invalid_request', 'This call takes no fields in the body.'],
      ],
    ];
    for (const [target, call, expected] of refused) {
      assert.deepEqual(errorOf(await scene.call('POST', target, call)), expected);
    }
    const { clientId } = party.app;
    await db.transaction(
      async (tx) => await setAppEnabled(tx, clientId, false, TEST_NOW, OPERATOR),
    );
    assert.deepEqual(errorOf(await scene.call('POST', path)), [
      409,
      'conflict',
      'The app is disabled. Deliveries are paused until it is enabled.',
    ]);
    await db.transaction(
      async (tx) => await endConnection(tx, shopId, clientId, 'app', TEST_NOW, OPERATOR),
    );
    assert.deepEqual(errorOf(await scene.call('POST', path)), [
      409,
      'conflict',
      'The connection has ended.',
    ]);
    assert.deepEqual(told, [shopId, shopId]);
  });

  it('an action ends a connection with everything that depends on it, but not the app’s next connection', async () => {
    const scene = await openScene();
    const { connectionId, token, node } = scene;
    await scene.putWebhook();
    assert.equal((await node.call('GET', '/connection', { token })).status, 200);
    const path = `/connections/${connectionId}`;
    const foreign = await scene.call('DELETE', path, { key: scene.shopApi.otherKey });
    assert.deepEqual(errorOf(foreign), NOT_FOUND);
    assert.deepEqual(errorOf(await scene.call('DELETE', `/connections/${newId()}`)), NOT_FOUND);
    assert.equal((await node.call('GET', '/connection', { token })).status, 200);
    const ended = await scene.call('DELETE', path);
    assert.deepEqual([ended.status, ended.text], [204, '']);
    const refused = await node.call('GET', '/connection', { token });
    assert.deepEqual([refused.status, refused.text], [403, '{"error":"connection_revoked"}']);
    const removedWebhook = { url: SCENE_URL, removedAt: NOW, reason: 'connection_ended' };
    const shown = await show(scene);
    assert.deepEqual(
      [shown['status'], shown['endReason'], shown['endedAt']],
      ['revoked', 'shop', NOW],
    );
    assert.deepEqual([shown['webhook'], shown['removedWebhook']], [null, removedWebhook]);
    const newer = await scene.connect();
    assert.equal((await scene.call('DELETE', path)).status, 204);
    assert.equal((await node.call('GET', '/connection', { token: newer.token })).status, 200);
  });

  it('an action does not end a new connection that is created while the old connection ends', async () => {
    const scene = await openScene();
    let { connectionId: oldId } = scene;
    for (let round = 0; round < 8; round++) {
      const replace = async (): Promise<{ id: string; token: string }> => {
        const { clientId } = scene.party.app;
        const { db, shopId } = scene;
        await db.transaction(
          async (tx) => await endConnection(tx, shopId, clientId, 'app', TEST_NOW, OPERATOR),
        );
        return await scene.connect();
      };
      const deletes = Array.from({ length: 3 }, async () => {
        const { status } = await scene.call('DELETE', `/connections/${oldId}`);
        return status;
      });
      const [newer, ...statuses] = await Promise.all([replace(), ...deletes]);
      assert.deepEqual(statuses, [204, 204, 204]);
      const alive = await scene.node.call('GET', '/connection', { token: newer.token });
      assert.equal(alive.status, 200, alive.text);
      oldId = newer.id;
    }
  });
});
