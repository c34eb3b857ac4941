import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { before, describe, it } from 'node:test';
import pg from 'pg';
import { openTestDatabase } from '../../test/test-database.ts';
import { Statement } from './statement.ts';

const root = new URL('../', import.meta.url);

/** Modules that start something when they are imported. */
const entries = /(^|\/)(main|cli)\.ts$|worker\.ts$/;

/** Every module of the service, as paths under `server/src`. */
function listModules(): readonly string[] {
  return globSync('**/*.ts', { cwd: root.pathname })
    .filter((path) => !path.endsWith('.test.ts'))
    .toSorted();
}

interface Found {
  readonly path: string;
  readonly statement: Statement<object>;
}

async function findStatements(): Promise<readonly Found[]> {
  const found = new Map<Statement<object>, string>();
  for (const path of listModules().filter((module) => !entries.test(module))) {
    const exported: unknown = await import(new URL(path, root).href);
    for (const value of Object.values(Object(exported))) {
      if (value instanceof Statement && !found.has(value)) found.set(value, path);
    }
  }
  return [...found].map(([statement, path]) => ({ path, statement }));
}

let statements: readonly Found[] = [];

describe('SQL statements', () => {
  before(async () => {
    statements = await findStatements();
  });

  describe('the statements', () => {
    it('are found', () => {
      assert.ok(statements.length > 50, `${statements.length} statements`);
    });

    it('have names of their own, snake_case, at most 63 bytes', () => {
      const paths = new Map<string, string>();
      for (const { path, statement } of statements) {
        assert.match(statement.name, /^[a-z][a-z0-9_]{0,62}$/, path);
        assert.ok(
          !paths.has(statement.name),
          `${statement.name}: ${path}, ${paths.get(statement.name)}`,
        );
        paths.set(statement.name, path);
      }
    });

    it('are all exported constants, so that this test finds them', () => {
      for (const path of listModules()) {
        const text = readFileSync(new URL(path, root), 'utf8');
        for (const line of text.split('\n')) {
          if (!/(^|[^\w.])(statement|hotRead|sharedRead)(<.*>)?\(/.test(line)) continue;
          if (line.startsWith('export function')) continue;
          assert.match(
            line,
            /^export const \w+ = (statement|hotRead|sharedRead)/,
            `${path}: ${line}`,
          );
        }
        // Where the call begins on a line after its name.
        assert.doesNotMatch(
          text,
          /^(?!export )(const|let) \w+[^=\n]*=\s*\n?\s*(statement|hotRead|sharedRead)[<(]/m,
          path,
        );
      }
    });

    it('are the only SQL outside of migrations: no other room asks `pg` itself', () => {
      for (const path of listModules().filter((module) => !module.startsWith('database/'))) {
        const text = readFileSync(new URL(path, root), 'utf8');
        assert.doesNotMatch(text, /from 'pg'/, path);
      }
    });
  });

  describe('every statement', () => {
    it('can be prepared against the migrated schema', async () => {
      await using base = await openTestDatabase();
      const client = new pg.Client(base.engine.clientConfig());
      await client.connect();
      const faults: string[] = [];
      for (const { path, statement } of statements) {
        try {
          await prepare(client, statement);
        } catch (error) {
          faults.push(`${path} ${statement.name}: ${String(error)}`);
        }
      }
      await client.end();
      assert.deepEqual(faults, []);
    });

    it('would not pass with a column that is not there', async () => {
      await using base = await openTestDatabase();
      const client = new pg.Client(base.engine.clientConfig());
      await client.connect();
      const wrong = new Statement('test_wrong', 'select nothing_there from shop', 'pool');
      await assert.rejects(prepare(client, wrong), { code: '42703' });
      await client.end();
    });
  });
});

/** Parses a statement and runs nothing: what `prepare` does, for every kind of statement. */
async function prepare(client: pg.Client, statement: Statement<object>): Promise<void> {
  const done = Promise.withResolvers<void>();
  const nothing = (): void => {
    // Answers that only the running of a statement has.
  };
  client.query({
    submit: (connection: pg.Connection) => {
      connection.parse({ name: '', text: statement.text, types: [] }, true);
      connection.sync();
    },
    handleError: (error: Error) => done.reject(error),
    handleReadyForQuery: () => done.resolve(),
    handleRowDescription: nothing,
    handleDataRow: nothing,
    handleCommandComplete: nothing,
  });
  await done.promise;
}
