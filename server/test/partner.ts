import { createHash, randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { METADATA_PATH, PARTNER_PATH, registerPartnerApi } from '../src/api/routes.ts';
import { registerReference } from '../src/api/reference.ts';
import { type App, registerApp } from '../src/apps/app.ts';
import type { Scope } from '../src/apps/scope.ts';
import { ManualClock } from '../src/base/clock.ts';
import { type Log, silentLog } from '../src/base/log.ts';
import { hashSecret, newSecretOfShop } from '../src/base/secrets.ts';
import { BoostListCache } from '../src/boosts/boost-list-cache.ts';
import { CardSearch } from '../src/catalog/card-search.ts';
import type { Channel } from '../src/database/channel.ts';
import { openChannel } from '../src/database/open-channel.ts';
import { openDatabase } from '../src/database/open-database.ts';
import { isDatabaseUnavailable } from '../src/database/unavailable.ts';
import type { Database } from '../src/database/database.ts';
import { AccessCache } from '../src/approvals/access-cache.ts';
import { createApproval } from '../src/approvals/approval.ts';
import { saveArtifact } from '../src/approvals/artifact.ts';
import { Drain } from '../src/http/drain.ts';
import { registerHealth } from '../src/http/health.ts';
import type { RateLimits } from '../src/base/rate-limits.ts';
import { createHttpServer, type HttpTimeouts } from '../src/http/server.ts';
import { type CursorCodec, openCursorCodec } from '../src/inventory/cursors.ts';
import { FolderStore } from '../src/images/folder-store.ts';
import type { ImageStore } from '../src/images/image-store.ts';
import { addMember } from '../src/shops/member.ts';
import type { Permission } from '../src/shops/permission.ts';
import { createShop, type Shop } from '../src/shops/shop.ts';
import { FeedReads, type FeedReadsOptions } from '../src/connections/feed-reads.ts';
import { bringForwardRetries } from '../src/webhooks/bring-forward-retries.ts';
import { RestoreWatch } from '../src/runtime/restore-watch.ts';
import { WebhookSecrets } from '../src/webhooks/webhook-secrets.ts';
import { testConfig } from './service.ts';
import { useShared } from './shared.ts';
import { openTestDatabase, type TestDatabase } from './test-database.ts';
import { OPERATOR } from '../src/shops/audit.ts';

/**
 * The public address of all test nodes. Tokens are bound to this address, although each node
 * listens on another port.
 */
export const TEST_PUBLIC_URL = 'https://cards.example';
export const TEST_BASE_URL = `${TEST_PUBLIC_URL}${PARTNER_PATH}`;
export const TEST_METADATA_URL = `${TEST_PUBLIC_URL}${METADATA_PATH}`;
/** The folder of a photo store without photos. No test creates it. */
const NO_IMAGES = join(tmpdir(), 'cardport-tests-without-pictures');
/** The key with which nodes encrypt webhook secrets. */
export const PARTNER_SECRET_KEY = 'the secret key of test nodes, 32 characters or more';
export const TEST_NOW = new Date('2026-06-01T12:00:00.000Z');

/** A node of the Partner API on a free port of 127.0.0.1, with its own database connections. */
export interface PartnerNode extends AsyncDisposable {
  readonly app: FastifyInstance;
  readonly port: number;
  /** The node's own database object, which receives announcements immediately. */
  readonly db: Database;
  readonly clock: ManualClock;
  readonly accesses: AccessCache;
  readonly cursors: CursorCodec;
  readonly boosts: BoostListCache;
  readonly search: CardSearch;
  readonly drain: Drain;
  /** Calls an endpoint by its path below `{base_url}`. */
  call(method: string, path: string, options?: CallOptions): Promise<TestResponse>;
}

export interface CallOptions {
  readonly token?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
}

export interface TestResponse {
  readonly status: number;
  readonly text: string;
  readonly headers: Headers;
}

export interface PartnerNodeOptions {
  readonly rateLimits?: RateLimits | null;
  readonly timeouts?: Partial<HttpTimeouts>;
  readonly clock?: ManualClock;
  readonly log?: Log;
  /** The photo store; by default there are no photos. */
  readonly images?: ImageStore;
  /** Replaces the node's own channel, for tests that simulate an unresponsive channel. */
  readonly channel?: Channel;
  /** How often reads of the feed are collected and saved. Defaults to the production values. */
  readonly feedReadTimes?: Pick<FeedReadsOptions, 'notifyEveryMs' | 'flushEveryMs'>;
  /** Defaults to `PARTNER_SECRET_KEY`. */
  readonly secretKey?: string;
  readonly secretKeyPrevious?: string;
  /** Defaults to false. */
  readonly allowsLoopbackWebhooks?: boolean;
}

export async function startPartnerNode(
  base: TestDatabase,
  options: PartnerNodeOptions = {},
): Promise<PartnerNode> {
  const clock = options.clock ?? new ManualClock(TEST_NOW);
  const log = options.log ?? silentLog();
  const db = openDatabase(base.engine, { onFault: ignoreFault });
  const channel = options.channel ?? (await openChannel(base.engine, { onFault: ignoreFault }));
  const accesses = new AccessCache(db, channel, clock);
  const key = createHash('sha256').update('a cursor key of tests').digest();
  const cursors = await openCursorCodec(db, key, clock.now());
  const boosts = new BoostListCache(db, channel, clock);
  const search = new CardSearch({ db, channel, onFault: ignoreFault });
  const images = options.images ?? new FolderStore(NO_IMAGES);
  const drain = new Drain();
  const app = createHttpServer({
    log,
    drain,
    publicUrl: TEST_PUBLIC_URL,
    metrics: null,
    trustProxy: false,
    isUnavailable: isDatabaseUnavailable,
    ...(options.timeouts === undefined ? {} : { timeouts: options.timeouts }),
  });
  registerHealth(app, { drain, check: async () => [] });
  registerReference(app, TEST_PUBLIC_URL);
  const rateLimits = options.rateLimits ?? null;
  const publicUrl = TEST_PUBLIC_URL;
  const feedReads = new FeedReads({
    db,
    clock,
    onFault: ignoreFault,
    onReads: async (readers, now) => await bringForwardRetries(db, readers, now),
    ...options.feedReadTimes,
  });
  const services = { db, clock, log, images, accesses, cursors, boosts, search, feedReads };
  const secretKey = options.secretKey ?? PARTNER_SECRET_KEY;
  const webhookSecrets = new WebhookSecrets(secretKey, options.secretKeyPrevious ?? null);
  const allowsLoopbackWebhooks = options.allowsLoopbackWebhooks ?? false;
  const store = { db, engine: base.engine, secretKey };
  const restores = new RestoreWatch({ store, clock, log, config: testConfig() });
  await restores.check();
  const hooks = { restores, webhookSecrets, allowsLoopbackWebhooks };
  await registerPartnerApi(app, { ...services, ...hooks, publicUrl, rateLimits });
  await app.listen({ port: 0, host: '127.0.0.1' });
  const port = portOf(app);
  return {
    app,
    port,
    db,
    clock,
    accesses,
    cursors,
    boosts,
    search,
    drain,
    call: async (method, path, call = {}) =>
      await callNode(`http://127.0.0.1:${port}${PARTNER_PATH}${path}`, method, call),
    [Symbol.asyncDispose]: async (): Promise<void> => {
      await app.close();
      await search.close();
      await feedReads.close();
      await channel.close();
      await db.close();
    },
  };
}

/** Opens a database with one node for the tests of a `describe`. */
export function usePartnerNode(options: PartnerNodeOptions = {}): () => {
  readonly base: TestDatabase;
  readonly node: PartnerNode;
} {
  return useShared(async () => {
    const base = await openTestDatabase();
    const node = await startPartnerNode(base, options);
    return {
      base,
      node,
      [Symbol.asyncDispose]: async (): Promise<void> => {
        await node[Symbol.asyncDispose]();
        await base.close();
      },
    };
  });
}

function portOf(app: FastifyInstance): number {
  const address = app.server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}

async function callNode(url: string, method: string, call: CallOptions): Promise<TestResponse> {
  const headers = new Headers(call.headers);
  if (call.token !== undefined) headers.set('authorization', `Bearer ${call.token}`);
  const response = await fetch(url, {
    method,
    headers,
    ...(call.body === undefined ? {} : { body: call.body }),
  });
  return { status: response.status, text: await response.text(), headers: response.headers };
}

function ignoreFault(): void {
  // Ignore errors, which tests with broken connections expect.
}

/** A shop with a member, and an app that is not connected yet. */
export interface TestParty {
  readonly shop: Shop;
  readonly accountId: string;
  readonly email: string;
  readonly app: App;
}

export interface SeedPartyOptions {
  readonly scopes?: readonly Scope[];
  readonly permissions?: readonly Permission[];
  readonly sharesCost?: boolean;
  readonly redirectUris?: readonly string[];
}

/** Creates a shop with a member and an app. */
export async function seedParty(db: Database, options: SeedPartyOptions = {}): Promise<TestParty> {
  const name = randomBytes(6).toString('hex');
  const email = `${name}@cards.example`;
  return await db.transaction(async (tx) => {
    const made = await createShop(
      tx,
      { name: `Shop ${name}`, slug: name, currency: 'JPY' },
      TEST_NOW,
    );
    if (made.kind !== 'created') throw new Error(made.kind);
    const person = {
      email,
      name: 'Aoi Tanaka',
      permissions: options.permissions ?? ['purchases.read' as const],
      passwordHash: 'none',
    };
    const added = await addMember(tx, made.shop.id, person, TEST_NOW, OPERATOR);
    if (added.kind !== 'added') throw new Error(added.kind);
    const registration = {
      name: 'Reader',
      contactEmail: null,
      redirectUris: options.redirectUris ?? ['https://app.example/callback'],
      scopes: options.scopes ?? (['purchase-boosts:read', 'inventory:read'] as const),
      sharesCost: options.sharesCost ?? false,
    };
    const registered = await registerApp(tx, made.shop.id, registration, TEST_NOW, OPERATOR);
    if (registered.kind !== 'registered') throw new Error(registered.kind);
    const accountId = added.member.account.id;
    return { shop: made.shop, accountId, email, app: registered.app };
  });
}

export interface TestGrant {
  readonly shopId: string;
  readonly token: string;
  readonly grantHash: string;
  readonly approvalId: string;
}

export interface SeedGrantOptions {
  readonly scope?: string;
  readonly resource?: string;
  readonly accountId?: string;
  /** The lifetime in seconds from `TEST_NOW`. Defaults to 900 (spec 5.4). */
  readonly lifetimeSeconds?: number;
}

/** Approves the party's app and issues an access token, as the authorization server does. */
export async function seedGrant(
  db: Database,
  party: TestParty,
  options: SeedGrantOptions = {},
): Promise<TestGrant> {
  const grantId = randomBytes(32).toString('base64url');
  const grantHash = hashSecret(grantId);
  const token = newSecretOfShop('cpa', party.shop.id);
  const scope = options.scope ?? 'purchase-boosts:read inventory:read';
  const expiresAt = new Date(TEST_NOW.getTime() + (options.lifetimeSeconds ?? 900) * 1000);
  const approvalId = await db.transaction(async (tx) => {
    const approval = {
      shopId: party.shop.id,
      clientId: party.app.clientId,
      accountId: options.accountId ?? party.accountId,
      grantId,
      scopes: scope.split(' '),
    };
    const id = await createApproval(tx, approval, TEST_NOW, OPERATOR);
    const grant = { model: 'Grant' as const, hash: grantHash, payload: {}, grantHash };
    await saveArtifact(tx, party.shop.id, { ...grant, expiresAt: null });
    await saveArtifact(tx, party.shop.id, {
      model: 'AccessToken',
      hash: hashSecret(token),
      payload: { scope, aud: options.resource ?? TEST_BASE_URL },
      grantHash,
      expiresAt,
    });
    return id;
  });
  return { shopId: party.shop.id, token, grantHash, approvalId };
}

/** Creates a shop with a connected app, and returns its access token. */
export async function seedConnectedToken({ db }: TestDatabase, node: PartnerNode): Promise<string> {
  const { token } = await seedGrant(db, await seedParty(db));
  const { status, text } = await node.call('POST', '/connection', { token });
  if (status !== 201) throw new Error(`POST /connection: ${status} ${text}`);
  return token;
}
