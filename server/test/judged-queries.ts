import type { SearchableCard } from '../src/card-search/searchable-card.ts';

/** A query, and the rule that decides from a card's texts whether the card is relevant. */
export interface JudgedQuery {
  readonly query: string;
  readonly isRelevant: (card: SearchableCard) => boolean;
}

function namesOf(card: SearchableCard): string[] {
  return [card.name, ...Object.values(card.localizedNames)];
}

/** Makes a query for which cards with a matching name are relevant. */
function named(query: string, pattern: RegExp): JudgedQuery {
  return { query, isRelevant: (card) => namesOf(card).some((name) => pattern.test(name)) };
}

/** Makes a query for which cards with a matching name in a matching set are relevant. */
function inSet(query: string, pattern: RegExp, set: RegExp): JudgedQuery {
  return {
    query,
    isRelevant: (card) =>
      namesOf(card).some((name) => pattern.test(name)) &&
      [card.setCode, card.setName, card.setNameEn].some((text) => text !== null && set.test(text)),
  };
}

/** Makes a query for which cards with a matching number and set code are relevant. */
function numbered(query: string, number: RegExp, set = /(?:)/): JudgedQuery {
  return {
    query,
    isRelevant: (card) => number.test(card.cardNumber ?? '') && set.test(card.setCode ?? ''),
  };
}

/** Queries written by hand. They abbreviate, misspell and mix the texts of cards as people do. */
export const judgedQueries: readonly JudgedQuery[] = [
  // Abbreviations.
  named('ブラマジガール', /^ブラック・マジシャン・ガール$/),
  named('ブラマジ', /^ブラック・マジシャン/),
  named('青眼', /^青眼/),
  named('ルフィ', /ルフィ/),
  named('ロー', /^トラファルガー・ロー$|^ロー|ロー/),
  named('リザ', /^リザ/),
  named('ミュウツー', /^ミュウツー/),
  named('ブルーアイズ', /ブルーアイズ/),
  named('モンキーDルフィ', /^モンキー・[ＤD]・ルフィ$/),
  named('ホワイトドラゴン', /ホワイト・?ドラゴン/),
  // Names of sets, and a card in a set.
  inSet('黒炎の支配者', /./, /黒炎の支配者/),
  inSet('リザードンex 黒炎の支配者', /リザードンex/i, /黒炎の支配者/),
  inSet('VMAXクライマックス', /./, /VMAXクライマックス/),
  inSet('ピカチュウ クレイバースト', /ピカチュウ/, /クレイバースト/),
  inSet('Charizard Flashfire', /Charizard/, /Flashfire/),
  inSet('ルフィ OP-05', /ルフィ/, /^OP-05$/),
  inSet('ルフィ OP02', /ルフィ/, /^OP-02$/),
  inSet('majestic dawn', /./, /Majestic Dawn/i),
  inSet('eevee majestic dawn', /Eevee/i, /Majestic Dawn/i),
  inSet('sm4a ピカチュウ', /ピカチュウ/, /^SM4A$/),
  // ヴ and バ.
  named('バイオレット', /ヴァイオレット|バイオレット/),
  named('ラバゴーレム', /ラヴァ・?ゴーレム|ラバ・?ゴーレム/),
  named('ヴァルキリー', /ヴァルキリー|バルキリー/),
  named('イーブイ', /イーブイ/),
  named('イーヴイ', /イーブイ/),
  // The long-vowel mark and small kana.
  named('リザドン', /リザードン/),
  named('カイリュ', /カイリュー/),
  named('ブラツク・マジシヤン', /ブラック・マジシャン/),
  named('フアイヤー', /ファイヤー/),
  named('ゲンガ－', /ゲンガー/),
  named('ゲンガ', /ゲンガー/),
  named('サ－ナイト', /サーナイト/),
  named('シャンクスー', /シャンクス/),
  // Old, new and Chinese forms of kanji.
  named('青眼の白竜', /青眼の白龍/),
  named('龍騎士', /竜騎士|龍騎士/),
  named('真紅眼の黒竜', /真紅眼の黒竜/),
  named('眞紅眼の黑龍', /真紅眼の黒竜/),
  named('聖剣', /聖剣|聖劍/),
  named('青眼白龙', /青眼の白龍|青眼白龍|青眼白龙/),
  // Mixed scripts.
  named('リザードンEX', /リザードン.?EX/i),
  named('ピカチュウＶＭＡＸ', /ピカチュウVMAX/),
  named('めがリザードン', /メガリザードン/),
  named('blue-eyes 白龍', /青眼の白龍/),
  named('Pikachu ピカチュウ', /ピカチュウ/),
  // Romaji.
  named('rizadon', /^リザードン/),
  named('pikachuu', /^ピカチュウ/),
  named('kairyuu', /^カイリュー/),
  named('gengaa ex', /ゲンガー.?ex/i),
  named('fushigibana', /フシギバナ/),
  named('husigibana', /フシギバナ/),
  named('lizardon', /^リザードン/),
  // Half-width and full-width.
  named('ﾋﾟｶﾁｭｳ', /^ピカチュウ/),
  named('Ｃｈａｒｉｚａｒｄ　ＥＸ', /Charizard.?EX/i),
  // Typos.
  named('リザーゴン', /^リザードン$/),
  named('Charzard', /^Charizard$/),
  named('Pikahcu', /^Pikachu$/),
  named('Blue Eyes White Dragn', /^Blue-Eyes White Dragon$/),
  named('Roronoa Zolo', /^Roronoa Zoro$/),
  // Other word order.
  named('Dragon White Blue-Eyes', /Blue-Eyes.*White.*Dragon/),
  named('ガール マジシャン ブラック', /ブラック・マジシャン・ガール/),
  named('Luffy Monkey', /^Monkey\.D\.Luffy$/),
  // Numbers.
  numbered('op2-1', /^OP02-001$/),
  numbered('OP02 016', /^OP02-016$/),
  numbered('#025', /^0*25$/),
  numbered('No.25', /^0*25$/),
  numbered('SM3N 013', /^013$/, /^SM3N$/),
  numbered('sm3n013/051', /^013$/, /^SM3N$/),
  numbered('DIFO-001', /^DIFO-(?:EN|JP)001$/),
  {
    query: 'リザードンex DR',
    isRelevant: (card) => /リザードンex/i.test(card.name) && card.rarityCode === 'DR',
  },
  {
    query: 'ナミOP03-040',
    isRelevant: (card) => card.cardNumber === 'OP03-040' && namesOf(card).includes('ナミ'),
  },
];
