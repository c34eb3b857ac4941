import type { Card } from '../src/catalog/card.ts';
import type { Hit } from '../src/card-search/search.ts';
import { SearchIndex } from '../src/card-search/search-index.ts';
import type { SearchableCard } from '../src/card-search/searchable-card.ts';

/** The size of a page of GET /cards (spec 4.8). */
const LIMIT = 25;

let cardCount = 0;

/** Returns a card for an index, with a unique id. Fields that `more` does not contain are empty. */
export function makeSearchableCard(
  name: string,
  more: Partial<SearchableCard> = {},
): SearchableCard {
  cardCount++;
  return {
    id: `00000000-0000-4000-8000-${String(cardCount).padStart(12, '0')}`,
    name,
    localizedNames: {},
    cardNumber: null,
    setTotalRaw: null,
    setCode: null,
    setName: null,
    setNameEn: null,
    rarityCode: null,
    rarityName: null,
    gameCode: '',
    languageCode: '',
    variant: null,
    finish: null,
    ...more,
  };
}

/** Converts a card of the catalog to the form that the index uses. */
export function toSearchableCard(card: Card): SearchableCard {
  return {
    id: card.id,
    name: card.name,
    localizedNames: card.localizedNames,
    cardNumber: card.cardNumber,
    setTotalRaw: card.setTotalRaw,
    setCode: card.set?.code ?? null,
    setName: card.set?.name ?? null,
    setNameEn: card.set?.nameEn ?? null,
    rarityCode: card.rarity?.code ?? null,
    rarityName: card.rarity?.name ?? null,
    gameCode: card.game.code,
    languageCode: card.languageCode ?? '',
    variant: card.variant,
    finish: card.finish,
  };
}

/** Returns the names that an index of these cards finds, best first, without similar names. */
export function findNames(cards: readonly SearchableCard[], text: string): string[] {
  return namesOf(cards, hitsOf(SearchIndex.build(cards), text, LIMIT, false));
}

/** Returns the names that an index of these cards finds, including similar names, best first. */
export function findSimilarNames(cards: readonly SearchableCard[], text: string): string[] {
  return namesOf(cards, hitsOf(SearchIndex.build(cards), text));
}

function namesOf(cards: readonly SearchableCard[], hits: readonly Hit[]): string[] {
  const nameOf = new Map(cards.map(({ id, name }) => [id, name]));
  return hits.map(({ id }) => nameOf.get(id) ?? '');
}

/**
 * Returns the score of a card that is the only one in its index, rounded down. Null if the search
 * does not find the card.
 */
export function scoreOf(only: SearchableCard, text: string): number | null {
  const [hit] = hitsOf(SearchIndex.build([only]), text);
  return hit === undefined ? null : Math.floor(hit.score);
}

/** Returns the hits for a text without dropping words. */
export function hitsOf(index: SearchIndex, text: string, limit = LIMIT, withSimilar = true): Hit[] {
  return index.hits(text, limit, { left: Number.POSITIVE_INFINITY }, withSimilar);
}
