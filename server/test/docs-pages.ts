import { spawnSync } from 'node:child_process';
import { globSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findFreePort } from '../src/base/free-port.ts';
import { temporaryFolder } from './cardport.ts';
import { type CodeBlock, findBlocks } from './docs-blocks.ts';
import { startPageEmulator } from './docs-emulator.ts';
import {
  anyUsesEmulator,
  type BlockFault,
  PAGE_PORTS,
  type PageReport,
  runPage,
} from './docs-page.ts';
import { makeSchemaCheck } from './docs-schemas.ts';
import { copyMigratedCluster } from './new-cluster.ts';

const ROOT = new URL('../..', import.meta.url).pathname;

/** The strictest compiler options that a user's project may have, without style rules. */
const COMPILER_OPTIONS = {
  strict: true,
  target: 'es2024',
  lib: ['es2024', 'esnext.disposable'],
  module: 'nodenext',
  moduleDetection: 'force',
  types: ['node'],
  noEmit: true,
  allowImportingTsExtensions: true,
  erasableSyntaxOnly: true,
  verbatimModuleSyntax: true,
  skipLibCheck: true,
};

/** Runs pages one after the other with one emulator, which is reset for each page. */
export interface PageRunner extends AsyncDisposable {
  /** Runs the blocks of a page. `page` is its path from the root of the repository. */
  run(page: string): Promise<PageReport>;
  /** Returns the compiler errors in the TypeScript of all pages that ran. */
  checkTypes(): readonly BlockFault[];
}

/**
 * Lists all pages with code that readers run: the docs, and the READMEs of the repository and its
 * packages.
 */
export function listPages(): string[] {
  return globSync(
    ['docs/*.md', 'README.md', 'client/README.md', 'examples/partner-app/README.md'],
    {
      cwd: ROOT,
    },
  ).toSorted();
}

export function blocksOf(page: string): CodeBlock[] {
  return findBlocks(readFileSync(join(ROOT, page), 'utf8'));
}

export function needsEmulator(page: string): boolean {
  return anyUsesEmulator(blocksOf(page));
}

/** Prepares free ports, and for each page a folder in which this repository's packages resolve. */
export async function openPageRunner(): Promise<PageRunner> {
  await using stack = new AsyncDisposableStack();
  const folder = stack.use(temporaryFolder());
  symlinkSync(join(ROOT, 'node_modules'), join(folder.path, 'node_modules'));
  const ports = new Map<number, number>();
  for (const port of PAGE_PORTS) ports.set(port, await findFreePort());
  const checkSchema = makeSchemaCheck();
  const pages = new Map<string, string>();
  let starting: ReturnType<typeof startPageEmulator> | null = null;
  stack.defer(async () => await (await starting)?.[Symbol.asyncDispose]());
  const reset = async (): Promise<Readonly<Record<string, string>>> => {
    starting ??= startPageEmulator(redirectUris(ports));
    const emulator = await starting;
    ports.set(8085, emulator.port);
    return await emulator.reset();
  };
  const running = stack.move();
  return {
    run: async (page) => {
      const name = page.replaceAll('/', '-').replace(/\.md$/, '');
      const own = join(folder.path, name);
      mkdirSync(own);
      writeFileSync(join(own, 'package.json'), '{ "private": true, "type": "module" }\n');
      await putDatabase(own, blocksOf(page));
      pages.set(name, page);
      return await runPage(join(ROOT, page), page, { folder: own, reset, ports, checkSchema });
    },
    checkTypes: () => checkTypes(folder.path, pages),
    [Symbol.asyncDispose]: async () => await running.disposeAsync(),
  };
}

/**
 * Copies a new database to where the page's commands expect it, which is faster than creating one.
 * Only a test run has a template to copy.
 */
async function putDatabase(folder: string, blocks: readonly CodeBlock[]): Promise<void> {
  const commands = blocks.filter(({ text, options }) => {
    return !options.has('skip') && /\bcardport (?!emulate)[a-z]/.test(text);
  });
  if (process.env['TEST_RUN'] === undefined || commands.length === 0) return;
  const given = blocks.map(({ text }) => /^export DATA_DIR=(\S+)$/m.exec(text)?.[1]);
  const data = given.find((path) => path !== undefined) ?? 'data';
  await copyMigratedCluster(join(folder, data, 'postgresql'));
}

/** Returns the redirect URIs of the emulator's app, with the real ports. */
function redirectUris(ports: ReadonlyMap<number, number>): string[] {
  return [
    `http://127.0.0.1:${ports.get(8090)}/callback`,
    `http://localhost:${ports.get(3000)}/callback`,
    `http://127.0.0.1:${ports.get(3000)}/callback`,
  ];
}

/**
 * Returns the compiler errors. `pages` maps folder names to pages. A block's file name contains its
 * line, unless the block has a `file` option.
 */
function checkTypes(folder: string, pages: ReadonlyMap<string, string>): BlockFault[] {
  const files = globSync('*/**/*.ts', { cwd: folder, exclude: ['node_modules/**'] });
  if (files.length === 0) return [];
  const project = { compilerOptions: COMPILER_OPTIONS, files };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(project));
  const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
  const args = [tsc, '-p', folder, '--pretty', 'false'];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    cwd: folder,
    encoding: 'utf8',
  });
  if (status === 0) return [];
  return `${stdout}${stderr}`
    .trimEnd()
    .split('\n')
    .filter((text) => !text.startsWith(' '))
    .map((text) => ({
      page: pages.get(text.split('/')[0] ?? '') ?? '?',
      line: Number(/line-(\d+)\./.exec(text)?.[1] ?? 0),
      message: `types: ${text}`,
    }));
}

/** Renders a report of a page: skipped blocks with their reasons, and errors. */
export function renderReport({
  page,
  ran,
  checked,
  seconds,
  skipped,
  faults,
}: PageReport): string[] {
  return [
    `${page}: ${ran} ran, ${checked} checked, ${skipped.length} skipped (${seconds} s)`,
    ...skipped.map(({ line, reason }) => `  skipped ${page}:${line}: ${reason}`),
    ...faults.map(renderFault),
  ];
}

export function renderFault({ page, line, message }: BlockFault): string {
  return `  FAULT ${page}:${line}: ${message}`;
}

/** Renders the totals of several pages in one line. */
export function renderTotals(reports: readonly PageReport[]): string {
  const sum = (pick: (report: PageReport) => number): number =>
    reports.reduce((total, report) => total + pick(report), 0);
  const ran = sum((report) => report.ran);
  const checked = sum((report) => report.checked);
  const skipped = sum((report) => report.skipped.length);
  return `${ran} blocks ran, ${checked} were checked, ${skipped} were skipped`;
}
