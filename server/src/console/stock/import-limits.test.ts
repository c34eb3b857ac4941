import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { formTo, hasFormTo } from '../../../test/plain-browser.ts';
import { assertSays } from '../../../test/console-pages.ts';
import { type SeededShop, seedShop, startTestService } from '../../../test/service.ts';
import { waitUntil } from '../../../test/wait-until.ts';
import { openSignedIn } from '../../../test/signed-in-browser.ts';
import { openStockConsole, type ShopBrowser } from '../../../test/stock-console.ts';
import { openTestDatabase } from '../../../test/test-database.ts';
import { systemClock } from '../../base/clock.ts';
import { newId } from '../../base/secrets.ts';
import { statement } from '../../database/statement.ts';
import { fileFaultText } from '../../stock-file/fault-text.ts';
import { fileFault } from '../../stock-file/fault.ts';
import { ImportRunner } from '../../stock-file/import-runner.ts';
import {
  addImport,
  cleanStockImports,
  findImport,
  changeCheckedImport,
  selectUnclaimedImports,
} from '../../stock-file/stock-import.ts';
import { OPERATOR } from '../../shops/audit.ts';
import { setMember } from '../../shops/member.ts';
import { PERMISSIONS } from '../../shops/permission.ts';
import { importMessages } from './messages/import.ts';

import { counted, settled, STOCK_FILE, uploadStockFile } from '../../../test/stock-import.ts';

export const setImportState = statement(
  'test_set_stock_import_state',
  `update stock_import set state = $3 where shop_id = $1 and import_id = $2`,
);

export const setImportLease = statement(
  'test_set_stock_import_lease',
  `update stock_import set state = 'checking', lease_id = $3, leased_until = $4 where shop_id = $1 and import_id = $2`,
);

describe('the limits of imports, and their interruption', () => {
  it('a file with too many units is refused at the check, with its row, and nothing can be imported', async () => {
    await using base = await openTestDatabase();
    await using desk = await openStockConsole(base);
    const rows = Array.from({ length: 102 }, () => '月の番人,044,500').join('\n');
    const sent = await uploadStockFile(desk, desk.owner, `Name,Card number,Quantity\n${rows}\n`);
    const refused = await settled(desk.owner, sent.location);
    assertSays(refused, fileFaultText(fileFault('too_many_units', 102), 'en'));
    assert.ok(!hasFormTo(refused, '/apply'));
    assert.deepEqual(await counted(desk), [0, 0]);
  });

  it('a file that adds more units than the shop has says so, and one that exceeds the shop’s maximum is refused', async () => {
    await using base = await openTestDatabase();
    const environment = { SHOP_UNITS_MAX: '5' };
    await using desk = await openStockConsole(base, environment);
    await desk.makeUnit();
    const file = (quantity: number): string =>
      `Name,Card number,Quantity\n月の番人,044,${quantity}\n`;
    const small = await settled(
      desk.owner,
      (await uploadStockFile(desk, desk.owner, file(1))).location,
    );
    assert.doesNotMatch(small.text, /class="note warn"/);
    const sent = await uploadStockFile(desk, desk.owner, file(4));
    const checked = await settled(desk.owner, sent.location);
    assertSays(checked, importMessages.en.outgrows('4', '1'));
    const over = await settled(
      desk.owner,
      (await uploadStockFile(desk, desk.owner, file(5))).location,
    );
    assertSays(over, fileFaultText(fileFault('shop_full', 2), 'en'));
    assert.ok(!hasFormTo(over, '/apply'));
    await desk.owner.browser.submit(checked, formTo(checked, '/apply'));
    await settled(desk.owner, sent.location);
    assert.equal((await counted(desk))[0], 5);
  });

  it('a visit of the page starts nothing, and a file whose processes died twice is failed and says so', async () => {
    await using base = await openTestDatabase();
    await using desk = await openStockConsole(base);
    const sent = await uploadStockFile(desk, desk.owner, STOCK_FILE);
    await settled(desk.owner, sent.location);
    const values = [desk.seeded.shop.id, sent.location.split('/').at(-1) ?? ''];
    const die = async (leasedUntil: Date): Promise<void> =>
      void (await desk.db.count(setImportLease, [...values, newId(), leasedUntil]));
    const inAMinute = new Date(Date.now() + 60_000);
    await die(inAMinute);
    const held = await desk.owner.visit(sent.location);
    assert.ok(held.headers.has('refresh'));
    await die(new Date(0));
    assert.ok(hasFormTo(await settled(desk.owner, sent.location), '/apply'), 'one death');
    await desk.owner.browser.submit(
      await desk.owner.visit(sent.location),
      formTo(await desk.owner.visit(sent.location), '/check'),
    );
    await settled(desk.owner, sent.location);
    await die(new Date(0));
    assert.ok(hasFormTo(await settled(desk.owner, sent.location), '/apply'), 'counted anew');
    await die(new Date(0));
    const failed = await settled(desk.owner, sent.location);
    assertSays(failed, fileFaultText(fileFault('interrupted'), 'en'));
    assert.ok(!hasFormTo(failed, '/apply') && !failed.headers.has('refresh'));
  });

  it('an import does not continue for a member who has lost the permission', async () => {
    await using base = await openTestDatabase();
    await using desk = await openStockConsole(base);
    const sent = await uploadStockFile(desk, desk.owner, STOCK_FILE);
    await settled(desk.owner, sent.location);
    const values = [desk.seeded.shop.id, sent.location.split('/').at(-1) ?? ''];
    const { account } = desk.seeded.member;
    await desk.db.transaction(async (tx) => {
      await tx.count(setImportState, [...values, 'importing']);
      await setMember(
        tx,
        desk.seeded.shop.id,
        account.id,
        { isActive: false },
        new Date(),
        OPERATOR,
      );
    });
    const now = new Date(Date.now() + 60_000);
    assert.deepEqual(await desk.db.query(selectUnclaimedImports, [now, 10]), []);
    await desk.db.transaction(
      async (tx) =>
        void (await setMember(
          tx,
          desk.seeded.shop.id,
          account.id,
          { isActive: true },
          new Date(),
          OPERATOR,
        )),
    );
    assert.equal((await desk.db.query(selectUnclaimedImports, [now, 10])).length, 1);
  });

  it('costs are not imported for a member who has lost the permission since the check', async () => {
    await using base = await openTestDatabase();
    await using desk = await openStockConsole(base);
    const sent = await uploadStockFile(desk, desk.owner, STOCK_FILE);
    const checked = await settled(desk.owner, sent.location);
    const { shop, member } = desk.seeded;
    const permissions = PERMISSIONS.filter((each) => each !== 'inventory.cost');
    await desk.db.transaction(
      async (tx) =>
        void (await setMember(
          tx,
          shop.id,
          member.account.id,
          { permissions },
          new Date(),
          OPERATOR,
        )),
    );
    await desk.owner.browser.submit(checked, formTo(checked, '/apply'));
    const again = await settled(desk.owner, sent.location);
    assert.deepEqual(await counted(desk), [0, 0]);
    await desk.owner.browser.submit(again, formTo(again, '/apply'));
    await settled(desk.owner, sent.location);
    assert.deepEqual(await counted(desk), [3, 0]);
  });

  it('the files of a shop are processed one at a time, and two for a process', async () => {
    await using base = await openTestDatabase();
    await using desk = await openStockConsole(base);
    // Otherwise the service might take over the files.
    await desk.service.close();
    const { shop, member } = desk.seeded;
    const other = await seedShop(base);
    const third = await seedShop(base);
    const settings = {
      mapping: { name: 0, number: 1 },
      siteId: desk.siteId,
      locationId: null,
      isDelivery: false,
      itemChoices: {},
      gradeChoices: {},
    };
    const holding = Promise.withResolvers<void>();
    const working: string[] = [];
    const runner = new ImportRunner({
      db: desk.db,
      clock: systemClock,
      write: async (shopId, work) => {
        working.push(shopId);
        await holding.promise;
        return await desk.db.transaction(work);
      },
      unitsMax: Infinity,
      onFault: (error) => assert.fail(String(error)),
    });
    const start = async (owner: SeededShop['shop']): Promise<void> => {
      const importId = await desk.db.transaction(async (tx) => {
        const file = Buffer.from(`Name,No\n月の番人,044\n`);
        const accountId = member.account.id;
        const added = { accountId, fileName: 'a', file, settings, rowsTotal: 1 };
        const id = await addImport(tx, owner.id, added, new Date());
        await tx.count(setImportState, [owner.id, id, 'importing']);
        return id;
      });
      runner.start(owner, importId);
    };
    for (const each of [shop, shop, other.shop, third.shop]) await start(each);
    await waitUntil(() => working.length === 2);
    await new Promise((resolve) => setTimeout(resolve, 100));
    assert.deepEqual(new Set(working), new Set([shop.id, other.shop.id]), 'one of each shop');
    holding.resolve();
    await runner.idle();
    await runner.close();
    assert.equal(working.length, 4);
  });

  it('an import continues in another process after the first process stops, and imports nothing twice', async () => {
    await using base = await openTestDatabase();
    await using desk = await openStockConsole(base);
    const { shop, member } = desk.seeded;
    const rows = Array.from({ length: 3_000 }, (_, row) => `月の番人,044,${row + 1}`);
    const settings = {
      mapping: { name: 0, number: 1, price: 2 },
      siteId: desk.siteId,
      locationId: null,
      isDelivery: false,
      itemChoices: {},
      gradeChoices: {},
    };
    const file = Buffer.from(`Name,No,Price\n${rows.join('\n')}\n`);
    const importId = await desk.db.transaction(async (tx) => {
      const added = {
        accountId: member.account.id,
        fileName: 'a',
        file,
        settings,
        rowsTotal: 3_000,
      };
      return await addImport(tx, shop.id, added, new Date());
    });
    const faults: unknown[] = [];
    let batches = 0;
    const stopping = new ImportRunner({
      db: desk.db,
      clock: systemClock,
      write: async (_shopId, work) => {
        if (++batches === 3) void stopping.close();
        return await desk.db.transaction(work);
      },
      unitsMax: Infinity,
      onFault: (error) => void faults.push(error),
    });
    stopping.start(shop, importId);
    await stopping.idle();
    await desk.db.transaction(
      async (tx) => await changeCheckedImport(tx, shop.id, importId, { state: 'importing' }),
    );
    stopping.start(shop, importId);
    await stopping.idle();
    const half = await findImport(desk.db, shop.id, importId);
    assert.equal(half?.state, 'importing');
    assert.ok(half.rowsDone > 0 && half.rowsDone < 3_000, String(half.rowsDone));
    assert.equal((await counted(desk))[0], half.rowsDone);
    const other = await startTestService(base);
    try {
      const browser = await openSignedIn(other, desk.db, member.account.id);
      const page = `${other.publicUrl}/console/shops/${shop.slug}`;
      const visit: ShopBrowser['visit'] = async (path) => await browser.visit(`${page}${path}`);
      await settled({ browser, visit }, `/stock/import/${importId}`);
    } finally {
      await other.close();
    }
    assert.deepEqual(faults, []);
    const done = await findImport(desk.db, shop.id, importId);
    assert.deepEqual([done?.state, done?.counts?.created], ['done', 3_000]);
    assert.equal((await counted(desk))[0], 3_000);
  });

  it('an import is deleted by its member, by newer imports, and after a day', async () => {
    await using base = await openTestDatabase();
    await using desk = await openStockConsole(base);
    const paths: string[] = [];
    for (let n = 0; n < 6; n++) {
      const { location } = await uploadStockFile(desk, desk.owner, `${STOCK_FILE}A,1,${n},,\n`);
      await settled(desk.owner, location);
      paths.push(location);
    }
    assert.equal((await desk.owner.visit(paths[0] ?? '')).status, 404);
    const page = await desk.owner.visit(paths[1] ?? '');
    assert.equal(page.status, 200);
    await desk.owner.browser.submit(page, formTo(page, '/remove'));
    assert.equal((await desk.owner.visit(paths[1] ?? '')).status, 404);
    await cleanStockImports(desk.db, new Date());
    assert.equal((await desk.owner.visit(paths[2] ?? '')).status, 200);
    await cleanStockImports(desk.db, new Date(Date.now() + 86_500_000));
    assert.equal((await desk.owner.visit(paths[2] ?? '')).status, 404);
  });
});
