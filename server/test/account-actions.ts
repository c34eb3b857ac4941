import assert from 'node:assert/strict';
import { findAccountByEmail } from '../src/shops/account.ts';
import { addPasskey, listPasskeys } from '../src/shops/passkey.ts';
import { startSession } from '../src/shops/session.ts';
import { countSessions, listSessions } from '../src/shops/session-list.ts';
import { signInAs, type Person } from './browser-person.ts';

const ACCOUNT = '/console/account';
const LANGUAGE = `${ACCOUNT}/language`;
const PASSKEYS = `${ACCOUNT}/passkeys`;
const PASSWORD = `${ACCOUNT}/password`;
const SESSIONS = `${ACCOUNT}/sessions`;

export async function changePassword(person: Person, from: string, to: string): Promise<void> {
  await person.open(PASSWORD);
  const type = async (again: string): Promise<void> => {
    await person.field('old').fill(from);
    await person.field('new').fill(to);
    await person.field('again').fill(again);
    await person.send(PASSWORD);
  };
  const hash = await ownHash(person);
  await type('something else');
  await person.expectError('again');
  if (person.hasScripts) await person.checkPage(422);
  assert.equal(await ownHash(person), hash);
  await type(to);
  await person.expectFlash('password_changed');
  assert.notEqual(await ownHash(person), hash);
}

/** Does everything that a member can do with their account, and signs out at the end. */
export async function runAccountActions(person: Person): Promise<void> {
  const { base, shop, passkeyId } = person.scene;
  const accountId = shop.member.account.id;
  await person.open(ACCOUNT);
  await person.field('name').fill('雲野 はな');
  await person.send(ACCOUNT);
  await person.expectFlash('saved');
  assert.equal((await findAccountByEmail(base.db, shop.email))?.name, '雲野 はな');
  await changeLanguage(person);
  await changePassword(person, shop.password, 'another password of words');
  await endSessions(person);
  const passkey = `${PASSKEYS}/${passkeyId}`;
  await person.open(passkey);
  await person.field('name').fill('店の iPhone');
  await person.send(`${passkey}/name`);
  await person.expectFlash('saved');
  assert.deepEqual(
    (await listPasskeys(base.db, accountId)).map(({ name }) => name),
    ['店の iPhone'],
  );
  await person.open(PASSKEYS);
  await person.follow(passkey);
  await person.send(`${passkey}/remove`);
  await person.expectFlash('passkey_removed');
  assert.deepEqual(await listPasskeys(base.db, accountId), []);
  await base.db.transaction(async (tx) => {
    const key = { credentialId: `spare-${person.language}`, publicKey: Buffer.from([1]) };
    const spare = { ...key, name: 'USB', isSynced: false, signCount: 0, transports: [] };
    await addPasskey(tx, accountId, spare, new Date(), { kind: 'member', accountId });
  });
  await person.open(PASSKEYS);
  await person.send(`${PASSKEYS}/remove-all`);
  await person.expectFlash('passkeys_removed');
  assert.deepEqual(await listPasskeys(base.db, accountId), []);
  await person.open(SESSIONS);
  await person.send(`${SESSIONS}/end-all`);
  assert.match(person.page.url(), /\/signin$/);
  assert.equal(await countSessions(base.db, accountId, new Date()), 0);
  await signInAs(person, accountId);
  await signOut(person);
}

/** Signs out with the menu that every page has. */
async function signOut(person: Person): Promise<void> {
  const { base, shop } = person.scene;
  await person.open(ACCOUNT);
  await person.page.locator('details.me summary').click();
  await person.send('/console/sign-out');
  assert.match(person.page.url(), /\/signin$/);
  assert.equal(await countSessions(base.db, shop.member.account.id, new Date()), 0);
}

/** Switches to the other language, and back to the browser's language. */
async function changeLanguage(person: Person): Promise<void> {
  const { page, language } = person;
  const other = language === 'ja' ? 'en' : 'ja';
  const lang = async (): Promise<string | null> => await page.locator('html').getAttribute('lang');
  await person.field('language', other).check();
  await person.send(LANGUAGE);
  assert.equal(await lang(), other);
  await person.field('language', '').check();
  await person.send(LANGUAGE);
  assert.equal(await lang(), language);
}

/** Signs out one other browser, then all other browsers. */
async function endSessions(person: Person): Promise<void> {
  const { base, shop } = person.scene;
  const accountId = shop.member.account.id;
  const ids = async (): Promise<readonly string[]> =>
    (await listSessions(base.db, accountId, new Date())).map(({ id }) => id);
  const [own] = await ids();
  for (let count = 0; count < 3; count++) await startSession(base.db, accountId, new Date());
  const [other, ...rest] = (await ids()).filter((id) => id !== own);
  assert.equal(rest.length, 2);
  await person.open(SESSIONS);
  await person.send(`${SESSIONS}/${other}/end`);
  await person.expectFlash('session_ended');
  assert.deepEqual(new Set(await ids()), new Set([own, ...rest]));
  await person.send(`${SESSIONS}/end-others`);
  await person.expectFlash('sessions_ended');
  assert.deepEqual(await ids(), [own]);
}

async function ownHash(person: Person): Promise<string | undefined> {
  const { base, shop } = person.scene;
  return (await findAccountByEmail(base.db, shop.email))?.passwordHash;
}
