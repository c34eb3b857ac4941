import { addAppSecret, listAppSecrets } from '../src/apps/app-secret.ts';
import { registerApp } from '../src/apps/app.ts';
import { SCOPES } from '../src/apps/scope.ts';
import { systemClock } from '../src/base/clock.ts';
import type { NdjsonLine } from '../src/import/ndjson.ts';
import { newId } from '../src/base/secrets.ts';
import { putBoost } from '../src/boosts/put-boost.ts';
import { addPurchase } from '../src/boosts/purchase.ts';
import { importCatalog } from '../src/catalog/import-catalog.ts';
import { putShopGrade } from '../src/catalog/shop-grade.ts';
import { endConnection, openConnection } from '../src/connections/connection.ts';
import type { Database, Transaction } from '../src/database/database.ts';
import { statement } from '../src/database/statement.ts';
import { createApproval } from '../src/approvals/approval.ts';
import { putLocation } from '../src/inventory/location.ts';
import { putSite } from '../src/inventory/site.ts';
import { putUnits } from '../src/inventory/unit.ts';
import { receiveLines } from '../src/receipts/receipt.ts';
import { OPERATOR } from '../src/shops/audit.ts';
import { inviteMember } from '../src/shops/invite-member.ts';
import { addMember } from '../src/shops/member.ts';
import { addPasskey } from '../src/shops/passkey.ts';
import { DUMMY_HASH } from '../src/shops/password.ts';
import { PERMISSIONS } from '../src/shops/permission.ts';
import { startSession } from '../src/shops/session.ts';
import { createShopKey } from '../src/shops/shop-key.ts';
import { createShop, type Shop } from '../src/shops/shop.ts';
import { putWebhook } from '../src/webhooks/registration.ts';
import { WebhookSecrets } from '../src/webhooks/webhook-secrets.ts';
import { TEST_SECRET_KEY } from './service.ts';
import { addCheckedImport } from './checked-import.ts';

/** The start of an element that must never appear in the markup of a page. */
export const HOSTILE_ELEMENT = '<xss7';

/**
 * Returns text that, if it is not escaped, ends an element or an attribute in single or double
 * quotes.
 */
export function hostileText(field: string): string {
  return `${field}'">${HOSTILE_ELEMENT} onx='1'>`;
}

/** Returns the text of `hostileText` as it must appear in a page. */
export function escapedHostileText(field: string): string {
  return `${field}&#39;&quot;&gt;&lt;xss7 onx=&#39;1&#39;&gt;`;
}

/** Catalog entries with hostile text in every field, shared by all shops. */
export interface HostileCatalog {
  readonly cardId: string;
  readonly productId: string;
  readonly gradeId: string;
}

export async function seedHostileCatalog(db: Database): Promise<HostileCatalog> {
  const [cardId, productId, gradeId] = [newId(), newId(), newId()];
  const game = { id: newId(), code: hostileText('game-code'), name: hostileText('game') };
  const shared = { languageCode: 'ja', imageUrl: `https://img.example/${HOSTILE_ELEMENT}"'>` };
  const card = {
    ...shared,
    id: cardId,
    name: hostileText('card'),
    localizedNames: { en: hostileText('card-en'), ja: hostileText('card-ja') },
    cardNumber: hostileText('card-number'),
    setTotalRaw: hostileText('set-total'),
    variant: hostileText('variant'),
    finish: hostileText('finish'),
    rarity: { code: hostileText('rarity-code'), name: hostileText('rarity') },
    set: {
      id: newId(),
      code: hostileText('set-code'),
      name: hostileText('set'),
      nameEn: hostileText('set-en'),
    },
    game,
  };
  const product = {
    ...shared,
    id: productId,
    name: hostileText('product'),
    productKind: 'box',
    game,
  };
  const grade = {
    id: gradeId,
    code: hostileText('grade-code'),
    label: hostileText('grade'),
    serviceCode: hostileText('service-code'),
    serviceName: hostileText('service'),
    serviceKind: 'third_party',
  };
  const { rejected } = await importCatalog(db, linesOf([card, product, grade]), {
    clock: systemClock,
  });
  if (rejected[0] !== undefined) throw new Error(rejected[0].detail);
  return { cardId, productId, gradeId };
}

async function* linesOf(values: readonly unknown[]): AsyncGenerator<NdjsonLine> {
  for (const [at, value] of values.entries()) yield { kind: 'value', number: at + 1, value };
}

/** A shop with one object of each kind and hostile text in every field. */
export interface HostileShop {
  readonly shop: Shop;
  readonly ownerId: string;
  /** A member without any permission. */
  readonly otherId: string;
  /** Ids for paths. All belong to this shop and its owner. */
  readonly ids: HostileIds;
}

export interface HostileIds {
  readonly unit: string;
  readonly site: string;
  readonly location: string;
  readonly boost: string;
  /** A receipt of one unit that was not bought on a boost. */
  readonly receipt: string;
  /** A stock import whose file was checked. */
  readonly stockImport: string;
  readonly app: string;
  /** The older of the app's two secrets. */
  readonly secret: string;
  readonly key: string;
  readonly connection: string;
  readonly member: string;
  readonly invitation: string;
  readonly passkey: string;
  readonly session: string;
}

/** Creates a hostile shop. The email addresses of its members contain `slug`. */
export async function seedHostileShop(
  db: Database,
  slug: string,
  catalog: HostileCatalog,
): Promise<HostileShop> {
  const now = new Date();
  return await db.transaction(async (tx) => {
    const shop = expectKind(
      await createShop(tx, { name: hostileText(`shop-${slug}`), slug, currency: 'JPY' }, now),
      'created',
    ).shop;
    const ownerId = await addPerson(tx, shop, 'owner', PERMISSIONS);
    const otherId = await addPerson(tx, shop, 'other', []);
    const stock = await fillStock(tx, shop, catalog, now);
    const receipt = newId();
    const { productId } = catalog;
    const unit = { siteId: stock.site, item: { kind: 'product', productId } } as const;
    const line = { id: receipt, units: [unit], boostId: null };
    const by = { kind: 'member', accountId: ownerId } as const;
    const receiver = { ...shop, by };
    expectKind(await receiveLines(async (work) => work(tx), receiver, [line], now), 'received');
    const stockImport = await addCheckedImport(tx, shop.id, ownerId, hostileText('file'));
    const boosts = await fillBoosts(tx, shop, catalog, now);
    const apps = await fillApps(tx, shop, ownerId, now);
    const people = await fillPeople(tx, shop, ownerId, now);
    return {
      shop,
      ownerId,
      otherId,
      ids: { member: otherId, receipt, stockImport, ...stock, ...boosts, ...apps, ...people },
    };
  });
}

async function addPerson(
  tx: Transaction,
  { id, slug }: Shop,
  name: string,
  permissions: typeof PERMISSIONS | readonly [],
): Promise<string> {
  // Email addresses cannot contain the other characters that are dangerous in markup.
  const email = `${name}'&xss7@${slug}.example`;
  const person = { email, name: hostileText(name), permissions, passwordHash: DUMMY_HASH };
  return expectKind(await addMember(tx, id, person, new Date(), OPERATOR), 'added').member.account
    .id;
}

async function fillStock(
  tx: Transaction,
  shop: Shop,
  { cardId, productId }: HostileCatalog,
  now: Date,
): Promise<Pick<HostileIds, 'unit' | 'site' | 'location'>> {
  const [siteId, locationId, rankId] = [newId(), newId(), newId()];
  const site = {
    code: hostileText('site-code'),
    name: hostileText('site'),
    kind: 'store',
  } as const;
  const place = { countryCode: 'JP', timezone: 'Asia/Tokyo' };
  expectKind(await putSite(tx, shop.id, siteId, { ...site, ...place }, now), 'created');
  const shelf = {
    code: hostileText('location-code'),
    name: hostileText('location'),
    kind: 'shelf',
  } as const;
  expectKind(await putLocation(tx, shop.id, locationId, { siteId, ...shelf }, now), 'created');
  const rank = { code: hostileText('rank-code'), label: hostileText('rank') };
  const service = { serviceCode: hostileText('house-code'), serviceName: hostileText('house') };
  expectKind(await putShopGrade(tx, shop.id, rankId, { ...rank, ...service }, now), 'created');
  const [firstId, secondId] = [newId(), newId()];
  const numbers = { certNumber: hostileText('cert'), serialNumber: hostileText('serial') };
  const item = { kind: 'card', cardId, gradeId: rankId } as const;
  const results = await putUnits(
    tx,
    shop,
    [
      { id: firstId, siteId, locationId, item, ...numbers, priceMinor: 100, costMinor: 50 },
      { id: secondId, siteId, item: { kind: 'product', productId } },
    ],
    now,
  );
  for (const result of results) expectKind(result, 'created');
  return { unit: firstId, site: siteId, location: locationId };
}

async function fillBoosts(
  tx: Transaction,
  shop: Shop,
  { cardId, productId }: HostileCatalog,
  now: Date,
): Promise<Pick<HostileIds, 'boost'>> {
  const [firstId, secondId, purchaseId] = [newId(), newId(), newId()];
  const note = hostileText('boost-note');
  const card = { target: { kind: 'card', cardId }, priceMinor: 900, remainingQuantity: 9 } as const;
  expectKind(await putBoost(tx, shop, firstId, { ...card, note }, now), 'created');
  const product = { target: { kind: 'product', productId }, priceMinor: 800 } as const;
  expectKind(await putBoost(tx, shop, secondId, { ...product, note }, now), 'created');
  const purchase = { id: purchaseId, quantity: 1 };
  expectKind(await addPurchase(tx, shop.id, firstId, purchase, now), 'created');
  return { boost: firstId };
}

async function fillApps(
  tx: Transaction,
  { id: shopId, slug }: Shop,
  accountId: string,
  now: Date,
): Promise<Pick<HostileIds, 'app' | 'secret' | 'key' | 'connection'>> {
  const origin = `https://${slug}.example`;
  const newApp = {
    name: hostileText('app'),
    contactEmail: `contact'&xss7@${slug}.example`,
    redirectUris: [`${origin}/cb`, `${origin}/cb?a='"><xss7>`],
    scopes: SCOPES,
    sharesCost: true,
  };
  const { clientId } = expectKind(
    await registerApp(tx, shopId, newApp, now, OPERATOR),
    'registered',
  ).app;
  expectKind(await addAppSecret(tx, shopId, clientId, now, OPERATOR), 'added');
  const secrets = await listAppSecrets(tx, shopId, clientId);
  const key = expectKind(
    await createShopKey(tx, shopId, hostileText('key'), now, OPERATOR),
    'created',
  );
  const connect = async (): Promise<string> => {
    const approval = { shopId, clientId, accountId, grantId: newId(), scopes: SCOPES };
    const approvalId = await createApproval(tx, approval, now, { kind: 'member', accountId });
    const opener = { shopId, clientId, approvalId, accountId };
    const opened = await openConnection(tx, opener, now, { kind: 'app', clientId });
    if (opened.kind !== 'created') throw new Error(opened.kind);
    return opened.connection.id;
  };
  await connect();
  await endConnection(tx, shopId, clientId, 'shop', now, OPERATOR);
  const connectionId = await connect();
  const hook = { shopId, clientId, connectionId, url: `${origin}/hook`, allowsLoopback: true };
  expectKind(await putWebhook(tx, new WebhookSecrets(TEST_SECRET_KEY, null), hook, now), 'put');
  await tx.query(insertHostileAttempts, [shopId, connectionId, now]);
  return { app: clientId, secret: secrets.at(-1)?.id ?? '', key: key.id, connection: connectionId };
}

async function fillPeople(
  tx: Transaction,
  { id: shopId, slug }: Shop,
  ownerId: string,
  now: Date,
): Promise<Pick<HostileIds, 'invitation' | 'passkey' | 'session'>> {
  const by = { kind: 'member', accountId: ownerId } as const;
  const invitation = {
    email: `invited'&xss7@${slug}.example`,
    language: 'en',
    provesAddress: true,
  } as const;
  const asked = { ...invitation, permissions: ['purchases.read'] } as const;
  const invited = expectKind(await inviteMember(tx, shopId, asked, now, by), 'invited');
  const passkey = {
    name: hostileText('passkey'),
    isSynced: true,
    credentialId: newId(),
    publicKey: Buffer.from('no key'),
    signCount: 0,
    transports: [],
  };
  const added = expectKind(await addPasskey(tx, ownerId, passkey, now, by), 'added');
  const origin = {
    browser: hostileText('browser'),
    network: '192.0.2.0/24',
    way: 'password',
  } as const;
  await startSession(tx, ownerId, now, origin);
  const session = await tx.one(selectHostileSession, [ownerId]);
  return { invitation: invited.id, passkey: added.id, session: session?.id ?? '' };
}

export const insertHostileAttempts = statement(
  'test_insert_hostile_attempts',
  `insert into webhook_attempt (shop_id, connection_id, number, event_id, attempt, started_at, latency_ms, status, error)
   select $1, $2, n, gen_random_uuid(), 1, $3::timestamptz - n * interval '1 minute', 40, 503, 'status'
     from generate_series(1, 3) n`,
);

export const selectHostileSession = statement<{ readonly id: string }>(
  'test_select_hostile_session',
  `select session_id as id from session where account_id = $1`,
);

function expectKind<Result extends { readonly kind: string }, Kind extends Result['kind']>(
  result: Result,
  kind: Kind,
): Extract<Result, { readonly kind: Kind }> {
  if (!isOfKind(result, kind)) throw new Error(`seeding failed: ${JSON.stringify(result)}`);
  return result;
}

function isOfKind<Result extends { readonly kind: string }, Kind extends Result['kind']>(
  result: Result,
  kind: Kind,
): result is Extract<Result, { readonly kind: Kind }> {
  return result.kind === kind;
}
