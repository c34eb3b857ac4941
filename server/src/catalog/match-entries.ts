import type { Queryable } from '../database/database.ts';
import { statement } from '../database/statement.ts';

export interface EntryMatch {
  /** The index of the value that matched. */
  readonly n: number;
  readonly kind: 'card' | 'product';
  readonly id: string;
}

/** The maximum number of matches of one value. A person would not choose from a longer list. */
const MATCHES_MAX = 100;

// The expressions and conditions must match the indexes of the migration `matching_files`.
function numberSql(text: string): string {
  return `ltrim(lower(regexp_replace(${text}, '/[A-Za-z]{0,3}[0-9]+$', '')), '0')`;
}

function cardsOfSetSql(column: string, condition: string): string {
  return `(select card_id from card
      where lower(${column}) = lower(wanted.set_text) and ${condition}
        and ${numberSql('card_number')} = ${numberSql('wanted.number')}
        and is_active limit $4)`;
}

export const selectCardsBySetAndNumber = statement<EntryMatch>(
  'select_cards_by_set_and_number',
  `select wanted.n, 'card' as kind, found.card_id as id
  from unnest($1::bigint[], $2::text[], $3::text[]) as wanted (n, set_text, number)
  cross join lateral (
    ${cardsOfSetSql('set_code', 'set_code is not null')}
    union ${cardsOfSetSql('set_name', 'set_name is not null')}
    union ${cardsOfSetSql('set_name_en', 'set_name_en is not null and set_name_en <> set_name')}
  ) found`,
);

export const selectEntriesByName = statement<EntryMatch>(
  'select_entries_by_name',
  `select wanted.n, found.kind, found.id
  from unnest($1::bigint[], $2::text[]) as wanted (n, name)
  cross join lateral (
    (select 'card' as kind, card_id as id from card
      where lower(name) = lower(wanted.name) and is_active limit $3)
    union (select 'card', card_id from card
      where lower(localized_names ->> 'en') = lower(wanted.name)
        and localized_names ->> 'en' <> name and is_active limit $3)
    union (select 'card', card_id from card
      where lower(localized_names ->> 'ja') = lower(wanted.name)
        and localized_names ->> 'ja' <> name and is_active limit $3)
    union (select 'product', product_id from product
      where lower(name) = lower(wanted.name) and is_active limit $3)
  ) found`,
);

export const selectEntriesByJan = statement<EntryMatch>(
  'select_entries_by_jan',
  `select wanted.n, found.kind, found.id
  from unnest($1::bigint[], $2::text[]) as wanted (n, code)
  cross join lateral (
    (select 'card' as kind, card_id as id from card
      where jan_code = wanted.code and is_active limit $3)
    union all (select 'product', product_id from product
      where jan_code = wanted.code and is_active limit $3)
  ) found`,
);

/** The set is a code or a name. Case, leading zeros and the total (`048/090`) are ignored. */
export async function findBySetAndNumber(
  db: Queryable,
  pairs: readonly { readonly set: string; readonly number: string }[],
): Promise<readonly EntryMatch[]> {
  if (pairs.length === 0) return [];
  return await db.query(selectCardsBySetAndNumber, [
    [...pairs.keys()],
    pairs.map(({ set }) => set),
    pairs.map(({ number }) => number),
    MATCHES_MAX,
  ]);
}

/** Finds the active cards and products with each name, as printed, in English or in Japanese. */
export async function findByName(
  db: Queryable,
  names: readonly string[],
): Promise<readonly EntryMatch[]> {
  if (names.length === 0) return [];
  return await db.query(selectEntriesByName, [[...names.keys()], names, MATCHES_MAX]);
}

/** Finds the active cards and products with each code, exactly as given. */
export async function findByJan(
  db: Queryable,
  codes: readonly string[],
): Promise<readonly EntryMatch[]> {
  if (codes.length === 0) return [];
  return await db.query(selectEntriesByJan, [[...codes.keys()], codes, MATCHES_MAX]);
}
