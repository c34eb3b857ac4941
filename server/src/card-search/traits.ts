import { fold } from '../catalog/fold.ts';

/** The words that people use for a game, a language, a variant or a finish, by its code. */
const WORDS_OF_GAME: Readonly<Record<string, string>> = {
  pokemon: 'pokemon ポケモン ポケカ',
  yugioh: 'yugioh ygo 遊戯王',
  onepiece: 'onepiece optcg ワンピース ワンピ',
  mtg: 'mtg magic マジック ギャザ',
  magic: 'mtg magic マジック ギャザ',
  'flesh-and-blood': 'fab フレッシュアンドブラッド',
  fab: 'fab フレッシュアンドブラッド',
};
const WORDS_OF_LANGUAGE: Readonly<Record<string, string>> = {
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

export interface TraitsOfCard {
  readonly gameCode: string | null;
  readonly languageCode: string | null;
  readonly variant: string | null;
  readonly finish: string | null;
}

/** Returns the words by which a card is found besides its names, number, set and rarity. */
export function traitsOf({ gameCode, languageCode, variant, finish }: TraitsOfCard): string[] {
  const [language = ''] = (languageCode ?? '').split('-');
  const looks = [variant, finish].filter((look) => look !== null);
  const folded = looks.map((look) => fold(look));
  return [
    WORDS_OF_GAME[gameCode ?? ''] ?? gameCode ?? '',
    WORDS_OF_LANGUAGE[language] ?? '',
    ...looks,
    ...WORDS_OF_LOOK.filter(([look]) => folded.some((text) => look.test(text))).map(
      ([, words]) => words,
    ),
  ].filter((words) => words !== '');
}
