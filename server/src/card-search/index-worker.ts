// The thread of a search index: takes the cards, builds the index, then answers calls in order.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { parentPort } from 'node:worker_threads';
import { TablesBuilder } from './build-tables.ts';
import { type IndexSize, SearchIndex } from './search-index.ts';
import type { SearchableCard } from './searchable-card.ts';

export type IndexCall =
  | { readonly kind: 'add'; readonly cards: string }
  | { readonly kind: 'build' }
  | { readonly kind: 'apply'; readonly ids: string; readonly cards: string }
  | { readonly kind: 'find'; readonly text: string; readonly limit: number };

export interface IndexReply {
  readonly size: IndexSize;
  /** The ids of the found cards. */
  readonly ids: readonly string[];
}

/** A smaller index is not warmed up, so that it is ready immediately. */
const WARMED_CARDS_MIN = 50_000;
/** One card of each page, up to this many, has every script and length of names. */
const SAMPLE_CARDS = 64;
const WARM_UP_MS_MAX = 1_500;
/** V8 does not compile code after one or two calls. */
const WARM_UP_ROUNDS = 3;
const WARM_UP_LIMIT = 50;

const sample: SearchableCard[] = [];
let builder = new TablesBuilder();
let index = SearchIndex.build([]);

parentPort?.on('message', (call: IndexCall) => {
  const ids = answer(call);
  const reply: IndexReply = { size: index.size, ids };
  parentPort?.postMessage(reply);
});

function answer(call: IndexCall): readonly string[] {
  if (call.kind === 'find') return index.find(call.text, call.limit);
  if (call.kind === 'build') build();
  else if (call.kind === 'apply') index.apply(call.ids.split(','), parseCards(call.cards));
  else {
    const cards = parseCards(call.cards);
    for (const card of cards) builder.add(card);
    if (sample.length < SAMPLE_CARDS) sample.push(...cards.slice(0, 1));
  }
  return [];
}

function parseCards(cards: string): readonly SearchableCard[] {
  return JSON.parse(`[${cards}]`) as readonly SearchableCard[];
}

/** Builds the index, and leaves nothing of the build. */
function build(): void {
  index = new SearchIndex(builder.build());
  builder = new TablesBuilder();
  if (index.size.base >= WARMED_CARDS_MIN) warmUp();
  sample.length = 0;
  // An ordinary collection keeps 360 MB at 500,000 cards until the thread is idle.
  setFlagsFromString('--expose-gc');
  runInNewContext("gc({ type: 'major', execution: 'sync', flavor: 'last-resort' })");
}

/** Runs typical queries, so that V8 compiles the search: the first ones took 40 ms without, 6 with. */
function warmUp(): void {
  const endMs = performance.now() + WARM_UP_MS_MAX;
  const queries = sample.flatMap(({ name, cardNumber, setCode, localizedNames }) => {
    const half = name.slice(0, Math.ceil(name.length / 2));
    const misspelled = half.slice(0, -1) + name.slice(half.length);
    const several = [`${setCode} ${cardNumber}`, `${misspelled} ${half}`, 'on er an in'];
    return [name, half, misspelled, ...several, ...Object.values(localizedNames).slice(0, 2)];
  });
  for (const query of Array.from({ length: WARM_UP_ROUNDS }, () => queries).flat()) {
    if (performance.now() < endMs) index.find(query, WARM_UP_LIMIT);
  }
}
