import { fold } from '../card-search/fold.ts';

/** The languages in the order of Cardmarket's numbers, which begin with 1 (API 1.1, "Stock"). */
const LANGUAGE_NUMBERS = 'en fr de es it zh-Hans ja pt ru ko zh-Hant'.split(' ');

const LANGUAGE_NAMES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    en: 'en eng english 英語',
    ja: 'ja jp jpn japanese 日本語 日',
    fr: 'fr french français 仏語 フランス語',
    de: 'de german deutsch ドイツ語',
    es: 'es sp spanish español スペイン語',
    it: 'it italian italiano イタリア語',
    pt: 'pt portuguese português ポルトガル語',
    ru: 'ru russian ロシア語',
    ko: 'ko kr korean 韓国語',
    'zh-Hans': 'zh-hans zhs cs zh-cn cn s-chinese 簡体字 中国語簡体字',
    'zh-Hant': 'zh-hant zht ct zh-tw tw t-chinese 繁体字 中国語繁体字',
  }).flatMap(([tag, names]) => names.split(' ').map((name) => [fold(name), tag] as const)),
);

/** Returns a language tag for a tag, a name or Cardmarket's number; null for other texts. */
export function readLanguage(text: string): string | null {
  const key = fold(text)
    .replaceAll(/[\s()（）]+/g, '-')
    .replaceAll(/^-|-$/g, '');
  const numbered = /^\d+$/.test(key) ? LANGUAGE_NUMBERS[Number(key) - 1] : undefined;
  const named = LANGUAGE_NAMES.get(key) ?? LANGUAGE_NAMES.get(WORDY.get(key) ?? '');
  if (numbered !== undefined || named !== undefined) return numbered ?? named ?? null;
  return /^[a-z]{2,3}(?:-[a-z0-9]{2,8}){0,2}$/.test(key) ? key : null;
}

const WORDY: ReadonlyMap<string, string> = new Map([
  ['simplified-chinese', 'zh-hans'],
  ['traditional-chinese', 'zh-hant'],
  ['chinese-simplified', 'zh-hans'],
  ['chinese-traditional', 'zh-hant'],
]);

/** The name of a group of finishes with the same meaning: `nonfoil` and `normal` are in `plain`. */
export type FinishGroup = 'plain' | 'foil' | 'reverse' | 'etched' | (string & {});

const PLAIN = ['', 'normal', 'nonfoil', 'regular', 'no', 'false', '0', 'plain', 'ノーマル', '通常'];
const SHINY = ['foil', 'holo', 'holofoil', 'yes', 'true', '1', 'x', 'y', 'ホロ', 'フォイル'];
const REVERSE = ['reverse', 'reverseholo', 'reverseholofoil', 'ミラー', 'リバース', 'リバースホロ'];

const GROUPS: ReadonlyMap<string, FinishGroup> = new Map(
  (
    [
      ['plain', PLAIN],
      ['foil', SHINY],
      ['reverse', REVERSE],
      ['etched', ['etched', 'etchedfoil', 'foiletched']],
    ] as const
  ).flatMap(([group, words]) => words.map((word) => [looseKey(word), group] as const)),
);

export function finishGroupOf(text: string | null): FinishGroup {
  const key = looseKey(text ?? '');
  return GROUPS.get(key) ?? key;
}

/** Returns a text's letters and digits in one case, so that spaces and hyphens do not matter. */
export function looseKey(text: string): string {
  return fold(text).replaceAll(/[^\p{L}\p{N}]/gu, '');
}

/** The conditions of marketplaces. Each line has the spellings of one condition. */
const CONDITIONS: readonly (readonly string[])[] = [
  ['m', 'mt', 'mint'],
  ['nm', 'nearmint'],
  ['ex', 'excellent'],
  ['gd', 'good'],
  ['lp', 'lightlyplayed', 'lightplayed', 'sp', 'slightlyplayed'],
  ['mp', 'moderatelyplayed', 'pl', 'played'],
  ['hp', 'heavilyplayed'],
  ['dmg', 'damaged', 'po', 'poor'],
];

/** Values of a condition column that do not state a condition. */
const NO_CONDITION = new Set(
  ['', 'defaulttitle', 'regular', 'default', 'unopened', 'なし', '指定なし', '未鑑定'].map(
    looseKey,
  ),
);

/** Matches a condition that is followed by other words (`Near Mint Reverse Holofoil`). */
const NAMED_CONDITION =
  /^(near mint|mint|lightly played|moderately played|heavily played|damaged|unopened)\s+(.+)$/i;

export interface Condition {
  /** All spellings of the condition. Empty if the cell states none. */
  readonly keys: readonly string[];
  /** The finish in the same cell, as in TCGplayer's `Near Mint Foil`. */
  readonly finish: string | null;
  /** The variant in the same cell, such as `1st Edition`. */
  readonly variant: string | null;
}

export function readCondition(text: string): Condition {
  const [, named = text, rest = ''] = NAMED_CONDITION.exec(text.normalize('NFKC').trim()) ?? [];
  const key = looseKey(named);
  const keys = NO_CONDITION.has(key)
    ? []
    : (CONDITIONS.find((spellings) => spellings.includes(key)) ?? [key]);
  const edition = /\b(1st edition|unlimited)\b/i.exec(rest)?.[0] ?? null;
  const finish = rest.replace(edition ?? '', '').trim();
  return {
    // The spelling in the cell comes first.
    keys: [...new Set([...(keys.length === 0 ? [] : [looseKey(text), key]), ...keys])],
    finish: finish === '' ? null : finish,
    variant: edition,
  };
}

/** True if the cell has a mark such as `X`, `1` or `true`. */
export function isMarkedCell(text: string): boolean {
  return !['', '0', 'no', 'n', 'false', 'いいえ'].includes(fold(text));
}

/** Parses a whole number from 0. Returns null for any other text. An empty cell means 0. */
export function readQuantity(text: string): number | null {
  const plain = text
    .normalize('NFKC')
    .replaceAll(/[\s,枚個点]/g, '')
    .toLowerCase();
  // Shopify writes `not stocked` for a location that has no such product.
  if (plain === '' || plain === 'notstocked') return 0;
  const parts = /^(\d{1,9})(?:\.0+)?$/.exec(plain);
  return parts === null ? null : Number(parts[1]);
}

/** Rewrites an amount for `parseAmount`: removes the currency sign and uses a decimal point. */
export function normalizeAmountText(text: string): string {
  const plain = text
    .normalize('NFKC')
    .replaceAll(/[\s¥円$€£]|^[A-Z]{3}|[A-Z]{3}$|税込|税抜/g, '')
    .replace(/,-$/, '');
  // In `1.234,50` and `12,50` the comma is the decimal point. In `1,234` it separates thousands.
  return /^(?:\d{1,3}(?:\.\d{3})+|\d+),\d{1,2}$/.test(plain)
    ? plain.replaceAll('.', '').replace(',', '.')
    : plain;
}

/** Returns a date as `YYYY-MM-DD`; null for another text. */
export function readDate(text: string): string | null {
  const plain = text.normalize('NFKC').trim();
  const parts = /^(\d{4})[-/.年](\d{1,2})[-/.月](\d{1,2})日?(?:[T ].*)?$/.exec(plain);
  if (parts === null) return null;
  const [, year = '', month = '', day = ''] = parts;
  return `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
}
