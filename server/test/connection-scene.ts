import assert from 'node:assert/strict';
import { newId } from '../src/base/secrets.ts';
import type { Database } from '../src/database/database.ts';
import { statement } from '../src/database/statement.ts';
import { putSite } from '../src/inventory/site.ts';
import { createShopKey } from '../src/shops/shop-key.ts';
import { putWebhook } from '../src/webhooks/registration.ts';
import { WebhookSecrets } from '../src/webhooks/webhook-secrets.ts';
import {
  PARTNER_SECRET_KEY,
  type PartnerNode,
  seedGrant,
  seedParty,
  startPartnerNode,
  TEST_NOW,
  type TestParty,
} from './partner.ts';
import {
  type ShopApiResponse,
  type ShopApiCall,
  seedShopApi,
  setClock,
  type TestShopApi,
  TEST_SITE,
  startShopApi,
} from './shop-api.ts';
import { useShared } from './shared.ts';
import { openTestDatabase, type TestDatabase } from './test-database.ts';
import { OPERATOR } from '../src/shops/audit.ts';

/** The webhook URL of the scene. */
export const SCENE_URL = 'https://app.example/hook';

/**
 * An app that is connected to a shop, and a Shop API key of the shop. Both APIs run in this process
 * on one database.
 */
export interface ConnectionScene extends AsyncDisposable {
  readonly node: PartnerNode;
  readonly shopApi: TestShopApi;
  readonly db: Database;
  readonly party: TestParty;
  readonly shopId: string;
  readonly key: string;
  readonly token: string;
  readonly connectionId: string;
  /** Calls the Shop API with the shop's key. */
  call(method: string, path: string, call?: ShopApiCall): Promise<ShopApiResponse>;
  /** Approves the app and connects again. Returns the new connection. */
  connect(): Promise<{ readonly id: string; readonly token: string }>;
  putWebhook(): Promise<void>;
  /** Moves the head of the shop's feed by one. */
  changeStock(): Promise<void>;
}

/** Starts the scene. Reads of the feed are recorded after 5 ms. */
export async function startConnectionScene(base: TestDatabase): Promise<ConnectionScene> {
  const feedReadTimes = { notifyEveryMs: 5, flushEveryMs: 5 };
  const node = await startPartnerNode(base, { feedReadTimes });
  return await seedScene(node, await startShopApi({ ...base, db: node.db }));
}

/**
 * Starts both APIs for the tests of a `describe`. Each call of the returned function creates a new
 * shop and connection, and resets the clocks to `TEST_NOW`.
 */
export function useConnectionScene(): () => Promise<ConnectionScene> {
  const shared = useShared(async () => {
    const base = await openTestDatabase();
    const scene = await startConnectionScene(base);
    return {
      scene,
      [Symbol.asyncDispose]: async (): Promise<void> => {
        await scene[Symbol.asyncDispose]();
        await base.close();
      },
    };
  });
  return async () => {
    const { node, shopApi } = shared().scene;
    for (const { clock } of [node, shopApi]) setClock(clock, TEST_NOW);
    return await seedScene(node, await seedShopApi(shopApi));
  };
}

async function seedScene(node: PartnerNode, shopApi: TestShopApi): Promise<ConnectionScene> {
  const { db } = node;
  const party = await seedParty(db);
  const shopId = party.shop.id;
  const made = await db.transaction(
    async (tx) => await createShopKey(tx, shopId, 'office', TEST_NOW, OPERATOR),
  );
  if (made.kind !== 'created') throw new Error(made.kind);
  const { key } = made;
  const connect = async (): Promise<{ id: string; token: string }> => {
    const { token } = await seedGrant(db, party);
    const { status, text } = await node.call('POST', '/connection', { token });
    assert.equal(status, 201, text);
    const { id }: { id: string } = JSON.parse(text);
    return { id, token };
  };
  const { id: connectionId, token } = await connect();
  const secrets = new WebhookSecrets(PARTNER_SECRET_KEY, null);
  const webhook = { shopId, clientId: party.app.clientId, connectionId, allowsLoopback: false };
  return {
    node,
    shopApi,
    db,
    party,
    shopId,
    key,
    token,
    connectionId,
    connect,
    call: async (method, path, call) => await shopApi.call(method, path, { key, ...call }),
    putWebhook: async () => {
      const put = await db.transaction(
        async (tx) => await putWebhook(tx, secrets, { ...webhook, url: SCENE_URL }, TEST_NOW),
      );
      assert.equal(put.kind, 'put');
    },
    changeStock: async () => {
      const site = { ...TEST_SITE, kind: 'store' as const };
      await db.transaction(async (tx) => await putSite(tx, shopId, newId(), site, TEST_NOW));
    },
    [Symbol.asyncDispose]: async () => {
      await shopApi[Symbol.asyncDispose]();
      await node[Symbol.asyncDispose]();
    },
  };
}

/** An attempt as the worker records it. */
export interface TestAttempt {
  readonly number: number;
  readonly startedAt?: Date;
  readonly status?: number | null;
  readonly error?: string | null;
  readonly latencyMs?: number | null;
  readonly eventId?: string;
}

export const insertTestAttempt = statement(
  'test_insert_attempt',
  `insert into webhook_attempt (shop_id, connection_id, number, event_id, attempt, started_at, status, error, latency_ms)
   values ($1, $2, $3, $4, 1, $5, $6, $7, $8)`,
);

/** Adds a row to the attempt log. Returns its event id. */
export async function logTestAttempt(
  { db, shopId, connectionId }: ConnectionScene,
  attempt: TestAttempt,
): Promise<string> {
  const { number, startedAt = TEST_NOW, status = null, error = null, latencyMs = null } = attempt;
  const eventId = attempt.eventId ?? newId();
  const result = [status, error, latencyMs];
  await db.query(insertTestAttempt, [shopId, connectionId, number, eventId, startedAt, ...result]);
  return eventId;
}
