import { writeFileSync } from 'node:fs';
import { findFreePort } from '../../server/src/base/free-port.ts';
import { type MeasuredProgram, startMeasuredProgram } from './measured-program.ts';
import { peakMbOf, residentMbOf } from './process-figures.ts';

/** The service in a process of its own, with everything on that production has. */
export interface MeasuredService extends MeasuredProgram {
  /** Its public origin. */
  readonly url: string;
  /** Resident memory now, in MB. */
  memoryMb(): number;
  /** The highest resident memory since the last call, in MB. */
  takePeakMb(): number;
  /** The value of a metric without labels; NaN when there is none. */
  metric(name: string): Promise<number>;
  /** The longest that the event loop stood still since the last call, in ms. */
  takeStallMs(): Promise<number>;
}

export interface MeasuredServiceOptions {
  readonly databaseUrl?: string;
  /** `DATA_DIR`, used when there is no `databaseUrl`. */
  readonly dataFolder?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Behind `cardport serve`. */
  readonly args?: readonly string[];
  readonly core?: number;
  /** Several processes of one deployment have one public origin, which tokens are for; its own when it is left out. */
  readonly publicUrl?: string;
}

/** `SECRET_KEY` of every measured service, so that what one process sealed another may open. */
export const BENCH_SECRET_KEY = 'a secret key of measurements, 32 characters or more';
/** Every bucket of a rate limit: all are on, and too high to be hit. */
const BUCKETS = ['api', 'search', 'photos', 'token', 'authorize', 'shop', 'failures'];
/** What `monitorEventLoopDelay` shows of a loop that never stood still: its own resolution. */
const RESOLUTION_MS = 10;
/** Written to `clear_refs`, it begins the highest resident memory anew (proc(5)). */
const RESET_PEAK = '5';
const program = new URL('../../server/bin/cardport', import.meta.url).pathname;

/** Starts `cardport serve`. Its access lines go through a pipe into nothing; rate limits are on, and too high to be hit. */
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
    // Every scrape begins this one again.
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
