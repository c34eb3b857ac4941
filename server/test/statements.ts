import { globSync } from 'node:fs';
import type pg from 'pg';
import { Statement } from '../src/database/statement.ts';

/** The folder of the service's source. */
export const SOURCE_FOLDER = new URL('../src/', import.meta.url);

/** Matches modules that start a program when they are imported. */
const entries = /(^|\/)(main|cli)\.ts$|worker\.ts$/;

/** Lists every module of the service, as paths below `server/src`. */
export function listModules(): readonly string[] {
  return globSync('**/*.ts', { cwd: SOURCE_FOLDER.pathname })
    .filter((path) => !path.endsWith('.test.ts'))
    .toSorted();
}

export interface FoundStatement {
  /** The path of the module, below `server/src`. */
  readonly path: string;
  /** The name of the exported constant. */
  readonly constant: string;
  readonly statement: Statement<object>;
}

/** Finds every exported statement, by default of all modules of the service. */
export async function findStatements(
  modules: readonly string[] = listModules().filter((path) => !entries.test(path)),
): Promise<readonly FoundStatement[]> {
  const found = new Map<Statement<object>, FoundStatement>();
  for (const path of modules) {
    const exported: unknown = await import(new URL(path, SOURCE_FOLDER).href);
    for (const [constant, value] of Object.entries(Object(exported))) {
      if (value instanceof Statement && !found.has(value)) {
        found.set(value, { path, constant, statement: value });
      }
    }
  }
  return [...found.values()];
}

export interface Column {
  readonly name: string;
  readonly dataTypeID: number;
  /** The id of the column's table, or 0 for an expression. */
  readonly tableID: number;
  readonly columnID: number;
}

/** Prepares a statement without running it. Returns the columns of its result. */
export async function prepare(client: pg.Client, text: string): Promise<readonly Column[]> {
  const done = Promise.withResolvers<readonly Column[]>();
  let columns: readonly Column[] = [];
  const nothing = (): void => {
    // Do nothing on events that occur only when a statement runs.
  };
  client.query({
    submit: (connection: pg.Connection) => {
      connection.parse({ name: '', text, types: [] }, true);
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
