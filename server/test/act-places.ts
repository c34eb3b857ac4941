import assert from 'node:assert/strict';
import { listLocationsOfSite } from '../src/inventory/location-row.ts';
import { listShownSites } from '../src/inventory/site-list.ts';
import { idOf, type Person, type Said } from './act-person.ts';

const NAME: Said = ['Name', '名前'];
const CODE: Said = ['Code', 'コード'];
const SAVE: Said = ['Save', '保存する'];

/** Adds a site as a member does, and returns its id. */
export async function addSite(person: Person, code: string): Promise<string> {
  await person.open('/places');
  await person.follow(['Add a site', '拠点を追加']);
  await person.field(NAME).fill(`駅前 ${code}`);
  await person.field(CODE).fill(code);
  const country = person.field(['Country code', '国コード']);
  await country.fill('XX');
  await person.press(SAVE);
  await person.reads(['The form was not saved', '保存できませんでした']);
  await person.examine(422);
  await country.fill('jp');
  await person.press(SAVE);
  await person.reads(['The site was added.', '拠点を追加しました。']);
  const id = idOf(person.page);
  const { base, shop } = person.scene;
  const site = (await listShownSites(base.db, shop.shop.id)).find((each) => each.id === id);
  assert.deepEqual([site?.code, site?.countryCode], [code, 'JP']);
  return id;
}

/** Everything that can be done with sites and locations. */
export async function actOnPlaces(person: Person): Promise<void> {
  const { base, shop } = person.scene;
  const siteId = await addSite(person, 'eki');
  await person.follow(['Edit', '編集']);
  await person.field(NAME).fill('駅前店');
  await person.press(SAVE);
  await person.reads(['Saved.', '保存しました。']);
  const sites = await listShownSites(base.db, shop.shop.id);
  assert.equal(sites.find(({ id }) => id === siteId)?.name, '駅前店');
  await person.follow(['Add a location', '保管場所を追加']);
  await person.field(NAME).fill('ケース');
  await person.field(CODE).fill('C-1');
  await person.press(SAVE);
  await person.reads(['The location was added.', '保管場所を追加しました。']);
  await person.follow(['Edit ケース', '編集 ケース']);
  await person.field(['In use', '使用中']).uncheck();
  await person.press(SAVE);
  await person.reads(['Saved.', '保存しました。']);
  const [location] = await listLocationsOfSite(base.db, shop.shop.id, siteId);
  assert.deepEqual([location?.code, location?.isActive], ['C-1', false]);
}
