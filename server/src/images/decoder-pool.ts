import { type ChildProcess, fork } from 'node:child_process';
import { constants, setPriority } from 'node:os';
import { readFileSync } from 'node:fs';
import { runningMs } from '../base/process-pauses.ts';
import type { DecoderReply, DecoderJob } from './decoder-process.ts';
import type { ImageFormat } from './image-format.ts';
import { inspectImage, type ReEncodeResult, unreadableImage } from './re-encode.ts';

/** The limits of one job. The most expensive accepted image takes 1,300 ms of CPU time. */
export interface DecoderLimits {
  /** The CPU time after which the process is killed. Only Linux enforces this limit. */
  readonly cpuMsMax: number;
  readonly wallMsMax: number;
  /** The idle time after which the process is killed, which frees its memory. */
  readonly idleMs: number;
}

const DEFAULT_LIMITS: DecoderLimits = { cpuMsMax: 3_000, wallMsMax: 12_000, idleMs: 30_000 };

const WATCHDOG_INTERVAL_MS = 100;
/** The unit of CPU time in `/proc`: hundredths of a second (`USER_HZ`). */
const MS_PER_TICK = 10;

const program = new URL('decoder-process.ts', import.meta.url);

/**
 * Decodes images in child processes, so that an image that crashes or never finishes affects only
 * one process. The caller limits how many run concurrently (`DecodeQueue`).
 */
export class DecoderPool {
  readonly #limits: DecoderLimits;
  readonly #all = new Set<DecoderProcess>();
  #isClosed = false;

  constructor(limits: DecoderLimits = DEFAULT_LIMITS) {
    this.#limits = limits;
  }

  /** Re-encodes an image like `reEncode`. An image that takes too long is refused as unreadable. */
  async reEncode(bytes: Buffer, declared: ImageFormat | null): Promise<ReEncodeResult> {
    const inspected = inspectImage(bytes, declared);
    if (typeof inspected !== 'string') return inspected;
    const result = await this.#run({ kind: 're-encode', bytes, declared });
    if (result === 'too_long') return unreadableImage('The image takes too long to decode.');
    if (Buffer.isBuffer(result)) throw new Error('the decoder sent an unexpected reply');
    return result;
  }

  async drawJpeg(svg: string): Promise<Buffer> {
    const result = await this.#run({ kind: 'draw', svg });
    if (Buffer.isBuffer(result)) return result;
    throw new Error('the drawing failed');
  }

  /** Kills all processes. Running jobs reject. */
  close(): void {
    this.#isClosed = true;
    for (const decoder of this.#all) decoder.kill();
  }

  async #run(job: DecoderJob): Promise<ReEncodeResult | Buffer | 'too_long'> {
    if (this.#isClosed) throw new Error('the decoders are closed');
    const idle = [...this.#all].find(({ isIdle }) => isIdle);
    const decoder = idle ?? this.#start();
    return await decoder.run(job);
  }

  #start(): DecoderProcess {
    const decoder = new DecoderProcess(this.#limits, () => this.#all.delete(decoder));
    this.#all.add(decoder);
    return decoder;
  }
}

class DecoderProcess {
  readonly #limits: DecoderLimits;
  readonly #child: ChildProcess;
  readonly #ended: Promise<string>;
  #idle: NodeJS.Timeout | undefined;
  #isBusy = false;
  #isKilled = false;
  #hasTimedOut = false;

  constructor(limits: DecoderLimits, onEnd: () => void) {
    this.#limits = limits;
    // Pass none of the service's settings: a process that decodes untrusted bytes must not have
    // secrets.
    const env = {
      PATH: process.env['PATH'],
      MALLOC_ARENA_MAX: '2',
      MALLOC_TRIM_THRESHOLD_: '131072',
    };
    this.#child = fork(program, {
      env,
      serialization: 'advanced',
      stdio: 'ignore',
      execArgv: ['--max-semi-space-size=2'],
    });
    // A decode may use a core for a second. The service goes first.
    const { pid } = this.#child;
    if (pid !== undefined) setPriority(pid, constants.priority.PRIORITY_BELOW_NORMAL);
    this.#ended = new Promise((resolve) => {
      const end = (reason: string): void => {
        onEnd();
        resolve(reason);
      };
      this.#child.on('error', (error) => end(error.message));
      this.#child.once('exit', (code, signal) => end(`ended with ${signal ?? code}`));
    });
  }

  get isIdle(): boolean {
    return !this.#isBusy && !this.#isKilled && this.#child.connected;
  }

  kill(): void {
    this.#isKilled = true;
    clearTimeout(this.#idle);
    this.#child.kill('SIGKILL');
  }

  async run(job: DecoderJob): Promise<ReEncodeResult | Buffer | 'too_long'> {
    this.#isBusy = true;
    clearTimeout(this.#idle);
    this.#keepAlive(true);
    const watching = this.#startWatchdog();
    try {
      const answered = new Promise<DecoderReply>((resolve) => this.#child.once('message', resolve));
      this.#child.send(job, () => {
        // Ignore the error, because the exit event reports a dead process.
      });
      const reply = await Promise.race([answered, this.#ended]);
      if (typeof reply === 'string') {
        if (this.#hasTimedOut) return 'too_long';
        throw new Error(`the decoder replied: ${reply}`);
      }
      if (reply.kind === 'failed') throw new Error(reply.message);
      return reply.result;
    } finally {
      clearInterval(watching);
      this.#isBusy = false;
      this.#keepAlive(false);
      this.#idle = setTimeout(() => this.kill(), this.#limits.idleMs).unref();
    }
  }

  #startWatchdog(): NodeJS.Timeout {
    const [startedMs, startedCpuMs] = [runningMs(), this.#cpuMs()];
    return setInterval(() => {
      const isOver =
        runningMs() - startedMs > this.#limits.wallMsMax ||
        this.#cpuMs() - startedCpuMs > this.#limits.cpuMsMax;
      if (!isOver) return;
      this.#hasTimedOut = true;
      this.kill();
    }, WATCHDOG_INTERVAL_MS);
  }

  #cpuMs(): number {
    try {
      const stat = readFileSync(`/proc/${this.#child.pid}/stat`, 'latin1');
      // Fields 14 and 15 of proc(5), counted after the name, because the name may contain spaces.
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      return (Number(fields[11]) + Number(fields[12])) * MS_PER_TICK;
    } catch {
      return 0;
    }
  }

  #keepAlive(isKept: boolean): void {
    if (isKept) {
      this.#child.ref();
      this.#child.channel?.ref();
    } else {
      this.#child.unref();
      this.#child.channel?.unref();
    }
  }
}
