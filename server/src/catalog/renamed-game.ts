import { announce } from '../database/channel.ts';
import type { Database, Transaction } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import { lockCatalogExclusive } from './catalog-lock.ts';

/** A larger transaction would make stock writers wait for longer than about 30 ms. */
const RECORD_ENTRIES_MAX = 2_000;
/** Enough for 20 million entries in one call. The next call continues. */
const RECORD_TRANSACTIONS_MAX = 10_000;

interface RenamedGame {
  readonly gameId: string;
  readonly entryKind: 'card' | 'product';
  /** The first id that is not recorded yet; at first the nil UUID, which sorts before all ids. */
  readonly fromId: string;
}

interface Recorded {
  readonly position: number | null;
  readonly nextId: string | null;
}

export const insertRenamedGames = statement(
  'note_renamed_games',
  `insert into renamed_game (game_id, entry_kind, from_id)
   select game.id, entry.kind, '00000000-0000-0000-0000-000000000000'
     from unnest($1::uuid[]) as game (id), (values ('card'), ('product')) as entry (kind)
       on conflict (game_id, entry_kind) do update set from_id = excluded.from_id`,
);

export const selectRenamedGame = statement<RenamedGame>(
  'select_renamed_game',
  `select game_id as "gameId", entry_kind as "entryKind", from_id as "fromId"
     from renamed_game order by game_id, entry_kind limit 1`,
);

const recordSql = (kind: RenamedGame['entryKind']): string =>
  `with entry as materialized (
    select ${kind}_id as id, row_number() over (order by ${kind}_id) as n
      from ${kind} where game_id = $1 and ${kind}_id >= $2 order by ${kind}_id limit $3::int + 1
  ), recorded as (
    insert into catalog_change (entry_kind, entry_id, position)
    select '${kind}', id, nextval('catalog_position') from entry where n <= $3::int
        on conflict (entry_kind, entry_id) do update set position = excluded.position
    returning position
  )
  select (select max(position) from recorded) as position,
         (select id from entry where n > $3::int) as "nextId"`;

export const recordCardsOfGame = statement<Recorded>('record_cards_of_game', recordSql('card'));
export const recordProductsOfGame = statement<Recorded>(
  'record_products_of_game',
  recordSql('product'),
);

export const advanceRenamedGame = statement(
  'advance_renamed_game',
  `update renamed_game set from_id = $3 where game_id = $1 and entry_kind = $2`,
);

export const deleteRenamedGame = statement(
  'delete_renamed_game',
  `delete from renamed_game where game_id = $1 and entry_kind = $2`,
);

/**
 * Marks the games, so that `recordEntriesOfRenamedGames` records all their entries. If a game is
 * already marked, its recording starts over. Call this under `lockCatalogExclusive`, in the
 * renaming transaction.
 */
export async function markGamesRenamed(tx: Transaction, gameIds: readonly string[]): Promise<void> {
  if (gameIds.length === 0) return;
  await tx.query(insertRenamedGames, [gameIds]);
}

/**
 * Records a change of every entry of the games. All progress is in the table, so a crash loses
 * nothing and several processes may run this. The signal stops it between two transactions.
 */
export async function recordEntriesOfRenamedGames(
  db: Database,
  signal?: AbortSignal,
): Promise<void> {
  for (let turn = 0; turn < RECORD_TRANSACTIONS_MAX && signal?.aborted !== true; turn++) {
    // First read without a lock, because every node checks every few seconds.
    if ((await db.one(selectRenamedGame)) === undefined) return;
    await db.transaction(recordBatch);
  }
}

async function recordBatch(tx: Transaction): Promise<void> {
  await lockCatalogExclusive(tx);
  // Read the row again under the lock, because another process may have advanced it.
  const game = await tx.one(selectRenamedGame);
  if (game === undefined) return;
  const { gameId, entryKind, fromId } = game;
  const record = entryKind === 'card' ? recordCardsOfGame : recordProductsOfGame;
  const batch = await tx.one(record, [gameId, fromId, RECORD_ENTRIES_MAX]);
  const nextId = batch?.nextId ?? null;
  if (nextId === null) await tx.query(deleteRenamedGame, [gameId, entryKind]);
  else await tx.query(advanceRenamedGame, [gameId, entryKind, nextId]);
  const position = batch?.position ?? null;
  if (position !== null) await announce(tx, 'catalog', String(position));
}
