import pg from 'pg';
import { type Cluster, startCluster } from '../../scripts/postgres.ts';
import type { Database } from '../../server/src/database/database.ts';
import { migrate } from '../../server/src/database/migrate.ts';
import { openDatabase } from '../../server/src/database/open-database.ts';
import { findPackagedBinaries } from '../../server/src/database/packaged/binaries.ts';
import { postgresqlEngine } from '../../server/src/database/postgresql-engine.ts';

export interface FilledDatabase<T> {
  readonly url: string;
  readonly data: T;
}

/** The databases of one run on one temporary PostgreSQL, which starts on first use. */
export class FilledDatabases implements AsyncDisposable {
  readonly #made = new Map<string, Promise<FilledDatabase<unknown>>>();
  #cluster: Promise<Cluster> | null = null;

  /** Returns the database with this name, which is created and filled on first use. */
  async take<T>(
    name: string,
    fill: (db: Database, url: string) => Promise<T>,
  ): Promise<FilledDatabase<T>> {
    const known = this.#made.get(name);
    // A name is always filled by the same function, so its data has one type.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    if (known !== undefined) return (await known) as FilledDatabase<T>;
    const cluster = await (this.#cluster ??= startCluster(findPackagedBinaries(), {
      isDurable: true,
    }));
    const making = makeDatabase(cluster.url, name, fill);
    this.#made.set(name, making);
    return await making;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const cluster = await this.#cluster;
    await cluster?.stop();
  }
}

async function makeDatabase<T>(
  clusterUrl: string,
  name: string,
  fill: (db: Database, url: string) => Promise<T>,
): Promise<FilledDatabase<T>> {
  const client = new pg.Client({ connectionString: clusterUrl });
  await client.connect();
  await client.query(`create database ${client.escapeIdentifier(name)}`);
  await client.end();
  const url = clusterUrl.replace(/\/postgres$/, `/${name}`);
  const engine = postgresqlEngine(url);
  try {
    await migrate(engine);
    const db = openDatabase(engine, { onFault: (error) => console.error(error) });
    try {
      const data = await fill(db, url);
      // Autovacuum would do this later. Doing it now also keeps its writes out of the measured
      // rounds.
      await db.runScript('vacuum analyze');
      await db.runScript('checkpoint');
      return { url, data };
    } finally {
      await db.close();
    }
  } finally {
    await engine.close();
  }
}
