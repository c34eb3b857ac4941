import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newId } from '../src/base/secrets.ts';
import { putSite } from '../src/inventory/site.ts';
import { putUnits } from '../src/inventory/unit.ts';
import { FolderStore } from '../src/images/folder-store.ts';
import type { ImageStore } from '../src/images/image-store.ts';
import { createShopKey } from '../src/shops/shop-key.ts';
import {
  type PartnerNode,
  seedGrant,
  seedParty,
  startPartnerNode,
  TEST_NOW,
  type TestParty,
} from './partner.ts';
import { type ShopApiResponse, type TestShopApi, startShopApi } from './shop-api.ts';
import { insertTestCard, insertTestGame } from './stock.ts';
import type { TestDatabase } from './test-database.ts';
import { OPERATOR } from '../src/shops/audit.ts';

/**
 * Both APIs with one photo store, a connected shop with one unit, and another shop with one unit.
 */
export interface PhotoScene extends AsyncDisposable {
  readonly base: TestDatabase;
  readonly node: PartnerNode;
  readonly shopApi: TestShopApi;
  readonly store: ImageStore;
  /** The folder of the photos, if the scene created the store. */
  readonly folder: string;
  readonly party: TestParty;
  readonly token: string;
  readonly key: string;
  readonly unitId: string;
  readonly otherToken: string;
  readonly otherKey: string;
  readonly otherUnitId: string;
  makeUnit(): Promise<string>;
  /** Uploads a photo as the first shop's till does. */
  put(unitId: string, side: string, bytes: Uint8Array, type?: string): Promise<ShopApiResponse>;
  /**
   * Requests a photo from the Partner API as the first shop's app. Returns after reading the
   * complete body.
   */
  get(path: string, headers?: Readonly<Record<string, string>>, method?: string): Promise<Response>;
  /** Returns the names of all files in the folder. */
  files(): Promise<string[]>;
}

interface Shop {
  readonly party: TestParty;
  readonly token: string;
  readonly key: string;
  readonly siteId: string;
}

/** Opens the scene. `store` replaces the scene's own folder. */
export async function openPhotoScene(base: TestDatabase, store?: ImageStore): Promise<PhotoScene> {
  const folder = await mkdtemp(join(tmpdir(), 'cardport-photos-'));
  const images = store ?? new FolderStore(folder);
  const node = await startPartnerNode(base, { images });
  const shopApi = await startShopApi(base, null, images);
  const cardId = newId();
  const gameId = newId();
  await base.db.query(insertTestGame, [gameId]);
  await base.db.query(insertTestCard, [cardId, gameId, '蒼天竜アルバ', '{"en":"Alba"}', '001']);
  const [own, other] = [await seedShop(base, node), await seedShop(base, node)];
  const makeUnit = async ({ party, siteId }: Shop): Promise<string> => {
    const unit = { id: newId(), siteId, item: { kind: 'card' as const, cardId } };
    await base.db.transaction(async (tx) => await putUnits(tx, party.shop, [unit], TEST_NOW));
    return unit.id;
  };
  const { token, key, party } = own;
  return {
    base,
    node,
    shopApi,
    store: images,
    folder,
    party,
    token,
    key,
    unitId: await makeUnit(own),
    otherToken: other.token,
    otherKey: other.key,
    otherUnitId: await makeUnit(other),
    makeUnit: async () => await makeUnit(own),
    put: async (unitId, side, body, type = 'image/jpeg') => {
      const headers = { 'content-type': type };
      return await shopApi.call('PUT', `/units/${unitId}/photos/${side}`, { key, body, headers });
    },
    get: async (path, headers = {}, method = 'GET') => {
      const url = `http://127.0.0.1:${node.port}/partner/v1/inventory/items/${path}`;
      const authorized = { authorization: `Bearer ${token}`, ...headers };
      const response = await fetch(url, { method, headers: authorized });
      // Read the complete body. Otherwise the connection would stay in use and the scene could not
      // close.
      const bytes = await response.arrayBuffer();
      return new Response(response.status === 304 ? null : bytes, response);
    },
    files: async () => {
      const entries = await readdir(folder, { recursive: true, withFileTypes: true });
      return entries.filter((entry) => entry.isFile()).map((entry) => entry.name);
    },
    [Symbol.asyncDispose]: async () => {
      // A connection that has just responded does not count as idle yet: it would stay open for
      // 72 s.
      for (const { app } of [node, shopApi]) app.server.closeAllConnections();
      await node[Symbol.asyncDispose]();
      await shopApi[Symbol.asyncDispose]();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

let shops = 0;

async function seedShop({ db }: TestDatabase, node: PartnerNode): Promise<Shop> {
  const party = await seedParty(db);
  const { token } = await seedGrant(db, party);
  const posted = await node.call('POST', '/connection', { token });
  if (posted.status !== 201) throw new Error(posted.text);
  const siteId = newId();
  return await db.transaction(async (tx) => {
    const place = { countryCode: 'JP', timezone: 'Asia/Tokyo' };
    const site = { code: 'main', name: '本店', kind: 'store' as const, ...place };
    await putSite(tx, party.shop.id, siteId, site, TEST_NOW);
    const made = await createShopKey(tx, party.shop.id, `till ${++shops}`, TEST_NOW, OPERATOR);
    if (made.kind !== 'created') throw new Error(made.kind);
    return { party, token, key: made.key, siteId };
  });
}
