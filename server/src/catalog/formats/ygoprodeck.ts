import { isObject } from '../../base/field.ts';
import type { ElementResult, ReadElement } from './format.ts';
import { games } from './games.ts';
import { deriveId } from './derived-id.ts';
import { type ExternalObject, objectsOf, textOf } from './external-object.ts';
import { rarityCodeOf } from './rarity-code.ts';
import { rarityOf } from './rarity.ts';
import { skipElement, validateDrafts, refuseElement } from './card-drafts.ts';

/** Matches the set and the region in `LOB-EN001`, `LOB-E001` and `LOB-001`. */
const PRINTED_CODE = /^(?<set>[^-]+)-(?<region>[A-Z]{0,2})(?=[A-Z]*\d|$)/i;

/** The languages of regions. Codes without a region and unlisted regions are English. */
const LANGUAGE_OF_REGION: Readonly<Record<string, string>> = {
  JP: 'ja',
  J: 'ja',
  KR: 'ko',
  K: 'ko',
  FR: 'fr',
  F: 'fr',
  DE: 'de',
  G: 'de',
  IT: 'it',
  I: 'it',
  SP: 'es',
  ES: 'es',
  S: 'es',
  PT: 'pt',
  P: 'pt',
  TC: 'zh-Hant',
  SC: 'zh-Hans',
};
const ENGLISH = 'en';

export interface YgoprodeckOptions {
  /** The language of the names in the file (the API's `language`). */
  readonly language: string;
}

/**
 * Reads the cards of YGOPRODeck's `cardinfo`. Makes one catalog card for each printing in
 * `card_sets`, in the language of its printed code. Cards without printings are skipped.
 *
 * @see https://ygoprodeck.com/api-guide/
 */
export function ygoprodeckReader(options: YgoprodeckOptions): ReadElement {
  return (element) => {
    if (!isObject(element)) return refuseElement('The element must be a JSON object.');
    const id = textOf(element, 'id');
    if (id === null || element['type'] === undefined) {
      return refuseElement('Not a YGOPRODeck card: `id` or `type` is missing.');
    }
    const printings = objectsOf(element, 'card_sets');
    if (printings.length === 0) return skipElement('no known printing');
    return readPrintings(element, id, printings, options.language);
  };
}

function readPrintings(
  card: ExternalObject,
  id: string,
  printings: readonly ExternalObject[],
  language: string,
): ElementResult {
  const name = textOf(card, 'name');
  const nameEn = textOf(card, 'name_en') ?? (language === ENGLISH ? name : null);
  const localizedNames = {
    ...(name === null ? {} : { [language]: name }),
    ...(nameEn === null ? {} : { [ENGLISH]: nameEn }),
  };
  const [front = {}] = objectsOf(card, 'card_images');
  const image = textOf(front, 'image_url') ?? textOf(front, 'image_url_small');
  return validateDrafts(
    printings.map((printing) => {
      const code = textOf(printing, 'set_code');
      const setName = textOf(printing, 'set_name');
      const rarity = textOf(printing, 'set_rarity');
      const edition = textOf(printing, 'set_edition');
      const match = PRINTED_CODE.exec(code ?? '')?.groups;
      const setCode = match?.['set'] ?? code;
      const printed = LANGUAGE_OF_REGION[match?.['region']?.toUpperCase() ?? ''] ?? ENGLISH;
      return {
        id: deriveId('ygoprodeck', 'card', id, code, setName, rarity, edition),
        name: printed === ENGLISH ? (nameEn ?? name) : name,
        localizedNames,
        cardNumber: code,
        setTotalRaw: null,
        janCode: null,
        languageCode: printed,
        variant: edition,
        finish: null,
        imageUrl: image,
        rarity: rarityOf(rarity, codeOf(printing, printed)),
        set:
          setCode === null
            ? null
            : {
                id: deriveId('ygoprodeck', 'set', setCode, setName),
                code: setCode,
                name: setName ?? setCode,
                nameEn: setName,
              },
        game: games.yugioh,
      };
    }),
    { ygoprodeck: id },
  );
}

/** A Japanese printing gets the letters used in Japan, if known, else the file's English code. */
function codeOf(printing: ExternalObject, language: string): string | null {
  const given = textOf(printing, 'set_rarity_code')?.replaceAll(/[()]/g, '').trim() ?? '';
  const name = textOf(printing, 'set_rarity') ?? '';
  const known = rarityCodeOf(games.yugioh.code, language, null, name);
  if (given === '' || (language === 'ja' && known !== null)) return known;
  return given;
}
