import type { LocalizedNames } from '../card.ts';
import { fold } from './fold.ts';

/** The texts that a card is found by. JAN and id are looked up in the database instead. */
export interface SearchableCard {
  readonly id: string;
  readonly name: string;
  readonly localizedNames: LocalizedNames;
  readonly cardNumber: string | null;
  readonly setTotalRaw: string | null;
  readonly setCode: string | null;
  readonly setName: string | null;
  readonly setNameEn: string | null;
  readonly rarityCode: string | null;
  readonly rarityName: string | null;
}

/** Where a hit stands: by tier (0 is best), then the shorter name, then an order that every node shares. */
export interface Rank {
  readonly tier: number;
  readonly name: string;
  readonly setCode: string;
  readonly number: string;
}

/** A card that was found. Plain values only, so that it may travel between threads. */
export interface Hit {
  readonly id: string;
  readonly rank: Rank;
}

/** What a person typed, parsed once for all indexes. */
export interface SearchQuery {
  readonly key: string;
}

/** Orders hits of several indexes over each other: negative when `a` comes first. */
export function compareHits(a: Hit, b: Hit): number {
  const [x, y] = [a.rank, b.rank];
  return (
    x.tier - y.tier ||
    x.name.length - y.name.length ||
    compareTexts(x.name, y.name) ||
    compareTexts(x.setCode, y.setCode) ||
    compareTexts(x.number, y.number) ||
    compareTexts(a.id, b.id)
  );
}

function compareTexts(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** Parses what a person typed, once for all indexes. Never throws, whatever the text. */
export function parseQuery(text: string): SearchQuery {
  return { key: fold(text).trim() };
}

interface Entry {
  readonly card: SearchableCard;
  readonly names: readonly string[];
}

/** Finds cards by name, number, set and rarity. Immutable; no I/O. */
export class CardIndex {
  readonly #entries: readonly Entry[];

  private constructor(entries: readonly Entry[]) {
    this.#entries = entries;
  }

  /** Builds the index of these cards. */
  static build(cards: Iterable<SearchableCard>): CardIndex {
    return new CardIndex(
      [...cards].map((card) => ({
        card,
        names: [card.name, ...Object.values(card.localizedNames)].map(fold),
      })),
    );
  }

  /** How many cards it holds. */
  get size(): number {
    return this.#entries.length;
  }

  /** The best `limit` cards for a query, best first. `isHidden`: cards that another, newer index answers for. */
  find(query: SearchQuery, limit: number, isHidden?: (id: string) => boolean): Hit[] {
    if (query.key === '') return [];
    return this.#entries
      .filter(({ card }) => isHidden?.(card.id) !== true)
      .flatMap(({ card, names }) => {
        const name = names.find((each) => each.includes(query.key));
        if (name === undefined) return [];
        const tier = name === query.key ? 0 : 1;
        const rank = { tier, name, setCode: card.setCode ?? '', number: card.cardNumber ?? '' };
        return [{ id: card.id, rank }];
      })
      .toSorted(compareHits)
      .slice(0, limit);
  }

  /** Cards whose names differ from the query by a slip or two. Only asked when no index found anything. */
  findSimilar(_query: SearchQuery, _limit: number, _isHidden?: (id: string) => boolean): Hit[] {
    return [];
  }
}
