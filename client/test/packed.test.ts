import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type RunningEmulator, startEmulator } from './running-emulator.ts';

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const HERE = fileURLToPath(new URL('.', import.meta.url));

const TYPESCRIPT_7 = join(ROOT, 'node_modules/typescript/bin/tsc');
const TYPESCRIPT_5 = join(ROOT, 'generated-client/node_modules/typescript/bin/tsc');

/** The supported Node versions, from the minimum in `engines` to the newest. */
const VERSIONS = ['20', '22', '24', '26'] as const;
const ARM = process.arch === 'arm64';
const RUNTIMES: readonly Runtime[] = [
  ...VERSIONS.map((version) => ({ name: `Node ${version}.`, find: () => findNode(version) })),
  {
    name: 'Bun 1.',
    find: () => findInstalled(`@oven/bun-linux-${ARM ? 'aarch64' : 'x64-baseline'}/bin/bun`),
  },
  {
    name: 'Deno 2.',
    find: () => findInstalled(`@deno/linux-${ARM ? 'arm64' : 'x64'}-glibc/deno`),
    options: ['run', '--allow-all', '--no-remote'],
  },
];

/** The maximum size of the package in bytes: it may be loaded over a mobile connection. */
const PACK_BYTES_MAX = 80_000;

interface Runtime {
  /** The name as `packed/main.ts` prints it, up to and including the major version. */
  readonly name: string;
  readonly find: () => Promise<string | undefined> | string | undefined;
  readonly options?: readonly string[];
}

interface Pack {
  readonly filename: string;
  readonly size: number;
  readonly unpackedSize: number;
  readonly files: readonly { readonly path: string }[];
}

let project: string;
let pack: Pack;
/** The emulator starts while the SDK is packed. */
let starting: Promise<RunningEmulator>;

type Resolution = 'nodenext' | 'bundler';

/** Returns the strictest compiler options, with only the ECMAScript library. */
function compilerOptions(resolution: Resolution): object {
  return {
    target: 'es2022',
    lib: ['es2022'],
    types: [],
    module: resolution === 'bundler' ? 'esnext' : resolution,
    moduleResolution: resolution,
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    skipLibCheck: false,
    rootDir: '.',
  };
}

/** Returns the compiler's output, which is empty when there is no error. */
async function compile(compiler: string, options: object): Promise<string> {
  const config = { compilerOptions: options, files: ['main.ts', 'types.ts'] };
  await writeFile(join(project, 'tsconfig.json'), JSON.stringify(config));
  const work = run(process.execPath, [compiler, '-p', '.'], { cwd: project });
  return await work.then(
    ({ stdout }) => stdout,
    (error: unknown) => String(Reflect.get(Object(error), 'stdout')),
  );
}

describe('the SDK as it is published', () => {
  /** Creates a project with only the packed SDK, installed offline. */
  before(async () => {
    starting = startEmulator();
    // If the emulator does not start, the tests that need it report this.
    starting.catch(() => undefined);
    project = await mkdtemp(join(tmpdir(), 'cardport-packed-'));
    const packing = [
      'pack',
      '-w',
      'client',
      '--json',
      '--ignore-scripts',
      '--pack-destination',
      project,
    ];
    const { stdout } = await run('npm', packing, { cwd: ROOT });
    const packs = JSON.parse(stdout) as readonly Pack[];
    assert.ok(packs[0]);
    [pack] = packs;
    await writeFile(join(project, 'package.json'), '{"name":"empty","type":"module"}');
    const installing = ['install', '--offline', '--no-audit', '--no-fund', `./${pack.filename}`];
    await run('npm', installing, { cwd: project });
    for (const file of ['main.ts', 'types.ts']) {
      await copyFile(join(HERE, 'packed', file), join(project, file));
    }
    assert.equal(
      await compile(TYPESCRIPT_7, { ...compilerOptions('nodenext'), outDir: 'out' }),
      '',
    );
  });
  after(async () => {
    await (await starting)[Symbol.asyncDispose]();
    await rm(project, { recursive: true, force: true });
  });

  describe('the packed SDK', () => {
    it('the packed SDK contains its code and types, a README and the license, and nothing else', (test) => {
      const { size, unpackedSize, files } = pack;
      test.diagnostic(`${size} bytes packed, ${unpackedSize} unpacked, ${files.length} files`);
      assert.ok(size <= PACK_BYTES_MAX, `${size} bytes`);
      const paths = files.map(({ path }) => path);
      for (const path of [
        'LICENSE',
        'README.md',
        'package.json',
        'dist/index.js',
        'dist/index.d.ts',
      ]) {
        assert.ok(paths.includes(path), path);
      }
      for (const path of paths.filter((one) => one.startsWith('dist/'))) {
        const source = path.replace(/^dist/u, 'client/src').replace(/(?:\.d\.ts|\.js)$/u, '.ts');
        assert.ok(existsSync(join(ROOT, source)), `${path} has no source: run the build again`);
        assert.doesNotMatch(path, /\.test\./u);
      }
      const others = paths.filter((path) => !path.startsWith('dist/')).toSorted();
      assert.deepEqual(others, ['LICENSE', 'README.md', 'package.json']);
    });

    it('the packed SDK has a README without links to missing files, and is public', async () => {
      const folder = join(project, 'node_modules/@cardport/client');
      const readme = await readFile(join(folder, 'README.md'), 'utf8');
      const links = [...readme.matchAll(/\]\(([^)\s]+)\)/gu)].map(([, link = '']) => link);
      const outside = links.filter(
        (link) => !/^(?:#|https:)/u.test(link) && !existsSync(join(folder, link)),
      );
      assert.deepEqual(outside, []);
      const own: unknown = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
      assert.deepEqual(Reflect.get(Object(own), 'publishConfig'), { access: 'public' });
    });

    it('the packed SDK can be loaded with require from CommonJS in this version of Node', async () => {
      const script = "console.log(typeof require('@cardport/client').openPartnerApp)";
      const args = ['--input-type=commonjs', '--eval', script];
      const { stdout } = await run(process.execPath, args, { cwd: project });
      assert.equal(stdout.trim(), 'function');
    });

    it('the packed SDK has no dependencies', async () => {
      const { stdout } = await run('npm', ['ls', '--all', '--json'], { cwd: project });
      const { dependencies } = JSON.parse(stdout) as { dependencies: Record<string, object> };
      assert.deepEqual(Object.keys(dependencies), ['@cardport/client']);
      assert.ok(!('dependencies' in (dependencies['@cardport/client'] ?? {})));
    });

    const compilers = [
      ['7', TYPESCRIPT_7],
      ['5.9', TYPESCRIPT_5],
    ] as const;
    for (const [version, compiler] of compilers) {
      for (const resolution of ['nodenext', 'bundler'] as const) {
        it(`TypeScript ${version} checks the types without DOM and @types/node (${resolution})`, async () => {
          const config = { ...compilerOptions(resolution), noEmit: true };
          assert.equal(await compile(compiler, config), '');
        });
      }
    }
  });

  describe('a program that uses the installed SDK', () => {
    for (const { name, find, options = [] } of RUNTIMES) {
      it(`a program runs on ${name.slice(0, -1)}`, async (test) => {
        const file = await find();
        if (file === undefined) {
          assert.notEqual(process.env['CI'], 'true', `${name}x is not installed`);
          test.skip(`no ${name}x: npm ci --prefix client/test/node-versions`);
          return;
        }
        const emulator = await starting;
        const tokens = await emulator.tell('tokens');
        const args = [...options, 'out/main.js', emulator.baseUrl, JSON.stringify(tokens)];
        const { stdout, stderr } = await run(file, args, { cwd: project });
        const { runtime, version: own, read, forSale, ...seen } = JSON.parse(stdout) as Seen;
        test.diagnostic(runtime);
        assert.ok(runtime.startsWith(name), runtime);
        assert.equal(stderr, '');
        assert.equal(`cardport-client-${own}.tgz`, pack.filename);
        assert.equal(read, seen.changes);
        assert.ok(forSale > 0 && forSale <= seen.units);
        assert.deepEqual(
          { ...seen, changes: 0 },
          {
            changes: 0,
            isCaughtUp: true,
            units: 40,
            isRefreshed: true,
            missing: 'NotFoundError',
            notice: 'inventory.changed',
            nodeExports: ['function', 'function'],
          },
        );
      });
    }
  });
});

interface Seen {
  readonly runtime: string;
  readonly version: string;
  readonly changes: number;
  readonly read: number;
  readonly units: number;
  readonly forSale: number;
}

/** Looks in `client/test/node-versions`, then at the running Node, then at the PATH. */
async function findNode(version: string): Promise<string | undefined> {
  const installed = findInstalled(`node-${version}-${process.arch}/bin/node`);
  for (const node of [installed, process.execPath, ...pathNodes()]) {
    if (node === undefined || !existsSync(node)) continue;
    const { stdout } = await run(node, ['--version']);
    if (stdout.startsWith(`v${version}.`)) return node;
  }
  return undefined;
}

function findInstalled(path: string): string | undefined {
  const file = join(HERE, 'node-versions/node_modules', path);
  return existsSync(file) ? file : undefined;
}

function pathNodes(): string[] {
  const folders = (process.env['PATH'] ?? '').split(':').filter((folder) => folder !== '');
  return folders.map((folder) => join(folder, 'node'));
}
