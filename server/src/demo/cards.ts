import type { Card, CardSet, Game, Rarity } from '../catalog/card.ts';
import type { Grade } from '../catalog/grade.ts';
import type { BoostProduct } from '../catalog/product.ts';
import { seededRandom, demoId } from './seeded-random.ts';

type Word = readonly [ja: string, kana: string, en: string];

const game: Game = { id: demoId('game'), code: 'hoshitsumugi', name: '星紡ぎカードゲーム' };

const firstWords: readonly [Word, ...Word[]] = [
  ['蒼天の', 'そうてんの', 'Azure'],
  ['黄昏の', 'たそがれの', 'Twilight'],
  ['千年の', 'せんねんの', 'Millennial'],
  ['霧深き', 'きりふかき', 'Misty'],
  ['銀河の', 'ぎんがの', 'Galactic'],
  ['眠れる', 'ねむれる', 'Slumbering'],
  ['緋色の', 'ひいろの', 'Scarlet'],
  ['氷原の', 'ひょうげんの', 'Frostfield'],
  ['雷鳴の', 'らいめいの', 'Thundering'],
  ['深淵の', 'しんえんの', 'Abyssal'],
  ['若葉の', 'わかばの', 'Verdant'],
  ['鏡写しの', 'かがみうつしの', 'Mirrored'],
  ['流星の', 'りゅうせいの', 'Meteoric'],
  ['機巧の', 'きこうの', 'Clockwork'],
  ['月下の', 'げっかの', 'Moonlit'],
  ['朝凪の', 'あさなぎの', 'Calm-Sea'],
];

const lastWords: readonly [Word, ...Word[]] = [
  ['竜アルバ', 'りゅうあるば', 'Dragon Alba'],
  ['狐コヨリ', 'きつねこより', 'Fox Koyori'],
  ['騎士レント', 'きしれんと', 'Knight Rento'],
  ['魔女ミルカ', 'まじょみるか', 'Witch Milka'],
  ['番人ゴズ', 'ばんにんごず', 'Warden Gozu'],
  ['鯨トウリ', 'くじらとうり', 'Whale Touri'],
  ['鍛冶師ハガネ', 'かじしはがね', 'Smith Hagane'],
  ['踊り子ユラ', 'おどりこゆら', 'Dancer Yura'],
  ['梟ヨハク', 'ふくろうよはく', 'Owl Yohaku'],
  ['巨人ダイダ', 'きょじんだいだ', 'Giant Daida'],
  ['詩人セツ', 'しじんせつ', 'Poet Setsu'],
  ['猫タンゴ', 'ねこたんご', 'Cat Tango'],
  ['守り神ソラネ', 'まもりがみそらね', 'Guardian Sorane'],
  ['航海士ナギ', 'こうかいしなぎ', 'Navigator Nagi'],
  ['幻獣リュクス', 'げんじゅうりゅくす', 'Phantom Lyx'],
  ['歯車兵ギア', 'はぐるまへいぎあ', 'Gear Soldier'],
  ['薬師モモ', 'くすしもも', 'Herbalist Momo'],
  ['影武者カゲ', 'かげむしゃかげ', 'Shadow Double'],
];

interface Edition {
  readonly set: CardSet;
  readonly languageCode: string;
  readonly cards: number;
}

const editions: readonly Edition[] = [
  edition('HT01', '星々の目覚め', 'Awakening Stars', 'ja', 100),
  edition('HT02', '蒼き航路', 'Azure Passage', 'ja', 100),
  edition('HT03', '歯車仕掛けの夜', 'Clockwork Night', 'ja', 90),
  edition('HT01E', 'Awakening Stars', 'Awakening Stars', 'en', 70),
];

function edition(
  code: string,
  name: string,
  nameEn: string,
  languageCode: string,
  cards: number,
): Edition {
  return { set: { id: demoId(`set ${code}`), code, name, nameEn }, languageCode, cards };
}

/** The rarities, each with its minimum price in yen and the weight of its frequency. */
const rarities: readonly [
  readonly [Rarity & { readonly yen: number }, number],
  ...(readonly [Rarity & { readonly yen: number }, number])[],
] = [
  [{ code: 'C', name: 'Common', yen: 50 }, 40],
  [{ code: 'U', name: 'Uncommon', yen: 100 }, 28],
  [{ code: 'R', name: 'Rare', yen: 400 }, 18],
  [{ code: 'SR', name: 'Super Rare', yen: 2_400 }, 10],
  [{ code: 'HR', name: 'Hoshi Rare', yen: 18_000 }, 4],
];

/** A catalog entry with its minimum price in yen. */
export interface Priced<T> {
  readonly of: T;
  readonly yen: number;
}

/** About 400 cards of the made-up game, some in two finishes, named in Japanese and English. */
export function makeCards(): readonly Priced<Card>[] {
  return editions.flatMap((each) =>
    Array.from({ length: each.cards }, (_, index) => makeCard(each, index + 1)).flat(),
  );
}

function makeCard({ set, languageCode, cards }: Edition, number: number): Priced<Card>[] {
  const cardNumber = String(number).padStart(3, '0');
  // The English edition has the same cards as the first Japanese edition.
  const random = seededRandom(`card ${set.code.replace(/E$/, '')} ${cardNumber}`);
  const [first, last] = [random.pick(firstWords), random.pick(lastWords)];
  const { yen, ...rarity } = random.pickWeighted(rarities);
  const names = {
    ja: `${first[0]}${last[0]}`,
    'ja-Hrkt': `${first[1]}${last[1]}`,
    en: `${first[2]} ${last[2]}`,
  };
  const hasFoil = yen >= 400 || random.integerBelow(12) === 0;
  const finishes = hasFoil && random.integerBelow(3) === 0 ? ['normal', 'holo'] : ['normal'];
  return finishes.map((finish) => ({
    of: {
      id: demoId(`card ${set.code} ${cardNumber} ${finish}`),
      name: languageCode === 'ja' ? names.ja : names.en,
      localizedNames: names,
      cardNumber,
      setTotalRaw: String(cards).padStart(3, '0'),
      // A few cards have a code, so that a search by JAN can be tried.
      janCode: rarity.code === 'HR' ? janOf(`jan ${set.code} ${cardNumber} ${finish}`) : null,
      languageCode,
      variant: null,
      finish,
      imageUrl: null,
      rarity,
      set,
      game,
    },
    yen: finish === 'holo' ? yen * 3 : yen,
  }));
}

export function makeProducts(): readonly Priced<BoostProduct>[] {
  const kinds = [
    { kind: 'box', word: 'BOX', yen: 6_600 },
    { kind: 'pack', word: 'パック', yen: 220 },
    { kind: 'deck', word: '構築済みデッキ', yen: 1_650 },
  ];
  return editions
    .filter(({ languageCode }) => languageCode === 'ja')
    .flatMap(({ set, languageCode }) =>
      kinds.map(({ kind, word, yen }) => ({
        of: {
          id: demoId(`product ${set.code} ${kind}`),
          name: `星紡ぎ「${set.name}」${word}`,
          productKind: kind,
          janCode: janOf(set.code + kind),
          languageCode,
          imageUrl: null,
          game,
        },
        yen,
      })),
    );
}

/** Returns a JAN with prefix 29, which GS1 reserves for shops, so no real product has it. */
function janOf(seed: string): string {
  return withCheckDigit(
    `29${String(seededRandom(seed).integerBelow(10_000_000_000)).padStart(10, '0')}`,
  );
}

/** Appends the check digit (GS1 General Specifications §7.9: weights 1 and 3 from the left). */
function withCheckDigit(digits: string): string {
  const sum = Array.from(digits, Number).reduce(
    (total, digit, index) => total + digit * (index % 2 === 0 ? 1 : 3),
    0,
  );
  return `${digits}${(10 - (sum % 10)) % 10}`;
}

export const thirdPartyGrades: readonly Grade[] = [
  ...['10', '9.5', '9', '8'].map((code) => gradeOf('KGS', 'Kumo Grading Service', code)),
  ...['Gem', 'Mint', 'Near Mint'].map((code) => gradeOf('HCA', 'Hikari Card Appraisal', code)),
];

function gradeOf(serviceCode: string, serviceName: string, code: string): Grade {
  return {
    id: demoId(`grade ${serviceCode} ${code}`),
    code,
    label: `${serviceCode} ${code}`,
    serviceCode,
    serviceName,
    serviceKind: 'third_party',
  };
}
