import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BENCH_PUBLIC_URL } from '../data/tenants.ts';
import type { Bench } from '../harness/bench.ts';
import { LOAD_CORE } from '../harness/cores.ts';
import { ratesOf } from '../harness/rounds.ts';
import type { MeasuredService } from '../harness/service.ts';
import type { LoadRequest } from '../harness/wrk.ts';
import { type Figure, makeFigure, type Scenario } from '../scenario.ts';
import { requestsOf, type HotRequest, measureLoad, tenantsOf } from './hot-request.ts';
import { boostsRequest, pollRequest } from './hot-requests.ts';
import type { OpenLoadPlan, OpenLoadResult } from './open-load.ts';

const SIZE = { tokens: 1_000, shops: 100 };
/** The offered load as a multiple of the process's capacity. */
const OVERLOAD_FACTOR = 4;
/**
 * The number of connections. It is large enough to offer the load even though each response takes a
 * few tenths of a second.
 */
const CONNECTIONS = 4_000;
const LOAD_SECONDS = 6;
const QUICK_LOAD_SECONDS = 2;
const AFTER_SECONDS = 2;
const QUICK_AFTER_SECONDS = 1;
/** The share of the capacity that is offered after the overload. */
const AFTER_SHARE = 0.5;
const WARM_SECONDS = 3;
/** The process must still serve at least this share of its capacity during the overload. */
const GOODPUT_MIN = 0.75;
/** The maximum p99 of served requests, in ms. */
const SERVED_P99_MS_MAX = 1_000;
/** The maximum time after the overload until all requests are served again, in ms. */
const RECOVERY_MS_MAX = 1_000;
/** The interval at which the number of paused connections is read. */
const SAMPLE_EVERY_MS = 250;

/**
 * Measures how much of its capacity the process serves when the load is four times the capacity.
 */
export const overloadScenario: Scenario = {
  name: 'overload',
  target: 'shed',
  title: 'an open load at four times the capacity',
  run: async (bench) => {
    const figures: Figure[] = [];
    const hotRequests = bench.isQuick ? [boostsRequest] : [boostsRequest, pollRequest];
    for (const hotRequest of hotRequests) {
      figures.push(...(await measureRequest(bench, hotRequest)));
    }
    return figures;
  },
};

async function measureRequest(bench: Bench, hotRequest: HotRequest): Promise<readonly Figure[]> {
  const { url, data } = await tenantsOf(bench, SIZE);
  await using service = await bench.service({ databaseUrl: url, publicUrl: BENCH_PUBLIC_URL });
  const requests = await requestsOf(service.url, data, hotRequest);
  await measureLoad(service.url, requests, bench.isQuick ? 1 : WARM_SECONDS, service);
  // A closed loop of 64 connections keeps the process busy without triggering load shedding.
  const sample = await measureLoad(service.url, requests, bench.roundSeconds, service);
  const { rate, cpuMicroseconds } = ratesOf([sample]);
  const capacity = { rate, cpuMicroseconds: cpuMicroseconds ?? Number.NaN };
  const figures: Figure[] = [];
  for (const comesBack of [false, true]) {
    const result = await offer(bench, service, requests, { rate, comesBack });
    figures.push(...figuresOf(bench, hotRequest, capacity, { ...result, comesBack }));
  }
  return figures;
}

async function offer(
  bench: Bench,
  service: MeasuredService,
  requests: readonly LoadRequest[],
  { rate, comesBack }: { readonly rate: number; readonly comesBack: boolean },
): Promise<Omit<Overloaded, 'comesBack'>> {
  const folder = mkdtempSync(join(tmpdir(), 'cardport-open-'));
  const requestsFile = join(folder, 'requests');
  writeFileSync(requestsFile, requests.map((one) => `${one.path} ${one.token ?? ''}\n`).join(''));
  const plan: OpenLoadPlan = {
    port: Number(new URL(service.url).port),
    pid: service.pid,
    requestsFile,
    connections: CONNECTIONS,
    rate: OVERLOAD_FACTOR * rate,
    seconds: secondsOf(bench),
    afterRate: AFTER_SHARE * rate,
    afterSeconds: bench.isQuick ? QUICK_AFTER_SECONDS : AFTER_SECONDS,
    comesBack,
  };
  const path = new URL('open-load.ts', import.meta.url).pathname;
  let held = 0;
  const sampler = setInterval(() => {
    // The last request for the metric may fail because the service has ended.
    const reading = service.metric('cardport_http_connections_held').catch(() => 0);
    void reading.then((now) => (held = Math.max(held, now)));
  }, SAMPLE_EVERY_MS);
  try {
    await using sender = await bench.program(path, [JSON.stringify(plan)], { core: LOAD_CORE });
    // The load program wrote it.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    return { ...(JSON.parse(sender.ready) as OpenLoadResult), held };
  } finally {
    clearInterval(sampler);
    rmSync(folder, { recursive: true });
  }
}

function secondsOf({ isQuick }: Bench): number {
  return isQuick ? QUICK_LOAD_SECONDS : LOAD_SECONDS;
}

interface Overloaded extends OpenLoadResult {
  readonly comesBack: boolean;
  /** The maximum number of paused connections. */
  readonly held: number;
}

function figuresOf(
  bench: Bench,
  { target: name }: HotRequest,
  capacity: { readonly rate: number; readonly cpuMicroseconds: number },
  result: Overloaded,
): readonly Figure[] {
  const seconds = secondsOf(bench);
  const { served, shed, after, recoveredMs } = result;
  const goodput = served.count / seconds;
  const ratio = goodput / capacity.rate;
  const servedMs = (served.count * capacity.cpuMicroseconds) / 1_000;
  const shedUs = ((result.cpuMs - servedMs) * 1_000) / shed.count;
  const a = (count: number): string => Math.round(count / seconds).toLocaleString('en');
  const share = (ms: number): string => (ms / (seconds * 1_000)).toFixed(2);
  const who = result.comesBack ? 'clients that retry after Retry-After' : 'new clients';
  const what = `${name}, ${OVERLOAD_FACTOR} × the capacity, ${who}`;
  return [
    makeFigure({
      what: `${what}: served`,
      unit: 'requests/s',
      limit: capacity.rate,
      ours: goodput,
      ratio,
      limitCpuMicroseconds: capacity.cpuMicroseconds,
      cpuMicroseconds: (result.cpuMs * 1_000) / served.count,
      target: { text: `ratio ≥ ${GOODPUT_MIN.toFixed(2)}`, isMet: ratio >= GOODPUT_MIN },
      notes: `per second ${a(result.due)} scheduled, ${a(result.sent)} sent, ${a(shed.count)} shed, ${a(result.unsent)} without a free connection; ${result.failed} failed; cores: service ${share(result.cpuMs)} (${share(servedMs)} for served requests), generator ${share(result.ownCpuMs)}`,
    }),
    makeFigure({
      what: `${what}: p99 of served requests`,
      unit: 'ms',
      ours: served.p99Ms,
      target: { text: '< 1 s', isMet: served.p99Ms < SERVED_P99_MS_MAX },
      notes: `p50 ${served.p50Ms.toFixed(0)}, longest ${served.mostMs.toFixed(0)}`,
    }),
    makeFigure({
      what: `${what}: p99 of the 503s`,
      unit: 'ms',
      ours: shed.p99Ms,
      cpuMicroseconds: shedUs,
      notes: `p50 ${shed.p50Ms.toFixed(0)}, longest ${shed.mostMs.toFixed(0)}; at most ${result.held} connections paused`,
    }),
    makeFigure({
      what: `${what}: time until all responses are 200`,
      unit: 'ms',
      ours: recoveredMs,
      target: { text: '≤ 1 s', isMet: recoveredMs <= RECOVERY_MS_MAX },
      notes: `then p50 ${after.p50Ms.toFixed(1)}, p99 ${after.p99Ms.toFixed(1)} ms at half the capacity`,
    }),
  ];
}
