import assert from 'node:assert/strict';
import { FeedClient } from '../data/feed-client.ts';
import { makePackagedDatabase } from '../data/packaged-database.ts';
import { openReader } from '../data/reader.ts';
import { openStock, withDatabase } from '../data/stock-database.ts';
import { fillShops } from '../data/stock.ts';
import { BENCH_PUBLIC_URL } from '../data/tenants.ts';
import type { Bench } from '../harness/bench.ts';
import { residentMbIn } from '../harness/process-figures.ts';
import { interleave, ratesOf, type Comparison, type Sample } from '../harness/rounds.ts';
import type { MeasuredService } from '../harness/service.ts';
import { makeFigure, figuresOf, type Figure, ratioAtLeast, type Scenario } from '../scenario.ts';
import { measureJsonCopy, measureRenderedCopy } from './sync-limit.ts';

const LIMIT = 1_000;
const RATIO_LEAST = 1.3;
const PACKAGED_UNITS = 20_000;
/** The members of a unit (spec 2.6 and decision 0001). */
const UNIT_MEMBERS =
  'acquiredAt certNumber costMinor createdAt currency id item locationId ownership photos priceMinor serialNumber siteId status statusChangedAt updatedAt';

/**
 * T4: one client reads a complete shop page by page over one connection. As the baseline, psql
 * copies the same rows as JSON.
 */
export const syncScenario: Scenario = {
  name: 'sync',
  target: 'T4',
  title: 'a full sync of one shop by one reader',
  run: async (bench) => {
    const { url, middle: shop } = await openStock(bench);
    await using service = await bench.service({ databaseUrl: url });
    const token = await withDatabase(url, async (db) => await openReader(db, shop.id, service.url));
    using client = new FeedClient(service.url, token);
    const bytes = await verify(client, shop.units);
    const ours = async (): Promise<Sample> => await sync(client, service, shop.units, bytes);
    await ours();
    const made = await interleave(
      bench.rounds,
      async () => await measureJsonCopy(url, shop.id, shop.units),
      ours,
    );
    const memoryMb = service.takePeakMb();
    const ready = await interleave(
      bench.isQuick ? 1 : 2,
      async () => await measureRenderedCopy(url, shop.id, shop.units),
      ours,
    );
    const units = `${shop.units.toLocaleString('en')} units`;
    return [
      {
        ...figureOf(`${units}, limit: psql copying JSON that PostgreSQL renders`, made),
        memoryMb,
        target: ratioAtLeast(RATIO_LEAST, made.ratio),
        notes: `${(bytes / shop.units).toFixed(0)} bytes a unit`,
      },
      figureOf(`${units}, limit: psql copying rendered records`, ready),
      await measurePackaged(bench),
    ];
  },
};

async function measurePackaged(bench: Bench): Promise<Figure> {
  const units = bench.isQuick ? PACKAGED_UNITS / 10 : PACKAGED_UNITS;
  using filled = await makePackagedDatabase(async (db) => {
    const [shop] = await fillShops(db, [{ slug: 'packaged', units }]);
    return await openReader(db, shop?.id ?? '', BENCH_PUBLIC_URL);
  });
  await using service = await bench.service({
    dataFolder: filled.folder,
    publicUrl: BENCH_PUBLIC_URL,
  });
  using client = new FeedClient(service.url, filled.data);
  const bytes = await verify(client, units);
  const samples: Sample[] = [];
  for (let round = 0; round < bench.rounds; round++) {
    samples.push(await sync(client, service, units, bytes));
  }
  const { rate, spread, cpuMicroseconds } = ratesOf(samples);
  return makeFigure({
    what: `${units.toLocaleString('en')} units, packaged PostgreSQL`,
    unit: 'units/s',
    ours: rate,
    oursSpread: spread,
    cpuMicroseconds,
    memoryMb: service.takePeakMb() + residentMbIn(filled.folder),
    notes: 'memory with its PostgreSQL',
  });
}

function figureOf(what: string, compared: Comparison): Figure {
  return makeFigure({
    what,
    unit: 'units/s',
    ...figuresOf(compared),
  });
}

interface Page {
  readonly changes: readonly {
    readonly kind: string;
    readonly id: string;
    readonly changedAt: string;
    readonly data: { readonly id: string };
  }[];
  readonly nextCursor: string;
  readonly hasMore: boolean;
}

/**
 * Reads and checks the complete feed once. Returns the number of bytes. Every later sync must
 * return the same number.
 */
async function verify(client: FeedClient, units: number): Promise<number> {
  const ids = new Set<string>();
  let bytes = 0;
  let cursor: string | null = null;
  for (;;) {
    const text = await client.readText(cursor, LIMIT);
    bytes += Buffer.byteLength(text);
    const parsed: unknown = JSON.parse(text);
    // A missing member causes an error below.
    const page = parsed as Page;
    for (const { kind, id, changedAt, data } of page.changes) {
      assert.ok(data.id === id && changedAt !== '');
      if (kind !== 'unit') continue;
      assert.equal(Object.keys(data).toSorted().join(' '), UNIT_MEMBERS);
      ids.add(id);
    }
    cursor = page.nextCursor;
    if (!page.hasMore) break;
  }
  assert.equal(ids.size, units);
  return bytes;
}

async function sync(
  client: FeedClient,
  service: MeasuredService,
  units: number,
  bytes: number,
): Promise<Sample> {
  const cpuMs = service.cpuMs();
  const beganAtMs = performance.now();
  let read = 0;
  let cursor: string | null = null;
  for (;;) {
    const page = await client.read(cursor, LIMIT);
    read += page.bytes;
    cursor = page.nextCursor;
    if (!page.hasMore) break;
  }
  const seconds = (performance.now() - beganAtMs) / 1_000;
  assert.equal(read, bytes);
  return { count: units, seconds, cpuMs: service.cpuMs() - cpuMs };
}
