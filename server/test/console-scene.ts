import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { registerApp, setAppEnabled } from '../src/apps/app.ts';
import { addAppSecret } from '../src/apps/app-secret.ts';
import { systemClock } from '../src/base/clock.ts';
import { findFreePort } from '../src/base/free-port.ts';
import { newId } from '../src/base/secrets.ts';
import { endConnection, openConnection } from '../src/connections/connection.ts';
import { listLiveBoosts } from '../src/boosts/boost-row.ts';
import type { Database, Transaction } from '../src/database/database.ts';
import { statement } from '../src/database/statement.ts';
import { openDemo } from '../src/demo/open-demo.ts';
import { makePhotos } from '../src/demo/photos.ts';
import { createApproval } from '../src/approvals/approval.ts';
import { drawJpeg } from '../src/images/draw-jpeg.ts';
import { findAccountByEmail } from '../src/shops/account.ts';
import { listPlaces } from '../src/inventory/places.ts';
import { receiveLines, type Transact } from '../src/receipts/receipt.ts';
import { OPERATOR } from '../src/shops/audit.ts';
import { inviteMember } from '../src/shops/invite-member.ts';
import { addMember, setMember } from '../src/shops/member.ts';
import { startSession } from '../src/shops/session.ts';
import type { Shop } from '../src/shops/shop.ts';
import { putWebhook } from '../src/webhooks/registration.ts';
import { WebhookSecrets } from '../src/webhooks/webhook-secrets.ts';
import { addCheckedImport } from './checked-import.ts';
import { saveLongLivedToken } from './long-lived-token.ts';
import { seedShop, startTestService, TEST_SECRET_KEY, type TestService } from './service.ts';
import type { TestDatabase } from './test-database.ts';

/** The number of photos in the scene. The demo has more, and each takes about 30 ms. */
const PHOTOS = 6;

/** A shop with everything that the console can show, and members with different permissions. */
export interface ConsoleScene extends AsyncDisposable {
  readonly service: TestService;
  readonly shop: Shop;
  /** The account of the owner, who has all permissions. */
  readonly ownerId: string;
  /** The account of a clerk, who cannot see apps, members or costs. */
  readonly clerkId: string;
  /** The owner of another, empty shop. */
  readonly strangerId: string;
  readonly strangersShop: Shop;
  /**
   * Pages that look different from the first page of their route: a disabled app, an app with one
   * secret instead of two, an inactive member, a clerk instead of the owner, a boost right after a
   * purchase, and a unit with a photo.
   */
  readonly otherPaths: readonly string[];
}

/**
 * Starts the service with the demo shop. Adds apps that work, fail, are disabled or disconnected,
 * two days of webhook attempts, photos, an invitation, a stock import and a second shop.
 */
export async function startConsoleScene(base: TestDatabase): Promise<ConsoleScene> {
  const folder = mkdtempSync(join(tmpdir(), 'cardport-console-'));
  // Passkeys need a host name.
  const port = await findFreePort('127.0.0.1');
  const address = { PORT: String(port), PUBLIC_URL: `http://localhost:${port}` };
  const service = await startTestService(base, { environment: { DATA_DIR: folder, ...address } });
  const { db } = base;
  const demo = await openDemo(db, systemClock, folder, () => undefined);
  if (demo.kind !== 'demo') throw new Error(demo.reason);
  const { shop, credentials } = demo;
  const owner = await findAccountByEmail(db, credentials.email);
  const clerk = await findAccountByEmail(db, 'ren@demo.example');
  if (owner === undefined || clerk === undefined) throw new Error('the demo has no members');
  for (const photo of makePhotos().slice(0, PHOTOS)) {
    const path = `/units/${photo.unitId}/photos/${photo.side}`;
    const answer = await fetch(`${service.shopUrl}${path}`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${credentials.shopKey}`, 'content-type': 'image/jpeg' },
      body: new Uint8Array(await drawJpeg(photo.svg)),
    });
    if (!answer.ok) throw new Error(`${path}: ${answer.status}`);
  }
  const by = { kind: 'member', accountId: owner.id } as const;
  // Add a former member and a disabled app.
  const [formerId, ledger] = await db.transaction(async (tx) => {
    const now = new Date();
    const { passwordHash } = owner;
    const former = {
      email: 'jun@demo.example',
      name: '元木 じゅん',
      passwordHash,
      permissions: [],
    };
    const joined = await addMember(tx, shop.id, former, now, OPERATOR);
    if (joined.kind !== 'added') throw new Error(joined.kind);
    const { id } = joined.member.account;
    await setMember(tx, shop.id, id, { isActive: false }, now, OPERATOR);
    const clientId = await register(tx, shop.id, 'Tax & Ledger', now);
    await setAppEnabled(tx, clientId, false, now, OPERATOR);
    return [id, clientId];
  });
  const bot = await db.transaction(async (tx) => {
    const now = new Date();
    const { clientId } = credentials;
    // Add a second session, as if another browser were still signed in.
    await startSession(tx, owner.id, now);
    await tx.query(insertScenePasskey, [owner.id, newId(), now]);
    const board = { shop, clientId, accountId: owner.id, url: 'http://127.0.0.1:8090/hook' };
    await connect(tx, board, { failures: 0 }, now);
    const failingId = await register(tx, shop.id, '入荷つぶやきボット', now);
    const failing = {
      shop,
      clientId: failingId,
      accountId: clerk.id,
      url: 'https://bot.example/hook',
    };
    await connect(tx, failing, { failures: 6 }, now);
    const added = await addAppSecret(tx, shop.id, ledger, now, by);
    if (added.kind !== 'added') throw new Error(added.kind);
    const gone = await register(tx, shop.id, 'Price Watch', now);
    await connect(tx, { ...failing, clientId: gone }, null, now);
    await endConnection(tx, shop.id, gone, 'shop', now, OPERATOR);
    const invitation = { email: 'new@person.example', permissions: ['purchases.read'] as const };
    await inviteMember(
      tx,
      shop.id,
      { ...invitation, language: 'ja', provesAddress: true },
      now,
      by,
    );
    await addCheckedImport(tx, shop.id, owner.id, '在庫.csv');
    return failingId;
  });
  const bought = await buyOnBoost(db, shop, owner.id);
  const other = await seedShop(base, { name: 'Empty Shelf', email: 'mika@empty.example' });
  return {
    service,
    shop,
    ownerId: owner.id,
    clerkId: clerk.id,
    strangerId: other.member.account.id,
    strangersShop: other.shop,
    otherPaths: [
      `/apps/${ledger}`,
      `/apps/${bot}/secrets`,
      `/members/${formerId}`,
      `/boosts/${bought.boostId}?bought=${bought.id}`,
      `/stock/${makePhotos()[0]?.unitId ?? ''}`,
      `/members/${clerk.id}`,
    ].map((path) => `/console/shops/${shop.slug}${path}`),
    [Symbol.asyncDispose]: async () => {
      await service.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Buys one unit on the first boost that wants a card in a certain grade, as the owner. */
async function buyOnBoost(
  db: Database,
  shop: Shop,
  accountId: string,
): Promise<{ readonly boostId: string; readonly id: string }> {
  const now = new Date();
  const [boosts, places] = await Promise.all([
    listLiveBoosts(db, shop.id, now),
    listPlaces(db, shop.id),
  ]);
  const boost = boosts.find(({ cardId, gradeId }) => cardId !== null && gradeId !== null);
  const [place] = places;
  if (boost === undefined || place === undefined) throw new Error('the demo has no boost');
  const { cardId, gradeId, priceMinor: costMinor } = boost;
  if (cardId === null) throw new Error('the boost is for a product');
  const item = { kind: 'card', cardId, gradeId } as const;
  const line = {
    id: newId(),
    boostId: boost.id,
    units: [{ siteId: place.siteId, item, costMinor }],
  };
  const receiver = { ...shop, by: { kind: 'member', accountId } as const };
  const transact: Transact = async (work) => await db.transaction(work);
  const { kind } = await receiveLines(transact, receiver, [line], now);
  if (kind !== 'received') throw new Error(kind);
  return line;
}

async function register(tx: Transaction, shopId: string, name: string, now: Date): Promise<string> {
  const made = await registerApp(
    tx,
    shopId,
    {
      name,
      contactEmail: 'developer@bot.example',
      redirectUris: ['https://bot.example/callback'],
      scopes: ['offline_access', 'inventory:read'],
      sharesCost: false,
    },
    now,
    OPERATOR,
  );
  if (made.kind !== 'registered') throw new Error(made.reason);
  return made.app.clientId;
}

interface ConnectOptions {
  readonly shop: Shop;
  readonly clientId: string;
  readonly accountId: string;
  readonly url: string;
}

/** Connects an app. With a null `webhook`, the app never registers one. */
async function connect(
  tx: Transaction,
  { shop, clientId, accountId, url }: ConnectOptions,
  webhook: { readonly failures: number } | null,
  now: Date,
): Promise<void> {
  const by = { kind: 'member', accountId } as const;
  const scopes = ['offline_access', 'inventory:read'];
  const approval = { shopId: shop.id, clientId, accountId, grantId: newId(), scopes };
  const approvalId = await createApproval(tx, approval, now, by);
  await saveLongLivedToken(tx, approval, now);
  const opener = { shopId: shop.id, clientId, approvalId, accountId };
  const opened = await openConnection(tx, opener, now, { kind: 'app', clientId });
  if (opened.kind !== 'created') throw new Error(opened.kind);
  const { id: connectionId } = opened.connection;
  await tx.query(insertSceneRead, [shop.id, connectionId, now]);
  if (webhook === null) return;
  const secrets = new WebhookSecrets(TEST_SECRET_KEY, null);
  const registration = { shopId: shop.id, clientId, connectionId, url, allowsLoopback: true };
  const put = await putWebhook(tx, secrets, registration, now);
  if (put.kind !== 'put') throw new Error(put.kind);
  const { failures } = webhook;
  await tx.query(insertSceneAttempts, [shop.id, connectionId, now, failures]);
  if (failures > 0) await tx.query(failSceneWebhook, [shop.id, connectionId, now, failures]);
}

export const insertScenePasskey = statement(
  'test_insert_scene_passkey',
  `insert into passkey (account_id, passkey_id, credential_id, public_key, sign_count, transports, is_synced, name,
          created_at, last_used_at)
   values ($1, $2, 'c2NlbmU', ''::bytea, 0, '{internal}', true, 'iPhone', $3, $3)`,
);

export const insertSceneRead = statement(
  'test_insert_scene_read',
  `insert into feed_read (shop_id, connection_id, epoch, seq, read_at)
   select $1, $2, h.epoch, h.seq - 40, $3::timestamptz - interval '12 minutes' from feed_head h where h.shop_id = $1`,
);

// Adds 200 attempts, one every 15 minutes. If the webhook fails, the latest attempts failed.
export const insertSceneAttempts = statement(
  'test_insert_scene_attempts',
  `insert into webhook_attempt (shop_id, connection_id, number, event_id, attempt, started_at, latency_ms, status, error)
   select $1, $2, n, gen_random_uuid(), 1, $3::timestamptz - (201 - n) * interval '15 minutes', 40 + n % 90,
          case when n > 200 - $4::int or n % 37 = 0 then 503 else 204 end,
          case when n > 200 - $4::int or n % 37 = 0 then 'status' end
     from generate_series(1, 200) n`,
);

export const failSceneWebhook = statement(
  'test_fail_scene_webhook',
  `update webhook
      set event_id = connection_id, covers_epoch = 1, covers_seq = 1, occurred_at = $3, attempt = $4, failures = $4,
          failing_since = $3::timestamptz - interval '90 minutes', attempts_made = 200,
          last_attempt_at = $3::timestamptz - interval '15 minutes', next_attempt_at = $3::timestamptz + interval '40 minutes'
    where shop_id = $1 and connection_id = $2`,
);
