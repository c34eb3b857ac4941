import { spawn } from 'node:child_process';
import { MEASURED_CORE, pinnedCommand } from './cores.ts';
import { cpuMsOf } from './process-figures.ts';

export interface MeasuredProgram extends AsyncDisposable {
  readonly pid: number;
  /** The part of the ready line after `readyWord`. */
  readonly ready: string;
  /** The time from the start of the process to the ready line. */
  readonly readyMs: number;
  /** Returns the CPU time (user and system) that the process has used so far. */
  cpuMs(): number;
}

export interface MeasuredProgramOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly core?: number;
  /** The beginning of the ready line. The rest of the line becomes `ready`. */
  readonly readyWord?: string;
}

const READY_WITHIN_MS = 180_000;
const END_WITHIN_MS = 30_000;

/**
 * Starts a program on the measured core and waits for the ready line on its standard output; later
 * output is dropped. The program is stopped by SIGTERM, or by SIGKILL when that takes too long.
 *
 * @throws Error when it exits early, or prints no ready line within 180 s.
 */
export async function startMeasuredProgram(
  command: readonly string[],
  options: MeasuredProgramOptions = {},
): Promise<MeasuredProgram> {
  const { env = {}, core = MEASURED_CORE, readyWord = 'ready ' } = options;
  const [program, ...args] = pinnedCommand(core, command);
  const beganAtMs = performance.now();
  const child = spawn(program, args, {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { PATH: process.env['PATH'], ...env },
  });
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  let timer: NodeJS.Timeout | undefined;
  const ready = new Promise<string>((resolve, reject) => {
    let printed: string | null = '';
    child.stdout.on('data', (part: Buffer) => {
      if (printed === null) return;
      printed += part.toString();
      const at = printed.indexOf(readyWord);
      const end = printed.indexOf('\n', at);
      if (at === -1 || end === -1) return;
      resolve(printed.slice(at + readyWord.length, end));
      printed = null;
    });
    child.once('error', reject);
    void ended.then(() => reject(new Error(`${command.join(' ')} ended`)));
    timer = setTimeout(
      () => reject(new Error(`${command.join(' ')} was not ready in time`)),
      READY_WITHIN_MS,
    );
  });
  const end = async (): Promise<void> => {
    child.kill('SIGTERM');
    const killing = setTimeout(() => child.kill('SIGKILL'), END_WITHIN_MS);
    await ended;
    clearTimeout(killing);
  };
  try {
    const said = await ready;
    const readyMs = performance.now() - beganAtMs;
    const pid = child.pid ?? 0;
    return { pid, ready: said, readyMs, cpuMs: () => cpuMsOf(pid), [Symbol.asyncDispose]: end };
  } catch (error) {
    await end();
    throw error;
  } finally {
    clearTimeout(timer);
  }
}
