import type { Queryable, Transaction } from '../database/database.ts';
import { statement } from '../database/statement.ts';

/** Card databases and marketplaces. Stock files can refer to cards by the ids of these systems. */
export const ID_SOURCES = [
  'scryfall',
  'pokemon-tcg-data',
  'tcgdex',
  'ygoprodeck',
  'tcgplayer',
  'cardmarket',
] as const;

export type IdSource = (typeof ID_SOURCES)[number];

/** A card's id in another system. Several of our cards, such as two finishes, may share an id. */
export interface ExternalId {
  readonly source: IdSource;
  readonly id: string;
}

export interface CardExternalId extends ExternalId {
  readonly cardId: string;
}

export const insertExternalIds = statement(
  'insert_external_ids',
  `insert into card_external_id (source, external_id, card_id)
   select source, id, card_id
     from unnest($1::text[], $2::text[], $3::uuid[]) as given (source, id, card_id)
       on conflict do nothing`,
);

export const selectCardsByExternalId = statement<{ readonly id: string; readonly cardId: string }>(
  'select_cards_by_external_id',
  `select external_id as id, card_id as "cardId" from card_external_id
    where source = $1 and external_id = any($2::text[])
    order by external_id, card_id limit $3`,
);

/** Adds ids to existing cards and keeps the ids that they already have. */
export async function addExternalIds(
  tx: Transaction,
  ids: readonly CardExternalId[],
): Promise<void> {
  if (ids.length === 0) return;
  await tx.query(insertExternalIds, [
    ids.map(({ source }) => source),
    ids.map(({ id }) => id),
    ids.map(({ cardId }) => cardId),
  ]);
}

export async function findCardsByExternalId(
  db: Queryable,
  source: IdSource,
  ids: readonly string[],
  limit: number,
): Promise<readonly { readonly id: string; readonly cardId: string }[]> {
  return await db.query(selectCardsByExternalId, [source, ids, limit]);
}
