import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { temporaryFolder } from '../server/test/cardport.ts';
import { dateChangelog, NotReleasable, release, type ReleaseOptions } from './release.ts';

const CHANGELOG = '# Changelog\n\n## [Unreleased]\n\n### Added\n\n- A thing.\n';
const NAMING = ['client/src/version.ts', 'client/src/transport.test.ts', 'client/README.md'];

function makeRepository(root: string): void {
  const files: Readonly<Record<string, unknown>> = {
    'package.json': { name: 'all', version: '0.1.0', workspaces: ['client', 'app'] },
    'client/package.json': { name: '@x/client', version: '0.1.0' },
    'app/package.json': {
      name: 'app',
      version: '0.1.0',
      dependencies: { '@x/client': '0.1.0', other: '0.1.0' },
    },
    'package-lock.json': {
      version: '0.1.0',
      packages: {
        '': { version: '0.1.0' },
        client: { version: '0.1.0' },
        app: { version: '0.1.0', dependencies: { '@x/client': '0.1.0', other: '0.1.0' } },
        'node_modules/other': { version: '0.1.0' },
      },
    },
  };
  for (const folder of ['client/src', 'app', 'docs']) {
    mkdirSync(join(root, folder), { recursive: true });
  }
  for (const [path, value] of Object.entries(files)) {
    writeFileSync(join(root, path), `${JSON.stringify(value, null, 2)}\n`);
  }
  for (const path of [...NAMING, 'docs/sdk.md']) {
    writeFileSync(join(root, path), 'client-0.1.0.tgz\n');
  }
  writeFileSync(join(root, 'CHANGELOG.md'), CHANGELOG);
  writeFileSync(join(root, '.gitignore'), '*.tgz\n');
  git(root, 'init', '--quiet', '--initial-branch=main');
  git(root, 'config', 'user.name', 'A Tester');
  git(root, 'config', 'user.email', 'tester@example.com');
  git(root, 'add', '--all');
  git(root, 'commit', '--quiet', '--message', 'All.');
}

function git(root: string, ...args: readonly string[]): string {
  return execFileSync('git', ['-C', root, ...args], { encoding: 'utf8', timeout: 60_000 });
}

/** Returns everything that a release may change or leave behind. */
function stateOf(root: string): string {
  return [
    git(root, 'rev-parse', 'HEAD'),
    git(root, 'status', '--porcelain'),
    git(root, 'tag'),
    git(root, 'worktree', 'list').split('\n').length,
    existsSync(join(root, 'packs')),
  ].join('\n');
}

/** Releases 0.2.0 with a build that only writes an archive. Returns the printed lines. */
async function releaseIn(root: string, changed: Partial<ReleaseOptions> = {}): Promise<string> {
  const told: string[] = [];
  await release(root, {
    version: '0.2.0',
    date: '2026-11-23',
    isDryRun: false,
    tell: (line) => told.push(line),
    build: async (worktree, version) => {
      const manifest = JSON.parse(readFileSync(join(worktree, 'client/package.json'), 'utf8'));
      assert.equal(manifest.version, version);
      const archive = join(worktree, '../client.tgz');
      writeFileSync(archive, 'packed');
      return await Promise.resolve([archive]);
    },
    ...changed,
  });
  return told.join('\n');
}

describe('scripts/release.ts', () => {
  it('a release sets the version everywhere, commits, tags, keeps the packages, and says how to publish', async () => {
    using folder = temporaryFolder();
    const root = folder.path;
    makeRepository(root);
    const told = await releaseIn(root);
    const read = (path: string): string => readFileSync(join(root, path), 'utf8');
    for (const path of ['package.json', 'client/package.json', 'app/package.json']) {
      assert.equal(JSON.parse(read(path)).version, '0.2.0', path);
    }
    const dependencies = { '@x/client': '0.2.0', other: '0.1.0' };
    assert.deepEqual(JSON.parse(read('app/package.json')).dependencies, dependencies);
    assert.deepEqual(JSON.parse(read('package-lock.json')), {
      version: '0.2.0',
      packages: {
        '': { version: '0.2.0' },
        client: { version: '0.2.0' },
        app: { version: '0.2.0', dependencies },
        'node_modules/other': { version: '0.1.0' },
      },
    });
    for (const path of NAMING) assert.equal(read(path), 'client-0.2.0.tgz\n', path);
    const head = '# Changelog\n\n## [Unreleased]\n\n## [0.2.0] - 2026-11-23\n\n### Added\n';
    assert.ok(read('CHANGELOG.md').startsWith(head));
    assert.equal(git(root, 'status', '--porcelain'), '');
    assert.equal(git(root, 'rev-parse', 'v0.2.0^{commit}'), git(root, 'rev-parse', 'main'));
    assert.equal(git(root, 'cat-file', '-t', 'v0.2.0'), 'tag\n');
    assert.equal(git(root, 'worktree', 'list').trim().split('\n').length, 1);
    assert.equal(read('packs/client.tgz'), 'packed');
    assert.match(
      told,
      /git push --atomic origin HEAD v0\.2\.0\n {2}npm publish packs\/client\.tgz$/,
    );
  });

  it('a dry run, and a release whose packages do not work, leave no change', async () => {
    using folder = temporaryFolder();
    makeRepository(folder.path);
    const before = stateOf(folder.path);
    assert.match(await releaseIn(folder.path, { isDryRun: true }), /A dry run: v0\.2\.0/);
    assert.equal(stateOf(folder.path), before);
    const build = async (): Promise<never> => await Promise.reject(new Error('a red smoke test'));
    await assert.rejects(releaseIn(folder.path, { build }), /a red smoke test/);
    assert.equal(stateOf(folder.path), before);
  });

  it('an invalid release is refused with every reason', async () => {
    using folder = temporaryFolder();
    const root = folder.path;
    makeRepository(root);
    const refuses = async (version: string, ...reasons: readonly string[]): Promise<void> => {
      const before = stateOf(root);
      await assert.rejects(releaseIn(root, { version }), (error: unknown) => {
        assert.ok(error instanceof NotReleasable);
        assert.deepEqual(error.message.split('\n'), reasons);
        return true;
      });
      assert.equal(stateOf(root), before);
    };
    await refuses('', 'VERSION must look like 1.2.3');
    await refuses('v1.2', 'VERSION must look like 1.2.3');
    await refuses('0.0.9', '0.0.9 is lower than the version of package.json, 0.1.0');
    git(root, 'tag', 'v0.10.0');
    writeFileSync(join(root, 'CHANGELOG.md'), dateChangelog(CHANGELOG, '0.1.0', '2026-01-01'));
    await refuses(
      '0.10.0',
      'there are uncommitted changes',
      'v0.10.0 exists already',
      'CHANGELOG.md has nothing under "Unreleased"',
    );
  });

  it('the version is found in the files of this repository that contain it', async () => {
    const read = (path: string): string =>
      readFileSync(new URL(`../${path}`, import.meta.url), 'utf8');
    const { version } = JSON.parse(read('package.json'));
    for (const path of [...NAMING, 'docs/sdk.md']) assert.ok(read(path).includes(version), path);
    for (const path of ['client', 'server', 'conformance']) {
      assert.equal(JSON.parse(read(`${path}/package.json`)).version, version, path);
    }
    assert.ok(read('CHANGELOG.md').includes('\n## [Unreleased]\n'));
  });
});
