import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Folders with hand-written code: each workspace, and the tools. */
export const FOLDERS = [
  'bench',
  'client',
  'conformance',
  'examples',
  'generated-client',
  'scripts',
  'server',
];
/** A built package and its source: tests import the SDK as its users do. */
const BUILT = { package: '@cardport/client', from: 'client/src/' };
/** Programs that are not modules, with the modules that they run. */
const PROGRAMS = new Map([['server/bin/cardport', 'server/src/cli.ts']]);

/** The imports of a module, types included. */
export function importsOf(text: string): string[] {
  const found = withoutComments(text).matchAll(
    /^(?:import|export)\s[^'";]*?from\s*'([^']+)'|^import\s*'([^']+)'|\bimport\(\s*'([^']+)'/gm,
  );
  return [...found].map((match) => match[1] ?? match[2] ?? match[3] ?? '');
}

/**
 * The files and folders (with `/` at the end) that a module names as `new URL('…',
 * import.meta.url)`.
 */
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

/** Which modules, files and packages each module of the workspace uses. */
export class ImportGraph {
  readonly #uses: ReadonlyMap<string, readonly string[]>;

  /** `texts`: the source of each module by its path below the root. */
  constructor(texts: ReadonlyMap<string, string>) {
    this.#uses = new Map([...texts].map(([path, text]) => [path, usesOf(path, text)]));
  }

  /** Reads every module of a workspace. */
  static read(root: string): ImportGraph {
    const paths = globSync(`{${FOLDERS.join()}}/**/*.{ts,mjs,js}`, {
      cwd: root,
      exclude: ['**/node_modules/**', '**/dist/**'],
    });
    return new ImportGraph(
      new Map(paths.map((path) => [path, readFileSync(join(root, path), 'utf8')])),
    );
  }

  /** The path of every module. */
  get modules(): readonly string[] {
    return [...this.#uses.keys()];
  }

  /**
   * All direct and indirect dependencies of a module, itself included: paths, folders that end with
   * `/`, package names.
   */
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
    // The root stands for every file.
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

/** Whether a module uses one of these files. */
export function reachesOne(reached: ReadonlySet<string>, files: readonly string[]): boolean {
  const folders = [...reached].filter((used) => used.endsWith('/'));
  return files.some(
    (file) =>
      reached.has(file) || folders.some((folder) => folder === '/' || file.startsWith(folder)),
  );
}
