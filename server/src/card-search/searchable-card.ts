import { fold } from './fold.ts';

/** The searched fields of a card, in JSON. */
export interface SearchableCard {
  /** A UUID. */
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

/** The words that people use for a game or a language, by its code. */
const WORDS_OF_CODE: Readonly<Record<string, string>> = {
  pokemon: 'pokemon ポケモン ポケカ',
  yugioh: 'yugioh ygo 遊戯王',
  onepiece: 'onepiece optcg ワンピース ワンピ',
  mtg: 'mtg magic マジック ギャザ',
  magic: 'mtg magic マジック ギャザ',
  'flesh-and-blood': 'fab フレッシュアンドブラッド',
  fab: 'fab フレッシュアンドブラッド',
  ja: 'japanese 日本語 日本語版 日版',
  en: 'english 英語 英語版 英版',
  ko: 'korean 韓国語 韓国版',
  zh: 'chinese 中国語 中国版',
  de: 'german deutsch ドイツ語',
  fr: 'french フランス語',
  it: 'italian イタリア語',
  es: 'spanish スペイン語',
  pt: 'portuguese ポルトガル語',
};
/** The words for a variant or a finish that has one of these in its own text. */
const WORDS_OF_LOOK: readonly (readonly [RegExp, string])[] = [
  [/1st.?ed|first.?ed/, '1st edition 初版'],
  [/unlimited/, 'unlimited アンリミテッド アンリミ'],
  [/parallel/, 'parallel パラレル パラ'],
  [/alt(ernate)?.?art/, 'alt art イラスト違い'],
  [/reverse/, 'reverse holo foil リバース ミラー'],
  [/holo|foil/, 'holo foil ホロ キラ'],
  [/reprint/, 'reprint 再録'],
];

/** Returns the words by which a card is found besides its names, number, set and rarity. */
export function traitsOf(gameCode: string, languageCode: string, ...looks: string[]): string[] {
  const [language = ''] = languageCode.split('-');
  const folded = looks.map(fold);
  const words = WORDS_OF_LOOK.filter(([look]) => folded.some((text) => look.test(text)));
  return [
    WORDS_OF_CODE[gameCode] ?? gameCode,
    WORDS_OF_CODE[language] ?? '',
    ...looks,
    ...words.map(([, each]) => each),
  ];
}
