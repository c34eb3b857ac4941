import assert from 'node:assert/strict';
import { findApp } from '../src/apps/app.ts';
import { listShopKeys } from '../src/shops/shop-key.ts';
import { findConnection } from '../src/webhooks/shown-connection.ts';
import type { Person, Said } from './act-person.ts';
import { waitUntil } from './wait-until.ts';

const NAME: Said = ['Name', '名前'];
const REGISTER: Said = ['Register', '登録する'];

/** An app as it was registered. */
export interface RegisteredApp {
  readonly clientId: string;
  readonly secret: string;
}

/** Registers an app as a member does: its secret is shown once. */
export async function registerApp(person: Person, name: string): Promise<RegisteredApp> {
  const { page } = person;
  await person.open('/apps');
  await person.follow(['Register an app', 'アプリを登録']);
  await person.field(NAME).fill(name);
  const uris = person.field(['Redirect URIs', 'リダイレクト URI']);
  await uris.fill('https://app.example/callback');
  // As it is typed, where a script may ask.
  if (person.hasScripts) {
    await person.reads(['1 valid address.', '1 個のアドレスに問題はありません。']);
  }
  await person.field(['Stock', '在庫']).check();
  await person.press(REGISTER);
  await person.reads([`The secret of ${name}`, `${name} のシークレット`]);
  await person.examine(200);
  const clientId = new URL(page.url()).pathname.split('/').at(-2) ?? '';
  const secret = await shownSecret(person);
  const app = await findApp(person.scene.base.db, clientId);
  assert.deepEqual([app?.name, app?.scopes.includes('inventory:read')], [name, true]);
  assert.equal(await opens(person, { clientId, secret }), true);
  await page.reload();
  await person.reads(['The secret was shown before', 'シークレットは表示済みです']);
  assert.equal((await page.content()).includes(secret), false);
  return { clientId, secret };
}

/** Everything that can be done with apps, their connection and keys. */
export async function actOnApps(person: Person): Promise<void> {
  await person.open('/apps/new');
  await person.field(NAME).fill('x');
  await person.field(['Redirect URIs', 'リダイレクト URI']).fill('http://app.example/*');
  await person.press(REGISTER);
  await person.reads(['This could not be saved:', '入力内容をご確認ください。']);
  await person.examine(422);
  const app = await registerApp(person, '棚の鏡');
  await changeSecret(person, app);
  await changeApp(person, app);
  await deleteApp(person, app);
  await actOnKeys(person);
  await actOnConnection(person);
}

async function changeSecret(person: Person, app: RegisteredApp): Promise<void> {
  await person.open(`/apps/${app.clientId}`);
  await person.follow(['Change the secret', 'シークレットを変更']);
  await person.press(['Create a second secret', '2 つ目のシークレットを作成']);
  const second = { ...app, secret: await shownSecret(person) };
  assert.deepEqual([await opens(person, app), await opens(person, second)], [true, true]);
  await person.open(`/apps/${app.clientId}/secrets`);
  await person.follow(['Remove The older one', '削除 古い方']);
  await person.press(['Remove the secret', 'シークレットを削除する']);
  await person.reads(['The secret was removed', 'シークレットを削除しました。']);
  assert.deepEqual([await opens(person, app), await opens(person, second)], [false, true]);
}

async function changeApp(person: Person, { clientId }: RegisteredApp): Promise<void> {
  const { db } = person.scene.base;
  await person.open(`/apps/${clientId}`);
  await person.follow(['Edit', '編集']);
  await person.field(NAME).fill('棚の鏡 2');
  await person.press(['Save', '保存する']);
  await person.reads(['Saved.', '保存しました。']);
  assert.equal((await findApp(db, clientId))?.name, '棚の鏡 2');
  await person.follow(['Disable', '無効にする']);
  await person.press(['Disable the app', 'アプリを無効にする']);
  await person.reads(['The app is disabled:', 'アプリを無効にしました。']);
  assert.equal((await findApp(db, clientId))?.isEnabled, false);
  await person.press(['Enable', '有効にする']);
  await person.reads(['The app is enabled.', 'アプリを有効にしました。']);
  assert.equal((await findApp(db, clientId))?.isEnabled, true);
}

async function deleteApp(person: Person, { clientId }: RegisteredApp): Promise<void> {
  const { db } = person.scene.base;
  await person.follow(['Delete', '削除する']);
  const name = person.field(['Type the app’s name', 'アプリの名前を入力']);
  await name.fill('another');
  await person.press(['Delete the app for good', 'アプリを完全に削除する']);
  await person.reads(['The app was not deleted:', 'アプリは削除されませんでした。']);
  await person.examine(422);
  assert.equal((await findApp(db, clientId))?.removedAt, null);
  await name.fill('棚の鏡 2');
  await person.press(['Delete the app for good', 'アプリを完全に削除する']);
  await person.reads(['The app was deleted.', 'アプリを削除しました。']);
  assert.notEqual((await findApp(db, clientId))?.removedAt ?? null, null);
}

async function actOnKeys(person: Person): Promise<void> {
  const { base, shop, service } = person.scene;
  await person.open('/apps');
  await person.follow(['API keys', 'API キー']);
  await person.field(NAME).fill('レジ 2');
  await person.press(['Create the key', 'キーを作成する']);
  await person.reads(['The API key “レジ 2”', 'API キー「レジ 2」']);
  await person.examine(200);
  const key = (await person.page.locator('.copyable code').textContent()) ?? '';
  const use = async (): Promise<number> => {
    const headers = { authorization: `Bearer ${key}` };
    return (await fetch(`${service.shopUrl}/sites`, { headers })).status;
  };
  assert.equal(await use(), 200);
  await person.follow(['I have copied it', 'コピーしました']);
  await person.follow(['Remove レジ 2', '削除 レジ 2']);
  await person.press(['Remove the key', 'キーを削除する']);
  await person.reads(['The key was removed', 'キーを削除しました。']);
  assert.equal(await use(), 401);
  const keys = await listShopKeys(base.db, shop.shop.id);
  assert.equal(
    keys.some(({ name }) => name === 'レジ 2'),
    false,
  );
}

/** The app of the scene: a notice is sent to its real receiver, then its connection is ended. */
async function actOnConnection(person: Person): Promise<void> {
  const { base, shop, receiver } = person.scene;
  const before = receiver.received.length;
  await person.open(`/connections/${shop.connectionId}`);
  await person.press(['Send a notice now', '通知を今すぐ送る']);
  await waitUntil(() => receiver.received.length > before);
  await person.reads(['The notice was delivered: answer 204', '通知が届きました（応答 204']);
  await person.follow(['End the connection', '接続を終了する']);
  await person.press(['End the connection', '接続を終了する']);
  await person.reads(['The connection was ended.', '接続を終了しました。']);
  const ended = await findConnection(base.db, shop.shop.id, shop.connectionId, new Date());
  assert.equal(ended?.status, 'revoked');
}

async function shownSecret(person: Person): Promise<string> {
  const [, secret = ''] = await person.page.locator('.once code').allTextContents();
  assert.notEqual(secret, '');
  return secret;
}

/** Whether the authorization server takes a secret for the app's (RFC 7009 answers 200 to it, also for no token of its). */
async function opens(person: Person, { clientId, secret }: RegisteredApp): Promise<boolean> {
  const pair = `${encodeURIComponent(clientId)}:${encodeURIComponent(secret)}`;
  const answer = await fetch(`${person.scene.service.authUrl}/oauth2/revoke`, {
    method: 'POST',
    headers: { authorization: `Basic ${Buffer.from(pair).toString('base64')}` },
    body: new URLSearchParams({ token: 'none' }),
  });
  return answer.status === 200;
}
