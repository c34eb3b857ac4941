import { setTimeout as pause } from 'node:timers/promises';
import type { Card } from '../../server/src/catalog/card.ts';
import { openConnection } from '../../server/src/connections/connection.ts';
import type { Database } from '../../server/src/database/database.ts';
import { openDatabase } from '../../server/src/database/open-database.ts';
import { postgresqlEngine } from '../../server/src/database/postgresql-engine.ts';
import { seedGrant, seedParty, TEST_NOW } from '../../server/test/partner.ts';
import { copyCards } from '../data/cards.ts';
import { hostileQueries, mixedQueries } from '../data/search-queries.ts';
import { BENCH_PUBLIC_URL } from '../data/tenants.ts';
import { varyCards } from '../data/vary-cards.ts';
import type { Bench } from '../harness/bench.ts';
import { atMost, type Figure, makeFigure, type Scenario } from '../scenario.ts';
import { type Spread, formatSpread } from '../spread.ts';
import { SearchClient } from './search-client.ts';
import { OPERATOR } from '../../server/src/shops/audit.ts';

const SIZES = [20_000, 100_000, 500_000];
const SIZES_QUICK = [20_000];
const SIZES_LARGE = [1_000_000];
/** For catalogs of at least this size, more queries and the memory of the index are measured. */
const LARGE_CARDS = 500_000;
const MIXED = 4_000;
/** The number of mixed queries for the smaller catalogs and the quick run. */
const MIXED_FEWER = 1_000;
/** The number of queries sent before measuring, so that V8 has compiled the code. */
const WARM = 500;
const HOSTILE_RUNS = 20;
const HOSTILE_RUNS_FEWER = 3;
/** The number of cards kept to derive queries from. */
const SAMPLE_CARDS = 20_000;
/** The maximum length of a query in code points (spec 4.8). */
const SEARCH_LENGTH_MAX = 150;
/** How long to wait after the start until V8 has freed unused memory. */
const SETTLE_MS = 10_000;
const P50_MS_MAX = 1.5;
const P99_MS_MAX = 8;
const HOSTILE_MS_MAX = 25;
const MEMORY_MB_MAX = 300;
const MEMORY_MB_MAX_LARGE = 600;
const READY_SECONDS_MAX_LARGE = 60;
const STALL_MS_MAX = 50;
const YEARS_SECONDS = 50 * 365 * 86_400;

/**
 * T6: GET /cards with one search in flight, at three catalog sizes. The main thread, the index
 * thread and V8's garbage collection share one core and slow each other down.
 */
export const searchScenario: Scenario = {
  name: 'search',
  target: 'T6',
  title: 'GET /cards by text',
  run: async (bench) => await measureSizes(bench, bench.isQuick ? SIZES_QUICK : SIZES),
};

/** T6 with a million cards. */
export const largeSearchScenario: Scenario = {
  name: 'search-large',
  target: 'T6',
  title: 'GET /cards by text, a million cards',
  isOnlyNamed: true,
  run: async (bench) => await measureSizes(bench, SIZES_LARGE),
};

async function measureSizes(bench: Bench, sizes: readonly number[]): Promise<readonly Figure[]> {
  const { url, data: token } = await bench.database('search', connect);
  const engine = postgresqlEngine(url);
  const db = openDatabase(engine, { onFault: (error) => console.error(error) });
  try {
    const cards = new GrowingCatalog(sizes.at(-1) ?? 0);
    const figures: Figure[] = [];
    for (const size of sizes) {
      const copy = async (): Promise<number> => await copyCards(db, url, cards.growTo(size));
      const empty = size >= LARGE_CARDS ? await measureEmpty(bench, copy) : null;
      if (empty === null) await copy();
      figures.push(...(await measure(bench, url, token, { cards, size, empty })));
    }
    return figures;
  } finally {
    await db.close();
    await engine.close();
  }
}

async function connect(db: Database): Promise<string> {
  const party = await seedParty(db);
  const resource = `${BENCH_PUBLIC_URL}/partner/v1`;
  const grant = await seedGrant(db, party, { resource, lifetimeSeconds: YEARS_SECONDS });
  const { shop, app, accountId } = party;
  const { approvalId, token } = grant;
  const opener = { shopId: shop.id, clientId: app.clientId, accountId, approvalId };
  await db.transaction(async (tx) => await openConnection(tx, opener, TEST_NOW, OPERATOR));
  return token;
}

/** Generates the largest catalog step by step and keeps a sample. */
class GrowingCatalog {
  readonly sample: Card[] = [];
  readonly #cards: Iterator<Card>;
  readonly #sampleEvery: number;
  #count = 0;

  constructor(size: number) {
    this.#cards = varyCards(size);
    this.#sampleEvery = Math.max(1, Math.floor(size / SAMPLE_CARDS));
  }

  /** Yields the additional cards that the catalog needs to reach a size. */
  *growTo(size: number): Generator<Card> {
    while (this.#count < size) {
      const next = this.#cards.next();
      if (next.done === true) return;
      if (this.#count++ % this.#sampleEvery === 0) this.sample.push(next.value);
      yield next.value;
    }
  }
}

interface Catalog {
  readonly cards: GrowingCatalog;
  readonly size: number;
  /** The figures without cards, measured with the largest catalog only. */
  readonly empty: Empty | null;
}

/** The figures of the same process without cards, which has no index and no index thread. */
interface Empty {
  readonly memoryMb: number;
  /** The longest stall of the event loop during the start. */
  readonly startStallMs: number;
}

/**
 * Measures a service without cards. `meanwhile` runs on the other core while the service settles.
 */
async function measureEmpty(bench: Bench, meanwhile: () => Promise<unknown>): Promise<Empty> {
  const { url: databaseUrl, data: token } = await bench.database('search-empty', connect);
  await using service = await bench.service({ databaseUrl, publicUrl: BENCH_PUBLIC_URL });
  const startStallMs = await service.takeStallMs();
  using client = new SearchClient(service.url, token);
  await client.searchAll(Array.from({ length: WARM }, () => 'a'));
  await meanwhile();
  return { memoryMb: service.memoryMb(), startStallMs };
}

async function measure(
  bench: Bench,
  databaseUrl: string,
  token: string,
  { cards, size, empty }: Catalog,
): Promise<readonly Figure[]> {
  await using service = await bench.service({ databaseUrl, publicUrl: BENCH_PUBLIC_URL });
  const readyAtMs = performance.now();
  const buildStallMs = await service.takeStallMs();
  const peakMb = service.takePeakMb();
  const isLarge = size >= LARGE_CARDS;
  const of = `${size.toLocaleString('en')} cards`;
  using client = new SearchClient(service.url, token);
  const queries = mixedQueries(cards.sample, isLarge ? MIXED : MIXED_FEWER);
  await client.searchAll(queries.slice(0, WARM));
  const cpuFromMs = service.cpuMs();
  const mixed = await client.searchAll(queries);
  const cpuMicroseconds = ((service.cpuMs() - cpuFromMs) * 1_000) / queries.length;
  const hostile = await searchHostile(client, isLarge ? HOSTILE_RUNS : HOSTILE_RUNS_FEWER);
  const searchStallMs = await service.takeStallMs();
  if (isLarge) await pause(Math.max(0, readyAtMs + SETTLE_MS - performance.now()));
  const memoryMb = service.memoryMb();
  const ms = (what: string, ours: number, most: number | null, notes?: string): Figure =>
    makeFigure({
      what: `${of}: ${what}`,
      unit: 'ms',
      ours,
      target: most === null ? null : atMost(most, ours, 'ms'),
      ...(notes === undefined ? {} : { notes }),
    });
  return [
    { ...ms('mixed queries, p50', mixed.p50, P50_MS_MAX), cpuMicroseconds, memoryMb },
    ms('mixed queries, p99', mixed.p99, P99_MS_MAX, `worst ${mixed.worst.toFixed(1)} ms`),
    ms('hostile queries, worst of all', hostile.worst, HOSTILE_MS_MAX, hostile.notes),
    ms(
      'longest stall of the event loop, building',
      buildStallMs,
      null,
      empty === null
        ? 'includes the start of the process'
        : `includes the start of the process: ${empty.startStallMs.toFixed(0)} ms without cards`,
    ),
    ms('longest stall of the event loop, searching', searchStallMs, STALL_MS_MAX),
    makeFigure({
      what: `${of}: resident memory after searching`,
      unit: 'MB',
      ours: memoryMb,
      memoryMb,
      notes: `peak while building ${peakMb.toFixed(0)} MB, ready after ${(service.readyMs / 1_000).toFixed(1)} s`,
    }),
    ...(empty === null ? [] : [indexMemory(size, memoryMb, empty)]),
    ...(size > LARGE_CARDS ? [readyAfter(of, service.readyMs / 1_000)] : []),
  ];
}

/**
 * Returns the memory of the catalog: the index, the index thread, and the memory that the main
 * thread keeps after the build.
 */
function indexMemory(size: number, memoryMb: number, empty: Empty): Figure {
  const indexMb = memoryMb - empty.memoryMb;
  const most = size > LARGE_CARDS ? MEMORY_MB_MAX_LARGE : MEMORY_MB_MAX;
  return makeFigure({
    what: `${size.toLocaleString('en')} cards: memory of the index`,
    unit: 'MB',
    ours: indexMb,
    target: atMost(most, indexMb, 'MB'),
    notes: `resident memory minus the ${empty.memoryMb.toFixed(0)} MB of the same process without cards`,
  });
}

function readyAfter(of: string, seconds: number): Figure {
  return makeFigure({
    what: `${of}: start to ready`,
    unit: 's',
    ours: seconds,
    target: atMost(READY_SECONDS_MAX_LARGE, seconds, 's'),
  });
}

/** Runs each hostile query several times, and returns the slowest with its name. */
async function searchHostile(
  client: SearchClient,
  runs: number,
): Promise<{ readonly worst: number; readonly notes: string }> {
  const spreads: [name: string, spread: Spread][] = [];
  for (const [name, text] of hostileQueries) {
    const sent = [...text].slice(0, SEARCH_LENGTH_MAX).join('');
    spreads.push([name, await client.searchAll(Array.from({ length: runs }, () => sent))]);
  }
  const [[name, spread] = ['', null]] = spreads.toSorted(([, a], [, b]) => b.worst - a.worst);
  if (spread === null) throw new Error('no hostile queries');
  const over = spreads.filter((each) => each[1].worst > HOSTILE_MS_MAX).map(([each]) => each);
  const overText = over.length === 0 ? '' : `; over ${HOSTILE_MS_MAX} ms: ${over.join(', ')}`;
  return { worst: spread.worst, notes: `${name}: ${formatSpread(spread)}${overText}` };
}
