import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { formTo, hasFormTo } from '../../../test/plain-browser.ts';
import { assertSays } from '../../../test/console-pages.ts';
import { openStockConsole } from '../../../test/stock-console.ts';
import { openTestDatabase } from '../../../test/test-database.ts';
import { newId } from '../../base/secrets.ts';
import { fileFaultText } from '../../stock-file/fault-text.ts';
import { fileFault } from '../../stock-file/fault.ts';
import { importMessages } from './messages/import.ts';

import { counted, settled, STOCK_FILE, uploadStockFile } from '../../../test/stock-import.ts';
describe('the import of a file on the page', () => {
  it('the import page shows the effect of a file, imports it after confirmation, and imports nothing twice', async () => {
    await using base = await openTestDatabase();
    await using desk = await openStockConsole(base);
    const sent = await uploadStockFile(desk, desk.owner, STOCK_FILE);
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
    const again = await uploadStockFile(desk, desk.owner, STOCK_FILE);
    const second = await settled(desk.owner, again.location);
    assertSays(second, importMessages.en.nothing);
    assert.ok(!hasFormTo(second, '/apply'));
    assert.deepEqual(await counted(desk), [3, 3]);
  });

  it('asks for the place on the page of the result if rows have none', async () => {
    await using base = await openTestDatabase();
    await using desk = await openStockConsole(base);
    const sent = await uploadStockFile(desk, desk.owner, STOCK_FILE, { place: '' });
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
    const sent = await uploadStockFile(desk, desk.owner, file);
    const first = await settled(desk.owner, sent.location);
    const form = formTo(first, '/check');
    await desk.owner.browser.submit(first, form, { 'column.0': 'name', 'column.1': 'number' });
    const second = await settled(desk.owner, sent.location);
    await desk.owner.browser.submit(second, formTo(second, '/apply'));
    await settled(desk.owner, sent.location);
    assert.deepEqual(await counted(desk), [1, 0]);
    const other = await uploadStockFile(desk, desk.owner, `${file}月の番人,044\n`, {
      kind: 'delivery',
    });
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
      const { status, text } = await uploadStockFile(desk, reader, content);
      assert.equal(status, 422, code);
      const sentence = fileFaultText(fileFault(code, code === 'open_quote' ? 2 : null), 'ja');
      assert.ok(text.includes(sentence.slice(-12)), `${code}: ${sentence}`);
    }
    assert.equal((await uploadStockFile(desk, reader, '')).status, 422);
    assert.equal((await uploadStockFile(desk, reader, 'x'.repeat(9_000_000))).status, 422);
    assert.equal(
      (await uploadStockFile(desk, reader, STOCK_FILE, { form_token: 'forged' })).status,
      403,
    );
    assert.deepEqual(await counted(desk), [0, 0]);
  });

  it('the import page ignores costs from members who may not see costs, and hides other members’ files from them', async () => {
    await using base = await openTestDatabase();
    await using desk = await openStockConsole(base);
    const clerk = await desk.member(['inventory.read', 'inventory.write']);
    const sent = await uploadStockFile(desk, clerk, STOCK_FILE);
    const checked = await settled(clerk, sent.location);
    await clerk.browser.submit(checked, formTo(checked, '/apply'));
    await settled(clerk, sent.location);
    assert.deepEqual(await counted(desk), [3, 0]);
    const own = await uploadStockFile(desk, desk.owner, STOCK_FILE);
    assert.equal((await clerk.visit(own.location)).status, 404);
    assert.equal((await clerk.visit(`${own.location}/rejected.csv`)).status, 404);
    assert.equal((await desk.owner.visit(`/stock/import/${newId()}`)).status, 404);
    const reader = await desk.member(['inventory.read']);
    assert.equal((await reader.visit('/stock/import')).status, 403);
    await settled(desk.owner, own.location);
  });
});
