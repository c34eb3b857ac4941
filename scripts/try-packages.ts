import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort, startProgram } from '../conformance/cardport/program.ts';

const STEP_TIMEOUT_MS = 900_000;

/**
 * Runs a smoke test: installs packed archives with npm in an empty folder, and starts the emulator
 * of that installation. `npm run prove` tests the packages thoroughly.
 *
 * @throws Error if a program does not run, or reports another version
 */
export async function tryPackages(archives: readonly string[], version: string): Promise<void> {
  const project = mkdtempSync(join(tmpdir(), 'cardport-try-'));
  try {
    writeFileSync(join(project, 'package.json'), '{"name":"empty","private":true,"type":"module"}');
    const run = (file: string, ...args: readonly string[]): string =>
      execFileSync(file, args, { cwd: project, encoding: 'utf8', timeout: STEP_TIMEOUT_MS });
    run('npm', 'install', '--prefer-offline', '--no-audit', '--no-fund', ...archives);
    const program = (name: string): string => join(project, 'node_modules/.bin', name);
    const shown = run(program('cardport'), '--version').trim();
    if (shown !== version) throw new Error(`cardport --version shows ${shown}, not ${version}`);
    run(program('cardport-conformance'), '--list');
    run(process.execPath, '--eval', "await import('@cardport/client')", '--input-type=module');
    await tryEmulator(program('cardport'));
  } finally {
    rmSync(project, { recursive: true, force: true });
  }
}

async function tryEmulator(file: string): Promise<void> {
  const args = ['emulate', '--json', '--port', String(await freePort())];
  const emulator = await startProgram(args, {}, (text) => text.includes('\n'), file);
  try {
    const { baseUrl } = JSON.parse(emulator.printed) as { readonly baseUrl: string };
    for (const path of ['/readyz', '/docs', '/.well-known/security.txt']) {
      const { status } = await fetch(new URL(path, baseUrl));
      if (status !== 200) throw new Error(`the packed emulator responds to ${path} with ${status}`);
    }
  } finally {
    await emulator.stop();
  }
}
