import assert from 'node:assert/strict';
import { listLocationsOfSite } from '../src/inventory/location-row.ts';
import { listShownSites } from '../src/inventory/site-list.ts';
import { idFromUrl, type Person } from './browser-person.ts';

const NEW = '/places/new';

export async function addSite(person: Person, code: string): Promise<string> {
  await person.open('/places');
  await person.follow(NEW);
  await person.field('name').fill(`駅前 ${code}`);
  await person.field('code').fill(code);
  await person.field('countryCode').fill('XX');
  await person.send(NEW);
  await person.expectError('countryCode');
  if (person.hasScripts) await person.checkPage(422);
  await person.field('countryCode').fill('jp');
  await person.send(NEW);
  await person.expectFlash('site_added');
  const id = idFromUrl(person.page);
  const { base, shop } = person.scene;
  const site = (await listShownSites(base.db, shop.shop.id)).find((each) => each.id === id);
  assert.deepEqual([site?.code, site?.countryCode], [code, 'JP']);
  return id;
}

/** Does everything that can be done with sites and locations. */
export async function runPlaceActions(person: Person): Promise<void> {
  const { base, shop } = person.scene;
  const siteId = await addSite(person, 'eki');
  const path = `/places/${siteId}`;
  await person.follow(`${path}/edit`);
  await person.field('name').fill('駅前店');
  await person.send(`${path}/edit`);
  await person.expectFlash('saved');
  const sites = await listShownSites(base.db, shop.shop.id);
  assert.equal(sites.find(({ id }) => id === siteId)?.name, '駅前店');
  await person.follow(`${path}/locations/new`);
  await person.field('name').fill('ケース');
  await person.field('code').fill('C-1');
  await person.send(`${path}/locations/new`);
  await person.expectFlash('location_added');
  const [added] = await listLocationsOfSite(base.db, shop.shop.id, siteId);
  const edit = `${path}/locations/${added?.id}`;
  await person.follow(edit);
  await person.field('isActive').uncheck();
  await person.send(edit);
  await person.expectFlash('saved');
  const [location] = await listLocationsOfSite(base.db, shop.shop.id, siteId);
  assert.deepEqual([location?.code, location?.isActive], ['C-1', false]);
}
