import assert from 'node:assert/strict';
import type { ManualClock } from '../src/base/clock.ts';
import { newId } from '../src/base/secrets.ts';
import type { Database } from '../src/database/database.ts';
import { openDatabase } from '../src/database/open-database.ts';
import { createShopKey } from '../src/shops/shop-key.ts';
import {
  seedGrant,
  seedParty,
  type SeedPartyOptions,
  TEST_NOW,
  TEST_PUBLIC_URL,
  type TestParty,
} from './partner.ts';
import { startTestService } from './service.ts';
import { insertTestCard, insertTestGame, insertTestGrade, insertTestProduct } from './stock.ts';
import type { TestDatabase } from './test-database.ts';
import { OPERATOR } from '../src/shops/audit.ts';

export interface Buyer {
  readonly party: TestParty;
  readonly key: string;
  readonly token: string;
}

export interface BuyersCatalog {
  readonly cardId: string;
  readonly otherCardId: string;
  readonly productId: string;
  readonly gradeId: string;
}

export interface ShownBoost {
  readonly id: string;
  readonly priceMinor: number;
  readonly remainingQuantity: number | null;
  readonly status: string;
  readonly updatedAt: string;
  readonly target: {
    readonly card?: { readonly name: string };
    readonly product?: { readonly name: string };
    readonly grade?: { readonly label: string } | null;
  };
}

export interface NodeResponse {
  readonly status: number;
  readonly text: string;
}

/** A complete service with its own connections to a shared database. */
export interface BoostNode extends AsyncDisposable {
  readonly db: Database;
  readonly partnerUrl: string;
  /** GET /purchase-boosts. `query` includes its question mark. */
  read(buyer: Buyer, query?: string): Promise<NodeResponse>;
  /** Returns the boosts of a list. Throws unless the response is successful. */
  list(buyer: Buyer, query?: string): Promise<readonly ShownBoost[]>;
  write(buyer: Buyer, method: string, path: string, body?: object): Promise<NodeResponse>;
}

/** Starts a service in this process. Two services on one database simulate two processes. */
export async function startBoostNode(base: TestDatabase, clock: ManualClock): Promise<BoostNode> {
  const db = openDatabase(base.engine, { onFault: () => undefined });
  const environment = { PUBLIC_URL: TEST_PUBLIC_URL };
  const service = await startTestService({ ...base, db }, { clock, environment });
  const read = async (buyer: Buyer, query = ''): Promise<NodeResponse> =>
    await send(`${service.url}/partner/v1/purchase-boosts${query}`, 'GET', buyer.token);
  return {
    db,
    partnerUrl: `${service.url}/partner/v1`,
    read,
    list: async (buyer, query) => {
      const answer = await read(buyer, query);
      assert.equal(answer.status, 200, answer.text);
      const { boosts }: { boosts: ShownBoost[] } = JSON.parse(answer.text);
      return boosts;
    },
    write: async (buyer, method, path, body) =>
      await send(`${service.url}/shop/v1${path}`, method, buyer.key, body),
    [Symbol.asyncDispose]: async () => {
      await service.close();
      await db.close();
    },
  };
}

async function send(
  url: string,
  method: string,
  credential: string,
  body?: object,
): Promise<NodeResponse> {
  const headers = new Headers({ authorization: `Bearer ${credential}` });
  if (body !== undefined) headers.set('content-type', 'application/json');
  const response = await fetch(url, {
    method,
    headers,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, text: await response.text() };
}

/** Creates a catalog with two cards, a product and a grade. */
export async function seedBuyersCatalog(db: Database): Promise<BuyersCatalog> {
  const gameId = newId();
  const ids = { cardId: newId(), otherCardId: newId(), productId: newId(), gradeId: newId() };
  await db.transaction(async (tx) => {
    await tx.query(insertTestGame, [gameId]);
    await tx.query(insertTestCard, [ids.cardId, gameId, '蒼天竜アルバ', '{"en":"Alba"}', '001']);
    await tx.query(insertTestCard, [ids.otherCardId, gameId, '砂の王', '{}', '002']);
    await tx.query(insertTestProduct, [ids.productId, gameId]);
    await tx.query(insertTestGrade, [ids.gradeId]);
  });
  return ids;
}

/**
 * Creates a shop with a Shop API key, and a connected app that may read its boosts. The app's token
 * expires 15 minutes after `TEST_NOW`.
 */
export async function seedBuyer(node: BoostNode, options: SeedPartyOptions = {}): Promise<Buyer> {
  const party = await seedParty(node.db, options);
  const { token } = await seedGrant(node.db, party);
  const key = await node.db.transaction(
    async (tx) => await createShopKey(tx, party.shop.id, 'till', TEST_NOW, OPERATOR),
  );
  assert.equal(key.kind, 'created');
  const buyer: Buyer = { party, key: key.kind === 'created' ? key.key : '', token };
  const posted = await send(`${node.partnerUrl}/connection`, 'POST', token);
  assert.equal(posted.status, 201, posted.text);
  return buyer;
}
