import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BENCH_PUBLIC_URL } from '../data/tenants.ts';
import type { Bench } from '../harness/bench.ts';
import { LOAD_CORE } from '../harness/cores.ts';
import { ratesOf } from '../harness/rounds.ts';
import type { MeasuredService } from '../harness/service.ts';
import type { LoadRequest } from '../harness/wrk.ts';
import { type Figure, figure, type Scenario } from '../scenario.ts';
import { askWhat, type HotAnswer, load, tenantsOf } from './hot-answer.ts';
import { boosts, poll } from './hot-answers.ts';
import type { OpenLoadPlan, OpenLoadResult } from './open-load.ts';

const SIZE = { tokens: 1_000, shops: 100 };
/** How many times its capacity the process is offered. */
const OVER = 4;
/** Enough that the rate can be offered although each answer takes some tenths of a second. */
const CONNECTIONS = 4_000;
const LOAD_SECONDS = 8;
const QUICK_LOAD_SECONDS = 2;
const AFTER_SECONDS = 2;
/** Of the capacity, when the overload is over. */
const AFTER_SHARE = 0.5;
const WARM_SECONDS = 3;
/** Least of its capacity that the process goes on serving. */
const GOODPUT_MIN = 0.7;

/** What the process serves of what it can, when it is offered four times as much. */
export const overloadScenario: Scenario = {
  name: 'overload',
  target: 'shed',
  title: 'an open load at four times the capacity',
  run: async (bench) => {
    const figures: Figure[] = [];
    for (const answer of [boosts, poll]) figures.push(...(await measureAnswer(bench, answer)));
    return figures;
  },
};

async function measureAnswer(bench: Bench, answer: HotAnswer): Promise<readonly Figure[]> {
  const { url, data } = await tenantsOf(bench, SIZE);
  await using service = await bench.service({ databaseUrl: url, publicUrl: BENCH_PUBLIC_URL });
  const requests = await askWhat(service.url, data, answer);
  await load(service.url, requests, bench.isQuick ? 1 : WARM_SECONDS, service);
  // A closed loop of 64 connections: it never finds the process idle, and never makes it shed.
  const sample = await load(service.url, requests, bench.roundSeconds, service);
  const { rate, cpuMicroseconds } = ratesOf([sample]);
  const capacity = { rate, cpuMicroseconds: cpuMicroseconds ?? Number.NaN };
  const figures: Figure[] = [];
  for (const comesBack of [false, true]) {
    const result = await offer(bench, service, requests, { rate, comesBack });
    figures.push(...figuresOf(bench, answer, capacity, { ...result, comesBack }));
  }
  return figures;
}

async function offer(
  bench: Bench,
  service: MeasuredService,
  requests: readonly LoadRequest[],
  { rate, comesBack }: { readonly rate: number; readonly comesBack: boolean },
): Promise<OpenLoadResult> {
  const folder = mkdtempSync(join(tmpdir(), 'cardport-open-'));
  const requestsFile = join(folder, 'requests');
  writeFileSync(requestsFile, requests.map((one) => `${one.path} ${one.token ?? ''}\n`).join(''));
  const plan: OpenLoadPlan = {
    port: Number(new URL(service.url).port),
    pid: service.pid,
    requestsFile,
    connections: CONNECTIONS,
    rate: OVER * rate,
    seconds: secondsOf(bench),
    afterRate: AFTER_SHARE * rate,
    afterSeconds: AFTER_SECONDS,
    comesBack,
  };
  const path = new URL('open-load.ts', import.meta.url).pathname;
  try {
    await using sender = await bench.program(path, [JSON.stringify(plan)], { core: LOAD_CORE });
    // The program beside it wrote it.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    return JSON.parse(sender.ready) as OpenLoadResult;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function secondsOf({ isQuick }: Bench): number {
  return isQuick ? QUICK_LOAD_SECONDS : LOAD_SECONDS;
}

interface Overloaded extends OpenLoadResult {
  readonly comesBack: boolean;
}

function figuresOf(
  bench: Bench,
  { target: name }: HotAnswer,
  capacity: { readonly rate: number; readonly cpuMicroseconds: number },
  result: Overloaded,
): readonly Figure[] {
  const seconds = secondsOf(bench);
  const goodput = result.served.count / seconds;
  const ratio = goodput / capacity.rate;
  const shedUs =
    (result.cpuMs * 1_000 - result.served.count * capacity.cpuMicroseconds) / result.shed.count;
  const a = (count: number): string => Math.round(count / seconds).toLocaleString('en');
  const who = result.comesBack ? 'clients that come back when they are told' : 'new clients';
  const what = `${name}, ${OVER} × the capacity, ${who}`;
  return [
    figure({
      what: `${what}: served`,
      unit: 'requests/s',
      limit: capacity.rate,
      ours: goodput,
      ratio,
      limitCpuMicroseconds: capacity.cpuMicroseconds,
      target: { text: `ratio ≥ ${GOODPUT_MIN.toFixed(2)}`, isMet: ratio >= GOODPUT_MIN },
      notes: `a second ${a(result.due)} due, ${a(result.sent)} sent, ${a(result.shed.count)} shed, ${a(result.unsent)} found every connection waiting; ${result.failed} failed`,
    }),
    figure({
      what: `${what}: p99 of what was served`,
      unit: 'ms',
      ours: result.served.p99Ms,
      notes: `p50 ${result.served.p50Ms.toFixed(0)}, most ${result.served.mostMs.toFixed(0)}`,
    }),
    figure({
      what: `${what}: p99 of the 503s`,
      unit: 'ms',
      ours: result.shed.p99Ms,
      cpuMicroseconds: shedUs,
      notes: `p50 ${result.shed.p50Ms.toFixed(0)}, most ${result.shed.mostMs.toFixed(0)}`,
    }),
    figure({
      what: `${what}: all is 200 again`,
      unit: 'ms',
      ours: result.recoveredMs,
      notes: `p99 then ${result.after.p99Ms.toFixed(1)} ms at half the capacity`,
    }),
  ];
}
