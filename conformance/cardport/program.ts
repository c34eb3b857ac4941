import { type ChildProcess, spawn } from 'node:child_process';
import { createServer, Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { cleanEnvironment } from '../../server/test/cardport.ts';
import { isObject } from '../expect.ts';

/** The program as people call it. */
const PROGRAM = new URL('../../server/bin/cardport', import.meta.url).pathname;
/** Runs command lines as the program does, many in one process. */
const RUNNER = new URL('../../server/test/command-program.ts', import.meta.url).pathname;
/** No command takes so long; beyond it the process is killed. */
const COMMAND_TIMEOUT_MS = 60_000;
/** A start that migrates an empty database takes some seconds on a busy machine. */
const START_TIMEOUT_MS = 60_000;

/** Settings of a process of Cardport: nothing else of this one's environment but the PATH. */
export type Environment = Readonly<Record<string, string>>;

/** Runs a command with `--json` to its end and returns what it printed. Throws when it fails. */
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
  if (!isObject(value)) throw new Error(`cardport ${args.join(' ')} printed no object`);
  return value;
}

/** How a command ended. */
interface Run {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

interface Waiting {
  readonly resolve: (run: Run) => void;
  readonly reject: (error: Error) => void;
  readonly timer: NodeJS.Timeout;
}

/** One process for all commands: each would load the program anew, a second of processor time. */
class CommandRunner {
  readonly #child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', RUNNER], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  readonly #waiting = new Map<number, Waiting>();
  #count = 0;

  constructor() {
    // It ends with its input, and keeps nobody from ending; whoever waits for a command holds a timer.
    this.#child.unref();
    for (const stream of [this.#child.stdin, this.#child.stdout]) {
      if (stream instanceof Socket) stream.unref();
    }
    this.#child.once('exit', (code) => this.#fail(`the commands' process ended with ${code}`));
    createInterface({ input: this.#child.stdout }).on('line', (line) => {
      const [number, run] = JSON.parse(line) as readonly [number, Run];
      this.#take(number)?.resolve(run);
    });
  }

  async run(args: readonly string[], environment: Environment, stdin: string): Promise<Run> {
    const number = ++this.#count;
    return await new Promise<Run>((resolve, reject) => {
      const timer = setTimeout(() => this.#fail('a command does not end'), COMMAND_TIMEOUT_MS);
      this.#waiting.set(number, { resolve, reject, timer });
      this.#child.stdin.write(`${JSON.stringify([number, args, environment, stdin])}\n`);
    });
  }

  #take(number: number): Waiting | undefined {
    const waiting = this.#waiting.get(number);
    clearTimeout(waiting?.timer);
    this.#waiting.delete(number);
    return waiting;
  }

  /** Nobody is left to answer: the next command has another process. */
  #fail(why: string): void {
    if (runner === this) runner = null;
    this.#child.kill('SIGKILL');
    for (const number of this.#waiting.keys()) this.#take(number)?.reject(new Error(why));
  }
}

let runner: CommandRunner | null = null;

/** A process of Cardport that runs until it is stopped. */
export interface RunningProgram {
  /** What it printed on standard output until it was ready. */
  readonly printed: string;
  stop(): Promise<void>;
}

/** Starts a command that stays, and waits for the line on standard output that says it is ready. */
export async function startProgram(
  args: readonly string[],
  environment: Environment,
  isReady: (printed: string) => boolean,
  file = PROGRAM,
): Promise<RunningProgram> {
  const child = spawn(file, args, { env: cleanEnvironment(environment) });
  child.stdin.end();
  const end = ended(child);
  let printed = '';
  // Its log: a line of it is no ready line.
  let told = '';
  const timer = setTimeout(() => child.kill('SIGKILL'), START_TIMEOUT_MS);
  await new Promise<void>((resolve, reject) => {
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      printed += text;
      if (isReady(printed)) resolve();
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => (told += text));
    end.then(
      (code) =>
        reject(new Error(`cardport ${args.join(' ')} ended with ${code}: ${told}${printed}`)),
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

/** A port that is free at this moment. */
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

async function ended(child: ChildProcess): Promise<number | null> {
  return await new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve(code));
  });
}
