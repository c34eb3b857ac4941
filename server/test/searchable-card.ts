import type { Card } from '../src/catalog/card.ts';
import { CardIndex, parseQuery, type SearchableCard } from '../src/card-search/card-index.ts';
import { traitsOf } from '../src/card-search/traits.ts';

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
    traits: [],
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
    traits: traitsOf({ ...card, gameCode: card.game.code }),
  };
}

/** Returns the names that an index of these cards finds, best match first. */
export function findNames(cards: readonly SearchableCard[], text: string): string[] {
  const nameOf = new Map(cards.map(({ id, name }) => [id, name]));
  return CardIndex.build(cards)
    .find(parseQuery(text), LIMIT)
    .map(({ id }) => nameOf.get(id) ?? '');
}

/** Returns the tier of the card in an index of this card only, or null if it is not found. */
export function tierOf(only: SearchableCard, text: string): number | null {
  return CardIndex.build([only]).find(parseQuery(text), LIMIT)[0]?.rank.tier ?? null;
}
