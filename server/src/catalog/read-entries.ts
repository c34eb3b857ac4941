import type { Queryable } from '../database/database.ts';
import { expectAtMostOneRow, statement, type Statement } from '../database/statement.ts';
import type { Card } from './card.ts';
import {
  CARD_COLUMNS,
  type CardRow,
  GAME_NAMES,
  GRADE_COLUMNS,
  PRODUCT_COLUMNS,
  type ProductRow,
  toCard,
  toProduct,
} from './entry-columns.ts';
import type { Grade } from './grade.ts';
import type { BoostProduct } from './product.ts';

export interface QueryRunner {
  query<Row extends object>(statement: Statement<Row>, values: readonly unknown[]): Promise<Row[]>;
}

export const selectCatalogPosition = statement<{ position: number }>(
  'select_catalog_position',
  `select coalesce(max(position), 0) as position from catalog_change`,
);

export const selectCards = statement<CardRow>(
  'select_cards',
  `select c.card_id as id, ${CARD_COLUMNS.select('c')}, ${GAME_NAMES}
     from card c join game g using (game_id)
    where c.card_id = any($1::uuid[])`,
);

export const selectActiveCards = statement<CardRow>(
  'select_active_cards',
  `select c.card_id as id, ${CARD_COLUMNS.select('c')}, ${GAME_NAMES}
     from card c join game g using (game_id)
    where c.card_id = any($1::uuid[]) and c.is_active`,
);

export const selectActiveCardsByJan = statement<{ readonly id: string }>(
  'select_active_cards_by_jan',
  `select card_id as id from card
    where jan_code = any($1::text[]) and is_active
    order by char_length(name), card_id limit $2`,
);

export const selectProducts = statement<ProductRow>(
  'select_products',
  `select p.product_id as id, ${PRODUCT_COLUMNS.select('p')}, ${GAME_NAMES}
     from product p join game g using (game_id)
    where p.product_id = any($1::uuid[])`,
);

export const selectGrades = statement<Grade>(
  'select_grades',
  `select grade_id as id, ${GRADE_COLUMNS.select()}, 'third_party' as "serviceKind"
     from third_party_grade where grade_id = any($2::uuid[])
   union all
   select grade_id, ${GRADE_COLUMNS.names()}, 'internal'
     from shop_grade where shop_id = $1 and grade_id = any($2::uuid[])`,
);

/** Returns 0 for an empty catalog. The position does not change under `lockCatalogShared`. */
export async function readCatalogPosition(db: QueryRunner): Promise<number> {
  const rows = await db.query(selectCatalogPosition, []);
  return expectAtMostOneRow(selectCatalogPosition, rows)?.position ?? 0;
}

/** Includes inactive cards, because stock may refer to them. Unknown ids are omitted. */
export async function readCards(
  db: QueryRunner,
  ids: readonly string[],
): Promise<Map<string, Card>> {
  if (ids.length === 0) return new Map();
  const rows = await db.query(selectCards, [ids]);
  return new Map(rows.map((row) => [row.id, toCard(row)]));
}

export async function readActiveCards(db: Queryable, ids: readonly string[]): Promise<Card[]> {
  if (ids.length === 0) return [];
  const rows = await db.query(selectActiveCards, [ids]);
  const cards = new Map(rows.map((row) => [row.id, toCard(row)]));
  return ids.flatMap((id) => cards.get(id) ?? []);
}

export async function readCardIdsByJan(
  db: Queryable,
  codes: readonly string[],
  limit: number,
): Promise<string[]> {
  const rows = await db.query(selectActiveCardsByJan, [codes, limit]);
  return rows.map(({ id }) => id);
}

/** Returns products by id, including inactive products. Unknown ids are omitted. */
export async function readProducts(
  db: QueryRunner,
  ids: readonly string[],
): Promise<Map<string, BoostProduct>> {
  if (ids.length === 0) return new Map();
  const rows = await db.query(selectProducts, [ids]);
  return new Map(rows.map((row) => [row.id, toProduct(row)]));
}

/** Returns third-party grades and the shop's grades by id. Other ids are omitted. */
export async function readGrades(
  db: QueryRunner,
  shopId: string,
  ids: readonly string[],
): Promise<Map<string, Grade>> {
  if (ids.length === 0) return new Map();
  // The shop's grades come last and replace others in the map: if an operator later imports a grade
  // with the same id, the shop's stock keeps its meaning.
  const rows = await db.query(selectGrades, [shopId, ids]);
  return new Map(rows.map((row) => [row.id, row]));
}
