import pg from 'pg';
import { startCluster } from '../scripts/postgres.ts';
import { systemClock } from '../server/src/base/clock.ts';
import type { Card } from '../server/src/catalog/card.ts';
import { upsertCards, upsertGames } from '../server/src/catalog/write-statements.ts';
import { recordCatalogChanges } from '../server/src/catalog/catalog-change.ts';
import { importCatalog } from '../server/src/catalog/import-catalog.ts';
import { lockCatalogExclusive } from '../server/src/catalog/catalog-lock.ts';
import type { Database } from '../server/src/database/database.ts';
import { migrate } from '../server/src/database/migrate.ts';
import { openDatabase } from '../server/src/database/open-database.ts';
import { findPackagedBinaries } from '../server/src/database/packaged/binaries.ts';
import { postgresqlEngine } from '../server/src/database/postgresql-engine.ts';

/** A temporary PostgreSQL database that is as durable as in production. */
export interface BenchDatabase extends AsyncDisposable {
  readonly url: string;
  readonly db: Database;
}

export async function openBenchDatabase(): Promise<BenchDatabase> {
  const cluster = await startCluster(findPackagedBinaries(), { isDurable: true });
  const client = new pg.Client({ connectionString: cluster.url });
  await client.connect();
  await client.query('create database bench');
  await client.end();
  const url = cluster.url.replace(/\/postgres$/, '/bench');
  const engine = postgresqlEngine(url);
  await migrate(engine);
  const db = openDatabase(engine, { onFault: (error) => console.error(error) });
  return {
    url,
    db,
    [Symbol.asyncDispose]: async () => {
      await db.close();
      await engine.close();
      await cluster.stop();
    },
  };
}

const BATCH_CARDS = 5_000;

/**
 * Writes cards in large batches. Importing files would take minutes, and imports are measured
 * separately.
 */
export async function fillCards(db: Database, cards: Iterable<Card>): Promise<number> {
  const games = new Set<string>();
  let batch: Card[] = [];
  let written = 0;
  const flush = async (): Promise<void> => {
    const rows = batch.map((card) => ({ card, isActive: true }));
    const fresh = [...new Map(batch.map(({ game }) => [game.id, game])).values()].filter(
      ({ id }) => !games.has(id),
    );
    await db.transaction(async (tx) => {
      await lockCatalogExclusive(tx);
      if (fresh.length > 0) await tx.query(upsertGames, [JSON.stringify(fresh)]);
      await tx.query(upsertCards, [JSON.stringify(rows), new Date()]);
      await recordCatalogChanges(
        tx,
        'card',
        batch.map(({ id }) => id),
      );
    });
    for (const { id } of fresh) games.add(id);
    written += batch.length;
    batch = [];
  };
  for (const card of cards) {
    batch.push(card);
    if (batch.length === BATCH_CARDS) await flush();
  }
  if (batch.length > 0) await flush();
  await db.runScript('analyze card; analyze catalog_change; analyze game');
  return written;
}

/** Imports cards as `cardport catalog import` does with a file. */
export async function importCards(db: Database, cards: readonly Card[]): Promise<void> {
  async function* lines(): AsyncGenerator<{ kind: 'value'; number: number; value: unknown }> {
    for (const [at, value] of cards.entries()) yield { kind: 'value', number: at + 1, value };
  }
  const { accepted, rejected } = await importCatalog(db, lines(), { clock: systemClock });
  if (accepted !== cards.length) throw new Error(JSON.stringify(rejected));
}
