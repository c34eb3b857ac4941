import { type ChildProcess, spawn } from 'node:child_process';
import { createServer, Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { cleanEnvironment } from '../../server/test/cardport.ts';
import { isObject } from '../expect.ts';

/** The program that users start. */
const PROGRAM = new URL('../../server/bin/cardport', import.meta.url).pathname;
/** The test program that runs many command lines in one process. */
const RUNNER = new URL('../../server/test/command-program.ts', import.meta.url).pathname;
/** A command that runs longer is killed. No command takes nearly as long. */
const COMMAND_TIMEOUT_MS = 60_000;
/** Migrating an empty database on a busy machine takes several seconds. */
const START_TIMEOUT_MS = 60_000;

/** Environment variables of a Cardport process. Only PATH is inherited. */
export type Environment = Readonly<Record<string, string>>;

/** Runs a command with `--json` and returns its output. Throws when it fails. */
export async function runCommand(
  args: readonly string[],
  environment: Environment,
  stdin = '',
): Promise<Readonly<Record<string, unknown>>> {
  runner ??= new CommandRunner();
  const { code, stdout, stderr } = await runner.run([...args, '--json'], environment, stdin);
  if (code !== 0) {
    throw new Error(`cardport ${args.join(' ')} ended with ${code}: ${stderr}${stdout}`);
  }
  const value: unknown = JSON.parse(stdout);
  if (!isObject(value)) throw new Error(`cardport ${args.join(' ')} did not print a JSON object`);
  return value;
}

/** The result of a command. */
interface Run {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

interface PendingCommand {
  readonly resolve: (run: Run) => void;
  readonly reject: (error: Error) => void;
  readonly timer: NodeJS.Timeout;
}

/** One process for all commands, because loading the program takes one second of CPU time. */
class CommandRunner {
  readonly #child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', RUNNER], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  readonly #pending = new Map<number, PendingCommand>();
  #count = 0;

  constructor() {
    // The child process must not keep this process alive; while a command is waiting, its timer
    // does that. The child ends when its standard input closes.
    this.#child.unref();
    for (const stream of [this.#child.stdin, this.#child.stdout]) {
      if (stream instanceof Socket) stream.unref();
    }
    this.#child.once('exit', (code) => this.#fail(`the command process exited with ${code}`));
    createInterface({ input: this.#child.stdout }).on('line', (line) => {
      const [number, run] = JSON.parse(line) as readonly [number, Run];
      this.#removePending(number)?.resolve(run);
    });
  }

  async run(args: readonly string[], environment: Environment, stdin: string): Promise<Run> {
    const number = ++this.#count;
    return await new Promise<Run>((resolve, reject) => {
      const timer = setTimeout(
        () => this.#fail('a command did not end in time'),
        COMMAND_TIMEOUT_MS,
      );
      this.#pending.set(number, { resolve, reject, timer });
      this.#child.stdin.write(`${JSON.stringify([number, args, environment, stdin])}\n`);
    });
  }

  #removePending(number: number): PendingCommand | undefined {
    const waiting = this.#pending.get(number);
    clearTimeout(waiting?.timer);
    this.#pending.delete(number);
    return waiting;
  }

  /** Ends a process that has failed, so that the next command starts a new one. */
  #fail(why: string): void {
    if (runner === this) runner = null;
    this.#child.kill('SIGKILL');
    for (const number of this.#pending.keys()) this.#removePending(number)?.reject(new Error(why));
  }
}

let runner: CommandRunner | null = null;

/** A Cardport process that runs until it is stopped. */
export interface RunningProgram {
  /** The standard output until the process was ready. */
  readonly printed: string;
  stop(): Promise<void>;
}

/** Starts a server command and waits for its ready line on standard output. */
export async function startProgram(
  args: readonly string[],
  environment: Environment,
  isReady: (printed: string) => boolean,
  file = PROGRAM,
): Promise<RunningProgram> {
  const child = spawn(file, args, { env: cleanEnvironment(environment) });
  child.stdin.end();
  const end = waitForExit(child);
  let printed = '';
  // The log on standard error, which does not contain the ready line.
  let log = '';
  const timer = setTimeout(() => child.kill('SIGKILL'), START_TIMEOUT_MS);
  await new Promise<void>((resolve, reject) => {
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      printed += text;
      if (isReady(printed)) resolve();
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => (log += text));
    end.then(
      (code) =>
        reject(new Error(`cardport ${args.join(' ')} ended with ${code}: ${log}${printed}`)),
      reject,
    );
  });
  clearTimeout(timer);
  return {
    printed,
    stop: async () => {
      child.kill('SIGTERM');
      await end;
    },
  };
}

/** Returns a port that is free at this moment. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  await new Promise<void>((resolve) => {
    server.close(() => resolve());
  });
  if (typeof address !== 'object' || address === null) throw new Error('no port is free');
  return address.port;
}

async function waitForExit(child: ChildProcess): Promise<number | null> {
  return await new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve(code));
  });
}
