// `npm run pack [FOLDER]`: builds the three published packages and puts their archives into FOLDER
// (default `packs`).
//
// Node does not run TypeScript below `node_modules`, so the packages contain JavaScript with types
// and source maps. `cardport` has the same folders as this repository (`server/src`, `docs`), so
// that relative paths work in both.
import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, extname, join, relative, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** An archive as `npm pack --json` reports it. */
export interface PackedArchive {
  readonly name: string;
  readonly filename: string;
  /** The size of the unpacked files, in bytes. */
  readonly unpackedSize: number;
  readonly files: readonly { readonly path: string }[];
}

type Manifest = Readonly<Record<string, unknown>>;

export async function packAll(folder: string): Promise<readonly PackedArchive[]> {
  await mkdir(folder, { recursive: true });
  const staging = await mkdtemp(join(tmpdir(), 'cardport-pack-'));
  try {
    await Promise.all([stageServer(join(staging, 'cardport')), stageSuite(join(staging, 'suite'))]);
    const packs: PackedArchive[] = [];
    for (const source of [
      join(staging, 'cardport'),
      join(ROOT, 'client'),
      join(staging, 'suite'),
    ]) {
      packs.push(await packFolder(source, folder));
    }
    return packs;
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
}

async function packFolder(source: string, folder: string): Promise<PackedArchive> {
  const args = ['pack', source, '--json', '--ignore-scripts', '--pack-destination', folder];
  const { stdout } = await run('npm', args, { cwd: folder, maxBuffer: 16 * 1024 * 1024 });
  const [pack] = JSON.parse(stdout) as readonly PackedArchive[];
  if (pack === undefined) throw new Error(`npm pack created no archive of ${source}`);
  return pack;
}

/** Stages the server with its command line, the emulator and the docs. */
async function stageServer(stage: string): Promise<void> {
  const server = join(ROOT, 'server');
  const out = join(stage, 'server/src');
  await compile('server/tsconfig.build.json', out);
  await copyAssets(join(server, 'src'), out);
  await replaceSourceUrls(out);
  await cp(join(server, 'bin'), join(stage, 'server/bin'), { recursive: true });
  for (const file of ['docs', 'README.md', 'CHANGELOG.md', 'SECURITY.md', 'LICENSE', 'NOTICE']) {
    await cp(join(ROOT, file), join(stage, file), { recursive: true });
  }
  // The screenshots are only for readers of the repository.
  await rm(join(stage, 'docs/console'), { recursive: true, force: true });
  const {
    name: _,
    private: __,
    bin: ___,
    devDependencies: ____,
    ...own
  } = await manifestOf('server');
  await writeJson(join(stage, 'package.json'), {
    name: 'cardport',
    description: (await manifestOf('.'))['description'],
    ...own,
    ...SHARED,
    bin: { cardport: 'server/bin/cardport' },
    files: ['server', 'docs', 'CHANGELOG.md', 'SECURITY.md', 'NOTICE'],
    exports: { './package.json': './package.json' },
    os: ['darwin', 'linux'],
    engines: { node: '>=24' },
  });
  // The server reads its version from this file.
  await writeJson(join(stage, 'server/package.json'), { type: 'module', version: own['version'] });
}

/** Stages the conformance suite: the files that its command line needs. */
async function stageSuite(stage: string): Promise<void> {
  await compile('conformance/tsconfig.build.json', stage);
  await cp(join(ROOT, 'conformance/README.md'), join(stage, 'README.md'));
  await cp(join(ROOT, 'LICENSE'), join(stage, 'LICENSE'));
  const { private: _, main: __, ...own } = await manifestOf('conformance');
  await writeJson(join(stage, 'package.json'), {
    ...own,
    ...SHARED,
    bin: { 'cardport-conformance': 'main.js' },
    exports: { './package.json': './package.json' },
    engines: { node: '>=24' },
  });
  const main = join(stage, 'main.js');
  await writeFile(main, `#!/usr/bin/env node\n${await readFile(main, 'utf8')}`, { mode: 0o755 });
}

const SHARED: Manifest = {
  author: 'the Cardport authors',
  repository: { type: 'git', url: 'git+https://github.com/cardport/cardport.git' },
  homepage: 'https://github.com/cardport/cardport#readme',
  bugs: 'https://github.com/cardport/cardport/issues',
  publishConfig: { access: 'public', provenance: true },
};

async function compile(config: string, out: string): Promise<void> {
  const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
  await run(process.execPath, [tsc, '-p', join(ROOT, config), '--outDir', out]).catch(
    (error: unknown) => {
      throw new Error(`tsc -p ${config}: ${String(Reflect.get(Object(error), 'stdout'))}`);
    },
  );
}

/** Copies what the compiler does not: style sheets, page scripts, migrations, tables. */
async function copyAssets(source: string, target: string): Promise<void> {
  for (const path of await filesBelow(source)) {
    const isAsset = ['.css', '.js', '.sh', '.sql', '.txt'].includes(extname(path));
    if (!isAsset || /\.test\./u.test(path)) continue;
    await mkdir(dirname(join(target, path)), { recursive: true });
    await cp(join(source, path), join(target, path));
  }
}

/**
 * Replaces `.ts` with `.js` where the compiler does not: in URLs of worker threads and programs.
 */
async function replaceSourceUrls(folder: string): Promise<void> {
  for (const path of await filesBelow(folder)) {
    if (!path.endsWith('.js')) continue;
    const text = await readFile(join(folder, path), 'utf8');
    const named = text.replaceAll(/(new URL\('[^']+)\.ts(', import\.meta\.url\))/gu, '$1.js$2');
    if (named !== text) await writeFile(join(folder, path), named);
  }
}

async function filesBelow(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)));
}

async function manifestOf(folder: string): Promise<Manifest> {
  return await readJson(join(folder, 'package.json'));
}

async function readJson(path: string): Promise<Manifest> {
  const value: unknown = JSON.parse(await readFile(join(ROOT, path), 'utf8'));
  return Object(value) as Manifest;
}

async function writeJson(path: string, value: Manifest): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, `${JSON.stringify(value, null, 2)}\n`);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const folder = resolve(process.argv[2] ?? 'packs');
  for (const { name, filename, unpackedSize } of await packAll(folder)) {
    console.log(
      `${name}: ${join(basename(folder), filename)}, ${Math.ceil(unpackedSize / 1000)} kB unpacked`,
    );
  }
}
