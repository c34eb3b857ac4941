import { type ChildProcess, spawn } from 'node:child_process';

/** A process is killed this long after SIGTERM. Cardport drains within 20 s. */
const STOP_MS_MAX = 25_000;
const OUTPUT_CHARACTERS_MAX = 2_000;

export interface DemoProcessOptions {
  readonly name: string;
  readonly command: readonly [string, ...string[]];
  /** Variables of the process. It inherits only PATH, HOME and TMPDIR. */
  readonly environment: Readonly<Record<string, string>>;
  /** Matches the line that the process prints when it is ready. */
  readonly readyLine: RegExp;
}

export interface DemoProcess {
  readonly name: string;
  /** Resolves when the process is ready. Never resolves if the process ends before that. */
  readonly ready: Promise<void>;
  /** Resolves when the process ends, with the reason, such as "exit code 1" or "SIGKILL". */
  readonly ended: Promise<string>;
  /** Returns the end of the process's output. */
  lastOutput(): string;
  /** Stops the process and waits for its exit. Kills it after 25 s. */
  stop(): Promise<void>;
}

/** Starts a process of the demo, and prints its standard error with an indent. */
export function startDemoProcess(options: DemoProcessOptions): DemoProcess {
  const [file, ...args] = options.command;
  // Start it in a separate process group, so that Ctrl-C reaches only this process, which then
  // stops the others in order.
  const child = spawn(file, args, {
    env: cleanEnvironment(options.environment),
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  let output = '';
  const ended = waitForExit(child);
  const kill = (): void => void child.kill('SIGKILL');
  process.once('exit', kill);
  const ready = new Promise<void>((resolve) => {
    const onOutput = (chunk: Buffer): void => {
      output = `${output}${chunk.toString('utf8')}`.slice(-OUTPUT_CHARACTERS_MAX);
      if (options.readyLine.test(output)) resolve();
    };
    child.stdout.on('data', onOutput);
    child.stderr.on('data', (chunk: Buffer) => {
      onOutput(chunk);
      process.stderr.write(chunk.toString('utf8').replace(/^(?=.)/gm, '    '));
    });
  });
  const stop = async (): Promise<void> => {
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM');
    const timer = setTimeout(kill, STOP_MS_MAX);
    await ended;
    clearTimeout(timer);
    process.removeListener('exit', kill);
  };
  return { name: options.name, ready, ended, lastOutput: () => output, stop };
}

/** Runs a command until it exits. Throws its output if the exit code is not 0. */
export async function runToEnd(
  [file, ...args]: readonly [string, ...string[]],
  environment: Readonly<Record<string, string>>,
): Promise<void> {
  const stdio = ['ignore', 'ignore', 'pipe'] as const;
  const child = spawn(file, args, { env: cleanEnvironment(environment), stdio: [...stdio] });
  let stderr = '';
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString('utf8')));
  const exitReason = await waitForExit(child);
  if (exitReason !== 'exit code 0') {
    throw new Error(`${args.slice(0, 2).join(' ')}: ${exitReason}: ${stderr}`);
  }
}

/**
 * Returns an environment with few inherited variables, because the demo must not use a real
 * database of the user.
 */
function cleanEnvironment(settings: Readonly<Record<string, string>>): NodeJS.ProcessEnv {
  const { PATH, HOME, TMPDIR } = process.env;
  return { PATH, HOME, TMPDIR, ...settings };
}

async function waitForExit(child: ChildProcess): Promise<string> {
  return await new Promise((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('exit', (code, signal) => resolve(signal ?? `exit code ${code}`));
  });
}
