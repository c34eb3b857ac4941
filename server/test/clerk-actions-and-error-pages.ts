import assert from 'node:assert/strict';
import { makeBoost } from './boost-actions.ts';
import { signInAs, type Person } from './browser-person.ts';
import { addSite } from './place-actions.ts';
import { receiveUnits, sellUnit } from './stock-actions.ts';

/** Does what a clerk may do, in a browser without scripts. */
export async function runClerkActions(person: Person): Promise<void> {
  await signInAs(person, person.scene.clerkId);
  await makeBoost(person, '800');
  const [id = ''] = await receiveUnits(person, { pieces: 1, cost: null });
  await addSite(person, 'clerk');
  await sellUnit(person, id);
}

/**
 * Checks the accessibility of the error pages. `security.test.ts` checks that outsiders get them
 * at every address and can change nothing.
 */
export async function checkErrorPages(person: Person): Promise<void> {
  const { scene, page } = person;
  const { service, shop, stranger, clerkId } = scene;
  const path = '/places/new';
  await person.open(path);
  await person.field('name').fill('x');
  await person.field('code').fill('x');
  await page.evaluate(`document.querySelector('main input[name="form_token"]').value = 'stale'`);
  await person.send(path);
  await person.checkPage(403);
  const there = `${service.publicUrl}/console/shops/${shop.shop.slug}`;
  await signInAs(person, clerkId);
  await page.goto(`${there}/members`);
  await page.locator('code').filter({ hasText: 'members.manage' }).waitFor();
  await person.checkPage(403);
  await signInAs(person, stranger.member.account.id);
  await page.goto(there);
  assert.equal((await page.content()).includes(shop.shop.name), false);
  await person.checkPage(404);
}
