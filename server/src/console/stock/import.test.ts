import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { formTo, hasFormTo, type VisitedPage } from '../../../test/plain-browser.ts';
import { assertSays } from '../../../test/console-pages.ts';
import { startTestService } from '../../../test/service.ts';
import { openSignedIn } from '../../../test/signed-in-browser.ts';
import {
  openStockConsole,
  type ShopBrowser,
  type StockConsole,
} from '../../../test/stock-console.ts';
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
} from '../../stock-file/stock-import.ts';
import { importMessages } from './messages/import.ts';

export const countImportedUnits = statement<{ readonly units: number; readonly costs: number }>(
  'test_count_imported_units',
  'select count(*)::int as units, count(cost_minor)::int as costs from unit where shop_id = $1',
);

const FILE = 'Name,Card number,Quantity,Price,Cost\n月の番人,044,3,1200,700\nNobody,999,1,500,\n';

interface Upload {
  readonly status: number;
  readonly location: string;
  readonly text: string;
}

async function upload(
  desk: StockConsole,
  shopBrowser: ShopBrowser,
  content: string | Uint8Array<ArrayBuffer>,
  fields: Readonly<Record<string, string>> = {},
): Promise<Upload> {
  const { browser } = shopBrowser;
  const page = await shopBrowser.visit('/stock/import');
  const form = formTo(page, '/stock/import');
  const body = new FormData();
  const place = `${desk.siteId}/${desk.locationId}`;
  for (const [name, value] of Object.entries({ ...form.fields, place, ...fields })) {
    if (name !== 'file') body.append(name, value);
  }
  body.append('file', new Blob([content]), 'stock.csv');
  const cookie = browser.cookies.map(({ name, value }) => `${name}=${value}`).join('; ');
  const response = await fetch(new URL(form.action, page.url), {
    method: 'POST',
    redirect: 'manual',
    headers: { cookie, origin: desk.service.publicUrl, 'accept-language': 'ja' },
    body,
  });
  const { status, headers } = response;
  const location = headers.get('location')?.replace(/^.*(?=\/stock\/import)/, '') ?? '';
  return { status, location, text: await response.text() };
}

/** Visits the page of an import until the import has been processed. */
async function settled(shopBrowser: ShopBrowser, path: string): Promise<VisitedPage> {
  for (let visits = 0; visits < 200; visits++) {
    const page = await shopBrowser.visit(path);
    if (!page.headers.has('refresh')) return page;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  throw new Error('the import did not end');
}

async function counted({ db, seeded }: StockConsole): Promise<readonly number[]> {
  const row = await db.one(countImportedUnits, [seeded.shop.id]);
  return [row?.units ?? 0, row?.costs ?? 0];
}

describe('the import of a file on the page', () => {
  it('the import page shows the effect of a file, imports it after confirmation, and imports nothing twice', async () => {
    await using base = await openTestDatabase();
    await using desk = await openStockConsole(base);
    const sent = await upload(desk, desk.owner, FILE);
    assert.equal(sent.status, 303);
    const checked = await settled(desk.owner, sent.location);
    assertSays(checked, importMessages.en.states.checked);
    assert.match(checked.text, new RegExp(`${importMessages.en.counts.created}</dt>\\s*<dd>3`));
    assert.deepEqual(await counted(desk), [0, 0]);
    const rejected = await desk.owner.visit(`${sent.location}/rejected.csv`);
    assert.match(
      rejected.text,
      /^\uFEFF?Row,Problem,Name,.*\r\n3,"?.*Nobody.*,Nobody,999,1,500,\r\n$/,
    );
    const apply = formTo(checked, '/apply');
    await desk.owner.browser.submit(checked, apply);
    assertSays(await settled(desk.owner, sent.location), importMessages.en.done);
    assert.deepEqual(await counted(desk), [3, 3]);
    await desk.owner.browser.submit(checked, apply);
    const again = await upload(desk, desk.owner, FILE);
    const second = await settled(desk.owner, again.location);
    assertSays(second, importMessages.en.nothing);
    assert.ok(!hasFormTo(second, '/apply'));
    assert.deepEqual(await counted(desk), [3, 3]);
  });

  it('asks for the place on the page of the result if rows have none', async () => {
    await using base = await openTestDatabase();
    await using desk = await openStockConsole(base);
    const sent = await upload(desk, desk.owner, FILE, { place: '' });
    const first = await settled(desk.owner, sent.location);
    assert.ok(!hasFormTo(first, '/apply'));
    const choosing = formTo(first, '/check');
    await desk.owner.browser.submit(first, choosing, { place: '' });
    const unchosen = await settled(desk.owner, sent.location);
    assert.ok(!hasFormTo(unchosen, '/apply'));
    const place = `${desk.siteId}/${desk.locationId}`;
    await desk.owner.browser.submit(unchosen, formTo(unchosen, '/check'), { place });
    const placed = await settled(desk.owner, sent.location);
    assert.match(placed.text, new RegExp(`${importMessages.en.counts.created}</dt>\\s*<dd>3`));
    assert.doesNotMatch(placed.text, /name="place"/);
    await desk.owner.browser.submit(placed, formTo(placed, '/apply'));
    assertSays(await settled(desk.owner, sent.location), importMessages.en.done);
    assert.deepEqual(await counted(desk), [3, 3]);
  });

  it('the import page asks which fields unknown columns contain, and remembers the answers', async () => {
    await using base = await openTestDatabase();
    await using desk = await openStockConsole(base);
    const file = 'Was,Nr\n月の番人,044\n';
    const sent = await upload(desk, desk.owner, file);
    const first = await settled(desk.owner, sent.location);
    const form = formTo(first, '/check');
    await desk.owner.browser.submit(first, form, { 'column.0': 'name', 'column.1': 'number' });
    const second = await settled(desk.owner, sent.location);
    await desk.owner.browser.submit(second, formTo(second, '/apply'));
    await settled(desk.owner, sent.location);
    assert.deepEqual(await counted(desk), [1, 0]);
    const other = await upload(desk, desk.owner, `${file}月の番人,044\n`, { kind: 'delivery' });
    const third = await settled(desk.owner, other.location);
    assert.match(third.text, new RegExp(`${importMessages.en.counts.created}</dt>\\s*<dd>2`));
  });

  it('the import page rejects damaged files with an error in the page’s language', async () => {
    await using base = await openTestDatabase();
    await using desk = await openStockConsole(base);
    const reader = await desk.member(['inventory.read', 'inventory.write'], 'ja');
    for (const [content, code] of [
      ['PK\u0003\u0004', 'workbook'],
      ['Name,Price\n', 'no_rows'],
      ['a,b\n"open', 'open_quote'],
      [new Uint8Array([0x82, 0xff, 0xff]), 'encoding'],
    ] as const) {
      const { status, text } = await upload(desk, reader, content);
      assert.equal(status, 422, code);
      const sentence = fileFaultText(fileFault(code, code === 'open_quote' ? 2 : null), 'ja');
      assert.ok(text.includes(sentence.slice(-12)), `${code}: ${sentence}`);
    }
    assert.equal((await upload(desk, reader, '')).status, 422);
    assert.equal((await upload(desk, reader, 'x'.repeat(9_000_000))).status, 422);
    assert.equal((await upload(desk, reader, FILE, { form_token: 'forged' })).status, 403);
    assert.deepEqual(await counted(desk), [0, 0]);
  });

  it('the import page ignores costs from members who may not see costs, and hides other members’ files from them', async () => {
    await using base = await openTestDatabase();
    await using desk = await openStockConsole(base);
    const clerk = await desk.member(['inventory.read', 'inventory.write']);
    const sent = await upload(desk, clerk, FILE);
    const checked = await settled(clerk, sent.location);
    await clerk.browser.submit(checked, formTo(checked, '/apply'));
    await settled(clerk, sent.location);
    assert.deepEqual(await counted(desk), [3, 0]);
    const own = await upload(desk, desk.owner, FILE);
    assert.equal((await clerk.visit(own.location)).status, 404);
    assert.equal((await clerk.visit(`${own.location}/rejected.csv`)).status, 404);
    assert.equal((await desk.owner.visit(`/stock/import/${newId()}`)).status, 404);
    const reader = await desk.member(['inventory.read']);
    assert.equal((await reader.visit('/stock/import')).status, 403);
    await settled(desk.owner, own.location);
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
      const { location } = await upload(desk, desk.owner, `${FILE}A,1,${n},,\n`);
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
