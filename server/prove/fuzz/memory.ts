import { readdirSync, readFileSync } from 'node:fs';

const SAMPLE_EVERY_MS = 500;
/** The share of samples to ignore, because the first requests fill caches and compile code. */
const WARM_UP_PART = 0.25;
/**
 * The maximum growth from the first to the last third of the samples. A healthy process grows by
 * half of this within a minute of its start. A leak of 1 kB per request reaches the maximum within
 * an hour.
 */
const GROWTH_BYTES_MAX = 200_000_000;

/** Samples the resident memory of a process through `/proc`. */
export class MemoryWatch {
  readonly #samples: number[] = [];
  readonly #pid: number;
  readonly #timer: NodeJS.Timeout;

  constructor(pid: number) {
    this.#pid = pid;
    this.#timer = setInterval(() => this.#sample(), SAMPLE_EVERY_MS);
    this.#timer.unref();
  }

  #sample(): void {
    const kilobytes = readResident(this.#pid);
    if (kilobytes !== null) this.#samples.push(kilobytes * 1_024);
  }

  get descriptors(): number {
    try {
      return readdirSync(`/proc/${this.#pid}/fd`).length;
    } catch {
      return 0;
    }
  }

  /** Returns the figures, and the failure if memory grew too much. */
  stop(): { readonly figures: string; readonly fault: string | null } {
    clearInterval(this.#timer);
    const warm = this.#samples.slice(Math.floor(this.#samples.length * WARM_UP_PART));
    if (warm.length < 9) return { figures: 'too few samples', fault: null };
    const third = Math.floor(warm.length / 3);
    const [first, last] = [medianOf(warm.slice(0, third)), medianOf(warm.slice(-third))];
    const most = Math.max(...this.#samples);
    const figures = `RSS ${show(this.#samples[0] ?? 0)} at the start, ${show(first)} after warm-up, ${show(last)} at the end, ${show(most)} at most (${warm.length} samples)`;
    return { figures, fault: last - first > GROWTH_BYTES_MAX ? `memory grows: ${figures}` : null };
  }
}

function readResident(pid: number): number | null {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? Number.NaN) || null;
  } catch {
    return null;
  }
}

function medianOf(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

function show(bytes: number): string {
  return `${(bytes / 1e6).toFixed(0)} MB`;
}
