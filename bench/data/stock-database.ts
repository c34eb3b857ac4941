import type { Database } from '../../server/src/database/database.ts';
import { openDatabase } from '../../server/src/database/open-database.ts';
import { postgresqlEngine } from '../../server/src/database/postgresql-engine.ts';
import type { Bench } from '../harness/bench.ts';
import { fillShops, type StockedShop } from './stock.ts';

/** A database with shops of three sizes, which are about a factor of ten apart. */
export interface StockDatabase {
  readonly url: string;
  readonly small: SizedShop;
  readonly middle: SizedShop;
  readonly large: SizedShop;
}

export interface SizedShop extends StockedShop {
  readonly units: number;
}

const SIZES = [10_000, 100_000, 1_000_000];
const QUICK_SIZES = [2_000, 20_000, 60_000];

/** Opens the stock database of the run, which is filled on first use. */
export async function openStock(bench: Bench): Promise<StockDatabase> {
  const sizes = bench.isQuick ? QUICK_SIZES : SIZES;
  const { url, data } = await bench.database('stock', async (db) => {
    bench.log(`  filling shops of ${sizes.join(', ')} units`);
    const orders = sizes.map((units) => ({ slug: `stock-${units}`, units }));
    return await fillShops(db, orders);
  });
  const [small, middle, large] = data.map((shop, n) => ({ ...shop, units: sizes[n] ?? 0 }));
  if (small === undefined || middle === undefined || large === undefined) throw new Error('shops');
  return { url, small, middle, large };
}

/** Runs `work` on a database connection for the benchmark's own statements. */
export async function withDatabase<T>(url: string, work: (db: Database) => Promise<T>): Promise<T> {
  const engine = postgresqlEngine(url);
  const db = openDatabase(engine, { onFault: (error) => console.error(error) });
  try {
    return await work(db);
  } finally {
    await db.close();
    await engine.close();
  }
}
