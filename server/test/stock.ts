import { newId } from '../src/base/secrets.ts';
import type { Database } from '../src/database/database.ts';
import { statement } from '../src/database/statement.ts';
import { putLocation } from '../src/inventory/location.ts';
import { putSite } from '../src/inventory/site.ts';
import { createShop } from '../src/shops/shop.ts';

/** A shop with one site, one location and a small catalog, created through the domain functions. */
export interface TestStock {
  readonly shop: { readonly id: string; readonly currency: string };
  readonly siteId: string;
  readonly locationId: string;
  readonly cardId: string;
  readonly otherCardId: string;
  readonly productId: string;
  readonly gradeId: string;
}

export const STOCK_MADE_AT = new Date('2026-03-01T09:00:00.000Z');

export const insertTestGame = statement(
  'test_insert_game',
  `insert into game (game_id, code, name) values ($1, 'skyfall', '空のかけら')`,
);
export const insertTestCard = statement(
  'test_insert_card',
  `insert into card (card_id, game_id, name, localized_names, card_number, language_code,
    is_active, updated_at)
  values ($1, $2, $3, $4, $5, 'ja', true, now())`,
);
export const insertTestProduct = statement(
  'test_insert_product',
  `insert into product (product_id, game_id, name, product_kind, jan_code, language_code,
    is_active, updated_at)
  values ($1, $2, '星降るBOX', 'box', '2900000000018', 'ja', true, now())`,
);
export const insertTestGrade = statement(
  'test_insert_grade',
  `insert into third_party_grade (grade_id, code, label, service_code, service_name, updated_at)
  values ($1, '10', 'Gem 10', 'kgs', 'Kumo Grading', now())`,
);

export async function seedStock(
  db: Database,
  slug = `sora-${newId().slice(0, 8)}`,
): Promise<TestStock> {
  const [gameId, cardId, otherCardId, productId] = [newId(), newId(), newId(), newId()];
  const [gradeId, siteId, locationId] = [newId(), newId(), newId()];
  return await db.transaction(async (tx) => {
    const made = await createShop(tx, { name: 'Sora Cards', slug, currency: 'JPY' }, STOCK_MADE_AT);
    if (made.kind !== 'created') throw new Error(made.kind);
    await tx.query(insertTestGame, [gameId]);
    await tx.query(insertTestCard, [cardId, gameId, '蒼天竜アルバ', '{"en":"Alba"}', '001']);
    await tx.query(insertTestCard, [otherCardId, gameId, '"引用" \\ 符', '{}', '002']);
    await tx.query(insertTestProduct, [productId, gameId]);
    await tx.query(insertTestGrade, [gradeId]);
    const shop = { id: made.shop.id, currency: made.shop.currency };
    const site = { code: 'main', name: '本店', kind: 'store' as const };
    const place = { countryCode: 'JP', timezone: 'Asia/Tokyo' };
    await putSite(tx, shop.id, siteId, { ...site, ...place }, STOCK_MADE_AT);
    const shelf = { siteId, code: 'A-1', name: '棚A-1', kind: 'shelf' as const };
    await putLocation(tx, shop.id, locationId, shelf, STOCK_MADE_AT);
    return { shop, siteId, locationId, cardId, otherCardId, productId, gradeId };
  });
}
