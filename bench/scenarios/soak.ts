import { Agent, request } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import { statement } from '../../server/src/database/statement.ts';
import type { Database } from '../../server/src/database/database.ts';
import { createShopKey } from '../../server/src/shops/shop-key.ts';
import { type TokenChain, CHAINS_PUBLIC_URL, seedChains } from '../data/chains.ts';
import { openReader } from '../data/reader.ts';
import { fillShops, uuidFrom, type StockedShop } from '../data/stock.ts';
import { fillTenants, type Tenants } from '../data/tenants.ts';
import type { Bench } from '../harness/bench.ts';
import { descriptorsOf } from '../harness/process-figures.ts';
import type { MeasuredService } from '../harness/service.ts';
import { type Figure, makeFigure, type Scenario } from '../scenario.ts';
import { requestsOf } from './hot-request.ts';
import { boostsRequest, pollRequest } from './hot-requests.ts';
import { slopeOf } from './slope.ts';
import { refresh } from './token-load.ts';
import { OPERATOR } from '../../server/src/shops/audit.ts';

const SIZE = { tokens: 200, shops: 20, boosts: 50 };
const UNITS = 5_000;
const CHAINS = 16;
const SOAK_SECONDS = 600;
const QUICK_SOAK_SECONDS = 5;
/**
 * During the warm-up, memory grows because of compilation and caches. This growth is not a leak.
 */
const WARM_SECONDS = 60;
const QUICK_WARM_SECONDS = 2;
const CAPACITY_SECONDS = 5;
/** The share of the capacity that the soak uses. */
const SHARE = 0.5;
/** The number of clients. Each has at most one request in flight. */
const CLIENTS = 32;
const SAMPLE_EVERY_MS = 1_000;
const LOWEST_OF = 10;
/** The number of units per call of a shop's system. */
const WRITTEN_UNITS = 10;

/** Measures memory, descriptors and connections during ten minutes at half the capacity. */
export const soakScenario: Scenario = {
  name: 'soak',
  target: 'soak',
  title: 'ten minutes of mixed traffic at half the capacity',
  isOnlyNamed: true,
  run: runSoak,
};

interface Filled {
  readonly tenants: Tenants;
  readonly shop: StockedShop;
  readonly shopKey: string;
  readonly reader: string;
  readonly chains: TokenChain[];
}

/** Sends one request of the mix. `n` is the number of the request. */
type Step = (n: number) => Promise<void>;

interface SoakSample {
  readonly atMs: number;
  readonly residentMb: number;
  readonly heapMb: number;
  readonly descriptors: number;
  readonly backends: number;
}

async function runSoak(bench: Bench): Promise<readonly Figure[]> {
  const { url, data } = await bench.database('soak', fill);
  await using service = await bench.service({ databaseUrl: url, publicUrl: CHAINS_PUBLIC_URL });
  const mix = await makeMix(service.url, data);
  const { perSecond, cpuUs } = await measureCapacity(service, mix);
  const rate = perSecond * SHARE;
  const capacityText = `${Math.round(perSecond)} requests a second (${cpuUs.toFixed(0)} µs each)`;
  bench.log(`capacity of the mix ${capacityText}; the soak sends ${Math.round(rate)}`);
  await send(mix, { rate, seconds: bench.isQuick ? QUICK_WARM_SECONDS : WARM_SECONDS });
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const samples: SoakSample[] = [];
  const ending = new AbortController();
  const sampling = sampleUntil(ending.signal, async () => {
    samples.push(await takeSample(service, client));
  });
  const seconds = bench.isQuick ? QUICK_SOAK_SECONDS : SOAK_SECONDS;
  let counts = { sent: 0, late: 0 };
  try {
    counts = await send(mix, { rate, seconds });
  } finally {
    ending.abort();
    await sampling;
    await client.end();
  }
  const { sent, late } = counts;
  const what = `${seconds} s, ${Math.round(sent / seconds)} requests a second, ${late} late`;
  return figuresOf(what, samples);
}

async function fill(db: Database): Promise<Filled> {
  const tenants = await fillTenants(db, SIZE);
  await db.query(replaceTokenAudience, [`${CHAINS_PUBLIC_URL}/partner/v1`]);
  const [shop] = await fillShops(db, [{ slug: 'soak', units: UNITS }]);
  if (shop === undefined) throw new Error('no shop');
  const now = new Date();
  const key = await db.transaction(
    async (tx) => await createShopKey(tx, shop.id, 'till', now, OPERATOR),
  );
  if (key.kind !== 'created') throw new Error(key.kind);
  const reader = await openReader(db, shop.id, CHAINS_PUBLIC_URL);
  const chains = await seedChains(db, 'soak', CHAINS, 0);
  return { tenants, shop, shopKey: key.key, reader, chains };
}

export const replaceTokenAudience = statement(
  'bench_retarget_tokens',
  `update oauth_artifact set payload = jsonb_set(payload, '{aud}', to_jsonb($1::text))
    where model = 'AccessToken'`,
);

/**
 * Returns a hundred requests in the proportions of real traffic, as far as these are known. Most of
 * them check whether anything changed.
 */
async function makeMix(url: string, data: Filled): Promise<readonly Step[]> {
  const { shop, shopKey, reader, chains } = data;
  const call = makeCaller(url);
  const partner = `/partner/v1`;
  const polls = await requestsOf(url, data.tenants, pollRequest);
  const lists = await requestsOf(url, data.tenants, boostsRequest);
  const busy = new Set<TokenChain>();
  const steps: readonly (readonly [share: number, step: Step])[] = [
    [50, async (n) => await call('GET', polls[n % polls.length])],
    [12, async (n) => await call('GET', lists[n % lists.length])],
    [
      10,
      async (n) => await call('GET', { ...lists[n % lists.length], path: `${partner}/connection` }),
    ],
    [
      6,
      async () =>
        await call('GET', { path: `${partner}/inventory/changes?limit=200`, token: reader }),
    ],
    [
      6,
      async (n) =>
        await call('GET', { path: `${partner}/cards?search=${'abcdefgh'[n % 8]}`, token: reader }),
    ],
    [4, async () => await call('GET', { path: `${partner}/inventory/sites`, token: reader })],
    [
      4,
      async (n) => {
        const photo = `${partner}/inventory/items/${uuidFrom(`soak unit ${n % 500}`)}/photos/front`;
        await call('GET', { path: photo, token: reader }, { expected: 404 });
      },
    ],
    [
      4,
      async (n) => {
        const body = unitsText(shop, n);
        await call('POST', { path: '/shop/v1/units/batch', token: shopKey }, { body });
      },
    ],
    [
      4,
      async () => {
        const chain = chains.find((one) => !busy.has(one));
        if (chain === undefined) return;
        busy.add(chain);
        await refresh(url, chain, true).finally(() => busy.delete(chain));
      },
    ],
  ];
  const mix = steps.flatMap(([share, step]) => Array.from({ length: share }, () => step));
  // Spread the requests evenly. This visits every request, because 37 and 100 have no common
  // divisor.
  return mix.map((_, n) => mix[(n * 37) % mix.length] ?? failStep);
}

async function failStep(): Promise<void> {
  await Promise.reject(new Error('no step'));
}

function unitsText(shop: StockedShop, n: number): string {
  return Array.from({ length: WRITTEN_UNITS }, (_, at) => {
    const id = uuidFrom(`soak unit ${(n * WRITTEN_UNITS + at) % 500}`);
    return `${JSON.stringify({ id, siteId: shop.siteId, priceMinor: 100 + (n % 90_000) })}\n`;
  }).join('');
}

type Caller = (
  method: string,
  target: { readonly path?: string; readonly token?: string | null } | undefined,
  more?: { readonly body?: string; readonly expected?: number },
) => Promise<void>;

function makeCaller(url: string): Caller {
  const agent = new Agent({ keepAlive: true, maxSockets: CLIENTS });
  return async (method, target, { body, expected = 200 } = {}) => {
    const headers = {
      authorization: `Bearer ${target?.token ?? ''}`,
      ...(body === undefined
        ? {}
        : { 'content-type': 'application/x-ndjson', 'content-length': Buffer.byteLength(body) }),
    };
    await new Promise<void>((resolve, reject) => {
      const sent = request(
        `${url}${target?.path ?? ''}`,
        { method, agent, headers },
        (response) => {
          response.resume();
          response.once('error', reject);
          response.once('end', () => {
            if (response.statusCode === expected) resolve();
            else reject(new Error(`${method} ${target?.path}: ${response.statusCode}`));
          });
        },
      );
      sent.once('error', reject);
      sent.end(body);
    });
  };
}

/**
 * Measures the capacity by running all clients without a pause. The capacity follows from the CPU
 * time per request, so it does not depend on the number of clients.
 */
async function measureCapacity(
  service: MeasuredService,
  mix: readonly Step[],
): Promise<{ readonly perSecond: number; readonly cpuUs: number }> {
  await send(mix, { rate: Number.POSITIVE_INFINITY, seconds: 1 });
  const cpuBeforeMs = service.cpuMs();
  const { sent } = await send(mix, { rate: Number.POSITIVE_INFINITY, seconds: CAPACITY_SECONDS });
  const cpuUs = ((service.cpuMs() - cpuBeforeMs) * 1_000) / sent;
  return { perSecond: Math.max(sent / CAPACITY_SECONDS, 1_000_000 / cpuUs), cpuUs };
}

/**
 * Sends the mix at an even rate, as far as the clients can keep up. `late` counts requests that
 * started at least a second late.
 */
async function send(
  mix: readonly Step[],
  { rate, seconds }: { readonly rate: number; readonly seconds: number },
): Promise<{ readonly sent: number; readonly late: number }> {
  const beganAtMs = performance.now();
  const endsAtMs = beganAtMs + seconds * 1_000;
  let next = 0;
  let late = 0;
  await Promise.all(
    Array.from({ length: CLIENTS }, async () => {
      while (performance.now() < endsAtMs) {
        const n = next++;
        const aheadMs = beganAtMs + (n * 1_000) / rate - performance.now();
        if (aheadMs > 1) await wait(aheadMs);
        if (aheadMs < -SAMPLE_EVERY_MS && rate !== Number.POSITIVE_INFINITY) late += 1;
        await mix[n % mix.length]?.(n);
      }
    }),
  );
  return { sent: next, late };
}

async function sampleUntil(signal: AbortSignal, sample: () => Promise<void>): Promise<void> {
  while (!signal.aborted) {
    await sample();
    await wait(SAMPLE_EVERY_MS);
  }
}

async function takeSample(service: MeasuredService, client: pg.Client): Promise<SoakSample> {
  const { rows } = await client.query<{ backends: number }>(
    `select count(*)::int as backends from pg_stat_activity
      where datname = current_database() and application_name = 'cardport'`,
  );
  const heapBytes = await service.metric('nodejs_heap_size_used_bytes');
  return {
    atMs: performance.now(),
    residentMb: service.memoryMb(),
    heapMb: heapBytes / 1_048_576,
    descriptors: descriptorsOf(service.pid),
    backends: rows[0]?.backends ?? 0,
  };
}

/**
 * Returns the lowest of every ten samples, which is closest to the heap size right after a garbage
 * collection.
 */
function lowest(
  samples: readonly SoakSample[],
  name: 'residentMb' | 'heapMb',
): readonly SoakSample[] {
  if (name === 'residentMb' || samples.length < LOWEST_OF * 3) return samples;
  const lowestSamples: SoakSample[] = [];
  for (let at = 0; at + LOWEST_OF <= samples.length; at += LOWEST_OF) {
    const [low] = samples.slice(at, at + LOWEST_OF).toSorted((a, b) => a[name] - b[name]);
    if (low !== undefined) lowestSamples.push(low);
  }
  return lowestSamples;
}

function figuresOf(what: string, samples: readonly SoakSample[]): readonly Figure[] {
  const [first, last] = [samples[0], samples.at(-1)];
  const pick = (name: 'residentMb' | 'heapMb'): readonly (readonly [number, number])[] =>
    lowest(samples, name).map((sample) => [sample.atMs / 3_600_000, sample[name]]);
  const line = (name: 'residentMb' | 'heapMb', text: string): Figure => {
    const { slope, error } = slopeOf(pick(name));
    return makeFigure({
      what: `${what}: ${text}`,
      unit: 'MB per hour',
      ours: slope,
      memoryMb: last?.[name] ?? null,
      notes: `standard error ${error.toFixed(1)}; ${first?.[name].toFixed(0)} MB at the start, ${last?.[name].toFixed(0)} at the end, ${samples.length} samples`,
    });
  };
  const counted = (name: 'descriptors' | 'backends'): Figure =>
    makeFigure({
      what: `${what}: ${name}`,
      unit: name,
      ours: last?.[name] ?? Number.NaN,
      limit: first?.[name] ?? Number.NaN,
      notes: 'first, last',
    });
  return [
    line('residentMb', 'resident memory'),
    line('heapMb', 'heap used'),
    counted('descriptors'),
    counted('backends'),
  ];
}
