import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { openStockConsole, type StockConsole } from '../../../test/stock-console.ts';
import { openTestDatabase } from '../../../test/test-database.ts';
import { systemClock } from '../../base/clock.ts';
import { BYTE_ORDER_MARK } from '../../base/csv-line.ts';
import { readUnitValues } from '../../inventory/unit-values.ts';
import { guessLayout } from '../../stock-file/columns.ts';
import { FIELD_NAMES } from '../../stock-file/fault-text.ts';
import { digestOf, processStockFile } from '../../stock-file/import-stock-file.ts';
import { readTable, type Table } from '../../stock-file/read-table.ts';

async function tableOf(text: string): Promise<Table> {
  const table = await readTable(Buffer.from(text));
  assert.ok(table.kind === 'table', JSON.stringify(table));
  return table;
}

/** Returns the cells of a column. */
async function columnOf(text: string, name: string): Promise<readonly (string | undefined)[]> {
  const { headers, rows } = await tableOf(text);
  assert.ok(headers.includes(name), name);
  return rows.map(({ cells }) => cells[headers.indexOf(name)]);
}

/** Imports a file as the list of the stock, and returns how many units it changed. */
async function importFile({ db, seeded }: StockConsole, text: string): Promise<readonly number[]> {
  const table = await tableOf(text);
  const { mapping, carried } = guessLayout(table.headers);
  const { counts, faults } = await processStockFile(
    db,
    seeded.shop,
    { table, carried, digest: digestOf(Buffer.from(text)) },
    {
      mapping,
      siteId: null,
      locationId: null,
      isDelivery: false,
      itemChoices: {},
      gradeChoices: {},
    },
    { clock: systemClock, write: async (work) => await db.transaction(work) },
  );
  assert.deepEqual(faults, []);
  return [counts.created, counts.changed, counts.unchanged, counts.left];
}

describe('the export of stock', () => {
  it('the export contains all units that match the filters of the list, not only one page', async () => {
    await using base = await openTestDatabase();
    await using desk = await openStockConsole(base);
    const ids: string[] = [];
    while (ids.length < 210) ids.push(await desk.makeUnit());
    const item = { kind: 'card', cardId: desk.otherCardId } as const;
    const other = await desk.makeUnit({ item });
    const sold = await desk.makeUnit({ status: 'sold' });
    const idsAt = async (query: string): Promise<ReadonlySet<string | undefined>> => {
      const { status, text } = await desk.owner.visit(`/stock/export.csv${query}`);
      assert.equal(status, 200);
      return new Set(await columnOf(text, FIELD_NAMES.unitId.en));
    };
    assert.deepEqual(await idsAt(''), new Set([...ids, other]));
    assert.deepEqual(await idsAt('?status=sold'), new Set([sold]));
    assert.deepEqual(await idsAt(`?q=${encodeURIComponent('月の番人')}`), new Set([other]));
    assert.deepEqual(await idsAt('?q=012'), new Set([...ids, sold]));
    const list = await desk.owner.visit('/stock?q=044');
    assert.match(list.text, /href="[^"]*\/stock\/export\.csv\?q=044"/);
  });

  it('an edited export changes only the edited units when it is imported', async () => {
    await using base = await openTestDatabase();
    await using desk = await openStockConsole(base);
    const acquiredAt = new Date('2026-05-01T05:30:00Z');
    const kept = await desk.makeUnit({ certNumber: 'PSA,"9"', acquiredAt });
    const cheaper = await desk.makeUnit({ priceMinor: 98_765, serialNumber: '=1+1' });
    for (const language of ['en', 'ja'] as const) {
      const visitor = await desk.member(['inventory.read', 'inventory.cost'], language);
      const { text } = await visitor.visit('/stock/export.csv');
      assert.ok(text.startsWith(BYTE_ORDER_MARK) || !text.includes(BYTE_ORDER_MARK));
      assert.ok(text.includes(`,'=1+1,`), 'a spreadsheet must not evaluate it');
      assert.deepEqual(await columnOf(text, FIELD_NAMES.cost[language]), ['777123', '777123']);
      assert.deepEqual(await importFile(desk, text), [0, 0, 2, 0]);
      if (language === 'ja') continue;
      assert.deepEqual(await importFile(desk, text.replace('98765', '500')), [0, 1, 1, 0]);
    }
    const values = await readUnitValues(desk.db, desk.seeded.shop.id, [kept, cheaper]);
    assert.deepEqual(values.get(kept)?.acquiredAt, acquiredAt);
    assert.equal(values.get(cheaper)?.priceMinor, 500);
    assert.equal(values.get(cheaper)?.serialNumber, '=1+1');
  });

  it('the export has costs only for members who may see them, and requires the permission to see stock', async () => {
    await using base = await openTestDatabase();
    await using desk = await openStockConsole(base);
    await desk.makeUnit();
    const clerk = await desk.member(['inventory.read']);
    const { text, headers } = await clerk.visit('/stock/export.csv');
    assert.equal((await tableOf(text)).headers.includes(FIELD_NAMES.cost.en), false);
    assert.equal(text.includes('777123'), false);
    assert.match(headers.get('content-disposition') ?? '', /stock-.*\.csv/);
    const other = await desk.member(['purchases.read']);
    assert.equal((await other.visit('/stock/export.csv')).status, 403);
  });

  it('an export redirects to the list, which shows the reason, if the search cannot run', async () => {
    await using base = await openTestDatabase();
    await using desk = await openStockConsole(base);
    const { url } = await desk.owner.visit(`/stock/export.csv?q=${'x'.repeat(151)}`);
    assert.match(url, /\/stock\?q=x/);
  });
});
