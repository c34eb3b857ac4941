import assert from 'node:assert/strict';
import { newId } from '../src/base/secrets.ts';
import type { ShopApiResponse, SeededCatalog, TestShopApi } from './shop-api.ts';

/** Creates a boost of the catalog's first card through the Shop API. Returns its id. */
export async function putTestBoost(
  shopApi: TestShopApi,
  { cardId }: SeededCatalog,
  members: object = {},
): Promise<string> {
  const id = newId();
  const body = { target: { kind: 'card', cardId }, priceMinor: 100, ...members };
  const answer = await shopApi.call('PUT', `/boosts/${id}`, { body });
  assert.equal(answer.status, 201, answer.text);
  return id;
}

/** Counts the announcements about the first shop's boosts while `work` runs. */
export async function countBoostAnnouncements(
  shopApi: TestShopApi,
  work: () => Promise<unknown>,
): Promise<number> {
  let count = 0;
  let isOver = false;
  shopApi.db.onAnnouncement((topic, payload) => {
    if (!isOver && topic === 'boosts' && payload === shopApi.shop.id) count += 1;
  });
  await work();
  isOver = true;
  return count;
}

/** Returns the status, code and detail of an error response. */
export function errorOf({ status, body }: ShopApiResponse): unknown[] {
  return [status, body['error'], body['detail']];
}
