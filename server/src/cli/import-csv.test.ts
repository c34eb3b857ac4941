import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { type Run, temporaryFolder } from '../../test/cardport.ts';
import { environmentOf, runCardportInProcess } from '../../test/cardport-in-process.ts';
import { seedStock } from '../../test/stock.ts';
import { openTestDatabase } from '../../test/test-database.ts';

describe('inventory import --csv', () => {
  it('imports a file, says what was rejected, and changes nothing the second time', async () => {
    await using base = await openTestDatabase();
    using folder = temporaryFolder();
    await seedStock(base.db, 'kumo');
    const file = join(folder.path, 'stock.csv');
    writeFileSync(file, 'Item,Pieces,Price\n蒼天竜アルバ,2,900\nAlba,1,abc\n星降るBOX,1,5000\n');
    const run = async (...options: readonly string[]): Promise<Run> =>
      await runCardportInProcess(['inventory', 'import', '--shop', 'kumo', ...options, file], {
        environment: environmentOf(base),
      });
    const columns = ['--csv', '--column', 'name=item', '--column', 'quantity=Pieces'];

    const checked = await run(...columns, '--check');
    assert.match(
      checked.stdout,
      /^Would create 3 and change 0 units; 0 unchanged\. Rejected 1 rows\./,
    );
    const first = await run(...columns, '--json');
    assert.equal(first.code, checked.code);
    const report: unknown = JSON.parse(first.stdout);
    assert.ok(typeof report === 'object' && report !== null);
    assert.deepEqual(
      { ...report, rowsMatched: undefined },
      {
        created: 3,
        changed: 0,
        unchanged: 0,
        noLongerInStock: 0,
        rowsWithoutUnits: 0,
        rowsRejected: 1,
        rowsMatched: undefined,
        rejected: [{ row: 3, error: 'no_amount', detail: 'Price “abc” is not an amount.' }],
      },
    );
    const second = await run(...columns, '--site', 'main');
    assert.match(second.stdout, /^Created 0 and changed 0 units; 3 unchanged/);
    assert.match(second.stderr, /row 3: Price “abc” is not an amount\./);
    const delivery = await run(...columns, '--delivery', '--location', 'A-1');
    assert.match(delivery.stdout, /^Created 3 /);

    for (const [options, reason] of [
      [['--check'], /--check applies only to CSV files/],
      [['--csv', '--column', 'colour=Item'], /must begin with one of quantity/],
      [['--csv', '--column', 'name=Card'], /the file has no column "Card"/],
      [['--csv', '--site', 'x'], /no active site "x"/],
      [['--csv', '--location', 'x'], /no location "x"/],
    ] as const) {
      const refused = await run(...options);
      assert.notEqual(refused.code, 0);
      assert.match(refused.stderr, reason);
      assert.equal(refused.stdout, '');
    }
    writeFileSync(file, 'PK\u0003\u0004');
    const workbook = await run('--csv');
    assert.equal(workbook.code, 1);
    assert.match(workbook.stderr, /spreadsheet \(Excel\)/);
  });
});
