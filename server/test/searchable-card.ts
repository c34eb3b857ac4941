import type { Card } from '../src/catalog/card.ts';
import { CardIndex, parseQuery, type SearchableCard } from '../src/card-search/card-index.ts';

/** A page of GET /cards (specification 4.8). */
const LIMIT = 25;

let cardCount = 0;

/** A card for an index with a unique id. Fields other than the name are empty unless given. */
export function searchableCard(name: string, more: Partial<SearchableCard> = {}): SearchableCard {
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
    ...more,
  };
}

/** A card of the catalog in the form of the index. */
export function searchableOf(card: Card): SearchableCard {
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
  };
}

/** The names that an index of these cards finds, best match first. */
export function findNames(cards: readonly SearchableCard[], text: string): string[] {
  const nameOf = new Map(cards.map(({ id, name }) => [id, name]));
  return CardIndex.build(cards)
    .find(parseQuery(text), LIMIT)
    .map(({ id }) => nameOf.get(id) ?? '');
}

/** The tier with which the only card is found; null when it is not. */
export function tierOf(only: SearchableCard, text: string): number | null {
  return CardIndex.build([only]).find(parseQuery(text), LIMIT)[0]?.rank.tier ?? null;
}
