import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { ManualClock } from '../src/base/clock.ts';
import { silentLog } from '../src/base/log.ts';
import { newId } from '../src/base/secrets.ts';
import { importCatalog } from '../src/catalog/import-catalog.ts';
import type { Database } from '../src/database/database.ts';
import { isDatabaseUnavailable } from '../src/database/unavailable.ts';
import { Drain } from '../src/http/drain.ts';
import type { RateLimits } from '../src/base/rate-limits.ts';
import { createHttpServer } from '../src/http/server.ts';
import { readHead } from '../src/inventory/feed.ts';
import { FolderStore } from '../src/images/folder-store.ts';
import { DecodeQueue } from '../src/images/decode-queue.ts';
import type { ImageStore } from '../src/images/image-store.ts';
import { registerShopApi } from '../src/shop-api/routes.ts';
import { createShopKey } from '../src/shops/shop-key.ts';
import { createShop } from '../src/shops/shop.ts';
import { useShared } from './shared.ts';
import { openTestDatabase, type TestDatabase } from './test-database.ts';
import { OPERATOR } from '../src/shops/audit.ts';

/** The folder of a photo store without photos. No test creates it. */
const NO_PICTURES = join(tmpdir(), 'cardport-tests-without-pictures');
export const SHOP_API_NOW = new Date('2026-06-01T12:00:00.000Z');

export interface ShopApiResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly body: Readonly<Record<string, unknown>>;
}

export interface ShopApiCall {
  /** The API key. Null sends no key. Defaults to the first shop's key. */
  readonly key?: string | null;
  /** The body, which is sent as JSON unless it is a string or bytes. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The Shop API on a free port, with two shops that have one key each and no stock. */
export interface TestShopApi extends AsyncDisposable {
  readonly app: FastifyInstance;
  readonly db: Database;
  readonly clock: ManualClock;
  readonly port: number;
  readonly shop: { readonly id: string; readonly currency: string };
  readonly key: string;
  readonly otherShopId: string;
  readonly otherKey: string;
  call(method: string, path: string, call?: ShopApiCall): Promise<ShopApiResponse>;
  /** Returns the head of the first shop's feed. A write without changes must not move the head. */
  head(): Promise<number>;
}

/** Ids of the small catalog that `seedCatalog` creates. */
export interface SeededCatalog {
  readonly cardId: string;
  readonly otherCardId: string;
  readonly productId: string;
  readonly gradeId: string;
}

export async function startShopApi(
  { db }: TestDatabase,
  rateLimits: Pick<RateLimits, 'shop' | 'failures'> | null = null,
  images: ImageStore = new FolderStore(NO_PICTURES),
): Promise<TestShopApi> {
  return await seedShopApi(await startShopApiServer(db, rateLimits, images));
}

/**
 * Starts one Shop API for the tests of a `describe`. Each call of the returned function creates two
 * new shops, and resets the clock to `SHOP_API_NOW`.
 */
export function useShopApi(): () => Promise<TestShopApi> {
  const shared = useShared(async () => {
    const base = await openTestDatabase();
    const server = await startShopApiServer(base.db, null, new FolderStore(NO_PICTURES));
    return {
      server,
      [Symbol.asyncDispose]: async (): Promise<void> => {
        await server.app.close();
        await base.close();
      },
    };
  });
  return async () => {
    const { server } = shared();
    setClock(server.clock, SHOP_API_NOW);
    return await seedShopApi(server);
  };
}

export function setClock(clock: ManualClock, instant: Date): void {
  clock.advance(instant.getTime() - clock.now().getTime());
}

type ShopApiServer = Pick<TestShopApi, 'app' | 'db' | 'clock' | 'port'>;

async function startShopApiServer(
  db: Database,
  rateLimits: Pick<RateLimits, 'shop' | 'failures'> | null,
  images: ImageStore,
): Promise<ShopApiServer> {
  const clock = new ManualClock(SHOP_API_NOW);
  const log = silentLog();
  const publicUrl = 'https://cards.example';
  const isUnavailable = isDatabaseUnavailable;
  const app = createHttpServer({
    log,
    drain: new Drain(),
    publicUrl,
    metrics: null,
    trustProxy: false,
    isUnavailable,
  });
  const decodeQueue = new DecodeQueue();
  const limits = { rateLimits, shopUnitsMax: 1_000_000 };
  const services = { db, clock, log, images, decodeQueue, publicUrl, ...limits };
  await registerShopApi(app, { ...services, isUnavailable });
  await app.listen({ port: 0, host: '127.0.0.1' });
  const port = app.addresses().find((address) => typeof address === 'object')?.port ?? 0;
  return { app, db, clock, port };
}

/** Creates two new shops for a running Shop API. */
export async function seedShopApi(server: ShopApiServer): Promise<TestShopApi> {
  const { app, db, port } = server;
  const [first, second] = [await seedKeyedShop(db, 'sora'), await seedKeyedShop(db, 'umi')];
  return {
    ...server,
    shop: first.shop,
    key: first.key,
    otherShopId: second.shop.id,
    otherKey: second.key,
    call: async (method, path, call = {}) =>
      await callShopApi(`http://127.0.0.1:${port}/shop/v1${path}`, method, first.key, call),
    head: async () => (await readHead(db, first.shop.id)).seq,
    [Symbol.asyncDispose]: async () => await app.close(),
  };
}

async function seedKeyedShop(
  db: Database,
  name: string,
): Promise<{ shop: { id: string; currency: string }; key: string }> {
  const slug = `${name}-${newId().slice(0, 8)}`;
  return await db.transaction(async (tx) => {
    const made = await createShop(tx, { name, slug, currency: 'JPY' }, SHOP_API_NOW);
    if (made.kind !== 'created') throw new Error(made.kind);
    const key = await createShopKey(tx, made.shop.id, 'till', SHOP_API_NOW, OPERATOR);
    if (key.kind !== 'created') throw new Error(key.kind);
    return { shop: { id: made.shop.id, currency: made.shop.currency }, key: key.key };
  });
}

async function callShopApi(
  url: string,
  method: string,
  defaultKey: string,
  { key = defaultKey, body, headers = {} }: ShopApiCall,
): Promise<ShopApiResponse> {
  const isRaw = typeof body === 'string' || body instanceof Uint8Array;
  const response = await fetch(url, {
    method,
    headers: {
      ...(key === null ? {} : { authorization: `Bearer ${key}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: isRaw ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, body: parseObject(text) };
}

function parseObject(text: string): Readonly<Record<string, unknown>> {
  if (text === '') return {};
  const value: unknown = JSON.parse(text);
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

/** Imports a catalog of two cards, a product and a third-party grade, with new ids. */
export async function seedCatalog(db: Database, clock: ManualClock): Promise<SeededCatalog> {
  const ids = { cardId: newId(), otherCardId: newId(), productId: newId(), gradeId: newId() };
  const game = { id: newId(), code: 'skyfall', name: '空のかけら' };
  const card = { name: '蒼天竜アルバ', languageCode: 'ja', game };
  const product = { ...card, id: ids.productId, name: '星降るBOX', productKind: 'box' };
  const service = { serviceCode: 'kgs', serviceName: 'Kumo', serviceKind: 'third_party' };
  const lines = [
    { ...card, id: ids.cardId },
    { ...card, id: ids.otherCardId, name: 'もう一枚' },
    product,
    { id: ids.gradeId, code: '10', label: 'Gem 10', ...service },
  ];
  async function* numbered(): AsyncGenerator<{
    readonly kind: 'value';
    readonly number: number;
    readonly value: unknown;
  }> {
    for (const [index, value] of lines.entries()) yield { kind: 'value', number: index + 1, value };
  }
  const result = await importCatalog(db, numbered(), { clock });
  if (result.accepted !== lines.length) throw new Error(JSON.stringify(result.rejected));
  return ids;
}

/** A complete body of `PUT /sites/{id}`. */
export const TEST_SITE = {
  code: 'main',
  name: '本店',
  kind: 'store',
  countryCode: 'JP',
  timezone: 'Asia/Tokyo',
};

/** Creates a site with a location and returns both ids. */
export async function putPlace(
  shopApi: TestShopApi,
): Promise<{ siteId: string; locationId: string }> {
  const [siteId, locationId] = [newId(), newId()];
  const site = await shopApi.call('PUT', `/sites/${siteId}`, { body: TEST_SITE });
  const shelf = { siteId, code: 'A-1', name: '棚', kind: 'shelf' };
  const location = await shopApi.call('PUT', `/locations/${locationId}`, { body: shelf });
  if (site.status !== 201 || location.status !== 201) throw new Error(site.text + location.text);
  return { siteId, locationId };
}
