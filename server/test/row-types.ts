import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  API,
  type Checker,
  type Type,
  TypeFlags,
  type TypeReference,
} from 'typescript/unstable/sync';
import { temporaryFolder } from './cardport.ts';
import { SOURCE_FOLDER } from './statements.ts';

const ROOT = new URL('../../', SOURCE_FOLDER).pathname;

export interface Field {
  /**
   * The types without null: `string`, `number`, `boolean`, `Date`, `Buffer`, `object`, `undefined`,
   * or one of these with `[]`.
   */
  readonly kinds: readonly string[];
  readonly isNullable: boolean;
}

export type RowType = ReadonlyMap<string, Field>;

/**
 * Returns the row types of the statements that modules export, by `path constant`. Paths are
 * relative to `server/src`.
 */
export function readRowTypes(paths: Iterable<string>): ReadonlyMap<string, RowType> {
  const modules = new Map([...paths].map((path) => [path, new URL(path, SOURCE_FOLDER).pathname]));
  using folder = temporaryFolder();
  // Compile only these modules, because checking the complete workspace takes five times as long.
  const config = join(folder.path, 'tsconfig.json');
  const project = {
    extends: join(ROOT, 'tsconfig.json'),
    compilerOptions: { typeRoots: [join(ROOT, 'node_modules/@types')] },
    files: [...modules.values()],
    include: [],
  };
  writeFileSync(config, JSON.stringify(project));
  const api = new API({ cwd: ROOT });
  try {
    const { checker, program } =
      api.updateSnapshot({ openProjects: [config] }).getProjects()[0] ?? {};
    if (checker === undefined || program === undefined) throw new Error('no project');
    const found = new Map<string, RowType>();
    for (const [path, name] of modules) {
      const source = program.getSourceFile(name);
      const exported = source && checker.getSymbolAtLocation(source)?.getExports();
      for (const [constant, symbol] of exported ?? []) {
        const type = checker.getTypeOfSymbol(symbol);
        if (type?.getSymbol()?.name !== 'Statement' || !type.isTypeReference()) continue;
        const [row] = checker.getTypeArguments(type);
        if (row !== undefined) found.set(`${path} ${constant}`, readRow(checker, row));
      }
    }
    return found;
  } finally {
    api.close();
  }
}

function readRow(checker: Checker, row: Type): RowType {
  const properties = checker.getPropertiesOfType(row);
  const types = checker.getTypeOfSymbol(properties);
  return new Map(
    properties.map(({ name }, n) => {
      const kinds = kindsOf(checker, types[n]);
      return [
        name,
        { kinds: kinds.filter((kind) => kind !== 'null'), isNullable: kinds.includes('null') },
      ];
    }),
  );
}

function kindsOf(checker: Checker, type: Type | undefined): string[] {
  if (type === undefined) return [];
  if (type.isUnionType()) {
    return [...new Set(type.getTypes().flatMap((each) => kindsOf(checker, each)))];
  }
  // A branded string is a string.
  if (type.isIntersectionType()) return kindsOf(checker, type.getTypes()[0]);
  if (checker.isArrayType(type)) {
    const [element] = checker.getTypeArguments(type as TypeReference);
    return kindsOf(checker, element).map((kind) => `${kind}[]`);
  }
  const primitives = [
    [TypeFlags.Null, 'null'],
    [TypeFlags.Undefined, 'undefined'],
    [TypeFlags.StringLike, 'string'],
    [TypeFlags.NumberLike, 'number'],
    [TypeFlags.BooleanLike, 'boolean'],
  ] as const;
  const primitive = primitives.find(([flag]) => (type.flags & flag) !== 0);
  if (primitive !== undefined) return [primitive[1]];
  const name = type.getSymbol()?.name ?? '';
  return [['Date', 'Buffer'].includes(name) ? name : 'object'];
}
