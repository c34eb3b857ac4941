// Measures the search index alone: build time, size and response time. `node bench/search-core.ts
// [cards]` (default 500,000)
import { loadavg } from 'node:os';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { SearchIndex } from '../server/src/card-search/search-index.ts';
import type { SearchableCard } from '../server/src/card-search/searchable-card.ts';
import { hostileQueries, mixedQueries } from './data/search-queries.ts';
import { toSearchableCard } from '../server/test/searchable-card.ts';
import { varyCards } from './data/vary-cards.ts';

const CARDS = Number(process.argv[2] ?? 500_000);
/** The size of a page of GET /cards (spec 4.8). */
const LIMIT = 25;
const MIXED = 5_000;
const REPEATS = 3;
const MEBIBYTE = 2 ** 20;

function usedBytes(): number {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc()');
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

function search(index: SearchIndex, text: string): number {
  return index.find(text, LIMIT).length;
}

interface Timed {
  readonly worstMs: number;
  /** The fastest run, which is closest to the real cost if the machine has other work. */
  readonly bestMs: number;
  readonly hits: number;
}

function timeRepeated(work: () => number): Timed {
  let hits = 0;
  const times = Array.from({ length: REPEATS }, () => {
    const from = performance.now();
    hits = work();
    return performance.now() - from;
  });
  return { worstMs: Math.max(...times), bestMs: Math.min(...times), hits };
}

function* searchableCards(): Generator<SearchableCard> {
  for (const card of varyCards(CARDS)) yield toSearchableCard(card);
}

function spreadOf(times: readonly number[]): string {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number): string => (sorted[Math.floor(sorted.length * share)] ?? 0).toFixed(2);
  return `p50 ${at(0.5)}, p90 ${at(0.9)}, p99 ${at(0.99)}, most ${sorted.at(-1)?.toFixed(2)}`;
}

function main(): void {
  const before = usedBytes();
  const rssBefore = process.memoryUsage().rss / MEBIBYTE;
  console.log(`load             ${loadavg()[0]?.toFixed(1)} (of other work, one minute)`);
  const from = performance.now();
  const cpu = process.threadCpuUsage();
  const index = SearchIndex.build(searchableCards());
  const seconds = (performance.now() - from) / 1_000;
  const cpuSeconds = process.threadCpuUsage(cpu).user / 1_000_000;
  const peak = process.resourceUsage().maxRSS / 1_024;
  const size = (usedBytes() - before) / MEBIBYTE;
  const rss = process.memoryUsage().rss / MEBIBYTE;
  console.log(`cards            ${index.size.base}`);
  console.log(
    `build            ${seconds.toFixed(1)} s, ${cpuSeconds.toFixed(1)} s of CPU, with the cards`,
  );
  console.log(`index            ${size.toFixed(0)} MiB (heap and buffers)`);
  console.log(
    `process          ${rssBefore.toFixed(0)} MiB before, ${peak.toFixed(0)} at most, ${rss.toFixed(0)} after`,
  );

  const queries = mixedQueries([...varyCards(Math.min(CARDS, 60_000))], MIXED);
  for (const query of queries.slice(0, 500)) search(index, query);
  const times = queries.map((query) => ({ query, ...timeRepeated(() => search(index, query)) }));
  console.log(`mixed, worst run ${spreadOf(times.map(({ worstMs }) => worstMs))} ms`);
  console.log(`mixed, best run  ${spreadOf(times.map(({ bestMs }) => bestMs))} ms`);
  const slowest = times.toSorted((a, b) => b.bestMs - a.bestMs).slice(0, 8);
  for (const { query, bestMs } of slowest) console.log(`  ${bestMs.toFixed(1)} ms  ${query}`);

  for (const [name, text] of hostileQueries) {
    search(index, text);
    const { worstMs, bestMs, hits } = timeRepeated(() => search(index, text));
    const [worst, best] = [worstMs, bestMs].map((ms) => ms.toFixed(2).padStart(7));
    console.log(`${name.padEnd(22)} worst ${worst} ms, best ${best} ms, ${hits} hits`);
  }
}

if (import.meta.main) main();
