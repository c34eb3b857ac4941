import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, globSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { temporaryFolder } from '../server/test/cardport.ts';
import { waitUntil } from '../server/test/wait-until.ts';

const RUNNER = new URL('test.ts', import.meta.url).pathname;
const CARDPORT = new URL('../server/bin/cardport', import.meta.url).pathname;

/** A run of one test file. */
interface Run {
  readonly child: ChildProcess;
  printed(): string;
  readonly exitCode: Promise<number | null>;
}

function startRun(file: string, text: string, options: readonly string[] = []): Run {
  writeFileSync(file, text);
  // With this variable, Node would report to the outer run instead of running the tests.
  const { NODE_TEST_CONTEXT: _, ...environment } = process.env;
  const child = spawn(process.execPath, [RUNNER, ...options, file], {
    env: { ...environment, CI: 'false' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => (printed += chunk.toString('utf8')));
  }
  const exitCode = once(child, 'close').then(([code]: (number | null)[]) => code ?? null);
  return { child, printed: () => printed, exitCode };
}

/** Finds the processes whose environment has a run's folder. */
function processesIn(folder: string): readonly number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => pid > 0 && readProcess(pid, 'environ').includes(`TMPDIR=${folder}\0`));
}

/** Finds the process that cleans up after the run with this folder. */
function cleanerOf(folder: string): number {
  const pids = readdirSync('/proc').filter((pid) => Number(pid) > 0);
  return Number(pids.find((pid) => readProcess(pid, 'cmdline').endsWith(`\0${folder}\0`)));
}

function readProcess(pid: number | string, file: 'cmdline' | 'environ'): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return '';
  }
}

/** A test that leaves two programs running: `sleep`, and an emulator with its database. */
const LEAVES = `
  import { spawn } from 'node:child_process';
  import { describe, it } from 'node:test';
  describe('a test', () => {
    it('leaves processes running', async () => {
      spawn('sleep', ['300'], { detached: true, stdio: 'ignore' }).unref();
      console.log('FOLDER ' + process.env.TMPDIR + ' END');
      if (WAITS) {
        spawn('${CARDPORT}', ['emulate', '--port', '0'], { detached: true, stdio: 'ignore' }).unref();
        await new Promise((resolve) => setTimeout(resolve, 100_000));
      }
    });
  });
`;

describe('a run of the tests', { concurrency: true }, () => {
  it('a run fails if a process outlives its test, names the process and ends it', async () => {
    using folder = temporaryFolder();
    const run = startRun(join(folder.path, 'a.test.ts'), LEAVES.replace('WAITS', 'false'));
    assert.equal(await run.exitCode, 1);
    assert.match(run.printed(), /still running after its test: \d+ sleep 300/);
    assert.match(run.printed(), /pass 1/);
    const own = /FOLDER (\S+) END/.exec(run.printed())?.[1] ?? '';
    assert.ok(!existsSync(own));
    assert.deepEqual(processesIn(own), []);
  });

  it('a killed run leaves no process and no file behind', async () => {
    using folder = temporaryFolder();
    const run = startRun(join(folder.path, 'b.test.ts'), LEAVES.replace('WAITS', 'true'));
    await waitUntil(() => /FOLDER \S+ END/.test(run.printed()));
    const own = /FOLDER (\S+) END/.exec(run.printed())?.[1] ?? '';
    assert.ok(existsSync(own));
    await waitUntil(() => globSync(`${own}/**/postmaster.pid`).length > 0);
    // The test's own process, the sleep and the emulator.
    assert.ok(processesIn(own).length >= 3);
    // The outer run's cleaner must not kill the inner run's cleaner.
    const outerRun = `TEST_RUN=${process.env['TEST_RUN'] ?? ''}\0`;
    assert.ok(!readProcess(cleanerOf(own), 'environ').includes(outerRun));
    run.child.kill('SIGKILL');
    await run.exitCode;
    await waitUntil(() => !existsSync(own) && processesIn(own).length === 0);
  });

  it('a run names a test that blocks its process', async () => {
    using folder = temporaryFolder();
    const run = startRun(
      join(folder.path, 'c.test.ts'),
      `import { describe, it } from 'node:test';\ndescribe('a test', () => { it('loops', () => { for (;;); }); });\n`,
      ['--timeout=4'],
    );
    assert.equal(await run.exitCode, 1);
    assert.match(run.printed(), /hangs: \S*c\.test\.ts/);
  });
});
