// Proves that the published packages work without this repository: they are packed, installed by
// npm in an empty folder, and run there. npm gets other packages from its cache or the configured
// registry.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdtempSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { startEmulatorTarget } from '../../conformance/cardport/emulator-target.ts';
import { type PackedArchive, packAll } from '../../scripts/pack.ts';
import { startServiceProcess } from './service-process.ts';

const run = promisify(execFile);
const PROGRAM = new URL('../../client/test/packed/main.ts', import.meta.url);
const NODE_VERSIONS = new URL('../../client/test/node-versions/node_modules/', import.meta.url);
const NEWEST = findNode('26');
const TOO_OLD = findNode('20');
/** The maximum size of the installed packages, of which PostgreSQL takes 60 MB. */
const INSTALLED_MB_MAX = 200;

describe('the packages, installed by npm in an empty folder', { timeout: 600_000 }, () => {
  let project: string;
  let packs: readonly PackedArchive[];
  const program = (name: string): string => join(project, 'node_modules/.bin', name);

  before(async () => {
    project = mkdtempSync(join(tmpdir(), 'cardport-packages-'));
    packs = await packAll(project);
    writeFileSync(join(project, 'package.json'), '{"name":"empty","private":true,"type":"module"}');
    const archives = packs.map(({ filename }) => `./${filename}`);
    const options = ['--prefer-offline', '--no-audit', '--no-fund'];
    await run('npm', ['install', ...options, ...archives], { cwd: project });
  });
  after(() => rmSync(project, { recursive: true, force: true }));

  it('the packages contain no source, test or fixture, and take at most 200 MB', async (t) => {
    for (const { name, files } of packs) {
      const odd = files.filter(({ path }) => /(?<!\.d)\.ts$|\.test\.|fixtures/u.test(path));
      assert.deepEqual(odd, [], name);
    }
    const { stdout } = await run('du', ['-sm', 'node_modules'], { cwd: project });
    t.diagnostic(`${stdout.split('\t')[0]} MB`);
    assert.ok(Number.parseInt(stdout, 10) <= INSTALLED_MB_MAX, stdout);
  });

  it('the packages serve the demo shop and the docs', async () => {
    const environment = { DATA_DIR: join(project, 'data') };
    const silent = (): void => undefined;
    const args = ['serve', '--demo'];
    const service = await startServiceProcess(environment, args, silent, program('cardport'));
    for (const path of ['/readyz', '/docs', '/docs/quick-start', '/docs/reference', '/signin']) {
      const { status } = await fetch(service.url + path);
      assert.equal(status, 200, path);
    }
    assert.equal(await service.stop(), 0);
  });

  it('the packages serve on the newest Node', { skip: unlessInstalled(NEWEST) }, async () => {
    const environment = { DATA_DIR: join(project, 'data-26'), PATH: pathWith(NEWEST) };
    const silent = (): void => undefined;
    const args = ['serve', '--demo'];
    const service = await startServiceProcess(environment, args, silent, program('cardport'));
    assert.equal(readlinkSync(`/proc/${service.pid}/exe`), NEWEST);
    for (const path of ['/readyz', '/docs', '/docs/reference', '/signin']) {
      assert.equal((await fetch(service.url + path)).status, 200, path);
    }
    assert.equal(await service.stop(), 0);
  });

  it(
    'on Node 20, the packages say which version of Node they need',
    { skip: unlessInstalled(TOO_OLD) },
    async () => {
      const environment = { PATH: pathWith(TOO_OLD), DATA_DIR: join(project, 'data-20') };
      const attempt = run(program('cardport'), ['serve'], { env: environment });
      await assert.rejects(attempt, (error) => {
        assert.equal(Object(error).code, 1);
        assert.equal(
          Object(error).stderr,
          'cardport: needs Node 24 or later, and the node on the PATH is version 20. ' +
            "Install it from https://nodejs.org or your system's packages.\n",
        );
        return true;
      });
      assert.ok(!existsSync(environment.DATA_DIR));
    },
  );

  it('the packaged emulator works with the packaged SDK and conformance suite', async (t) => {
    await using target = await startEmulatorTarget(program('cardport'));
    const file = join(project, 'target.json');
    writeFileSync(file, JSON.stringify(target.target));
    const clauses = ['--only', '4.6', '--only', '4.10', '--only', '5.3'];
    const args = ['--target', file, ...clauses];
    const suite = run(program('cardport-conformance'), args, { cwd: project });
    // Failing clauses are printed on standard output.
    const { stdout } = await suite.catch((error: unknown) => Object(error) as { stdout: string });
    t.diagnostic(stdout.trim().split('\n').at(-1) ?? '');
    assert.match(stdout, /: \d\d passed, 0 failed, \d+ not run\n$/u);

    const tokens = await fetch(`${target.serviceUrl}/emulator/tokens`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{}',
    });
    copyFileSync(PROGRAM, join(project, 'main.ts'));
    const reading = ['main.ts', target.target.baseUrl, await tokens.text()];
    const { stdout: seen } = await run(process.execPath, reading, { cwd: project });
    assert.match(seen, /"isCaughtUp":true/u);
  });
});

/** Returns the path at which client/test/node-versions installs a Node of this major version. */
function findNode(major: string): string {
  return new URL(`node-${major}-${process.arch}/bin/node`, NODE_VERSIONS).pathname;
}

function unlessInstalled(node: string): string | false {
  return existsSync(node) ? false : 'run npm ci --prefix client/test/node-versions';
}

function pathWith(node: string): string {
  return `${dirname(node)}:${process.env['PATH'] ?? ''}`;
}
