import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { assertSays } from '../../../test/console-pages.ts';
import { formTo, type VisitedPage } from '../../../test/plain-browser.ts';
import { openStockConsole, type StockConsole } from '../../../test/stock-console.ts';
import { openTestDatabase, type TestDatabase } from '../../../test/test-database.ts';
import { type AuditEntry, listAudit } from '../../shops/audit-log.ts';
import { OPERATOR } from '../../shops/audit.ts';
import {
  changeShopSettings,
  findShopSettings,
  lockShopSettings,
  type ShopSettings,
} from '../../shops/shop-settings.ts';
import { flashText } from '../flash.ts';
import { formMessages } from '../parts/form/messages.ts';
import { settingsMessages } from './messages.ts';

describe('the settings of a shop', () => {
  let base: TestDatabase;
  let desk: StockConsole;
  beforeEach(async () => {
    base = await openTestDatabase();
    desk = await openStockConsole(base);
  });
  afterEach(async () => {
    await desk[Symbol.asyncDispose]();
    await base.close();
  });

  const messages = settingsMessages.en;
  const save = async (
    page: VisitedPage,
    fields: Readonly<Record<string, string>>,
  ): Promise<VisitedPage> =>
    await desk.owner.browser.submit(page, formTo(page, new URL(page.url).pathname), fields);
  const settings = async (): Promise<ShopSettings | undefined> =>
    await findShopSettings(base.db, desk.seeded.shop.id);
  const audit = async (): Promise<AuditEntry[]> =>
    await listAudit(base.db, desk.seeded.shop.id, {
      before: null,
      limit: 10,
      actions: ['shop.renamed', 'shop.changed'],
    });

  it('changed settings take effect on the next page, and are audited with their old and new values', async () => {
    const page = await desk.owner.visit('/settings');
    assert.match(page.text, /data-zone="Asia\/Tokyo"/);
    const saved = await save(page, {
      name: 'Kumo <Cards>',
      timezone: 'America/Argentina/Ushuaia',
      currency: 'eur',
      mailLanguage: 'ja',
      contactEmails: ' desk@kumo.example \r\n\r\nDESK@kumo.example\r\nboss@kumo.example',
    });
    assertSays(saved, flashText('saved', 'en'));
    assert.match(saved.text, /data-zone="America\/Argentina\/Ushuaia"/);
    assert.match(saved.text, /<a class="shop"[^>]*>Kumo &lt;Cards&gt;<\/a>/);
    assert.deepEqual(await settings(), {
      name: 'Kumo <Cards>',
      timezone: 'America/Argentina/Ushuaia',
      currency: 'EUR',
      language: 'ja',
      contactEmails: ['desk@kumo.example', 'boss@kumo.example'],
    });
    const { shop, member } = desk.seeded;
    const [changed, renamed, ...more] = await audit();
    assert.deepEqual(more, []);
    assert.deepEqual(renamed?.details, { before: shop.name, after: 'Kumo <Cards>' });
    assert.deepEqual(changed?.details, {
      timezone: '– → America/Argentina/Ushuaia',
      currency: `${shop.currency} → EUR`,
      language: '– → ja',
      contactEmail: '– → desk@kumo.example, boss@kumo.example',
    });
    assert.equal(changed?.actor.id, member.account.id);
    const again = await save(await desk.owner.visit('/settings'), {});
    assertSays(again, flashText('unchanged', 'en'));
    assert.equal((await audit()).length, 2);
    const cleared = await save(again, { timezone: '', mailLanguage: 'both', contactEmails: '' });
    assert.match(cleared.text, /data-zone="Asia\/Tokyo"/);
    const { timezone, language, contactEmails } = (await settings()) ?? {};
    assert.deepEqual([timezone, language, contactEmails], [null, null, []]);
  });

  it('invalid settings are rejected with an error beneath the field, and nothing is written', async () => {
    const before = await settings();
    const page = await desk.owner.visit('/settings');
    const eleven = Array.from({ length: 11 }, (_, index) => `p${index}@kumo.example`).join('\n');
    for (const [wrong, sentence] of [
      [{ name: '' }, messages.badName],
      [{ name: 'x'.repeat(201) }, messages.badName],
      [{ name: '\u202eelpmaxe.knab' }, messages.badName],
      [{ name: 'a\u2028b' }, messages.badName],
      [{ timezone: 'Mars/Base' }, messages.noTimezone],
      [{ timezone: '+09:00' }, messages.noTimezone],
      [{ currency: 'XYZ' }, messages.noCurrency],
      [{ mailLanguage: 'fr' }, messages.noLanguage],
      [{ contactEmails: 'a@kumo.example\nb' }, messages.noEmail('b')],
      [{ contactEmails: eleven }, messages.tooManyEmails],
    ] as const) {
      const refused = await save(page, { name: 'New', ...wrong });
      assert.equal(refused.status, 422, JSON.stringify(wrong));
      assertSays(refused, sentence);
    }
    assert.deepEqual(await settings(), before);
    assert.deepEqual(await audit(), []);
  });

  it('the currency cannot change once there is a unit, even with a form that was opened before', async () => {
    const before = await desk.owner.visit('/settings');
    await desk.makeUnit();
    const late = await save(before, { currency: 'EUR', name: 'Renamed' });
    assertSays(late, flashText('saved', 'en'));
    const { currency } = desk.seeded.shop;
    assert.deepEqual(
      [(await settings())?.currency, (await settings())?.name],
      [currency, 'Renamed'],
    );
    const { shop } = desk.seeded;
    const refused = await base.db.transaction(async (tx) => {
      const current = await lockShopSettings(tx, shop.id);
      assert.ok(current);
      const change = { currency: 'EUR' };
      return await changeShopSettings(tx, shop, current, change, new Date(), OPERATOR);
    });
    assert.equal(refused, 'currency_in_use');
    assert.equal((await settings())?.currency, currency);
    const page = await desk.owner.visit('/settings');
    assertSays(page, messages.currencyFixed);
    assert.doesNotMatch(page.text, /name="currency"/);
  });

  it('a setting is shown with both values if it was changed after the form was opened', async () => {
    const page = await desk.owner.visit('/settings');
    await save(page, { name: 'First' });
    const overtaken = await save(page, { name: 'Second' });
    assert.equal(overtaken.status, 409);
    assertSays(overtaken, formMessages.en.overtaken);
    assert.equal((await settings())?.name, 'First');
  });

  it('changing the settings requires the permission to manage members', async () => {
    const clerk = await desk.member(['inventory.read', 'integrations.manage']);
    const page = await clerk.visit('/settings');
    assert.equal(page.status, 403);
    assert.doesNotMatch((await clerk.visit('')).text, /\/settings"/);
  });
});
