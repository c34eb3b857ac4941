import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';

export interface MeasuredService extends AsyncDisposable {
  readonly url: string;
  /** The time from the start of the process to its ready line. */
  readonly readyMs: number;
  /** The peak resident memory until the ready line, in MB. */
  readonly readyPeakMb: number;
  memoryMb(): number;
  /** Returns the peak resident memory since the last call, in MB, sampled every 50 ms. */
  peakMb(): number;
  /** Returns the longest stall of the event loop since the last call, in ms. */
  stallMs(): Promise<number>;
  metric(name: string): Promise<number>;
}

const READY_WITHIN_MS = 180_000;
const SAMPLE_EVERY_MS = 50;
/** The value that `monitorEventLoopDelay` reports when nothing stalls: its own resolution. */
const RESOLUTION_MS = 10;
const program = new URL('../server/bin/cardport', import.meta.url).pathname;

/** Starts `cardport serve` on a database and drops its access log. */
export async function startMeasuredService(
  databaseUrl: string,
  publicPort: number,
): Promise<MeasuredService> {
  const metricsPort = publicPort + 1;
  const startedAtMs = performance.now();
  const child = spawn(program, ['serve'], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      PATH: process.env['PATH'],
      PORT: String(publicPort),
      METRICS_PORT: String(metricsPort),
      DATABASE_URL: databaseUrl,
      SECRET_KEY: 'a secret key of measurements, 32 characters or more',
      DRAIN_NOTICE_SECONDS: '0',
      // Rate limits are enabled and too high to be reached.
      RATE_LIMITS: 'api=6000000/1000000,search=6000000/1000000',
    },
  });
  const pid = child.pid ?? 0;
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  let peakMb = 0;
  const sampler = setInterval(() => {
    peakMb = Math.max(peakMb, residentMb(pid));
  }, SAMPLE_EVERY_MS);
  const takePeak = (): number => {
    const peak = Math.max(peakMb, residentMb(pid));
    peakMb = 0;
    return peak;
  };
  let isReady = false;
  await new Promise<void>((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('not ready in time')), READY_WITHIN_MS);
    child.stdout.on('data', (part: Buffer) => {
      if (isReady || !part.toString().includes('ready at')) return;
      isReady = true;
      clearTimeout(timer);
      resolve();
    });
    void ended.then(() => reject(new Error('the service ended')));
  });
  const readyMs = performance.now() - startedAtMs;
  const readyPeakMb = takePeak();
  let stallMs = 0;
  const metric = async (name: string): Promise<number> => {
    const response = await fetch(`http://127.0.0.1:${metricsPort}/metrics`);
    const lines = (await response.text()).split('\n');
    const read = (each: string): number =>
      Number(lines.find((line) => line.startsWith(`${each} `))?.split(' ')[1]);
    // Each scrape resets this metric, so keep the maximum.
    const lagMs = read('nodejs_eventloop_lag_max_seconds') * 1_000;
    stallMs = Math.max(stallMs, lagMs - RESOLUTION_MS);
    return read(name);
  };
  return {
    url: `http://127.0.0.1:${publicPort}`,
    readyMs,
    readyPeakMb,
    memoryMb: () => residentMb(pid),
    peakMb: takePeak,
    metric,
    stallMs: async () => {
      await metric('nodejs_eventloop_lag_max_seconds');
      const longest = stallMs;
      stallMs = 0;
      return longest;
    },
    [Symbol.asyncDispose]: async () => {
      clearInterval(sampler);
      child.kill('SIGTERM');
      await ended;
    },
  };
}

function residentMb(pid: number): number {
  try {
    const kilobytes = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    return Number(kilobytes ?? 0) / 1_024;
  } catch {
    return 0;
  }
}
