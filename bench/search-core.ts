// The search index by itself: how long it takes to build, how large it is, how fast it answers.
// `node bench/search-core.ts [cards]` (500,000 unless said)
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import {
  CardIndex,
  parseQuery,
  type SearchableCard,
} from '../server/src/catalog/search/card-index.ts';
import { hostileQueries, mixedQueries } from './search-queries.ts';
import { searchableOf, varyCards } from './vary-cards.ts';

const CARDS = Number(process.argv[2] ?? 500_000);
/** A page of GET /cards (specification 4.8). */
const LIMIT = 25;
const MIXED = 5_000;
/** A hostile query is asked so often; the slowest counts, after one that warms up. */
const REPEATS = 5;
const MEBIBYTE = 2 ** 20;

function usedBytes(): number {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc()');
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

function ask(index: CardIndex, text: string): number {
  const query = parseQuery(text);
  const hits = index.find(query, LIMIT);
  return hits.length > 0 ? hits.length : index.findSimilar(query, LIMIT).length;
}

interface Timed {
  readonly ms: number;
  /** Of this thread alone: other work on the machine does not show in it. */
  readonly cpuMs: number;
  readonly hits: number;
}

function timed(work: () => number): Timed {
  const cpu = process.threadCpuUsage();
  const from = performance.now();
  const hits = work();
  const ms = performance.now() - from;
  const { user, system } = process.threadCpuUsage(cpu);
  return { ms, cpuMs: (user + system) / 1_000, hits };
}

function* searchableCards(): Generator<SearchableCard> {
  for (const card of varyCards(CARDS)) yield searchableOf(card);
}

function spreadOf(times: readonly number[]): string {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number): string => (sorted[Math.floor(sorted.length * share)] ?? 0).toFixed(2);
  return `p50 ${at(0.5)}, p90 ${at(0.9)}, p99 ${at(0.99)}, most ${sorted.at(-1)?.toFixed(2)}`;
}

function main(): void {
  const before = usedBytes();
  const from = performance.now();
  const cpu = process.threadCpuUsage();
  const index = CardIndex.build(searchableCards());
  const seconds = (performance.now() - from) / 1_000;
  const cpuSeconds = process.threadCpuUsage(cpu).user / 1_000_000;
  const peak = process.resourceUsage().maxRSS / 1_024;
  const size = (usedBytes() - before) / MEBIBYTE;
  const rss = process.memoryUsage().rss / MEBIBYTE;
  console.log(`cards            ${index.size}`);
  console.log(
    `build            ${seconds.toFixed(1)} s, ${cpuSeconds.toFixed(1)} s of CPU, with the cards`,
  );
  console.log(`index            ${size.toFixed(0)} MiB (heap and buffers)`);
  console.log(`process          ${rss.toFixed(0)} MiB now, ${peak.toFixed(0)} MiB at most`);

  const queries = mixedQueries([...varyCards(Math.min(CARDS, 60_000))], MIXED);
  for (const query of queries.slice(0, 500)) ask(index, query);
  const times = queries.map((query) => ({ query, ...timed(() => ask(index, query)) }));
  console.log(`mixed, ms        ${spreadOf(times.map(({ ms }) => ms))}`);
  console.log(`mixed, ms of CPU ${spreadOf(times.map(({ cpuMs }) => cpuMs))}`);
  const slowest = times.toSorted((a, b) => b.cpuMs - a.cpuMs).slice(0, 8);
  for (const { query, cpuMs } of slowest) console.log(`  ${cpuMs.toFixed(1)} ms  ${query}`);

  for (const [name, text] of hostileQueries) {
    ask(index, text);
    const runs = Array.from({ length: REPEATS }, () => timed(() => ask(index, text)));
    const [ms, cpuMs] = [runs.map((run) => run.ms), runs.map((run) => run.cpuMs)];
    const most = [Math.max(...ms), Math.max(...cpuMs)].map((each) => each.toFixed(2).padStart(7));
    console.log(`${name.padEnd(22)} ${most[0]} ms ${most[1]} ms of CPU  ${runs[0]?.hits} hits`);
  }
}

if (import.meta.main) main();
