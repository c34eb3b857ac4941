import assert from 'node:assert/strict';
import { makeBoost } from './act-boosts.ts';
import { becomes, type Person } from './act-person.ts';
import { addSite } from './act-places.ts';
import { type ActScene, SECRET_COST } from './act-scene.ts';
import { receiveUnits, sellUnit } from './act-stock.ts';
import { type Digest, digestShop } from './database-digest.ts';

/** What a clerk may not open, and the permission that each wants. */
const CLOSED = [
  ['/apps', 'integrations.manage'],
  ['/apps/new', 'integrations.manage'],
  ['/members', 'members.manage'],
  ['/audit', 'members.manage'],
] as const;
/** Actions that somebody of another shop tries. */
const TRIED = ['/boosts/new', '/stock/receive', '/places/new', '/apps/new', '/members/invite'];

/** A clerk does what he may, and finds neither costs nor ways to the rest. */
export async function actAsClerk(person: Person): Promise<void> {
  const { scene, page } = person;
  const there = `${scene.service.publicUrl}/console/shops/${scene.shop.shop.slug}`;
  await becomes(person, scene.clerkId);
  await makeBoost(person, '800');
  const [id = ''] = await receiveUnits(person, { pieces: 1, cost: null });
  await scene.till('PUT', `/units/${id}`, { costMinor: SECRET_COST });
  await addSite(person, 'clerk');
  await sellUnit(person, id);
  for (const sub of ['', '/stock', `/stock/${id}`, `/stock/${id}/edit`, '/stock/receive']) {
    const answer = await page.request.get(`${there}${sub}`);
    assert.equal(answer.status(), 200, sub);
    const text = await answer.text();
    assert.doesNotMatch(text, new RegExp(`${SECRET_COST}|777,123|name="cost"`), sub);
    assert.doesNotMatch(text, /(?:href|action)="[^"]*\/(?:apps|members|audit|connections)\b/, sub);
  }
  for (const [sub, permission] of CLOSED) {
    const answer = await page.request.get(`${there}${sub}`);
    assert.equal(answer.status(), 403, sub);
    assert.ok((await answer.text()).includes(`<code>${permission}</code>`), sub);
  }
  await page.goto(`${there}/members`);
  await person.reads(['Manage members', 'メンバーの管理']);
  await person.examine(403);
}

/** Somebody of another shop posts forms of this one with a good token of his own: nothing is there, nothing changes. */
export async function actAsStranger(person: Person): Promise<void> {
  const { scene, page } = person;
  const { shop, stranger, service } = scene;
  await becomes(person, stranger.member.account.id);
  const before = await digestOf(scene);
  const there = `${service.publicUrl}/console/shops/${shop.shop.slug}`;
  await page.goto(`${service.publicUrl}/console/shops/${stranger.shop.slug}/boosts/new`);
  const token = await page.locator('main input[name="form_token"]').inputValue();
  for (const sub of TRIED) {
    const form = { form_token: token, name: 'x', email: 'x@evil.example', quantity: '1' };
    const answer = await page.request.post(`${there}${sub}`, { form });
    assert.equal(answer.status(), 404, sub);
  }
  // The form of his own shop, sent to the other's address.
  const to = JSON.stringify(`${there}/boosts/new`);
  await page.evaluate(`document.querySelector('form.boost-form').action = ${to}`);
  await person.press(['Create buy boost', '登録する']);
  await person.examine(404);
  assert.deepEqual(await digestOf(scene), before);
}

/** A form whose token is not of this browser: the page says that nothing was changed. */
export async function sendStaleForm(person: Person): Promise<void> {
  const { scene } = person;
  await person.open('/places/new');
  const before = await digestOf(scene);
  await person.field(['Name', '名前']).fill('x');
  await person.field(['Code', 'コード']).fill('x');
  await person.page.evaluate(
    `document.querySelector('main input[name="form_token"]').value = 'stale'`,
  );
  await person.press(['Save', '保存する']);
  await person.reads(['Nothing was changed', '変更されませんでした']);
  await person.examine(403);
  assert.deepEqual(await digestOf(scene), before);
}

/** The shop's rows but those of notices, which may still be on their way. */
async function digestOf({ base, shop }: ActScene): Promise<Digest> {
  const digest = await digestShop(base.db, shop.shop.id, shop.member.account.id);
  const entries = Object.entries(digest).filter(([table]) => !table.startsWith('webhook'));
  return Object.fromEntries(entries);
}
