import type { Database } from '../../server/src/database/database.ts';
import { openDatabase } from '../../server/src/database/open-database.ts';
import { postgresqlEngine } from '../../server/src/database/postgresql-engine.ts';
import { type TokenChain, CHAINS_PUBLIC_URL, fillChains, seedChains } from '../data/chains.ts';
import { makePackagedDatabase } from '../data/packaged-database.ts';
import type { Bench } from '../harness/bench.ts';
import { interleave, ratesOf, type Sample } from '../harness/rounds.ts';
import { BENCH_SECRET_KEY } from '../harness/service.ts';
import { type Figure, makeFigure, ratioAtLeast, type Scenario } from '../scenario.ts';
import {
  exchangeCode,
  loadChains,
  refresh,
  refreshRevoked,
  revoke,
  type TokenServer,
} from './token-load.ts';

const CHAINS = 8;
/** The number of codes per chain, which is more than a round exchanges. */
const CODES_EACH = 400;
const CODES_EACH_QUICK = 150;
/** The numbers of valid chains in the tables, each measured separately. */
const LIVE_CHAINS = [1_000, 100_000];
const LIVE_CHAINS_QUICK = [1_000];
const UNIT = 'requests/s';
const limitProgram = new URL('refresh-limit.ts', import.meta.url).pathname;

/** Rate limits are enabled and too high to be reached. */
const SERVICE_ENVIRONMENT = {
  PUBLIC_URL: CHAINS_PUBLIC_URL,
  RATE_LIMITS: 'api=6000000/1000000,token=6000000/1000000,failures=6000000/1000000',
};

/** T7: compares token requests with the library alone on the same tables. */
export const refreshScenario: Scenario = {
  name: 'refresh',
  target: 'T7',
  title: 'refresh with rotation, 8 in flight',
  run: async (bench) => [...(await onPostgresql(bench)), await onPackaged(bench)],
};

interface Chains {
  readonly limit: TokenChain[];
  readonly ours: TokenChain[];
  readonly revoked: TokenChain[];
}

async function onPostgresql(bench: Bench): Promise<Figure[]> {
  const codes = bench.isQuick ? CODES_EACH_QUICK : CODES_EACH;
  const { url, data } = await bench.database('refresh', async (db): Promise<Chains> => ({
    limit: await seedChains(db, 'limit', CHAINS, 0),
    ours: await seedChains(db, 'ours', CHAINS, codes),
    revoked: await seedChains(db, 'revoked', CHAINS, 0),
  }));
  const args = [url, CHAINS_PUBLIC_URL, BENCH_SECRET_KEY];
  await using limitProcess = await bench.program(limitProgram, args);
  const limit = { url: limitProcess.ready, cpuMs: () => limitProcess.cpuMs() };
  await using ours = await bench.service({ databaseUrl: url, env: SERVICE_ENVIRONMENT });
  const seconds = bench.roundSeconds;
  const ofLimit = async (): Promise<Sample> => await refreshAll(limit, data.limit, seconds, false);
  const ofOurs = async (hasIdempotencyKey: boolean): Promise<Sample> =>
    await refreshAll(ours, data.ours, seconds, hasIdempotencyKey);
  // The first requests compile the code of baseline and service, so they are not measured.
  await ofLimit();
  await ofOurs(true);
  const figures: Figure[] = [];
  const { rounds } = bench;
  const withKey = await interleave(rounds, ofLimit, async () => await ofOurs(true));
  const withoutKey = await interleave(
    Math.ceil(rounds / 2),
    ofLimit,
    async () => await ofOurs(false),
  );
  for (const [what, { limit: most, ours: own, ratio }] of [
    ['with Idempotency-Key, response stored', withKey],
    ['without Idempotency-Key', withoutKey],
  ] as const) {
    figures.push(
      makeFigure({
        what,
        unit: UNIT,
        limit: most.rate,
        ours: own.rate,
        ratio,
        limitSpread: most.spread,
        oursSpread: own.spread,
        cpuMicroseconds: own.cpuMicroseconds,
        limitCpuMicroseconds: most.cpuMicroseconds,
        target: ratioAtLeast(0.9, ratio),
      }),
    );
  }
  figures.push(...(await otherRequests(bench, ours, data)));
  await using db = await openSecondConnection(url);
  let filled = 0;
  for (const live of bench.isQuick ? LIVE_CHAINS_QUICK : LIVE_CHAINS) {
    await fillChains(db.opened, filled, live);
    filled = live;
    // Write the new rows to disk now, so that the measurement does not include this.
    await db.opened.runScript('checkpoint');
    const what = `with ${live.toLocaleString('en')} live chains in the tables`;
    figures.push(toFigure(what, [await ofOurs(true)], withKey.ours.rate));
  }
  return figures;
}

/** Measures the other requests to the token endpoint. */
async function otherRequests(bench: Bench, ours: TokenServer, data: Chains): Promise<Figure[]> {
  const seconds = bench.roundSeconds;
  const at = new Map<TokenChain, number>();
  const exchanged = await loadChains(ours, data.ours, seconds, async (chain) => {
    const next = at.get(chain) ?? 0;
    at.set(chain, next + 1);
    return await exchangeCode(ours.url, chain, next);
  });
  for (const chain of data.revoked) await revoke(ours.url, chain);
  const refused = await loadChains(
    ours,
    data.revoked,
    seconds,
    async (chain) => await refreshRevoked(ours.url, chain),
  );
  return [
    toFigure('code exchanges', [exchanged]),
    toFigure('refreshes with a revoked token, refused', [refused]),
  ];
}

async function onPackaged(bench: Bench): Promise<Figure> {
  using filled = await makePackagedDatabase(async (db) => await seedChains(db, 'ours', CHAINS, 0));
  const { folder, data: chains } = filled;
  await using ours = await bench.service({ dataFolder: folder, env: SERVICE_ENVIRONMENT });
  const samples: Sample[] = [];
  await refreshAll(ours, chains, 1, true);
  for (let round = 0; round < 2; round++) {
    samples.push(await refreshAll(ours, chains, bench.roundSeconds, true));
  }
  return toFigure('packaged PostgreSQL, with Idempotency-Key', samples);
}

async function refreshAll(
  server: TokenServer,
  chains: readonly TokenChain[],
  seconds: number,
  hasIdempotencyKey: boolean,
): Promise<Sample> {
  const step = async (chain: TokenChain): Promise<boolean> =>
    await refresh(server.url, chain, hasIdempotencyKey);
  return await loadChains(server, chains, seconds, step);
}

function toFigure(
  what: string,
  samples: readonly Sample[],
  baselineRate: number | null = null,
): Figure {
  const { rate, spread, cpuMicroseconds } = ratesOf(samples);
  const ratio = baselineRate === null ? null : rate / baselineRate;
  return makeFigure({ what, unit: UNIT, ours: rate, ratio, oursSpread: spread, cpuMicroseconds });
}

async function openSecondConnection(
  url: string,
): Promise<AsyncDisposable & { readonly opened: Database }> {
  const engine = postgresqlEngine(url);
  const opened = openDatabase(engine, { onFault: (error) => console.error(error) });
  return {
    opened,
    [Symbol.asyncDispose]: async () => {
      await opened.close();
      await engine.close();
    },
  };
}
