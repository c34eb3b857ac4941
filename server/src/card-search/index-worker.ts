// The thread of a search index: takes the cards, builds the index, then answers calls in order.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { parentPort } from 'node:worker_threads';
import { TablesBuilder } from './build-tables.ts';
import type { IndexCall, IndexReply } from './index-thread.ts';
import { SearchIndex } from './search-index.ts';
import { readSearchableCards, type SearchableCard } from './searchable-card.ts';

/** A smaller index is not warmed up, so that it is ready immediately. */
const WARMED_CARDS_MIN = 50_000;
/** One card of each page, up to this many, includes every script and length of names. */
const SAMPLE_CARDS = 64;
/** Limits the warm-up to a tenth of the time that a build of 50,000 cards takes. */
const WARM_UP_MS_MAX = 1_500;
/** Repeats the queries, because V8 does not compile code after one or two calls. */
const WARM_UP_ROUNDS = 3;
/** Requests more than a page of GET /cards, as the service does. */
const WARM_UP_LIMIT = 50;

const sample: SearchableCard[] = [];
let builder = new TablesBuilder();
let index = SearchIndex.build([]);

parentPort?.on('message', (call: IndexCall & { readonly callId: number }) => {
  const ids = answer(call);
  const reply: IndexReply = { callId: call.callId, size: index.size, ids };
  parentPort?.postMessage(reply);
});

function answer(call: IndexCall): readonly string[] {
  if (call.kind === 'find') return index.find(call.text, call.limit);
  if (call.kind === 'build') build();
  else {
    const cards = readSearchableCards(call.rows);
    if (call.kind === 'apply') index.apply(call.ids.split(','), cards);
    else {
      for (const card of cards) builder.add(card);
      if (sample.length < SAMPLE_CARDS) sample.push(...cards.slice(0, 1));
    }
  }
  return [];
}

/** Builds the index, and leaves nothing of the build. */
function build(): void {
  index = new SearchIndex(builder.build());
  builder = new TablesBuilder();
  if (index.size.base >= WARMED_CARDS_MIN) warmUp();
  sample.length = 0;
  // An ordinary collection keeps the pages until the thread is idle, which a busy thread never is:
  // 360 MB at 500,000 cards.
  setFlagsFromString('--expose-gc');
  runInNewContext("gc({ type: 'major', execution: 'sync', flavor: 'last-resort' })");
}

/**
 * Runs typical queries, so that V8 compiles the search before the first user's query: queries of
 * common pairs of letters took 40 ms before and 6 ms after (60,000 cards, busy machine).
 */
function warmUp(): void {
  const endMs = performance.now() + WARM_UP_MS_MAX;
  for (let round = 0; round < WARM_UP_ROUNDS; round++) {
    for (const query of sample.flatMap(queriesLike)) {
      if (performance.now() < endMs) index.find(query, WARM_UP_LIMIT);
    }
  }
}

/** Returns names, beginnings, reversed words, misspellings, numbers, and parts of many names. */
function queriesLike(card: SearchableCard, at: number): string[] {
  const { name, cardNumber, setCode, localizedNames } = card;
  const half = Math.ceil(name.length / 2);
  const misspelled = name.slice(0, half - 1) + name.slice(half);
  const starts = sample.slice(at, at + 8).map((other) => other.name.slice(0, 2));
  const reversed = name.split(/\s+/).toReversed();
  return [name, name.slice(0, half), misspelled, reversed.join(' '), starts.join(' ')].concat(
    `${misspelled} ${name.slice(0, 2)}`,
    `${setCode} ${cardNumber}`,
    Object.values(localizedNames).slice(0, 2),
  );
}
