import assert from 'node:assert/strict';
import { listStock } from '../src/inventory/stock-list.ts';
import { findStockUnit, type StockUnitDetails } from '../src/inventory/stock-unit.ts';
import type { UnitStatus } from '../src/inventory/unit-status.ts';
import { SECRET_COST } from './action-scene.ts';
import { idFromUrl, type Person } from './browser-person.ts';
import { makePlainImage } from './images.ts';

const RECEIVE = '/stock/receive';
const BULK = '/stock/bulk';

/** Receives units of the scene's card, and returns their ids. */
export async function receiveUnits(
  person: Person,
  { pieces, cost }: { readonly pieces: number; readonly cost: number | null },
): Promise<readonly string[]> {
  const { base, shop, site, card } = person.scene;
  const before = await idsOfStock(person);
  await person.open('/stock');
  await person.follow(RECEIVE);
  await person.field('place').selectOption({ label: site.name });
  await person.field('price').fill('1500');
  if (cost !== null) await person.field('cost').fill(String(cost));
  await person.field('scan').fill(card.name);
  await person.navigate(async () => await person.field('scan').press('Enter'));
  if (person.hasScripts) await person.checkPage(200);
  await person.page.locator('input[name^="quantity."]').fill(String(pieces));
  await person.send(RECEIVE);
  // If the card has an open boost, the form is shown once more to offer the boost.
  if ((await person.field('boost').count()) > 0) {
    if (person.hasScripts) await person.checkPage(422);
    await person.send(RECEIVE);
  }
  const ids = (await idsOfStock(person)).filter((id) => !before.includes(id));
  assert.equal(ids.length, pieces);
  for (const id of ids) {
    const unit = await findStockUnit(base.db, shop.shop.id, id);
    assert.deepEqual([unit?.priceMinor, unit?.costMinor, unit?.status], [1_500, cost, 'in_stock']);
  }
  // The list of units received today links to them.
  const first = person.page.locator('#received a').first();
  await person.navigate(async () => await first.click());
  assert.ok(ids.includes(idFromUrl(person.page)));
  return ids;
}

export async function sellUnit(person: Person, id: string): Promise<void> {
  await person.open(`/stock/${id}`);
  await setStatus(person, id, 'sold');
  await person.expectFlash('unit_sold');
}

/** Does everything that a member who may see costs can do with stock. */
export async function runStockActions(person: Person): Promise<void> {
  await person.open(RECEIVE);
  await person.field('place').selectOption({ label: person.scene.site.name });
  await person.send(RECEIVE);
  await person.expectError('scan');
  await person.checkPage(422);
  const [id = '', second = '', third = ''] = await receiveUnits(person, {
    pieces: 3,
    cost: SECRET_COST,
  });
  await findByTyping(person, id);
  await person.open(`/stock/${id}`);
  await setStatus(person, id, 'reserved');
  await setStatus(person, id, 'in_stock');
  await moveToShelf(person, id);
  await editWithConflict(person, id);
  await changePhotos(person, id);
  await sellUnit(person, id);
  await setStatus(person, id, 'in_stock');
  await openActions(person);
  await person.follow(`/stock/${id}/confirm?to=voided`);
  await setStatus(person, id, 'voided');
  await person.expectFlash('unit_voided');
  await changeSeveral(person, [id, second, third]);
}

/** Searches the list by typing, without pressing Enter, and selects a unit in the results. */
async function findByTyping(person: Person, id: string): Promise<void> {
  const { page, scene } = person;
  await person.open('/stock');
  await person.field('q').pressSequentially('zzzz');
  await page.locator('#stock-results .empty').waitFor();
  await person.field('q').fill(scene.card.name);
  const unit = page.locator(`#stock-results a.unit-name[href$="/stock/${id}"]`);
  await unit.waitFor();
  assert.equal(new URL(page.url()).searchParams.get('q'), scene.card.name);
  await person.field(`unit.${id}`).check();
  await page.locator('.bulk.at-hand').waitFor();
  await person.checkPage(200);
  // A later search replaces the list and keeps the ticks.
  await page.evaluate(`document.querySelector('#stock-results > *').id = 'old-list'`);
  await person.field('q').pressSequentially(' ');
  await page.locator('#old-list').waitFor({ state: 'detached' });
  assert.equal(await person.field(`unit.${id}`).isChecked(), true);
  await page.locator('.bulk.at-hand').waitFor();
  // The search is in the URL, so a reload shows the same results.
  await person.navigate(async () => await page.reload());
  await unit.waitFor();
}

async function moveToShelf(person: Person, id: string): Promise<void> {
  const { location, site } = person.scene;
  await person.field('place').selectOption({ value: `${site.id}/${location.id}` });
  await person.send(`/stock/${id}/move`);
  await person.expectFlash('unit_moved');
  assert.equal((await unitOf(person, id))?.location?.id, location.id);
}

/**
 * Edits a unit while the till changes its price. The page must show both prices and keep the rest
 * of the input.
 */
async function editWithConflict(person: Person, id: string): Promise<void> {
  const path = `/stock/${id}/edit`;
  await person.follow(path);
  await person.field('price').fill('2000');
  await person.field('certNumber').fill('K-77');
  await person.scene.till('PUT', `/units/${id}`, { priceMinor: 1_800 });
  await person.send(path);
  await person.expectError();
  assert.match(await person.page.getByRole('alert').innerText(), /1800/);
  assert.equal(await person.field('price').inputValue(), '2000');
  await person.checkPage(409);
  assert.equal((await unitOf(person, id))?.priceMinor, 1_800);
  await person.send(path);
  await person.expectFlash('saved');
  const unit = await unitOf(person, id);
  assert.deepEqual([unit?.priceMinor, unit?.certNumber], [2_000, 'K-77']);
  assert.equal(unit?.costMinor, SECRET_COST);
}

async function changePhotos(person: Person, id: string): Promise<void> {
  const path = `/stock/${id}/photos/front`;
  const input = person.page.locator(`form[action$="${path}"] input[name="photo"]`);
  const upload = async (bytes: Buffer): Promise<void> => {
    const file = { name: 'photo.png', mimeType: 'image/png', buffer: bytes };
    // The script uploads the chosen file immediately.
    await person.navigate(async () => await input.setInputFiles(file));
  };
  await upload(Buffer.from('no picture'));
  await person.checkPage(422);
  assert.deepEqual((await unitOf(person, id))?.photos, []);
  await upload(await makePlainImage(64, 48, 'png'));
  await person.expectFlash('photo_saved');
  assert.deepEqual(
    (await unitOf(person, id))?.photos.map(({ side }) => side),
    ['front'],
  );
  await person.send(`${path}/remove`);
  await person.expectFlash('photo_removed');
  assert.deepEqual((await unitOf(person, id))?.photos, []);
}

/** Changes several units. The first is void and is reported as unchanged; all others are sold. */
async function changeSeveral(person: Person, ids: readonly string[]): Promise<void> {
  await person.open('/stock?status=all');
  for (const id of ids) await person.field(`unit.${id}`).check();
  const count = person.page.locator('.bulk').getByRole('status');
  await count.filter({ hasText: String(ids.length) }).waitFor();
  const bar = await person.page.locator('.bulk').boundingBox();
  const height = person.page.viewportSize()?.height ?? 0;
  assert.ok(bar !== null && bar.y + bar.height <= height + 1, 'the bar is visible');
  for (const button of await person.page.locator('.bulk button').all()) {
    const box = await button.boundingBox();
    assert.ok(box !== null && box.x + box.width <= bar.x + bar.width, 'no button is cut off');
  }
  await person.send(BULK, { button: ['do', 'sell'] });
  const [first = '', ...others] = ids;
  // The response lists the units that were not changed.
  await person.page.locator(`main table a[href$="/stock/${first}"]`).waitFor();
  await person.checkPage(200);
  await expectStatus(person, first, 'voided');
  for (const id of others) await expectStatus(person, id, 'sold');
  await person.send(`${BULK}/undo`);
  await person.expectFlash(`units_undone.${others.length}.0`);
  for (const id of others) await expectStatus(person, id, 'in_stock');
  for (const id of others) await person.field(`unit.${id}`).check();
  await person.send(BULK, { button: ['do', 'sell'] });
  await person.page.locator(`form[action$="${BULK}/undo"] button`).waitFor();
  await person.checkPage(200);
}

/** Sets the status of a unit, on the unit's page or on the confirmation page. */
async function setStatus(person: Person, id: string, status: UnitStatus): Promise<void> {
  await openActions(person);
  await person.send(`/stock/${id}/status`, { hidden: { to: status } });
  await expectStatus(person, id, status);
}

/** Opens the menu of a unit's other actions, if the page has one. */
async function openActions({ page }: Person): Promise<void> {
  const menu = page.locator('details.more:not([open]) > summary');
  if ((await menu.count()) > 0) await menu.click();
}

async function expectStatus(person: Person, id: string, status: UnitStatus): Promise<void> {
  assert.equal((await unitOf(person, id))?.status, status);
}

async function unitOf(person: Person, id: string): Promise<StockUnitDetails | undefined> {
  const { base, shop } = person.scene;
  return await findStockUnit(base.db, shop.shop.id, id);
}

async function idsOfStock(person: Person): Promise<readonly string[]> {
  const { base, shop } = person.scene;
  const all = { beforeSeq: null, limit: 200 };
  const { units } = await listStock(base.db, shop.shop.id, {}, all);
  return units.map(({ id }) => id);
}
