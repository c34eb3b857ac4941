import type { SearchableCard } from './searchable-card.ts';

/**
 * A smaller index is not warmed up, so that it is ready immediately: it answers within milliseconds
 * even before its code is compiled.
 */
export const WARMED_CARDS_MIN = 50_000;
/** The size of the sample, enough to include every script and length of names. */
const SAMPLE_CARDS = 64;
/** Limits the warm-up to a tenth of the time that a build of `WARMED_CARDS_MIN` cards takes. */
const WARM_UP_MS_MAX = 1_500;
/** Requests more than a page of GET /cards, as the service does. */
const LIMIT = 50;
/** The maximum length of a query in UTF-16 units (spec 4.8). */
const QUERY_LENGTH_MAX = 150;
/** Repeats the queries, because V8 does not compile code after one or two calls. */
const ROUNDS = 3;

export class CardSample {
  readonly #sample: SearchableCard[] = [];
  #count = 0;
  #stride = 1;

  get cards(): readonly SearchableCard[] {
    return this.#sample;
  }

  *through(cards: Iterable<SearchableCard>): Generator<SearchableCard> {
    for (const card of cards) {
      if (this.#count % this.#stride === 0) this.#add(card);
      this.#count += 1;
      yield card;
    }
  }

  /** At twice the sample size, drops every other card and doubles the stride. */
  #add(card: SearchableCard): void {
    this.#sample.push(card);
    if (this.#sample.length < SAMPLE_CARDS * 2) return;
    const half = this.#sample.filter((_, at) => at % 2 === 0);
    this.#sample.splice(0, this.#sample.length, ...half);
    this.#stride *= 2;
  }
}

/**
 * Runs typical queries, so that V8 compiles the search before the first user's query: queries of
 * common pairs of letters took 40 ms before and 6 ms after (60,000 cards, busy machine).
 */
export function warmUp(
  find: (text: string, limit: number) => unknown,
  cards: readonly SearchableCard[],
): void {
  const endMs = performance.now() + WARM_UP_MS_MAX;
  const queries = sampleQueriesOf(cards);
  for (let round = 0; round < ROUNDS; round++) {
    for (const query of queries) {
      if (performance.now() > endMs) return;
      find(query.slice(0, QUERY_LENGTH_MAX), LIMIT);
    }
  }
}

/**
 * Returns sample queries: complete names, beginnings, reversed words, misspellings, numbers, and
 * beginnings of many names in one query.
 */
export function sampleQueriesOf(cards: readonly SearchableCard[]): string[] {
  return cards.flatMap((card, at) => {
    const letters = [...card.name];
    const half = Math.ceil(letters.length / 2);
    const misspelled = [...letters.slice(0, half - 1), ...letters.slice(half)].join('');
    const others = cards.slice(at, at + 8).map(({ name }) => name);
    return [
      others.map((name) => name.slice(0, 2)).join(' '),
      others.map((name) => name.slice(0, 1)).join(' '),
      card.name,
      letters.slice(0, half).join(''),
      card.name.split(/\s+/).toReversed().join(' '),
      misspelled,
      `${misspelled} ${card.name.slice(0, 2)}`,
      `${card.cardNumber ?? ''}/${card.setTotalRaw ?? ''}`,
      `${card.setCode ?? ''} ${card.cardNumber ?? ''}`,
      ...Object.values(card.localizedNames).slice(0, 2),
    ];
  });
}
