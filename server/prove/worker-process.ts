import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { cleanEnvironment } from '../test/cardport.ts';

/**
 * A webhook worker in a separate process that can be killed at a chosen step (killed-worker.ts).
 */
export class WorkerProcess {
  readonly #child: ChildProcess;
  readonly #ended: Promise<unknown>;

  private constructor(child: ChildProcess) {
    this.#child = child;
    this.#ended = once(child, 'exit');
  }

  /** Starts a worker and waits until it is running. */
  static async start(environment: Readonly<Record<string, string>>): Promise<WorkerProcess> {
    const child = fork(new URL('./killed-worker.ts', import.meta.url), {
      env: cleanEnvironment(environment),
      execArgv: ['--disable-warning=ExperimentalWarning'],
    });
    const worker = new WorkerProcess(child);
    const early = worker.#ended.then(() => {
      throw new Error('a worker ended before it was ready');
    });
    await Promise.race([once(child, 'message'), early]);
    early.catch(() => null);
    return worker;
  }

  /** Sends SIGKILL and waits until the process has ended. */
  async kill(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.#ended;
  }

  /**
   * Makes the worker kill itself at the next occurrence of a step. Returns when the process has
   * ended.
   */
  async dieAt(at: string): Promise<void> {
    this.#child.send({ at });
    await this.#ended;
  }

  /** Sends SIGTERM, waits until the process has ended, and returns the exit code. */
  async stop(): Promise<number | null> {
    this.#child.kill('SIGTERM');
    await this.#ended;
    return this.#child.exitCode;
  }
}
