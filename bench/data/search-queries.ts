// Typical search queries, and queries meant to be slow.
import type { Card } from '../../server/src/catalog/card.ts';

/** Ways to derive a query from a card: parts of its name, a typo, its number, set and rarity. */
const WAYS: readonly ((card: Card) => string)[] = [
  ({ name }) => name,
  ({ name }) => name.slice(0, 1),
  ({ name }) => name.slice(0, 2),
  ({ name }) => name.slice(0, 3),
  ({ name }) => name.slice(0, Math.ceil(name.length / 2)),
  ({ name }) => name.slice(Math.floor(name.length / 3), Math.floor(name.length / 3) + 3),
  ({ name }) => name.slice(-2),
  ({ name }) => name.toUpperCase(),
  ({ name }) =>
    name
      .split(/[\s・]/)
      .toReversed()
      .join(' '),
  ({ name }) => name.slice(0, name.length / 2) + name.slice(name.length / 2 + 1),
  ({ localizedNames }) => Object.values(localizedNames).at(-1) ?? 'a',
  ({ cardNumber }) => cardNumber ?? '1',
  ({ cardNumber, setTotalRaw }) => `${cardNumber ?? 1}/${setTotalRaw ?? 100}`,
  ({ cardNumber }) => (cardNumber ?? '10').slice(0, -1),
  ({ name, cardNumber }) => `${name} ${cardNumber ?? ''}`,
  ({ name, set }) => `${name} ${set?.code ?? ''}`,
  ({ name, rarity }) => `${name.slice(0, 4)} ${rarity?.code ?? 'R'}`,
  ({ set, cardNumber }) => `${set?.code ?? ''} ${cardNumber ?? ''}`,
];

/**
 * Returns `count` queries derived from cards, using each way in turn. The result is deterministic.
 */
export function mixedQueries(cards: readonly Card[], count: number): string[] {
  return Array.from({ length: count }, (_, at) => {
    const card = cards[(at * 7_919) % cards.length];
    const way = WAYS[at % WAYS.length];
    const query = card === undefined || way === undefined ? '' : way(card);
    return [...query].slice(0, 150).join('').trim() || 'a';
  });
}

/** Returns a text of 150 characters from many scripts. */
function textInManyScripts(): string {
  const starts = [
    0x41, 0xe9, 0x3b1, 0x430, 0x5d0, 0x627, 0x905, 0xe01, 0x10a0, 0x1200, 0x3042, 0x30a2,
  ];
  const more = [0x4e00, 0xac00, 0x1f525, 0x2_00_00, 0x1_04_00, 0xff21, 0x2460, 0x3300, 0xfdfa];
  const all = [...starts, ...more];
  return Array.from({ length: 150 }, (_, at) =>
    String.fromCodePoint((all[at % all.length] ?? 0x41) + Math.floor(at / all.length)),
  ).join('');
}

function twoLetterTerms(): string {
  return Array.from({ length: 75 }, (_, at) =>
    String.fromCodePoint(0x61 + (at % 26), 0x61 + ((at * 7) % 26)),
  ).join(' ');
}

/** The slowest known queries, by a short description. Each search must take less than 25 ms. */
export const hostileQueries: ReadonlyMap<string, string> = new Map([
  ['ー × 150', 'ー'.repeat(150)],
  ['ー', 'ー'],
  ['a', 'a'],
  ['%', '%'],
  ['_', '_'],
  ['fire × 150', '🔥'.repeat(150)],
  ['family emoji', '👨‍👩‍👧‍👦'.repeat(21)],
  ['U+FDFA × 150', '\ufdfa'.repeat(150)],
  ['every script', textInManyScripts()],
  ['あ × 150', 'あ'.repeat(150)],
  ['spaces × 150', ' '.repeat(150)],
  ['75 two-letter terms', twoLetterTerms()],
  ['common pairs', 'on er an in ra ar or en al'],
  ['common kana', 'の ー ン ル ス ト ラ イ'],
  ['ドラゴン の', 'ドラゴン の'],
  ['dragon the of', 'dragon the of'],
  ['a × 75 terms', 'a '.repeat(75).trim()],
  ['an', 'an'],
  ['er', 'er'],
  ['ン', 'ン'],
  ['ドラ', 'ドラ'],
  ['numbers', '1 2 3 4 5 6 7 8 9 10 11 12 13 14 15'],
  ['zeros × 150', '0'.repeat(150)],
  ['1/2/3…', '1/2/3/4/5/6/7/8/9/10/11/12/13/14/15/16/17/18/19/20'],
  ['numbers in letters', 'a1'.repeat(75)],
  ['dashes', '-'.repeat(150)],
  ['1 × 150 dashes', '1-'.repeat(75)],
  ['no such word', 'zqxj'.repeat(37)],
  ['almost a word', 'dragonn'],
  ['almost common pairs', 'eranonarinoralenteronar'],
  ['almost kana', 'ドラゴソンノイラスト'],
  ['combining marks', 'e\u0301'.repeat(75)],
  ['dakuten', 'か\u3099'.repeat(75)],
  ['lone surrogates', '\ud800'.repeat(150)],
  ['U+0000', '\u0000'.repeat(150)],
  ['1 common', '1 c'],
  ['rare r', 'rare r ex'],
]);
