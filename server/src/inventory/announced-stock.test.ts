import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { seedStock, STOCK_MADE_AT } from '../../test/stock.ts';
import { openTestDatabase } from '../../test/test-database.ts';
import { ManualClock } from '../base/clock.ts';
import { newId } from '../base/secrets.ts';
import { recordCatalogChanges } from '../catalog/catalog-change.ts';
import { lockCatalogExclusive } from '../catalog/catalog-lock.ts';
import type { Transaction } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import { readHead } from './feed.ts';
import { putLocation } from './location.ts';
import { putUnitPhoto, removeUnitPhoto } from './photo.ts';
import { rerenderUnits } from './rerender-units.ts';
import { putSite } from './site.ts';
import { recordUpload } from './stale-photo.ts';
import { setUnitStatus } from './status-change.ts';
import { putUnits } from './unit.ts';

export const renameAnnouncedCard = statement(
  'test_rename_announced_card',
  `update card set name = $2 where card_id = $1`,
);

const NOW = new Date(STOCK_MADE_AT.getTime() + 60_000);

describe('the announcements of stock changes', () => {
  it('a transaction that advances the head of a shop’s feed announces that shop once, and no other shop', async () => {
    await using base = await openTestDatabase();
    const { db } = base;
    const stock = await seedStock(db);
    const neighbor = await seedStock(db);
    const { shop, siteId, locationId } = stock;
    const [first, second] = [newId(), newId()];
    const item = { kind: 'card' as const, cardId: stock.cardId };
    const units = [first, second].map((id) => ({ id, siteId, item }));
    const side = { side: 'front' as const, contentType: 'image/jpeg' as const, etag: 'e' };
    const photo = { ...side, width: 4, height: 3, largeBytes: 5, smallBytes: 5 };
    const putPhoto = async (tx: Transaction): Promise<void> => {
      const pictureId = newId();
      await recordUpload(tx, shop.id, pictureId, NOW);
      await putUnitPhoto(tx, shop.id, first, { ...photo, pictureId }, null, NOW);
    };
    const site = { code: 'm', name: '別館' };
    const steps: readonly [string, (tx: Transaction) => Promise<unknown>, isStamped: boolean][] = [
      ['a site', (tx) => putSite(tx, shop.id, siteId, site, NOW), true],
      ['the same site', (tx) => putSite(tx, shop.id, siteId, site, NOW), false],
      ['a location', (tx) => putLocation(tx, shop.id, locationId, { code: 'B' }, NOW), true],
      [
        'the same location',
        (tx) => putLocation(tx, shop.id, locationId, { code: 'B' }, NOW),
        false,
      ],
      ['a location of none', (tx) => putLocation(tx, shop.id, newId(), { code: 'B' }, NOW), false],
      ['a batch', (tx) => putUnits(tx, shop, units, NOW), true],
      ['the same batch', (tx) => putUnits(tx, shop, units, NOW), false],
      ['a status', (tx) => setUnitStatus(tx, shop, first, 'sold', NOW), true],
      ['the same status', (tx) => setUnitStatus(tx, shop, first, 'sold', NOW), false],
      ['a forbidden one', (tx) => setUnitStatus(tx, shop, first, 'grading', NOW), false],
      ['a photo', putPhoto, true],
      ['the same photo', putPhoto, false],
      ['no photo', (tx) => removeUnitPhoto(tx, shop.id, first, 'front', NOW), true],
      ['none again', (tx) => removeUnitPhoto(tx, shop.id, first, 'front', NOW), false],
    ];
    const heard: string[] = [];
    db.onAnnouncement((topic, shopId) => heard.push(`${topic} ${shopId}`));
    for (const [name, work, isStamped] of steps) {
      const before = await readHead(db, shop.id);
      heard.length = 0;
      await db.transaction(work);
      const after = await readHead(db, shop.id);
      assert.equal(after.seq > before.seq, isStamped, name);
      assert.deepEqual(heard, isStamped ? [`stock ${shop.id}`] : [], name);
    }
    await db.transaction(async (tx) => {
      await lockCatalogExclusive(tx);
      await tx.query(renameAnnouncedCard, [stock.cardId, '新しい名']);
      await recordCatalogChanges(tx, 'card', [stock.cardId]);
    });
    heard.length = 0;
    assert.equal(await rerenderUnits(db, new ManualClock(NOW)), 2);
    assert.deepEqual(heard, [`stock ${shop.id}`], 'its units show the card that was renamed');
    assert.ok(!heard.includes(`stock ${neighbor.shop.id}`));
  });
});
