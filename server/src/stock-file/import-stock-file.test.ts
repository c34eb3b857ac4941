import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { openStockFileScene, type StockFileScene } from '../../test/stock-file-scene.ts';
import { putUnits } from '../inventory/unit.ts';
import { statement } from '../database/statement.ts';
import { rowFaultText } from './fault-text.ts';
import type { FileProgress, FileResult } from './import-stock-file.ts';

export const selectUnitIds = statement<{ readonly id: string }>(
  'test_select_unit_ids',
  'select unit_id as id from unit where shop_id = $1 order by seq',
);

async function load(
  scene: StockFileScene,
  ...[file, changed, options]: Parameters<StockFileScene['importFile']>
): Promise<FileResult> {
  const result = await scene.importFile(file, changed, options);
  assert.ok('counts' in result, JSON.stringify(result));
  return result;
}

/** Renders the faults as `row: sentence`. */
function faultsOf({ faults }: FileResult): readonly string[] {
  return faults.map((fault) => `${fault.row}: ${rowFaultText(fault, 'en')}`);
}

const LIST = [
  'Card name,Set,Card number,Condition,Quantity,Price,Location',
  'Puffolk,MOR,4,NM,3,"1,200",A-1',
  '夕立の竜,夕暮れ,048/090,A,1,¥900,',
  '夕立の竜,EVE,91,,2,,',
].join('\r\n');

describe('an imported CSV file', () => {
  it('an import adds as many units as a row has pieces, with grade, price and place', async () => {
    await using scene = await openStockFileScene();
    const { counts, faults } = await load(scene, LIST);
    assert.deepEqual(faults, []);
    assert.equal(counts.created, 6);
    assert.equal(counts.rowsMatched.set_number, 3);
    const puffolk = { name: 'Puffolk', language: 'en', finish: 'nonfoil', grade: 'NM' };
    const dragon = { name: '夕立の竜', language: 'ja', finish: null, location: null, cost: null };
    const priced = { ...puffolk, price: 1_200, cost: null, location: 'A-1' };
    assert.deepEqual(await scene.units(), [
      priced,
      priced,
      priced,
      { ...dragon, grade: 'A', price: 900 },
      { ...dragon, grade: null, price: null },
      { ...dragon, grade: null, price: null },
    ]);
  });

  it('importing the same file again changes nothing, even after a unit was sold', async () => {
    await using scene = await openStockFileScene();
    const { shop } = scene.stock;
    await load(scene, LIST);
    const before = await scene.base.db.query(selectUnitIds, [shop.id]);
    const again = await load(scene, LIST);
    assert.deepEqual(
      [again.counts.created, again.counts.changed, again.counts.unchanged],
      [0, 0, 6],
    );
    const [sold] = before;
    await scene.base.db.transaction(
      async (tx) => await putUnits(tx, shop, [{ id: sold?.id ?? '', status: 'sold' }], new Date()),
    );
    const after = await load(scene, LIST);
    assert.deepEqual([after.counts.created, after.counts.unchanged, after.counts.left], [0, 5, 1]);
    assert.equal((await scene.base.db.query(selectUnitIds, [shop.id])).length, 6);
  });

  it('a later file changes prices, and adds units if a quantity is larger than before', async () => {
    await using scene = await openStockFileScene();
    await load(scene, LIST);
    const { counts } = await load(scene, LIST.replace('NM,3,"1,200"', 'NM,4,1500'));
    assert.deepEqual([counts.created, counts.changed, counts.unchanged], [1, 3, 3]);
    const prices = (await scene.units()).map(({ price }) => price);
    assert.deepEqual(prices, [1_500, 1_500, 1_500, 1_500, 900, null, null]);
  });

  it('a file that is a delivery adds new stock, but the same delivery only once', async () => {
    await using scene = await openStockFileScene();
    await load(scene, LIST);
    const delivery = { isDelivery: true };
    assert.equal((await load(scene, LIST, delivery)).counts.created, 6);
    assert.equal((await load(scene, LIST, delivery)).counts.created, 0);
    assert.equal((await load(scene, `${LIST}\r\n`, delivery)).counts.created, 6);
    assert.equal((await scene.units()).length, 18);
  });

  it('units are identified by the key of their row', async () => {
    await using scene = await openStockFileScene();
    const rows = ['Row key,Name,Set,Number', 'a,Puffolk,MOR,4', 'b,Puffolk,MOR,4'].join('\n');
    assert.equal((await load(scene, rows)).counts.created, 2);
    const { counts } = await load(scene, rows.replace('a,Puffolk', 'c,Puffolk'));
    assert.deepEqual([counts.created, counts.unchanged], [1, 1]);
  });

  it('checking a file writes nothing, and reports the same counts as the import', async () => {
    await using scene = await openStockFileScene();
    const checked = await load(scene, LIST, {}, { write: null });
    assert.deepEqual(await scene.units(), []);
    const written = await load(scene, LIST);
    assert.deepEqual(checked.counts, written.counts);
    assert.equal((await load(scene, LIST, {}, { write: null })).counts.unchanged, 6);
  });

  it('the import asks which card a row means, and uses the answer', async () => {
    await using scene = await openStockFileScene();
    const file = 'Name,Quantity\nSquall Dragon,1\nLanternfish,2\n夕立の竜,3\nNobody,1';
    const first = await load(scene, file);
    assert.equal(first.counts.created, 1, 'one card has the English name');
    assert.deepEqual(faultsOf(first), [
      '3: Name “Lanternfish” matches several cards. Choose one, or add set, number, language or finish.',
      '4: Name “夕立の竜” matches several cards. Choose one, or add set, number, language or finish.',
      '5: Name “Nobody” matches no card or product in the catalog.',
    ]);
    const [fish, dragon] = first.questions;
    assert.ok(fish?.question.kind === 'item' && dragon?.question.kind === 'item');
    assert.equal(fish.question.items.length, 2);
    const english = scene.cards[3]?.id ?? '';
    const itemChoices = { [fish.question.key]: `card:${english}`, [dragon.question.key]: 'skip' };
    const second = await load(scene, file, { itemChoices });
    assert.equal(second.counts.created, 2);
    assert.equal(second.counts.rowsMatched.choice, 1);
    assert.deepEqual(faultsOf(second), [
      '4: Name “夕立の竜” was skipped, as chosen.',
      '5: Name “Nobody” matches no card or product in the catalog.',
    ]);
  });

  it('the import asks which grade a condition means, and uses the answer', async () => {
    await using scene = await openStockFileScene();
    const file = 'Name,Set,Number,Condition\nPuffolk,MOR,4,Lightly Played';
    const first = await load(scene, file);
    assert.deepEqual(faultsOf(first), [
      '2: Condition “Lightly Played” is not a grade of the shop.',
    ]);
    const [asked] = first.questions;
    assert.ok(asked?.question.kind === 'grade');
    const second = await load(scene, file, { gradeChoices: { [asked.question.key]: '' } });
    assert.equal(second.counts.created, 1);
  });

  it('a card in another language or finish is never matched, even if it is the only one', async () => {
    await using scene = await openStockFileScene();
    const file = [
      'Name,Set,Number,Language,Finish',
      'Puffolk,MOR,4,日本語,',
      'Old Kettle,MOR,TG05,en,Foil',
      'Puffolk,Morning Mist,004/120,English,Foil',
    ].join('\n');
    const { counts, faults } = await load(scene, file);
    assert.deepEqual(
      faults.map(({ row, code }) => [row, code]),
      [
        [2, 'ambiguous_item'],
        [3, 'ambiguous_item'],
      ],
    );
    assert.equal(counts.created, 1);
    assert.equal((await scene.units())[0]?.finish, 'foil');
  });

  it('every fault of a row is reported with its column', async () => {
    await using scene = await openStockFileScene();
    const file = [
      'Name,Set,Number,Quantity,Price,Cost,Site,Location,Acquired,Ownership,Language,Item ID,Serial number',
      'Puffolk,MOR,4,-1,abc,1.5,,,2026-02-30,mine,Elvish,7,',
      'Puffolk,MOR,4,501,,,,,,,,,',
      'Puffolk,MOR,4,2,,,,,,,,,025/100',
      'Puffolk,MOR,4,1,,,nowhere,,,,,,',
      'Puffolk,MOR,4,1,,,main,Z-9,,,,,',
      ',,,1,,,,,,,,,',
    ].join('\n');
    assert.deepEqual(faultsOf(await load(scene, file)), [
      '2: Quantity “-1” must be a whole number from 0 to 500.',
      '2: Item ID “7” is not a Cardport id.',
      '2: Language “Elvish” is not a language.',
      '2: Price “abc” is not an amount.',
      '2: Cost “1.5” has more decimal places than the currency.',
      '2: Ownership “mine” must be “owned” or “consigned”.',
      '2: Acquired “2026-02-30” is not a date such as 2026-11-23.',
      '3: Quantity “501” is more than 500. Split the row.',
      '4: Serial number “025/100” identifies a single piece, but the quantity is greater than 1.',
      '5: Site “nowhere” is not an active site of the shop.',
      '6: Location “Z-9” is not an active location of the site.',
      '7: Name is empty, and no other column says which card it is.',
    ]);
    assert.deepEqual(await scene.units(), []);
  });

  it('a row with the id of a unit changes that unit, but not its place or status', async () => {
    await using scene = await openStockFileScene();
    await load(scene, LIST);
    const [unit] = await scene.base.db.query(selectUnitIds, [scene.stock.shop.id]);
    const file = (id: string): string => `Unit ID,Price,Location\n${id},777,nowhere`;
    const { counts, faults } = await load(scene, file(unit?.id ?? ''));
    assert.deepEqual([counts.changed, counts.created, faults], [1, 0, []]);
    assert.ok(
      (await scene.units()).some(({ price, location }) => price === 777 && location === 'A-1'),
    );
    const unknown = await load(scene, file('5f0e8a10-63c5-4d0f-9a5e-0f6c0f1f7a99'));
    assert.deepEqual(
      unknown.faults.map(({ code }) => code),
      ['unknown_unit'],
    );
  });

  it('an import and its counts continue after an interruption', async () => {
    await using scene = await openStockFileScene();
    const rows = Array.from({ length: 40 }, (_, n) => `${n},Puffolk,MOR,4,30`);
    const file = ['Row key,Name,Set,Number,Quantity', ...rows].join('\n');
    let saved: FileProgress | undefined;
    let batches = 0;
    const interrupted = load(
      scene,
      file,
      {},
      {
        write: async (work) => {
          batches += 1;
          if (batches > 2) throw new Error('the process ended');
          return await scene.base.db.transaction(work);
        },
        onProgress: async (_tx, progress) => {
          saved = structuredClone(progress);
        },
      },
    );
    await assert.rejects(interrupted, /the process ended/);
    assert.deepEqual([saved?.rowsDone, saved?.counts.created], [32, 960]);
    assert.equal((await scene.units()).length, 960);
    const { counts, rowsDone } = await load(scene, file, {}, { from: saved });
    assert.deepEqual([rowsDone, counts.created, counts.unchanged], [40, 1_200, 0]);
    assert.equal((await scene.units()).length, 1_200);
    const whole = await load(scene, file);
    assert.deepEqual([whole.counts.created, whole.counts.unchanged], [0, 1_200]);
  });
});
