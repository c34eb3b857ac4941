import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { importCards, newCard } from '../../../test/catalog.ts';
import { assertSays } from '../../../test/console-pages.ts';
import type { PlainBrowser } from '../../../test/plain-browser.ts';
import { seedShop, startTestService, type TestService } from '../../../test/service.ts';
import { openSignedIn } from '../../../test/signed-in-browser.ts';
import { openTestDatabase, type TestDatabase } from '../../../test/test-database.ts';
import type { Permission } from '../../shops/permission.ts';
import { finishText, languageText } from '../parts/catalog-text.ts';
import { pickerMessages } from '../parts/messages/catalog.ts';

const SKY = {
  id: '0d3f5a56-27dd-4d1e-8a4c-8e6e8f2d1a01',
  code: 'SS1',
  name: '空の章',
  nameEn: 'Sky',
};
const ALBA = newCard('蒼天竜アルバ', {
  localizedNames: { en: 'Alba <Sky> Dragon', ja: '蒼天竜アルバ' },
  cardNumber: '012',
  setTotalRaw: '100',
  rarity: { code: 'R', name: 'Rare' },
  set: SKY,
  finish: 'foil',
  janCode: '4901234567894',
});
const MANY = Array.from({ length: 26 }, (_, at) => newCard(`ハトの使い ${at}`));

describe('the hits of pickers (GET /console/shops/:slug/cards)', () => {
  let base: TestDatabase;
  let service: TestService;
  before(async () => {
    base = await openTestDatabase();
    service = await startTestService(base);
    await importCards(base.db, [ALBA, ...MANY]);
    await service.search.whenCurrent();
  });
  after(async () => {
    await service.close();
    await base.close();
  });

  async function visitAs(
    permissions: readonly Permission[],
    language: 'en' | 'ja' = 'en',
  ): Promise<(path: string) => ReturnType<PlainBrowser['visit']>> {
    const { shop, member } = await seedShop(base, { permissions });
    const browser = await openSignedIn(service, base.db, member.account.id, { language });
    return async (path) =>
      await browser.visit(`${service.publicUrl}/console/shops/${shop.slug}${path}`);
  }

  it('are options with the name in the page’s language, number, set and rarity, all escaped', async () => {
    const english = await (await visitAs(['purchases.read']))('/cards?q=012/100');
    assert.equal(english.status, 200);
    assert.ok(english.text.includes(`<p data-status>${pickerMessages.en.count(1)}</p>`));
    assert.match(english.text, new RegExp(`data-id="${ALBA.id}"`));
    assert.match(english.text, /<bdi>Alba &lt;Sky&gt; Dragon<\/bdi>/);
    assertSays(
      english,
      `012/100 · Sky (SS1) · R · ${finishText('foil', 'en')} · ${languageText('ja', 'en')}`,
    );
    const japanese = await (await visitAs(['inventory.write'], 'ja'))('/cards?q=alba');
    assertSays(japanese, pickerMessages.ja.count(1));
    assert.match(japanese.text, /<bdi>蒼天竜アルバ<\/bdi>/);
    assert.ok(japanese.text.includes(`012/100 · 空の章 (SS1) · R · ${finishText('foil', 'ja')}<`));
  });

  it('are limited to 25', async () => {
    const page = await (await visitAs(['purchases.read']))('/cards?q=ハトの使い');
    assert.equal(page.text.match(/role="option"/g)?.length, 25);
    assertSays(page, pickerMessages.en.count(25));
  });

  it('include a message if nothing was found or typed, or if the text exceeds 150 characters', async () => {
    const visit = await visitAs(['purchases.write']);
    assertSays(await visit('/cards?q=zzzzqqqq'), pickerMessages.en.nothing.card);
    assertSays(await visit('/products?q=zzzzqqqq'), pickerMessages.en.nothing.product);
    assertSays(await visit('/cards?q=%20'), pickerMessages.en.empty);
    assertSays(await visit('/cards'), pickerMessages.en.empty);
    const long = (length: number): string => `/cards?q=${encodeURIComponent('𠮷'.repeat(length))}`;
    assertSays(await visit(long(150)), pickerMessages.en.nothing.card);
    assertSays(await visit(long(151)), pickerMessages.en.tooLong);
  });

  it('are shown only to members of the shop with a permission for stock or purchases', async () => {
    const stranger = await visitAs(['members.manage', 'integrations.manage', 'inventory.cost']);
    assert.equal((await stranger('/cards?q=alba')).status, 403);
    assert.equal((await stranger('/products?q=box')).status, 403);
    assert.equal((await (await visitAs(['inventory.read']))('/products?q=box')).status, 200);
    const { member } = await seedShop(base);
    const other = await seedShop(base);
    const browser = await openSignedIn(service, base.db, member.account.id);
    const address = `${service.publicUrl}/console/shops/${other.shop.slug}/cards?q=alba`;
    const refused = await browser.visit(address);
    assert.equal(refused.status, 404);
    assert.doesNotMatch(refused.text, /role="option"/);
  });
});
