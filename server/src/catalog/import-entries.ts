import type { Clock } from '../base/clock.ts';
import { ImportReport, type ImportResult } from '../import/import-report.ts';
import type { Database, Transaction } from '../database/database.ts';
import type { Statement } from '../database/statement.ts';
import type { Game } from './card.ts';
import {
  switchCards,
  switchProducts,
  upsertCards,
  upsertGames,
  upsertProducts,
  upsertThirdPartyGrades,
  type Written,
} from './catalog-row.ts';
import { recordCatalogChanges } from './change.ts';
import type { CatalogEntry, WholeEntry } from './entry.ts';
import { lockCatalog } from './lock.ts';
import { noteRenamedGames, stampRenamedGames } from './renamed-game.ts';
import { type LineEntry, type RefusedSwitch, settleEntries } from './settle-entries.ts';

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

/** One line or element of a catalog file, read. */
export type EntryLine =
  | {
      readonly kind: 'entries';
      readonly number: number;
      readonly entries: readonly CatalogEntry[];
    }
  /** It is no card of a shop. */
  | { readonly kind: 'passed_over'; readonly number: number; readonly reason: string }
  | { readonly kind: 'refused' | 'broken'; readonly number: number; readonly reason: string };

/** How many entries an import wrote, and how many were there already as they are. */
export interface EntryCounts {
  readonly added: number;
  readonly changed: number;
  readonly unchanged: number;
}

/** What became of the lines and of the entries that they made. A line is accepted when all its entries are. */
export interface ImportEntriesResult extends ImportResult {
  readonly entries: EntryCounts;
  /** Why lines were passed over (a closed list for each form), and how many. */
  readonly passedOver: ReadonlyMap<string, number>;
}

export interface ImportEntriesOptions {
  readonly clock: Clock;
  /** Called after each batch. */
  readonly onProgress?: ((progress: ImportProgress) => void) | undefined;
  /** The games by id as this import spells them; one map for all files of an import. */
  readonly games?: Map<string, Game>;
}

/** Entries that are written in one transaction, and the lines that they came from. */
interface Batch {
  lines: number;
  entries: LineEntry[];
}

/** What became of a batch. */
interface BatchResult extends Omit<EntryCounts, 'unchanged'> {
  readonly refused: readonly RefusedSwitch[];
}

/**
 * Writes the entries of a catalog file, whatever its form: new entries are added, entries that really differ are
 * changed, identical ones are left alone, none is removed but switched off by a line that says so. Bad lines are reported, the good ones kept. Each batch is one
 * transaction, and a line is never in two: a broken import is repeated as a whole, and repeats nothing. The entries of a
 * renamed game are recorded at the end, in batches; what a broken import leaves of them is done by `stampRenamedGames`.
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
    // A switch is a line of its own.
    report.accept(batch.lines - refused.length);
    for (const { line, error, detail } of refused) report.reject(line, error, detail);
    batch = { lines: 0, entries: [] };
    const { accepted, rejectedCount } = report.result();
    options.onProgress?.({ lines: linesRead, accepted, rejectedCount });
  };
  for await (const line of lines) {
    linesRead = line.number;
    if (line.kind === 'passed_over') {
      passedOver.set(line.reason, (passedOver.get(line.reason) ?? 0) + 1);
      continue;
    }
    const fault = line.kind === 'entries' ? rememberGames(games, line.entries) : line.reason;
    if (fault !== null) report.reject(line.number, 'invalid_request', fault);
    else if (line.kind === 'entries') {
      batch.lines += 1;
      for (const entry of line.entries) batch.entries.push({ line: line.number, entry });
    }
    if (batch.entries.length >= BATCH_ENTRIES_MAX) await flush();
  }
  if (batch.lines > 0) await flush();
  // Also what an earlier import left when it broke off.
  await stampRenamedGames(db);
  return { ...report.result(), entries: counts, passedOver };
}

/**
 * A game has one name: the first line of the import that names it says how. Later lines with another spelling would
 * change every card of the game to and fro.
 */
function rememberGames(games: Map<string, Game>, entries: readonly CatalogEntry[]): string | null {
  for (const entry of entries) {
    if (entry.kind === 'grade' || entry.kind === 'switch') continue;
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
    await lockCatalog(tx);
    const { whole, switched, refused } = await settleEntries(tx, batch);
    const cards = whole.filter((entry) => entry.kind === 'card');
    const products = whole.filter((entry) => entry.kind === 'product');
    const grades = whole.filter((entry) => entry.kind === 'grade');
    await writeGames(tx, namedGames(games, whole));
    const switchedIds = (kind: 'card' | 'product'): readonly string[] =>
      idsOf(switched.filter((each) => each.kind === kind));
    const writtenCards = [
      ...(await write(tx, upsertCards, cards, now)),
      ...(await write(tx, switchCards, switchedIds('card'), now)),
    ];
    const writtenProducts = [
      ...(await write(tx, upsertProducts, products, now)),
      ...(await write(tx, switchProducts, switchedIds('product'), now)),
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

/** The games of entries, each as this import spells it. */
function namedGames(games: ReadonlyMap<string, Game>, entries: readonly WholeEntry[]): Game[] {
  const ids = new Set<string>();
  for (const entry of entries) {
    if (entry.kind === 'card') ids.add(entry.card.game.id);
    else if (entry.kind === 'product') ids.add(entry.product.game.id);
  }
  return [...ids].map((id) => games.get(id)).filter((game) => game !== undefined);
}

/** Writes games, with a note of those whose code or name has changed: all their entries show it. */
async function writeGames(tx: Transaction, games: readonly Game[]): Promise<void> {
  if (games.length === 0) return;
  const written = await tx.query(upsertGames, [JSON.stringify(games)]);
  const renamed = written.filter((game) => !game.isNew).map((game) => game.id);
  await noteRenamedGames(tx, renamed);
}

/** Entries are sent as JSON, ids as they are. */
async function write(
  tx: Transaction,
  into: Statement<Written>,
  what: readonly WholeEntry[] | readonly string[],
  now: Date,
): Promise<readonly Written[]> {
  const [first] = what;
  if (first === undefined) return [];
  return await tx.query(into, [typeof first === 'string' ? what : JSON.stringify(what), now]);
}

function idsOf(written: readonly { readonly id: string }[]): readonly string[] {
  return written.map(({ id }) => id);
}
