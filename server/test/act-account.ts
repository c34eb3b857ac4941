import assert from 'node:assert/strict';
import { findAccountByEmail } from '../src/shops/account.ts';
import { addPasskey, listPasskeys } from '../src/shops/passkey.ts';
import { startSession } from '../src/shops/session.ts';
import { countSessions } from '../src/shops/session-list.ts';
import { becomes, type Person, type Said } from './act-person.ts';

const SAVED: Said = ['Saved.', '保存しました。'];
const SAVE_NAME: Said = ['Save the name', '名前を保存'];
const SAVE_LANGUAGE: Said = ['Save the language', '言語を保存'];
const NAME: Said = ['Name', '名前'];
const SESSIONS = '/console/account/sessions';

/** Changes the person's own password. */
export async function changePassword(person: Person, from: string, to: string): Promise<void> {
  await person.open('/console/account/password');
  const type = async (old: string, again: string): Promise<void> => {
    await person.field(['Current password', '現在のパスワード']).fill(old);
    await person.field(['New password', '新しいパスワード']).fill(to);
    await person.field(['New password again', '新しいパスワード（確認）']).fill(again);
    await person.press(['Change the password', 'パスワードを変更']);
  };
  const hash = await ownHash(person);
  await type(from, 'something else');
  await person.reads([
    'was typed differently the second time',
    '確認用のパスワードが一致しません。',
  ]);
  await person.examine(422);
  assert.equal(await ownHash(person), hash);
  await type(from, to);
  await person.reads(['Your password was changed.', 'パスワードを変更しました。']);
  assert.notEqual(await ownHash(person), hash);
}

/** Everything that a person can do with his account; in the end he is signed out. */
export async function actOnAccount(person: Person): Promise<void> {
  const { base, shop, passkeyId } = person.scene;
  const accountId = shop.member.account.id;
  await person.open('/console/account');
  await person.field(NAME).fill('雲野 はな');
  await person.press(SAVE_NAME);
  await person.reads(SAVED);
  assert.equal((await findAccountByEmail(base.db, shop.email))?.name, '雲野 はな');
  await changeLanguage(person);
  await changePassword(person, shop.password, 'another password of words');
  await endSessions(person);
  await person.open(`/console/account/passkeys/${passkeyId}`);
  await person.field(NAME).fill('店の iPhone');
  await person.press(SAVE_NAME);
  await person.reads(SAVED);
  assert.deepEqual(
    (await listPasskeys(base.db, accountId)).map(({ name }) => name),
    ['店の iPhone'],
  );
  await person.follow(['店の iPhone', '店の iPhone']);
  await person.press(['Remove', '削除する']);
  await person.reads(['The passkey was removed.', 'パスキーを削除しました。']);
  assert.deepEqual(await listPasskeys(base.db, accountId), []);
  await base.db.transaction(async (tx) => {
    const key = { credentialId: `spare-${person.language}`, publicKey: Buffer.from([1]) };
    const passkey = { ...key, name: 'USB', isSynced: false, signCount: 0, transports: [] };
    await addPasskey(tx, accountId, passkey, new Date(), { kind: 'member', accountId });
  });
  await person.open('/console/account/passkeys');
  await person.press(['Remove all passkeys', 'すべて削除する']);
  await person.reads(['All passkeys were removed.', 'すべてのパスキーを削除しました。']);
  assert.deepEqual(await listPasskeys(base.db, accountId), []);
  await person.open(SESSIONS);
  await person.press(['Sign out everywhere', 'すべてログアウト']);
  assert.match(person.page.url(), /\/signin$/);
  assert.equal(await countSessions(base.db, accountId, new Date()), 0);
  await becomes(person, accountId);
  await signOut(person);
}

/** Signs out by the menu that every page has. */
async function signOut(person: Person): Promise<void> {
  const { base, shop } = person.scene;
  await person.open('/console/account');
  await person.page.locator('details.me summary').click();
  await person.press(['Sign out', 'ログアウト']);
  assert.match(person.page.url(), /\/signin$/);
  assert.equal(await countSessions(base.db, shop.member.account.id, new Date()), 0);
}

/** The other language, and back to what the browser says. */
async function changeLanguage(person: Person): Promise<void> {
  const { page, language } = person;
  const other = language === 'ja' ? 'English' : '日本語';
  await page.getByLabel(other, { exact: true }).check();
  await person.press(SAVE_LANGUAGE);
  const lang = async (): Promise<string | null> => await page.locator('html').getAttribute('lang');
  assert.equal(await lang(), language === 'ja' ? 'en' : 'ja');
  const [en, ja] = SAVE_LANGUAGE;
  await page.locator('input[name="language"][value=""]').check();
  await person.press([ja, en]);
  assert.equal(await lang(), language);
}

/** One other browser is signed out, then all others. */
async function endSessions(person: Person): Promise<void> {
  const { base, shop } = person.scene;
  const accountId = shop.member.account.id;
  for (let count = 0; count < 3; count++) await startSession(base.db, accountId, new Date());
  const open = async (): Promise<number> => await countSessions(base.db, accountId, new Date());
  assert.equal(await open(), 4);
  await person.open(SESSIONS);
  const here = person.say(['This browser', 'このブラウザ']);
  const other = person.page.locator('tbody tr').filter({ hasNotText: here }).first();
  await person.leading(async () => await other.getByRole('button').click());
  await person.reads(['That browser was signed out.', 'そのブラウザをログアウトしました。']);
  assert.equal(await open(), 3);
  await person.press(['Sign out everywhere else', 'ほかのブラウザをすべてログアウト']);
  await person.reads(['All your other browsers were', 'ほかのブラウザをすべて']);
  assert.equal(await open(), 1);
}

async function ownHash(person: Person): Promise<string | undefined> {
  const { base, shop } = person.scene;
  return (await findAccountByEmail(base.db, shop.email))?.passwordHash;
}
