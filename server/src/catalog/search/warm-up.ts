import type { SearchableCard } from './searchable-card.ts';

/** A smaller index answers within some milliseconds, compiled or not, and is to be ready at once. */
export const WARMED_CARDS_MIN = 50_000;
/** Cards that the questions are made of: enough that every script and length of names is among them. */
const SAMPLE_CARDS = 64;
/** Longest time of the questions: a tenth of what building so many cards takes. */
const WARM_UP_MS_MAX = 1_500;
/** More than a page of GET /cards, as the service asks. */
const LIMIT = 50;
/** UTF-16 units of a question: what people ask is no longer (specification 4.8). */
const QUESTION_LENGTH_MAX = 150;
/** Times that all questions are asked: what was asked once or twice is not compiled yet. */
const ROUNDS = 3;

/** Passes cards on and keeps some of them, spread over all that came. */
export class CardSample {
  readonly #kept: SearchableCard[] = [];
  #count = 0;
  #stride = 1;

  get cards(): readonly SearchableCard[] {
    return this.#kept;
  }

  *through(cards: Iterable<SearchableCard>): Generator<SearchableCard> {
    for (const card of cards) {
      if (this.#count % this.#stride === 0) this.#keep(card);
      this.#count += 1;
      yield card;
    }
  }

  /** When there are twice as many as wanted, every other one goes and half as many come. */
  #keep(card: SearchableCard): void {
    this.#kept.push(card);
    if (this.#kept.length < SAMPLE_CARDS * 2) return;
    const half = this.#kept.filter((_, at) => at % 2 === 0);
    this.#kept.splice(0, this.#kept.length, ...half);
    this.#stride *= 2;
  }
}

/**
 * Asks a new index what people may ask, so that V8 has compiled the search before the first of them does: questions of
 * common pairs of letters took 40 ms before and 6 ms after (60,000 cards, busy machine).
 */
export function warmUp(
  find: (text: string, limit: number) => unknown,
  cards: readonly SearchableCard[],
): void {
  const endMs = performance.now() + WARM_UP_MS_MAX;
  const questions = questionsOf(cards);
  for (let round = 0; round < ROUNDS; round++) {
    for (const question of questions) {
      if (performance.now() > endMs) return;
      find(question.slice(0, QUESTION_LENGTH_MAX), LIMIT);
    }
  }
}

/** Whole names, beginnings, words the other way round, slips, numbers, and beginnings of many names in one question. */
export function questionsOf(cards: readonly SearchableCard[]): string[] {
  return cards.flatMap((card, at) => {
    const letters = [...card.name];
    const half = Math.ceil(letters.length / 2);
    const slipped = [...letters.slice(0, half - 1), ...letters.slice(half)].join('');
    const others = cards.slice(at, at + 8).map(({ name }) => name);
    return [
      others.map((name) => name.slice(0, 2)).join(' '),
      others.map((name) => name.slice(0, 1)).join(' '),
      card.name,
      letters.slice(0, half).join(''),
      card.name.split(/\s+/).toReversed().join(' '),
      slipped,
      `${slipped} ${card.name.slice(0, 2)}`,
      `${card.cardNumber ?? ''}/${card.setTotalRaw ?? ''}`,
      `${card.setCode ?? ''} ${card.cardNumber ?? ''}`,
      ...Object.values(card.localizedNames).slice(0, 2),
    ];
  });
}
