import assert from 'node:assert/strict';
import { systemClock } from '../../server/src/base/clock.ts';
import type { Database } from '../../server/src/database/database.ts';
import { createShopKey } from '../../server/src/shops/shop-key.ts';
import { makePackagedDatabase } from '../data/packaged-database.ts';
import { readRenderedUnits } from '../data/rendered-units.ts';
import { fillShops, uuidFrom, makeChanges, type StockedShop } from '../data/stock.ts';
import { withDatabase } from '../data/stock-database.ts';
import type { Bench } from '../harness/bench.ts';
import { type Comparison, interleave, ratesOf, type Sample } from '../harness/rounds.ts';
import type { MeasuredService } from '../harness/service.ts';
import { makeFigure, figuresOf, type Figure, ratioAtLeast, type Scenario } from '../scenario.ts';
import { OPERATOR } from '../../server/src/shops/audit.ts';

const UNITS_A_CALL = 500;
const CALLS = 20;
const QUICK_CALLS = 6;
const WARMING_CALLS = 20;
const SHOPS_AT_ONCE = 8;
const RATIO_LEAST = 0.6;
const limitProgram = new URL('writes-limit.ts', import.meta.url).pathname;

interface KeyedShop extends StockedShop {
  readonly key: string;
}

/**
 * T9: measures batches of units over HTTP. The baseline writes as many rows per transaction with
 * bare `pg` and rendered records.
 */
export const writesScenario: Scenario = {
  name: 'writes',
  target: 'T9',
  title: 'upserts of 500 units a call',
  run: async (bench) => {
    const calls = bench.isQuick ? QUICK_CALLS : CALLS;
    const { url, data } = await bench.database(
      'writes',
      async (db) => await fill(db, calls, 1 + SHOPS_AT_ONCE),
    );
    const [bare, own, other] = data;
    if (bare === undefined || own === undefined || other === undefined) throw new Error('shops');
    await using service = await bench.service({ databaseUrl: url });
    // A new process must compile its code first: the first calls take twice as long.
    await write(service, [{ shop: other, bodies: newBodies(other, WARMING_CALLS, 0) }]);
    const figures: Figure[] = [];
    for (const kind of ['new', 'changed'] as const) {
      let round = 0;
      const compared = await interleave(
        bench.rounds,
        async () =>
          await runLimitProgram(bench, [url, bare.id, kind, String(calls), String(++round)]),
        async () => {
          const bodies =
            kind === 'new'
              ? newBodies(own, calls, round)
              : await changedBodies(url, own, calls, round);
          return await write(service, [{ shop: own, bodies }]);
        },
      );
      figures.push(figureOf(kind, compared));
    }
    const samples: Sample[] = [];
    for (let round = 1; round <= 2; round++) {
      const share = Math.ceil(calls / SHOPS_AT_ONCE);
      const work = data.slice(1).map((shop) => ({
        shop,
        bodies: newBodies(shop, share, 1_000 + round),
      }));
      samples.push(await write(service, work));
    }
    const { rate, cpuMicroseconds } = ratesOf(samples);
    const what = `new units, ${SHOPS_AT_ONCE} shops at once`;
    const atOnce = makeFigure({ what, unit: 'units/s', ours: rate, cpuMicroseconds });
    return [...figures, atOnce, await measurePackaged(bench, calls)];
  },
};

async function measurePackaged(bench: Bench, calls: number): Promise<Figure> {
  using filled = await makePackagedDatabase(async (db) => await fill(db, 1, 1));
  const [shop] = filled.data;
  if (shop === undefined) throw new Error('no shop');
  await using service = await bench.service({ dataFolder: filled.folder });
  const samples: Sample[] = [];
  for (let round = 1; round <= 2; round++) {
    const bodies = newBodies(shop, calls, round);
    samples.push(await write(service, [{ shop, bodies }]));
  }
  const { rate, cpuMicroseconds } = ratesOf(samples);
  return makeFigure({
    what: 'new units, packaged PostgreSQL',
    unit: 'units/s',
    ours: rate,
    cpuMicroseconds,
  });
}

function figureOf(kind: 'new' | 'changed', compared: Comparison): Figure {
  return makeFigure({
    what: `${kind} units, ${UNITS_A_CALL} a call, one shop`,
    unit: 'units/s',
    ...figuresOf(compared),
    target: ratioAtLeast(RATIO_LEAST, compared.ratio),
  });
}

/** Creates shops with keys. The first two shops have enough units for all calls of a round. */
async function fill(db: Database, calls: number, count: number): Promise<KeyedShop[]> {
  const units = calls * UNITS_A_CALL;
  const orders = Array.from({ length: count }, (_, n) => ({
    slug: `writes-${n}`,
    units: n < 2 ? units : UNITS_A_CALL,
  }));
  const shops = await fillShops(db, orders);
  return await db.transaction(async (tx) => {
    const keyed: KeyedShop[] = [];
    for (const shop of shops) {
      const made = await createShopKey(tx, shop.id, 'till', systemClock.now(), OPERATOR);
      if (made.kind !== 'created') throw new Error(made.kind);
      keyed.push({ ...shop, key: made.key });
    }
    return keyed;
  });
}

async function runLimitProgram(bench: Bench, args: readonly string[]): Promise<Sample> {
  const [url = '', shopId = '', kind = '', calls = '', salt = ''] = args;
  const asked = [url, shopId, kind, calls, String(UNITS_A_CALL), `limit ${kind} ${salt}`];
  await using program = await bench.program(limitProgram, asked);
  const sample: unknown = JSON.parse(program.ready);
  // `writes-limit.ts` prints this object.
  return sample as Sample;
}

/** Returns request bodies with units that the shop does not have yet. */
function newBodies(shop: StockedShop, calls: number, round: number): string[] {
  const count = calls * UNITS_A_CALL;
  const ids = Array.from({ length: count }, (_, n) => uuidFrom(`${shop.id} ${round} ${n}`));
  return bodiesOf(shop, ids, 0);
}

/** Returns request bodies that change the prices of the least recently written units. */
async function changedBodies(
  url: string,
  shop: StockedShop,
  calls: number,
  round: number,
): Promise<string[]> {
  const count = calls * UNITS_A_CALL;
  const units = await withDatabase(url, async (db) => await readRenderedUnits(db, shop.id, count));
  const ids = units.map(({ row }) => row.id);
  return bodiesOf(shop, ids, 1_000_000 + round);
}

function bodiesOf(shop: StockedShop, ids: readonly string[], morePriceMinor: number): string[] {
  const changes = makeChanges(shop, shop.id, UNITS_A_CALL);
  const lines = ids.map((id, n) => {
    const change = changes[n % changes.length];
    return JSON.stringify({
      ...change,
      id,
      priceMinor: (change?.priceMinor ?? 0) + morePriceMinor,
    });
  });
  return Array.from({ length: ids.length / UNITS_A_CALL }, (_, call) =>
    lines.slice(call * UNITS_A_CALL, (call + 1) * UNITS_A_CALL).join('\n'),
  );
}

/** Sends the calls of each shop sequentially. Different shops run concurrently. */
async function write(
  service: MeasuredService,
  works: readonly { readonly shop: KeyedShop; readonly bodies: readonly string[] }[],
): Promise<Sample> {
  const cpuMs = service.cpuMs();
  const beganAtMs = performance.now();
  const counts = works.map(async ({ shop, bodies }) => {
    let count = 0;
    for (const body of bodies) {
      const headers = {
        authorization: `Bearer ${shop.key}`,
        'content-type': 'application/x-ndjson',
      };
      const url = `${service.url}/shop/v1/units/batch`;
      const response = await fetch(url, { method: 'POST', headers, body });
      const answer: unknown = await response.json();
      assert.deepEqual(answer, { accepted: UNITS_A_CALL, rejected: [] });
      count += UNITS_A_CALL;
    }
    return count;
  });
  const count = (await Promise.all(counts)).reduce((sum, each) => sum + each, 0);
  const seconds = (performance.now() - beganAtMs) / 1_000;
  return { count, seconds, cpuMs: service.cpuMs() - cpuMs };
}
