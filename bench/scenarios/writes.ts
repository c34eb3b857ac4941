import assert from 'node:assert/strict';
import { systemClock } from '../../server/src/base/clock.ts';
import type { Database } from '../../server/src/database/database.ts';
import { createShopKey } from '../../server/src/shops/shop-key.ts';
import { readStamped } from '../data/stamped-units.ts';
import { fillShops, idOf, makeChanges, type StockedShop } from '../data/stock.ts';
import { withDatabase } from '../data/stock-database.ts';
import type { Bench } from '../harness/bench.ts';
import { type Compared, interleave, ratesOf, type Sample } from '../harness/rounds.ts';
import type { MeasuredService } from '../harness/service.ts';
import { figure, type Figure, ratioOfAtLeast, type Scenario } from '../scenario.ts';

const UNITS_A_CALL = 500;
const CALLS = 20;
const QUICK_CALLS = 6;
const SHOPS_AT_ONCE = 8;
const RATIO_LEAST = 0.5;
const limitProgram = new URL('writes-limit.ts', import.meta.url).pathname;

/** A shop that is written to through its key. */
interface KeyedShop extends StockedShop {
  readonly key: string;
}

/** T9: batches of units over HTTP; a bare loop of `pg` writes as many rows a transaction, their records ready. */
export const writesScenario: Scenario = {
  name: 'writes',
  target: 'T9',
  title: 'upserts of 500 units a call',
  run: async (bench) => {
    const calls = bench.isQuick ? QUICK_CALLS : CALLS;
    const { url, data } = await bench.database('writes', async (db) => await fill(db, calls));
    const [bare, own] = data;
    if (bare === undefined || own === undefined) throw new Error('shops');
    await using service = await bench.service({ databaseUrl: url });
    const figures: Figure[] = [];
    for (const kind of ['new', 'changed'] as const) {
      let round = 0;
      const compared = await interleave(
        bench.rounds,
        async () => await runLimit(bench, [url, bare.id, kind, String(calls), String(++round)]),
        async () => {
          const bodies = await makeBodies(url, own, kind, calls, round);
          return await write(service, [{ shop: own, bodies }]);
        },
      );
      figures.push(figureOf(kind, compared));
    }
    const samples: Sample[] = [];
    for (let round = 1; round <= 2; round++) {
      const share = Math.ceil(calls / SHOPS_AT_ONCE);
      const work = data.slice(1).map(async (shop) => ({
        shop,
        bodies: await makeBodies(url, shop, 'new', share, 1_000 + round),
      }));
      samples.push(await write(service, await Promise.all(work)));
    }
    const { rate, cpuMicroseconds } = ratesOf(samples);
    const what = `new units, ${SHOPS_AT_ONCE} shops at once`;
    return [...figures, figure({ what, unit: 'units/s', ours: rate, cpuMicroseconds })];
  },
};

function figureOf(kind: 'new' | 'changed', { limit, ours, ratio }: Compared): Figure {
  return figure({
    what: `${kind} units, ${UNITS_A_CALL} a call, one shop`,
    unit: 'units/s',
    limit: limit.rate,
    ours: ours.rate,
    ratio,
    limitSpread: limit.spread,
    oursSpread: ours.spread,
    cpuMicroseconds: ours.cpuMicroseconds,
    limitCpuMicroseconds: limit.cpuMicroseconds,
    target: ratioOfAtLeast(RATIO_LEAST, ratio),
  });
}

/** The limit's shop, then ours. */
async function fill(db: Database, calls: number): Promise<KeyedShop[]> {
  const units = calls * UNITS_A_CALL;
  const orders = Array.from({ length: 1 + SHOPS_AT_ONCE }, (_, n) => ({
    slug: `writes-${n}`,
    units: n < 2 ? units : UNITS_A_CALL,
  }));
  const shops = await fillShops(db, orders);
  return await db.transaction(async (tx) => {
    const keyed: KeyedShop[] = [];
    for (const shop of shops) {
      const made = await createShopKey(tx, shop.id, 'till', systemClock.now());
      if (made.kind !== 'created') throw new Error(made.kind);
      keyed.push({ ...shop, key: made.key });
    }
    return keyed;
  });
}

async function runLimit(bench: Bench, args: readonly string[]): Promise<Sample> {
  const [url = '', shopId = '', kind = '', calls = '', salt = ''] = args;
  const asked = [url, shopId, kind, calls, String(UNITS_A_CALL), `limit ${kind} ${salt}`];
  await using program = await bench.program(limitProgram, asked);
  const sample: unknown = JSON.parse(program.ready);
  // As `writes-limit.ts` prints it.
  return sample as Sample;
}

/** Bodies of calls: units with ids of their own, or the shop's oldest ones with another price. */
async function makeBodies(
  url: string,
  shop: StockedShop,
  kind: 'new' | 'changed',
  calls: number,
  round: number,
): Promise<string[]> {
  const changes = makeChanges(shop, shop.id, UNITS_A_CALL);
  const ids =
    kind === 'new'
      ? Array.from({ length: calls * UNITS_A_CALL }, (_, n) => idOf(`${shop.id} ${round} ${n}`))
      : await withDatabase(url, async (db) => {
          const units = await readStamped(db, shop.id, calls * UNITS_A_CALL);
          return units.map(({ id }) => id);
        });
  return Array.from({ length: calls }, (_, call) =>
    changes
      .map((change, n) => {
        const id = ids[call * UNITS_A_CALL + n];
        const priceMinor = kind === 'new' ? change.priceMinor : 1_000_000 + round;
        return JSON.stringify({ ...change, id, priceMinor });
      })
      .join('\n'),
  );
}

/** Sends the calls of each shop one after the other, the shops at once. */
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
