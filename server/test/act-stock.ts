import assert from 'node:assert/strict';
import { listStock } from '../src/inventory/stock-list.ts';
import { findStockUnit, type StockUnitDetails } from '../src/inventory/stock-unit.ts';
import type { UnitStatus } from '../src/inventory/unit-status.ts';
import { SECRET_COST } from './act-scene.ts';
import { idOf, type Person, type Said } from './act-person.ts';
import { plain } from './pictures.ts';

const PRICE: Said = ['Price', '価格'];
const SELL: Said = ['Sell', '販売済みにする'];
const SAVED: Said = ['Saved.', '保存しました。'];
const SOLD: Said = ['The unit is now sold.', '「販売済み」にしました。'];
const RECEIVE: Said = ['Receive', '入庫する'];

/** Takes pieces of the scene's card in, and returns the ids of their units. */
export async function receiveUnits(
  person: Person,
  { pieces, cost }: { readonly pieces: number; readonly cost: number | null },
): Promise<readonly string[]> {
  const { base, shop, card, site } = person.scene;
  const before = await idsOfStock(person);
  await person.open('/stock');
  await person.follow(['Receive', '入庫']);
  await person.pickCard();
  await person.field(['Quantity', '数量']).fill(String(pieces));
  await person.field(['Place', '場所']).selectOption({ label: site.name });
  await person.field(PRICE).fill('1500');
  if (cost !== null) await person.field(['Cost', '原価']).fill(String(cost));
  await person.press(RECEIVE);
  await person.reads([
    `Received: ${pieces} × ${card.name}.`,
    `「${card.name}」を ${pieces} 点入庫しました。`,
  ]);
  const ids = (await idsOfStock(person)).filter((id) => !before.includes(id));
  assert.equal(ids.length, pieces);
  for (const id of ids) {
    const unit = await findStockUnit(base.db, shop.shop.id, id);
    assert.deepEqual([unit?.priceMinor, unit?.costMinor, unit?.status], [1_500, cost, 'in_stock']);
  }
  return ids;
}

/** Sells a unit from its page. */
export async function sellUnit(person: Person, id: string): Promise<void> {
  await person.open(`/stock/${id}`);
  await person.press(SELL);
  await person.reads(SOLD);
  await isNow(person, id, 'sold');
}

/** Everything that can be done with stock, by somebody who may see costs. */
export async function actOnStock(person: Person): Promise<void> {
  const { page } = person;
  await person.open('/stock/receive');
  await person.field(['Place', '場所']).selectOption({ label: person.scene.site.name });
  await person.press(RECEIVE);
  await person.reads(['Choose a card or a product.', 'カードまたは商品を選んでください。']);
  await person.examine(422);
  const [id = '', second = '', third = ''] = await receiveUnits(person, {
    pieces: 3,
    cost: SECRET_COST,
  });
  await person.follow(['Open the first unit', '最初の 1 点を開く']);
  assert.ok([id, second, third].includes(idOf(page)));
  await person.open(`/stock/${id}`);
  await person.press(['Reserve', '取り置きにする']);
  await isNow(person, id, 'reserved');
  await person.press(['Release', '取り置きを解除']);
  await isNow(person, id, 'in_stock');
  await moveToShelf(person, id);
  await editBesideOther(person, id);
  await changePhotos(person, id);
  await sellUnit(person, id);
  await person.press(['Undo the sale', '販売を取り消す']);
  await isNow(person, id, 'in_stock');
  await person.follow(['Void', '無効にする']);
  await person.press(['Void', '無効にする']);
  await person.reads(['The unit is now voided.', '「無効」にしました。']);
  await isNow(person, id, 'voided');
  await changeSeveral(person, [id, second, third]);
}

async function moveToShelf(person: Person, id: string): Promise<void> {
  const { location } = person.scene;
  const place = person.field(['Move to', '移動先']);
  await place.selectOption({ value: `${person.scene.site.id}/${location.id}` });
  await person.press(['Move', '移動する']);
  await person.reads(['The unit was moved.', '在庫品を移動しました。']);
  assert.equal((await unitOf(person, id))?.location?.id, location.id);
}

/** The till changes the price while the form is open: both values are shown, and nothing is lost. */
async function editBesideOther(person: Person, id: string): Promise<void> {
  await person.follow(['Edit', '編集']);
  await person.field(PRICE).fill('2000');
  await person.field(['Certificate number', '鑑定番号']).fill('K-77');
  await person.scene.till('PUT', `/units/${id}`, { priceMinor: 1_800 });
  await person.press(['Save', '保存する']);
  await person.reads(['Now it is: 1800', '現在の値：1800']);
  await person.examine(422);
  assert.equal((await unitOf(person, id))?.priceMinor, 1_800);
  await person.press(['Save', '保存する']);
  await person.reads(SAVED);
  const unit = await unitOf(person, id);
  assert.deepEqual([unit?.priceMinor, unit?.certNumber], [2_000, 'K-77']);
  assert.equal(unit?.costMinor, SECRET_COST);
}

async function changePhotos(person: Person, id: string): Promise<void> {
  const send = async (bytes: Buffer): Promise<void> => {
    const input = person.page.getByLabel(person.say(['Add the photo Front', '写真を追加 表']));
    const file = { name: 'photo.png', mimeType: 'image/png', buffer: bytes };
    // The script sends what was chosen at once.
    await person.leading(async () => await input.setInputFiles(file));
  };
  await send(Buffer.from('no picture'));
  await person.examine(422);
  assert.deepEqual((await unitOf(person, id))?.photos, []);
  await send(await plain(64, 48, 'png'));
  await person.reads(['The photo was saved.', '写真を保存しました。']);
  assert.deepEqual(
    (await unitOf(person, id))?.photos.map(({ side }) => side),
    ['front'],
  );
  await person.press(['Remove the photo Front', '写真を削除 表']);
  await person.reads(['The photo was removed.', '写真を削除しました。']);
  assert.deepEqual((await unitOf(person, id))?.photos, []);
}

/** The first unit is void, which is told; the others are sold. */
async function changeSeveral(person: Person, ids: readonly string[]): Promise<void> {
  await person.open('/stock');
  for (const id of ids) {
    await person.page.locator(`input[name="unit.${id}"]`).check();
  }
  if (person.hasScripts) {
    await person.reads([`${ids.length} chosen`, `${ids.length} 点選択中`]);
    const bar = await person.page.locator('.bulk').boundingBox();
    const height = person.page.viewportSize()?.height ?? 0;
    assert.ok(bar !== null && bar.y + bar.height <= height + 1, 'the bar is in sight');
  }
  await person.press(SELL);
  await person.reads(['1 unit was not changed', '1 点は変更できませんでした']);
  await person.examine(200);
  const [first = '', ...others] = ids;
  await isNow(person, first, 'voided');
  for (const id of others) await isNow(person, id, 'sold');
}

async function isNow(person: Person, id: string, status: UnitStatus): Promise<void> {
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
