import type { Clock } from '../base/clock.ts';
import { ImportReport, type ImportResult } from '../import/import-report.ts';
import type { Database, Transaction } from '../database/database.ts';
import type { Statement } from '../database/statement.ts';
import type { Game } from './card.ts';
import {
  toggleCards,
  toggleProducts,
  upsertCards,
  upsertGames,
  upsertProducts,
  upsertThirdPartyGrades,
  type WrittenEntry,
} from './write-statements.ts';
import { addExternalIds } from './external-id.ts';
import { recordCatalogChanges } from './catalog-change.ts';
import type { CatalogEntry, FullEntry } from './entry.ts';
import { lockCatalogExclusive } from './catalog-lock.ts';
import { markGamesRenamed, recordEntriesOfRenamedGames } from './renamed-game.ts';
import { type LineEntry, type RefusedActivation, resolveEntries } from './resolve-entries.ts';

/** Stock writers wait for each transaction (about 30 ms); with fewer entries, commits dominate. */
const BATCH_ENTRIES_MAX = 500;
/** Games stay in memory. A file with more of them probably has other data in the field `game`. */
const GAMES_MAX = 10_000;

export interface ImportProgress {
  readonly lines: number;
  readonly accepted: number;
  readonly rejectedCount: number;
}

export type EntryLine =
  | {
      readonly kind: 'entries';
      readonly number: number;
      readonly entries: readonly CatalogEntry[];
    }
  | { readonly kind: 'skipped'; readonly number: number; readonly reason: string }
  | { readonly kind: 'refused' | 'broken'; readonly number: number; readonly reason: string };

export interface EntryCounts {
  readonly added: number;
  readonly changed: number;
  readonly unchanged: number;
}

/** The result by lines and by entries. A line is accepted if all its entries are accepted. */
export interface ImportEntriesResult extends ImportResult {
  readonly entries: EntryCounts;
  /** The number of skipped lines by reason. Each format has a closed list of reasons. */
  readonly passedOver: ReadonlyMap<string, number>;
}

export interface ImportEntriesOptions {
  readonly clock: Clock;
  readonly onProgress?: ((progress: ImportProgress) => void) | undefined;
  /** The games read so far, by id. Pass the same map, which grows, for all files of an import. */
  readonly games?: Map<string, Game>;
}

interface Batch {
  lines: number;
  entries: LineEntry[];
}

interface BatchResult extends Omit<EntryCounts, 'unchanged'> {
  readonly refused: readonly RefusedActivation[];
}

/**
 * Adds new entries, updates changed entries and removes none; only an explicit line deactivates an
 * entry. Each batch is one transaction and never splits a line, so an interrupted import can simply
 * be run again. The changes of renamed games' entries are recorded at the end, in batches.
 */
export async function importEntries(
  db: Database,
  lines: AsyncIterable<EntryLine>,
  options: ImportEntriesOptions,
): Promise<ImportEntriesResult> {
  const { clock, games = new Map<string, Game>() } = options;
  const report = new ImportReport();
  const passedOver = new Map<string, number>();
  const counts = { added: 0, changed: 0, unchanged: 0 };
  let batch: Batch = { lines: 0, entries: [] };
  let linesRead = 0;
  const flush = async (): Promise<void> => {
    const { added, changed, refused } = await writeBatch(db, batch.entries, games, clock.now());
    counts.added += added;
    counts.changed += changed;
    counts.unchanged += batch.entries.length - added - changed - refused.length;
    report.accept(batch.lines - refused.length);
    for (const { line, error, detail } of refused) report.reject(line, error, detail);
    batch = { lines: 0, entries: [] };
    const { accepted, rejectedCount } = report.result();
    options.onProgress?.({ lines: linesRead, accepted, rejectedCount });
  };
  for await (const line of lines) {
    linesRead = line.number;
    if (line.kind === 'skipped') {
      passedOver.set(line.reason, (passedOver.get(line.reason) ?? 0) + 1);
      continue;
    }
    const fault = line.kind === 'entries' ? registerGames(games, line.entries) : line.reason;
    if (fault !== null) report.reject(line.number, 'invalid_request', fault);
    else if (line.kind === 'entries') {
      batch.lines += 1;
      for (const entry of line.entries) batch.entries.push({ line: line.number, entry });
    }
    if (batch.entries.length >= BATCH_ENTRIES_MAX) await flush();
  }
  if (batch.lines > 0) await flush();
  // This includes renamed games that an interrupted import left unfinished.
  await recordEntriesOfRenamedGames(db);
  return { ...report.result(), entries: counts, passedOver };
}

/** The first line that mentions a game names it; else lines could rename it back and forth. */
function registerGames(games: Map<string, Game>, entries: readonly CatalogEntry[]): string | null {
  for (const entry of entries) {
    if (entry.kind === 'grade' || entry.kind === 'activation') continue;
    const { game } = entry.kind === 'card' ? entry.card : entry.product;
    if (games.has(game.id)) continue;
    if (games.size >= GAMES_MAX) return `game: the file has more than ${GAMES_MAX} games.`;
    games.set(game.id, game);
  }
  return null;
}

async function writeBatch(
  db: Database,
  batch: readonly LineEntry[],
  games: ReadonlyMap<string, Game>,
  now: Date,
): Promise<BatchResult> {
  return await db.transaction(async (tx) => {
    await lockCatalogExclusive(tx);
    const { whole, toggled, refused } = await resolveEntries(tx, batch);
    const cards = whole.filter((entry) => entry.kind === 'card');
    const products = whole.filter((entry) => entry.kind === 'product');
    const grades = whole.filter((entry) => entry.kind === 'grade');
    await writeGames(tx, namedGames(games, whole));
    const toggledIds = (kind: 'card' | 'product'): readonly string[] =>
      idsOf(toggled.filter((each) => each.kind === kind));
    const writtenCards = [
      ...(await write(tx, upsertCards, cards, now)),
      ...(await write(tx, toggleCards, toggledIds('card'), now)),
    ];
    await addExternalIds(
      tx,
      cards.flatMap(({ card, externalIds = [] }) =>
        externalIds.map((each) => ({ ...each, cardId: card.id })),
      ),
    );
    const writtenProducts = [
      ...(await write(tx, upsertProducts, products, now)),
      ...(await write(tx, toggleProducts, toggledIds('product'), now)),
    ];
    const writtenGrades = await write(tx, upsertThirdPartyGrades, grades, now);
    await recordCatalogChanges(tx, 'card', idsOf(writtenCards));
    await recordCatalogChanges(tx, 'product', idsOf(writtenProducts));
    await recordCatalogChanges(tx, 'grade', idsOf(writtenGrades));
    const written = [...writtenCards, ...writtenProducts, ...writtenGrades];
    const added = written.filter(({ isNew }) => isNew).length;
    return { added, changed: written.length - added, refused };
  });
}

function namedGames(games: ReadonlyMap<string, Game>, entries: readonly FullEntry[]): Game[] {
  const ids = new Set<string>();
  for (const entry of entries) {
    if (entry.kind === 'card') ids.add(entry.card.game.id);
    else if (entry.kind === 'product') ids.add(entry.product.game.id);
  }
  return [...ids].map((id) => games.get(id)).filter((game) => game !== undefined);
}

/** Writes games and marks those with a changed code or name, because all their entries show it. */
async function writeGames(tx: Transaction, games: readonly Game[]): Promise<void> {
  if (games.length === 0) return;
  const written = await tx.query(upsertGames, [JSON.stringify(games)]);
  const renamed = written.filter((game) => !game.isNew).map((game) => game.id);
  await markGamesRenamed(tx, renamed);
}

async function write(
  tx: Transaction,
  into: Statement<WrittenEntry>,
  what: readonly FullEntry[] | readonly string[],
  now: Date,
): Promise<readonly WrittenEntry[]> {
  const [first] = what;
  if (first === undefined) return [];
  return await tx.query(into, [typeof first === 'string' ? what : JSON.stringify(what), now]);
}

function idsOf(written: readonly { readonly id: string }[]): readonly string[] {
  return written.map(({ id }) => id);
}
