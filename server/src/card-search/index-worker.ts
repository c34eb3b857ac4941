// The thread of a search index: takes the cards, builds the index, then answers calls in order.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { parentPort } from 'node:worker_threads';
import { TablesBuilder } from './build-tables.ts';
import { type IndexSize, SearchIndex } from './search-index.ts';
import type { SearchableCard } from './searchable-card.ts';

/** `cards` are JSON objects, `ids` are all changed ids. Each list is joined with commas. */
export type IndexCall =
  | { readonly kind: 'add'; readonly cards: string }
  | { readonly kind: 'build' }
  | { readonly kind: 'apply'; readonly ids: string; readonly cards: string }
  | { readonly kind: 'find'; readonly text: string; readonly limit: number };

export interface IndexReply {
  readonly size: IndexSize;
  readonly ids: readonly string[];
}

let builder = new TablesBuilder();
let index = SearchIndex.build([]);

parentPort?.on('message', (call: IndexCall) => {
  const ids = answer(call);
  const reply: IndexReply = { size: index.size, ids };
  parentPort?.postMessage(reply);
});

function answer(call: IndexCall): readonly string[] {
  switch (call.kind) {
    case 'find':
      return index.find(call.text, call.limit);
    case 'apply':
      index.apply(call.ids.split(','), parseCards(call.cards));
      return [];
    case 'add':
      for (const card of parseCards(call.cards)) builder.add(card);
      return [];
    case 'build':
      build();
      collectGarbage();
      return [];
  }
}

function build(): void {
  index = new SearchIndex(builder.build());
  builder = new TablesBuilder();
}

/** With 500,000 cards, an ordinary collection would keep 360 MB until the thread is idle. */
function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  runInNewContext("gc({ type: 'major', execution: 'sync', flavor: 'last-resort' })");
}

function parseCards(cards: string): readonly SearchableCard[] {
  return JSON.parse(`[${cards}]`) as readonly SearchableCard[];
}
