import assert from 'node:assert/strict';
import { registerApp } from '../src/apps/app.ts';
import { newId } from '../src/base/secrets.ts';
import type { Database } from '../src/database/database.ts';
import { putSite } from '../src/inventory/site.ts';
import { addMember } from '../src/shops/member.ts';
import { createShopKey } from '../src/shops/shop-key.ts';
import { createShop } from '../src/shops/shop.ts';
import { seedGrant, TEST_NOW } from '../test/partner.ts';
import { insertTestCard, insertTestGame } from '../test/stock.ts';
import type { Registration } from './event-check.ts';
import type { Behavior } from './receiver-behavior.ts';
import { OPERATOR } from '../src/shops/audit.ts';

/** A shop whose stock the writers change. */
export interface TrialShop {
  readonly id: string;
  readonly key: string;
  readonly siteId: string;
  readonly cardId: string;
}

/** An app of a shop with its receiver. */
export interface TrialApp {
  /** The number of the app's receiver. */
  readonly receiver: number;
  readonly behavior: Behavior;
  readonly url: string;
  readonly shop: TrialShop;
  readonly token: string;
}

/** An app with a registered webhook. */
export interface TrialConnection extends TrialApp {
  readonly connectionId: string;
  readonly secret: string;
}

const CALLS_AT_ONCE = 16;

/** Creates shops with this many apps each. The receivers of one shop have consecutive numbers. */
export async function seedShops(
  db: Database,
  receivers: readonly { readonly behavior: Behavior; readonly url: string }[],
  appsPerShop: number,
  publicUrl: string,
): Promise<TrialApp[]> {
  const [gameId, cardId] = [newId(), newId()];
  await db.transaction(async (tx) => {
    await tx.query(insertTestGame, [gameId]);
    await tx.query(insertTestCard, [cardId, gameId, '蒼天竜アルバ', '{"en":"Alba"}', '001']);
  });
  const apps: TrialApp[] = [];
  for (let from = 0; from < receivers.length; from += appsPerShop) {
    const own = receivers.slice(from, from + appsPerShop);
    const { shop, tokens } = await seedShop(db, from, own, cardId, publicUrl);
    for (const [n, receiver] of own.entries()) {
      apps.push({ ...receiver, receiver: from + n, shop, token: tokens[n] ?? '' });
    }
  }
  return apps;
}

async function seedShop(
  db: Database,
  number: number,
  receivers: readonly { readonly url: string }[],
  cardId: string,
  publicUrl: string,
): Promise<{ readonly shop: TrialShop; readonly tokens: readonly string[] }> {
  const siteId = newId();
  const name = `shop-${number}`;
  const party = await db.transaction(async (tx) => {
    const made = await createShop(tx, { name, slug: name, currency: 'JPY' }, TEST_NOW);
    assert.ok(made.kind === 'created');
    const email = `hana@${name}.example`;
    const person = { email, name: 'Hana', permissions: [], passwordHash: 'none' };
    const added = await addMember(tx, made.shop.id, person, TEST_NOW, OPERATOR);
    assert.ok(added.kind === 'added');
    const key = await createShopKey(tx, made.shop.id, 'till', TEST_NOW, OPERATOR);
    assert.ok(key.kind === 'created');
    const site = { code: 'main', name: '本店', kind: 'store' as const };
    const place = { countryCode: 'JP', timezone: 'Asia/Tokyo' };
    await putSite(tx, made.shop.id, siteId, { ...site, ...place }, TEST_NOW);
    const apps = [];
    for (const { url } of receivers) {
      const app = {
        name: 'Stock Mirror',
        contactEmail: null,
        redirectUris: [new URL('/callback', url).href],
        scopes: ['inventory:read'] as const,
        sharesCost: false,
      };
      const registered = await registerApp(tx, made.shop.id, app, TEST_NOW, OPERATOR);
      assert.ok(registered.kind === 'registered');
      apps.push(registered.app);
    }
    return { shop: made.shop, accountId: added.member.account.id, email, key: key.key, apps };
  });
  const tokens: string[] = [];
  const lifetimeSeconds = Math.ceil((Date.now() - TEST_NOW.getTime()) / 1_000) + 86_400;
  const options = {
    scope: 'inventory:read',
    resource: `${publicUrl}/partner/v1`,
    lifetimeSeconds,
  };
  for (const app of party.apps) {
    tokens.push((await seedGrant(db, { ...party, app }, options)).token);
  }
  return { shop: { id: party.shop.id, key: party.key, siteId, cardId }, tokens };
}

/** Opens every connection and registers its webhook through the Partner API. */
export async function registerWebhooks(
  apps: readonly TrialApp[],
  publicUrl: string,
): Promise<TrialConnection[]> {
  const partnerUrl = `${publicUrl}/partner/v1`;
  const connections: TrialConnection[] = [];
  const register = async (app: TrialApp): Promise<void> => {
    const opened = await callPartner(`${partnerUrl}/connection`, 'POST', app.token);
    const body = JSON.stringify({ url: app.url });
    const put = await callPartner(`${partnerUrl}/webhook`, 'PUT', app.token, body);
    connections.push({
      ...app,
      connectionId: String(opened['id']),
      secret: String(put['secret']),
    });
  };
  for (let from = 0; from < apps.length; from += CALLS_AT_ONCE) {
    await Promise.all(apps.slice(from, from + CALLS_AT_ONCE).map(register));
  }
  return connections.toSorted((a, b) => a.receiver - b.receiver);
}

/** Returns the registrations that the receivers need. */
export function registrationsOf(
  connections: readonly TrialConnection[],
): (Registration & { readonly receiver: number })[] {
  return connections.map(({ receiver, shop, connectionId, secret, token }) => ({
    receiver,
    shopId: shop.id,
    connectionId,
    secret,
    token,
  }));
}

async function callPartner(
  url: string,
  method: string,
  token: string,
  body?: string,
): Promise<Readonly<Record<string, unknown>>> {
  const answer = await fetch(url, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body }),
  });
  const text = await answer.text();
  assert.ok(answer.ok, `${method} ${url}: ${answer.status} ${text}`);
  const value: unknown = JSON.parse(text);
  assert.ok(typeof value === 'object' && value !== null);
  return { ...value };
}
