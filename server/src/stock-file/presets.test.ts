import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { openStockFileScene } from '../../test/stock-file-scene.ts';
import { guessLayout } from './columns.ts';
import { readTable } from './read-table.ts';

/** Returns the preset of a file, and `name finish grade price` of each imported unit. */
async function importOf(text: string, currency: string): Promise<readonly string[]> {
  await using scene = await openStockFileScene(currency);
  const result = await scene.importFile(text);
  assert.ok('counts' in result);
  const faults = result.faults.map(({ row, code }) => `${row} ${code}`);
  const units = await scene.units();
  return [
    ...units.map(({ name, finish, grade, price }) => `${name} ${finish} ${grade} ${price}`),
    ...faults,
  ];
}

async function presetOf(text: string): Promise<string | null> {
  const table = await readTable(Buffer.from(text));
  assert.ok(table.kind === 'table');
  return guessLayout(table.headers).preset;
}

describe('exports of other systems', () => {
  it('exports of TCGplayer contain the finish in the condition', async () => {
    const text = [
      'TCGplayer Id,Product Line,Set Name,Product Name,Title,Number,Rarity,Condition,TCG Market Price,TCG Direct Low,TCG Low Price With Shipping,TCG Low Price,Total Quantity,Add to Quantity,TCG Marketplace Price,Photo URL',
      '2953567,Skyfall,Morning Mist,Puffolk,,4,Rare,Near Mint,20.37,,,,2,9,19.99,',
      '2953568,Skyfall,Morning Mist,Puffolk,,4,Rare,Near Mint Foil,20.37,,,,1,0,30.5,',
      '2953569,Skyfall,Morning Mist,Old Kettle,,TG05/TG30,Rare,Near Mint,1,,,,0,0,1.00,',
      '2953570,Skyfall,Morning Mist,Lanternfish,,39,Rare,Near Mint Foil,1,,,,1,0,1.00,',
    ].join('\n');
    assert.equal(await presetOf(text), 'tcgplayer');
    assert.deepEqual(await importOf(text, 'USD'), [
      'Puffolk foil NM 3050',
      'Puffolk nonfoil NM 1999',
      'Puffolk nonfoil NM 1999',
      '5 ambiguous_item',
    ]);
  });

  it('exports of Cardmarket contain its product ids, language numbers and playsets', async () => {
    const text = [
      '"idArticle";"idProduct";"English Name";"Local Name";"Exp.";"Exp. Name";"Price";"Language";"Condition";"Foil?";"Signed?";"Playset?";"Altered?";"Comments";"Amount";"onSale";"collectorNumber"',
      '"1";"374406";"Puffolk";"Puffolk";"";"Morning Mist";"0.06";"1";"NM";"X";"";"";"";"";"1";"1";""',
      '"2";"294560";"Lanternfish";"灯籠魚";"";"Morning Mist";"31.00";"7";"NM";"";"";"X";"";"";"1";"1";""',
    ].join('\r\n');
    assert.equal(await presetOf(text), 'cardmarket');
    assert.deepEqual(await importOf(text, 'EUR'), [
      'Puffolk foil NM 6',
      ...Array.from({ length: 4 }, () => '灯籠魚 nonfoil NM 3100'),
    ]);
  });

  it('exports of Shopify contain the title of a product only in its first row', async () => {
    const products = [
      'Handle,Title,Body (HTML),Vendor,Type,Tags,Published,Option1 Name,Option1 Value,Variant SKU,Variant Inventory Tracker,Variant Inventory Qty,Variant Price,Variant Barcode,Image Src,Cost per item,Status',
      'puffolk,Old Kettle,"<p>A kettle,\nold</p>",Kumo,Single,,TRUE,Condition,Near Mint,KET-NM,shopify,2,1200.00,,https://pictures.example/1.jpg,700.00,active',
      'puffolk,,,,,,,,A,KET-A,shopify,1,900.00,,,,',
      'puffolk,,,,,,,,,,,,,,https://pictures.example/2.jpg,,',
      'dragon,Squall Dragon box,,Kumo,Sealed,,TRUE,Title,Default Title,BOX,shopify,1,9800,4900000000017,,,active',
    ].join('\n');
    assert.equal(await presetOf(products), 'shopify_products');
    assert.deepEqual(await importOf(products, 'JPY'), [
      'Old Kettle nonfoil A 900',
      'Old Kettle nonfoil NM 1200',
      'Old Kettle nonfoil NM 1200',
      '夕立の竜 null null 9800',
    ]);
    const inventory = [
      'Handle,Title,Option1 Name,Option1 Value,Option2 Name,Option2 Value,Option3 Name,Option3 Value,SKU,HS Code,COO,Location,Bin name,Incoming (not editable),Unavailable (not editable),Committed (not editable),Available (not editable),On hand (current),On hand (new)',
      'kettle,Old Kettle,Condition,Near Mint,,,,,KET-NM,,,本店,,0,0,0,1,3,',
      'kettle,Old Kettle,Condition,Near Mint,,,,,KET-NM,,,倉庫,,0,0,0,1,1,',
      'kettle,Old Kettle,Condition,A,,,,,KET-A,,,本店,,0,0,0,0,not stocked,',
    ].join('\n');
    assert.equal(await presetOf(inventory), 'shopify_inventory');
    assert.deepEqual(await importOf(inventory, 'JPY'), [
      ...Array.from({ length: 3 }, () => 'Old Kettle nonfoil NM null'),
      '3 unknown_site',
    ]);
  });

  it('exports of Square have the name of the location in the header of the quantity', async () => {
    const text = [
      '\ufeffToken,Item Name,Variation Name,SKU,Description,Category,GTIN,Price,Default Unit Cost,Current Quantity Kumo Cards,New Quantity Kumo Cards,Stock Alert Enabled Kumo Cards',
      'TOK1,Old Kettle,Near Mint,,,Singles,,"1,200.00",700.00,2,,N',
      'TOK2,Puffolk,Regular,,,Singles,,variable,,1,,N',
    ].join('\r\n');
    assert.equal(await presetOf(text), 'square');
    assert.deepEqual(await importOf(text, 'JPY'), [
      'Old Kettle nonfoil NM 1200',
      'Old Kettle nonfoil NM 1200',
      'Puffolk nonfoil null null',
    ]);
  });

  it('exports with Scryfall ids are matched by these ids', async () => {
    const text = `Scryfall ID,Foil,Quantity\n5F0E8A10-63C5-4D0F-9A5E-0F6C0F1F7A99,foil,1\n`;
    assert.equal(await presetOf(text), null);
    assert.deepEqual(await importOf(text, 'JPY'), ['Puffolk foil null null']);
  });

  it('exports of Japanese spreadsheets may be in Shift_JIS, with full-width characters', async () => {
    // カード番号,セット,数量,売価,状態 / ０４８／０９０,夕暮れ,２枚,￥１，２００,良好 / ①,夕暮れ,1,100,
    // The circled digit is in Microsoft's extension of Shift_JIS, and means the digit.
    const bytes = Buffer.from(
      'g0qBW4NolNSNhiyDWoNig2cskJSXyiyUhIm/LI/zkdQNCoJPglOCV4Fegk+CWIJPLJdblemC6iyCUZaHLIGPglCBQ4JRgk+CTyyXx41EDQqHQCyXW5XpguosMSwxMDAsDQo=',
      'base64',
    );
    await using scene = await openStockFileScene();
    const result = await scene.importFile(bytes);
    assert.ok('counts' in result);
    const [unit, other] = await scene.units();
    assert.deepEqual(unit, other);
    assert.deepEqual([unit?.name, unit?.grade, unit?.price], ['夕立の竜', 'A', 1_200]);
    assert.deepEqual(
      result.faults.map(({ row, value }) => [row, value]),
      [[3, '夕暮れ 1']],
    );
  });
});
