import { readFileSync } from 'node:fs';
import { fold } from './fold.ts';

/** The fields of a card that search uses. */
export interface SearchableCard {
  readonly id: string;
  readonly name: string;
  /** Names by language tag. `-Latn` in a tag means romaji. */
  readonly localizedNames: Readonly<Record<string, string>>;
  readonly cardNumber: string | null;
  readonly setTotalRaw: string | null;
  readonly setCode: string | null;
  readonly setName: string | null;
  readonly setNameEn: string | null;
  readonly rarityCode: string | null;
  readonly rarityName: string | null;
  readonly gameCode: string;
  readonly languageCode: string;
  readonly variant: string | null;
  readonly finish: string | null;
}

/** Each line has a code or a /pattern/ of a look, and the words that people use for it. */
const WORDS = readFileSync(new URL('trait-words.txt', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .map((line) => line.split('\t'));
const WORDS_OF_CODE = new Map(WORDS.map(([code, words = '']) => [code, words]));
const WORDS_OF_LOOK = WORDS.filter(([look = '']) => look.startsWith('/')).map(
  ([look = '', words = '']) => ({ look: new RegExp(look.slice(1, -1)), words }),
);

/** Returns further words for finding a card: those of its game, language and look. */
export function traitsOf(gameCode: string, languageCode: string, ...looks: string[]): string[] {
  const [language = ''] = languageCode.split('-');
  const folded = looks.map(fold);
  return [
    WORDS_OF_CODE.get(gameCode) ?? gameCode,
    WORDS_OF_CODE.get(language) ?? '',
    ...looks,
    ...WORDS_OF_LOOK.filter(({ look }) => folded.some((text) => look.test(text))).map(
      ({ words }) => words,
    ),
  ];
}
