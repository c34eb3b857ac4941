import { writeFileSync } from 'node:fs';
import { findFreePort } from '../../server/src/base/free-port.ts';
import { type MeasuredProgram, startMeasuredProgram } from './measured-program.ts';
import { peakMbOf, residentMbOf } from './process-figures.ts';

/** The service in a separate process, with every feature enabled as in production. */
export interface MeasuredService extends MeasuredProgram {
  readonly url: string;
  /** Returns the current resident memory, in MB. */
  memoryMb(): number;
  /** Returns the peak resident memory since the last call, in MB. */
  takePeakMb(): number;
  /** Returns the value of a metric without labels, or NaN if the metric does not exist. */
  metric(name: string): Promise<number>;
  /** Returns the longest stall of the event loop since the last call, in ms. */
  takeStallMs(): Promise<number>;
}

export interface MeasuredServiceOptions {
  readonly databaseUrl?: string;
  /** The value of `DATA_DIR`, used without a `databaseUrl`. */
  readonly dataFolder?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Arguments after `cardport serve`. */
  readonly args?: readonly string[];
  readonly core?: number;
  /**
   * The public origin, to which tokens are bound. Processes of one deployment share the same
   * origin. Defaults to the process's own origin.
   */
  readonly publicUrl?: string;
}

/**
 * The `SECRET_KEY` of every measured service, so that one process can decrypt what another
 * encrypted.
 */
export const BENCH_SECRET_KEY = 'a secret key of measurements, 32 characters or more';
/** The rate limiters. All are enabled, with limits too high to be reached. */
const BUCKETS = ['api', 'search', 'photos', 'token', 'authorize', 'shop', 'failures'];
/** The value that `monitorEventLoopDelay` reports when nothing stalls: its own resolution. */
const RESOLUTION_MS = 10;
/** Writing this to `clear_refs` resets the peak resident memory (proc(5)). */
const RESET_PEAK = '5';
const program = new URL('../../server/bin/cardport', import.meta.url).pathname;

/**
 * Starts `cardport serve`. Its access log goes into a pipe that is drained. Rate limits are enabled
 * and too high to be reached.
 */
export async function startMeasuredService(
  options: MeasuredServiceOptions,
): Promise<MeasuredService> {
  const port = await findFreePort();
  const metricsPort = await findFreePort();
  const url = `http://127.0.0.1:${port}`;
  const store =
    options.databaseUrl === undefined
      ? { DATA_DIR: options.dataFolder ?? '' }
      : { DATABASE_URL: options.databaseUrl };
  const started = await startMeasuredProgram([program, 'serve', ...(options.args ?? [])], {
    readyWord: 'ready at ',
    ...(options.core === undefined ? {} : { core: options.core }),
    env: {
      ...store,
      PORT: String(port),
      PUBLIC_URL: options.publicUrl ?? url,
      METRICS_PORT: String(metricsPort),
      SECRET_KEY: BENCH_SECRET_KEY,
      DRAIN_NOTICE_SECONDS: '0',
      RATE_LIMITS: BUCKETS.map((bucket) => `${bucket}=6000000/1000000`).join(),
      ...options.env,
    },
  });
  const { pid } = started;
  let stallMs = 0;
  const metric = async (name: string): Promise<number> => {
    const response = await fetch(`http://127.0.0.1:${metricsPort}/metrics`);
    const lines = (await response.text()).split('\n');
    const read = (each: string): number =>
      Number(lines.find((line) => line.startsWith(`${each} `))?.split(' ')[1] ?? Number.NaN);
    // Each scrape resets this metric, so keep the maximum.
    stallMs = Math.max(stallMs, read('nodejs_eventloop_lag_max_seconds') * 1_000 - RESOLUTION_MS);
    return read(name);
  };
  return {
    ...started,
    url,
    memoryMb: () => residentMbOf(pid),
    takePeakMb: () => {
      const peak = peakMbOf(pid);
      writeFileSync(`/proc/${pid}/clear_refs`, RESET_PEAK);
      return peak;
    },
    metric,
    takeStallMs: async () => {
      await metric('nodejs_eventloop_lag_max_seconds');
      const longest = stallMs;
      stallMs = 0;
      return longest;
    },
  };
}
