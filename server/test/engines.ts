import { randomBytes } from 'node:crypto';
import { describe } from 'node:test';
import pg from 'pg';
import type { Database, EngineKind } from '../src/database/database.ts';
import type { Engine } from '../src/database/engine.ts';
import { openDatabase } from '../src/database/open-database.ts';
import { postgresqlEngine } from '../src/database/postgresql-engine.ts';
import { openEmbedded, parkEmbedded } from './embedded.ts';

/** A migrated, empty database of one test file's own. */
export interface TestDatabase extends AsyncDisposable {
  readonly kind: EngineKind;
  readonly engine: Engine;
  readonly db: Database;
  /** `postgres://…` of it, or null on the embedded engine. */
  readonly url: string | null;
  close(): Promise<void>;
}

/**
 * Declares the same tests for every engine that this machine has. `open` makes a fresh migrated database.
 *
 * @example onEachEngine('the feed (4.6)', (open) => { it('…', async () => { await using base = await open(); … }); });
 */
export function onEachEngine(
  name: string,
  body: (open: () => Promise<TestDatabase>, kind: EngineKind) => void,
): void {
  const url = process.env['TEST_POSTGRES_URL'];
  if (url !== undefined) {
    describe(`${name} [postgresql]`, () =>
      body(async () => await openPostgresql(url), 'postgresql'));
  }
  // `TEST_ENGINES=postgresql` leaves the embedded engine out, for a quick look while working.
  if (process.env['TEST_ENGINES'] !== 'postgresql') {
    describe(`${name} [pglite]`, () => body(openTestPglite, 'pglite'));
  }
}

/** A database on the embedded engine, for a test of what no engine changes. */
export async function openTestPglite(): Promise<TestDatabase> {
  const engine = await openEmbedded();
  const db = openDatabase(engine, { onFault: reportFault });
  let isClosed = false;
  const close = async (): Promise<void> => {
    if (isClosed) return;
    isClosed = true;
    await db.close();
    await parkEmbedded(engine);
  };
  return { kind: 'pglite', engine, db, url: null, close, [Symbol.asyncDispose]: close };
}

async function openPostgresql(adminUrl: string): Promise<TestDatabase> {
  const name = `test_${randomBytes(8).toString('hex')}`;
  await runAsAdmin(adminUrl, `create database ${name} template cardport_template`);
  const url = adminUrl.replace(/\/postgres$/, `/${name}`);
  const engine = postgresqlEngine(url);
  const db = openDatabase(engine, { onFault: reportFault });
  const close = async (): Promise<void> => {
    await db.close();
    await engine.close();
    // A connection that was ended a moment ago is still there: PostgreSQL waits up to 5 s for it. By force it would be
    // told so, and a client that no longer listens for errors would end the test process.
    await runAsAdmin(adminUrl, `drop database if exists ${name}`).catch(async () => {
      await runAsAdmin(adminUrl, `drop database if exists ${name} with (force)`);
    });
  };
  return { kind: 'postgresql', engine, db, url, close, [Symbol.asyncDispose]: close };
}

async function runAsAdmin(adminUrl: string, text: string): Promise<void> {
  const client = new pg.Client({ connectionString: adminUrl });
  await client.connect();
  try {
    await client.query(text);
  } finally {
    await client.end();
  }
}

function reportFault(error: Error): void {
  console.error('database fault', error);
}
