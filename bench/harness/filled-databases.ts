import pg from 'pg';
import { type Cluster, startCluster } from '../../scripts/postgres.ts';
import type { Database } from '../../server/src/database/database.ts';
import { migrate } from '../../server/src/database/migrate.ts';
import { openDatabase } from '../../server/src/database/open-database.ts';
import { findPackagedBinaries } from '../../server/src/database/packaged/binaries.ts';
import { postgresqlEngine } from '../../server/src/database/postgresql-engine.ts';

/** A database of the run, and what filling it has returned. */
export interface FilledDatabase<T> {
  readonly url: string;
  readonly data: T;
}

/** The databases of one run, all on one throw-away PostgreSQL, which starts when the first is asked for. */
export class FilledDatabases implements AsyncDisposable {
  readonly #made = new Map<string, Promise<FilledDatabase<unknown>>>();
  #cluster: Promise<Cluster> | null = null;

  /** The database of a name, made and filled when it is asked for first. */
  async take<T>(
    name: string,
    fill: (db: Database, url: string) => Promise<T>,
  ): Promise<FilledDatabase<T>> {
    const known = this.#made.get(name);
    // One name, one filling: its data has the one type.
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
      // What autovacuum would do in time; and nothing of the filling is left to write during the rounds.
      await db.script('vacuum analyze');
      await db.script('checkpoint');
      return { url, data };
    } finally {
      await db.close();
    }
  } finally {
    await engine.close();
  }
}
