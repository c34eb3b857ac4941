import { BENCH_PUBLIC_URL } from '../data/tenants.ts';
import type { Bench } from '../harness/bench.ts';
import { LOAD_CORE, MEASURED_CORE } from '../harness/cores.ts';
import { interleave, type Sample } from '../harness/rounds.ts';
import type { MeasuredService } from '../harness/service.ts';
import { type Figure, makeFigure, figuresOf, type Scenario } from '../scenario.ts';
import { requestsOf, type HotRequest, measureLoad, tenantsOf } from './hot-request.ts';
import { boostsRequest, pollRequest } from './hot-requests.ts';

/**
 * T10: compares two processes on two cores with one process. On a machine with two cores, the load
 * generator and the database share the second core, so the result is a lower bound.
 */
export const processesScenario: Scenario = {
  name: 'processes',
  target: 'T10',
  title: 'two processes on two cores against one',
  run: async (bench) => [await measure(bench, boostsRequest), await measure(bench, pollRequest)],
};

const SIZE = { tokens: 1_000, shops: 100 };
const WARM_SECONDS = 3;
/** The maximum number of rounds, low because the scenario has no target. */
const ROUNDS_MAX = 3;

async function measure(bench: Bench, hotRequest: HotRequest): Promise<Figure> {
  const { url, data } = await tenantsOf(bench, SIZE);
  const shared = { databaseUrl: url, publicUrl: BENCH_PUBLIC_URL };
  await using first = await bench.service({ ...shared, core: MEASURED_CORE });
  await using second = await bench.service({ ...shared, core: LOAD_CORE });
  const requests = await requestsOf(first.url, data, hotRequest);
  const loadAll = async (
    services: readonly MeasuredService[],
    seconds: number,
  ): Promise<Sample> => {
    const samples = await Promise.all(
      services.map(async (service) => await measureLoad(service.url, requests, seconds, service)),
    );
    return {
      count: samples.reduce((sum, { count }) => sum + count, 0),
      seconds: Math.max(...samples.map((sample) => sample.seconds)),
      cpuMs: samples.reduce((sum, { cpuMs }) => sum + (cpuMs ?? 0), 0),
    };
  };
  await loadAll([first, second], WARM_SECONDS);
  const compared = await interleave(
    Math.min(bench.rounds, ROUNDS_MAX),
    async () => await loadAll([first], bench.roundSeconds),
    async () => await loadAll([first, second], bench.roundSeconds),
  );
  return makeFigure({
    what: `${hotRequest.target} ${hotRequest.name}, two processes; limit is one`,
    unit: 'requests/s',
    ...figuresOf(compared),
    notes: 'load and database share the second core',
  });
}
