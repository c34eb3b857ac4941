import { isObject, isUuid } from '../../base/field.ts';
import type { ElementResult, ReadElement } from './format.ts';
import { games } from './games.ts';
import { deriveId } from './derived-id.ts';
import { canonicalLanguage } from './language.ts';
import { type ExternalObject, objectOf, objectsOf, textOf, textsOf } from './external-object.ts';
import { rarityOf } from './rarity.ts';
import { skipElement, validateDrafts, refuseElement } from './card-drafts.ts';
import type { KnownSets } from './sets.ts';

/** Maps language codes that are not BCP 47 tags, including those of old exports and cards. */
const LANGUAGES: ReadonlyMap<string, string> = new Map([
  ['zhs', 'zh-Hans'],
  ['zht', 'zh-Hant'],
  ['cs', 'zh-Hans'],
  ['ct', 'zh-Hant'],
  ['jp', 'ja'],
  ['kr', 'ko'],
  ['sp', 'es'],
  ['ph', 'qaa-x-phyrexia'],
]);

const RARITIES: ReadonlyMap<string, readonly [code: string, name: string]> = new Map([
  ['common', ['C', 'Common']],
  ['uncommon', ['U', 'Uncommon']],
  ['rare', ['R', 'Rare']],
  ['mythic', ['M', 'Mythic Rare']],
  ['special', ['S', 'Special']],
  ['bonus', ['B', 'Bonus']],
]);

/** Frame effects that make another version of a card. Others are properties of every printing. */
const FRAME_EFFECTS = new Set([
  'showcase',
  'extendedart',
  'inverted',
  'etched',
  'shatteredglass',
  'textless',
]);
/** Promo types that name a product line and do not make another version of a card. */
const PLAIN_PROMO_TYPES = new Set(['boosterfun', 'universesbeyond']);
/** The card with this finish keeps Scryfall's id. Cards with other finishes get derived ids. */
const PLAIN_FINISH = 'nonfoil';
const NAME_BETWEEN_FACES = ' // ';

export interface ScryfallOptions {
  /** The accepted languages of cards. An empty list accepts all. */
  readonly languages: readonly string[];
  readonly sets: KnownSets;
}

/**
 * Reads Scryfall's card objects (bulk data `default_cards`, `all_cards`, `oracle_cards`). Makes one
 * catalog card for each finish of a printing, with the printed name if there is one.
 *
 * @see https://scryfall.com/docs/api/cards
 */
export function scryfallReader(options: ScryfallOptions): ReadElement {
  return (element) => {
    if (!isObject(element)) return refuseElement('The element must be a JSON object.');
    if (element['object'] === 'set') return skipElement('a set, not a card');
    if (element['object'] !== undefined && element['object'] !== 'card') {
      return refuseElement('Not a Scryfall card: `object` is not `card`.');
    }
    const id = element['id'];
    if (!isUuid(id)) return refuseElement('Not a Scryfall card: `id` is not a UUID.');
    if (isDigital(element)) return skipElement('digital only');
    if (element['layout'] === 'art_series') return skipElement('art series');
    const language = languageOf(element);
    if (options.languages.length > 0 && !options.languages.includes(language)) {
      return skipElement('another language');
    }
    return readCard(element, id.toLowerCase(), language, options.sets);
  };
}

function isDigital(card: ExternalObject): boolean {
  const places = textsOf(card, 'games');
  return card['digital'] === true || (places.length > 0 && !places.includes('paper'));
}

function languageOf(card: ExternalObject): string {
  const code = textOf(card, 'lang') ?? 'en';
  const tag = LANGUAGES.get(code) ?? code;
  return canonicalLanguage(tag) ?? tag;
}

function readCard(
  card: ExternalObject,
  id: string,
  language: string,
  sets: KnownSets,
): ElementResult {
  const oracleName = textOf(card, 'name');
  const printedName = printedNameOf(card);
  const name = language === 'en' ? oracleName : (printedName ?? oracleName);
  const setCode = textOf(card, 'set');
  const setId = card['set_id'];
  const setName = textOf(card, 'set_name') ?? setCode?.toUpperCase() ?? null;
  const rarity = textOf(card, 'rarity');
  const [rarityCode, rarityName] = RARITIES.get(rarity ?? '') ?? [null, rarity];
  const draft = {
    name,
    localizedNames: localizedNamesOf(
      language,
      oracleName,
      printedName,
      textOf(card, 'flavor_name'),
    ),
    cardNumber: textOf(card, 'collector_number'),
    setTotalRaw: sets.get(setCode ?? '')?.total ?? null,
    janCode: null,
    languageCode: language,
    variant: variantOf(card),
    imageUrl: imageOf(card),
    rarity: rarityOf(rarityName, rarityCode),
    set:
      setCode === null
        ? null
        : {
            id: isUuid(setId) ? setId : deriveId('scryfall', 'set', setCode),
            code: setCode.toUpperCase(),
            name: setName,
            nameEn: setName,
          },
    game: games.magic,
  };
  return validateDrafts(
    finishesOf(card).map((finish) => ({
      id: finish === PLAIN_FINISH ? id : deriveId('scryfall', 'card', id, finish),
      ...draft,
      finish,
    })),
    {
      scryfall: id,
      tcgplayer: textOf(card, 'tcgplayer_id'),
      cardmarket: textOf(card, 'cardmarket_id'),
    },
  );
}

/** The names of several faces are joined in the same way as in Scryfall. */
function printedNameOf(card: ExternalObject): string | null {
  const whole = textOf(card, 'printed_name');
  if (whole !== null) return whole;
  const faces = objectsOf(card, 'card_faces');
  if (!faces.some((face) => textOf(face, 'printed_name') !== null)) return null;
  const names = faces.map((face) => textOf(face, 'printed_name') ?? textOf(face, 'name'));
  return names.filter((each) => each !== null).join(NAME_BETWEEN_FACES);
}

/** People also search for a printed name that differs, so it has a private tag (`en-x-printed`). */
function localizedNamesOf(
  language: string,
  oracleName: string | null,
  printedName: string | null,
  flavorName: string | null,
): Record<string, string> {
  const names: Record<string, string> = {};
  if (language !== 'en' && printedName !== null) names[language] = printedName;
  if (oracleName !== null) names['en'] = oracleName;
  const other = language === 'en' ? (printedName ?? flavorName) : flavorName;
  if (other !== null && other !== oracleName && other !== names[language]) {
    names[`${language}-x-printed`] = other;
  }
  return names;
}

/** Returns the finishes of a printing. Old exports have two flags instead of a list. */
function finishesOf(card: ExternalObject): readonly string[] {
  const finishes = textsOf(card, 'finishes');
  if (finishes.length > 0) return finishes;
  const flagged = [
    ...(card['nonfoil'] === true ? [PLAIN_FINISH] : []),
    ...(card['foil'] === true ? ['foil'] : []),
  ];
  return flagged.length > 0 ? flagged : [PLAIN_FINISH];
}

/** Returns how this printing differs from the plain card, in Scryfall's terms, or null. */
function variantOf(card: ExternalObject): string | null {
  const words = [
    ...(card['border_color'] === 'borderless' ? ['borderless'] : []),
    ...textsOf(card, 'frame_effects').filter((effect) => FRAME_EFFECTS.has(effect)),
    ...(card['full_art'] === true ? ['fullart'] : []),
    ...(card['textless'] === true ? ['textless'] : []),
    ...(card['oversized'] === true ? ['oversized'] : []),
    ...textsOf(card, 'promo_types').filter((type) => !PLAIN_PROMO_TYPES.has(type)),
  ];
  return words.length === 0 ? null : [...new Set(words)].join(', ');
}

function imageOf(card: ExternalObject): string | null {
  const status = textOf(card, 'image_status');
  if (status === 'missing' || status === 'placeholder') return null;
  const [front = {}] = objectsOf(card, 'card_faces');
  for (const images of [objectOf(card, 'image_uris'), objectOf(front, 'image_uris')]) {
    const image = textOf(images, 'normal') ?? textOf(images, 'large') ?? textOf(images, 'small');
    if (image !== null) return image;
  }
  return null;
}
