import type { Queryable } from '../database/database.ts';
import { statement } from '../database/statement.ts';

/** The newest change that an index has read. If its position decreases, a backup was restored. */
export interface ObservedChange {
  readonly position: number;
  readonly entryKind: string;
  readonly entryId: string;
}

export interface CatalogHead {
  /** The position of the newest change, or 0 if no change was ever recorded. */
  readonly position: number;
  readonly newest: ObservedChange | null;
  /** The current position of the last seen entry, or null if the entry has no recorded change. */
  readonly seenPosition: number | null;
  readonly hasCards: boolean;
}

export interface CardsPage {
  /** The `SearchableCard` objects as JSON, separated by commas. */
  readonly cards: string;
  /** The id of the page's last card, or null after the last page. */
  readonly lastId: string | null;
}

export interface CardChanges {
  /** The position of the last change, or null if the catalog has never changed. */
  readonly position: number | null;
  /** The changed cards' ids, active or not, separated by commas; empty if only others changed. */
  readonly ids: string;
  /** The changed cards that are active, in the format of a page. */
  readonly cards: string;
}

interface HeadRow {
  readonly position: number | null;
  readonly entryKind: string | null;
  readonly entryId: string | null;
  readonly seenPosition: number | null;
  readonly hasCards: boolean;
}

export const selectCatalogHead = statement<HeadRow>(
  'select_catalog_head',
  `select newest.position, newest.entry_kind as "entryKind", newest.entry_id as "entryId",
          (select position from catalog_change
            where entry_kind = $1 and entry_id = $2) as "seenPosition",
          exists (select from card) as "hasCards"
     from (select) as one left join lateral (
       select position, entry_kind, entry_id from catalog_change order by position desc limit 1
     ) newest on true`,
);

/** The database renders the JSON, so that the main thread only passes it on. */
const SEARCHABLE_CARD = `json_build_object('id', card_id, 'name', name,
  'localizedNames', localized_names, 'cardNumber', card_number, 'setTotalRaw', set_total_raw,
  'setCode', set_code, 'setName', set_name, 'setNameEn', set_name_en, 'rarityCode', rarity_code,
  'rarityName', rarity_name, 'languageCode', language_code, 'variant', variant, 'finish', finish,
  'gameCode', (select code from game where game_id = card.game_id))`;

export const selectSearchablePage = statement<{
  readonly text: string | null;
  readonly lastId: string | null;
}>(
  'select_searchable_page',
  `select string_agg(page.text, ',') as text, (array_agg(page.id order by page.id desc))[1] as "lastId"
     from (
       select card_id as id, ${SEARCHABLE_CARD}::text as text
         from card where is_active and card_id > $1 order by card_id limit $2
     ) page`,
);

// One statement reads one snapshot, so the cards are at least as new as `position`. `limit 1` makes
// the look-up an index scan: a plan for any number of changes would read the whole table.
export const selectCardChanges = statement<{
  readonly position: number | null;
  readonly ids: string | null;
  readonly text: string | null;
}>(
  'select_card_changes',
  `select max(change.position) as position,
          string_agg(change.entry_id::text, ',') filter (where change.entry_kind = 'card') as ids,
          string_agg(active.text, ',') as text
     from (
       select position, entry_kind, entry_id from catalog_change
        where position > $1 order by position limit $2
     ) change
     left join lateral (
       select ${SEARCHABLE_CARD}::text as text
         from card
        where change.entry_kind = 'card' and card_id = change.entry_id and is_active limit 1
     ) active on true`,
);

const BEFORE_ALL_IDS = '00000000-0000-0000-0000-000000000000';

/** Reads the state of the catalog with three index look-ups. */
export async function readCatalogHead(
  db: Queryable,
  lastSeen: ObservedChange | null,
): Promise<CatalogHead> {
  const row = await db.one(selectCatalogHead, [
    lastSeen?.entryKind ?? null,
    lastSeen?.entryId ?? null,
  ]);
  if (row === undefined) throw new Error('the catalog has no head');
  const { position, entryKind, entryId, seenPosition, hasCards } = row;
  const newest =
    position === null || entryKind === null || entryId === null
      ? null
      : { position, entryKind, entryId };
  return { position: position ?? 0, newest, seenPosition, hasCards };
}

/** A null id gives the first cards. No lock or cursor is held between pages. */
export async function readCardsPage(
  db: Queryable,
  afterId: string | null,
  limit: number,
): Promise<CardsPage> {
  const row = await db.one(selectSearchablePage, [afterId ?? BEFORE_ALL_IDS, limit]);
  return { cards: row?.text ?? '', lastId: row?.lastId ?? null };
}

export async function readCardChanges(
  db: Queryable,
  afterPosition: number,
  limit: number,
): Promise<CardChanges> {
  const row = await db.one(selectCardChanges, [afterPosition, limit]);
  return { position: row?.position ?? null, ids: row?.ids ?? '', cards: row?.text ?? '' };
}
