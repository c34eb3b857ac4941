import { loadavg } from 'node:os';
import { newId } from '../server/src/base/secrets.ts';
import { announce } from '../server/src/database/channel.ts';
import type { Transaction } from '../server/src/database/database.ts';
import { openChannel } from '../server/src/database/open-channel.ts';
import { openDatabase } from '../server/src/database/open-database.ts';
import { postgresqlEngine } from '../server/src/database/postgresql-engine.ts';
import { putUnits } from '../server/src/inventory/unit.ts';
import { seedStock, type TestStock } from '../server/test/stock.ts';
import { openBenchDatabase } from './search-database.ts';
import { spreadOf, tellSpread } from './spread.ts';

/**
 * What announcing the stock costs its writers: `node bench/announced-writes.ts [writers[:connections] …]` (16, 64 and
 * 64:8; as many connections as writers unless told). Each writer
 * changes the price of one unit of its own shop, one transaction after the other, on a durable PostgreSQL of its own;
 * the three ways take turns, so that the machine's other work meets all of them.
 */
const WAYS = ['nothing', 'soon', 'inside'] as const;
type Way = (typeof WAYS)[number];

const ROUNDS = 16;
const ROUND_MS = 800;

const faults: unknown[] = [];
await using base = await openBenchDatabase();
const asked = process.argv.slice(2);
for (const each of asked.length === 0 ? ['16', '64', '64:8'] : asked) {
  const [writers = 16, connections = writers] = each.split(':').map(Number);
  await measure(writers, connections);
}
console.log(`faults: ${faults.length}`, ...faults.slice(0, 1));

async function measure(writers: number, poolClientsMax: number): Promise<void> {
  const engine = postgresqlEngine(base.url);
  const onFault = (error: unknown): void => void faults.push(error);
  const db = openDatabase(engine, { onFault, poolClientsMax });
  const channel = await openChannel(engine, { onFault });
  let heard = 0;
  const committedAtMs = new Map<string, number>();
  const lagsMs: Record<Way, number[]> = { nothing: [], soon: [], inside: [] };
  let measured: Way = 'nothing';
  channel.subscribe('stock', (shopId) => {
    heard += 1;
    const atMs = committedAtMs.get(shopId);
    if (atMs !== undefined) lagsMs[measured].push(performance.now() - atMs);
    committedAtMs.delete(shopId);
  });
  const shops: TestStock[] = [];
  for (let n = 0; n < writers; n++) shops.push(await seedStock(db, `w${writers}-${newId()}`));
  const units = new Map(shops.map((stock) => [stock, newId()]));
  const rates: Record<Way, number[]> = { nothing: [], soon: [], inside: [] };
  const heardOf: Record<Way, number> = { nothing: 0, soon: 0, inside: 0 };
  for (let round = 0; round <= ROUNDS; round++) {
    for (const way of round % 2 === 0 ? WAYS : WAYS.toReversed()) {
      heard = 0;
      measured = way;
      committedAtMs.clear();
      const endMs = performance.now() + ROUND_MS;
      let commits = 0;
      const write = async (stock: TestStock): Promise<void> => {
        for (let price = round * 1_000_000; performance.now() < endMs; price++) {
          await db.transaction(async (tx) => await writeUnit(tx, way, stock, units, price));
          commits += 1;
          // The first commit since the last that was heard of.
          const { id } = stock.shop;
          if (!committedAtMs.has(id)) committedAtMs.set(id, performance.now());
        }
      };
      await Promise.all(shops.map(write));
      // The first round warms up.
      if (round > 0) rates[way].push(commits / (ROUND_MS / 1_000));
      if (round > 0) heardOf[way] += heard;
    }
  }
  const load = loadavg().map((each) => each.toFixed(1));
  console.log(`${writers} writers, pool of ${poolClientsMax}, load average ${load.join(' ')}`);
  for (const way of WAYS) {
    const shares = rates[way].map((rate, n) => rate / (rates.nothing[n] ?? 1));
    const rate = spreadOf(rates[way]).p50.toFixed(0);
    const share = spreadOf(shares).p50.toFixed(2);
    const heardPerSecond = (heardOf[way] / ROUNDS / (ROUND_MS / 1_000)).toFixed(0);
    const lag = way === 'soon' ? `; heard after ${tellSpread(spreadOf(lagsMs.soon))}` : '';
    console.log(
      `  ${way}: median ${rate} commits/s, ${share} of nothing; ${heardPerSecond} notifications/s${lag}`,
    );
  }
  await channel.close();
  await db.close();
}

async function writeUnit(
  tx: Transaction,
  way: Way,
  stock: TestStock,
  units: ReadonlyMap<TestStock, string>,
  priceMinor: number,
): Promise<void> {
  const id = units.get(stock);
  if (id === undefined) throw new Error('no unit');
  const item = { kind: 'card' as const, cardId: stock.cardId };
  const change = { id, siteId: stock.siteId, item, priceMinor };
  await putUnits(way === 'soon' ? tx : muted(tx), stock.shop, [change], new Date());
  if (way === 'inside') await announce(tx, 'stock', stock.shop.id);
}

/** The transaction without its later announcements. */
function muted(tx: Transaction): Transaction {
  return {
    query: async (...asked) => await tx.query(...asked),
    one: async (...asked) => await tx.one(...asked),
    count: async (...asked) => await tx.count(...asked),
    afterCommit: (work) => tx.afterCommit(work),
    announceSoon: () => undefined,
    keepOnRefusal: () => tx.keepOnRefusal(),
  };
}
