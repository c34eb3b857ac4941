import type { Clock } from '../base/clock.ts';
import { ImportReport, type ImportResult } from '../base/import-report.ts';
import type { NdjsonLine } from '../base/ndjson.ts';
import type { Database, Transaction } from '../database/database.ts';
import type { Statement } from '../database/statement.ts';
import type { Game } from './card.ts';
import { readCatalogLine } from './catalog-line.ts';
import { upsertCards, upsertGames, upsertProducts, upsertThirdPartyGrades } from './catalog-row.ts';
import { recordCatalogChanges } from './change.ts';
import { type CatalogEntry, idOfEntry } from './entry.ts';
import { lockCatalog } from './lock.ts';
import { noteRenamedGames, stampRenamedGames } from './renamed-game.ts';

/**
 * Entries of one transaction. Stock writers wait for it (about 30 ms), so it must stay small; fewer would spend the
 * time on commits.
 */
const BATCH_ENTRIES_MAX = 500;
/** Games of one import: each is remembered until the end. A file with more has another column in this place. */
const GAMES_MAX = 10_000;

/** How far an import is. */
export interface ImportProgress {
  readonly lines: number;
  readonly accepted: number;
  readonly rejectedCount: number;
}

export interface ImportCatalogOptions {
  readonly clock: Clock;
  /** Called after each batch. */
  readonly onProgress?: ((progress: ImportProgress) => void) | undefined;
}

/** An entry with the number of the line that it came from. */
interface NumberedEntry {
  readonly line: number;
  readonly entry: CatalogEntry;
}

/**
 * Writes a catalog file: new entries are added, entries that really differ are changed, identical ones are left alone,
 * none is removed. Bad lines are reported, the good ones kept. Each batch is one transaction: a broken import is
 * repeated as a whole, and repeats nothing. The entries of a renamed game are recorded at the end, in batches; what a
 * broken import leaves of them is done by `stampRenamedGames`.
 */
export async function importCatalog(
  db: Database,
  lines: AsyncIterable<NdjsonLine>,
  options: ImportCatalogOptions,
): Promise<ImportResult> {
  const report = new ImportReport();
  const games = new Map<string, Game>();
  let batch: NumberedEntry[] = [];
  let linesRead = 0;
  const flush = async (): Promise<void> => {
    await writeBatch(db, batch, games, options.clock.now());
    report.accept(batch.length);
    batch = [];
    const { accepted, rejectedCount } = report.result();
    options.onProgress?.({ lines: linesRead, accepted, rejectedCount });
  };
  for await (const line of lines) {
    linesRead = line.number;
    if (line.kind !== 'value') {
      report.reject(line.number, 'invalid_request', line.reason);
      continue;
    }
    const reading = readCatalogLine(line.value);
    const fault = reading.ok ? rememberGame(games, reading.value) : reading.fault;
    if (fault !== null) report.reject(line.number, 'invalid_request', fault);
    else if (reading.ok) batch.push({ line: line.number, entry: reading.value });
    if (batch.length >= BATCH_ENTRIES_MAX) await flush();
  }
  if (batch.length > 0) await flush();
  // Also what an earlier import left when it broke off.
  await stampRenamedGames(db);
  return report.result();
}

/**
 * A game has one name: the first line of the import that names it says how. Later lines with another spelling would
 * change every card of the game to and fro.
 */
function rememberGame(games: Map<string, Game>, entry: CatalogEntry): string | null {
  if (entry.kind === 'grade') return null;
  const { game } = entry.kind === 'card' ? entry.card : entry.product;
  if (games.has(game.id)) return null;
  if (games.size >= GAMES_MAX) return `game: the file has more than ${GAMES_MAX} games.`;
  games.set(game.id, game);
  return null;
}

async function writeBatch(
  db: Database,
  batch: readonly NumberedEntry[],
  games: ReadonlyMap<string, Game>,
  now: Date,
): Promise<void> {
  // The last line of an id wins; one statement may touch a row only once.
  const last = new Map<string, CatalogEntry>();
  for (const { entry } of batch) last.set(`${entry.kind} ${idOfEntry(entry)}`, entry);
  const entries = [...last.values()];
  const cards = entries.filter((entry) => entry.kind === 'card');
  const products = entries.filter((entry) => entry.kind === 'product');
  const grades = entries.filter((entry) => entry.kind === 'grade');
  const gameIds = new Set([
    ...cards.map(({ card }) => card.game.id),
    ...products.map(({ product }) => product.game.id),
  ]);
  const named = [...gameIds].map((id) => games.get(id)).filter((game) => game !== undefined);
  await db.transaction(async (tx) => {
    await lockCatalog(tx);
    await writeGames(tx, named);
    const changedCards = await upsert(tx, upsertCards, cards, now);
    const changedProducts = await upsert(tx, upsertProducts, products, now);
    const changedGrades = await upsert(tx, upsertThirdPartyGrades, grades, now);
    await recordCatalogChanges(tx, 'card', changedCards);
    await recordCatalogChanges(tx, 'product', changedProducts);
    await recordCatalogChanges(tx, 'grade', changedGrades);
  });
}

/** Writes games, with a note of those whose code or name has changed: all their entries show it. */
async function writeGames(tx: Transaction, games: readonly Game[]): Promise<void> {
  if (games.length === 0) return;
  const written = await tx.query(upsertGames, [JSON.stringify(games)]);
  const renamed = written.filter((game) => !game.isNew).map((game) => game.id);
  await noteRenamedGames(tx, renamed);
}

async function upsert(
  tx: Transaction,
  into: Statement<{ readonly id: string }>,
  entries: readonly CatalogEntry[],
  now: Date,
): Promise<string[]> {
  if (entries.length === 0) return [];
  const rows = await tx.query(into, [JSON.stringify(entries), now]);
  return rows.map((row) => row.id);
}
