// Checks the table of modules and allowed imports in ARCHITECTURE.md. It reads every import of
// server/src and reports forbidden ones, cycles, and packages that server/package.json does not
// list. It also reports files of any workspace that are too long. `node scripts/check-imports.ts`
import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { FOLDERS, importsOf } from './import-graph.ts';

/** The maximum length of a file. A longer file covers more than one subject and should be split. */
const LINES_MAX = 400;

/** Files that are installed or generated, to which the limit does not apply. */
const NOT_SOURCE = ['**/node_modules/**', '**/dist/**'];

/** Each module and the modules that it may import. */
export type ModuleRules = ReadonlyMap<string, ReadonlySet<string>>;

/** `path` is relative to server/src, or to the root if only the length is checked. */
export interface SourceFile {
  readonly path: string;
  readonly text: string;
}

/** Parses the module table of ARCHITECTURE.md. */
export function readModuleRules(markdown: string): ModuleRules {
  const table = markdown.split('<!-- imports:')[1] ?? '';
  const rows = table.split('\n').filter((line) => line.startsWith('| `'));
  return new Map(
    rows.map((row) => {
      const [module = '', , allowed = ''] = row
        .split('|')
        .slice(1)
        .map((cell) => cell.trim());
      return [unquote(module), new Set(allowed.split(/\s+/).filter(Boolean).map(unquote))];
    }),
  );
}

function unquote(word: string): string {
  return word.replaceAll('`', '');
}

/**
 * Returns the module of a file below server/src. A subfolder is a separate module if the table
 * lists it or lists `module/*`.
 */
export function moduleOf(path: string, rules: ModuleRules = new Map()): string {
  const [folder = '', file, inner] = path.split('/');
  if (file === undefined || folder === 'cli' || folder === 'runtime') return 'main';
  const part = `${folder}/${file}`;
  const isModule = inner !== undefined && (rules.has(part) || rules.has(`${folder}/*`));
  return isModule ? part : folder;
}

/**
 * Returns the modules that a module may import. A nested module may also import the modules that
 * its outer module may import, except other nested modules.
 */
function rulesOf(module: string, rules: ModuleRules): ReadonlySet<string> | undefined {
  const [outer = ''] = module.split('/');
  const own = rules.get(module) ?? rules.get(`${outer}/*`);
  if (module === outer) return own;
  const inherited = [...(rules.get(outer) ?? [])].filter((name) => !name.includes('/'));
  return own === undefined ? undefined : new Set([...own, ...inherited]);
}

function isAllowed(allowed: ReadonlySet<string>, module: string): boolean {
  const [outer = '', inner] = module.split('/');
  return allowed.has(module) || (inner !== undefined && allowed.has(`${outer}/*`));
}

export function findForbiddenImports(files: readonly SourceFile[], rules: ModuleRules): string[] {
  return files.flatMap(({ path, text }) => {
    const module = moduleOf(path, rules);
    const allowed = rulesOf(module, rules);
    if (allowed === undefined) {
      return [`${path}: the module ${module} is not in the table of ARCHITECTURE.md`];
    }
    return importsOf(text)
      .filter((target) => target.startsWith('.'))
      .map((target) => join(dirname(path), target))
      .flatMap((target) => {
        if (target.startsWith('..')) return [`${path}: imports ${target}, outside server/src`];
        const other = moduleOf(target, rules);
        if (other === module || isAllowed(allowed, other)) return [];
        return [`${path}: ${module} must not import ${other} (${target})`];
      });
  });
}

/** Returns a cycle of imports as a list of paths, or null if there is none. */
export function findCycle(files: readonly SourceFile[]): readonly string[] | null {
  const targets = new Map(
    files.map(({ path, text }) => [
      path,
      importsOf(text)
        .filter((target) => target.startsWith('.'))
        .map((target) => join(dirname(path), target)),
    ]),
  );
  const done = new Set<string>();
  const visit = (path: string, trail: readonly string[]): readonly string[] | null => {
    if (trail.includes(path)) return [...trail.slice(trail.indexOf(path)), path];
    if (done.has(path)) return null;
    for (const target of targets.get(path) ?? []) {
      const cycle = visit(target, [...trail, path]);
      if (cycle !== null) return cycle;
    }
    done.add(path);
    return null;
  };
  for (const { path } of files) {
    const cycle = visit(path, []);
    if (cycle !== null) return cycle;
  }
  return null;
}

export function findUndeclaredPackages(
  files: readonly SourceFile[],
  declared: ReadonlySet<string>,
): string[] {
  return files.flatMap(({ path, text }) =>
    importsOf(text)
      .filter((target) => !target.startsWith('.') && !target.startsWith('node:'))
      .map((target) =>
        target
          .split('/')
          .slice(0, target.startsWith('@') ? 2 : 1)
          .join('/'),
      )
      .filter((name) => !declared.has(name))
      .map((name) => `${path}: imports ${name}, which server/package.json does not list`),
  );
}

export function listSourceFiles(root: string): string[] {
  return globSync(`{${FOLDERS.join()}}/**/*.{ts,css}`, {
    cwd: root,
    exclude: NOT_SOURCE,
  }).toSorted();
}

export function findLongFiles(files: readonly SourceFile[]): string[] {
  return files
    .filter(({ text }) => text.split('\n').length - 1 > LINES_MAX)
    .map(({ path }) => `${path}: has more than ${LINES_MAX} lines`);
}

function readDependencies(file: string): ReadonlySet<string> {
  const manifest: unknown = JSON.parse(readFileSync(file, 'utf8'));
  const namesOf = (group: string): readonly string[] => {
    const named: unknown = Reflect.get(Object(manifest), group);
    return typeof named === 'object' && named !== null ? Object.keys(named) : [];
  };
  return new Set(['dependencies', 'peerDependencies'].flatMap(namesOf));
}

function main(): void {
  const root = join(import.meta.dirname, '..');
  const source = join(root, 'server/src');
  const files = globSync('**/*.ts', { cwd: source })
    .filter((path) => !path.endsWith('.test.ts'))
    .toSorted()
    .map((path) => ({ path, text: readFileSync(join(source, path), 'utf8') }));
  const rules = readModuleRules(readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8'));
  const cycle = findCycle(files);
  const sources = listSourceFiles(root).map((path) => ({
    path,
    text: readFileSync(join(root, path), 'utf8'),
  }));
  const faults = [
    ...findForbiddenImports(files, rules),
    ...(cycle === null ? [] : [`a cycle: ${cycle.join(' → ')}`]),
    ...findUndeclaredPackages(files, readDependencies(join(root, 'server/package.json'))),
    ...findLongFiles(sources),
  ];
  for (const fault of faults) console.error(fault);
  console.log(`${files.length} files, ${rules.size} modules, ${faults.length} faults`);
  if (faults.length > 0) process.exitCode = 1;
}

if (import.meta.main) main();
