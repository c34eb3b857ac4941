import { globSync } from 'node:fs';
import type pg from 'pg';
import { Statement } from '../src/database/statement.ts';

export const SOURCE = new URL('../src/', import.meta.url);

/** Modules that start something when they are imported. */
const entries = /(^|\/)(main|cli)\.ts$|worker\.ts$/;

/** Every module of the service, as paths under `server/src`. */
export function listModules(): readonly string[] {
  return globSync('**/*.ts', { cwd: SOURCE.pathname })
    .filter((path) => !path.endsWith('.test.ts'))
    .toSorted();
}

export interface FoundStatement {
  /** Its module, under `server/src`. */
  readonly path: string;
  /** The exported constant. */
  readonly constant: string;
  readonly statement: Statement<object>;
}

/** Every statement that a module exports: by default, each module of the service. */
export async function findStatements(
  modules: readonly string[] = listModules().filter((path) => !entries.test(path)),
): Promise<readonly FoundStatement[]> {
  const found = new Map<Statement<object>, FoundStatement>();
  for (const path of modules) {
    const exported: unknown = await import(new URL(path, SOURCE).href);
    for (const [constant, value] of Object.entries(Object(exported))) {
      if (value instanceof Statement && !found.has(value)) {
        found.set(value, { path, constant, statement: value });
      }
    }
  }
  return [...found.values()];
}

/** A column of a statement's answer, as PostgreSQL describes it. */
export interface Column {
  readonly name: string;
  readonly dataTypeID: number;
  /** The table's column that it is, unchanged; 0 of an expression. */
  readonly tableID: number;
  readonly columnID: number;
}

/** Prepares a statement and runs nothing; the columns of its answer. */
export async function prepare(
  client: pg.Client,
  statement: Statement<object>,
): Promise<readonly Column[]> {
  const done = Promise.withResolvers<readonly Column[]>();
  let columns: readonly Column[] = [];
  const nothing = (): void => {
    // Answers that only the running of a statement has.
  };
  client.query({
    submit: (connection: pg.Connection) => {
      connection.parse({ name: '', text: statement.text, types: [] }, true);
      connection.describe({ type: 'S', name: '' }, true);
      connection.sync();
    },
    handleError: (error: Error) => done.reject(error),
    handleReadyForQuery: () => done.resolve(columns),
    handleRowDescription: ({ fields }: { readonly fields: readonly Column[] }) => {
      columns = fields;
    },
    handleDataRow: nothing,
    handleCommandComplete: nothing,
  });
  return await done.promise;
}
