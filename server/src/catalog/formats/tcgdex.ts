import { isObject } from '../../base/field.ts';
import type { ElementResult, ReadElement } from './format.ts';
import { games } from './games.ts';
import { deriveId } from './derived-id.ts';
import { type ExternalObject, objectOf, objectsOf, textOf, textsOf } from './external-object.ts';
import { rarityCodeOf } from './rarity-code.ts';
import { rarityOf } from './rarity.ts';
import { skipElement, validateDrafts, refuseElement } from './card-drafts.ts';
import type { KnownSets } from './sets.ts';

interface Version {
  readonly finish: string | null;
  readonly variant: string | null;
}

const UNKNOWN_VERSION: Version = { finish: null, variant: null };
/** The default size, which is not part of a variant. */
const STANDARD_SIZE = 'standard';
/** TCGdex's image URLs lack this ending: the large image as WebP, the smallest of its formats. */
const IMAGE_ENDING = '/high.webp';
/** Image URLs of the mobile game's series contain this. */
const DIGITAL_SERIES = '/tcgp/';

export interface TcgdexOptions {
  /** The language of all cards, because the cards do not state it. */
  readonly language: string;
  readonly sets: KnownSets;
}

/**
 * Reads TCGdex's complete card objects, not the brief objects of lists. Makes one catalog card for
 * each version in `variants_detailed`, else in `variants`. TCGdex uses one id for all languages of
 * a card; the derived ids include the language.
 *
 * @see https://tcgdex.dev/reference/card
 */
export function tcgdexReader(options: TcgdexOptions): ReadElement {
  return (element) => {
    if (!isObject(element)) return refuseElement('The element must be a JSON object.');
    if (element['localId'] === undefined && element['cardCount'] !== undefined) {
      return skipElement('a set, not a card');
    }
    const id = textOf(element, 'id');
    const setId = textOf(objectOf(element, 'set'), 'id');
    if (id === null) return refuseElement('Not a TCGdex card: `id` is missing.');
    if (setId === null) {
      return refuseElement(
        'Not a complete TCGdex card: `set` is missing. Card lists contain only brief entries.',
      );
    }
    if (isDigital(element)) return skipElement('digital only');
    return readCard(element, id, setId, options);
  };
}

function isDigital(card: ExternalObject): boolean {
  const set = objectOf(card, 'set');
  const addresses = [textOf(card, 'image'), textOf(set, 'logo'), textOf(set, 'symbol')];
  return addresses.some((address) => address?.includes(DIGITAL_SERIES) === true);
}

function readCard(
  card: ExternalObject,
  id: string,
  setId: string,
  { language, sets }: TcgdexOptions,
): ElementResult {
  const set = objectOf(card, 'set');
  const known = sets.get(setId);
  const name = textOf(card, 'name');
  const setName = textOf(set, 'name') ?? known?.name ?? setId;
  const image = textOf(card, 'image');
  const rarity = textOf(card, 'rarity');
  const draft = {
    name,
    localizedNames: name === null ? {} : { [language]: name },
    cardNumber: textOf(card, 'localId'),
    setTotalRaw: textOf(objectOf(set, 'cardCount'), 'official') ?? known?.total ?? null,
    janCode: null,
    languageCode: language,
    imageUrl: image === null ? null : `${image}${IMAGE_ENDING}`,
    rarity:
      rarity === null
        ? null
        : rarityOf(rarity, rarityCodeOf(games.pokemon.code, language, setId, rarity)),
    set: {
      id: deriveId('tcgdex', 'set', setId),
      code: setId,
      name: setName,
      nameEn: language === 'en' ? setName : null,
    },
    game: games.pokemon,
  };
  return validateDrafts(
    versionsOf(card).map(({ finish, variant }) => ({
      id: deriveId('tcgdex', 'card', id, language, finish, variant),
      ...draft,
      variant,
      finish,
    })),
    { tcgdex: id },
  );
}

function versionsOf(card: ExternalObject): readonly Version[] {
  const detailed = objectsOf(card, 'variants_detailed').map((each) => detailedVersion(each));
  if (detailed.length > 0) return detailed;
  const flags = objectOf(card, 'variants');
  const finishes = ['normal', 'reverse', 'holo'].filter((finish) => flags[finish] === true);
  const versions: Version[] = finishes.flatMap((finish) => [
    { finish, variant: null },
    ...(flags['firstEdition'] === true ? [{ finish, variant: '1st-edition' }] : []),
  ]);
  if (flags['wPromo'] === true) {
    versions.push({ finish: finishes[0] ?? 'normal', variant: 'w-Promo' });
  }
  return versions.length === 0 ? [UNKNOWN_VERSION] : versions;
}

function detailedVersion(version: ExternalObject): Version {
  const size = textOf(version, 'size');
  const words = [
    textOf(version, 'subtype'),
    ...textsOf(version, 'stamp'),
    size === STANDARD_SIZE ? null : size,
    textOf(version, 'foil'),
  ].filter((word) => word !== null);
  return {
    finish: textOf(version, 'type'),
    variant: words.length === 0 ? null : words.join(', '),
  };
}
