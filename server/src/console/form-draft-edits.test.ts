import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type BoostConsole, startBoostConsole } from '../../test/boost-console.ts';
import { assertSays } from '../../test/console-pages.ts';
import { formTo, type VisitedPage } from '../../test/plain-browser.ts';
import { SHOP_API_NOW } from '../../test/shop-api.ts';
import { openTestDatabase, type TestDatabase } from '../../test/test-database.ts';
import { newId } from '../base/secrets.ts';
import { findApp } from '../apps/app.ts';
import { endSession, startSession } from '../shops/session.ts';
import { flashText } from './flash.ts';
import { formMessages } from './parts/form/messages.ts';
import { receiptMessages } from './parts/messages/receipt.ts';

describe('an edit or a purchase that was posted after the session had ended', () => {
  let base: TestDatabase;
  let scene: BoostConsole;
  before(async () => {
    base = await openTestDatabase();
    scene = await startBoostConsole(base);
  });
  after(async () => {
    await scene[Symbol.asyncDispose]();
    await base.close();
  });

  /**
   * Posts a form without a session, runs `meanwhile`, and returns the form's page after the member
   * has signed in again.
   */
  async function keep(
    sub: string,
    fields: Readonly<Record<string, string>>,
    meanwhile: () => Promise<unknown> = async () => null,
  ): Promise<VisitedPage> {
    const { owner } = scene;
    const page = await scene.visit(sub);
    const name = 'cardport_session';
    await endSession(base.db, owner.cookies.find((each) => each.name === name)?.value ?? '');
    const sent = await owner.submit(page, formTo(page, sub), fields);
    assert.equal(new URL(sent.url).pathname, '/signin');
    await meanwhile();
    const { id } = scene.seeded.member.account;
    const { secret: value } = await startSession(base.db, id, SHOP_API_NOW);
    owner.cookies = owner.cookies.filter((each) => each.name !== name);
    owner.cookies.push({ name, value, path: '/' });
    const shown = await scene.visit(sub);
    assert.equal(shown.status, 200);
    assertSays(shown, formMessages.en.kept);
    return shown;
  }

  const save = async (page: VisitedPage, sub: string): Promise<VisitedPage> =>
    await scene.owner.submit(page, formTo(page, sub));

  async function putBoost(): Promise<string> {
    const id = newId();
    const target = { kind: 'card', cardId: scene.catalog.cardId };
    const boost = { target, priceMinor: 500, remainingQuantity: 5, note: 'first' };
    await scene.till('PUT', `/boosts/${id}`, boost);
    return id;
  }
  const boostOf = async (id: string): Promise<Readonly<Record<string, unknown>>> =>
    await scene.till('GET', `/boosts/${id}`);

  it('a purchase is made once, even if the form is sent twice after sign-in', async () => {
    const id = await putBoost();
    const sub = `/boosts/${id}/buy`;
    const shown = await keep(sub, { quantity: '2', cost: '450' });
    const { fields } = formTo(shown, sub);
    assert.deepEqual([fields['quantity'], fields['cost']], ['2', '450']);
    assert.equal((await boostOf(id))['remainingQuantity'], 5);
    for (const bought of [await save(shown, sub), await save(shown, sub)]) {
      assertSays(bought, receiptMessages.en.bought(2, '蒼天竜アルバ'));
    }
    assert.equal((await boostOf(id))['remainingQuantity'], 3);
  });

  it('the edit of a buy boost saves only the values that the member changed', async () => {
    const id = await putBoost();
    const sub = `/boosts/${id}/edit`;
    const shown = await keep(sub, { price: '650' }, async () =>
      scene.till('PUT', `/boosts/${id}`, { note: 'of the till' }),
    );
    assert.deepEqual(
      [formTo(shown, sub).fields['price'], (await boostOf(id))['priceMinor']],
      ['650', 500],
    );
    assertSays(await save(shown, sub), flashText('saved', 'en'));
    const { priceMinor, note } = await boostOf(id);
    assert.deepEqual([priceMinor, note], [650, 'of the till']);
  });

  it('an edit is shown with both values if the same value was changed before the member signed in', async () => {
    const id = await putBoost();
    const sub = `/boosts/${id}/edit`;
    const shown = await keep(sub, { price: '650' }, async () =>
      scene.till('PUT', `/boosts/${id}`, { priceMinor: 700 }),
    );
    const overtaken = await save(shown, sub);
    assert.equal(overtaken.status, 409);
    assertSays(overtaken, formMessages.en.overtaken);
    assert.equal((await boostOf(id))['priceMinor'], 700);
    assertSays(await save(overtaken, sub), flashText('saved', 'en'));
    assert.equal((await boostOf(id))['priceMinor'], 650);
  });

  it('the edit of an app saves the redirect URIs when it is sent again', async () => {
    const { app } = scene.seeded;
    const sub = `/apps/${app.clientId}/edit`;
    const typed = 'https://one.example/callback\nhttps://two.example/callback';
    const urisOf = async (): Promise<unknown> =>
      (await findApp(base.db, app.clientId))?.redirectUris;
    const before = await urisOf();
    const shown = await keep(sub, { redirectUris: typed });
    assert.equal(formTo(shown, sub).fields['redirectUris'], typed);
    assert.deepEqual(await urisOf(), before);
    assertSays(await save(shown, sub), flashText('saved', 'en'));
    assert.deepEqual(await urisOf(), typed.split('\n'));
  });
});
