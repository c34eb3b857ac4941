// Generates catalogs of any size for measurements, by varying real cards from a file, or the demo's
// cards if the file does not exist. The numbers of distinct names and sets grow as they would in a
// larger catalog.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { Card } from '../../server/src/catalog/card.ts';
import { makeCards } from '../../server/src/demo/cards.ts';

const DATA = join(import.meta.dirname, '../../../shared/data/cards.dev.jsonl.gz');

/**
 * Returns the cards of a file next to the project, or the demo's cards if the file does not exist.
 */
function readBaseCards(): readonly Card[] {
  if (!existsSync(DATA)) return makeCards().map(({ of }) => of);
  const lines = gunzipSync(readFileSync(DATA)).toString('utf8').trim().split('\n');
  return lines.map((line) => {
    const card: unknown = JSON.parse(line);
    // The file has the fields of section 2.2 of the specification. Other fields are ignored.
    return card as Card;
  });
}

/**
 * Generates `count` cards with unique ids. Every call generates the same cards, and the base cards
 * come first.
 */
export function* varyCards(count: number): Generator<Card> {
  const base = readBaseCards();
  for (let made = 0; made < count; made++) {
    const card = base[made % base.length];
    if (card === undefined) return;
    const round = Math.floor(made / base.length);
    yield round === 0 ? card : varied(card, round, made);
  }
}

interface Word {
  readonly ja: string;
  readonly kana: string;
  readonly latin: string;
  readonly zh: string;
  readonly ko: string;
}

const WORDS: readonly Word[] = [
  ['紅蓮', 'グレン', 'Guren', '红莲', '홍련'],
  ['零式', 'ゼロシキ', 'Zero', '零式', '영식'],
  ['月影', 'ツキカゲ', 'Tsukikage', '月影', '월영'],
  ['黎明', 'レイメイ', 'Dawn', '黎明', '여명'],
  ['ノヴァ', 'ノヴァ', 'Nova', '新星', '노바'],
  ['鉄壁', 'テッペキ', 'Bulwark', '铁壁', '철벽'],
  ['幻夢', 'ゲンム', 'Mirage', '幻梦', '환몽'],
  ['シャイン', 'シャイン', 'Shine', '闪耀', '샤인'],
  ['古代', 'コダイ', 'Ancient', '古代', '고대'],
  ['ツイン', 'ツイン', 'Twin', '双子', '트윈'],
  ['荒野', 'アラノ', 'Wild', '荒野', '황야'],
  ['極光', 'キョッコウ', 'Aurora', '极光', '극광'],
  ['スカイ', 'スカイ', 'Sky', '天空', '스카이'],
  ['深海', 'シンカイ', 'Abyss', '深海', '심해'],
  ['ルーン', 'ルーン', 'Rune', '符文', '룬'],
  ['帝王', 'テイオウ', 'Emperor', '帝王', '제왕'],
].map(([ja = '', kana = '', latin = '', zh = '', ko = '']) => ({ ja, kana, latin, zh, ko }));

function varied(card: Card, round: number, made: number): Card {
  // A third are reprints with the same name. All other cards get a word before or after the name.
  const word = round % 3 === 0 ? null : WORDS[(round * 7 + made) % WORDS.length];
  const isWordFirst = (round + made) % 2 === 0;
  const rename = (name: string, tag: string): string =>
    word === null || word === undefined ? name : joinWord(name, wordIn(word, tag), tag, isWordFirst);
  const number = (made * 7_919) % 1_000;
  return {
    ...card,
    id: idOf(`${card.id} ${round}`),
    name: rename(card.name, card.languageCode),
    localizedNames: Object.fromEntries(
      Object.entries(card.localizedNames).map(([tag, name]) => [tag, rename(name, tag)]),
    ),
    cardNumber: card.cardNumber?.replace(/\d+$/, String(number).padStart(3, '0')) ?? null,
    janCode: null,
    set:
      card.set === null
        ? null
        : {
            ...card.set,
            id: idOf(`${card.set.id} ${round}`),
            code: `${card.set.code}${String.fromCodePoint(96 + round)}`,
            name: `${card.set.name} ${round}`,
          },
  };
}

function wordIn(word: Word, tag: string): string {
  if (tag === 'ja-Hrkt') return word.kana;
  if (/-latn$/i.test(tag)) return word.latin;
  if (tag.startsWith('ja')) return word.ja;
  if (tag.startsWith('zh')) return word.zh;
  return tag.startsWith('ko') ? word.ko : word.latin;
}

function joinWord(name: string, word: string, tag: string, isWordFirst: boolean): string {
  const gap = /^(?:ja|zh)(?!-Latn)/.test(tag) ? '' : ' ';
  return isWordFirst ? `${word}${gap}${name}` : `${name}${gap}${word}`;
}

/** Returns a version 8 UUID derived from a name (RFC 9562 §5.8). */
function idOf(name: string): string {
  const hex = createHash('sha256').update(name).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
