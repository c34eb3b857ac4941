// Makes a release locally; RELEASING.md describes the steps. `node scripts/release.ts VERSION
// [--dry-run]`
//
// The release is made in a separate worktree. The checkout gets the commit and the tag only after
// the packages have been built, installed and tried. Nothing is published: the commands for that
// are printed.
import { execFileSync } from 'node:child_process';
import {
  cpSync,
  globSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { tryPackages } from './try-packages.ts';

/** Files that contain the version, except manifests, lockfile and changelog. */
const NAMING = [
  'client/src/version.ts',
  'client/src/transport.test.ts',
  'client/README.md',
  'docs/sdk.md',
];
const UNRELEASED = '## [Unreleased]\n';
/** The time limit of a step. `npm install` and the compiler are slow on a busy machine. */
const STEP_TIMEOUT_MS = 900_000;

export interface ReleaseOptions {
  readonly version: string;
  /** The date for the changelog, such as `2026-11-23`. */
  readonly date: string;
  /** If true, makes and tries everything but keeps nothing. */
  readonly isDryRun: boolean;
  /** Builds the packages of the worktree, tries them, and returns their archives. */
  readonly build: (worktree: string, version: string) => Promise<readonly string[]>;
  readonly tell: (line: string) => void;
}

/** Thrown if the release is refused. The message has a line for each reason. */
export class NotReleasable extends Error {
  override name = 'NotReleasable';
}

/**
 * Makes a release of the checkout in `root`: a commit, a tag, and archives in `root/packs`.
 *
 * @throws NotReleasable
 */
export async function release(root: string, options: ReleaseOptions): Promise<void> {
  const { version, date, isDryRun, build, tell } = options;
  const tag = `v${version}`;
  const faults = findFaults(root, version);
  if (faults.length > 0) throw new NotReleasable(faults.join('\n'));
  const folder = mkdtempSync(join(tmpdir(), 'cardport-release-'));
  const worktree = join(folder, 'tree');
  git(root, 'worktree', 'add', '--quiet', '--detach', worktree, 'HEAD');
  try {
    setVersion(worktree, versionOf(root), version);
    const changelog = join(worktree, 'CHANGELOG.md');
    writeFileSync(changelog, dateChangelog(readFileSync(changelog, 'utf8'), version, date));
    const archives = await build(worktree, version);
    tell(git(worktree, 'diff', '--stat').trimEnd());
    if (isDryRun) {
      tell(`A dry run: ${tag} could be released. Nothing was kept.`);
      return;
    }
    git(worktree, 'commit', '--quiet', '--all', '--message', `Release ${version}.`);
    const commit = git(worktree, 'rev-parse', 'HEAD').trim();
    git(root, 'merge', '--quiet', '--ff-only', commit);
    git(root, 'tag', '--annotate', '--message', `Cardport ${version}`, tag, commit);
    for (const archive of archives) cpSync(archive, join(root, 'packs', basename(archive)));
    tell(`${tag} is committed and tagged. Publish it with:\n${publishing(tag, archives)}`);
  } finally {
    git(root, 'worktree', 'remove', '--force', worktree);
    rmSync(folder, { recursive: true, force: true });
  }
}

function publishing(tag: string, archives: readonly string[]): string {
  const packages = archives.map((archive) => `npm publish packs/${basename(archive)}`);
  return [`git push --atomic origin HEAD ${tag}`, ...packages]
    .map((line) => `  ${line}`)
    .join('\n');
}

function findFaults(root: string, version: string): readonly string[] {
  const current = versionOf(root);
  const faults = [];
  if (!/^\d+\.\d+\.\d+$/.test(version)) return ['VERSION must look like 1.2.3'];
  if (version.localeCompare(current, 'en', { numeric: true }) < 0) {
    faults.push(`${version} is lower than the version of package.json, ${current}`);
  }
  if (git(root, 'status', '--porcelain') !== '') faults.push('there are uncommitted changes');
  if (git(root, 'tag', '--list', `v${version}`) !== '') faults.push(`v${version} exists already`);
  if (unreleasedIn(readFileSync(join(root, 'CHANGELOG.md'), 'utf8')).trim() === '') {
    faults.push('CHANGELOG.md has nothing under "Unreleased"');
  }
  return faults;
}

/** Returns the text below "Unreleased", up to the next version. */
function unreleasedIn(changelog: string): string {
  const [, rest = ''] = changelog.split(UNRELEASED);
  return rest.split(/^## /m)[0] ?? '';
}

/** Turns the unreleased changes into the section of this version. */
export function dateChangelog(changelog: string, version: string, date: string): string {
  return changelog.replace(UNRELEASED, `${UNRELEASED}\n## [${version}] - ${date}\n`);
}

function versionOf(root: string): string {
  return String(readManifest(join(root, 'package.json'))['version']);
}

type Manifest = Record<string, unknown>;

function readManifest(file: string): Manifest {
  return JSON.parse(readFileSync(file, 'utf8')) as Manifest;
}

/** Writes the version into all manifests, the lockfile, and the files that name it. */
export function setVersion(root: string, from: string, to: string): void {
  const folders = readManifest(join(root, 'package.json'))['workspaces'] as readonly string[];
  const own = ['', ...folders];
  const names = new Set(own.map((path) => readManifest(join(root, path, 'package.json'))['name']));
  const renew = (manifest: Manifest): void => {
    manifest['version'] = to;
    const dependencies = (manifest['dependencies'] ?? {}) as Manifest;
    for (const name of Object.keys(dependencies)) if (names.has(name)) dependencies[name] = to;
  };
  const lock = readManifest(join(root, 'package-lock.json'));
  const locked = lock['packages'] as Record<string, Manifest>;
  lock['version'] = to;
  for (const path of own) {
    const file = join(root, path, 'package.json');
    const manifest = readManifest(file);
    renew(manifest);
    writeJson(file, manifest);
    renew(locked[path] ?? {});
  }
  writeJson(join(root, 'package-lock.json'), lock);
  for (const path of NAMING) {
    const text = readFileSync(join(root, path), 'utf8');
    if (!text.includes(from)) throw new NotReleasable(`${path} does not name version ${from}`);
    writeFileSync(join(root, path), text.replaceAll(from, to));
  }
}

function writeJson(file: string, value: Manifest): void {
  writeFileSync(file, `${JSON.stringify(value, null, 2)}\n`);
}

function git(cwd: string, ...args: readonly string[]): string {
  return execFileSync('git', args, { cwd, encoding: 'utf8', timeout: STEP_TIMEOUT_MS });
}

/** Builds and packs the worktree with this checkout's dependencies, and tries the packages. */
async function buildPackages(
  root: string,
  worktree: string,
  version: string,
): Promise<readonly string[]> {
  symlinkSync(join(root, 'node_modules'), join(worktree, 'node_modules'));
  const packs = join(worktree, '../packs');
  const options = { cwd: worktree, stdio: 'inherit', timeout: STEP_TIMEOUT_MS } as const;
  execFileSync('npm', ['run', '--silent', 'build', '-w', 'client'], options);
  execFileSync(process.execPath, ['scripts/pack.ts', packs], options);
  const archives = globSync('*.tgz', { cwd: packs }).map((name) => join(packs, name));
  await tryPackages(archives, version);
  return archives;
}

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    options: { 'dry-run': { type: 'boolean', default: false } },
    allowPositionals: true,
  });
  const root = join(import.meta.dirname, '..');
  await release(root, {
    version: positionals[0] ?? '',
    date: new Date().toISOString().slice(0, 'yyyy-mm-dd'.length),
    isDryRun: values['dry-run'],
    build: async (worktree, version) => await buildPackages(root, worktree, version),
    tell: (line) => console.log(line),
  });
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  await main().catch((error: unknown) => {
    if (!(error instanceof NotReleasable)) throw error;
    console.error(error.message);
    process.exitCode = 1;
  });
}
