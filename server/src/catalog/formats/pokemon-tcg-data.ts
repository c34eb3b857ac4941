import { isObject } from '../../base/field.ts';
import type { ElementResult, ReadElement } from './format.ts';
import { games } from './games.ts';
import { deriveId } from './derived-id.ts';
import { type ExternalObject, objectOf, textOf } from './external-object.ts';
import { rarityCodeOf } from './rarity-code.ts';
import { rarityOf } from './rarity.ts';
import { skipElement, validateDrafts, refuseElement } from './card-drafts.ts';
import { type KnownSet, type KnownSets, readSet } from './sets.ts';

interface PricedVariant {
  readonly finish: string | null;
  readonly variant: string | null;
}

/** Maps keys of `tcgplayer.prices` to versions. An unknown key becomes the finish. */
const PRICED_VARIANTS: ReadonlyMap<string, PricedVariant> = new Map([
  ['normal', { finish: 'normal', variant: null }],
  ['holofoil', { finish: 'holo', variant: null }],
  ['reverseHolofoil', { finish: 'reverse', variant: null }],
  ['1stEdition', { finish: 'normal', variant: '1st-edition' }],
  ['1stEditionNormal', { finish: 'normal', variant: '1st-edition' }],
  ['1stEditionHolofoil', { finish: 'holo', variant: '1st-edition' }],
  ['unlimited', { finish: 'normal', variant: 'unlimited' }],
  ['unlimitedHolofoil', { finish: 'holo', variant: 'unlimited' }],
]);

const UNKNOWN_VERSION: PricedVariant = { finish: null, variant: null };

export interface PokemonTcgDataOptions {
  readonly language: string;
  /** The sets of `sets/en.json` by id. The cards in the files do not contain their set. */
  readonly sets: KnownSets;
  readonly onUnknownSet?: ((setId: string) => void) | undefined;
}

/**
 * Reads the cards of the pokemon-tcg-data files (`cards/en/base1.json`) and of the API built from
 * these files, where each card includes its `set` and prices. Makes one catalog card for each
 * version that has a price, or a single card if there are no prices.
 *
 * @see https://docs.pokemontcg.io/api-reference/cards/card-object
 */
export function pokemonTcgDataReader(options: PokemonTcgDataOptions): ReadElement {
  return (element) => {
    if (!isObject(element)) return refuseElement('The element must be a JSON object.');
    if (element['printedTotal'] !== undefined && element['number'] === undefined) {
      return skipElement('a set, not a card');
    }
    const id = textOf(element, 'id');
    if (id === null) return refuseElement('Not a pokemon-tcg-data card: `id` is missing.');
    if (element['number'] === undefined) {
      return refuseElement('Not a pokemon-tcg-data card: `number` is missing.');
    }
    return readCard(element, id, options);
  };
}

function readCard(
  card: ExternalObject,
  id: string,
  { language, sets, onUnknownSet }: PokemonTcgDataOptions,
): ElementResult {
  const name = textOf(card, 'name');
  const images = objectOf(card, 'images');
  const rarity = textOf(card, 'rarity');
  const set = readSet(card['set']) ?? findSet(id, sets);
  if (set.name === null) onUnknownSet?.(set.id);
  const draft = {
    name,
    localizedNames: name === null ? {} : { [language]: name },
    cardNumber: textOf(card, 'number'),
    setTotalRaw: set.total,
    janCode: null,
    languageCode: language,
    imageUrl: textOf(images, 'large') ?? textOf(images, 'small'),
    rarity:
      rarity === null
        ? null
        : rarityOf(rarity, rarityCodeOf(games.pokemon.code, language, set.code, rarity)),
    set: {
      id: deriveId('pokemon-tcg-data', 'set', set.id),
      code: set.code ?? set.id,
      name: set.name ?? set.id,
      nameEn: language === 'en' ? set.name : null,
    },
    game: games.pokemon,
  };
  return validateDrafts(
    versionsOf(card).map(({ finish, variant }) => ({
      id: deriveId('pokemon-tcg-data', 'card', id, language, finish, variant),
      ...draft,
      variant,
      finish,
    })),
    { 'pokemon-tcg-data': id },
  );
}

/** Finds the set of a card by the card's id, which is the set's id, a hyphen and the number. */
function findSet(cardId: string, sets: KnownSets): KnownSet {
  const end = cardId.lastIndexOf('-');
  const id = end > 0 ? cardId.slice(0, end) : cardId;
  return sets.get(id) ?? { id, code: null, name: null, total: null };
}

function versionsOf(card: ExternalObject): readonly PricedVariant[] {
  const prices = Object.keys(objectOf(objectOf(card, 'tcgplayer'), 'prices'));
  if (prices.length === 0) return [UNKNOWN_VERSION];
  return prices.map((price) => PRICED_VARIANTS.get(price) ?? { finish: price, variant: null });
}
