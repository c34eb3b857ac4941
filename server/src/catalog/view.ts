import type { Queryable } from '../database/database.ts';
import { onlyRow, statement, type Statement } from '../database/statement.ts';
import type { Card } from './card.ts';
import type { Grade } from './grade.ts';
import type { BoostProduct } from './product.ts';

/** What the catalog is read through: the database, a transaction, or reads that are sent one behind the other. */
export interface Reads {
  query<Row extends object>(statement: Statement<Row>, values: readonly unknown[]): Promise<Row[]>;
}

interface CardRow extends Omit<Card, 'rarity' | 'set' | 'game'> {
  readonly rarityCode: string | null;
  readonly rarityName: string | null;
  readonly setId: string | null;
  readonly setCode: string | null;
  readonly setName: string | null;
  readonly setNameEn: string | null;
  readonly gameId: string;
  readonly gameCode: string;
  readonly gameName: string;
}

interface ProductRow {
  readonly id: string;
  readonly name: string;
  readonly productKind: string;
  readonly janCode: string | null;
  readonly languageCode: string;
  readonly imageUrl: string | null;
  readonly gameId: string;
  readonly gameCode: string;
  readonly gameName: string;
}

export const selectCatalogPosition = statement<{ position: number }>(
  'select_catalog_position',
  `select coalesce(max(position), 0) as position from catalog_change`,
);

export const selectCards = statement<CardRow>(
  'select_cards',
  `select c.card_id as id, c.name, c.localized_names as "localizedNames",
          c.card_number as "cardNumber", c.set_total_raw as "setTotalRaw", c.jan_code as "janCode",
          c.language_code as "languageCode", c.variant, c.finish, c.image_url as "imageUrl",
          c.rarity_code as "rarityCode", c.rarity_name as "rarityName",
          c.set_id as "setId", c.set_code as "setCode", c.set_name as "setName",
          c.set_name_en as "setNameEn",
          g.game_id as "gameId", g.code as "gameCode", g.name as "gameName"
     from card c join game g using (game_id)
    where c.card_id = any($1::uuid[])`,
);

export const selectActiveCards = statement<CardRow>(
  'select_active_cards',
  `select c.card_id as id, c.name, c.localized_names as "localizedNames",
          c.card_number as "cardNumber", c.set_total_raw as "setTotalRaw", c.jan_code as "janCode",
          c.language_code as "languageCode", c.variant, c.finish, c.image_url as "imageUrl",
          c.rarity_code as "rarityCode", c.rarity_name as "rarityName",
          c.set_id as "setId", c.set_code as "setCode", c.set_name as "setName",
          c.set_name_en as "setNameEn",
          g.game_id as "gameId", g.code as "gameCode", g.name as "gameName"
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
  `select p.product_id as id, p.name, p.product_kind as "productKind", p.jan_code as "janCode",
          p.language_code as "languageCode", p.image_url as "imageUrl",
          g.game_id as "gameId", g.code as "gameCode", g.name as "gameName"
     from product p join game g using (game_id)
    where p.product_id = any($1::uuid[])`,
);

export const selectGrades = statement<Grade>(
  'select_grades',
  `select grade_id as id, code, label, service_code as "serviceCode",
          service_name as "serviceName", 'third_party' as "serviceKind"
     from third_party_grade where grade_id = any($2::uuid[])
   union all
   select grade_id, code, label, service_code, service_name, 'internal'
     from shop_grade where shop_id = $1 and grade_id = any($2::uuid[])`,
);

/** The position of the newest catalog change; 0 in an empty catalog. Steady under `shareCatalog`. */
export async function readCatalogPosition(db: Reads): Promise<number> {
  const rows = await db.query(selectCatalogPosition, []);
  return onlyRow(selectCatalogPosition, rows)?.position ?? 0;
}

/** The cards with these ids, inactive ones included (stock may refer to them). Unknown ids are left out. */
export async function readCards(db: Reads, ids: readonly string[]): Promise<Map<string, Card>> {
  if (ids.length === 0) return new Map();
  const rows = await db.query(selectCards, [ids]);
  return new Map(rows.map((row) => [row.id, toCard(row)]));
}

/** The active ones among the cards with these ids, in the order of the ids. */
export async function readActiveCards(db: Queryable, ids: readonly string[]): Promise<Card[]> {
  if (ids.length === 0) return [];
  const rows = await db.query(selectActiveCards, [ids]);
  const cards = new Map(rows.map((row) => [row.id, toCard(row)]));
  return ids.flatMap((id) => cards.get(id) ?? []);
}

/** The ids of at most `limit` active cards that have one of these JAN codes, the shorter name first. */
export async function readCardIdsByJan(
  db: Queryable,
  codes: readonly string[],
  limit: number,
): Promise<string[]> {
  const rows = await db.query(selectActiveCardsByJan, [codes, limit]);
  return rows.map(({ id }) => id);
}

/** The products with these ids, inactive ones included. Unknown ids are left out. */
export async function readProducts(
  db: Reads,
  ids: readonly string[],
): Promise<Map<string, BoostProduct>> {
  if (ids.length === 0) return new Map();
  const rows = await db.query(selectProducts, [ids]);
  return new Map(rows.map((row) => [row.id, toProduct(row)]));
}

/** The grades with these ids that a shop may use: third-party ones and its own. Others are left out. */
export async function readGrades(
  db: Reads,
  shopId: string,
  ids: readonly string[],
): Promise<Map<string, Grade>> {
  if (ids.length === 0) return new Map();
  // A shop's own grade comes last: should an operator import the same id later, the shop's stock keeps its meaning.
  const rows = await db.query(selectGrades, [shopId, ids]);
  return new Map(rows.map((row) => [row.id, row]));
}

/** A row as the Card of specification 2.2, its members in the specification's order. */
function toCard(row: CardRow): Card {
  return {
    id: row.id,
    name: row.name,
    localizedNames: row.localizedNames,
    cardNumber: row.cardNumber,
    setTotalRaw: row.setTotalRaw,
    janCode: row.janCode,
    languageCode: row.languageCode,
    variant: row.variant,
    finish: row.finish,
    imageUrl: row.imageUrl,
    rarity:
      row.rarityCode === null || row.rarityName === null
        ? null
        : { code: row.rarityCode, name: row.rarityName },
    set:
      row.setId === null || row.setCode === null || row.setName === null
        ? null
        : { id: row.setId, code: row.setCode, name: row.setName, nameEn: row.setNameEn },
    game: { id: row.gameId, code: row.gameCode, name: row.gameName },
  };
}

function toProduct(row: ProductRow): BoostProduct {
  return {
    id: row.id,
    name: row.name,
    productKind: row.productKind,
    janCode: row.janCode,
    languageCode: row.languageCode,
    imageUrl: row.imageUrl,
    game: { id: row.gameId, code: row.gameCode, name: row.gameName },
  };
}
