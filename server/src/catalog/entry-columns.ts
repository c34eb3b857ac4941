import { Columns, columnsOf, type StoredValues } from '../database/columns.ts';
import { type Card, CARD_FIELDS } from './card.ts';
import { GRADE_FIELDS } from './grade.ts';
import { type BoostProduct, PRODUCT_FIELDS } from './product.ts';

// Columns are named by their path in the JSON of an entry: `set.code` is the `code` of its `set`.

interface OfGame {
  readonly 'game.id': string;
}

interface CardColumns extends StoredValues<typeof CARD_FIELDS>, OfGame {
  readonly 'rarity.code': string | null;
  readonly 'rarity.name': string | null;
  readonly 'set.id': string | null;
  readonly 'set.code': string | null;
  readonly 'set.name': string | null;
  readonly 'set.nameEn': string | null;
}

interface ProductColumns extends StoredValues<typeof PRODUCT_FIELDS>, OfGame {}

interface GameNames {
  readonly 'game.code': string;
  readonly 'game.name': string;
}

export interface CardRow extends CardColumns, GameNames {
  readonly id: string;
}

export interface ProductRow extends ProductColumns, GameNames {
  readonly id: string;
}

export const CARD_COLUMNS = new Columns<CardColumns>({
  ...columnsOf(CARD_FIELDS),
  'rarity.code': 'rarity_code text',
  'rarity.name': 'rarity_name text',
  'set.id': 'set_id uuid',
  'set.code': 'set_code text',
  'set.name': 'set_name text',
  'set.nameEn': 'set_name_en text',
  'game.id': 'game_id uuid',
});

export const PRODUCT_COLUMNS = new Columns<ProductColumns>({
  ...columnsOf(PRODUCT_FIELDS),
  'game.id': 'game_id uuid',
});

export const GRADE_COLUMNS = new Columns<StoredValues<typeof GRADE_FIELDS>>(
  columnsOf(GRADE_FIELDS),
);

export const GAME_NAMES = 'g.code as "game.code", g.name as "game.name"';
const GAME_MEMBERS = ['game.code', 'game.name'] as const;

/** The members are in the order of spec 2.2 (Card) and spec 2.3 (BoostProduct). */
export const toCard = nester<CardRow, Card>(['id', ...CARD_COLUMNS.members, ...GAME_MEMBERS]);

export const toProduct = nester<ProductRow, BoostProduct>([
  'id',
  ...PRODUCT_COLUMNS.members,
  ...GAME_MEMBERS,
]);

/** Turns the columns of a row into nested objects; one whose first member is null becomes null. */
function nester<Row extends object, Entry>(
  names: readonly (keyof Row & string)[],
): (row: Row) => Entry {
  const paths = names.map((name) => [name, ...name.split('.')] as const);
  return (row) => {
    const entry: Record<string, unknown> = {};
    for (const [name, outer = '', inner] of paths) {
      const value: unknown = row[name];
      if (inner === undefined) entry[outer] = value;
      else if (!(outer in entry)) entry[outer] = value === null ? null : { [inner]: value };
      else if (entry[outer] !== null) Object.assign(entry[outer] ?? {}, { [inner]: value });
    }
    return entry as Entry;
  };
}
