import type { Queryable } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import type { BoostProduct } from './product.ts';
import { parseIdentifier } from './search/identifier.ts';
import { readProducts } from './view.ts';

// Products are few (a catalog has some thousands) and looked for by a clerk, not by every app: a scan that compares all of
// their names needs neither an index nor anything in memory. Decision 0195 has what it costs.

/** Katakana, and letters with accents of the languages that products are named in: what keyboards differ in. */
const FOLDED_FROM = `${charactersFrom(0x30a1, 0x30f6)}àáâãäåçèéêëìíîïñòóôõöøùúûüýÿÀÁÂÃÄÅÇÈÉÊËÌÍÎÏÑÒÓÔÕÖØÙÚÛÜÝ`;
/** What each of them is compared as, at the same place. */
const FOLDED_TO = `${charactersFrom(0x3041, 0x3096)}aaaaaaceeeeiiiinoooooouuuuyyaaaaaaceeeeiiiinoooooouuuuy`;

/** Words of a text that are looked for; a search of 150 characters that has more is no name of a product. */
const WORDS_MAX = 20;

// A word's own signs of patterns stand for themselves. Names and words are folded by one expression.
export const selectProductIdsByName = statement<{ readonly id: string }>(
  'select_product_ids_by_name',
  `with sought as materialized (
    select array_agg('%' || regexp_replace(
      translate(lower(normalize(word, nfkc)), '${FOLDED_FROM}', '${FOLDED_TO}'),
      '([\\\\%_])', '\\\\\\1', 'g') || '%') as patterns
    from unnest($1::text[]) as word
  )
  select p.product_id as id
  from product p join game g using (game_id),
    lateral (
      select translate(
        lower(normalize(concat_ws(' ', p.name, p.product_kind, g.code, g.name), nfkc)),
        '${FOLDED_FROM}', '${FOLDED_TO}'
      ) as text
    ) as folded
  where p.is_active and folded.text like all ((select patterns from sought)::text[])
  order by folded.text like substr((select patterns[1] from sought), 2) desc,
    char_length(p.name), p.product_id
  limit $2`,
);

export const selectProductIdsByCode = statement<{ readonly id: string }>(
  'select_product_ids_by_code',
  `select product_id as id from product
  where is_active and (product_id = $1 or jan_code = any($2::text[]))
  order by char_length(name), product_id limit $3`,
);

/**
 * The active products that a text means, at most `limit`: the one of a JAN or an id, else those whose names hold every
 * word, in any width, case and kana. Words may also be of the kind or the game. Beginnings first, then the shorter name.
 */
export async function findProducts(
  db: Queryable,
  text: string,
  limit: number,
): Promise<BoostProduct[]> {
  const words = text.split(/\s+/u).filter((word) => word !== '');
  if (words.length === 0 || words.length > WORDS_MAX) return [];
  const byCode = await findByCode(db, text, limit);
  if (byCode.length > 0) return await readInOrder(db, byCode);
  const rows = await db.query(selectProductIdsByName, [words, limit]);
  return await readInOrder(
    db,
    rows.map(({ id }) => id),
  );
}

async function findByCode(db: Queryable, text: string, limit: number): Promise<string[]> {
  const identifier = parseIdentifier(text);
  if (identifier === null) return [];
  const id = identifier.kind === 'id' ? identifier.id : null;
  const codes = identifier.kind === 'jan' ? identifier.codes : [];
  const rows = await db.query(selectProductIdsByCode, [id, codes, limit]);
  return rows.map((row) => row.id);
}

async function readInOrder(db: Queryable, ids: readonly string[]): Promise<BoostProduct[]> {
  const products = await readProducts(db, ids);
  return ids.flatMap((id) => products.get(id) ?? []);
}

function charactersFrom(first: number, last: number): string {
  const codes = Array.from({ length: last - first + 1 }, (_, at) => first + at);
  return String.fromCodePoint(...codes);
}
