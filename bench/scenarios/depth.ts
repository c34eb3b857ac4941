import { deriveKey } from '../../server/src/base/keys.ts';
import { openCursorCodec } from '../../server/src/inventory/cursors.ts';
import { readHead } from '../../server/src/inventory/feed.ts';
import { FeedClient } from '../data/feed-client.ts';
import { openReader } from '../data/reader.ts';
import { churnUnits } from '../data/stock.ts';
import { openStock, type SizedShop, withDatabase } from '../data/stock-database.ts';
import { medianOf } from '../harness/rounds.ts';
import { BENCH_SECRET_KEY, type MeasuredService } from '../harness/service.ts';
import { makeFigure, type Figure, type Scenario } from '../scenario.ts';

const LIMIT = 1_000;
/** The positions in the feed at which pages are read, as shares of the largest shop. */
const DEPTHS = [0, 0.01, 0.5, 0.99];
const RATIO_MOST = 1.2;
/** The number of pages read at each position, alternating between the positions. */
const PAGES = 60;
const POLLS = 1_500;
const QUICK_SHARE = 4;
/** One unit in this many gets a new position before the last pages are read. */
const CHURNED = 5;

/** A position in a feed at which pages are read repeatedly. */
interface Place {
  readonly what: string;
  readonly client: FeedClient;
  readonly cursor: string | null;
}

/**
 * T5: measures the time to read a page at several depths, for shops of several sizes, and after
 * many units have been given new positions.
 */
export const depthScenario: Scenario = {
  name: 'depth',
  target: 'T5',
  title: 'pages of 1,000 by their position and by the size of the shop',
  run: async (bench) => {
    const { url, small, middle, large } = await openStock(bench);
    const pages = bench.isQuick ? PAGES / QUICK_SHARE : PAGES;
    const polls = bench.isQuick ? POLLS / QUICK_SHARE : POLLS;
    await using service = await bench.service({ databaseUrl: url });
    return await withDatabase(url, async (db) => {
      const cursors = await openCursorCodec(db, deriveKey(BENCH_SECRET_KEY, 'cursor'), new Date());
      using clients = new DisposableStack();
      const placesOf = async (shop: SizedShop): Promise<(share: number) => Place> => {
        const token = await openReader(db, shop.id, service.url);
        const client = clients.use(new FeedClient(service.url, token));
        const head = await readHead(db, shop.id);
        return (share) => {
          const seq = Math.floor(head.seq * share);
          const cursor = share === 0 ? null : cursors.encode(shop.id, { ...head, seq });
          const what = `position ${seq.toLocaleString('en')} of ${shop.units.toLocaleString('en')} units`;
          return { what, client, cursor };
        };
      };
      const [inSmall, inMiddle, inLarge] = [
        await placesOf(small),
        await placesOf(middle),
        await placesOf(large),
      ];
      const depths = await measure(service, DEPTHS.map(inLarge), pages, LIMIT);
      const growth = await measure(
        service,
        [inSmall(0.5), inMiddle(0.5), inLarge(0.5)],
        pages,
        LIMIT,
      );
      const idle = await measure(service, [inSmall(1), inLarge(1)], polls, LIMIT);
      bench.log(`  one unit in ${CHURNED} gets a new position`);
      const before = (await readHead(db, large.id)).seq;
      const after = await churnUnits(db, large, before, CHURNED);
      const inChurned = await placesOf(large);
      const shares = [0, 0.5, (0.99 * before) / after, (before + after) / 2 / after];
      const churned = await measure(service, shares.map(inChurned), pages, LIMIT);
      return [
        ...figuresOf('page at', depths, RATIO_MOST),
        ...figuresOf('growth, page at', growth, RATIO_MOST),
        ...figuresOf('idle poll at', idle, RATIO_MOST),
        ...figuresOf('after a fifth of the units changed, page at', churned, null),
      ];
    });
  },
};

interface Measured {
  readonly what: string;
  readonly ms: number;
  readonly cpuMicroseconds: number;
}

/**
 * Reads a page at each position in turn, repeatedly, and returns the median time for each position.
 */
async function measure(
  service: MeasuredService,
  places: readonly Place[],
  reads: number,
  limit: number,
): Promise<Measured[]> {
  const times = places.map((): number[] => []);
  const cpuMs = service.cpuMs();
  // The first turn is a warm-up and is not measured.
  for (let turn = 0; turn <= reads; turn++) {
    for (const [n, { client, cursor }] of places.entries()) {
      const beganAtMs = performance.now();
      await client.read(cursor, limit);
      if (turn > 0) times[n]?.push(performance.now() - beganAtMs);
    }
  }
  const cpuMicroseconds = ((service.cpuMs() - cpuMs) * 1_000) / (places.length * (reads + 1));
  return places.map(({ what }, n) => ({ what, ms: medianOf(times[n] ?? []), cpuMicroseconds }));
}

function figuresOf(
  what: string,
  measured: readonly Measured[],
  ratioMost: number | null,
): Figure[] {
  const first = measured[0]?.ms ?? Number.NaN;
  return measured.map((each) => {
    const ratio = each.ms / first;
    return makeFigure({
      what: `${what} ${each.what}`,
      unit: 'ms',
      limit: first,
      ours: each.ms,
      ratio,
      cpuMicroseconds: each.cpuMicroseconds,
      target:
        ratioMost === null
          ? null
          : { text: `ratio ≤ ${ratioMost.toFixed(2)}`, isMet: ratio <= ratioMost },
    });
  });
}
