import assert from 'node:assert/strict';
import { findApp } from '../src/apps/app.ts';
import { listAppSecrets } from '../src/apps/app-secret.ts';
import { listShopKeys } from '../src/shops/shop-key.ts';
import { findConnection } from '../src/webhooks/connection-details.ts';
import type { Person } from './browser-person.ts';
import { waitUntil } from './wait-until.ts';

const NEW = '/apps/new';
const KEYS = '/apps/keys';

export interface RegisteredApp {
  readonly clientId: string;
  readonly secret: string;
}

/** Registers an app as a member does, and reads the secret, which is shown only once. */
export async function registerApp(person: Person, name: string): Promise<RegisteredApp> {
  const { page } = person;
  await person.open('/apps');
  await person.follow(NEW);
  await person.field('name').fill(name);
  await typeRedirectUris(person);
  await person.field('scopes.inventory:read').check();
  await person.send(NEW);
  const clientId = new URL(page.url()).pathname.split('/').at(-2) ?? '';
  const secret = await readShownSecret(person);
  if (person.hasScripts) await person.checkPage(200);
  const app = await findApp(person.scene.base.db, clientId);
  assert.deepEqual([app?.name, app?.scopes.includes('inventory:read')], [name, true]);
  assert.equal(await authenticates(person, { clientId, secret }), true);
  if (person.hasScripts) assert.ok(await page.locator(`[data-copy="${secret}"]`).isVisible());
  await page.reload();
  assert.equal((await page.content()).includes(secret), false);
  await person.open('/apps');
  await page.goBack();
  assert.equal((await page.content()).includes(secret), false);
  return { clientId, secret };
}

/** Types a redirect URI. With scripts, the page must validate URIs while they are typed. */
async function typeRedirectUris(person: Person): Promise<void> {
  const uris = person.field('redirectUris');
  const checkResult = person.page.locator('[data-check]');
  if (person.hasScripts) {
    await uris.fill('https://app.example/callback\nhttp://b.example/cb');
    await checkResult.locator('.fault li').filter({ hasText: 'http://b.example/cb' }).waitFor();
  }
  await uris.fill('https://app.example/callback');
  if (person.hasScripts) await checkResult.locator('.fine').waitFor();
}

/** Does everything that can be done with apps, their connections and keys. */
export async function runAppActions(person: Person): Promise<void> {
  await person.open(NEW);
  await person.field('name').fill('x');
  await person.field('redirectUris').fill('http://app.example/*');
  await person.send(NEW);
  await person.expectError('redirectUris');
  await person.checkPage(422);
  const app = await registerApp(person, '棚の鏡');
  await changeSecret(person, app);
  await changeApp(person, app);
  await deleteApp(person, app);
  await actOnKeys(person);
  await actOnConnection(person);
}

async function changeSecret(person: Person, app: RegisteredApp): Promise<void> {
  const { base, shop } = person.scene;
  const path = `/apps/${app.clientId}/secrets`;
  const [older] = await listAppSecrets(base.db, shop.shop.id, app.clientId);
  await person.open(`/apps/${app.clientId}`);
  await person.follow(path);
  await person.send(path);
  const second = { ...app, secret: await readShownSecret(person) };
  assert.deepEqual(
    [await authenticates(person, app), await authenticates(person, second)],
    [true, true],
  );
  await person.open(path);
  await person.follow(`${path}/${older?.id}/remove`);
  await person.send(`${path}/${older?.id}/remove`);
  await person.expectFlash('secret_removed');
  assert.deepEqual(
    [await authenticates(person, app), await authenticates(person, second)],
    [false, true],
  );
}

async function changeApp(person: Person, { clientId }: RegisteredApp): Promise<void> {
  const { db } = person.scene.base;
  const path = `/apps/${clientId}`;
  await person.open(path);
  await person.follow(`${path}/edit`);
  await person.field('name').fill('棚の鏡 2');
  await person.send(`${path}/edit`);
  await person.expectFlash('saved');
  assert.equal((await findApp(db, clientId))?.name, '棚の鏡 2');
  await person.follow(`${path}/disable`);
  await person.send(`${path}/disable`);
  await person.expectFlash('app_disabled');
  assert.equal((await findApp(db, clientId))?.isEnabled, false);
  await person.send(`${path}/enable`);
  await person.expectFlash('app_enabled');
  assert.equal((await findApp(db, clientId))?.isEnabled, true);
}

async function deleteApp(person: Person, { clientId }: RegisteredApp): Promise<void> {
  const { db } = person.scene.base;
  const path = `/apps/${clientId}/delete`;
  await person.follow(path);
  await person.field('name').fill('another');
  await person.send(path);
  await person.expectError('name');
  await person.checkPage(422);
  assert.equal((await findApp(db, clientId))?.removedAt, null);
  await person.field('name').fill('棚の鏡 2');
  await person.send(path);
  await person.expectFlash('app_deleted');
  assert.notEqual((await findApp(db, clientId))?.removedAt ?? null, null);
}

async function actOnKeys(person: Person): Promise<void> {
  const { base, shop, service } = person.scene;
  await person.open('/apps');
  await person.follow(KEYS);
  await person.field('name').fill('レジ 2');
  await person.send(KEYS);
  const key = (await person.page.locator('.copyable code').textContent()) ?? '';
  await person.checkPage(200);
  const use = async (): Promise<number> => {
    const headers = { authorization: `Bearer ${key}` };
    return (await fetch(`${service.shopUrl}/sites`, { headers })).status;
  };
  assert.equal(await use(), 200);
  const named = async (): Promise<string | undefined> =>
    (await listShopKeys(base.db, shop.shop.id)).find(({ name }) => name === 'レジ 2')?.id;
  const remove = `${KEYS}/${await named()}/remove`;
  await person.follow(KEYS);
  await person.follow(remove);
  await person.send(remove);
  await person.expectFlash('key_removed');
  assert.equal(await use(), 401);
  assert.equal(await named(), undefined);
}

/** Sends a test delivery to the webhook of the scene's app, then ends the app's connection. */
async function actOnConnection(person: Person): Promise<void> {
  const { base, shop, receiver } = person.scene;
  const before = receiver.received.length;
  const path = `/connections/${shop.connectionId}`;
  await person.open(path);
  await person.send(`${path}/notice`);
  await waitUntil(() => receiver.received.length > before);
  // The page polls until it can show the receiver's response.
  await person.page.locator('#notice .note.good [data-done]').filter({ hasText: '204' }).waitFor();
  await person.follow(`${path}/end`);
  await person.send(`${path}/end`);
  await person.expectFlash('connection_ended');
  const ended = await findConnection(base.db, shop.shop.id, shop.connectionId, new Date());
  assert.equal(ended?.status, 'revoked');
}

async function readShownSecret(person: Person): Promise<string> {
  const [, secret = ''] = await person.page.locator('.once code').allTextContents();
  assert.match(secret, /^cps_[A-Za-z0-9]{43}$/);
  return secret;
}

/**
 * Returns whether the authorization server accepts a secret of the app. With valid credentials,
 * revocation answers 200 even for an unknown token (RFC 7009 §2.2).
 */
async function authenticates(
  person: Person,
  { clientId, secret }: RegisteredApp,
): Promise<boolean> {
  const pair = `${encodeURIComponent(clientId)}:${encodeURIComponent(secret)}`;
  const answer = await fetch(`${person.scene.service.authUrl}/oauth2/revoke`, {
    method: 'POST',
    headers: { authorization: `Basic ${Buffer.from(pair).toString('base64')}` },
    body: new URLSearchParams({ token: 'none' }),
  });
  return answer.status === 200;
}
