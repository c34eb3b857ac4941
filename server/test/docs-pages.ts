import { spawnSync } from 'node:child_process';
import { globSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findFreePort } from '../src/base/free-port.ts';
import { temporaryFolder } from './cardport.ts';
import { type PageEmulator, startPageEmulator } from './docs-emulator.ts';
import { PAGE_PORTS, type PageReport, runPage } from './docs-page.ts';
import { makeSchemaCheck } from './docs-schemas.ts';

const ROOT = new URL('../..', import.meta.url).pathname;

/** Everything that readers run: the pages, and what stands at the doors of the repository and its packages. */
export function listPages(): string[] {
  return globSync(
    ['docs/*.md', 'README.md', 'client/README.md', 'examples/partner-app/README.md'],
    {
      cwd: ROOT,
    },
  ).toSorted();
}

/**
 * Runs the blocks of pages, one page after the other, against one emulator that begins anew for each; then checks the types
 * of all TypeScript blocks at once. Pages are paths from the root of the repository.
 */
export async function runPages(pages: readonly string[]): Promise<PageReport[]> {
  using folder = temporaryFolder();
  symlinkSync(join(ROOT, 'node_modules'), join(folder.path, 'node_modules'));
  const ports = new Map<number, number>();
  for (const port of PAGE_PORTS) ports.set(port, await findFreePort());
  const app = ports.get(8090);
  const other = ports.get(3000);
  const redirectUris = [
    `http://127.0.0.1:${app}/callback`,
    `http://localhost:${other}/callback`,
    `http://127.0.0.1:${other}/callback`,
  ];
  let emulator: PageEmulator | null = null;
  const reset = async (): Promise<Readonly<Record<string, string>>> => {
    emulator ??= await startPageEmulator(redirectUris);
    ports.set(8085, emulator.port);
    return await emulator.reset();
  };
  const checkSchema = makeSchemaCheck();
  const reports: PageReport[] = [];
  try {
    for (const page of pages) {
      const own = join(folder.path, nameOf(page));
      mkdirSync(own);
      writeFileSync(join(own, 'package.json'), '{ "private": true, "type": "module" }\n');
      const context = { folder: own, reset, ports, checkSchema };
      reports.push(await runPage(join(ROOT, page), page, context));
    }
    return withTypeFaults(reports, checkTypes(folder.path));
  } finally {
    // The compiler does not see what `reset` assigns.
    await disposeOf(emulator);
  }
}

async function disposeOf(emulator: PageEmulator | null): Promise<void> {
  await emulator?.[Symbol.asyncDispose]();
}

/** `docs/errors.md` → `docs-errors`: a folder's name, and the page again. */
function nameOf(page: string): string {
  return page.replaceAll('/', '-').replace(/\.md$/, '');
}

/** What the compiler says of the blocks, as a user's strict project would; a line each. */
function checkTypes(folder: string): string[] {
  const files = globSync('*/**/*.ts', { cwd: folder, exclude: ['node_modules/**'] });
  if (files.length === 0) return [];
  const compilerOptions = {
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
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }));
  const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [tsc, '-p', folder, '--pretty', 'false'],
    {
      cwd: folder,
      encoding: 'utf8',
    },
  );
  return status === 0 ? [] : `${stdout}${stderr}`.trimEnd().split('\n');
}

/** Gives what the compiler says to the pages that it says it of. */
function withTypeFaults(reports: readonly PageReport[], lines: readonly string[]): PageReport[] {
  return reports.map((report) => {
    const told = lines.filter((line) => line.startsWith(`${nameOf(report.page)}/`));
    const faults = told.map((line) => ({
      page: report.page,
      line: Number(/line-(\d+)\./.exec(line)?.[1] ?? 0),
      message: `types: ${line}`,
    }));
    return { ...report, faults: [...report.faults, ...faults] };
  });
}

/** What became of the pages, for people: a line a fault, and what was skipped with its reason. */
export function renderReports(reports: readonly PageReport[]): string {
  const lines: string[] = [];
  for (const { page, ran, checked, seconds, skipped, faults } of reports) {
    lines.push(`${page}: ${ran} ran, ${checked} checked, ${skipped.length} skipped (${seconds} s)`);
    for (const { line, reason } of skipped) lines.push(`  skipped ${page}:${line}: ${reason}`);
    for (const { line, message } of faults) lines.push(`  FAULT ${page}:${line}: ${message}`);
  }
  const sum = (pick: (report: PageReport) => number): number =>
    reports.reduce((total, report) => total + pick(report), 0);
  const [ran, checked] = [sum((report) => report.ran), sum((report) => report.checked)];
  const [skipped, faults] = [
    sum((report) => report.skipped.length),
    sum((report) => report.faults.length),
  ];
  lines.push(`${ran} blocks ran, ${checked} were checked, ${skipped} skipped; ${faults} faults`);
  return lines.join('\n');
}
