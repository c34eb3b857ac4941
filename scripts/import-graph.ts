import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Folders of hand-written code. */
export const FOLDERS = [
  'bench',
  'client',
  'conformance',
  'examples',
  'generated-client',
  'scripts',
  'server',
];
/** The built SDK, which tests import as its users do, and its source. */
const BUILT = { package: '@cardport/client', from: 'client/src/' };
/** Programs without imports, and the modules that they run. */
const PROGRAMS = new Map([['server/bin/cardport', 'server/src/cli.ts']]);

/** Returns the imports of a module, including imports of types. */
export function importsOf(text: string): string[] {
  const found = withoutComments(text).matchAll(
    /^(?:import|export)\s[^'";]*?from\s*'([^']+)'|^import\s*'([^']+)'|\bimport\(\s*'([^']+)'/gm,
  );
  return [...found].map((match) => match[1] ?? match[2] ?? match[3] ?? '');
}

/** Finds paths in `new URL('…', import.meta.url)`. Those of folders end with `/`. */
export function resourcesOf(text: string): string[] {
  const found = withoutComments(text).matchAll(
    /\bnew URL\(\s*'([^']+)',\s*import\.meta\.url,?\s*\)/g,
  );
  return [...found].map((match) => {
    const named = match[1] ?? '';
    return /(?:^|\/)\.{1,2}$/.test(named) ? `${named}/` : named;
  });
}

function withoutComments(text: string): string {
  return text.replaceAll(/^\s*(\/\/|\*|\/\*).*$/gm, '');
}

/** The modules, files and packages that each module of the workspace uses. */
export class ImportGraph {
  readonly #uses: ReadonlyMap<string, readonly string[]>;

  /** @param texts the source of each module, by its path below the root */
  constructor(texts: ReadonlyMap<string, string>) {
    this.#uses = new Map([...texts].map(([path, text]) => [path, usesOf(path, text)]));
  }

  static read(root: string): ImportGraph {
    const paths = globSync(`{${FOLDERS.join()}}/**/*.{ts,mjs,js}`, {
      cwd: root,
      exclude: ['**/node_modules/**', '**/dist/**'],
    });
    return new ImportGraph(
      new Map(paths.map((path) => [path, readFileSync(join(root, path), 'utf8')])),
    );
  }

  get modules(): readonly string[] {
    return [...this.#uses.keys()];
  }

  /** Finds a module's direct and indirect dependencies, and itself: paths and package names. */
  reach(path: string): ReadonlySet<string> {
    const reached = new Set([path]);
    for (const each of reached) {
      for (const used of this.#uses.get(each) ?? []) reached.add(used);
    }
    return reached;
  }
}

function usesOf(path: string, text: string): readonly string[] {
  const relative = (target: string): string => {
    const joined = join(dirname(path), target);
    // The root folder becomes `/`, which stands for every file.
    return joined === './' ? '/' : joined;
  };
  const modules = importsOf(text).map((target) =>
    target.startsWith('.') ? relative(target) : sourceOf(target),
  );
  const resources = resourcesOf(text).map(relative);
  return [...modules, ...resources].flatMap((used) => {
    const program = PROGRAMS.get(used);
    return program === undefined ? [used] : [used, program];
  });
}

function sourceOf(target: string): string {
  const isBuilt = target === BUILT.package || target.startsWith(`${BUILT.package}/`);
  return isBuilt ? BUILT.from : target;
}

/** Returns whether a module with these dependencies uses one of the files. */
export function usesAny(reached: ReadonlySet<string>, files: readonly string[]): boolean {
  const folders = [...reached].filter((used) => used.endsWith('/'));
  return files.some(
    (file) =>
      reached.has(file) || folders.some((folder) => folder === '/' || file.startsWith(folder)),
  );
}
